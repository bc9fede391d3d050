"""float64 sin and cos: NumPy's bits and status flags from either loop, and the check that selects the loop."""

import ctypes
import math
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import lazyarr as la
from support.numpy_inner_loops import reported, wide_loop

FUNCTIONS = pytest.mark.parametrize("function", [np.sin, np.cos], ids=["sin", "cos"])
LIMITS = [2.0**-27, 2.0**-26, 0.126, 109.5 / 128, float.fromhex("0x1.368fdp+1"), float.fromhex("0x1.921fbp+26")]
UNUSUAL = [0.0, 5e-324, 1e-310, 2.2250738585072014e-308, 2e8, 1e23, 1.7e308, np.inf, np.nan]
N = 50_000


def near(values, ulps=3):
    """Return each value and its neighbours."""
    bits = np.asarray(values, float).ravel().view(np.int64)
    return (bits[:, None] + np.arange(-ulps, ulps + 1)).ravel().view(np.float64)


POINTS = {
    "up to 1": lambda rng: rng.uniform(-1, 1, N),
    "up to 4": lambda rng: rng.uniform(-4, 4, N),
    "up to 100": lambda rng: rng.uniform(-100, 100, N),
    "up to 1.1e8": lambda rng: rng.uniform(-1.1e8, 1.1e8, N),
    "every size up to 2^28": lambda rng: rng.choice([-1, 1], N) * np.exp2(rng.uniform(-30, 28, N)),
    "every size": lambda rng: rng.choice([-1, 1], N) * np.exp2(rng.uniform(-1074, 1023, N)),
    "any bits": lambda rng: rng.integers(0, 2**64, N, dtype=np.uint64).view(np.float64),
    "quadrants": lambda rng: near(np.arange(-3000, 3000) * (np.pi / 4)),
    "large quadrants": lambda rng: near(rng.integers(1, 2**27, N // 7) * (np.pi / 4)),
    "midpoints": lambda rng: near((np.arange(112) + 0.5) / 128 + np.arange(-30, 30)[:, None] * (np.pi / 2)),
    "limits": lambda rng: near(LIMITS, 2000) * rng.choice([-1, 1], len(LIMITS) * 4001),
    "some unusual": lambda rng: np.where(rng.random(N) < 0.1, rng.choice(UNUSUAL, N), rng.uniform(-50, 50, N)),
    "tiny": lambda rng: rng.choice([-1, 1], N) * np.exp2(rng.uniform(-60, -24, N)),
    "nan and zero": lambda rng: rng.choice([np.nan, -np.nan, 0.0, -0.0, 1.0], N),
}


def bits(x):
    return np.asarray(x).view(np.int64)


@pytest.mark.parametrize("kind", POINTS)
@FUNCTIONS
def test_bits(function, kind):
    x = POINTS[kind](np.random.default_rng(0))
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(bits(function(la.asarray(x)).numpy()), bits(function(x)))


@pytest.mark.parametrize("n", range(1, 41))
@FUNCTIONS
def test_every_length_and_offset(function, n):
    x = np.random.default_rng(n).uniform(-9, 9, n + 3)
    x[n // 2] = 1e9
    for start in range(4):
        part = x[start : start + n]
        np.testing.assert_array_equal(bits(function(la.asarray(part)).numpy()), bits(function(part)))


@pytest.mark.parametrize("view", [np.s_[::2, ::3], np.s_[::-1, ::-1], np.s_[5, None], np.s_[:, 7:8]], ids=str)
@FUNCTIONS
def test_strides(function, view):
    x = np.random.default_rng(0).uniform(-9, 9, (200, 120))
    np.testing.assert_array_equal(bits(function(la.asarray(x)[view]).numpy()), bits(function(x[view])))
    np.testing.assert_array_equal(bits(function(la.asarray(x).T).numpy()), bits(function(x.T)))


@FUNCTIONS
def test_in_place(function):
    x = np.random.default_rng(0).uniform(-9, 9, 1001)
    x[::10] = 1e9
    lazy = la.array(x)
    function(lazy, out=lazy)
    function(lazy[3:], out=lazy[3:])
    function(x, out=x)
    function(x[3:], out=x[3:])
    np.testing.assert_array_equal(bits(lazy.numpy()), bits(x))


@pytest.mark.parametrize("value", [*UNUSUAL, *LIMITS, 1e-3, 0.5, 1.0, 2.0, 3.0, 1e5], ids=str)
@FUNCTIONS
def test_flags_of_one_among_ordinary_elements(function, value):
    for v in (value, -value, np.nextafter(value, 0), np.nextafter(value, np.inf)):
        for at in range(11):
            x = np.linspace(-3, 60, 11)
            x[at] = v
            assert reported(function, la.asarray(x)) == reported(function, x), (v, at)


@FUNCTIONS
def test_ordinary_elements_raise_no_flag(function):
    x = np.concatenate([POINTS[kind](np.random.default_rng(1)) for kind in ("up to 1.1e8", "tiny", "nan and zero")])
    assert reported(function, la.asarray(x)) == []


def test_table_holds_sines_and_cosines():
    text = Path(la.__file__).with_name("_core").joinpath("simd", "sincos_table.h").read_text()
    table = [[float.fromhex(v) for v in row.split(", ")] for row in re.findall(r"\{(-?0x[^}]*)\}", text)]
    assert len(table) == 110
    for k, (sine, sine_rest, cosine, cosine_rest) in enumerate(table):
        series = [Fraction(1)]
        for i in range(1, 30):
            series.append(series[-1] * Fraction(k, 128) / i)
        exact_sine = sum(series[1::4]) - sum(series[3::4])
        exact_cosine = sum(series[0::4]) - sum(series[2::4])
        assert (sine, cosine) == (float(exact_sine), float(exact_cosine))
        assert abs(exact_sine - Fraction(sine) - Fraction(sine_rest)) < Fraction(1, 2**108)
        assert abs(exact_cosine - Fraction(cosine) - Fraction(cosine_rest)) < Fraction(1, 2**108)


@pytest.fixture(params=[np.sin, np.cos], ids=["sin", "cos"])
def wide(request):
    """A ufunc whose wide loop is enabled, with its loop and the loop's data."""
    return wide_loop(request.param, np.float64)


def test_check_accepts_the_same_results(wide):
    assert wide.accepts_spoilt(lambda x, result: None)


@pytest.mark.parametrize("low, high", [(1e-6, 0.1), (0.2, 0.8), (0.9, 2.4), (2.5, 3), (5, 9), (1e5, 1e7), (1e9, 1e308)])
def test_check_rejects_one_wrong_bit(wide, low, high):
    def spoil(x, result):
        for i, v in enumerate(x):
            if low < -v < high and not done:
                result[i] = math.nextafter(result[i], 0)
                done.append(v)

    done = []
    assert not wide.accepts_spoilt(spoil)
    assert done


def test_check_rejects_another_function(wide):
    assert not wide.accepts({np.sin: np.cos, np.cos: np.sin}[wide.ufunc])


@pytest.mark.parametrize("exception", [1, 4, 8, 16], ids=["invalid", "divide", "overflow", "underflow"])
@pytest.mark.parametrize("value", [0.0, 0.25, 1e-3])
def test_check_rejects_another_flag(wide, value, exception):
    feraiseexcept = ctypes.CDLL(None).feraiseexcept
    assert not wide.accepts_spoilt(lambda x, result: value in x and feraiseexcept(exception))


def test_check_leaves_the_status_alone(wide):
    libm = ctypes.CDLL(None)
    libm.feclearexcept(0x1D)
    libm.feraiseexcept(8)
    assert wide.accepts(wide.ufunc)
    assert libm.fetestexcept(0x1D) == 8
    libm.feclearexcept(8)
    assert wide.accepts(wide.ufunc)
    assert libm.fetestexcept(0x1D) == 0


def test_check_rounds_to_nearest(wide):
    libm = ctypes.CDLL(None)
    other = {np.sin: np.cos, np.cos: np.sin}[wide.ufunc]
    libm.fesetround(0x400)  # downwards
    try:
        assert not wide.accepts(other)
        assert libm.fegetround() == 0x400
    finally:
        libm.fesetround(0)
