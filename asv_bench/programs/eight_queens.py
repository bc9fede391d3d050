"""Puzzles: all solutions of the n queens problem by backtracking with boolean arrays."""

import sys

import numpy as np


def place(row, columns, down, up, solutions, board):
    n = len(columns)
    if row == n:
        solutions.append(board.copy())
        return
    free = ~(columns | down[row : row + n] | up[n - 1 - row : 2 * n - 1 - row])
    for column in np.flatnonzero(free):
        columns[column] = down[row + column] = up[n - 1 - row + column] = True
        board[row] = column
        place(row + 1, columns, down, up, solutions, board)
        columns[column] = down[row + column] = up[n - 1 - row + column] = False


def queens(n):
    solutions = []
    place(0, np.zeros(n, bool), np.zeros(2 * n - 1, bool), np.zeros(2 * n - 1, bool), solutions, np.zeros(n, int))
    return np.array(solutions)


rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 36
sizes = [8] * (rounds - rounds // 4) + [7] * (rounds // 4)
counts = [len(queens(n)) for n in sizes]
first = queens(6)[0]
board = np.zeros((6, 6), dtype=int)
board[np.arange(6), first] = 1
print("solutions", counts[0], "in all", sum(counts))
print(board)
