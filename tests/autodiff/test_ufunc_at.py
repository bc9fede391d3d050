"""Derivatives of `ufunc.at`, in addition to the lines of `support.example_lines.derivatives`."""
import numpy as np
import pytest

import lazyarr as la

INDICES = np.array([0, 2, 0, 3, 0, 2])
VALUES = np.random.default_rng(0).uniform(0.5, 1.5, 6)
X = np.random.default_rng(1).uniform(0.5, 1.5, 5)
UFUNCS = ["multiply", "divide", "power", "maximum", "minimum", "fmax", "hypot", "logaddexp", "arctan2"]


def combined(ufunc, x, values):
    """Return what `ufunc.at` gives, of elements one after another."""
    elements = [x[i] for i in range(5)]
    for i, k in enumerate(INDICES):
        elements[k] = ufunc(elements[k], values[i])
    return la.stack(elements)


def by_numpy_function(ufunc, x, values):
    """Return the same by `ufunc.at`."""
    made = x * 1.0
    ufunc.at(made, INDICES, values)
    return made


def both_orders(f, x, values):
    """Return the gradients of a sum of squares, and their derivatives along themselves."""
    gradient = la.grad(lambda x, values: (f(x, values) ** 2).sum(), (0, 1))
    first = gradient(la.asarray(x), la.asarray(values))
    return [*first, *la.jvp(gradient, (x, values), first)[1]]


@pytest.mark.parametrize("name", UFUNCS)
def test_against_elements_one_after_another(name):
    ufunc = getattr(np, name)
    found = both_orders(lambda *args: by_numpy_function(ufunc, *args), X, VALUES)
    expected = both_orders(lambda *args: combined(ufunc, *args), X, VALUES)
    for made, known in zip(found, expected, strict=True):
        np.testing.assert_allclose(made, known, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", UFUNCS)
def test_on_a_batch(name):
    gradient = la.grad(lambda x, values: (by_numpy_function(getattr(np, name), x, values) ** 2).sum(), (0, 1))
    x, values = np.stack([X, X[::-1], 2 * X]), np.stack([VALUES, 2 * VALUES, VALUES[::-1]])
    single = [gradient(la.asarray(a), la.asarray(b)) for a, b in zip(x, values, strict=True)]
    for found, *expected in zip(la.vmap(gradient)(la.asarray(x), la.asarray(values)), *single, strict=True):
        np.testing.assert_allclose(found, np.stack(list(map(np.asarray, expected))), rtol=1e-12)
    shared = la.vmap(gradient, (None, 0))(la.asarray(X), la.asarray(values))
    np.testing.assert_allclose(shared[0][1], gradient(la.asarray(X), la.asarray(values[1]))[0], rtol=1e-12)


def test_products_with_zeros():
    def product(x, values):
        made = x * 1.0
        np.multiply.at(made, [0, 0, 1], values)
        return made.sum()

    of_x, of_values = la.grad(product, (0, 1))(la.array([2.0, 3.0]), la.array([0.0, 5.0, 0.0]))
    np.testing.assert_array_equal(of_x, [0, 0])
    np.testing.assert_array_equal(of_values, [10, 0, 3])


def test_of_a_graph_that_nobody_recorded():
    w, values = la.array(X), la.array(VALUES)
    found = by_numpy_function(np.multiply, w, values).sum().grad(w, values)
    expected = la.grad(lambda x, values: combined(np.multiply, x, values).sum(), (0, 1))(w, values)
    for made, known in zip(found, expected, strict=True):
        np.testing.assert_allclose(made, known, rtol=1e-12)


def test_in_the_body_of_a_loop():
    def looped(x):
        def body(i, x):
            np.multiply.at(x, [0, 1, 0], la.sin(x[:3]))
            np.negative.at(x, [0, 0, 4])
            return x

        return (la.fori_loop(0, 3, body, x * 1.0) ** 2).sum()

    def unrolled(x):
        x = x * 1.0
        for _ in range(3):
            np.multiply.at(x, [0, 1, 0], la.sin(x[:3]))
            np.negative.at(x, [0, 0, 4])
        return (x ** 2).sum()

    np.testing.assert_allclose(la.grad(looped)(la.asarray(X)), la.grad(unrolled)(la.asarray(X)), rtol=1e-12)


@pytest.mark.parametrize("name", ["multiply", "divide", "power"])
def test_derivatives_in_the_body_of_a_loop(name):
    """A loop over gradients is differentiated."""
    gradient = la.grad(lambda x: (by_numpy_function(getattr(np, name), x, VALUES) ** 2).sum())

    def step(x):
        return la.tanh(x + gradient(x))

    looped = la.grad(lambda x: la.fori_loop(0, 2, lambda i, x: step(x), x).sum())(la.asarray(X))
    np.testing.assert_allclose(looped, la.grad(lambda x: step(step(x)).sum())(la.asarray(X)), rtol=1e-9)
