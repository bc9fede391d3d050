"""`numpy.polynomial`: same results as NumPy, lazily."""

import pickle

import numpy as np
import pytest

import lazyarr as la
import lazyarr.numpy as lnp
from support.lazy_helpers import assert_same, pending

SERIES = {"polynomial": "poly", "chebyshev": "cheb", "legendre": "leg", "laguerre": "lag", "hermite": "herm",
          "hermite_e": "herme"}


@pytest.mark.parametrize("tensor", [True, False])
@pytest.mark.parametrize("shape", [(3,), (2, 3)])
@pytest.mark.parametrize("series", SERIES)
def test_values(series, shape, tensor):
    x, coefficients = np.linspace(-1, 1, 3), np.arange(1.0, 1 + np.prod(shape)).reshape(shape)
    want = getattr(getattr(np.polynomial, series), f"{SERIES[series]}val")(x, coefficients, tensor)
    evaluate = getattr(getattr(la.polynomial, series), f"{SERIES[series]}val")
    lx = pending(x)
    with la.no_evaluation():
        got = evaluate(lx, coefficients, tensor)
    assert_same(got, want)
    assert_same(evaluate(lx, la.asarray(coefficients), tensor), want)


def test_values_from_roots():
    x = np.arange(4.0).reshape(2, 2)
    assert_same(la.polynomial.polynomial.polyvalfromroots(pending(x), [-1, 0, 1]),
                np.polynomial.polynomial.polyvalfromroots(x, [-1, 0, 1]))


@pytest.mark.parametrize("series", SERIES)
@pytest.mark.parametrize("function", [
    "add", "sub", "mul", "div", "pow", "fromroots", "companion", "val2d", "grid2d", "fit",
])
def test_steps_that_several_series_share_have_derivatives(series, function):
    x, y = np.array([1.5, 0.5, -2.0]), np.array([0.25, 1.0, 0.75])
    others = {"add": [y], "sub": [y], "mul": [y], "div": [y[:2]], "pow": [2], "fit": [y, 1], "fromroots": [],
              "companion": [], "val2d": [y, np.outer(x, y)], "grid2d": [y, np.outer(x, y)]}[function]

    def weighted(namespace, x):
        made = getattr(getattr(namespace.polynomial, series), SERIES[series] + function)(x, *others)
        return sum((part * np.cos(np.arange(part.size)).reshape(part.shape)).sum()
                   for part in (made if isinstance(made, tuple) else [made]))

    assert_same(weighted(la, la.asarray(x)), weighted(np, x))
    expected = [(weighted(np, x + step) - weighted(np, x - step)) / 2e-6 for step in 1e-6 * np.eye(3)]
    gradient = la.grad(lambda x: weighted(la, x))(la.asarray(x))
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())


def test_small_arrays_are_computed_at_once_with_numpys_bits():
    def fit(namespace):
        x = namespace.linspace(-1, 1, 51)
        return namespace.polynomial.polynomial.polyfit(x, x ** 3 - x, 3, full=True)

    with la.no_evaluation():
        coefficients, (residuals, rank, singular_values, _) = fit(lnp)
    want, (want_residuals, want_rank, want_singular_values, _) = fit(np)
    assert isinstance(coefficients, la.LazyArray)
    for got, expected in (coefficients, want), (residuals, want_residuals), (singular_values, want_singular_values):
        np.testing.assert_array_equal(got, expected)
    assert rank == want_rank


def test_functions_of_lists_give_lazy_arrays():
    added = la.polynomial.polynomial.polyadd([1, 2], [3, 4, 5])
    assert isinstance(added, la.LazyArray)
    assert added.tolist() == [4, 6, 5]


def test_classes_are_numpys_own():
    assert la.polynomial.Polynomial is np.polynomial.Polynomial
    p = la.polynomial.Polynomial([1, 2, 3])
    assert_same(p(pending([0.0, 1.0])), p(np.array([0.0, 1.0])))
    assert {name for name in dir(np.polynomial) if not name.startswith("_")} <= set(dir(la.polynomial))


def test_functions_can_be_pickled():
    function = la.polynomial.chebyshev.chebval
    assert pickle.loads(pickle.dumps(function)) is function
