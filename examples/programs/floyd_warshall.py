"""Lengths of the shortest paths between all pairs of nodes of a random road network, by Floyd and Warshall.

Usage: floyd_warshall.py [NODES]
"""

import sys

import numpy as np


def road_network(n):
    """Lengths of the direct roads between points in the plane; infinite where there is none."""
    rng = np.random.default_rng(4)
    points = rng.random((n, 2))
    difference = points[:, np.newaxis, :] - points[np.newaxis, :, :]
    length = np.sqrt((difference**2).sum(axis=2))
    return np.where(length < 2 / np.sqrt(n), length, np.inf)


def shortest_paths(length):
    distance = length.copy()
    np.fill_diagonal(distance, 0)
    for k in range(len(distance)):
        distance = np.minimum(distance, distance[:, k, np.newaxis] + distance[np.newaxis, k, :])
    return distance


def main(n=800):
    length = road_network(n)
    distance = shortest_paths(length)
    reached = np.isfinite(distance)
    print(f"{n} nodes, {np.isfinite(length).sum() // 2 - n // 2} roads")
    print(f"{reached.sum()} pairs are connected, the farthest by {distance[reached].max():.8f}")
    print(f"mean distance {distance[reached].mean():.8f}, symmetric: {np.allclose(distance, distance.T)}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
