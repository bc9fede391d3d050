"""Evaluation on a background thread computes the values at the time of the call, before later writes."""
import sys

import numpy as np
import pytest

import lazyarr as la
from lazyarr.runtime.streams import engine as _engine

SIZE = 100_000
SECONDS = 20.0      # longer than anything takes here


@pytest.fixture(params=[5e-3, 1e-5], autouse=True)
def switch_interval(request):
    """Switch threads at the default interval, and all the time."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(request.param)
    yield
    sys.setswitchinterval(before)
    _engine.wait_all()


def ramp(n=SIZE):
    """Return 0, 1, 2, ... in its own memory."""
    return la.array(np.arange(float(n)))


@pytest.mark.parametrize("write", [
    lambda x: x.__setitem__(0, -1), lambda x: x.__iadd__(5), lambda x: x[10:].__setitem__(slice(None), 7),
    lambda x: np.multiply(x, 3, out=x), lambda x: x.fill(2), lambda x: np.copyto(x, 4), lambda x: x.sort(),
    lambda x: np.asarray(x).__setitem__(slice(None), 9), lambda x: np.put(x, [3], 8), lambda x: x.__setitem__(x > 5, 0),
    lambda x: x[::2].__imul__(2), lambda x: x.reshape(2, -1)[1].__setitem__(0, -8),
])
@pytest.mark.parametrize("size", [64, SIZE])
def test_writes_after_the_call(write, size):
    """Writes to an operand and to the array itself are neither seen nor lost."""
    start = np.arange(float(size))[::-1].copy()
    for k in range(24):
        x = la.array(start) if k % 2 else la.array(start) + 0
        y = np.sqrt(x * 2 + k).cumsum() + x[::-1]
        z = x[1:] * 3
        kept = y.copy()
        futures = [la.evaluate_async(y, z), kept.evaluate_async()]
        write(x)
        write(y)
        values = start * 1
        write(values)
        seen = np.sqrt(start * 2 + k).cumsum() + start[::-1]
        np.testing.assert_array_equal(futures[1].result(SECONDS).numpy(), seen)
        np.testing.assert_array_equal(x.numpy(), values)
        write(seen)
        assert futures[0].result(SECONDS)[0] is y
        np.testing.assert_array_equal(y.numpy(), seen)
        np.testing.assert_array_equal(z.numpy(), start[1:] * 3)


@pytest.mark.parametrize("size", [64, SIZE])
def test_writes_through_lent_memory(size):
    for k in range(24):
        x = la.array(np.arange(float(size)))
        lent = np.asarray(x)
        y = x * 2 + k
        future = y.evaluate_async()
        lent[:] = -1
        again = (x + 1).evaluate_async()
        lent[0] = 5
        np.testing.assert_array_equal(future.result(SECONDS).numpy(), np.arange(float(size)) * 2 + k)
        np.testing.assert_array_equal(again.result(SECONDS).numpy(), np.zeros(size))
        assert float(x[0]) == 5


def test_memory_lent_while_it_is_evaluated():
    for k in range(40):
        x = ramp() + k
        la.evaluate(x)
        future = np.sqrt(x * x).evaluate_async()
        np.asarray(x)[:] = -1
        np.testing.assert_array_equal(future.result(SECONDS).numpy(), np.arange(float(SIZE)) + k)


def test_a_chain_of_evaluations_and_writes():
    x, known, futures = ramp(1000), np.arange(1000.0), []
    for k in range(300):
        x += k
        known += k
        futures.append((x.sum().evaluate_async(), known.sum()))
        x[k] = -k
        known[k] = -k
    for future, value in futures:
        assert float(future.result(SECONDS)) == value
    np.testing.assert_array_equal(x.numpy(), known)
