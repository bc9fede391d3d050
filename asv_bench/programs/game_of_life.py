"""Cellular automata: Conway's game of life on a torus of 64 x 64 cells."""

import sys

import numpy as np


def step(board):
    neighbours = sum(np.roll(np.roll(board, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i != 0 or j != 0))
    return (neighbours == 3) | (board & (neighbours == 2))


generations = int(sys.argv[1]) if len(sys.argv) > 1 else 1500
rng = np.random.default_rng(9)
board = rng.random((64, 64)) < 0.3
population = []
for _ in range(generations):
    board = step(board)
    population.append(int(board.sum()))
print("alive at the end:", population[-1], "most:", max(population), "sum:", sum(population))
