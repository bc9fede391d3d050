"""Recurrent layers against plain NumPy loops, and derivatives against differences."""

import numpy as np
import pytest
from scipy.special import expit

import lazyarr as la
from lazyarr import nn
from lazyarr.autodiff.trees import leaves, rebuilt
from support.finite_differences import check, numerical


def rnn(p, x, h):
    return np.tanh(x @ p["weight"] + p["bias"] + h @ p["recurrent"]),


def lstm(p, x, h, c):
    i, f, o, g = np.split(x @ p["weight"] + p["bias"] + h @ p["recurrent"], 4, -1)
    c = expit(f) * c + expit(i) * np.tanh(g)
    return expit(o) * np.tanh(c), c


def gru(p, x, h):
    ar, az, an = np.split(x @ p["weight"] + p["bias"], 3, -1)
    br, bz, bn = np.split(h @ p["recurrent"], 3, -1)
    r, z = expit(ar + br), expit(az + bz)
    n = np.tanh(an + r * (bn + p["recurrent_bias"]))
    return (1 - z) * n + z * h,


def defined(step, parameters, x, states, directions):
    """Return (results, last states), computed step by step."""
    last = []
    for first in range(0, len(states), directions):
        columns = []
        for direction in range(directions):
            state, results = states[first + direction], [None] * x.shape[1]
            for t in range(x.shape[1])[::-1 if direction else 1]:
                state = step(parameters[first + direction], x[:, t], *state)
                results[t] = state[0]
            columns.append(np.stack(results, 1))
            last.append(state)
        x = np.concatenate(columns, -1)
    return x, last


KINDS = {"RNN": (nn.RNN, rnn, 1), "LSTM": (nn.LSTM, lstm, 2), "GRU": (nn.GRU, gru, 1)}
FORMS = [dict(), dict(layers=2), dict(bidirectional=True), dict(layers=2, bidirectional=True)]


def made(kind, form, dtype="float64"):
    layer = KINDS[kind][0](3, 4, dtype=dtype, rng=0, **form)
    rng = np.random.default_rng(1)
    tree = layer.parameters()
    values = [rng.uniform(-1, 1, p.shape).astype(dtype) for p in leaves(tree)]
    layer.update(rebuilt(tree, iter(values)))
    x = rng.uniform(-1, 1, (2, 5, 3)).astype(dtype)
    states = [tuple([rng.uniform(-1, 1, (2, 4)).astype(dtype) for _ in range(KINDS[kind][2])]) for _ in layer.cells]
    return layer, values, x, states


def given(kind, states):
    """Return states as the layer takes them."""
    return [tuple(map(la.asarray, state)) if kind == "LSTM" else la.asarray(state[0]) for state in states]


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_values_and_derivatives(kind, form):
    layer, values, x, states = made(kind, form)
    directions = 2 if "bidirectional" in form else 1
    step = KINDS[kind][1]
    tree = layer.parameters()
    y, last = layer(la.asarray(x), given(kind, states))
    expected, expected_last = defined(step, rebuilt(tree, iter(values))["cells"], x, states, directions)
    np.testing.assert_allclose(y, expected, rtol=1e-12)
    for a, b in zip(leaves(last), leaves(expected_last), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)
    rng = np.random.default_rng(2)
    weights, end = rng.standard_normal(expected.shape), rng.standard_normal((2, 4))

    def lazily(p, x, states):
        y, last = layer.apply(p, x, states)
        return (y * weights).sum() + sum((s * end).sum() for s in leaves(last))

    def plainly(*arrays):
        arrays = iter(arrays)
        p, x = rebuilt(tree, arrays)["cells"], next(arrays)
        y, last = defined(step, p, x, rebuilt(states, arrays), directions)
        return (y * weights).sum() + sum((s * end).sum() for s in leaves(last))

    found = la.grad(lazily, (0, 1, 2))(tree, la.asarray(x), given(kind, states))
    arrays = [*values, x, *leaves(states)]
    along = [rng.standard_normal(array.shape) for array in arrays]
    np.testing.assert_allclose(sum((np.asarray(g) * d).sum() for g, d in zip(leaves(list(found)), along, strict=True)),
                               numerical(plainly, arrays, along), rtol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_states_are_zeros_unless_given_and_go_on_where_they_ended(kind):
    layer, values, x, _ = made(kind, {})
    parameters = rebuilt(layer.parameters(), iter(values))["cells"]
    zeros = [(np.zeros((2, 4)),) * KINDS[kind][2]]
    expected, _ = defined(KINDS[kind][1], parameters, x, zeros, 1)
    first, state = layer(la.asarray(x[:, :2]))
    second, _ = layer(la.asarray(x[:, 2:]), state)
    np.testing.assert_allclose(la.concatenate([first, second], 1), expected, rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_single_precision_stays_and_nothing_is_evaluated(kind):
    layer, _, x, states = made(kind, dict(layers=2, bidirectional=True), "float32")
    x = la.asarray(x)
    for state in (None, given(kind, states)):
        y, last = layer(x, state)
        assert {a.dtype for a in leaves([y, last])} == {np.dtype("float32")}
        with la.no_evaluation():
            value, found = nn.value_and_grad(layer, lambda x, state=state: (layer(x, state)[0]**2).sum())(x + 1)
        assert {g.dtype for g in leaves([value, found])} == {np.dtype("float32")}


def test_forget_gates_are_open_at_first():
    np.testing.assert_array_equal(nn.LSTM(2, 2).cells[0].bias, [0, 0, 1, 1, 0, 0, 0, 0])


@pytest.mark.parametrize("kind", KINDS)
def test_no_steps(kind):
    layer, _, x, states = made(kind, {})
    y, last = layer(la.asarray(x[:, :0]), given(kind, states))
    assert y.shape == (2, 0, 4)
    np.testing.assert_array_equal(leaves(last)[0], states[0][0])


@pytest.mark.parametrize("call, words", [
    (lambda: nn.GRU(3, 0), "size must be positive"),
    (lambda: nn.GRU(3, 4)(la.ones((2, 3))), r"GRU: x must have shape \(batch, time, 3\), not \(2, 3\)"),
    (lambda: nn.LSTM(3, 4)(la.ones((2, 5, 4))), r"LSTM: x must have shape \(batch, time, 3\), not \(2, 5, 4\)"),
    (lambda: nn.GRU(3, 4)(la.ones((2, 5, 3)), la.ones((2, 4))), "GRU: state must be a list with an entry"),
    (lambda: nn.GRU(3, 4)(la.ones((2, 5, 3)), [la.ones((1, 4))]), r"state\[0\] must be of arrays of shape \(2, 4\)"),
    (lambda: nn.LSTM(3, 4)(la.ones((2, 5, 3)), [la.ones((2, 4))]), r"state\[0\] must be a pair \(h, c\)"),
    (lambda: nn.LSTM(3, 4, layers=2)(la.ones((2, 5, 3)), [(1, 2)]), "each of 2 layers"),
    (lambda: nn.LSTM(3, 4)(la.ones((2, 5, 3)), [(1, 2)]), r"arrays of shape \(2, 4\), got int"),
])
def test_wrong_arguments(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize("kind", KINDS)
def test_derivatives_forward_and_twice(kind):
    layer, _, x, _ = made(kind, dict(bidirectional=True))
    check(lambda x: layer(x)[0], [x], exact=False)
    slopes = la.grad(lambda x: (layer(x)[0]**2).sum())
    check(lambda x: slopes(x), [x], exact=False)


@pytest.mark.parametrize("make", [nn.RNN, nn.GRU, nn.LSTM])
@pytest.mark.parametrize("dtypes", [("f4", "f8", "f8"), ("f8", "f4", "f4"), ("f4", "f4", "f8"), ("f8", "f4", "f8")])
def test_states_of_another_dtype(make, dtypes):
    layer = make(3, 2, layers=2, rng=0, dtype=dtypes[0])
    x, state = np.ones((1, 4, 3), dtypes[1]), np.full((1, 2), 0.5, dtypes[2])
    given = [(state, state.astype("f4")) if make is nn.LSTM else state] * 2
    y, last = layer(x, given)
    assert {array.dtype for array in leaves([y, last])} == {np.dtype("f8")}
    exact = make(3, 2, layers=2, rng=0, dtype="f8")
    np.testing.assert_allclose(y, exact(x, given)[0], rtol=1e-5)
