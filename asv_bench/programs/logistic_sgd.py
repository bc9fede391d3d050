"""Machine learning: logistic regression by stochastic gradient descent, one sample a step."""

import sys

import numpy as np


def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))


def train(X, y, epochs, lr, rng):
    w = np.zeros(X.shape[1])
    b = 0.0
    for epoch in range(epochs):
        for i in rng.permutation(len(X)):
            p = sigmoid(np.dot(X[i], w) + b)
            error = p - y[i]
            w -= lr * (error * X[i] + 0.001 * w)
            b -= lr * error
        lr *= 0.95
    return w, b


if __name__ == "__main__":
    epochs = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    rng = np.random.default_rng(31)
    X = rng.normal(size=(1000, 12))
    true_w = rng.normal(size=12)
    y = (rng.random(1000) < sigmoid(X @ true_w)).astype(float)
    w, b = train(X, y, epochs, 0.05, rng)
    p = sigmoid(X @ w + b)
    loss = -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))
    print(f"loss {loss:.6f}, accuracy {np.mean((p > 0.5) == y):.4f}, |w| {np.linalg.norm(w):.5f}")
