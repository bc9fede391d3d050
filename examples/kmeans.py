"""Cluster scikit-learn's handwritten digits with Lloyd's k-means, and see how well the clusters match the labels.

The 1797 images of 8 x 8 pixels are clustered RESTARTS times from random initial centres; the clustering with the
least inertia (the sum of squared distances to the nearest centre) is kept.

A good lazy program, because the distances are written as one would on paper, by broadcasting images against centres:
NumPy fills an array of images x centres x pixels several times over, whereas fused the reduction reads the two small
inputs and writes only the distances. What is printed does not depend on the order of the clusters.

Usage: kmeans.py [CLUSTERS] [RESTARTS]
"""

import argparse

import numpy as np
from sklearn.datasets import load_digits

SEED = 20
MAX_ITERATIONS = 300


def squared_distances(points, centres):
    """Squared Euclidean distances of points (n, d) to centres (k, d): (n, k)."""
    return ((points[:, np.newaxis, :] - centres) ** 2).sum(axis=2)


def mean_of_clusters(points, labels, centres):
    """Mean of the points of each cluster; a cluster without points keeps its centre."""
    members = labels[:, np.newaxis] == np.arange(len(centres))
    counts = members.sum(axis=0)[:, np.newaxis]
    sums = members.T.astype(points.dtype) @ points
    return np.where(counts > 0, sums / np.maximum(counts, 1), centres)


def lloyd(points, centres):
    """Alternate between assigning points and moving centres until no assignment changes.

    Returns the label of each point, the inertia and the number of iterations.
    """
    labels = np.full(len(points), -1)
    for iteration in range(1, MAX_ITERATIONS + 1):
        distances = squared_distances(points, centres)
        nearest = distances.argmin(axis=1)
        if np.array_equal(nearest, labels):
            return labels, distances.min(axis=1).sum(), iteration
        labels = nearest
        centres = mean_of_clusters(points, labels, centres)
    raise RuntimeError(f"no convergence in {MAX_ITERATIONS} iterations")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("clusters", nargs="?", type=int, default=10, help="number of clusters")
    parser.add_argument("restarts", nargs="?", type=int, default=20, help="number of random initialisations")
    args = parser.parse_args()
    if args.clusters < 1 or args.restarts < 1:
        parser.error("CLUSTERS and RESTARTS must be at least 1")

    digits = load_digits()
    points, target = np.asarray(digits.data), np.asarray(digits.target)
    print(f"{points.shape[0]} images of {points.shape[1]} pixels, sum {points.sum():.0f}")

    rng = np.random.default_rng(SEED)
    best_inertia = np.inf
    for restart in range(args.restarts):
        centres = points[rng.choice(len(points), size=args.clusters, replace=False)]
        labels, inertia, iterations = lloyd(points, centres)
        print(f"restart {restart:>3}: {iterations:>3} iterations, inertia {inertia:.4f}")
        if inertia < best_inertia:
            best_labels, best_inertia = labels, inertia

    # How often each digit fell into each cluster.
    contingency = np.bincount(best_labels * 10 + target, minlength=args.clusters * 10).reshape(args.clusters, 10)
    purity = contingency.max(axis=1).sum() / len(points)
    print(f"best inertia {best_inertia:.4f}, {best_inertia / len(points):.8f} per image")
    print(f"cluster sizes {np.sort(contingency.sum(axis=1))}")
    print(f"purity {purity:.6f}, contingency checksum {(contingency**2).sum()}")


if __name__ == "__main__":
    main()
