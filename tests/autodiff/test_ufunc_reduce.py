"""Derivatives of ufunc folds, against those of the sequence of operations."""
import functools

import numpy as np
import pytest

import lazyarr as la

UFUNCS = ["subtract", "divide", "power", "arctan2", "float_power", "hypot", "logaddexp2", "multiply", "maximum"]
X = np.random.default_rng(0).uniform(0.3, 1.5, (4, 3))


def one_by_one(ufunc, x):
    """Return the fold along the first axis."""
    return functools.reduce(ufunc, [x[i] for i in range(x.shape[0])])


@pytest.mark.parametrize("name", UFUNCS)
@pytest.mark.parametrize("twice", [False, True])
def test_against_one_operation_after_another(name, twice):
    """NumPy 2.4 gives folds by power and arctan2 wrong on some machines: so only derivatives are compared."""
    ufunc = getattr(np, name)
    weights = np.arange(1.0, 4.0)

    def derivative(fold):
        first = la.grad(lambda x: (fold(x) * weights).sum())
        return la.grad(lambda x: (first(x) ** 2).sum())(la.asarray(X)) if twice else first(la.asarray(X))

    expected = derivative(lambda x: one_by_one(ufunc, x))
    folds = [lambda x: ufunc.reduce(x, 0), lambda x: ufunc.reduce(x.T, 1), lambda x: ufunc.accumulate(x, 0)[-1],
             lambda x: ufunc.reduceat(x, [1, 0], 0)[1]]
    if twice and ufunc is np.maximum:
        folds = folds[:1]
    for fold in folds:
        np.testing.assert_allclose(derivative(fold), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", UFUNCS)
def test_on_a_batch(name):
    fold = la.grad(lambda x: getattr(np, name).reduceat(x, [0, 2, 1], 0).sum() + getattr(np, name).accumulate(x).sum())
    expected = np.stack([np.asarray(fold(la.asarray(x))) for x in (X, 2 * X)])
    np.testing.assert_allclose(la.vmap(fold)(la.asarray(np.stack([X, 2 * X]))), expected, rtol=1e-12)


def test_products_over_slices_with_zeros():
    x = la.array([2.0, 0.0, 3.0, 0.0, 0.0, 5.0])
    np.testing.assert_array_equal(la.grad(lambda x: np.multiply.reduceat(x, [0, 3, 5]).sum())(x), [0, 6, 0, 0, 0, 1])


def test_slices_of_all_lengths():
    rng = np.random.default_rng(1)
    x, starts = rng.uniform(0.5, 1.5, 200), np.sort(rng.choice(200, 23, replace=False))
    found = la.grad(lambda x: np.multiply.reduceat(x, starts).sum())(la.asarray(x))
    made = np.multiply.reduceat(x, starts)
    owner = np.searchsorted(starts, np.arange(200), "right") - 1
    np.testing.assert_allclose(found, np.where(owner < 0, 0, made[owner] / x), rtol=1e-12)


@pytest.mark.parametrize("name", ["add", "multiply", "subtract", "maximum", "arctan2"])
def test_slices_in_the_body_of_a_loop(name):
    """Where the graph of the body knows no values, those of indices included."""
    def body(x):
        return la.sin(x) + getattr(np, name).reduceat(x, [1, 3, 0, 2])

    looped = la.grad(lambda x: (la.fori_loop(0, 2, lambda i, x: body(x), x) ** 2).sum())
    expected = la.grad(lambda x: (body(body(x)) ** 2).sum())
    for x in (X[:, 0], X):
        np.testing.assert_allclose(looped(la.asarray(x)), expected(la.asarray(x)), rtol=1e-9)
