"""Procedural graphics: octaves of Perlin noise in two dimensions, tile by tile of a landscape."""

import sys

import numpy as np

tiles = int(sys.argv[1]) if len(sys.argv) > 1 else 75


def perlin(x, y, permutation):
    xi, yi = x.astype(int), y.astype(int)
    xf, yf = x - xi, y - yi
    u, v = fade(xf), fade(yf)
    n00 = gradient(permutation[permutation[xi % 256] + yi % 256], xf, yf)
    n01 = gradient(permutation[permutation[xi % 256] + (yi + 1) % 256], xf, yf - 1)
    n11 = gradient(permutation[permutation[(xi + 1) % 256] + (yi + 1) % 256], xf - 1, yf - 1)
    n10 = gradient(permutation[permutation[(xi + 1) % 256] + yi % 256], xf - 1, yf)
    x1 = lerp(n00, n10, u)
    x2 = lerp(n01, n11, u)
    return lerp(x1, x2, v)


def lerp(a, b, x):
    return a + x * (b - a)


def fade(t):
    return 6 * t**5 - 15 * t**4 + 10 * t**3


def gradient(h, x, y):
    vectors = np.array([[0, 1], [0, -1], [1, 0], [-1, 0]])
    g = vectors[h % 4]
    return g[:, :, 0] * x + g[:, :, 1] * y


np.random.seed(2)
permutation = np.random.permutation(256)
permutation = np.concatenate([permutation, permutation])
highest = []
for tile in range(tiles):
    noise = np.zeros((48, 48))
    for octave in range(5):
        frequency = 2.0**octave
        line = np.linspace(0, 3, 48, endpoint=False) * frequency
        x, y = np.meshgrid(line + 3 * tile * frequency, line)
        noise += perlin(x, y, permutation) / frequency
    highest.append(noise.max())
print(f"highest {np.max(highest):.6f}, mean of peaks {np.mean(highest):.6f}, last tile {noise.std():.6f}")
