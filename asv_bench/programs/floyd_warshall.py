"""Graph theory: all shortest paths after Floyd and Warshall, one intermediate vertex at a time."""

import sys

import numpy as np


def floyd_warshall(weights):
    dist = weights.copy()
    n = dist.shape[0]
    for k in range(n):
        dist = np.minimum(dist, dist[:, k][:, None] + dist[k, :][None, :])
    return dist


graphs = int(sys.argv[1]) if len(sys.argv) > 1 else 100
n = 120
rng = np.random.default_rng(23)
diameters = []
for _ in range(graphs):
    weights = np.where(rng.random((n, n)) < 0.05, rng.uniform(1, 10, (n, n)), np.inf)
    np.fill_diagonal(weights, 0)
    dist = floyd_warshall(weights)
    diameters.append(dist[np.isfinite(dist)].max())
print(f"mean diameter {np.mean(diameters):.6f}, mean path {dist[np.isfinite(dist)].mean():.6f}")
