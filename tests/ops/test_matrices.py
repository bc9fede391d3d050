"""Symmetric, Hermitian and triangular matrices, against plain comparisons."""

import numpy as np
import pytest
import scipy.linalg

import lazyarr as la
from lazyarr._core import api as core
from lazyarr.ops import matrices
from support.feature_switches import machine

DTYPES = "?bBhHiIlLefdgFDG"


@pytest.mark.parametrize("dtype", DTYPES)
def test_one_element_decides(dtype):
    rng = np.random.default_rng(0)
    for n in (1, 2, 31, 33, 70):
        x = rng.integers(0, 2, (n, n)).astype(dtype)
        if x.dtype.kind == "c":
            x = x + 1j * rng.integers(0, 2, (n, n)).astype(dtype)
        symmetric, hermitian = np.tril(x) + np.tril(x, -1).T, np.tril(x, -1) + np.tril(x, -1).T.conj()
        for matrix in (symmetric, hermitian, np.tril(x), np.triu(x), np.zeros_like(x)):
            for i, j in [(None, None), (0, n - 1), (n - 1, 0), (n // 2, n // 3), (n // 3, n // 2)]:
                y = matrix.copy()
                if i is not None:
                    y[i, j] = 1 - y[i, j] if dtype != "?" else ~y[i, j]
                for view in (y, y.T, y[::-1, ::-1]):
                    lazy = la.asarray(view)
                    assert bool(la.is_symmetric(lazy)) == (view == view.T).all()
                    assert bool(la.is_hermitian(lazy)) == (view == view.T.conj()).all()
                    assert bool(la.is_triangular(lazy)) == (np.triu(view) == view).all()
                    assert bool(la.is_triangular(lazy, lower=True)) == (np.tril(view) == view).all()


def test_stacks_and_shapes():
    x = np.random.default_rng(0).integers(0, 2, (50, 3, 2, 2))
    with la.no_evaluation():
        found = la.is_symmetric(la.asarray(x) * 2)
    np.testing.assert_array_equal(found.numpy(), x[..., 0, 1] == x[..., 1, 0])
    np.testing.assert_array_equal(la.is_triangular(x[:, 1]).numpy(), x[:, 1, 1, 0] == 0)
    assert la.is_symmetric(np.zeros((0, 0)))
    assert la.is_triangular(np.zeros((0, 3)))
    assert not la.is_symmetric(np.zeros((2, 3)))
    assert la.is_symmetric(np.zeros((4, 2, 3))).numpy().tolist() == [False] * 4
    assert la.is_symmetric(np.zeros((0, 2, 2))).shape == (0,)
    for m, n in [(70, 3), (3, 70)]:
        x = np.ones((m, n))
        assert la.is_triangular(np.triu(x))
        assert la.is_triangular(np.tril(x), lower=True)
        assert not la.is_triangular(x)
        assert not la.is_triangular(x, lower=True)


def test_half_precision_in_either_byte_order():
    x = np.array([[1, 2], [2, 3]], ">f2")
    for a in (x, x.astype("<f2")):
        assert la.is_symmetric(a)
        assert not la.is_triangular(a)
        assert matrices._matrices("is_symmetric", a).dtype == np.float32


def test_nan_and_signed_zeros():
    assert not la.is_symmetric(np.diag([1, np.nan]))
    assert not la.is_triangular(np.array([[1, 2], [np.nan, 1]]))
    assert la.is_symmetric(np.array([[1, 0.0], [-0.0, 1]]))
    assert la.is_triangular(np.array([[1, 2], [-0.0, 1]]))
    assert la.is_hermitian(np.array([[1, 2j], [-2j, 1]]))
    assert not la.is_hermitian(np.array([[1j]]))


@pytest.mark.parametrize("tolerance", [{"rtol": 1e-3}, {"atol": 1e-3}, {"rtol": 1e-4, "atol": 1e-4}])
def test_tolerances(tolerance):
    rng = np.random.default_rng(0)
    for scale in (1e-5, 1e-4, 1e-3, 1e-2):
        for _ in range(10):
            x = rng.random((5, 5)) + 1j * rng.random((5, 5))
            y = x + x.T + scale * rng.random((5, 5))
            z = x + x.T.conj() + scale * rng.random((5, 5))
            for kind in ("real", "complex"):
                symmetric, hermitian = (y, z) if kind == "complex" else (y.real, z.real)
                assert bool(la.is_symmetric(symmetric, **tolerance)) == scipy.linalg.issymmetric(symmetric, **tolerance)
                assert bool(la.is_hermitian(hermitian, **tolerance)) == scipy.linalg.ishermitian(hermitian, **tolerance)
    assert la.is_symmetric(np.array([[1, np.inf], [np.inf, 1]]), **tolerance)
    assert not la.is_symmetric(np.array([[1, np.inf], [1, 1]]), **tolerance)
    assert la.is_symmetric(np.array([[0, 2], [2, 0]], "u1"), **tolerance)
    assert not la.is_symmetric(np.array([[0, 2], [1, 0]], "u1"), **tolerance)


def test_any_number_of_threads():
    x = np.random.default_rng(0).random((200, 200))
    x += x.T
    for change in (0, 1):
        x[150, 20] += change
        for threads in (1, 2, 5, 16):
            out = np.empty((), bool)
            with machine(threads, 2):
                core.kernels.matrix_predicates.fill(out, x, 0)
            assert out == (change == 0)


def test_wrong_arguments():
    with pytest.raises(ValueError, match="two axes"):
        la.is_symmetric(np.ones(3))
    with pytest.raises(ValueError, match="negative"):
        la.is_hermitian(np.ones((2, 2)), rtol=-1)
    for tolerance in ("a", None, [0.1], 1j):
        with pytest.raises(TypeError, match="is_symmetric: rtol and atol must be real numbers"):
            la.is_symmetric(np.ones((2, 2)), atol=tolerance)
    with pytest.raises(TypeError, match="array of numbers"):
        la.is_triangular(np.array([["a"]]))
