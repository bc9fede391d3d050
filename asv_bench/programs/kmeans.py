"""Clustering: Lloyd's algorithm on 400 points in the plane, started again and again."""

import sys

import numpy as np


def kmeans(X, k, rng, max_iter=50):
    centroids = X[rng.choice(len(X), k, replace=False)]
    for _ in range(max_iter):
        distances = np.sqrt(((X[:, np.newaxis, :] - centroids) ** 2).sum(axis=2))
        labels = np.argmin(distances, axis=1)
        new = np.array([X[labels == j].mean(axis=0) if np.any(labels == j) else centroids[j] for j in range(k)])
        if np.allclose(new, centroids):
            break
        centroids = new
    inertia = np.sum((X - centroids[labels]) ** 2)
    return centroids, labels, inertia


if __name__ == "__main__":
    starts = int(sys.argv[1]) if len(sys.argv) > 1 else 180
    rng = np.random.default_rng(0)
    centers = rng.uniform(-10, 10, size=(5, 2))
    X = np.concatenate([c + rng.normal(size=(80, 2)) for c in centers])
    results = [kmeans(X, 5, rng) for _ in range(starts)]
    best = min(results, key=lambda result: result[2])
    print(f"best inertia {best[2]:.5f}, sizes {np.sort(np.bincount(best[1])).tolist()}")
    print(f"mean inertia {np.mean([inertia for _, _, inertia in results]):.4f}")
