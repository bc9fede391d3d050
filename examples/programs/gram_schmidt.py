"""Orthonormalise the columns of a matrix by the modified Gram-Schmidt process: A = Q R.

Usage: gram_schmidt.py [ROWS] [COLUMNS]
"""

import sys

import numpy as np


def gram_schmidt(A):
    """Q with orthonormal columns and upper triangular R with Q R = A."""
    Q = A.copy()
    n = Q.shape[1]
    R = np.zeros((n, n))
    for k in range(n):
        R[k, k] = np.linalg.norm(Q[:, k])
        Q[:, k] /= R[k, k]
        R[k, k + 1 :] = Q[:, k] @ Q[:, k + 1 :]
        Q[:, k + 1 :] -= np.outer(Q[:, k], R[k, k + 1 :])
    return Q, R


def main(m=1200, n=600):
    A = np.random.default_rng(9).standard_normal((m, n))
    Q, R = gram_schmidt(A)
    print(f"{m} x {n} matrix, norm {np.linalg.norm(A):.6f}")
    print(f"trace of R {np.trace(R):.6f}, log of its determinant {np.log(np.diag(R)).sum():.6f}")
    print(f"last of Q {Q[-1, -1]:.8f}, sum of abs(Q) {np.abs(Q).sum():.5f}")
    print(f"orthonormal: {np.allclose(Q.T @ Q, np.eye(n))}, product is A: {np.allclose(Q @ R, A)}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
