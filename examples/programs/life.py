"""Conway's Game of Life on a board with dead edges.

Usage: life.py [SIZE] [GENERATIONS]
"""

import sys

import numpy as np


def iterate(Z):
    """One generation, in place."""
    N = (
        Z[0:-2, 0:-2] + Z[0:-2, 1:-1] + Z[0:-2, 2:]
        + Z[1:-1, 0:-2] + Z[1:-1, 2:]
        + Z[2:, 0:-2] + Z[2:, 1:-1] + Z[2:, 2:]
    )  # fmt: skip
    birth = (N == 3) & (Z[1:-1, 1:-1] == 0)
    survive = ((N == 2) | (N == 3)) & (Z[1:-1, 1:-1] == 1)
    Z[...] = 0
    Z[1:-1, 1:-1][birth | survive] = 1


def main(size=512, generations=400):
    Z = np.zeros((size, size), dtype=int)
    Z[1:-1, 1:-1] = np.random.default_rng(6).integers(0, 2, (size - 2, size - 2))
    print(f"{size} x {size} cells, {Z.sum()} alive")
    for _ in range(generations):
        iterate(Z)
    rows, columns = np.nonzero(Z)
    print(f"after {generations} generations {Z.sum()} alive, sum of rows {rows.sum()}, of columns {columns.sum()}")
    print(f"alive in each eighth of the rows {[int(part.sum()) for part in np.array_split(Z, 8)]}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
