"""logsumexp against SciPy's and against exact sums."""

import math

import numpy as np
import pytest
import scipy.special

import lazyarr as la

INF = np.inf


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "F", "D", "i4", "?", ">f8"])
@pytest.mark.parametrize("keepdims", [False, True])
def test_as_scipy(dtype, keepdims):
    rng = np.random.default_rng(0)
    x = rng.normal(0, 3, (4, 33, 5))
    x = (x + 1j * rng.normal(0, 1, x.shape) if dtype in "FD" else x).astype(dtype)
    for axis in (None, 0, -1, (0, 2), (0, 1, 2), ()):
        got = la.logsumexp(la.asarray(x), axis, keepdims).numpy()
        wide = x.astype("D" if x.dtype.kind == "c" else "f8")
        expected = np.log(np.exp(wide).sum(axis, keepdims=keepdims))
        assert got.shape == np.shape(expected)
        assert got.dtype == (x.dtype.newbyteorder("=") if x.dtype.kind in "fc" else np.float64)
        np.testing.assert_allclose(got, expected, rtol=8 * np.finfo(got.dtype).eps, atol=8 * np.finfo(got.dtype).eps)


@pytest.mark.parametrize("x", [
    [INF, 1], [-INF, 1], [-INF, -INF], [INF, -INF], [INF, INF], [np.nan, 1], [np.nan, INF], [np.nan, -INF],
    [1e308, 1e308], [-1e308, -1e308], [1000.0, 1000.0], [-1000.0, -1000.0], [0.0], [-INF], [INF]])
def test_what_is_not_finite_or_large(x):
    with np.errstate(all="raise"):
        got = la.logsumexp(la.array(x)).numpy()
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(got, scipy.special.logsumexp(x), rtol=1e-15)


def test_slices_that_differ_in_kind():
    x = np.array([[INF, 0], [-INF, -INF], [np.nan, 2], [700.0, 710.0]])
    expected = [INF, -INF, np.nan, 710 + math.log1p(math.exp(-10))]
    np.testing.assert_allclose(la.logsumexp(x, 1).numpy(), expected, rtol=1e-15)


def test_no_elements():
    assert la.logsumexp(la.zeros(0)).numpy() == -INF
    np.testing.assert_array_equal(la.logsumexp(la.zeros((2, 0)), 1).numpy(), [-INF, -INF])
    assert la.logsumexp(la.zeros((2, 0)), 0, keepdims=True).shape == (1, 0)


def test_error_of_many_terms():
    x = np.random.default_rng(0).normal(0, 5, 100_000).astype("f4")
    exact = math.log(math.fsum(map(math.exp, x.astype(float))))
    assert abs(float(la.logsumexp(x)) - exact) < 4 * np.finfo("f4").eps * abs(exact)


def test_two_steps_with_what_computes_the_operand():
    x = la.asarray(np.random.default_rng(0).random((50, 60)))
    with la.no_evaluation():
        y = la.logsumexp(x * 2 + 1, axis=0)
    np.testing.assert_allclose(y.numpy(), scipy.special.logsumexp(x.numpy() * 2 + 1, axis=0), rtol=1e-14)


def test_wrong_arguments():
    with pytest.raises(TypeError, match="logsumexp: x must be an array of numbers"):
        la.logsumexp(np.array(["a"]))
    with pytest.raises(np.exceptions.AxisError):
        la.logsumexp(np.ones(3), axis=1)
