"""What traced functions may do, and which functions trace."""
import functools

import numpy as np
import pytest

import lazyarr as la
from lazyarr import nn

X = np.random.default_rng(0).standard_normal((2, 4, 3))
# What calls a function of an array of shape (4, 3).
CALLERS = {
    "vmap": lambda f: la.vmap(f)(X),
    "vmap of a gradient": lambda f: la.vmap(la.grad(lambda x: f(x).sum()))(X),
    "checkpoint": lambda f: la.checkpoint(f)(X[0]),
    "cond": lambda f: la.cond(la.array(True), f, lambda x: x * 1, X[0]),
    "fori_loop": lambda f: la.fori_loop(0, 2, lambda i, x: f(x), X[0]),
    "while_loop": lambda f: la.while_loop(lambda x: x.sum() < 0, f, X[0]),
    "scan": lambda f: la.scan(lambda c, x: (c, f(x)), la.zeros(1), X),
}


@pytest.mark.parametrize("caller", CALLERS)
def test_arrays_from_outside_are_not_written_to(caller):
    total = la.zeros(3) + 1
    part = total[1:]

    def f(x):
        part[...] += x[0, 1:]
        return x * 1

    with pytest.raises(TypeError, match=r"cannot write to an array of float64 and shape \(3,\) from outside"):
        CALLERS[caller](f)
    np.testing.assert_array_equal(total, [1, 1, 1])
    part += 1
    np.testing.assert_array_equal(total, [1, 2, 2])


@pytest.mark.parametrize("caller", CALLERS)
def test_running_moments_keep_their_values(caller):
    norm = nn.BatchNorm(3, dtype=float)
    with pytest.raises(TypeError, match="from outside"):
        CALLERS[caller](norm)
    np.testing.assert_array_equal(norm.mean, np.zeros(3))
    CALLERS[caller](norm.eval())


@pytest.mark.parametrize("caller", CALLERS)
def test_what_was_made_or_given_is_written_to(caller):
    outside = la.zeros(3) + 1

    def f(x):
        x *= 2
        copy = outside.copy()
        copy[0] = x[0, 0]
        made = np.zeros_like(x)
        made[1] = copy
        return x + made

    def wanted(x):
        return x * 2 + np.array([[0, 0, 0], [x[0, 0] * 2, 1, 1], [0, 0, 0], [0, 0, 0]])

    if caller == "vmap":
        np.testing.assert_allclose(CALLERS[caller](f), [wanted(x) for x in X])
    elif caller in ("checkpoint", "cond"):
        np.testing.assert_allclose(CALLERS[caller](f), wanted(X[0]))
    else:
        CALLERS[caller](f)


def test_an_argument_that_is_the_same_for_all_is_written_to():
    def f(w, x):
        w += x
        return w

    w = la.ones(3)
    np.testing.assert_array_equal(la.vmap(f, in_axes=(None, 0))(w, X[0]), 1 + X[0])
    np.testing.assert_array_equal(w, np.ones(3))


def test_in_loops_of_a_graph_neither():
    total = la.zeros(())

    @la.jit
    def f(x):
        def add(i, y):
            total[...] += y
            return y * 2
        return la.fori_loop(0, 3, add, x)

    with pytest.raises(TypeError, match=r"shape \(\) from outside"):
        f(la.array(1.0))
    assert total == 0


@pytest.mark.parametrize("make", [la.checkpoint, la.custom_vjp, la.custom_jvp])
def test_layers_and_other_callables_have_no_name(make):
    layer = nn.Linear(3, 2, rng=0, dtype=float)
    x = la.asarray(X[0])
    np.testing.assert_array_equal(make(layer)(x), layer(x))
    assert make(functools.partial(np.power, 2.0))(la.array(3.0)) == 8
    wanted = nn.value_and_grad(layer, lambda x: layer(x).sum())(x)[1]["weight"]
    np.testing.assert_array_equal(nn.value_and_grad(layer, lambda x: make(layer)(x).sum())(x)[1]["weight"], wanted)
