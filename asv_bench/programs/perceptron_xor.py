"""Machine learning tutorial: a perceptron of three layers learns the parity of three bits by back-propagation."""

import sys

import numpy as np


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


epochs = int(sys.argv[1]) if len(sys.argv) > 1 else 18000

X = np.array([[0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 1], [0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0]])
y = np.array([[1, 0, 0, 1, 0, 1, 1, 0]]).T

np.random.seed(1)
syn0 = 2 * np.random.random((3, 8)) - 1
syn1 = 2 * np.random.random((8, 1)) - 1

for _ in range(epochs):
    l0 = X
    l1 = sigmoid(np.dot(l0, syn0))
    l2 = sigmoid(np.dot(l1, syn1))
    l2_error = y - l2
    l2_delta = l2_error * (l2 * (1 - l2))
    l1_error = l2_delta.dot(syn1.T)
    l1_delta = l1_error * (l1 * (1 - l1))
    syn1 += l1.T.dot(l2_delta)
    syn0 += l0.T.dot(l1_delta)

print(f"error {np.mean(np.abs(l2_error)):.5f}")
print(np.round(l2.ravel(), 2))
