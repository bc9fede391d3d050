"""Each operation of a graph fails in turn, under each kind of access: nothing is lost, and no invalid value is shown.
"""

import pickle

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core import api
from support import lazy_helpers

START = np.array([3.0, -1.0, 2.0, 0.5, 4.0])


class Injected(OSError):
    """A transient error: the operation may succeed later."""


class Steps:
    """Makes operations that copy an array; one of them fails until it is `repaired`."""

    def __init__(self, failing):
        self.failing, self.count, self.repaired = failing, 0, False

    def __call__(self, x):
        number = self.count
        self.count += 1

        def step(array):
            if number == self.failing and not self.repaired:
                raise Injected("not now")
            return array.copy()

        return api.opaque("step", step, [x], x.shape, x.dtype)


def chain(step, x):
    return step(step(x + 1) * 2) - x


def in_place(step, x):
    x += step(x * 2)
    x *= step(x)
    return x


def window(step, x):
    x[1:] = step(x[:-1])
    x[0] = 5
    return x[::-1] + step(x)


def where(step, x):
    return np.where(step(x) > 1, step(-x), x)


def running(step, x):
    return step(x).cumsum() / step(x).sum()


def gathered(step, x):
    x[[0, 2]] = step(x)[[3, 4]]
    return np.concatenate([x, step(x)[:2]])


PROGRAMS = (chain, in_place, window, where, running, gathered)
LOOKS = {
    "numpy": lambda x: x.numpy(), "asarray": np.asarray, "array": np.array, "memoryview": memoryview,
    "tolist": lambda x: x.tolist(), "bytes": lambda x: x.tobytes(), "repr": repr, "str": str, "iter": list,
    "item": lambda x: x.item(0), "pickle": pickle.dumps, "float": lambda x: float(x[0]), "any": lambda x: bool(x.any()),
    "ctypes": lambda x: x.ctypes.data, "view": lambda x: x.view(np.ma.MaskedArray), "evaluate": la.evaluate,
    "add": lambda x: np.add(np.zeros(x.shape), x).tolist(), "setitem": lambda x: np.zeros(x.shape).__setitem__(..., x),
}


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_each_operation_may_fail(program, look):
    expected = program(lambda a: a.copy(), START.copy())
    count = Steps(-1)
    program(count, la.array(START))
    assert count.count > 1
    for failing in range(count.count):
        steps, x = Steps(failing), la.array(START)
        before = x.numpy()
        result = program(steps, x)
        for _ in range(3):
            with pytest.raises(Injected, match="not now"):
                LOOKS[look](result)
        np.testing.assert_array_equal(before, START)
        steps.repaired = True
        LOOKS[look](result)
        np.testing.assert_array_equal(np.asarray(result), expected)


def test_what_numpy_swallows_is_raised_all_the_same():
    """NumPy tries several protocols, and takes an error of any but the last as a refusal."""
    x = la.asarray(np.array([3, -1]))
    for _ in range(2):
        with pytest.raises(ValueError, match="negative integer powers"):
            np.asarray(x.max() ** x.min())
    y = (lazy_helpers.pending(2) ** np.array(-1)) + 1
    for look in (np.asarray, lambda y: y.tolist(), np.asarray, lambda y: y.tolist()):
        with pytest.raises(ValueError, match="negative integer powers"):
            look(y)
    with np.errstate(all="raise"):
        z = lazy_helpers.pending(1.0) / np.array(0.0)
    for look in (np.asarray, float):
        with pytest.raises(FloatingPointError, match="divide by zero"):
            look(z)


def test_a_write_that_fails_changes_nothing():
    v = la.numpy.array([2, 3])
    with pytest.raises(ValueError, match="negative integer powers"):
        v **= la.numpy.array([-1, 2])
    assert v.tolist() == [2, 3]
