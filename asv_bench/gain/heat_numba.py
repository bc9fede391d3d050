"""The heat equation, with loops from one of two arrays into the other."""

import numba
import numpy as np


@numba.njit(parallel=True)
def run(plate, steps):
    u = np.copy(plate)
    new = np.copy(plate)
    for _ in range(steps):
        for i in numba.prange(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                new[i, j] = u[i, j] + 0.2 * (u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4 * u[i, j])
        u, new = new, u
    return u
