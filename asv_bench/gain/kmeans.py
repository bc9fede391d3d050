"""Clustering by Lloyd's algorithm."""

import numpy as np


def run(points, centroids, steps):
    centroids = np.array(centroids)
    for _ in range(steps):
        distances = ((points[:, np.newaxis, :] - centroids) ** 2).sum(axis=2)
        labels = np.argmin(distances, axis=1)
        for j in range(len(centroids)):
            centroids[j] = points[labels == j].mean(axis=0)
    return centroids, labels
