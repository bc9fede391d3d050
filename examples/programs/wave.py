"""Propagate a wave over a square membrane with fixed edges and a slower half, by the leapfrog scheme.

Usage: wave.py [POINTS] [STEPS]
"""

import sys

import numpy as np


def laplacian(u):
    """Sum of the four neighbours less four times the point, for the inner points."""
    return u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]


def main(n=400, steps=800):
    x = np.linspace(0, 1, n)
    X, Y = np.meshgrid(x, x)
    dx = x[1] - x[0]
    speed = np.where(X < 0.5, 1.0, 0.6)
    dt = 0.5 * dx
    courant2 = ((speed * dt / dx) ** 2)[1:-1, 1:-1]

    u = np.exp(-200 * ((X - 0.3) ** 2 + (Y - 0.4) ** 2))
    u[[0, -1], :] = 0
    u[:, [0, -1]] = 0
    previous = u.copy()
    for _ in range(steps):
        following = np.zeros_like(u)
        following[1:-1, 1:-1] = 2 * u[1:-1, 1:-1] - previous[1:-1, 1:-1] + courant2 * laplacian(u)
        previous, u = u, following

    kinetic = 0.5 * np.sum(((u - previous) / dt / speed) ** 2) * dx**2
    print(f"{n} x {n} points, {steps} steps of {dt:.6f}")
    print(f"highest {u.max():.8f}, lowest {u.min():.8f}, norm {np.linalg.norm(u):.6f}")
    print(f"kinetic energy {kinetic:.8f}, in the slower half {np.abs(u[X >= 0.5]).sum() / np.abs(u).sum():.6f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
