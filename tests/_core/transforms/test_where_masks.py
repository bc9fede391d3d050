"""Branches not taken put no NaN into gradients: of `where`, and of masked writes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import lazyarr as la
from support.examples import examples

# Functions whose derivative at or below 0 is infinite or NaN.
SINGULAR = {"sqrt": np.sqrt, "log": np.log, "reciprocal": lambda x: 1 / x, "power": lambda x: x ** 0.5,
            "log of a root": lambda x: np.log(np.sqrt(x)),
            "exp of an inverse": lambda x: np.exp(-1 / x), "own power": lambda x: x ** x,
            "product of roots": lambda x: np.sqrt(x) * np.sqrt(x * 2)}


def written(np, x, inside):
    y = x * 1
    y[x > 0] = inside[x > 0]
    return y


def written_by_ufunc(np, x, inside):
    return np.multiply(inside, 1.0, out=x * 1, where=x > 0)


def put(np, x, inside):
    y = x * 1
    np.putmask(y, x > 0, inside)
    return y


def copied(np, x, inside):
    y = x * 1
    np.copyto(y, inside, where=x > 0)
    return y


def written_over(write):
    """The singular function's values where a mask is true, overwritten elsewhere."""
    def form(np, x, inside):
        y, others = inside * 1, (x * 0 + 2)[x <= 0]
        write(np, y, x <= 0, others)
        return y
    return form


# Operations between such a function and the selection, and the selection.
FORMS = {
    "where": lambda np, x, inside: np.where(x > 0, inside, x),
    "other branch": lambda np, x, inside: np.where(x <= 0, x, inside),
    "nested": lambda np, x, inside: np.where(x > 0, np.where(x > 1, inside, inside * x), x),
    "twice": lambda np, x, inside: np.where(x > 0, inside, x) + np.where(x > 1, inside * inside, x),
    "select": lambda np, x, inside: np.select([x > 1, x > 0], [inside * 2, inside], x),
    "a view": lambda np, x, inside: np.where(x[::-1] > 0, inside[::-1], x[::-1]),
    "another shape": lambda np, x, inside: np.where(x.reshape(-1, 1) > 0, inside.reshape(1, -1).T, 0),
    "broadcast": lambda np, x, inside: np.where(x > 0, inside * np.ones((2, 1)), 0),
    "stacked and summed": lambda np, x, inside: np.where(x > 0, np.stack([inside, inside]).sum(0), x),
    "gathered": lambda np, x, inside: np.where(x[[0, 0]] > 0, inside[[0, 0]], 1),
    "complex": lambda np, x, inside: np.where(x > 0, (inside + 0j).real, x),
    "put": put,
    "read": lambda np, x, inside: inside[x > 0] * 2,
    "rows read": lambda np, x, inside: (inside[:, None] * np.ones(2))[x > 0],
    "written over": written_over(lambda np, y, mask, others: y.__setitem__(mask, others)),
    "put over": written_over(lambda np, y, mask, others: np.putmask(y, mask, np.full(y.size + 1, 2.0))),
    "placed over": written_over(lambda np, y, mask, others: np.place(y, mask, np.append(others, 2.0))),
    "written": written, "written by a ufunc": written_by_ufunc, "copied": copied,
}
NUMBERS = st.sampled_from([-2.0, -1.0, 0.0, -0.0, 0.25, 0.5, 1.0, 3.0])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", SINGULAR)
@examples(15)
@given(x=arrays(np.float64, st.integers(2, 6), elements=NUMBERS))
def test_gradients_are_those_of_what_is_taken(name, form, x):
    function, choose = SINGULAR[name], FORMS[form]
    with np.errstate(all="ignore"):
        found = la.grad(lambda x: choose(la, x, function(x)).sum())(la.array(x)).numpy()
        safe = la.grad(lambda x: choose(la, x, function(la.where(x > 0, x, 0.5))).sum())(la.array(x)).numpy()
        along = la.jvp(lambda x: choose(la, x, function(x)).sum(), (la.array(x),), (np.ones(x.shape),))[1]
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found, safe, rtol=1e-12)
    np.testing.assert_allclose(along, safe.sum(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("write", [
    lambda y, mask: y.__setitem__(mask, y[:2]), lambda y, mask: np.putmask(y, mask, y[::-1]),
    lambda y, mask: np.place(y, mask, y[1:])], ids=["written", "put", "placed"])
def test_parts_of_an_array_are_written_to_it(write):
    mask = np.array([True, False, True, False])

    def f(x):
        y = x * x
        write(y, mask)
        return y @ np.array([1.0, 2.0, 3.0, 4.0])

    x = np.array([3.0, 5.0, 7.0, 11.0])
    step = 1e-6
    wanted = [(f(x + step * e) - f(x - step * e)) / (2 * step) for e in np.eye(4)]
    np.testing.assert_allclose(la.grad(f)(la.asarray(x)), wanted, rtol=1e-6)


@pytest.mark.parametrize("name", SINGULAR)
def test_second_derivatives_too(name):
    function = SINGULAR[name]
    x = np.array([-1.0, 0.0, 0.25, 0.5])

    def first(x):
        return la.grad(lambda x: la.where(x > 0, function(x), x * x).sum())(x)

    with np.errstate(all="ignore"):
        found = la.grad(lambda x: first(x).sum())(la.array(x)).numpy()
        step = 1e-6
        expected = (first(la.array(x + step)).numpy() - first(la.array(x - step)).numpy())[[0, 2, 3]] / (2 * step)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found[[0, 2, 3]], expected, rtol=1e-4, atol=1e-4)


def test_a_cotangent_is_cut_to_its_branch_once():
    x, w, b = la.ones((3, 4)), la.ones((4, 2)), la.ones(2)
    y = x @ w + b
    gradients = la.where(y > 1, y, 0).sum().grad(w, b)
    operations = [name for step in la.explain(*gradients).steps for name in step.operations]
    assert operations.count("where") == 1
    assert gradients[0].tolist() == [[3, 3]] * 4
    assert gradients[1].tolist() == [3, 3]
