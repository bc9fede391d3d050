"""Lloyd's algorithm, with loops over the points; each thread adds up its own."""

import numba
import numpy as np


@numba.njit(parallel=True, fastmath=True)
def run(points, centroids, steps):
    centroids = np.copy(centroids)
    n, dims = points.shape
    k = len(centroids)
    labels = np.empty(n, np.int64)
    parts = numba.get_num_threads()
    for _ in range(steps):
        sums = np.zeros((parts, k, dims))
        counts = np.zeros((parts, k))
        for part in numba.prange(parts):
            for i in range(part * n // parts, (part + 1) * n // parts):
                best, least = 0, 1e300
                for j in range(k):
                    distance = 0.0
                    for d in range(dims):
                        distance += (points[i, d] - centroids[j, d]) ** 2
                    if distance < least:
                        best, least = j, distance
                labels[i] = best
                counts[part, best] += 1
                for d in range(dims):
                    sums[part, best, d] += points[i, d]
        centroids = sums.sum(axis=0) / counts.sum(axis=0).reshape(k, 1)
    return centroids, labels
