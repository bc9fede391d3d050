"""Fractals: the Mandelbrot set with complex arrays and a mask of the points that have not escaped yet."""

import sys

import numpy as np


def mandelbrot(width, height, max_iter):
    x = np.linspace(-2.2, 0.8, width)
    y = np.linspace(-1.2, 1.2, height)
    c = x[np.newaxis, :] + 1j * y[:, np.newaxis]
    z = np.zeros_like(c)
    counts = np.zeros(c.shape, dtype=int)
    alive = np.ones(c.shape, dtype=bool)
    for i in range(max_iter):
        z[alive] = z[alive] ** 2 + c[alive]
        escaped = np.abs(z) > 2
        counts[escaped & alive] = i
        alive &= ~escaped
    counts[alive] = max_iter
    return counts


max_iter = int(sys.argv[1]) if len(sys.argv) > 1 else 600
counts = mandelbrot(300, 200, max_iter)
print("inside:", np.sum(counts == max_iter), "of", counts.size)
print("quick to escape:", np.bincount(counts.ravel())[:8])
