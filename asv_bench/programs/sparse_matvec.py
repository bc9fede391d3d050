"""Finite elements: products of a sparse matrix in CSR form, ten entries a row, with a vector, row by row."""

import sys

import numpy as np

products = int(sys.argv[1]) if len(sys.argv) > 1 else 90
n, per_row = 2000, 10

rng = np.random.default_rng(1)
data = rng.normal(size=n * per_row)
indices = rng.integers(0, n, size=n * per_row)
indptr = np.arange(0, n * per_row + 1, per_row)


def matvec(x):
    y = np.zeros(n)
    for i in range(n):
        start, end = indptr[i], indptr[i + 1]
        y[i] = np.dot(data[start:end], x[indices[start:end]])
    return y


x = np.ones(n)
for _ in range(products):
    x = matvec(x)
    x /= np.sqrt(np.sum(x * x))
print(f"largest entry {np.abs(x).max():.6f} at {np.abs(x).argmax()}")
