"""Norms of vectors along any axes, and of all elements."""

import itertools

import numpy as np
import pytest

import lazyarr as la


def close(got, expected):
    got = got.numpy()
    assert got.dtype == expected.dtype
    assert got.shape == expected.shape
    np.testing.assert_allclose(got, expected, rtol=8 * np.finfo(got.dtype).eps)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "F", "D", "i4", "?", "g"])
@pytest.mark.parametrize("keepdims", [False, True])
def test_vector_norm(dtype, keepdims):
    x = np.random.default_rng(0).normal(0, 2, (3, 4, 5)).astype(dtype)
    for y in (x, x.T[::-1], x[:, :1]):
        for n in range(4):
            for axes in (*itertools.permutations(range(3), n), None, -1):
                for order in (2, 1, 0, np.inf, -np.inf, 3):
                    if axes == () and abs(order) == np.inf:
                        continue  # NumPy folds an axis of its own making
                    close(la.linalg.vector_norm(la.asarray(y), axis=axes, keepdims=keepdims, ord=order),
                          np.linalg.vector_norm(y, axis=axes, keepdims=keepdims, ord=order))


@pytest.mark.parametrize("dtype", ["f4", "f8", "D", "i4"])
def test_norm(dtype):
    x = np.random.default_rng(0).normal(0, 2, (3, 40, 50)).astype(dtype)
    for y in (x, x[0], x[0].T, x[0, 0], x[0, ::-2, 0], x[:0], x[0, :0]):
        for order in (None, "fro", 2, 1):
            for keepdims in (False, True):
                try:
                    expected = np.linalg.norm(y, order, keepdims=keepdims)
                except ValueError:
                    with pytest.raises(ValueError, match=r"norm|dimensions|reduction|axis"):
                        la.linalg.norm(la.asarray(y), order, keepdims=keepdims).numpy()
                else:
                    got = la.linalg.norm(la.asarray(y), order, keepdims=keepdims).numpy()
                    np.testing.assert_allclose(got, expected, rtol=1e-5)
                    assert got.dtype == expected.dtype


@pytest.mark.parametrize("dtype", ["F", "D", "f4"])
def test_norm_along_axes(dtype):
    rng = np.random.default_rng(0)
    x = (rng.normal(0, 2, (3, 4, 5)) + (1j * rng.normal(0, 2, (3, 4, 5)) if dtype in "FD" else 0)).astype(dtype)
    for y, keepdims in itertools.product((x, x.T, x[::-1, :, 2]), (False, True)):
        for axes in (0, -1, (1,), (0, 1), (-1, 0), (0, 0), (0, -y.ndim), 7, (0, 7), (0, 1, 2), True, "a"):
            for order in (None, 2, "fro", "f", 1, "nuc", "x", np.inf):
                try:
                    expected = np.linalg.norm(y, order, axes, keepdims)
                except (ValueError, TypeError) as error:
                    with pytest.raises(type(error)):
                        la.linalg.norm(la.asarray(y), order, axes, keepdims)
                else:
                    close(la.linalg.norm(la.asarray(y), order, axes, keepdims), expected)


def test_the_square_of_infinity_is_no_nan():
    with np.errstate(all="raise"):
        assert la.linalg.norm(la.asarray([complex(np.inf, 0), 1j])).numpy() == np.inf


def test_one_pass():
    x = la.asarray(np.random.default_rng(0).random((20, 30, 40)))
    la.evaluate(x)
    for axes in (None, (0, 2), (2, 0), 1):
        with la.profile() as profile:
            la.linalg.vector_norm(x * 2 + 1, axis=axes).numpy()
        assert "opaque" not in str(profile)
    with la.profile() as profile:
        la.linalg.norm(x * 2 + 1).numpy()
    assert "opaque" not in str(profile)


def test_wrong_axes():
    x = la.ones((2, 3))
    for axes in (2, (0, 0), (0, 5)):
        with pytest.raises(ValueError):  # noqa: PT011  NumPy's words
            la.linalg.vector_norm(x, axis=axes)
