"""Factorise a matrix by Gaussian elimination with partial pivoting, P A = L U, and solve a linear system with it.

Usage: lu.py [ORDER]
"""

import sys

import numpy as np


def lu(A):
    """L (below the diagonal) and U in one matrix, and the order of the rows."""
    A = A.copy()
    n = len(A)
    rows = np.arange(n)
    for k in range(n - 1):
        pivot = k + np.argmax(np.abs(A[k:, k]))
        if pivot != k:
            A[[k, pivot]] = A[[pivot, k]]
            rows[[k, pivot]] = rows[[pivot, k]]
        A[k + 1 :, k] /= A[k, k]
        A[k + 1 :, k + 1 :] -= np.outer(A[k + 1 :, k], A[k, k + 1 :])
    return A, rows


def solve(LU, rows, b):
    """The x with A x = b, by forward and back substitution."""
    x = b[rows]
    n = len(x)
    for i in range(n):
        x[i] -= LU[i, :i] @ x[:i]
    for i in range(n - 1, -1, -1):
        x[i] = (x[i] - LU[i, i + 1 :] @ x[i + 1 :]) / LU[i, i]
    return x


def main(n=1200):
    rng = np.random.default_rng(3)
    A = rng.standard_normal((n, n))
    x = np.sin(np.arange(n))
    LU, rows = lu(A)
    diagonal = np.diag(LU)
    print(f"order {n}, rows moved {np.count_nonzero(rows != np.arange(n))}, first {rows[:8]}")
    print(f"log of abs(det) {np.log(np.abs(diagonal)).sum():.6f}, negative pivots {np.count_nonzero(diagonal < 0)}")
    print(f"largest multiplier {np.abs(np.tril(LU, -1)).max():.6f}, norm of U {np.linalg.norm(np.triu(LU)):.5f}")
    print(f"solution is right: {np.allclose(solve(LU, rows, A @ x), x)}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
