"""Gathers: keys with index arrays, take and take_along_axis, against NumPy."""

import array
import collections

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core import api as core
from support.feature_switches import machine

DTYPES = ["?", "i2", "f4", "i8", "c16", "G"]


def elements(shape, dtype):
    return (np.arange(np.prod(shape)).reshape(shape) % 113).astype(dtype)


def indices(rng, shape, extent, dtype="i8"):
    low = 0 if dtype[0] == "u" else -extent
    return rng.integers(low, extent, shape).astype(dtype)


def layouts(x):
    yield x
    yield np.asfortranarray(x)
    yield x[::-1]
    if x.ndim > 1:
        yield np.repeat(x, 2, axis=1)[:, 1::2, ..., ::-1] if x.ndim > 2 else np.repeat(x, 2, axis=1)[:, 1::2]


def assert_same(got, expected):
    got = got.numpy()
    assert got.dtype == expected.dtype
    assert got.shape == expected.shape
    np.testing.assert_array_equal(got, expected)
    assert [s for s, n in zip(got.strides, got.shape, strict=True) if n > 1] == \
        [s for s, n in zip(expected.strides, expected.shape, strict=True) if n > 1] or not expected.flags.owndata


@pytest.mark.parametrize("dtype", DTYPES)
def test_keys(dtype):
    rng = np.random.default_rng(0)
    for x in layouts(elements((7, 90, 5, 3), dtype)):
        lazy = la.asarray(x)
        i, j, k = indices(rng, (40,), 7), indices(rng, (6, 1), 5, "i2"), indices(rng, (40,), 5, "u4")
        for key in [
            i, i[:0], (slice(None), k), (slice(1, None, 2), k), (i, slice(None), k), (i, k), (i, k, k % 3, k % 3),
            (..., j % 3), (j, j.T), (slice(None), j, j.T % 5), (i, slice(80, 2, -3), k), (i[0:1], k),
            (slice(0, 0), k), (i, 2), (None, i), (i, None, k), (j, 1, slice(2), j.T % 3),
        ]:
            assert_same(lazy[key], x[key])


@pytest.mark.parametrize("item", [
    range(1, 4), range(0), array.array("q", [1, -2]), memoryview(b"\1\3"), bytearray(b"\2"), collections.deque([0, 2]),
    collections.deque([True, False, True, True, False]), collections.UserList([[0], [1]]), "a", b"a", 1.0, {0, 1},
    collections.deque([1.0]), ["a"], [None], (0.5,),
])
@pytest.mark.parametrize("key", [lambda i: i, lambda i: (i,), lambda i: (0, i), lambda i: (i, i), lambda i: (..., i)])
def test_keys_of_other_sequences(item, key):
    def outcome(xp):
        x = xp.array(elements((5, 5), "f8"))
        try:
            read = x[key(item)]
            x[key(item)] = -1
        except IndexError as error:
            return str(error)
        return np.asarray(read).tolist(), np.asarray(x).tolist()

    assert outcome(la) == outcome(la.numpy) == outcome(np)


@pytest.mark.parametrize("dtype", DTYPES)
def test_take(dtype):
    rng = np.random.default_rng(0)
    for shape in [(13,), (4, 700), (3, 5, 6)]:
        for x in layouts(elements(shape, dtype)):
            for axis in (*range(-1, x.ndim), None):
                extent = x.size if axis is None else x.shape[axis]
                for at in [(700,), (3, 4), (), (0,)]:
                    i = indices(rng, at, extent)
                    assert_same(la.take(la.asarray(x), la.asarray(i), axis), x.take(i, axis))
                    for mode in ("wrap", "clip"):
                        far = i * 3 - 5
                        assert_same(la.take(la.asarray(x), far, axis, mode=mode), x.take(far, axis, mode=mode))


@pytest.mark.parametrize("dtype", DTYPES)
def test_take_along_axis(dtype):
    rng = np.random.default_rng(0)
    for shape in [(13,), (40, 70), (3, 5, 6), (1, 5), (5, 1)]:
        for x in layouts(elements(shape, dtype)):
            for axis in range(-1, x.ndim):
                for count in (1, 3, 600):
                    at = list(shape)
                    at[axis] = count
                    for i in (indices(rng, at, shape[axis]), indices(rng, [n if n == count else 1 for n in at],
                                                                     shape[axis], "i4")):
                        assert_same(la.take_along_axis(la.asarray(x), la.asarray(i), axis),
                                    np.take_along_axis(x, i, axis))
            i = indices(rng, (30,), x.size)
            assert_same(la.take_along_axis(la.asarray(x), i, None), np.take_along_axis(x, i, None))


def test_any_number_of_threads():
    rng = np.random.default_rng(0)
    x, i = elements((300, 500), "f4"), rng.integers(-300, 300, 2000)
    for threads in (1, 2, 7):
        with machine(threads, 2):
            out = np.empty((2000, 500), "f4")
            assert core.kernels.gather.gather(out, x, (i,), (2000,), (-1,), (0,), (1,))
            np.testing.assert_array_equal(out, x[i])
            out = np.empty((500, 300), "f4")
            assert core.kernels.gather.gather(out, x, (i[:500],), (500,), (-1,), (1,), (0,))
            np.testing.assert_array_equal(out.T, x[:, i[:500]])
            i[1700] = 300
            out = np.empty((2000, 500), "f4")
            assert not core.kernels.gather.gather(out, x, (i,), (2000,), (-1,), (0,), (1,))
            i[1700] = 0


@pytest.mark.parametrize("call", [
    lambda np, x, i: x[i], lambda np, x, i: x[:, i], lambda np, x, i: x[i, i], lambda np, x, i: np.take(x, i, 0),
    lambda np, x, i: np.take(x, i), lambda np, x, i: np.take_along_axis(x, i.reshape(1, -1), 1)])
@pytest.mark.parametrize("pending", [False, True])
def test_an_index_out_of_bounds_is_raised(call, pending):
    x, i = np.ones((3, 4)), np.array([0, 1, 12, -13])
    with pytest.raises(IndexError) as expected:
        call(np, x, i)
    index = la.asarray(i) + 0 if pending else la.asarray(i)
    with pytest.raises(IndexError) as raised:
        call(la, la.asarray(x), index).numpy()
    assert str(expected.value) in str(raised.value)


@pytest.mark.parametrize("i", [np.ones((2, 2)), np.ones((2, 2), bool), np.ones(2, int), np.ones((3, 2), int)])
def test_indices_that_do_not_fit(i):
    x = np.ones((2, 3))
    with pytest.raises((IndexError, ValueError)) as expected:
        np.take_along_axis(x, i, 1)
    with pytest.raises(type(expected.value)):
        la.take_along_axis(la.asarray(x), la.asarray(i), 1)


@pytest.mark.parametrize("dtype", [">f8", ">i4", ">c8"])
@pytest.mark.parametrize("read", [
    lambda x, i: x[i], lambda x, i: x[i, ...], lambda x, i: np.take(x, i), lambda x, i: np.take(x, i[None]),
    lambda x, i: np.median(x.real) + x[i]], ids=range(5))
def test_single_elements_in_the_other_byte_order(dtype, read):
    x, i = np.arange(3).astype(dtype), np.array(1)
    expected = read(x, i)
    for index in (la.asarray(i), la.asarray(i) * 1):
        made = read(la.asarray(x), index)
        assert made.dtype == expected.dtype
        np.testing.assert_array_equal(made, expected)


@pytest.mark.parametrize("dtype", [">i2", ">i4", ">i8", ">u8"])
def test_indices_of_the_other_byte_order(dtype):
    x, index = np.arange(12.0).reshape(4, 3), np.array([1, 2, 0], dtype)
    for given in (index, la.asarray(index)):
        lazy = la.array(x)
        if dtype != ">u8":    # which NumPy takes for keys alone
            assert_same(np.take(lazy, given, 0), x[index])
            assert_same(np.take(lazy, given), x.ravel()[index])
        assert_same(lazy[given], x[index])
        assert_same(lazy[:, given], x[:, index])
        lazy[given] = 7.0
        np.testing.assert_array_equal(lazy, [[7] * 3] * 3 + [[9, 10, 11]])
        with pytest.raises(IndexError, match="index 256 is out of bounds for axis 0 with size 4"):
            lazy[la.asarray(index) * 0 + np.array(256, dtype)].numpy()
        with pytest.raises(IndexError, match="index 256 is out of bounds for axis 0 with size 4"):
            lazy[np.array([256], dtype)]
