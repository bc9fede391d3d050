"""Pattern recognition: a k-nearest-neighbour classifier that is asked about one sample at a time."""

import sys
from collections import Counter

import numpy as np


class KNN:
    def __init__(self, k=5):
        self.k = k

    def fit(self, X, y):
        self.X_train, self.y_train = X, y

    def predict(self, X):
        return np.array([self._predict(x) for x in X])

    def _predict(self, x):
        distances = np.sqrt(np.sum((self.X_train - x) ** 2, axis=1))
        nearest = np.argsort(distances)[: self.k]
        labels = [self.y_train[i] for i in nearest]
        return Counter(labels).most_common(1)[0][0]


queries = int(sys.argv[1]) if len(sys.argv) > 1 else 6000
rng = np.random.default_rng(8)
X = rng.normal(size=(500, 4))
y = (X[:, 0] + X[:, 1] ** 2 > X[:, 2]).astype(int) + (X[:, 3] > 1)
model = KNN(k=5)
model.fit(X, y)
test = rng.normal(size=(queries, 4))
truth = (test[:, 0] + test[:, 1] ** 2 > test[:, 2]).astype(int) + (test[:, 3] > 1)
predicted = model.predict(test)
print(f"accuracy {np.mean(predicted == truth):.4f}")
print("predicted classes", np.bincount(predicted).tolist())
