"""Derivatives checked: forward and reverse against differences, and against each other."""

import numpy as np

import lazyarr as la

STEP = 1e-6


def numerical(f, arrays, directions):
    """Return how f changes along the directions."""
    ahead = f(*[x + STEP * d for x, d in zip(arrays, directions, strict=True)])
    behind = f(*[x - STEP * d for x, d in zip(arrays, directions, strict=True)])
    return (np.asarray(ahead) - np.asarray(behind)) / (2 * STEP)


def check(f, arrays, numpy_f=None, tolerance=1e-5, exact=True):
    """Compare vjp and jvp of f with differences of numpy_f, and with each other."""
    rng = np.random.default_rng(0)
    numpy_f = numpy_f or (lambda *arrays: f(*map(la.asarray, arrays)))
    directions = [rng.standard_normal(np.shape(x)) for x in arrays]
    value, moved = la.jvp(f, tuple(map(la.asarray, arrays)), tuple(directions))
    compare = np.testing.assert_array_equal if exact else lambda a, b: np.testing.assert_allclose(a, b, 1e-9, 1e-9)
    compare(np.asarray(value), np.asarray(numpy_f(*arrays)))
    expected = numerical(numpy_f, arrays, directions)
    scale = max(float(np.abs(expected).max(initial=0)), 1.0)
    np.testing.assert_allclose(moved, expected, rtol=tolerance, atol=tolerance * scale)
    weights = rng.standard_normal(value.shape)
    _, pull = la.vjp(f, *map(la.asarray, arrays))
    along = sum(float((np.asarray(g) * d).sum()) for g, d in zip(pull(weights), directions, strict=True))
    np.testing.assert_allclose(along, (weights * np.asarray(moved)).sum(), rtol=1e-8, atol=1e-8 * scale)
