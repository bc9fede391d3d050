"""Checks of derivatives: forward and reverse mode against finite differences and each other, once and twice.

Complex numbers count as pairs of real ones, as in JAX: a cotangent g and a tangent t are paired by the real part of the
sum of g * t.
"""

import re
import warnings

import numpy as np

import lazyarr as la
from support.numpy_comparison import operands, run

STEP = 1e-6
FLOATS = ("v", "m", "t", "sq", "F", "ones", "zero_d", "c", "nan", "empty")


def pairing(g, t):
    """Return the real part of the sum of products, for arrays or lists of arrays."""
    if isinstance(g, list | tuple):
        return sum(pairing(a, b) for a, b in zip(g, t, strict=True))
    return float(np.real(np.sum(np.asarray(g) * np.asarray(t))))


def random_like(arrays, seed):
    """Return random arrays with the shapes and layouts of arrays, complex where they are."""
    rng, made = np.random.default_rng(seed), []
    for x in arrays:
        like = np.empty_like(x)
        like[...] = rng.standard_normal(np.shape(x))
        if like.dtype.kind == "c":
            like += 1j * rng.standard_normal(np.shape(x))
        made.append(like)
    return made


def moved(arrays, directions, step):
    """Return arrays moved by a step along directions."""
    return [np.asarray(x + step * d, order="K") for x, d in zip(arrays, directions, strict=True)]


def numerical(f, arrays, directions):
    """Return the numerical derivative of f along directions, for each result."""
    ahead, behind = f(*moved(arrays, directions, STEP)), f(*moved(arrays, directions, -STEP))
    if isinstance(ahead, list):
        return [(np.asarray(a) - np.asarray(b)) / (2 * STEP) for a, b in zip(ahead, behind, strict=True)]
    return (np.asarray(ahead) - np.asarray(behind)) / (2 * STEP)


def check(f, arrays, numpy_f=None, tolerance=1e-5, exact=True):
    """Compare vjp and jvp of f with finite differences of numpy_f, and with each other."""
    numpy_f = numpy_f or (lambda *arrays: f(*map(la.asarray, arrays)))
    directions = random_like(arrays, 0)
    value, along = la.jvp(f, tuple(map(la.asarray, arrays)), tuple(directions))
    compare = np.testing.assert_array_equal if exact else lambda a, b: np.testing.assert_allclose(a, b, 1e-9, 1e-9)
    compare(np.asarray(value), np.asarray(numpy_f(*arrays)))
    expected = numerical(numpy_f, arrays, directions)
    scale = max(float(np.abs(expected).max(initial=0)), 1.0)
    np.testing.assert_allclose(along, expected, rtol=tolerance, atol=tolerance * scale)
    weights, = random_like([np.asarray(value)], 1)
    _, pull = la.vjp(f, *map(la.asarray, arrays))
    np.testing.assert_allclose(pairing(pull(weights), directions), pairing(weights, along), rtol=1e-8,
                               atol=1e-8 * scale)


def _real_results(result):
    """Return the floating-point and complex arrays and scalars in a nested result."""
    if isinstance(result, list | tuple):
        return [x for part in result for x in _real_results(part)]
    if isinstance(result, dict):
        return _real_results(list(result.values()))
    return [result] if isinstance(result, np.ndarray | np.inexact | la.LazyArray) and result.dtype.kind in "fc" else []


class Line:
    """A line of Python (see :mod:`.numpy_comparison`) as a function of its floating-point arrays."""

    def __init__(self, line):
        self.line = line.removeprefix("@")
        self.names = [name for name in FLOATS if re.search(rf"\b{name}\b", self.line)]
        self.arrays = [operands()[name] for name in self.names]

    def with_numpy(self, *arrays):
        """Return the results as a list, or raise."""
        return self._results(np, operands(), arrays)

    def with_lazyarr(self, *arrays):
        """Return the same lazily."""
        found = self._results(la, {name: la.array(x) for name, x in operands().items()}, arrays)
        assert all(isinstance(x, la.LazyArray) for x in found), f"{self.line} gives a constant"
        return found

    def _results(self, namespace, variables, arrays):
        result = run(self.line, namespace, {**variables, **dict(zip(self.names, arrays, strict=True))})
        if isinstance(result, Exception):
            raise result
        return _real_results(result)

    def outcome(self, twice=True):
        """Return "right", "refused: ...", "none" if there is no derivative to check, or what is wrong."""
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                value = self.with_numpy(*self.arrays)
            except Exception:
                return "none"
            if not value or not self.names or any(x.dtype.itemsize < 8 for x in value):
                return "none"
            try:
                return self._compared(value, twice)
            except la.NotDifferentiable as error:
                return f"refused: {error}"

    def _compared(self, value, twice):
        directions, weights = random_like(self.arrays, 2), random_like(value, 3)
        expected = numerical(self.with_numpy, self.arrays, directions)
        if not all(np.isfinite(x).all() for x in expected):
            return "none"
        lazies = list(map(la.array, self.arrays))
        found, pull = la.vjp(self.with_lazyarr, *lazies)
        if not _near(found, value, 1e-7):
            return f"gives {found}, expected {value}"
        reverse = pairing(pull(weights), directions)
        if not _near(reverse, pairing(weights, expected), 1e-4):
            return f"reverse gives {reverse}, expected {pairing(weights, expected)}"
        forward = la.jvp(self.with_lazyarr, tuple(lazies), tuple(directions))[1]
        if not _near(pairing(weights, forward), reverse, 1e-8) or not _near(forward, expected, 1e-4):
            return f"forward gives {forward}, expected {expected}"
        return self._compared_twice(weights, directions) if twice else "right"

    def _compared_twice(self, weights, directions):
        """Compare the second derivative with finite differences of the first."""
        def first(*arrays):
            gradients = la.vjp(self.with_lazyarr, *arrays)[1](weights)
            return sum((g * d).real.sum() for g, d in zip(gradients, directions, strict=True))

        turned, lazies = random_like(self.arrays, 4), list(map(la.array, self.arrays))
        expected = float(numerical(lambda *arrays: float(first(*map(la.array, arrays))), self.arrays, turned))
        gradients = la.grad(first, tuple(range(len(lazies))))(*lazies)
        found = pairing(gradients, turned)
        return "right" if _near(found, expected, 1e-3) else f"twice gives {found}, expected {expected}"


def _near(found, expected, tolerance):
    if isinstance(found, list):
        return all(_near(a, b, tolerance) for a, b in zip(found, expected, strict=True))
    found, expected = np.asarray(found), np.asarray(expected)
    scale = max(1.0, float(np.abs(np.nan_to_num(expected)).max(initial=0)))
    known = np.isfinite(expected)
    return found.shape == expected.shape and np.allclose(found[known], expected[known], tolerance, tolerance * scale)
