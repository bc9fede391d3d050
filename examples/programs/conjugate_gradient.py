"""Solve Poisson's equation on the unit square by conjugate gradients, without a matrix.

Usage: conjugate_gradient.py [POINTS] [ITERATIONS]
"""

import sys

import numpy as np

TOLERANCE = 1e-8


def negative_laplacian(u):
    """Five-point stencil of the inner points, with zeros around them, times the squared spacing."""
    result = 4 * u
    result[1:] -= u[:-1]
    result[:-1] -= u[1:]
    result[:, 1:] -= u[:, :-1]
    result[:, :-1] -= u[:, 1:]
    return result


def conjugate_gradient(apply, b, iterations):
    """Approximate the x with apply(x) = b, starting from 0; also the norms of the residuals on the way."""
    x = np.zeros_like(b)
    r = b - apply(x)
    p = r.copy()
    rr = np.sum(r * r)
    norms = [np.sqrt(rr)]
    for _ in range(iterations):
        Ap = apply(p)
        alpha = rr / np.sum(p * Ap)
        x += alpha * p
        r -= alpha * Ap
        rr, before = np.sum(r * r), rr
        norms.append(np.sqrt(rr))
        if norms[-1] < TOLERANCE * norms[0]:
            break
        p = r + rr / before * p
    return x, norms


def main(n=350, iterations=2000):
    h = 1 / (n + 1)
    t = np.arange(1, n + 1) * h
    x, y = np.meshgrid(t, t)
    f = 10 * np.exp(-30 * ((x - 0.4) ** 2 + (y - 0.6) ** 2)) - x * y
    u, norms = conjugate_gradient(negative_laplacian, h**2 * f, iterations)
    print(f"{n} x {n} points, converged: {norms[-1] < TOLERANCE * norms[0]}")
    print(f"residual at first {norms[0]:.6e}, after 10 iterations {norms[min(10, len(norms) - 1)]:.6e}")
    print(f"u: highest {u.max():.7f}, lowest {u.min():.7f}, norm {np.linalg.norm(u):.5f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
