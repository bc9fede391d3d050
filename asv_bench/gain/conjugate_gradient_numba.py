"""Conjugate gradients, the same source compiled."""

import numba
import numpy as np


@numba.njit(parallel=True)
def run(matrix, right, steps):
    x = np.zeros_like(right)
    r = right - matrix @ x
    p = r.copy()
    old = r @ r
    for _ in range(steps):
        product = matrix @ p
        alpha = old / (p @ product)
        x += alpha * p
        r -= alpha * product
        new = r @ r
        p = r + new / old * p
        old = new
    return x
