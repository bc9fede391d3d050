"""Control engineering: a Kalman filter that tracks position and velocity in the plane, state of four numbers."""

import sys

import numpy as np

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 8000
dt = 0.1

F = np.array([[1, 0, dt, 0], [0, 1, 0, dt], [0, 0, 1, 0], [0, 0, 0, 1]])
H = np.array([[1, 0, 0, 0], [0, 1, 0, 0]])
Q = 0.05 * np.eye(4)
R = np.array([[0.6, 0.1], [0.1, 0.4]])

rng = np.random.default_rng(6)
truth = np.array([0.0, 0.0, 1.0, 0.5])
x = np.zeros(4)
P = 10 * np.eye(4)
errors = np.zeros(steps)
for k in range(steps):
    truth = F @ truth
    truth[2:] += 0.02 * rng.normal(size=2)
    z = H @ truth + np.sqrt(np.diag(R)) * rng.normal(size=2)

    x = F @ x
    P = F @ P @ F.T + Q
    innovation = z - H @ x
    S = H @ P @ H.T + R
    K = P @ H.T @ np.linalg.inv(S)
    x = x + K @ innovation
    P = (np.eye(4) - K @ H) @ P
    errors[k] = np.linalg.norm(x[:2] - truth[:2])
print(f"mean error {errors.mean():.5f}, last gain {K[0, 0]:.5f}, position {np.round(x[:2], 3)}")
