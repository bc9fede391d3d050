"""Non-temporal loads and stores, forced for small operands."""

import warnings

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core.tile import tiling
from support.lazy_helpers import assert_same

SIZES = [1, 15, 64, 1000, 4097, 50_001]
PROGRAMS = {
    "chain": lambda xp, x, y: xp.exp(-x) * y + x / (y + 1.5),
    "pair": lambda xp, x, y: x * y + 3,
    "integer result": lambda xp, x, y: (x * 10).astype("int16"),
    "mask": lambda xp, x, y: (x > y) & (x != 0),
    "view": lambda xp, x, y: x[1:] - y[:-1],
    "strided": lambda xp, x, y: x[::2] * y[::-1][::2],
    "broadcast": lambda xp, x, y: x[:, None] + y[:3],
    "fold": lambda xp, x, y: xp.max(x * y + x),
}


@pytest.fixture(autouse=True)
def everything_streams():
    before = tiling.set_stream_bytes(0, 0)
    yield
    tiling.set_stream_bytes(*before)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_results(name, size, dtype):
    x, y = np.random.default_rng(size).random((2, size)).astype(dtype)
    assert_same(PROGRAMS[name](la, la.asarray(x), la.asarray(y)), PROGRAMS[name](np, x, y))


@pytest.mark.parametrize("size", SIZES)
def test_in_place(size):
    x, y = np.random.default_rng(size).random((2, size))
    lx = la.array(x)
    for a in (x, lx):
        a += y
        a *= 2 - a
        a[1:] = a[:-1] * 3
    assert_same(lx, x)


def in_place(xp, x, y, shift):
    """Apply updates that are fused into one step."""
    x[shift:] *= 2
    for k in range(3):
        x[shift:] -= y[shift:] * (x[shift:] + k)
        x[shift:] /= y[:len(y) - shift] + 0.5
    y += x * x - 1
    x[0] = 1


@pytest.mark.parametrize("streams", [True, False])
@pytest.mark.parametrize("shift", [0, 1])
@pytest.mark.parametrize("value", [1e-300, 1e300, np.inf, np.nan, -0.5])
def test_flags_of_long_updates_in_place(value, shift, streams):
    told = []
    if not streams:
        tiling.set_stream_bytes(1 << 40, 1 << 40)
    x, y = np.random.default_rng(0).random((2, 3000))
    x[2000] = y[1500] = value
    lx, ly = la.array(x), la.array(y)
    for xp, a, b in ((np, x, y), (la, lx, ly)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            in_place(xp, a, b, shift)
            la.evaluate(lx, ly)
        told.append({str(warning.message) for warning in caught})
    assert told[0] == told[1]
    assert_same(lx, x)
    assert_same(ly, y)


def test_memory_that_is_no_multiple_of_a_line():
    x = np.random.default_rng(0).random(5000)
    out = np.empty(5007)[3:-4]
    np.multiply(la.asarray(x), 2, out=out)
    assert_same(la.asarray(out), x * 2)
