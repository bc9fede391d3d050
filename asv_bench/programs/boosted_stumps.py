"""Machine learning from scratch: AdaBoost of decision stumps, each found by trying all thresholds."""

import sys

import numpy as np


class Stump:
    def __init__(self):
        self.polarity, self.feature, self.threshold, self.alpha = 1, 0, 0.0, 0.0

    def predict(self, X):
        column = X[:, self.feature]
        predictions = np.ones(X.shape[0])
        if self.polarity == 1:
            predictions[column < self.threshold] = -1
        else:
            predictions[column > self.threshold] = -1
        return predictions


def fit(X, y, rounds):
    n, features = X.shape
    w = np.full(n, 1 / n)
    stumps = []
    for _ in range(rounds):
        stump, min_error = Stump(), float("inf")
        for feature in range(features):
            column = X[:, feature]
            for threshold in np.unique(column)[::4]:
                predictions = np.ones(n)
                predictions[column < threshold] = -1
                error = np.sum(w[y != predictions])
                polarity = 1
                if error > 0.5:
                    error, polarity = 1 - error, -1
                if error < min_error - 1e-9:
                    min_error = error
                    stump.polarity, stump.feature, stump.threshold = polarity, feature, threshold
        stump.alpha = 0.5 * np.log((1 - min_error + 1e-10) / (min_error + 1e-10))
        w *= np.exp(-stump.alpha * y * stump.predict(X))
        w /= np.sum(w)
        stumps.append(stump)
    return stumps


rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 70
rng = np.random.default_rng(73)
X = rng.normal(size=(300, 5))
y = np.where(X[:, 0] + X[:, 1] * X[:, 2] > 0.1, 1, -1)
stumps = fit(X, y, rounds)
score = np.sum([s.alpha * s.predict(X) for s in stumps], axis=0)
print(f"accuracy {np.mean(np.sign(score) == y):.4f}, first threshold {stumps[0].threshold:.5f}, {len(stumps)} stumps")
