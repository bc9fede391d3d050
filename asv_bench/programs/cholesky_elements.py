"""Numerical analysis, first course: Cholesky factorisation written element by element."""

import math
import sys

import numpy as np


def cholesky(a):
    n = len(a)
    L = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j] - np.dot(L[i, :j], L[j, :j])
            if i == j:
                L[i, j] = math.sqrt(s)
            else:
                L[i, j] = s / L[j, j]
    return L


matrices = int(sys.argv[1]) if len(sys.argv) > 1 else 9
rng = np.random.default_rng(11)
logdet = worst = 0.0
for _ in range(matrices):
    m = rng.normal(size=(150, 150))
    a = m @ m.T + 150 * np.eye(150)
    L = cholesky(a)
    logdet += 2 * np.sum(np.log(np.diag(L)))
    worst = max(worst, np.max(np.abs(L @ L.T - a)))
print(f"sum of log-determinants {logdet:.6f}; exact to 1e-9: {worst < 1e-9}")
