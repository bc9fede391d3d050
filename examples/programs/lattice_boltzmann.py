"""Flow around a cylinder by the lattice Boltzmann method: nine velocities, collisions by Bhatnagar, Gross and Krook.

Usage: lattice_boltzmann.py [WIDTH] [HEIGHT] [STEPS]
"""

import sys

import numpy as np

DIRECTIONS = ((0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1))
OPPOSITE = (0, 3, 4, 1, 2, 7, 8, 5, 6)
WEIGHTS = (4 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 36, 1 / 36, 1 / 36, 1 / 36)
SPEED = 0.08
RELAXATION = 0.6


def equilibrium(density, ux, uy):
    """Populations of the nine velocities at rest with the flow."""
    square = 1.5 * (ux**2 + uy**2)
    populations = []
    for weight, (cx, cy) in zip(WEIGHTS, DIRECTIONS, strict=True):
        along = 3 * (cx * ux + cy * uy)
        populations.append(weight * density * (1 + along + 0.5 * along**2 - square))
    return np.stack(populations)


def moments(f):
    """Density and velocity."""
    density = f.sum(axis=0)
    ux = (f[1] + f[5] + f[8] - f[3] - f[6] - f[7]) / density
    uy = (f[2] + f[5] + f[6] - f[4] - f[7] - f[8]) / density
    return density, ux, uy


def flow(f, inside, steps):
    """Advance the populations: stream, reflect from the cylinder, collide, drive at the left edge."""
    for _ in range(steps):
        f = np.stack([np.roll(f[k], (cx, cy), axis=(0, 1)) for k, (cx, cy) in enumerate(DIRECTIONS)])
        reflected = np.stack([f[k] for k in OPPOSITE])
        density, ux, uy = moments(f)
        ux[0] = SPEED
        uy[0] = 0
        f = np.where(inside, reflected, f + (equilibrium(density, ux, uy) - f) / RELAXATION)
    return f


def main(width=400, height=120, steps=200):
    x, y = np.arange(width)[:, np.newaxis], np.arange(height)
    inside = (x - width // 4) ** 2 + (y - height // 2) ** 2 < (height / 9) ** 2
    ripple = 1 + 0.01 * np.sin(2 * np.pi * y / height)
    f = flow(equilibrium(np.ones((width, height)), SPEED * ripple * np.ones((width, 1)), 0.0), inside, steps)
    density, ux, uy = moments(f)
    print(f"{width} x {height} points, {steps} steps")
    print(f"mass {density.sum():.6f}, density from {density.min():.6f} to {density.max():.6f}")
    print(f"mean velocity {np.where(inside, 0, ux).mean():.8f}, fastest {np.sqrt(ux**2 + uy**2).max():.8f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
