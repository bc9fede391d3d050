"""Cumulative sums and products, and argmin and argmax: along every axis, in every layout, bit for bit like NumPy."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lazyarr as la
from lazyarr._core.host import allocator
from support.sample_values import tied

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
            # which of two NaNs is propagated depends on the compiler
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


def test_of_objects():
    x = np.array([[1, 2.5], [3, "a"]], dtype=object)
    for axis in (0, 1, None):
        with pytest.raises(TypeError):
            la.cumsum(la.asarray(x), axis)
    x[1, 1] = 7
    for axis in (0, 1, None):
        np.testing.assert_array_equal(la.cumsum(la.asarray(x), axis), np.cumsum(x, axis), strict=True)
        np.testing.assert_array_equal(la.cumprod(la.asarray(x), axis, float), np.cumprod(x, axis, float), strict=True)
    np.testing.assert_array_equal(la.add.accumulate(la.asarray(x), 1), np.add.accumulate(x, 1), strict=True)


def test_it_waits():
    x = la.ones((3, 4))
    with la.no_evaluation():
        pending = la.cumsum(x * 2, 1) + 1
    x[...] = 5
    assert_same(pending, np.cumsum(np.full((3, 4), 2.0), 1) + 1)


# argmin and argmax.

@pytest.mark.parametrize("dtype", "?bBhHiIlLefdgFDG")
def test_argmax_and_argmin_along_every_axis(dtype):
    rng = np.random.default_rng(0)
    for shape in [(1,), (7,), (5, 300), (300, 5), (70, 3, 33), (2, 1, 65), (4000, 1), (3, 0, 2), (600, 3), (3, 600)]:
        for x in layouts(tied(rng, shape, dtype)):
            for axis in [axis for axis in (*range(-1, x.ndim), None) if x.size or axis == 0]:
                for name in ("argmax", "argmin"):
                    expected = getattr(np, name)(x, axis)
                    with la.config(num_threads=int(rng.integers(1, 4))):
                        got = getattr(la, name)(la.asarray(x), axis)
                    np.testing.assert_array_equal(got, expected, strict=True)
                    kept = getattr(la, name)(la.asarray(x), axis, keepdims=True)
                    np.testing.assert_array_equal(kept, getattr(np, name)(x, axis, keepdims=True), strict=True)
                    assert got.strides == expected.strides


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
@pytest.mark.parametrize("dtype", "?hlefdgFD")
def test_long_lines_are_searched_in_chunks(dtype, threads):
    rng = np.random.default_rng(threads)
    for special in (False, True):
        x = tied(rng, (2, 70_000), dtype, 30_000)
        if x.dtype.kind in "fc" and not special:
            x = np.where(np.isnan(x), 0, x).astype(dtype)
        for lines, axis in ((x, 1), (np.ascontiguousarray(x.T), 0), (x[:1, ::-1], 1), (x[0], 0),
                            (x, None), (x.T, None)):
            for name in ("argmax", "argmin"):
                with la.config(num_threads=threads):
                    got = getattr(la, name)(la.asarray(lines), axis).numpy()
                np.testing.assert_array_equal(got, getattr(np, name)(lines, axis))


# Operations on the elements are fused with them.

EXPRESSIONS = ["x * 3", "x + y", "x * y - x", "y", "np.sqrt(abs(x) + y.T.T)", "x.T + 1", "x[::-1] - y",
               "(x + y)[..., ::2]", "np.where(x > y, x, -y)", "x + y.mean(-1, keepdims=True)", "-x[..., :1] + 0 * y"]


@given(st.data())
def test_of_computed_elements(data):
    shape = tuple(data.draw(st.lists(st.sampled_from([1, 2, 3, 7, 40]), min_size=1, max_size=3)))
    stretched = data.draw(st.sampled_from([None, *range(len(shape))]))
    if stretched is not None:
        factor = data.draw(st.sampled_from([13, 500, 3000]))
        shape = tuple(n * factor if d == stretched and math.prod(shape) * factor < 300_000 else n
                      for d, n in enumerate(shape))
    dtype = data.draw(st.sampled_from(["int8", "int32", "int64", "float32", "float64", "complex64", "float16"]))
    rng = np.random.default_rng(data.draw(st.integers(0, 9)))
    x, y = tied(rng, shape, dtype), tied(rng, shape, dtype)
    x, y = (data.draw(st.sampled_from([a, np.asfortranarray(a), np.repeat(a, 2, 0)[::2]])) for a in (x, y))
    text = data.draw(st.sampled_from(EXPRESSIONS))
    axis = data.draw(st.sampled_from([None, *range(-1, len(shape))]))
    outer = data.draw(st.sampled_from(["f(e, a)", "f(e, a) + e.sum()", "f(f(e, a) * 1, 0) if a is not None else f(e)",
                                       "np.argmax(e, a) - np.argmin(e, a)", "e.cumsum(a) - e.cumprod(a)"]))
    name = data.draw(st.sampled_from(["argmax", "argmin", "cumsum", "cumprod"]))
    threads = data.draw(st.integers(1, 3))
    results = []
    for xp in (np, la.numpy):
        with np.errstate(all="ignore"), la.config(num_threads=threads):
            scope = {"np": xp, "x": xp.asarray(x), "y": xp.asarray(y), "f": getattr(xp, name), "a": axis}
            try:
                scope["e"] = eval(text, scope)
                results.append(np.asarray(eval(outer, scope)))
            except (ValueError, TypeError) as error:
                results.append(type(error))
    expected, got = results
    if isinstance(expected, type):
        assert got is expected
        return
    assert (got.dtype, got.shape, got.strides) == (expected.dtype, expected.shape, expected.strides)
    if "sum(" in outer or "mean" in text:  # sums need not be rounded as NumPy's
        np.testing.assert_allclose(got, expected, rtol=1e-2)
    else:
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("shape", [(1_000_000,), (1000, 1000), (10, 100_000), (100_000, 10), (100, 100, 100)])
@pytest.mark.parametrize("name", ["argmax", "argmin", "cumsum"])
def test_what_they_are_made_of_is_not_stored(name, shape):
    x = la.asarray(np.linspace(0, 1, math.prod(shape)).reshape(shape))
    for axis in (*range(len(shape)), None):
        pending = getattr(la, name)(x * 2 - 1, axis)
        before = allocator.stats()["live_bytes"]
        allocator.reset_peak()
        result = pending.numpy()
        assert allocator.stats()["peak_bytes"] - before <= result.nbytes + (1 << 20)
