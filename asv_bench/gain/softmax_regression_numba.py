"""Softmax regression, with a loop over the rows between the products."""

import numba
import numpy as np


@numba.njit(parallel=True)
def errors(scores, targets):
    for i in numba.prange(len(scores)):
        largest = scores[i].max()
        total = 0.0
        for j in range(scores.shape[1]):
            scores[i, j] = np.exp(scores[i, j] - largest)
            total += scores[i, j]
        for j in range(scores.shape[1]):
            scores[i, j] = scores[i, j] / total - targets[i, j]


@numba.njit
def run(samples, targets, weights, steps):
    weights = np.copy(weights)
    for _ in range(steps):
        scores = samples @ weights
        errors(scores, targets)
        weights -= 0.5 * (samples.T @ scores) / len(samples)
    return weights
