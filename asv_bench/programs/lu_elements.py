"""Numerical analysis, first course: LU decomposition with partial pivoting by elements, and two substitutions."""

import sys

import numpy as np


def solve(a, b):
    a, b = a.copy(), b.copy()
    n = len(b)
    for k in range(n - 1):
        pivot = k + np.argmax(np.abs(a[k:, k]))
        if pivot != k:
            a[[k, pivot]] = a[[pivot, k]]
            b[k], b[pivot] = b[pivot], b[k]
        for i in range(k + 1, n):
            if a[i, k] != 0.0:
                factor = a[i, k] / a[k, k]
                a[i, k + 1 :] -= factor * a[k, k + 1 :]
                b[i] -= factor * b[k]
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (b[i] - np.dot(a[i, i + 1 :], x[i + 1 :])) / a[i, i]
    return x


if __name__ == "__main__":
    systems = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    rng = np.random.default_rng(2)
    total = 0.0
    for _ in range(systems):
        a = rng.normal(size=(90, 90)) + 10 * np.eye(90)
        b = rng.normal(size=90)
        x = solve(a, b)
        assert np.allclose(a @ x, b)
        total += np.sum(x)
    print(f"sum of solutions {total:.7f}")
