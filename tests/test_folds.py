"""Folds of runs, of short rows and of rows into one row: every pattern, with values that are special to them."""

import numpy as np
import pytest

import lazyarr as la

LENGTHS = [1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 130, 383, 384, 1000, 5000]


def array(dtype, shape, special):
    x = np.random.default_rng(len(shape)).standard_normal(shape).astype(dtype)
    if special:
        flat = x.reshape(-1)
        for k, value in enumerate((np.nan, np.inf, -np.inf, -0.0, 0.0)):
            flat[(k + 1) * 7 % flat.size :: 101] = value
    return x


def cases():
    """Shapes and axes: the folded axis inside, outside, and both."""
    for n in LENGTHS:
        yield (37, n), 1
        yield (n, 37), 0
        yield (n,), 0
    yield from [((20, 70), 0), ((9, 600), 0), ((3, 41, 5, 17), (1, 3)), ((3, 41, 5, 17), (0, 2)), ((5, 4, 600), (0, 1)),
                ((5, 4, 600), 1), ((40, 1, 30), (0, 1)), ((600, 500), 0), ((600, 500), 1), ((2, 300, 2), 1)]


@pytest.mark.parametrize("pending", [False, True])
@pytest.mark.parametrize("special", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_agree_with_numpy(dtype, special, pending):
    for shape, axis in cases():
        x = array(dtype, shape, special and dtype != "int64")
        lazy = la.asarray(x) * 1 if pending else la.asarray(x)
        for name in ("max", "min"):
            expected = getattr(np, name)(x, axis=axis)
            result = getattr(la, name)(lazy, axis=axis).numpy()
            np.testing.assert_array_equal(result, expected, f"{name} {shape} {axis}")
        with np.errstate(invalid="ignore"):
            check_sum(x, lazy, axis)


def check_sum(x, lazy, axis):
    total = la.sum(lazy, axis=axis).numpy()
    assert total.dtype == x.dtype
    if x.dtype == "int64":
        np.testing.assert_array_equal(total, x.sum(axis=axis))
        return
    exact, size = x.sum(axis=axis, dtype="longdouble"), np.abs(x).sum(axis=axis)
    finite = np.isfinite(size)
    np.testing.assert_array_equal(total[~finite], exact[~finite].astype(x.dtype))
    bound = np.finfo(x.dtype).eps * size * max(np.log2(x.size), 1)
    assert np.all(np.abs(total - exact)[finite] <= bound[finite]), (x.shape, axis)


@pytest.mark.parametrize("shape, axis", [((50, 20), 1), ((50, 600), 0), ((50, 100), 0), ((9, 9, 9), (0, 2))])
def test_flags(shape, axis):
    x = np.full(shape, 1e308)
    with pytest.warns(RuntimeWarning, match="overflow encountered in reduce"):
        la.sum(la.asarray(x), axis=axis).numpy()
    x[...] = np.nan
    with np.errstate(all="raise"):
        assert np.isnan(la.max(la.asarray(x), axis=axis).numpy()).all()
        assert np.isnan(la.sum(la.asarray(x), axis=axis).numpy()).all()


@pytest.mark.parametrize("shape, axis", [((600, 500), 0), ((600, 500), 1), ((64, 64, 64), (0, 2)), ((300_000,), 0)])
def test_threads_do_not_show(shape, axis):
    x = array("float32", shape, False)
    threads = la.config.num_threads
    try:
        results = []
        for n in (1, 2, 5):
            la.config.num_threads = n
            results.append(la.sum(la.asarray(x), axis=axis).numpy())
    finally:
        la.config.num_threads = threads
    assert all(np.array_equal(results[0], each) for each in results)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["max", "min"])
def test_signs_of_zeros_are_numpys(name, dtype):
    rng = np.random.default_rng(0)
    for shape, axis in cases():
        x = np.where(rng.random(shape) < 0.5, 0.0, -0.0).astype(dtype)
        if x.size > 4000:
            continue  # in several blocks, which are combined in another order than NumPy's
        expected = np.signbit(getattr(np, name)(x, axis=axis))
        np.testing.assert_array_equal(np.signbit(getattr(la, name)(la.asarray(x), axis=axis).numpy()), expected,
                                      f"{shape} {axis}")
