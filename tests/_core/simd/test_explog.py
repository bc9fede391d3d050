"""float32 exp and log: NumPy's bits and status flags from either loop, and the check that selects the loop."""

import ctypes

import numpy as np
import pytest

import lazyarr as la
from support.numpy_inner_loops import ChecksOfLoops, reported, wide_loop

FUNCTIONS = pytest.mark.parametrize("function", [np.exp, np.log], ids=["exp", "log"])
LIMITS = [2.0**-149, 2.0**-126, 2.0**-24, 0.5**0.5, 1.0, 87.0, 87.33654, 88.72283, 103.97208, 3.4028235e38]
UNUSUAL = [0.0, 1e-45, 1e-39, np.inf, np.nan]
N = 50_000


def bits(x):
    return np.asarray(x).view(np.uint32)


def near(values, ulps):
    """Return each value and its neighbours, with both signs."""
    around = (bits(np.float32(values))[:, None] + np.arange(-ulps, ulps + 1, dtype=np.int32)).astype(np.uint32)
    return np.concatenate([around, around | 0x80000000], axis=None).view(np.float32)


POINTS = {
    "any bits": lambda rng: rng.integers(0, 2**32, 20 * N, dtype=np.uint32).view(np.float32),
    "up to 100": lambda rng: rng.uniform(-100, 100, N),
    "about 0": lambda rng: rng.standard_normal(N),
    "about 1": lambda rng: rng.uniform(0.4, 2.1, N),
    "multiples of ln 2": lambda rng: np.arange(-300, 300) * (np.log(2) / 2),
    "limits": lambda rng: near(LIMITS, 500),
    "masked": lambda rng: np.where(rng.random(N) < 0.5, -np.inf, rng.uniform(-9, 80, N)),
    "some unusual": lambda rng: np.where(rng.random(N) < 0.02, rng.choice(UNUSUAL, N), rng.uniform(0, 80, N)),
}


@pytest.mark.parametrize("kind", POINTS)
@FUNCTIONS
def test_bits(function, kind):
    x = POINTS[kind](np.random.default_rng(0)).astype(np.float32)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(bits(function(la.asarray(x)).numpy()), bits(function(x)))


@pytest.mark.parametrize("n", [*range(1, 35), 63, 64, 65, 79, 80, 81, 128, 150])
@FUNCTIONS
def test_every_length_and_offset(function, n):
    x = np.random.default_rng(n).uniform(0.1, 9, n + 3).astype("f4")
    for value in (3, 0):
        x[n // 2] = value
        for start in range(4):
            part = x[start : start + n]
            with np.errstate(divide="ignore"):
                np.testing.assert_array_equal(bits(function(la.asarray(part)).numpy()), bits(function(part)))


@FUNCTIONS
def test_strides_and_in_place(function):
    x = np.random.default_rng(0).uniform(0.5, 3, (120, 200)).astype("f4")
    for view in (np.s_[::2, ::3], np.s_[::-1, ::-1], np.s_[:, 7:8]):
        np.testing.assert_array_equal(bits(function(la.asarray(x)[view]).numpy()), bits(function(x[view])))
    lazy = la.array(x)
    for y in (lazy, x):
        function(y, out=y)
    np.testing.assert_array_equal(bits(lazy.numpy()), bits(x))


@pytest.mark.parametrize("value", [*UNUSUAL, *LIMITS, 0.5, 3.0, 90.0, 200.0], ids=str)
@FUNCTIONS
def test_flags_of_one_among_ordinary_elements(function, value):
    for v in (value, -value, np.nextafter(np.float32(value), np.float32(0))):
        for at in (0, 40, 69):
            x = np.linspace(0.5, 60, 70, dtype="f4")
            x[at] = v
            assert reported(function, la.asarray(x)) == reported(function, x), (v, at)


@pytest.fixture(params=[np.exp, np.log], ids=["exp", "log"])
def wide(request):
    return wide_loop(request.param, np.float32)


@pytest.mark.parametrize("low, high", [(1e-5, 0.1), (0.5, 0.7), (0.72, 1.4), (5, 9), (60, 80)])
def test_check_rejects_one_wrong_bit(wide, low, high):
    def spoil(x, result):
        for i, v in enumerate(x):
            if low < v < high and not done:
                done.append(v)
                result[i] *= 1 + 2e-7

    done = []
    assert not wide.accepts_spoilt(spoil)
    assert done


def test_check_rejects_another_function(wide):
    assert not wide.accepts({np.exp: np.log, np.log: np.exp}[wide.ufunc])
    assert not wide.accepts(np.sqrt)


def test_check_rejects_a_loop_that_takes_flags_down(wide):
    feclearexcept = ctypes.CDLL(None).feclearexcept
    assert not wide.accepts_spoilt(lambda x, result: set(x) == {1.0} and feclearexcept(0x1D))


class TestCheck(ChecksOfLoops):
    """What every check of a loop does."""
