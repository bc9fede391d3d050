"""exp, log, power and tanh of float64: NumPy's bits and flags from either loop, and the check that selects the loop."""

import math

import numpy as np
import pytest

import lazyarr as la
from support.numpy_inner_loops import ChecksOfLoops, reported, wide_loop

FUNCTIONS = pytest.mark.parametrize("function", [np.exp, np.log, np.tanh], ids=["exp", "log", "tanh"])
LIMITS = [2.0**-1022, 2.0**-65, 2.0**-54, 0.6875, 0.9375, 1.0, float.fromhex("0x1.109p+0"), 1.375, 512.0, 708.3964,
          709.7827, 745.1332, 2.0**63, 0.125, 0.1875, 0.25, 16.0, 24.0, 32.0]
UNUSUAL = [0.0, 5e-324, 1e-310, 1.7e308, np.inf, np.nan]
N = 50_000


def bits(x):
    return np.asarray(x).view(np.int64)


def near(values, ulps):
    """Return each value and its neighbours, with both signs."""
    around = (bits(np.asarray(values, float))[:, None] + np.arange(-ulps, ulps + 1)).ravel().view(np.float64)
    return np.concatenate([around, -around])


POINTS = {
    "any bits": lambda rng: rng.integers(0, 2**64, N, dtype=np.uint64).view(np.float64),
    "up to 10": lambda rng: rng.uniform(-10, 10, N),
    "up to 800": lambda rng: rng.uniform(-800, 800, N),
    "positive": lambda rng: np.exp2(rng.uniform(-1074, 1023, N)),
    "about 1": lambda rng: rng.uniform(0.9, 1.1, N),
    "tiny": lambda rng: rng.choice([-1, 1], N) * np.exp2(rng.uniform(-70, -40, N)),
    "powers of two": lambda rng: np.exp2(rng.integers(-1074, 1024, N).astype(float)),
    "multiples of ln 2 / 256": lambda rng: np.arange(-60000, 60000) * (np.log(2) / 256),
    "limits": lambda rng: near(LIMITS, 500),
    "zeros": lambda rng: rng.choice([0.0, -0.0, 1.0], N),
    "masked": lambda rng: np.where(rng.random(N) < 0.1, -np.inf, rng.uniform(-9, 80, N)),
    "some unusual": lambda rng: np.where(rng.random(N) < 0.02, rng.choice(UNUSUAL, N), rng.uniform(0, 80, N)),
}
PAIRS = {
    "any bits": lambda rng: (POINTS["any bits"](rng), POINTS["any bits"](rng)),
    "moderate": lambda rng: (np.exp2(rng.uniform(-10, 10, N)), rng.uniform(-30, 30, N)),
    "every base": lambda rng: (POINTS["positive"](rng), rng.uniform(-1, 1, N)),
    "about 1": lambda rng: (POINTS["about 1"](rng), rng.uniform(-5000, 5000, N)),
    "next to 1": lambda rng: (near([1.0], N // 8), np.exp2(rng.uniform(0, 62, 2 * (N // 8 * 2 + 1)))),
    "whole exponents": lambda rng: (rng.uniform(-9, 9, N), rng.integers(-20, 20, N).astype(float)),
    "small exponents": lambda rng: (rng.uniform(0, 9, N), np.exp2(rng.uniform(-80, -40, N))),
    "results near the limits": lambda rng: (np.full(N, 2.0), rng.choice([-1, 1], N) * rng.uniform(730, 1080, N)),
    "some unusual": lambda rng: (POINTS["some unusual"](rng), POINTS["some unusual"](rng)[::-1].copy()),
}
EXPONENTS = [-3.0, -2.0, -1.5, -1.0, -0.5, 0.0, 1 / 3, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 10.0, np.inf, np.nan]


@pytest.mark.parametrize("kind", POINTS)
@FUNCTIONS
def test_bits(function, kind):
    x = POINTS[kind](np.random.default_rng(0))
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(bits(function(la.asarray(x)).numpy()), bits(function(x)))


@pytest.mark.parametrize("kind", PAIRS)
@pytest.mark.parametrize("function", [np.power, np.float_power], ids=["power", "float_power"])
def test_bits_of_powers(function, kind):
    x, y = PAIRS[kind](np.random.default_rng(0))
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(bits(function(la.asarray(x), la.asarray(y)).numpy()), bits(function(x, y)))


@pytest.mark.parametrize("scalar", EXPONENTS)
def test_bits_of_powers_with_a_scalar(scalar):
    x = np.random.default_rng(0).uniform(-1, 20, N)
    with np.errstate(all="ignore"):
        for result, expected in (
            (la.asarray(x) ** scalar, x**scalar),
            (scalar ** la.asarray(x), scalar**x),
            (np.power(la.asarray(x), scalar), np.power(x, scalar)),
            (np.float_power(la.asarray(x), scalar), np.float_power(x, scalar)),
        ):
            np.testing.assert_array_equal(bits(result.numpy()), bits(expected))


@pytest.mark.parametrize("n", range(1, 20))
def test_every_length_and_offset(n):
    x = np.random.default_rng(n).uniform(0.1, 9, n + 3)
    for value in (3.0, 0.0):
        x[n // 2] = value
        for start in range(4):
            part = x[start : start + n]
            lazy = la.asarray(part)
            with np.errstate(divide="ignore"):
                for result, expected in ((np.exp(lazy), np.exp(part)), (np.log(lazy), np.log(part)),
                                         (np.tanh(lazy), np.tanh(part)), (lazy**lazy, part**part),
                                         (lazy**1.5, part**1.5)):
                    np.testing.assert_array_equal(bits(result.numpy()), bits(expected))


def test_strides_and_in_place():
    x = np.random.default_rng(0).uniform(0.5, 3, (120, 200))
    for view in (np.s_[::2, ::3], np.s_[::-1, ::-1], np.s_[:, 7:8]):
        part, lazy = x[view], la.asarray(x)[view]
        for result, expected in ((np.exp(lazy), np.exp(part)), (np.log(lazy), np.log(part)),
                                 (np.tanh(lazy), np.tanh(part)), (lazy**lazy, part**part)):
            np.testing.assert_array_equal(bits(result.numpy()), bits(expected))
    lazy = la.array(x)
    for y in (lazy, x):
        np.exp(y, out=y)
        np.power(y, y[0], out=y)
        np.log(y, out=y)
        y **= 1.25
        np.power(2.0, y, out=y)
        np.tanh(y, out=y)
    np.testing.assert_array_equal(bits(lazy.numpy()), bits(x))


@pytest.mark.parametrize("value", [*UNUSUAL, *LIMITS, 3.0, 90.0, 1e4], ids=str)
@pytest.mark.parametrize("function", [np.exp, np.log, np.tanh, lambda x: np.power(x, 1.5), lambda x: np.power(1.5, x)],
                         ids=["exp", "log", "tanh", "power", "power of 1.5"])
def test_flags_of_one_among_ordinary_elements(function, value):
    for v in (value, -value, np.nextafter(value, 0), np.nextafter(value, np.inf)):
        for at in (0, 5, 10):
            x = np.linspace(0.5, 60, 11)
            x[at] = v
            assert reported(function, la.asarray(x)) == reported(function, x), (v, at)


def test_ordinary_elements_raise_no_flag():
    rng = np.random.default_rng(1)
    for kind in ("up to 10", "tiny", "zeros"):
        assert reported(np.exp, la.asarray(POINTS[kind](rng))) == []
        assert reported(np.tanh, la.asarray(POINTS[kind](rng))) == []
    for kind in ("up to 800", "about 1"):
        assert reported(np.log, np.abs(la.asarray(POINTS[kind](rng)))) == []
    for kind in ("moderate", "about 1", "small exponents"):
        x, y = PAIRS[kind](rng)
        assert reported(np.power, la.asarray(x), la.asarray(y)) == []


@pytest.fixture(params=[np.exp, np.log, np.tanh, np.power], ids=["exp", "log", "tanh", "power"])
def wide(request):
    """A ufunc whose wide loop is enabled, with its loop and the loop's data."""
    return wide_loop(request.param, np.float64)


@pytest.mark.parametrize("low, high", [(1e-5, 0.1), (0.2, 0.8), (0.94, 1.06), (1.2, 2.1), (3, 9), (11, 31)])
def test_check_rejects_one_wrong_bit(wide, low, high):
    def spoil(x, result):
        for i, v in enumerate(x):
            if low < v < high and math.isfinite(result[i]) and not done:
                result[i] = math.nextafter(result[i], -math.inf)
                done.append(v)

    done = []
    assert not wide.accepts_spoilt(spoil)
    assert done


def test_check_rejects_another_function(wide):
    assert not wide.accepts({np.exp: np.log, np.log: np.exp, np.tanh: np.sin, np.power: np.multiply}[wide.ufunc])


class TestCheck(ChecksOfLoops):
    """What every check of a loop does."""
