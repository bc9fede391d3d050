"""Cluster random points in the plane by k-means, each centre moved to the mean of the points nearest to it.

Usage: kmeans.py [POINTS] [CLUSTERS] [ITERATIONS]
"""

import sys

import numpy as np


def make_blobs(n, k, rng):
    """Some n points around k places."""
    places = rng.uniform(-10, 10, (k, 2))
    return places[rng.integers(k, size=n)] + rng.standard_normal((n, 2))


def kmeans(points, k, iterations, rng):
    centres = points[rng.choice(len(points), k, replace=False)]
    for _ in range(iterations):
        distances = np.linalg.norm(points[:, np.newaxis] - centres, axis=2)
        labels = np.argmin(distances, axis=1)
        for j in range(k):
            if np.any(labels == j):
                centres[j] = points[labels == j].mean(axis=0)
    return centres, labels


def main(n=50_000, k=10, iterations=50):
    rng = np.random.default_rng(12)
    points = make_blobs(n, k, rng)
    centres, labels = kmeans(points, k, iterations, rng)
    inertia = ((points - centres[labels]) ** 2).sum()
    print(f"{n} points, {k} clusters, inertia {inertia:.4f}")
    print(f"sizes {np.bincount(labels, minlength=k)}")
    for x, y in centres[np.argsort(centres[:, 0])]:
        print(f"centre {x:10.6f} {y:10.6f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
