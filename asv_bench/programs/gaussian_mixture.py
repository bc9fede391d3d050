"""Statistics: a mixture of Gaussians in the plane by expectation maximisation, with inverses of 2 x 2 matrices."""

import sys

import numpy as np

rng = np.random.default_rng(4)
points = np.vstack(
    [
        rng.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], 120),
        rng.multivariate_normal([4, 4], [[1.5, -0.7], [-0.7, 1]], 150),
        rng.multivariate_normal([-3, 4], [[0.5, 0], [0, 2]], 80),
    ]
)


def density(x, mean, cov):
    diff = x - mean
    inv = np.linalg.pinv(cov)
    norm = 1 / (2 * np.pi * np.sqrt(np.linalg.det(cov)))
    return norm * np.exp(-0.5 * np.sum((diff @ inv) * diff, axis=1))


iterations = int(sys.argv[1]) if len(sys.argv) > 1 else 1300
k = 3
means = points[[0, 130, 300]]
covs = np.array([np.eye(2)] * k)
weights = np.ones(k) / k
for _ in range(iterations):
    resp = np.array([w * density(points, m, c) for w, m, c in zip(weights, means, covs, strict=True)]).T
    total = resp.sum(axis=1, keepdims=True)
    loglik = np.log(total).sum()
    resp = resp / total
    nk = resp.sum(axis=0)
    weights = nk / len(points)
    means = (resp.T @ points) / nk[:, None]
    for j in range(k):
        diff = points - means[j]
        covs[j] = (resp[:, j, None] * diff).T @ diff / nk[j]
print(f"log-likelihood {loglik:.4f}")
print("weights", np.round(weights, 4))
print("means", np.round(means, 3).tolist())
