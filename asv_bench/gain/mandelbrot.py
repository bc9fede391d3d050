"""The Mandelbrot set, with a mask of the points that have not escaped yet."""

import numpy as np


def run(x, y, most):
    c = x[np.newaxis, :] + 1j * y[:, np.newaxis]
    z = np.zeros_like(c)
    counts = np.zeros(c.shape, dtype=int)
    alive = np.ones(c.shape, dtype=bool)
    for i in range(most):
        z[alive] = z[alive] ** 2 + c[alive]
        escaped = np.abs(z) > 2
        counts[escaped & alive] = i
        alive &= ~escaped
    counts[alive] = most
    return counts
