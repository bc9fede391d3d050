"""Robotics: attitude from a gyroscope with quaternions, products and rotations of vectors one at a time."""

import sys

import numpy as np


def multiply(q, p):
    w1, x1, y1, z1 = q
    w2, x2, y2, z2 = p
    return np.array(
        [
            w1 * w2 - x1 * x2 - y1 * y2 - z1 * z2,
            w1 * x2 + x1 * w2 + y1 * z2 - z1 * y2,
            w1 * y2 - x1 * z2 + y1 * w2 + z1 * x2,
            w1 * z2 + x1 * y2 - y1 * x2 + z1 * w2,
        ]
    )


def conjugate(q):
    return q * np.array([1, -1, -1, -1])


def rotate(q, v):
    return multiply(multiply(q, np.append(0.0, v)), conjugate(q))[1:]


def from_rotation(omega, dt):
    angle = np.linalg.norm(omega) * dt
    axis = omega / np.linalg.norm(omega)
    return np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * axis])


steps = int(sys.argv[1]) if len(sys.argv) > 1 else 10000
dt = 0.01
q = np.array([1.0, 0.0, 0.0, 0.0])
gravity = np.array([0.0, 0.0, -9.81])
drift = np.zeros(3)
for k in range(steps):
    omega = np.array([0.3 * np.sin(0.01 * k), 0.2, 0.1 * np.cos(0.02 * k)])
    q = multiply(q, from_rotation(omega, dt))
    q /= np.linalg.norm(q)
    drift += rotate(conjugate(q), gravity) * dt
print("attitude", np.round(q, 6), "velocity", np.round(drift, 5))
