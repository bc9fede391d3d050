"""Cotangents of views, against a NumPy count: the weight of each element is added where it lies."""

from itertools import pairwise

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import lazyarr as la
from support.strategies import basic_keys, layouts, shapes


def expected(x, views, weights):
    """The gradient of the sum of weighted views: the same views of the elements' numbers tell where they lie."""
    places = np.arange(x.size).reshape(x.shape)
    out = np.zeros(x.size)
    for view, w in zip(views, weights, strict=True):
        np.add.at(out, np.ravel(view(np, places)), np.ravel(w))
    return out.reshape(x.shape)


def check(x, views):
    """Compare gradients with what is expected, exactly: of an input, and of what was computed from it."""
    rng = np.random.default_rng(0)
    weights = [rng.integers(-9, 9, np.shape(view(np, x))).astype("f8") for view in views]
    right = expected(x, views, weights)
    for made in (lambda x: x, lambda x: x * 2):
        def f(x, made=made):
            y = made(x)
            return sum((view(la, y) * w).sum() for view, w in zip(views, weights, strict=True))

        gradient = la.grad(f)(la.asarray(x))
        assert gradient.shape == x.shape
        np.testing.assert_array_equal(gradient, right * made(1))
        forward = la.jvp(f, (la.asarray(x),), (np.ones_like(x),))[1]
        np.testing.assert_array_equal(forward, (right * made(1)).sum())


@st.composite
def view_chains(draw, shape):
    """Draw a function (np, array) that views an array of this shape again and again, and its name."""
    steps = []
    for _ in range(draw(st.integers(1, 4))):
        step = draw(steps_from(shape))
        steps.append(step)
        shape = step(np, np.zeros(shape)).shape

    def chain(np, x):
        for step in steps:
            x = step(np, x)
        return x

    return chain


@st.composite
def steps_from(draw, shape):
    kind = draw(st.sampled_from(["reshape", "ravel", "transpose", "flip", "new", "squeeze", "broadcast", "key"]))
    if kind == "reshape":
        into = draw(st.sampled_from(reshapes(shape)))
        return lambda np, x: x.reshape(into)
    if kind == "ravel":
        return lambda np, x: x.ravel()
    if kind == "transpose":
        axes = tuple(draw(st.permutations(range(len(shape)))))
        return lambda np, x: x.transpose(axes)
    if kind == "flip":
        axes = tuple(draw(st.lists(st.integers(0, len(shape) - 1), unique=True))) if shape else ()
        return lambda np, x: np.flip(x, axes)
    if kind == "new":
        axis = draw(st.integers(0, len(shape)))
        return lambda np, x: np.expand_dims(x, axis)
    if kind == "squeeze":
        return lambda np, x: np.squeeze(x)
    if kind == "broadcast":
        into = tuple(2 if n == 1 else n for n in shape)
        return lambda np, x: np.broadcast_to(x, into)
    key = draw(basic_keys(shape))
    return lambda np, x: x[key]


def reshapes(shape):
    """Shapes with as many elements and up to three axes."""
    size = int(np.prod(shape))
    if size == 0:
        return [(0,), (2, 0), (0, 1, 3)]
    pairs = [(n, size // n) for n in range(1, size + 1) if size % n == 0]
    return [(size,), *pairs, *((a, b, c // b) for a, c in pairs for b in range(1, c + 1) if c % b == 0)]


@given(data=st.data())
def test_views_of_views(data):
    x = data.draw(layouts(shape=data.draw(shapes(max_dims=4, max_side=4)), dtype="float64"))
    check(x, data.draw(st.lists(view_chains(x.shape), min_size=1, max_size=3)))


@given(data=st.data())
def test_windows_side_by_side(data):
    shape = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=3))
    axis = data.draw(st.integers(0, len(shape) - 1))
    cuts = sorted(data.draw(st.sets(st.integers(0, shape[axis]))) | {0, shape[axis]})
    parts = data.draw(st.permutations(list(pairwise(cuts))))
    change = data.draw(st.sampled_from(["none", "none", "one left out", "one twice", "all of it", "other axis"]))
    before = (slice(None),) * axis
    views = [lambda np, x, a=a, b=b: x[(*before, slice(a, b))] for a, b in parts]
    if change == "one left out" and len(views) > 1:
        views = views[1:]
    elif change == "one twice":
        views.append(views[0])
    elif change == "all of it":
        views.insert(data.draw(st.integers(0, len(views))), lambda np, x: x.T)
    elif change == "other axis":
        views.append(lambda np, x: x[..., :1])
    if data.draw(st.booleans()):
        views = [lambda np, x, view=view: np.flip(view(np, x)).T for view in views]
    check(data.draw(st.sampled_from([np.ones, lambda s: np.ones(s, order="F")]))(shape), views)


@pytest.mark.parametrize("views", [
    [lambda np, x: x[::2], lambda np, x: x[1::2]],
    [lambda np, x: x[:3, :2], lambda np, x: x[:3, 2:], lambda np, x: x[3:]],
    [lambda np, x: x[:2], lambda np, x: x[1:]],
    [lambda np, x: x[:2], lambda np, x: x[1:5]],
    [lambda np, x: x[3:], lambda np, x: x[3:]],
    [lambda np, x: x[2], lambda np, x: x[0]],
    [lambda np, x, k=k: x[:, k] for k in (2, 0, 3, 1)],
    [lambda np, x: np.lib.stride_tricks.sliding_window_view(x, 2, 0), lambda np, x: x.T],
    [lambda np, x: np.diagonal(x), lambda np, x: np.broadcast_to(x, (3, 6, 4))],
])
def test_several_windows(views):
    check(np.ones((6, 4)), views)


def test_parts_of_complex_numbers():
    x = la.array([[1 + 2j, 3, 4j], [5, 6j, 7]])
    real, imaginary = np.arange(6.0).reshape(3, 2), np.arange(6.0, 12).reshape(2, 3)

    def f(x):
        y = x * 2
        return (y.T.real * real).sum() + (y[::-1].imag * imaginary).sum()

    np.testing.assert_array_equal(la.vjp(f, x)[1](1.0)[0], 2 * real.T - 2j * imaginary[::-1])


@pytest.mark.parametrize("f", [
    lambda x: (x * 2).view("f8").sum(), lambda x: (x * 2).view("f8")[1:].sum(),
    lambda x: ((x.real * 2).copy().view("c16") * 3).real.sum(),
])
def test_numbers_seen_as_other_numbers_have_none(f):
    with pytest.raises(la.NotDifferentiable, match=r"a view of (complex128|float64) as (float64|complex128) has no"):
        la.grad(f)(la.ones(4, "c16"))


def test_writing_through_a_view_as_other_numbers_has_none():
    def f(x):
        x = x * 2
        x.view("f8")[1:3] = x.real[:2]
        return x.real.sum()

    with pytest.raises(la.NotDifferentiable, match="writing to complex128 through a view as float64"):
        la.grad(f)(la.ones(4, "c16"))


def test_fields():
    record = [("a", "f4"), ("b", "f4")]
    gradient = la.grad(lambda x: ((x * 2).view(record)["b"] * np.arange(3.0)).sum())(la.ones(6, "f4"))
    np.testing.assert_array_equal(gradient, [0, 0, 0, 2, 0, 4])


@pytest.mark.parametrize("f", [
    lambda x: x[:] * 2, lambda x: x[None] * 2, lambda x: x.T * 2, lambda x: x[::-1, ::-1] * 2,
    lambda x: x.reshape(2, 3, 4) * 2, lambda x: x.swapaxes(0, 1)[:, ::-1].reshape(2, 2, 6)[None] * 2,
    lambda x: x.ravel() * 2,
    lambda x: np.broadcast_to(x, (3, 6, 4)) * 2,
])
def test_a_view_of_all_elements_takes_neither_zeros_nor_writing(f):
    def after_a_step(x):
        return (f(x + 1) * 1).sum()

    assert "setitem" not in la.summary(la.grad(after_a_step)(la.ones((6, 4)))).ops


@pytest.mark.parametrize("cuts, zeros", [([0, 1, 3, 6], False), ([0, 3, 5], True), ([1, 3, 6], True)])
def test_windows_that_make_up_an_array_take_no_zeros(cuts, zeros):
    def f(x):
        y = x + 1
        return sum((y[a:b] ** 2).sum() for a, b in pairwise(cuts))

    ops = la.summary(la.grad(f)(la.array(np.ones((6, 4))))).ops
    assert ops["setitem"] == len(cuts) - 1
    assert ("copy" in ops) == zeros


def test_gradients_can_be_written_to():
    x = la.ones((3, 4))
    weights = la.ones((4, 3))
    la.evaluate(x, weights)
    gradient = la.grad(lambda x: (x.T * weights).sum())(x)
    gradient[0] = 5
    np.testing.assert_array_equal(weights, np.ones((4, 3)))
    np.testing.assert_array_equal(gradient[1:], np.ones((2, 4)))


def test_a_gradient_lies_in_memory_as_what_it_belongs_to():
    x, weights = la.array(np.ones((3, 4))), la.array(np.ones((4, 5)))
    assert la.grad(lambda x: (weights.T @ x.T).sum())(x).numpy().flags.c_contiguous
