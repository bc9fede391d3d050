"""Running sums and products, along every axis and in every layout, bit for bit as NumPy's."""

import warnings

import numpy as np
import pytest

import lazyarr as la

DTYPES = "?bBhHiIlLefdFD"
SHAPES = [(1,), (9,), (3, 5), (5, 3), (17, 40), (2000, 3), (3, 2000), (70, 3, 33), (3, 33, 70), (2, 1, 65), (0, 3),
          (3, 0)]


def layouts(x):
    yield x
    yield np.asfortranarray(x)
    yield x[..., ::-1]
    yield np.repeat(x, 2, axis=0)[::2]
    yield np.broadcast_to(x[:1], x.shape)


def assert_same(got, expected):
    got = got.numpy()
    assert (got.dtype, got.shape, got.strides) == (expected.dtype, expected.shape, expected.strides)
    assert got.tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
def test_along_every_axis(dtype):
    rng = np.random.default_rng(0)
    for shape in SHAPES:
        for x in layouts(rng.integers(0, 2, shape).astype(dtype) + rng.integers(0, 50, shape).astype(dtype)):
            for axis in (*range(-1, x.ndim), None):
                for name in ("cumsum", "cumprod"):
                    with np.errstate(all="ignore"), la.config(num_threads=int(rng.integers(1, 4))):
                        assert_same(getattr(la, name)(la.asarray(x), axis), getattr(np, name)(x, axis))
            assert_same(la.subtract.accumulate(la.asarray(x)), np.subtract.accumulate(x)) if dtype != "?" else None


@pytest.mark.parametrize("dtype", "fd")
def test_rounding_and_special_values(dtype):
    rng = np.random.default_rng(1)
    x = rng.standard_normal((40, 200)).astype(dtype)
    x[rng.random(x.shape) < 0.002] = np.inf
    x[rng.random(x.shape) < 0.002] = np.nan
    x[:, ::7] = -0.0
    for axis in (0, 1, None):
        for name in ("cumsum", "cumprod"):
            with np.errstate(all="ignore"):
                expected, got = getattr(np, name)(x, axis), getattr(la, name)(la.asarray(x), axis).numpy()
            np.testing.assert_array_equal(got, expected)
            # which of two NaNs goes on is the compiler's choice
            np.testing.assert_array_equal(np.signbit(got) | np.isnan(got), np.signbit(expected) | np.isnan(got))


@pytest.mark.parametrize("call", [
    "np.cumsum(x)", "np.cumsum(x, 0)", "np.cumprod(x, 1)", "np.cumsum(x.T, 1)", "np.add.accumulate(x)",
    "np.cumsum(x, 0, 'f4')", "np.nancumsum(x)", "np.cumulative_sum(x, axis=0)", "np.multiply.accumulate(x, 1)",
])
def test_warnings_and_errors_are_numpys(call):
    x = np.array([[1e308, 1e308, 1e10], [1e308, 1, -np.inf], [np.inf, 2, np.inf]])
    seen = []
    for xp, array in ((np, x), (la, la.asarray(x))):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            value = np.asarray(eval(call, {"np": xp if xp is np else la.numpy, "x": array}))
        with np.errstate(all="raise"), pytest.raises(FloatingPointError) as error:
            np.asarray(eval(call, {"np": xp if xp is np else la.numpy, "x": array}))
        seen.append((value.tobytes(), {str(w.message) for w in caught}, str(error.value)))
    assert seen[0] == seen[1]


def test_out_and_casts():
    x = np.arange(12, dtype="int16").reshape(3, 4) * 5000
    for dtype in (None, "i4", "f4", "f8", "i2"):
        assert_same(la.cumsum(la.asarray(x), 1, dtype), np.cumsum(x, 1, dtype))
    y, z = np.zeros((3, 4)), la.zeros((3, 4))
    assert la.cumsum(la.asarray(x), 0, out=z) is z
    np.cumsum(x, 0, out=y)
    assert_same(z, y)
    z = la.asarray(y) + 0
    la.cumsum(z, 1, out=z)
    assert_same(z, np.cumsum(y, 1))


def test_it_waits():
    x = la.ones((3, 4))
    with la.no_evaluation():
        pending = la.cumsum(x * 2, 1) + 1
    x[...] = 5
    assert_same(pending, np.cumsum(np.full((3, 4), 2.0), 1) + 1)
