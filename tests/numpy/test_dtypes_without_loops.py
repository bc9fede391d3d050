"""Dtypes without native loops: strings, times, bytes, objects; and scalars passed as values."""

import gc

import numpy as np
import pytest

import lazyarr as la

STRINGS = ["x" * 40, "y" * 50, "short"]


@pytest.mark.parametrize("copied", [
    lambda x: x.copy(), lambda x: x[::-1].copy(), lambda x: x[:2].copy(), lambda x: np.concatenate([x, x])[1:],
    lambda x: np.concatenate([x, x]).reshape(2, 3).T, lambda x: np.stack([x, x])[:, 1:].copy()])
def test_copies_of_long_strings_have_memory_of_their_own(copied):
    x, dtype = np.array(STRINGS, np.dtypes.StringDType()), np.dtypes.StringDType()
    lazy = la.array(x)
    made, expected = copied(lazy), copied(x).tolist()
    assert made.tolist() == expected
    lazy[0] = "w" * 60
    assert lazy.tolist() == ["w" * 60, *STRINGS[1:]]
    del lazy
    gc.collect()
    assert made.tolist() == expected
    assert made.dtype == dtype
    assert (made == copied(x)).all()


@pytest.mark.parametrize("dtype", ["m8[s]", "m8[D]"])
@pytest.mark.parametrize("function", [np.cumsum, np.maximum.accumulate, np.minimum.accumulate, np.add.accumulate])
def test_times_accumulate(function, dtype):
    x = np.array([3, -1, 4, -1, 5], dtype)
    np.testing.assert_array_equal(function(la.array(x)), function(x), strict=True)


def test_dates_accumulate():
    x = np.array(["2020-01-02", "2020-01-01"], "M8[D]")
    np.testing.assert_array_equal(np.maximum.accumulate(la.array(x)), np.maximum.accumulate(x), strict=True)


def test_products_of_objects():
    x = np.array([1, 2, 3], object)
    assert (la.array(x) @ la.array(x)).tolist() == 14
    np.testing.assert_array_equal(la.array(x.reshape(3, 1)) @ la.array(x.reshape(1, 3)), np.outer(x, x))


@pytest.mark.parametrize("dtype", ["V4", "i4,O", "i4,f8"])
def test_other_libraries_get_the_dtype(dtype):
    x = np.zeros(2, dtype)
    got = np.asarray(la.array(x))
    assert got.dtype == x.dtype
    assert got.tolist() == x.tolist()


@pytest.mark.parametrize("axis", [None, 0, -1])
def test_numbers_are_repeated(axis):
    for x in (np.array(3), np.arange(4).sum()):
        np.testing.assert_array_equal(np.repeat(la.array(x), 2, axis), np.repeat(x, 2, axis), strict=True)
    with pytest.raises(np.exceptions.AxisError):
        np.repeat(la.array(3), 2, 1)


@pytest.mark.parametrize("function", [np.putmask, np.place])
@pytest.mark.parametrize("dtype", ["f4", "i4", "?", "u1"])
@pytest.mark.parametrize("value", [np.float64(2.5), np.int16(3), np.bool_(True)])
def test_scalars_are_converted_as_values(function, dtype, value):
    mask, expected = np.array([True, False, True]), np.zeros(3, dtype)
    function(expected, mask, value)
    for given in (value, la.array([value, value])[0], la.array([value])[0] + 0):
        made = la.zeros(3, dtype=dtype)
        function(made, mask, given)
        np.testing.assert_array_equal(made, expected, strict=True)
