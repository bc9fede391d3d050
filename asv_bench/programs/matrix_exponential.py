"""Population dynamics: matrix exponentials by scaling, Taylor's series and squaring."""

import sys

import numpy as np


def expm(A, terms=18):
    norm = np.max(np.sum(np.abs(A), axis=1))
    squarings = max(0, int(np.ceil(np.log2(norm))) + 1)
    A = A / 2.0**squarings
    result = np.eye(len(A))
    term = np.eye(len(A))
    for k in range(1, terms + 1):
        term = term @ A / k
        result = result + term
    for _ in range(squarings):
        result = result @ result
    return result


times = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
rng = np.random.default_rng(41)
rates = rng.random((6, 6))
np.fill_diagonal(rates, 0)
generator = rates - np.diag(rates.sum(axis=1))
start = np.array([1.0, 0, 0, 0, 0, 0])
occupied = np.zeros(6)
for t in np.linspace(0.01, 3, times):
    occupied += start @ expm(generator * t) / times
print("mean occupation", np.round(occupied, 6))
print(f"determinant {np.linalg.det(expm(generator)):.8f}, exp(trace) {np.exp(np.trace(generator)):.8f}")
