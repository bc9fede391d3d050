"""Native products of matrices against NumPy's, over layouts, stacks, sizes of vectors and numbers of threads."""

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core import gemm

DTYPES = ["float32", "float64", "complex64", "complex128", "int32", "int64", "uint32", "uint64"]
EXTENTS = [2, 3, 7, 14, 15, 33, 64, 100]


@pytest.fixture(params=[0, 1, 2], ids=["128 bits", "256 bits", "512 bits"])
def width(request):
    before = gemm.set_width(request.param)
    yield request.param
    gemm.set_width(before)


def matrices(rng, shape, dtype):
    """Small integers, whose products are exact, in one of several layouts."""
    x = rng.integers(-4, 5, shape).astype(dtype)
    if x.dtype.kind == "c":
        x = x + rng.integers(-4, 5, shape).astype(dtype) * 1j
    layout = rng.integers(5)
    if layout == 0:
        return np.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2)
    if layout == 1:
        return np.repeat(x, 2, axis=-1)[..., ::2]
    if layout == 2:
        return x[..., ::-1, ::-1]
    if layout == 3:  # rows that would drive each other out of the first cache
        padded = np.zeros((*shape[:-1], 4096 // x.itemsize * (1 + shape[-1] * x.itemsize // 4096)), dtype)
        padded[..., : shape[-1]] = x
        return padded[..., : shape[-1]]
    return x


@pytest.mark.parametrize("dtype", DTYPES)
def test_exact_products(width, dtype):
    rng = np.random.default_rng(width)
    for _ in range(60):
        m, k, n = rng.choice(EXTENTS, 3)
        stack = [(), (), (3,), (2, 3)][rng.integers(4)]
        a = matrices(rng, (*stack, m, k), dtype)
        b = matrices(rng, (*(stack if rng.integers(2) else stack[1:] and (1, stack[1])), k, n), dtype)
        with la.config(num_threads=int(rng.integers(1, 4))):
            got = la.asarray(a) @ la.asarray(b)
            np.testing.assert_array_equal(got, a @ b)
        assert got.dtype == dtype
        assert got.strides == (a @ b).strides


@pytest.mark.parametrize("dtype", DTYPES[:4])
@pytest.mark.parametrize("extents", [(300, 500, 400), (60, 3000, 60), (1000, 40, 33)])
def test_rounding_is_no_worse_than_numpys(width, dtype, extents):
    rng = np.random.default_rng(1)
    m, k, n = extents
    a, b = (rng.standard_normal(shape).astype(dtype) for shape in ((m, k), (k, n)))
    exact = a.astype(np.clongdouble if a.dtype.kind == "c" else np.longdouble) @ b
    errors = [np.sqrt(np.mean(np.abs(product - exact) ** 2)) for product in (np.asarray(la.asarray(a) @ b), a @ b)]
    assert errors[0] <= 1.05 * errors[1]


@pytest.mark.parametrize("extents", [(64, 64, 64), (30, 700, 500), (700, 30, 20)])
def test_any_number_of_threads_gives_the_same_bits(extents):
    rng = np.random.default_rng(2)
    m, k, n = extents
    a, b = rng.standard_normal((m, k)), rng.standard_normal((k, n))
    results = []
    for threads in (1, 2, 3, 5):
        with la.config(num_threads=threads):
            results.append((la.asarray(a) @ b).tobytes())
    assert len(set(results)) == 1


def test_flags_are_reported_as_numpy_reports_them():
    a, b = np.full((4, 4), 1e300), np.array([[np.inf, 0.0], [0.0, 1.0]])
    with pytest.warns(RuntimeWarning, match="overflow encountered in matmul"):
        (la.asarray(a) @ a).numpy()
    with pytest.warns(RuntimeWarning, match="invalid value encountered in matmul"):
        (la.asarray(b) @ b[::-1]).numpy()
    with np.errstate(all="raise"):
        pending = la.asarray(a) @ a
    for _ in range(2):
        with pytest.raises(FloatingPointError, match="overflow encountered in matmul") as error:
            pending.numpy()
        assert len(error.value.__notes__) == 1
    with np.errstate(all="ignore"):
        assert np.isinf(la.asarray(a) @ a).all()


def test_columns_beyond_the_last_raise_no_flags(width):
    a = np.full((3, 5), np.inf, np.float32)
    b = np.ones((5, 3), np.float32)
    with np.errstate(all="raise"):
        np.testing.assert_array_equal(la.asarray(a) @ b, np.full((3, 3), np.inf))


@pytest.mark.parametrize("dtype", ["float64", "complex64"])
def test_symmetric_products_are_symmetric(dtype):
    x = np.random.default_rng(3).standard_normal((40, 30)).astype(dtype)
    lazy = la.asarray(x)
    np.testing.assert_array_equal(lazy @ lazy.T, x @ x.T)
    np.testing.assert_array_equal(lazy.T @ lazy, x.T @ x)


@pytest.mark.parametrize("shape", [(3, 3), (0, 0), (2, 3, 3)])
@pytest.mark.parametrize("dtypes", [(">f8", ">f8"), (">f8", "f8"), ("f2", "f2"), ("O", "O"), ("g", "f4"), ("i2", "?")])
def test_operands_without_native_products(dtypes, shape):
    a, b = (np.arange(np.prod(shape)).reshape(shape).astype(dtype) for dtype in dtypes)
    got = la.asarray(a) @ la.asarray(b)
    assert got.dtype == (a @ b).dtype
    np.testing.assert_array_equal(got, a @ b)


def test_nothing_is_evaluated_and_operands_of_other_dtypes_are_cast():
    x, y = la.ones((4, 6), "int16"), la.ones((6, 3), "float32")
    with la.no_evaluation():
        z = (x @ y + 1) * 2
    np.testing.assert_array_equal(z, np.full((4, 3), 14, "float32"))
