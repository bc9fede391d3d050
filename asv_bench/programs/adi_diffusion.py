"""Heat conduction: the alternating direction implicit method, whose sweeps solve a line of unknowns at a time."""

import sys

import numpy as np

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 35
n = 300
r = 0.8  # dt / (2 dx^2)

x = np.linspace(0, 1, n)
u = np.sin(np.pi * x)[:, None] * np.sin(2 * np.pi * x)[None, :]
p, q = np.zeros((n, n)), np.zeros((n, n))


def sweep(v, u):
    """Solve along the rows of v, implicit in columns, with the explicit part from the other direction."""
    v[0, :] = 0.0
    v[-1, :] = 0.0
    p[0, :] = 0.0
    q[0, :] = v[0, :]
    a, b = -r, 1 + 2 * r
    for j in range(1, n - 1):
        denominator = a * p[j - 1, 1:-1] + b
        p[j, 1:-1] = r / denominator
        rhs = r * u[j, :-2] + (1 - 2 * r) * u[j, 1:-1] + r * u[j, 2:]
        q[j, 1:-1] = (rhs - a * q[j - 1, 1:-1]) / denominator
    for j in range(n - 2, 0, -1):
        v[j, 1:-1] = p[j, 1:-1] * v[j + 1, 1:-1] + q[j, 1:-1]


for _ in range(steps):
    v = np.zeros_like(u)
    sweep(v, u)
    w = np.zeros_like(u)
    sweep(w, v.T)
    u = w.T
print(f"largest {u.max():.8f} mean of squares {np.mean(u**2):.8f}")
