"""Native matrix products against NumPy's, over layouts, batches, vector sizes and thread counts."""

import functools

import numpy as np
import pytest

import lazyarr as la
import lazyarr.numpy as xp
from lazyarr._core.kernels import gemm
from support.feature_switches import machine

DTYPES = ["float32", "float64", "complex64", "complex128", "int32", "int64", "uint32", "uint64"]
EXTENTS = [2, 3, 7, 14, 15, 33, 64, 100]


@pytest.fixture(params=[0, 1, 2], ids=["128 bits", "256 bits", "512 bits"])
def width(request):
    before = gemm.set_width(request.param)
    yield request.param
    gemm.set_width(before)


def matrices(rng, shape, dtype):
    """Return small integers, whose products are exact, in one of several layouts."""
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


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("small_work", ["wait", "now"])
def test_matrix_and_vector(width, dtype, small_work):
    rng = np.random.default_rng(width)
    for k, n in [(1, 2), (5, 3), (7, 100), (64, 64), (1003, 17), (3, 9000), (40, 20_000), (700, 600), (9000, 5)]:
        matrix, vector = matrices(rng, (k, n), dtype), matrices(rng, (1, k), dtype)
        for a, b in [(vector, matrix), (vector[0], matrix), (matrix.T, vector.T), (matrix.T, vector[0])]:
            with la.config(num_threads=int(rng.integers(1, 4)), small_work=small_work):
                x, y = la.asarray(a), la.asarray(b)
                for got in (x @ y, la.dot(x, y), la.matmul(a, y)):
                    np.testing.assert_array_equal(got, a @ b)
                    assert (got.dtype, got.shape, got.strides) == (dtype, (a @ b).shape, (a @ b).strides)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("shape", [(700, 600), (20, 20_000), (20_000, 20), (1500, 1500)])
def test_larger_products_with_a_vector_run_at_once_with_the_graphs_bits(dtype, order, shape):
    rng = np.random.default_rng(0)
    matrix = np.asarray(rng.standard_normal(shape), dtype, order=order)
    row, column = (rng.standard_normal(n).astype(dtype) for n in shape)
    for a, b in [(matrix, column), (matrix, column[:, None]), (row, matrix), (row[None], matrix)]:
        waiting = la.asarray(a) @ la.asarray(b)
        with la.no_evaluation(), pytest.raises(la.EvaluationForbidden):
            waiting.tobytes()
        expected = waiting.tobytes()
        with la.no_evaluation():
            for product in (xp.matmul, xp.dot):
                assert product(xp.asarray(a), xp.asarray(b)).tobytes() == expected


@functools.cache
def products_to_compare_with(extents, dtype):
    """Return two matrices, their nearly exact product, and the plain sum over all terms; both are slow."""
    rng = np.random.default_rng(1)
    m, k, n = extents
    a, b = (rng.standard_normal(shape).astype(dtype) for shape in ((m, k), (k, n)))
    plain = np.zeros((m, n), dtype)
    for i in range(k):
        plain += a[:, i, None] * b[i]
    return a, b, a.astype(np.clongdouble if a.dtype.kind == "c" else np.longdouble) @ b, plain


@pytest.mark.parametrize("dtype", DTYPES[:4])
@pytest.mark.parametrize("extents", [(300, 500, 400), (60, 3000, 60), (1000, 40, 33), (1, 5000, 70), (70, 5000, 1)])
def test_rounding_is_of_the_size_of_numpys(width, dtype, extents):
    # and never worse than that of the plain sum; BLAS's order of addition depends on the processor
    a, b, exact, plain = products_to_compare_with(extents, dtype)
    ours, numpys, worst = (np.sqrt(np.mean(np.abs(product - exact) ** 2))
                           for product in (np.asarray(la.asarray(a) @ b), a @ b, plain))
    assert ours <= worst
    assert ours <= 1.5 * numpys


@pytest.mark.parametrize("extents", [(64, 64, 64), (30, 700, 500), (700, 30, 20), (1, 5000, 400), (400, 5000, 1),
                                     (20_000, 20, 1), (1, 40, 20_000)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_any_number_of_threads_gives_the_same_bits(extents, dtype):
    rng = np.random.default_rng(2)
    m, k, n = extents
    a, b = rng.standard_normal((m, k)).astype(dtype), rng.standard_normal((k, n)).astype(dtype)
    results = []
    for threads in (1, 2, 3, 5):
        with machine(threads, 2):
            results.append((la.asarray(a) @ b).tobytes())
    assert len(set(results)) == 1


def test_flags_are_reported_as_numpy_reports_them():
    a, b = np.full((4, 4), 1e300), np.array([[np.inf, 0.0], [0.0, 1.0]])
    with pytest.warns(RuntimeWarning, match="overflow encountered in matmul"):
        (la.asarray(a) @ a).numpy()
    with pytest.warns(RuntimeWarning, match="invalid value encountered in matmul"):
        (la.asarray(b) @ b[::-1]).numpy()
    with pytest.warns(RuntimeWarning, match="overflow encountered in matmul"):
        (la.asarray(a)[0] @ np.full((4, 4), 1e300)).numpy()
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


@pytest.mark.parametrize("dtype", ["float32", "complex128", "int64"])
def test_rows_of_a_stack_times_one_matrix(dtype):
    rng = np.random.default_rng(4)
    for shape in [(5, 1, 7), (5, 3, 7), (2, 5, 1, 7), (2, 1, 3, 7), (4, 2, 1, 7)]:
        for _ in range(6):
            a, b = matrices(rng, shape, dtype), matrices(rng, (7, 6), dtype)
            got = la.asarray(a) @ la.asarray(b)
            np.testing.assert_array_equal(got, a @ b)
            assert got.strides == (a @ b).strides
            np.testing.assert_array_equal(la.asarray(a[:, ::2]) @ la.asarray(b), a[:, ::2] @ b)


@pytest.mark.parametrize("dtype", ["float32", "complex128", "int64", "uint8"])
@pytest.mark.parametrize("shapes", [
    ((2, 3, 4), (4, 5)), ((2, 3, 4), (6, 4, 5)), ((3, 4), (6, 4, 5)), ((4,), (6, 4, 5)), ((2, 3, 4), (4,)),
    ((1, 1, 4), (1, 4, 1)), ((2, 0, 4), (4, 5)), ((2, 3, 0), (0, 5)),
])
def test_dot_and_inner_of_any_number_of_axes(dtype, shapes):
    rng = np.random.default_rng(5)
    a, b = [matrices(rng, shape, dtype) if len(shape) > 1 else np.arange(4).astype(dtype) for shape in shapes]
    for name, y in (("dot", b), ("inner", np.moveaxis(b, max(b.ndim - 2, 0), -1))):
        got, expected = getattr(la.numpy, name)(la.asarray(a), la.asarray(y)), getattr(np, name)(a, y)
        np.testing.assert_array_equal(got, expected)
        assert (got.dtype, got.strides, got.base) == (expected.dtype, expected.strides, None)


@pytest.mark.parametrize("name", ["matmul", "dot"])
def test_flags_of_a_product_with_a_vector_at_once(name):
    a, v = np.full((700, 600), 1e300), np.full(600, 1e10)
    with np.errstate(all="raise"), pytest.raises(FloatingPointError, match=f"overflow encountered in {name}"):
        getattr(xp, name)(xp.asarray(a), xp.asarray(v))


@pytest.mark.parametrize("name", ["dot", "inner"])
def test_flags_of_dot_carry_numpys_name(name):
    for shape in [(3,), (3, 3), (3, 3, 3)]:
        x = np.full(shape, 1e200)
        with pytest.warns(RuntimeWarning, match="overflow encountered in dot"):
            np.asarray(getattr(la.numpy, name)(la.asarray(x), la.asarray(x + 1e199)))


@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize(("subscripts", "shapes"), [
    ("ij,jk->ik", [(40, 50), (50, 45)]), ("ij,jk", [(40, 50), (50, 45)]), ("ij,kj->ki", [(40, 50), (45, 50)]),
    ("bij,bjk->bik", [(8, 20, 30), (8, 30, 20)]), ("bqhd,bkhd->bhqk", [(2, 32, 4, 16), (2, 32, 4, 16)]),
    ("abc,cde->abde", [(10, 20, 30), (30, 10, 5)]), ("abc,dcb->ad", [(30, 20, 30), (10, 30, 20)]),
    ("bij,bjk->ibk", [(8, 20, 30), (8, 30, 20)]), ("abc,acd->abd", [(1, 40, 50), (8, 50, 20)]),
    ("ab,bc->ac", [(40, 1), (50, 45)]), ("iij,jk->ik", [(20, 20, 30), (30, 40)]), ("ab,cd->abcd", [(20, 20), (15, 15)]),
    ("abc,bd->abd", [(20, 20, 10), (20, 20)]), ("abc,bd->ad", [(40, 50, 5), (50, 20)]),
    ("bij,bjk->bik", [(0, 80, 90), (0, 90, 80)]),
])
def test_sums_of_products_that_are_products_of_matrices(subscripts, shapes, optimize):
    rng = np.random.default_rng(6)
    for dtype in ("float32", "complex64", "int64"):
        for _ in range(2):
            operands = [matrices(rng, shape, dtype) for shape in shapes]
            expected = np.einsum(subscripts, *operands, optimize=optimize)
            got = la.numpy.einsum(subscripts, *map(la.asarray, operands), optimize=optimize)
            np.testing.assert_array_equal(got, expected)
            assert (got.dtype, got.strides) == (expected.dtype, expected.strides)


def test_einsum_of_stacks_of_matrices_is_native():
    x = la.asarray(np.ones((8, 40, 50), "float32"))
    la.report().clear()
    (la.numpy.einsum("bij,bkj->bik", x, x * 2) + 1).numpy()
    assert len(la.report()) == 0
