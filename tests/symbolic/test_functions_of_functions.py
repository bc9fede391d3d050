"""Loops, branches, derivatives and vmap in symbolic graphs: functions called with symbols."""
import numpy as np
import pytest

import lazyarr as la
from lazyarr.autodiff.trees import leaves
from support.lazy_helpers import assert_same

CALLS = {
    "scan": lambda x: la.scan(lambda c, v: (c + v, c * v), 0.0, x),
    "scan of parts": lambda x: la.scan(parts, la.zeros(3), x)[1],
    "fori_loop": lambda x: la.fori_loop(0, 3, lambda i, v: v + i, x),
    "while_loop": lambda x: la.while_loop(lambda v: v.sum() < 100, lambda v: v * 2, x + 1),
    "cond": lambda x: la.cond(x.sum() > 1, lambda v: v + 1, lambda v: v - 1, x),
    "switch": lambda x: la.switch(1, [lambda v: v + 1, lambda v: v - 1], x),
    "checkpoint": lambda x: la.checkpoint(lambda v: np.sin(v) * 2)(x),
    "grad": lambda x: la.grad(lambda v: (v ** 3).sum())(x),
    "grad with more": lambda x: la.grad(lambda v: ((v ** 3).sum(), v * 2), has_aux=True)(x),
    "value_and_grad": lambda x: la.value_and_grad(lambda v, w: (v * w).sum(), (0, 1))(x, x + 1),
    "grad of a loop": lambda x: la.grad(lambda v: la.scan(lambda c, w: (c * 0.5 + w * w, c), 0.0, v)[1].sum())(x),
    "jvp": lambda x: la.jvp(lambda v: v ** 3, (x,), (x + 1,)),
    "hvp": lambda x: la.hvp(lambda v: (v ** 3).sum(), (x,), (x + 1,)),
    "vmap": lambda x: la.vmap(lambda v, w: v * w.sum(), in_axes=(0, None))(x, x),
    "stop_gradient": lambda x: la.grad(lambda v: (v * la.stop_gradient(v)).sum())(x) + la.stop_gradient(x),
    "jit": lambda x: la.jit(lambda v: np.exp(v) + 1)(x),
}
OF_KNOWN_EXTENTS = {
    "jacobian": lambda x: la.jacobian(lambda v: v * v)(x),
    "hessian": lambda x: la.hessian(lambda v: (v ** 3).sum())(x),
    "laplacian": lambda x: la.laplacian(lambda v: (v ** 3).sum())(x),
}


def parts(state, v):
    made = la.empty(3)
    made[:1] = v
    made[1:] = state[:2]
    return made, made


def same(found, expected):
    for got, wanted in zip(leaves(found), leaves(expected), strict=True):
        assert_same(la.asarray(got), np.asarray(wanted))


@pytest.mark.parametrize("extent", [4, None], ids=["known", "not known"])
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_what_functions_are_passed_to(call, extent):
    x = la.var((extent,), "float64", "x")
    g = la.graph(x, call(x))
    for n in (4, 4) if extent else (4, 7):
        given = np.random.default_rng(n).random(n)
        same(g(given), call(la.array(given)))


@pytest.mark.parametrize("call", OF_KNOWN_EXTENTS.values(), ids=OF_KNOWN_EXTENTS)
def test_derivatives_of_higher_rank(call):
    x = la.var((4,), "float64", "x")
    given = np.random.default_rng(0).random(4)
    same(la.graph(x, call(x))(given), call(la.array(given)))


@pytest.mark.parametrize("layer", [la.nn.LSTM, la.nn.GRU, la.nn.RNN])
@pytest.mark.parametrize("rows", [2, None], ids=["known", "not known"])
def test_recurrent_layers_and_their_derivatives(layer, rows):
    model = layer(3, 4, rng=0)
    x = la.var((rows, 5, 3), "float32", "x")

    def loss(x):
        return (model(x)[0] ** 2).sum()

    g = la.graph(x, {"loss": loss(x), "slopes": la.grad(loss)(x)})
    given = np.random.default_rng(0).random((2, 5, 3), np.float32)
    found = g(given)
    np.testing.assert_allclose(found["loss"], loss(la.array(given)), rtol=1e-6)
    np.testing.assert_allclose(found["slopes"], la.grad(loss)(la.array(given)), rtol=1e-5)


def test_branches_are_taken_anew_each_time():
    x = la.var((), "float64", "x")
    g = la.graph(x, la.cond(x > 1, lambda v: v * 10, lambda v: -v, x))
    assert [g(v).item() for v in (0.5, 2.0, 1.0)] == [-0.5, 20.0, -1.0]


@pytest.mark.parametrize("call", [
    lambda x, y: la.scan(lambda c, v: (c + v * y, c), 0.0, x),
    lambda x, y: la.grad(lambda v: (v * y).sum())(x),
    lambda x, y: la.cond(y > 1, lambda: x + 1, lambda: x - 1),
    lambda x, y: la.vmap(lambda v: v * y)(x),
])
def test_symbols_that_are_no_arguments(call):
    x, y = la.var((4,), "float64", "x"), la.var((), "float64", "y")
    with pytest.raises(TypeError, match="another outside its arguments: it must be given that, too"):
        call(x, y)


@pytest.mark.parametrize("call", [
    lambda y: la.scan(lambda c, v: (c + v * y, c), 0.0, np.arange(3.0)),
    lambda y: la.vmap(lambda v: v * y)(la.arange(3.0)),
    lambda y: la.checkpoint(lambda v: v * y)(la.arange(3.0)),
    lambda y: la.switch(0, [lambda v: v * y, lambda v: v], la.arange(3.0)),
])
def test_symbols_that_only_the_function_knows(call):
    with pytest.raises(TypeError, match="has found a symbol outside its arguments: it must be given that, too"):
        call(la.var((), "float64", "y"))


def test_pulling_back_is_no_part_of_a_graph():
    with pytest.raises(TypeError, match="vjp: the function that it gives cannot be part of a symbolic graph"):
        la.vjp(lambda v: v * 2, la.var((4,), "float64", "x"))
