"""Calls whose workspace only fits after values are evicted, and tables that are evicted first."""

import importlib
import warnings

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core.host import device_memory
from support.devices import copies
from support.full_device import Full

RNG = np.random.default_rng(3)
N = 20_000
A = RNG.random(N)
INDICES = RNG.integers(0, N, 500)
LARGE = 1 << 40     # bytes, of a device with room for all


@pytest.fixture(params=["opencl", "cuda"])
def device(request):
    """The module of a driver's device; skips the test if there is none."""
    return importlib.import_module(f"support.{request.param}_device")


@pytest.fixture
def full(device, monkeypatch):
    """The device's memory, whose free space tests set."""
    memory = Full(device.DRIVER, LARGE)
    monkeypatch.setattr(device.DRIVER, "allocate", memory.allocate)
    clear(device.DRIVER)
    yield memory
    clear(device.DRIVER)


def clear(driver):
    """Free what calls have left on the device."""
    driver.tables.clear()
    driver.clear_status.clear()


def on_device(device, k):
    """Return an array that is only on the device."""
    x = device.there(A) + k
    la.evaluate(x)
    return x


def written(x, places):
    y = x * 1
    y[places] = 7.0
    return y


CALLS = {
    "sort": lambda x, places: np.sort(x),
    "argsort": lambda x, places: np.argsort(x, stable=True),
    "fft": lambda x, places: np.fft.fft(x),
    "rfft": lambda x, places: np.fft.rfft(x),
    "cumsum": lambda x, places: np.cumsum(x),
    "setitem": written,
    "histogram": lambda x, places: np.histogram(x, 10, (0.0, 1.0))[0],
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_values_leave_the_device_for_workspace(device, full, call):
    x, places = on_device(device, 0), device.there(INDICES)
    la.evaluate(places)

    def evaluated():
        result = call(x, places)
        la.evaluate(result)
        return result

    clear(device.DRIVER)
    full.least = before = full.room
    evaluated()
    need = before - full.least
    kept = [on_device(device, k) for k in range(3)]
    clear(device.DRIVER)
    full.room = need - 1     # the last piece of workspace does not fit
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        got = evaluated()
    assert full.failures
    assert not device.DRIVER.host_steps
    full.room = LARGE
    np.testing.assert_allclose(got.numpy(), call(A, INDICES), rtol=1e-12, atol=1e-10)
    for k, y in enumerate(kept):
        np.testing.assert_array_equal(y.numpy(), A + k)
    np.testing.assert_array_equal(x.numpy(), A)


def live(device):
    return la.devices()[device.NUMBER].memory_stats()["live_bytes"]


def test_tables_count_and_leave_before_values(device, full):
    x, kept = on_device(device, 0), on_device(device, 1)
    before = live(device)
    la.evaluate(np.fft.fft(x))
    assert live(device) == before + 16 * N      # a complex root of unity for each element
    la.evaluate(np.fft.fft(x))
    assert live(device) == before + 16 * N
    full.room = 8 * N - 1
    more = on_device(device, 2)
    assert full.failures
    assert (len(device.DRIVER.tables), live(device)) == (0, before + 8 * N)
    full.room = LARGE
    assert copies(kept.numpy, device.DEVICE) == 1       # it was on the device alone
    np.testing.assert_allclose(np.fft.fft(x).numpy(), np.fft.fft(A), atol=1e-10)
    np.testing.assert_array_equal(more.numpy(), A + 2)


def test_tables_of_a_call_stay_while_it_runs(device, full, monkeypatch):
    driver, found = device.DRIVER, []

    def make():
        found.append(driver.table("inner", lambda: np.arange(3.0)))
        return np.arange(5.0)

    outer = driver.table("outer", make)
    full.room = 0
    with pytest.raises(MemoryError):
        driver.workspace(LARGE)
    assert {*driver.tables} == {"inner", "outer"}
    assert driver.table("outer", None) is outer
    del outer
    with pytest.raises(MemoryError):
        driver.workspace(LARGE)
    assert {*driver.tables} == {"inner"}


def test_the_tables_used_last_are_kept(device, full):
    driver = device.DRIVER
    for k in range(device_memory.MOST_TABLES + 3):
        driver.table(k, lambda: np.arange(3))
        driver.table(0, lambda: np.arange(3))
    assert len(driver.tables) == device_memory.MOST_TABLES
    assert {0, device_memory.MOST_TABLES + 2} < {*driver.tables}
    assert 1 not in driver.tables
