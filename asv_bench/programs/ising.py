"""Statistical physics: the Ising model on a 40 x 40 lattice, single spin flips after Metropolis."""

import sys

import numpy as np


def energy_change(spins, i, j):
    n = len(spins)
    total = spins[(i + 1) % n, j] + spins[i - 1, j] + spins[i, (j + 1) % n] + spins[i, j - 1]
    return 2 * spins[i, j] * total


def sweep(spins, beta, rng):
    n = len(spins)
    sites = rng.integers(0, n, size=(n * n, 2))
    chances = rng.random(n * n)
    for (i, j), chance in zip(sites, chances, strict=True):
        change = energy_change(spins, i, j)
        if change <= 0 or chance < np.exp(-beta * change):
            spins[i, j] *= -1


if __name__ == "__main__":
    sweeps = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    rng = np.random.default_rng(21)
    spins = rng.choice([-1, 1], size=(40, 40))
    magnetisation = []
    for _ in range(sweeps):
        sweep(spins, 0.5, rng)
        magnetisation.append(abs(spins.mean()))
    print(f"magnetisation {magnetisation[-1]:.5f}, mean {np.mean(magnetisation):.5f}")
