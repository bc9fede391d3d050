"""Speech recognition: dynamic time warping distances between short signals, cell by cell of a cost array."""

import sys

import numpy as np


def dtw(s, t):
    n, m = len(s), len(t)
    cost = np.full((n + 1, m + 1), np.inf)
    cost[0, 0] = 0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            d = abs(s[i - 1] - t[j - 1])
            cost[i, j] = d + min(cost[i - 1, j], cost[i, j - 1], cost[i - 1, j - 1])
    return cost[n, m]


words = int(sys.argv[1]) if len(sys.argv) > 1 else 16
rng = np.random.default_rng(17)
time = np.linspace(0, 2 * np.pi, 60)
signals = [np.sin(time * rng.uniform(0.8, 2.0) + rng.uniform(0, 1)) + 0.1 * rng.normal(size=60) for _ in range(words)]
distances = np.zeros((words, words))
for a in range(words):
    for b in range(a):
        distances[a, b] = distances[b, a] = dtw(signals[a], signals[b])
print(f"mean distance {distances.mean():.6f}, largest {distances.max():.6f}")
print("medoid:", np.argmin(distances.sum(axis=1)))
