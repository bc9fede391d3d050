"""Learn scikit-learn's handwritten digits by softmax regression with gradient descent and momentum.

Usage: softmax_regression.py [STEPS]
"""

import sys

import numpy as np
from sklearn.datasets import load_digits

RATE = 0.5
MOMENTUM = 0.9
DECAY = 1e-4
TRAINING = 1400


def softmax(scores):
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def train(X, y, steps):
    """Weights, biases and the loss at each step."""
    n, features = X.shape
    classes = y.max() + 1
    Y = np.eye(classes)[y]
    W = np.zeros((features, classes))
    b = np.zeros(classes)
    dW = np.zeros_like(W)
    db = np.zeros_like(b)
    losses = []
    for _ in range(steps):
        P = softmax(X @ W + b)
        losses.append(-np.mean(np.log(P[np.arange(n), y])) + DECAY / 2 * np.sum(W**2))
        error = (P - Y) / n
        dW = MOMENTUM * dW - RATE * (X.T @ error + DECAY * W)
        db = MOMENTUM * db - RATE * error.sum(axis=0)
        W += dW
        b += db
    return W, b, losses


def accuracy(X, y, W, b):
    return np.mean(np.argmax(X @ W + b, axis=1) == y)


def main(steps=3000):
    digits = load_digits()
    X = np.array(digits.data) / 16
    y = np.array(digits.target)
    X, X_test = X[:TRAINING], X[TRAINING:]
    y, y_test = y[:TRAINING], y[TRAINING:]
    W, b, losses = train(X, y, steps)
    print(f"{len(X)} images, {steps} steps")
    print(f"loss at first {losses[0]:.6f}, half-way {losses[steps // 2]:.6f}, at last {losses[-1]:.6f}")
    print(f"norm of the weights {np.linalg.norm(W):.6f}, biases {np.round(b, 5)}")
    print(f"accuracy in training {accuracy(X, y, W, b):.6f}, in the test {accuracy(X_test, y_test, W, b):.6f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
