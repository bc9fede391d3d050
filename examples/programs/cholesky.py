"""Factorise a symmetric positive definite matrix column by column: A = L L^T.

The matrix is the covariance of a Gaussian process; a sample of the process and its likelihood come from the factor.

Usage: cholesky.py [ORDER]
"""

import sys

import numpy as np


def covariance(n):
    """Squared exponential kernel of points on a line, with noise."""
    x = np.linspace(0, 10, n)
    return np.exp(-0.5 * (x[:, np.newaxis] - x) ** 2) + 0.1 * np.eye(n)


def cholesky(A):
    n = len(A)
    L = np.zeros_like(A)
    for j in range(n):
        L[j, j] = np.sqrt(A[j, j] - L[j, :j] @ L[j, :j])
        L[j + 1 :, j] = (A[j + 1 :, j] - L[j + 1 :, :j] @ L[j, :j]) / L[j, j]
    return L


def main(n=2000):
    A = covariance(n)
    L = cholesky(A)
    sample = L @ np.cos(np.arange(n))
    print(f"order {n}, log of the determinant {2 * np.log(np.diag(L)).sum():.6f}")
    print(f"norm of L {np.linalg.norm(L):.6f}, sum of abs(L) {np.abs(L).sum():.5f}, corner {L[-1, 0]:.6e}")
    print(f"norm of a sample {np.linalg.norm(sample):.6f}, product is A: {np.allclose(L @ L.T, A)}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
