"""Puzzles: sudoku by backtracking, the cell with the fewest candidates first."""

import sys

import numpy as np

PUZZLES = [
    "530070000600195000098000060800060003400803001700020006060000280000419005000080079",
    "000260701680070090190004500820100040004602900050003028009300074040050036703018000",
    "100489006730000040000001295007120600500703008006095700914600000020000037800512004",
    "020608000580009700000040000370000500600000004008000013000020000009800036000306090",
]


def candidates(grid, i, j):
    used = np.zeros(10, dtype=bool)
    used[grid[i, :]] = True
    used[grid[:, j]] = True
    a, b = 3 * (i // 3), 3 * (j // 3)
    used[grid[a : a + 3, b : b + 3].ravel()] = True
    return np.flatnonzero(~used)


def solve(grid):
    empty = np.argwhere(grid == 0)
    if len(empty) == 0:
        return True
    options = [candidates(grid, i, j) for i, j in empty]
    fewest = int(np.argmin([len(option) for option in options]))
    i, j = empty[fewest]
    for value in options[fewest]:
        grid[i, j] = value
        if solve(grid):
            return True
    grid[i, j] = 0
    return False


puzzles = int(sys.argv[1]) if len(sys.argv) > 1 else 4
for puzzle in PUZZLES[:puzzles]:
    grid = np.array([int(c) for c in puzzle]).reshape(9, 9)
    assert solve(grid)
    assert np.all(grid.sum(axis=0) == 45)
    assert np.all(grid.sum(axis=1) == 45)
    print(grid[0])
