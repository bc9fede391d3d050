"""Native versions of `any`, `all`, `item`, `isscalar` and `isinstance`."""

import numpy as np
import pytest

import lazyarr as la
import lazyarr.numpy as xp
from support import sample_values

CASES = [[0, 0, 0], [0, 1, 0], [1, 2, 3], [-0.0, 0.0], [np.nan, 1], [0, np.nan], [np.inf, -np.inf],
         [0] * 300 + [1], [1] * 300 + [0]]


def outcome(function, *args):
    """Return the type and text of a call's result or exception."""
    try:
        found = function(*args)
    except (ValueError, IndexError, TypeError) as error:
        found = error
    return type(found), str(found)


@pytest.mark.parametrize("dtype", sample_values.DTYPES)
@pytest.mark.parametrize("name", ["any", "all"])
@np.errstate(all="ignore")
def test_truth(name, dtype):
    for case in CASES:
        plain = np.array(case).astype(dtype)
        for view in (lambda x: x, lambda x: x[::-1], lambda x: x[1:], lambda x: x.reshape(1, -1), lambda x: x[:0]):
            for axis in None, 0:
                mine, expected = (getattr(view(x), name)(axis=axis) for x in (xp.array(plain), plain))
                assert type(mine) is type(expected) or isinstance(mine, xp.ndarray)
                assert np.array_equal(mine, expected), (case, axis)


def test_smallest_numbers_are_true():
    for dtype in "float16", "float32", "float64":
        tiny = xp.array([np.finfo(dtype).smallest_subnormal])
        assert tiny.all()
        assert (-tiny).any()


@pytest.mark.parametrize("dtype", sample_values.DTYPES)
def test_item(dtype):
    plain = sample_values.make(dtype, (3, 4), 0)
    for view in (lambda x: x, lambda x: x[1], lambda x: x[::-1, ::2], lambda x: x[:1, :1]):
        mine, expected = view(xp.array(plain)), view(plain)
        calls = [(), (0,), (-1,), (0, 1), (2, -1), (np.int64(1),), ((0, 1),), (9,), (0, 9), (0.5,), (True,), (0, 0, 0)]
        for args in calls:
            assert outcome(mine.item, *args) == outcome(expected.item, *args)


def test_isscalar_and_isinstance():
    class Derived(xp.ndarray):
        pass

    objects = [1, 1.5, "a", b"a", None, [1], (1,), np.float64(1), np.ones(2), np.array(1), xp.ones(2), xp.array(1.5),
               la.ones(3).sum(), object(), np.ones(2).view(Derived), np.matrix([[1]])]
    for x in objects:
        plain = x.numpy()[()] if isinstance(x, la.LazyArray) and not isinstance(x, xp.ndarray) else \
            x.numpy() if isinstance(x, la.LazyArray) else x
        assert xp.isscalar(x) is np.isscalar(plain)
        assert isinstance(x, xp.ndarray) is isinstance(plain, np.ndarray)
        assert isinstance(x, (str, xp.ndarray)) is isinstance(plain, (str, np.ndarray))
    with pytest.raises(TypeError):
        xp.isscalar()
    with pytest.raises(TypeError):
        xp.isscalar(1, 2)
