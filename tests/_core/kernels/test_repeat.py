"""Repeat and tile, along one axis or several, for all dtypes and orders."""

import math
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lazyarr as la
from lazyarr._core.host import allocator
from support.lazy_helpers import assert_same

SHAPES = [(), (1,), (5,), (40_000,), (3, 4), (1, 7), (7, 1), (0, 3), (2, 3, 4), (30, 1, 50), (2, 1, 3, 2)]
DTYPES = ["bool", "int8", "float16", "float32", "float64", "complex128", "clongdouble", ">f8", "U3", "O"]


def orders(x):
    """Yield the same values in C order, in Fortran order, as a strided view and broadcast."""
    wide = np.zeros(tuple(2 * n for n in x.shape), x.dtype)
    strided = wide[tuple(slice(n, None, -1) if n == 1 else slice(0, 2 * n, 2) for n in x.shape)]
    if x.ndim == 0:
        return [x]
    strided[...] = x
    return [x, np.asfortranarray(x), strided, np.broadcast_to(x[:1], x.shape)]


def repeated(x, repeats, axes):
    for count, axis in zip(repeats, axes, strict=True):
        x = np.repeat(x, count, axis)
    return x


@pytest.mark.parametrize("dtype", DTYPES)
def test_repeat_and_tile(dtype):
    rng = np.random.default_rng(0)
    for shape in SHAPES:
        for x in orders(np.asarray(rng.integers(0, 100, shape)).astype(dtype)):
            lazy = la.asarray(x) if dtype in ("O", "U3", ">f8") else la.asarray(x) * np.ones((), dtype)
            for n in (0, 1, 2, 3):
                assert_same(la.repeat(lazy, n), np.repeat(x, n))
                for reps in (n, (n, 2), (2, n, 3), (1,) * x.ndim + (n,), (n,) + (1,) * x.ndim):
                    assert_same(la.tile(lazy, reps), np.tile(x, reps))
                for axis in range(x.ndim):
                    assert_same(la.repeat(lazy, n, axis), np.repeat(x, n, axis))
            for axes in ((0,), (0, -1), tuple(range(x.ndim)), ()) if x.ndim > 1 else ():
                repeats = (2, 3, 1, 4)[: len(axes)]
                assert_same(la.repeat(lazy, repeats, axis=axes), repeated(x, repeats, axes))


def test_counts_of_each_element():
    x = np.arange(12).reshape(3, 4)
    assert_same(la.repeat(la.asarray(x), ([1, 0, 2], 2), axis=(0, 1)), repeated(x, ([1, 0, 2], 2), (0, 1)))


def test_it_waits_and_is_read_through_views():
    x = la.arange(6.0).reshape(2, 3)
    with la.no_evaluation():
        y = la.tile(la.repeat(x + 1, (2, 2), axis=(0, 1)), (2, 1))
        y[0, 0] = 7
        z = y[::2, 1:] * 2
    expected = np.tile(repeated(np.arange(6.0).reshape(2, 3) + 1, (2, 2), (0, 1)), (2, 1))
    expected[0, 0] = 7
    assert_same(z, expected[::2, 1:] * 2)


@pytest.mark.parametrize("repeats, axis", [((2,), (0, 1)), (2, (0, 1)), ((2, -1), (0, 1)), ((2, 2), (0, 0)),
                                           ((2, 2), (0, 5)), ((1, [1, 2]), (0, 1)), ((2, "a"), (0, 1))])
def test_wrong_tuples(repeats, axis):
    with pytest.raises((ValueError, TypeError)):
        la.repeat(la.ones((2, 3)), repeats, axis=axis)


@pytest.mark.parametrize("arguments", [(-1,), (2, 7), ([1, 2],), (1.5,), ("a",)])
def test_wrong_arguments_are_numpys_to_reject(arguments):
    for function in ("repeat", "tile"):
        try:
            expected = getattr(np, function)(np.ones((2, 3)), *arguments)
        except Exception as error:
            with pytest.raises(type(error)):
                getattr(la, function)(la.ones((2, 3)), *arguments)
        else:
            assert_same(getattr(la, function)(la.ones((2, 3)), *arguments), expected)


# Repeated elements read only by elementwise operations are never stored.

@given(st.data())
def test_repeated_operands(data):
    shape = tuple(data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=4)))
    if data.draw(st.booleans()):
        shape = (*shape[:-1], shape[-1] * data.draw(st.integers(50, 400)))
    times = tuple(data.draw(st.integers(1, 3)) for _ in shape)
    dtype = data.draw(st.sampled_from(["int8", "float32", "float64", "complex128", "clongdouble", "int16"]))
    x = data.draw(st.sampled_from(orders((np.arange(math.prod(shape)) % 100).reshape(shape).astype(dtype))))
    lines = data.draw(st.lists(st.sampled_from([
        "y = r(x) + 1", "y = y * r(x)", "y = (r(x) - y).sum(0)", "y = y + r(x + 1)", "y = (r(x) * 2 + y).max(-1)",
        "y = y.T + 1", "y[...] = y + r(x)", "y += r(x)", "y[1:] -= r(x)[1:]", "y = np.where(r(x) > 3, r(x), y)",
        "y[y > 2] *= r(x)[y > 2]", "y = y[None] + r(x)", "x = x * 2", "x[...] = x - corner(y)", "y += r(corner(y))",
        "y[::-1] *= r(corner(y))", "y = r(corner(r(x))) - y", "y = np.add(y, r(x), where=r(x) > 2, out=y + 0)",
    ]), min_size=1, max_size=5))
    results = []
    for xp in (np, la):
        scope = {"np": xp, "x": xp.array(x), "y": xp.ones([n * t for n, t in zip(shape, times, strict=True)], dtype)}
        scope["corner"] = lambda y: y[tuple(slice(n) for n in shape)]
        scope["r"] = lambda x, xp=xp: la.repeat(x, times, tuple(range(len(times)))) if xp is la else \
            repeated(x, times, range(len(times)))
        results.append([])
        for line in lines:
            try:
                exec(line, scope)
            except (ValueError, TypeError, IndexError):
                results[-1].append(line)
        results[-1] += [scope["x"], scope["y"]]
    for want, got in zip(*results, strict=True):
        if isinstance(want, str):
            assert got == want
        else:
            assert_same(got, want)


@pytest.mark.parametrize("shape", [(1,), (1, 1), (1, 1, 1)])
def test_one_element_repeated_once(shape):
    x = np.full(shape, 2.5)
    assert_same(la.repeat(la.asarray(x), 1, axis=0) + 1, x + 1)
    assert_same(la.repeat(la.asarray(x), (1,) * len(shape), axis=tuple(range(len(shape)))) + x, x + x)
    assert_same(la.repeat(la.asarray(x), 1, axis=-1).sum(0), x.sum(0))


@pytest.mark.parametrize(("shape", "times", "axes"), [
    ((200, 100), 5, 1), ((200, 100), 5, 0), ((100, 20, 50), (2, 3), (0, 2)), ((100_000,), 2, 0),
])
def test_repeated_operands_take_no_memory(shape, times, axes):
    x = la.asarray(np.linspace(0, 1, math.prod(shape)).reshape(shape))
    axes, times = (axes, times) if isinstance(axes, tuple) else ((axes,), (times,))
    y = la.repeat(x, times, axis=axes).numpy()
    for make in (lambda r: r > y, lambda r: (r * y).sum(), lambda r: (1 - r).max(0).sum()):
        pending = make(la.repeat(x, times, axis=axes))
        before = allocator.stats()["live_bytes"]
        allocator.reset_peak()
        pending.numpy()
        assert allocator.stats()["peak_bytes"] - before <= 0.4 * y.nbytes
    kept = la.repeat(x, times, axis=axes)
    assert_same(kept - y, np.zeros(y.shape))
    assert_same(kept, y)


def test_objects_repeated_along_no_axes_keep_their_references():
    item = object()
    x = la.asarray(np.array([[item, item]], object))
    before = sys.getrefcount(item)
    for _ in range(3):
        assert_same(la.repeat(x, (), axis=()), x)
    assert sys.getrefcount(item) == before
