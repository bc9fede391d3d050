"""Numerical linear algebra: conjugate gradients on a dense system of 500 unknowns, for several right-hand sides."""

import sys

import numpy as np


def conjugate_gradient(A, b, tolerance=1e-9):
    x = np.zeros_like(b)
    r = b - A @ x
    p = r.copy()
    rs_old = np.dot(r, r)
    for iteration in range(len(b)):
        Ap = A @ p
        alpha = rs_old / np.dot(p, Ap)
        x += alpha * p
        r -= alpha * Ap
        rs_new = np.dot(r, r)
        if np.sqrt(rs_new) < tolerance:
            break
        p = r + (rs_new / rs_old) * p
        rs_old = rs_new
    return x, iteration


systems = int(sys.argv[1]) if len(sys.argv) > 1 else 100
n = 500
rng = np.random.default_rng(47)
m = rng.normal(size=(n, n))
A = m @ m.T / n + np.eye(n)
total = 0.0
for _ in range(systems):
    b = rng.normal(size=n)
    x, iterations = conjugate_gradient(A, b)
    total += x @ b
print(f"sum of energies {total:.5f}")
