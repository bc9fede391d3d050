"""Linear algebra: QR decomposition by the modified Gram-Schmidt process, column by column."""

import sys

import numpy as np


def qr(a):
    rows, columns = a.shape
    q = a.copy()
    r = np.zeros((columns, columns))
    for j in range(columns):
        r[j, j] = np.linalg.norm(q[:, j])
        q[:, j] /= r[j, j]
        for k in range(j + 1, columns):
            r[j, k] = q[:, j] @ q[:, k]
            q[:, k] -= r[j, k] * q[:, j]
    return q, r


if __name__ == "__main__":
    matrices = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    rng = np.random.default_rng(7)
    worst = trace = 0.0
    for _ in range(matrices):
        a = rng.normal(size=(300, 100))
        q, r = qr(a)
        worst = max(worst, np.abs(q @ r - a).max(), np.abs(q.T @ q - np.eye(100)).max())
        trace += np.trace(r)
    print(f"sum of diagonals {trace:.6f}; exact to 1e-11: {worst < 1e-11}")
