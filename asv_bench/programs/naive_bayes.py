"""Machine learning from scratch: a Gaussian naive Bayes classifier, class by class and sample by sample."""

import sys

import numpy as np


class NaiveBayes:
    def fit(self, X, y):
        self.classes = np.unique(y)
        self.mean = np.zeros((len(self.classes), X.shape[1]))
        self.var = np.zeros((len(self.classes), X.shape[1]))
        self.priors = np.zeros(len(self.classes))
        for idx, c in enumerate(self.classes):
            X_c = X[y == c]
            self.mean[idx, :] = X_c.mean(axis=0)
            self.var[idx, :] = X_c.var(axis=0)
            self.priors[idx] = X_c.shape[0] / X.shape[0]

    def predict(self, X):
        return np.array([self._predict(x) for x in X])

    def _predict(self, x):
        posteriors = []
        for idx, _ in enumerate(self.classes):
            prior = np.log(self.priors[idx])
            posteriors.append(prior + np.sum(np.log(self._pdf(idx, x))))
        return self.classes[np.argmax(posteriors)]

    def _pdf(self, idx, x):
        mean, var = self.mean[idx], self.var[idx]
        return np.exp(-((x - mean) ** 2) / (2 * var)) / np.sqrt(2 * np.pi * var)


samples = int(sys.argv[1]) if len(sys.argv) > 1 else 8000
rng = np.random.default_rng(71)
y = rng.integers(0, 3, size=samples + 30)
y[:6] = [0, 0, 1, 1, 2, 2]
X = rng.normal(size=(samples + 30, 10)) + 0.6 * y[:, None]
split = len(X) // 5 + 6
model = NaiveBayes()
model.fit(X[:split], y[:split])
predictions = model.predict(X[split:])
print(f"accuracy {np.mean(predictions == y[split:]):.5f}, classes {np.bincount(predictions).tolist()}")
