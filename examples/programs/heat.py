"""Diffuse heat over a square plate with cold edges: forward in time, centred in space.

Usage: heat.py [POINTS] [STEPS]
"""

import sys

import numpy as np

DIFFUSIVITY = 0.05


def initial_temperature(n):
    """Zero, with a hot square off the centre, on the unit square."""
    u = np.zeros((n, n))
    u[n // 4 : n // 2, n // 3 : 2 * n // 3] = 100.0
    return u


def diffuse(u, steps):
    """Advance the temperature by some time steps, in place."""
    dx = 1 / (len(u) - 1)
    dt = 0.2 * dx**2 / DIFFUSIVITY
    for _ in range(steps):
        un = u.copy()
        u[1:-1, 1:-1] = (
            un[1:-1, 1:-1]
            + DIFFUSIVITY * dt / dx**2 * (un[2:, 1:-1] - 2 * un[1:-1, 1:-1] + un[:-2, 1:-1])
            + DIFFUSIVITY * dt / dx**2 * (un[1:-1, 2:] - 2 * un[1:-1, 1:-1] + un[1:-1, :-2])
        )
        u[0, :] = 0
        u[-1, :] = 0
        u[:, 0] = 0
        u[:, -1] = 0


def main(n=400, steps=800):
    u = initial_temperature(n)
    heat = u.sum()
    diffuse(u, steps)
    row, column = np.unravel_index(np.argmax(u), u.shape)
    print(f"{n} x {n} points, {steps} steps")
    print(f"heat left {u.sum() / heat:.8f}, hottest {u.max():.8f} at {row}, {column}")
    print(f"centre {u[n // 2, n // 2]:.8f}, norm {np.linalg.norm(u):.6f}, warm points {np.count_nonzero(u > 1)}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
