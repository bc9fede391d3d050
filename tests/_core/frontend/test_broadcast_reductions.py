"""Folds over axes of length one and over broadcast elements: NumPy's bits with fewer elements read."""

import itertools

import numpy as np
import pytest

import lazyarr as la

FUNCTIONS = ["max", "min", "any", "all"]
UFUNCS = [np.add, np.multiply, np.maximum, np.minimum, np.logical_and, np.logical_or, np.logical_xor,
          np.bitwise_and, np.bitwise_or, np.bitwise_xor]
DTYPES = "?bhilBHILefdFD"  # of which the sums and products of integers are those of ufuncs
AXES = [0, 1, (0, 1), -1, None, (0, 2)]


def numbers(dtype, count):
    """Return numbers of all kinds, and zeros of both signs."""
    rng = np.random.default_rng(count)
    if dtype == "?":
        return rng.integers(0, 2, count).astype(bool)
    if dtype not in "efdFD":
        return np.frombuffer(rng.bytes(count * np.dtype(dtype).itemsize), dtype)
    return rng.choice(np.array([0.0, -0.0, 1.5, -2.0, np.inf, np.nan], dtype.lower()), 2 * count).view(dtype)[:count]


def sources(dtype):
    """Return arrays with axes of length one or broadcast axes, as functions of the library."""
    x = numbers(dtype, 12)
    yield "one element", lambda xp: xp.asarray(x).reshape(1, 12, 1)
    yield "one of a transposed", lambda xp: xp.asarray(x).reshape(3, 1, 4).T
    yield "every other", lambda xp: xp.asarray(x)[::2].reshape(1, 1, 6)
    yield "broadcast in front", lambda xp: xp.broadcast_to(xp.asarray(x).reshape(3, 4), (5, 3, 4))
    yield "broadcast within", lambda xp: xp.broadcast_to(xp.asarray(x).reshape(3, 1, 4), (3, 5, 4))
    yield "broadcast at the end", lambda xp: xp.broadcast_to(xp.asarray(x).reshape(3, 4, 1), (3, 4, 33))
    yield "one number", lambda xp: xp.broadcast_to(xp.asarray(x)[:1].reshape(()), (300, 2, 7))
    yield "computed", lambda xp: xp.positive(xp.asarray(x)).reshape(1, 12, 1) if dtype != "?" else xp.asarray(
        x[:4]).reshape(1, 4, 1)


def alike(got, want):
    got, want = np.asarray(got), np.asarray(want)
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    assert got.tobytes() == want.tobytes(), (got, want)


def same_order(got, want):
    """Return whether strides agree, except those of axes of length one."""
    return all(a == b or n == 1 for a, b, n in zip(got.strides, want.strides, want.shape, strict=True))


def rounds(ufunc, dtype):
    return ufunc in (np.add, np.multiply) and dtype in "efdFD"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_have_the_bits_of_numpy(name, dtype):
    for (_, source), axis, keepdims in itertools.product(sources(dtype), AXES, (False, True)):
        lazy = getattr(la, name)(source(la), axis=axis, keepdims=keepdims)
        want = getattr(np, name)(source(np), axis=axis, keepdims=keepdims)
        assert lazy.base is None
        assert same_order(lazy, want)
        alike(lazy, want)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda ufunc: ufunc.__name__)
def test_ufuncs_have_the_bits_of_numpy(ufunc, dtype):
    if rounds(ufunc, dtype) or (ufunc.__name__.startswith("bitwise") and dtype in "efdFD"):
        return
    for (_, source), keepdims in itertools.product(sources(dtype), (False, True)):
        alike(ufunc.reduce(source(la), 1, keepdims=keepdims), ufunc.reduce(source(np), 1, keepdims=keepdims))


@pytest.mark.parametrize("dtype", "efd")
def test_signalling_nans_stay_where_nothing_is_compared(dtype):
    bits = np.dtype(f"u{np.dtype(dtype).itemsize}")
    x = (np.array([[np.inf, -np.inf]], dtype).view(bits) | bits.type(1)).view(dtype)
    alike(la.asarray(x).max(0), x.max(0))
    alike(np.broadcast_to(la.asarray(x), (3, 2)).min(0), np.broadcast_to(x, (3, 2)).min(0))


def test_bools_that_are_no_truth_values():
    x = np.array([[0, 1, 2]], np.uint8).view(bool)
    for function in (np.any, np.all, np.max, np.min):
        alike(function(np.broadcast_to(la.asarray(x), (3, 3)), 0), function(np.broadcast_to(x, (3, 3)), 0))


def folds(x):
    """Return the names and extents of the folds that evaluating x takes."""
    nodes = la.explain(x).nodes
    return [(node.name, nodes[node.inputs[0]].shape) for node in nodes if node.name.endswith(".reduce")]


def test_axes_of_one_element_are_not_folded():
    x = la.asarray(np.arange(12).reshape(1, 12))
    assert folds(x.sum(0)) == folds(x.max(0)) == folds(x.prod(0, keepdims=True)) == []
    assert folds((x + 1).max(0, keepdims=True)) == []
    assert len(la.explain((x + 1).max(0, keepdims=True) * 2).steps) == 1
    assert folds((x + 1).max(0)) == [("maximum.reduce", (1, 12))]  # which ends the program, and stores its operand once
    floats = x.astype(float)
    la.evaluate(floats)
    assert folds(floats.max(0)) == []
    assert folds(floats.sum(0)) == [("add.reduce", (1, 12))]  # of a signalling NaN the sum is a quiet one


def test_what_was_broadcast_is_folded_once():
    x = la.asarray(np.arange(12).reshape(3, 4))
    wide = np.broadcast_to(x, (1000, 3, 4))
    assert folds(wide.max(0)) == []
    assert folds(wide.max((0, 1))) == [("maximum.reduce", (1, 3, 4))]
    assert folds(wide.sum((0, 1))) == [("add.reduce", (1, 3, 4))]
    assert folds(np.broadcast_to(x.astype("i4"), (1000, 3, 4)).sum((0, 2))) == [("add.reduce", (1, 3, 4))]
    floats = np.broadcast_to(la.asarray(np.ones((3, 4))), (1000, 3, 4))
    assert folds(floats.sum(0)) == [("add.reduce", (1000, 3, 4))]
    with la.config(fast_math=True):
        total = floats.sum(0)
        assert folds(total) == [("add.reduce", (1, 3, 4))]
        np.testing.assert_array_equal(total, np.full((3, 4), 1000.0))


def test_sums_of_broadcast_integers_overflow_as_numpys():
    x = np.array([2**62, -5, 3], dtype="i8")
    for dtype in ("i8", "u8", "i1", "u2"):
        given = x.astype(dtype)
        want = np.broadcast_to(given[:, None], (3, 300)).sum(1, dtype=dtype)
        got = np.broadcast_to(la.asarray(given)[:, None], (3, 300)).sum(1, dtype=dtype)
        alike(got, want)


def test_a_result_is_an_array_of_its_own():
    x = la.array(np.arange(6).reshape(1, 6))
    total, largest = x.sum(0), np.broadcast_to(x, (3, 6)).max(0)
    x[...] = 0
    total[0] = 7
    assert total.tolist() == [7, 1, 2, 3, 4, 5]
    assert largest.tolist() == [0, 1, 2, 3, 4, 5]
    assert x.tolist() == [[0] * 6]


def test_derivatives():
    x = la.array(np.array([3.0, 1.0, 2.0]))
    gradient = la.grad(lambda x: np.broadcast_to(x, (4, 3)).max(0) @ la.array([1.0, 2.0, 3.0]))(x)
    assert gradient.tolist() == [1, 2, 3]
    assert la.grad(lambda x: x[None].max(0, keepdims=True).sum())(x).tolist() == [1, 1, 1]
