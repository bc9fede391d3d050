"""Folds of runs, of short rows and of rows into one row: every pattern, with special values."""

import operator

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
    """Yield shapes and axes: the folded axis inside, outside, and both."""
    for n in LENGTHS:
        yield (37, n), 1
        yield (n, 37), 0
        yield (n,), 0
    yield from [((20, 70), 0), ((9, 600), 0), ((3, 41, 5, 17), (1, 3)), ((3, 41, 5, 17), (0, 2)), ((5, 4, 600), (0, 1)),
                ((5, 4, 600), 1), ((40, 1, 30), (0, 1)), ((600, 500), 0), ((600, 500), 1), ((2, 300, 2), 1)]
    # folded axes outside kept ones
    yield from [((9, 20, 11, 30), (0, 2)), ((9, 20, 11, 30), (1, 3)), ((3, 7, 90, 90), (0, 2)),
                ((700, 3, 5, 21), (0, 2)), ((700, 3, 40), (0, 2)), ((90, 1, 7, 50), (0, 3)),
                ((9, 8, 7, 6, 50), (0, 2, 4)), ((9, 8, 7, 60, 5), (1, 3)),
                ((5, 7000, 2), (0, 2)), ((80_000, 2, 3), (0, 2))]


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


@pytest.mark.parametrize("seed", range(60))
def test_random_axes_and_layouts_agree_with_numpy(seed):
    rng = np.random.default_rng(seed)
    ndim = int(rng.integers(2, 6))
    shape = rng.integers(1, 1 + int(120_000 ** (1 / ndim)) * 2, ndim)
    shape[rng.integers(ndim)] = rng.choice([1, 2, 3, 20])
    axes = tuple(np.flatnonzero(rng.random(ndim) < 0.5).tolist())
    dtype = str(rng.choice(["float32", "float64", "int64", "complex64"]))
    x = array(dtype, tuple(shape), dtype != "int64" and bool(rng.integers(2)))
    x = x.transpose(rng.permutation(ndim))[tuple([slice(None, None, int(rng.choice([1, 1, 1, 2, -1]))) for _ in shape])]
    lazy = la.asarray(x)
    keepdims = bool(rng.integers(2))
    with np.errstate(invalid="ignore"):
        if rng.integers(2):
            x, lazy = x + x[..., :1], lazy + lazy[..., :1]
        results = [la.max(lazy, axis=axes, keepdims=keepdims), la.sum(lazy, axis=axes, keepdims=keepdims)]
        la.evaluate(*results)
        largest, total = [np.max(x, axis=axes, keepdims=keepdims), np.sum(x, axis=axes, keepdims=keepdims)]
        size = np.abs(x).sum(axis=axes, keepdims=keepdims)
    np.testing.assert_array_equal(results[0].numpy(), largest)
    assert [n for n, k in zip(results[0].strides, largest.shape, strict=True) if k > 1] == \
        [n for n, k in zip(largest.strides, largest.shape, strict=True) if k > 1]
    finite = np.isfinite(size)
    error = np.abs(np.subtract(results[1].numpy(), total, where=finite, out=np.zeros_like(total)))
    assert np.all(error[finite] <= (1e-14 if dtype == "float64" else 1e-6) * size[finite])


def test_sums_of_many_equal_terms_are_no_less_exact_than_numpys():
    # 0.1 in float32: the errors of sequential additions all have one sign
    for shape, axis in [((3000, 20), 0), ((100_000, 3), 0), ((2000, 3, 8, 20), (0, 2)), ((2000, 3, 40), (0, 2)),
                        ((60, 20, 60, 20), (0, 2)), ((60, 20, 60, 20), (1, 3))]:
        x = np.full(shape, 0.1, "float32")
        exact = x.sum(axis=axis, dtype="float64")
        error = np.abs(la.sum(la.asarray(x), axis=axis).numpy() - exact).max()
        assert error <= max(np.abs(x.sum(axis=axis) - exact).max(), 1e-6 * exact.max()), (shape, axis)


@pytest.mark.parametrize("shape, axis", [((600, 500), 0), ((600, 500), 1), ((64, 64, 64), (0, 2)), ((300_000,), 0),
                                         ((40, 20, 20, 30), (0, 2)), ((40, 20, 20, 30), (1, 3)),
                                         ((9000, 3, 40), (0, 2))])
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


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "longdouble"])
@pytest.mark.parametrize("name", ["max", "min", "fmax.reduce", "fmin.reduce"])
def test_signs_of_zeros_are_numpys(name, dtype):
    rng = np.random.default_rng(0)
    for shape, axis in cases():
        x = np.where(rng.random(shape) < 0.5, 0.0, -0.0).astype(dtype)
        if x.size > 4000:
            continue  # in several blocks, which are combined in another order than NumPy's
        function = operator.attrgetter(name)
        expected = np.signbit(function(np)(x, axis=axis))
        np.testing.assert_array_equal(np.signbit(function(la)(la.asarray(x), axis=axis).numpy()), expected,
                                      f"{shape} {axis}")


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "longdouble", "complex64", "complex128"])
def test_sums_of_negative_zeros_are_zeros(dtype):
    for shape, axis in cases():
        x = -np.zeros(shape, dtype)
        for axes in (axis, ()):
            total, expected = la.sum(la.asarray(x), axis=axes).numpy(), np.sum(x, axis=axes)
            np.testing.assert_array_equal(np.signbit(total.real), np.signbit(expected.real), f"{shape} {axes}")
            np.testing.assert_array_equal(np.signbit(total.imag), np.signbit(expected.imag), f"{shape} {axes}")


@pytest.mark.parametrize("initial", [-0.0, 0.0, 1, np.float32(-0.0), complex(0, -0.0)])
def test_sums_begin_with_what_is_given(initial):
    x = -np.zeros((3, 5), "complex64" if isinstance(initial, complex) else "float32")
    for given in (initial, la.array(initial)):
        result = la.sum(la.asarray(x), axis=1, initial=given).numpy()
        assert result.tobytes() == np.sum(x, axis=1, initial=initial).tobytes()


@pytest.mark.parametrize("axis", [0, 1, ()])
@pytest.mark.parametrize("ufunc, values", [
    (np.hypot, [-3.0, -0.0, np.nan]), (np.logaddexp, [-0.0, 2.0, -np.inf]), (np.logaddexp2, [-0.0, 2.0, np.inf]),
    (np.multiply, [complex(np.inf, -0.0), complex(-0.0, -0.0), complex(2, np.nan)])])
def test_folds_of_one_element_begin_with_the_identity(ufunc, values, axis):
    x = np.array([values]).T if axis == 1 else np.array([values])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(ufunc.reduce(la.asarray(x), axis=axis).numpy(), ufunc.reduce(x, axis=axis))
        np.testing.assert_array_equal(np.signbit(np.real(ufunc.reduce(la.asarray(x), axis=axis).numpy())),
                                      np.signbit(np.real(ufunc.reduce(x, axis=axis))))


def test_complex_products_begin_with_what_is_given():
    x = np.array([complex(np.inf, -0.0)])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(np.asarray(la.prod(la.asarray(x), initial=2.0)), np.prod(x, initial=2.0))


def halves(rng, shape):
    """Return float16 numbers whose sum does not overflow, unless there are many."""
    return (rng.standard_normal(shape) * 60 + rng.choice([0, 20])).astype("e")


def check_halves(total, x, axis):
    """Compare a sum of float16 with the exact one, rounded once, up to the errors of float32."""
    exact, size = x.sum(axis=axis, dtype="d"), np.abs(x).sum(axis=axis, dtype="d")
    lost = 64 * np.finfo("f").eps * size
    with np.errstate(over="ignore"):
        least, most = (exact - lost).astype("e"), (exact + lost).astype("e")
    assert total.dtype == np.float16
    assert ((least <= total) & (total <= most)).all()


@pytest.mark.parametrize("pending", [False, True])
def test_sums_of_float16_are_rounded_once(pending):
    rng = np.random.default_rng(0)
    for shape, axis in cases():
        x = halves(rng, shape)
        for view in (lambda x: x, lambda x: x[::-1], lambda x: x[..., ::2]):
            lazy = view(la.asarray(x)) * 1 if pending else view(la.asarray(x))
            with np.errstate(over="ignore"):
                check_halves(la.sum(lazy, axis=axis).numpy(), view(x), axis)


@pytest.mark.parametrize("pending", [False, True])
def test_sums_of_float16_along_memory_have_numpys_bits(pending):
    rng = np.random.default_rng(1)
    for n in (*LENGTHS, 9000):
        x = halves(rng, (37, n))
        lazy = la.asarray(x) * 1 if pending else la.asarray(x)
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(la.sum(lazy, axis=1).numpy(), x.sum(axis=1))
            np.testing.assert_array_equal(la.sum(lazy[0]).numpy(), x[0].sum())


@pytest.mark.parametrize("pending", [False, True])
@pytest.mark.parametrize(("shape", "axis"), [((2, 400), 1), ((400, 2), 0), ((400, 500), 0), ((7, 400, 30), 1),
                                             ((400_000,), 0), ((40, 3, 40), (0, 2)), ((3, 7000, 2), (0, 2))])
def test_partial_sums_of_float16_do_not_overflow(shape, axis, pending):
    x = np.full(shape, 60_000, "e")
    x[..., 1::2] *= -1
    if np.ndim(axis) == 0:
        np.moveaxis(x, axis, 0)[:] = 60_000
        np.moveaxis(x, axis, 0)[1::2] = -60_000
    lazy = la.asarray(x) * 1 if pending else la.asarray(x)
    with np.errstate(all="raise"):
        assert not la.sum(lazy, axis=axis).numpy().any()
        assert not la.mean(lazy, axis=axis).numpy().any()
    with pytest.warns(RuntimeWarning, match="overflow encountered in reduce"):
        assert (la.sum(abs(lazy), axis=axis).numpy() == np.inf).all()
    lazy = lazy * np.inf
    with pytest.warns(RuntimeWarning, match="invalid value encountered in reduce"):
        assert np.isnan(la.sum(lazy, axis=axis).numpy()).all()


@pytest.mark.parametrize("dtype", "efdgFD")
@pytest.mark.parametrize("factors", [2, 5, 8, 20, 100])
def test_products_along_columns_overflow_where_numpys_do(dtype, factors):
    large = np.finfo(dtype).max ** np.longdouble(0.7)
    column = np.resize([large, 1 / large], factors).astype(dtype)
    for width in (1, 3, 8, 40):
        x = np.tile(column[:, None], (1, width))
        for y in (la.asarray(x), la.asarray(x) * 1):
            np.testing.assert_allclose(y.prod(axis=0), x.prod(axis=0), rtol=factors * np.finfo(dtype).eps)
