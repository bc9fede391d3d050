"""The Mandelbrot set, with a loop for each point that ends where it escapes."""

import numba
import numpy as np


@numba.njit
def escape(c, most):
    z = 0j
    for i in range(most):
        z = z * z + c
        if z.real**2 + z.imag**2 > 4:
            return i
    return most


@numba.njit(parallel=True)
def run(x, y, most):
    counts = np.empty((len(y), len(x)), np.int64)
    for row in numba.prange(len(y)):
        for column in range(len(x)):
            counts[row, column] = escape(complex(x[column], y[row]), most)
    return counts
