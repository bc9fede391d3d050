"""Scatters: keys with index arrays, put, put_along_axis and `ufunc.at`, against NumPy."""

import re
import warnings

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import assume, given, settings

import lazyarr as la
from lazyarr._core import api as core
from lazyarr.ops import scattering
from support import reference_kernels
from support.examples import examples
from support.feature_switches import machine
from support.lazy_helpers import assert_same

DTYPES = ["?", "i1", "u2", "i4", "f2", "f4", "f8", "i8", "c8", "c16", "G"]
UFUNCS = [np.add, np.subtract, np.multiply, np.divide, np.maximum, np.minimum, np.power, np.bitwise_xor, np.logaddexp]
LAYOUTS = [lambda x: x, lambda x: np.asfortranarray(x), lambda x: x[::-1], lambda x: np.repeat(x, 2, -1)[..., ::2]]


@pytest.fixture(autouse=True, scope="module")
def natively():
    """Use the kernel for few elements, too."""
    least = scattering.LEAST, scattering.LEAST_QUICK
    scattering.LEAST = scattering.LEAST_QUICK = 1
    yield
    scattering.LEAST, scattering.LEAST_QUICK = least


def elements(rng, shape, dtype):
    """Return numbers that do not overflow a byte soon, of both signs and with both zeros if they exist."""
    x = rng.integers(0 if dtype in ("?", "u2") else -3, 4, shape).astype(dtype)
    if x.dtype.kind in "fc":
        x = x * rng.choice([1, 1, 0.3, -0.0], shape).astype(dtype)
    return x


def given_as(draw, x):
    """Return x as a program may have it: evaluated, pending or as an ndarray."""
    how = draw(st.sampled_from(["lazy", "pending", "array"]))
    return x if how == "array" else la.asarray(x) if how == "lazy" else la.copy(la.asarray(x), order="K")


def target(draw, x):
    """Return an array to be changed, pending or evaluated."""
    return la.copy(la.asarray(x), order="K") if draw(st.booleans()) else la.array(x, order="K")


def agree(change, want, got, *operands):
    """Fail unless `change` does the same to a lazy array as to an ndarray."""
    failed = None
    with np.errstate(all="ignore"):
        try:
            change(np, want, *[np.asarray(x) for x in operands])
        except (IndexError, ValueError, TypeError) as error:
            failed = error
        if failed is None:
            change(la, got, *operands)
        else:
            with pytest.raises(type(failed)) as raised:
                changed(change, got, operands)
            assert raised.match(re.escape(str(failed)))
            if "negative integer powers" in str(failed):
                return  # what the loop did not compute NumPy writes nevertheless: what was in its buffer before
    np.testing.assert_array_equal(got.numpy(), want)
    if want.dtype.kind == "f":
        known = ~np.isnan(want)
        np.testing.assert_array_equal(np.signbit(got.numpy())[known], np.signbit(want)[known])


def changed(change, x, operands):
    """Return the values of x after a change."""
    change(la, x, *operands)
    return x.numpy()


@st.composite
def problems(draw, dtypes=DTYPES):
    """Draw a target, a key with index arrays, and a value that broadcasts to the indexed part."""
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    shape = draw(st.sampled_from([(7,), (40,), (5, 6), (3, 4, 5), (2, 3, 2, 3), (1, 4), (4, 1)]))
    joined = draw(st.sampled_from([(), (1,), (9,), (700,), (3, 4), (2, 1, 5), (0,)]))
    count = draw(st.integers(1, len(shape)))
    axes = draw(st.permutations(range(len(shape))))[:count]
    far = draw(st.sampled_from([0, 0, 0, 0, 1]))
    key = []
    for axis, n in enumerate(shape):
        if axis in axes:
            part = draw(st.sampled_from([joined, joined, joined, joined[1:], tuple(1 for _ in joined)]))
            index = rng.integers(-n - far, n + far, part).astype(draw(st.sampled_from(["i8", "i8", "i2"])))
            key.append(draw(st.sampled_from(LAYOUTS))(index) if index.ndim else index)
        else:
            key.append(draw(st.sampled_from([slice(None), slice(None), slice(None, None, -1), slice(1, None), 0])))
    x = draw(st.sampled_from(LAYOUTS))(elements(rng, shape, draw(st.sampled_from(dtypes))))
    with np.errstate(all="ignore"):
        try:
            taken = x[tuple(key)].shape
        except IndexError:
            taken = ()
    part = tuple(n if keep else 1 for n, keep in zip(taken, draw(st.lists(st.booleans(), min_size=len(taken),
                                                                         max_size=len(taken))), strict=True))
    lead = draw(st.integers(0, len(part)))
    dtype = draw(st.sampled_from([x.dtype, x.dtype, np.dtype("i1"), np.dtype("f8")]))
    value = elements(rng, part[lead:] if lead else (1, *part), dtype.char)
    if value.ndim > 1:
        value = draw(st.sampled_from(LAYOUTS))(value)
    return x, tuple(key), value


@examples(400)
@given(problems(), st.sampled_from([1, 2, 3]), st.data())
def test_keys(problem, team, data):
    x, key, value = problem
    draw = data.draw
    value = given_as(draw, value)
    key = tuple([given_as(draw, item) if isinstance(item, np.ndarray) else item for item in key])

    def change(np, x, value):
        x[tuple([item if isinstance(item, slice | int) else item if np is la else item.__array__() for item in key])] \
            = value

    with machine(team, 256):
        agree(change, x.copy("K"), target(draw, x), value)


def has_loop(ufunc, *dtypes):
    """Return whether a ufunc computes operands of these dtypes without Python objects."""
    return any("O" not in chars and all(np.can_cast(dtype, char) for dtype, char in zip(dtypes, chars, strict=False))
               for chars in ufunc.types)


@examples(400)
@given(problems(), st.sampled_from(UFUNCS), st.sampled_from([1, 2, 3]), st.data())
def test_at(problem, ufunc, team, data):
    x, key, value = problem
    # If there is no loop, NumPy's error depends on earlier calls: an `out` of objects makes it use the object loop.
    assume(has_loop(ufunc, x.dtype, value.dtype))
    draw = data.draw
    value = given_as(draw, value)
    key = tuple([given_as(draw, item) if isinstance(item, np.ndarray) else item for item in key])

    def change(np, x, value):
        places = tuple([item if isinstance(item, slice | int) else item if np is la else item.__array__()
                        for item in key])
        if np is not la and x.ndim == value.ndim == 1 < places[0].ndim:
            value = np.broadcast_to(value, places[0].shape)  # NumPy reads what lies behind a line in memory
        ufunc.at(x, places, value)

    with machine(team, 256):
        agree(change, x.copy("K"), target(draw, x), value)


@settings(deadline=None)
@given(st.sampled_from(DTYPES), st.sampled_from([(7,), (3, 4), (3, 4, 5), (1, 4)]), st.integers(0, 1000),
       st.sampled_from([1, 3]), st.data())
def test_put_and_put_along_axis(dtype, shape, seed, team, data):
    rng, draw = np.random.default_rng(seed), data.draw
    x = draw(st.sampled_from(LAYOUTS))(elements(rng, shape, dtype))
    mode = draw(st.sampled_from(["raise", "wrap", "clip"]))
    far = 0 if mode == "raise" else 20
    index = rng.integers(-x.size - far, x.size + far, draw(st.sampled_from([(600,), (3, 4), (1,)])))
    value = elements(rng, draw(st.sampled_from([index.shape, (), (3,)])), dtype)
    axis = draw(st.integers(-x.ndim, x.ndim - 1))
    lines = list(draw(st.sampled_from([shape, tuple(1 for _ in shape)])))
    lines[axis] = draw(st.sampled_from([1, 3, 50]))
    along = draw(st.sampled_from(LAYOUTS))(rng.integers(-shape[axis], shape[axis], lines))
    other = elements(rng, draw(st.sampled_from([along.shape, ()])), dtype)
    with machine(team, 256):
        agree(lambda np, x, i, v: np.put(x, i, v, mode), x.copy("K"), target(draw, x), given_as(draw, index),
              given_as(draw, value))
        agree(lambda np, x, i, v: np.put_along_axis(x, i, v, axis), x.copy("K"), target(draw, x),
              given_as(draw, along), given_as(draw, other))


@pytest.mark.parametrize("dtype", ["i2", "i8"])
@pytest.mark.parametrize("given_as", [lambda x: x, la.asarray])
def test_arrays_that_lie_the_other_way_round(dtype, given_as):
    """Memory order determines which repeated index wins, and which index an error names."""
    places, value = np.ones(50, dtype)[::-1], np.arange(50.0)[::-1]
    expected, x = np.zeros((5, 6)), la.zeros((5, 6))
    expected[places, places] = value
    x[given_as(places), given_as(places)] = given_as(value)
    np.testing.assert_array_equal(x.numpy(), expected)
    outside = np.array([-6, 1, 5], dtype)[::-1]
    with pytest.raises(IndexError) as error:
        np.add.at(expected, outside, 1)
    with pytest.raises(IndexError, match=re.escape(str(error.value))):
        la.add.at(x, given_as(outside), 1)


@settings(deadline=None)
@given(st.integers(0, 1000), st.sampled_from([1, 2, 5]), st.sampled_from([None, np.add, np.maximum]),
       st.sampled_from(["i4", "f8"]), st.booleans())
def test_the_kernel_computes_what_its_reference_does(seed, team, operation, dtype, walks):
    rng = np.random.default_rng(seed)
    x, value = elements(rng, (6, 5, 4), dtype), elements(rng, (900, 6, 4), dtype)
    i = rng.integers(-5, 5, 900)
    want = reference_kernels.scatter(x, value, i, operation)
    if walks:  # a copy whose first axis lies farther apart than the places
        got = x.copy()
    else:
        got = x.swapaxes(0, 1).copy().swapaxes(0, 1)
    assert core.kernels.scatter.scatter(got, value, (i,), (900,), (-1,), (1,), (0, 2), 0, operation) == 0
    np.testing.assert_array_equal(got, want)
    before = got.copy()
    i[700] = 5
    assert core.kernels.scatter.scatter(got, value, (i,), (900,), (-1,), (1,), (0, 2), 0, operation) == -1
    np.testing.assert_array_equal(got, before)


def test_nothing_is_copied_where_nobody_needs_the_old_values():
    x, i = la.zeros((400, 300)), la.asarray(np.arange(350))
    for change in (lambda: x.__setitem__(i, 1), lambda: la.add.at(x, i, la.ones(300)),
                   lambda: la.put_along_axis(x, la.zeros((400, 10), int), 3.0, 1)):
        la.evaluate(x)
        at = x.numpy().ctypes.data
        change()
        assert x.numpy().ctypes.data == at
    y = x + 1
    old = x.numpy().copy()
    x[i] = 7
    np.testing.assert_array_equal(y.numpy(), old + 1)


@pytest.mark.parametrize("pending", [False, True])
def test_parts_of_an_array_are_read_before_it_changes(pending):
    for change in (lambda x, i: x.__setitem__(i, x[::-1]), lambda x, i: np.add.at(x, i, x[::-1]),
                   lambda x, i: x.__setitem__((x[0] % 30).astype(int), x[:3])):
        want = np.arange(90.0).reshape(30, 3)
        got = la.array(want) + 0 if pending else la.array(want)
        for x in (want, got):
            change(x, np.arange(30) * 7 % 30)
        assert_same(got, want)


def test_keys_without_arrays():
    for key in ((), (slice(None),), (2,), (slice(1, 3), 0), ...):
        want = np.arange(20.0).reshape(5, 4)
        got = la.array(want)
        np.add.at(want, key, 1)
        la.add.at(got, key, 1)
        assert_same(got, want)


@pytest.mark.parametrize("state", ["warn", "raise", "ignore"])
@pytest.mark.parametrize("pending", [False, True])
def test_flags_are_reported_as_numpy_does(state, pending):
    for shape, i, factor in (((3,), [0, 0], np.float64(1e300)), ((3,), [0, 0], np.float32(1e30)),
                             ((3,), [[0, 0]], np.float64(1e300)), ((3,), [[0, 0]], np.full((1, 2), 1e300)),
                             ((3, 2), [0, 0], np.float64(1e300))):
        data = np.full(shape, 1e308)
        messages = []
        for np_, x in ((np, data.copy()), (la, la.asarray(data) * 1 if pending else la.array(data))):
            with np.errstate(over=state), warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                try:
                    np_.multiply.at(x, i, factor)
                    messages.append(np.asarray(x if np_ is np else x.numpy()))
                except FloatingPointError as error:
                    messages.append(str(error))
            messages[-1] = str(messages[-1]), [str(warning.message) for warning in seen]
            assert np.asarray(x).ravel()[0] == np.inf
        assert messages[0] == messages[1]


@pytest.mark.parametrize("ufunc", [np.add, np.multiply, np.maximum])
def test_a_line_at_indices_of_two_axes_is_spread_out(ufunc):
    """NumPy 2.4 reads beyond the line."""
    x, indices, line = np.array([1.0, 2.0, 3.0]), np.array([[1, 1], [0, 2]]), np.array([2.0, 3.0])
    made, expected = la.array(x), x.copy()
    ufunc.at(made, indices, la.array(line))
    ufunc.at(expected, indices, np.broadcast_to(line, (2, 2)))
    np.testing.assert_array_equal(made, expected)
