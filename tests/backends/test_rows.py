"""lazyarr's own rows: for all input that they accept, they equal the call's own function up to rounding."""

import warnings

import numpy as np
import pytest

import lazyarr as la
from lazyarr.autotune import operations
from lazyarr.backends.choice import candidates
from lazyarr.backends.table import Operand

DRAW = np.random.default_rng(1)


def spd(n, dtype):
    a = DRAW.random((n, n)).astype(dtype) + (1j * DRAW.random((n, n)) if np.dtype(dtype).kind == "c" else 0)
    return (a @ a.conj().T / n + np.eye(n)).astype(dtype)


def by_blas(function):
    """A function whose products are built as BLAS's."""
    def call(*arrays):
        with la.config.tuning({"path.blas_products": 1}):
            return function(*arrays)

    return call


def dot_of_axes(x, y):
    return np.tensordot(x, y, 1)


PRODUCTS = [
    *[("matmul", np.matmul, (DRAW.random((70, 30)).astype(dtype), DRAW.random((30, 90)).astype(dtype)))
      for dtype in "fdFD"],
    ("matmul", np.matmul, (DRAW.random((4, 1, 5, 3)), DRAW.random((2, 3, 6)))),
    ("matmul", np.matmul, (DRAW.random((30, 70)).T[::-1], DRAW.random((90, 60)).T[::2])),
    ("matmul", np.matmul, (DRAW.random((1, 30)), DRAW.random((5, 30, 1)))),
    ("dot", np.dot, (DRAW.random((7, 40)), DRAW.random((40, 8)))),
    ("dot", np.dot, (DRAW.random((3, 7, 40)), DRAW.random((2, 40, 8)))),
    ("dot", dot_of_axes, (DRAW.random((2, 3, 4)), DRAW.random((4, 5)))),
]
FEW_COLUMNS = [
    ("conv1d", la.nn.conv1d, (DRAW.random((1, 4000, 16)), DRAW.random((9, 16, 3)))),
    *[("conv2d", lambda x, w, o=options: la.nn.conv2d(x, w, **o),
       (DRAW.random((1, 60, 120, 8)).astype("f"), DRAW.random((*taps, 8, 4)).astype("f")))
      for taps, options in (((5, 5), {"padding": 2}), ((3, 3), {}), ((4, 5), {"stride": (1, 2), "dilation": 2}))],
    ("conv3d", la.nn.conv3d, (DRAW.random((1, 12, 14, 40, 4)), DRAW.random((3, 3, 3, 4, 4)))),
    ("conv_transpose2d", lambda x, w: la.nn.conv_transpose2d(x, w, stride=2),
     (DRAW.random((1, 40, 60, 8)).astype("f"), DRAW.random((5, 5, 3, 8)).astype("f"))),
    ("conv2d_input", lambda x, w: la.grad(lambda a: (la.nn.conv2d(a, w) ** 2).sum())(x),
     (DRAW.random((1, 40, 60, 3)).astype("f"), DRAW.random((5, 5, 3, 8)).astype("f"))),
]
CASES = [
    *[(operation, by_blas(function), arrays) for operation, function, arrays in PRODUCTS],
    *FEW_COLUMNS,
    *[("einsum", lambda x, y, terms=terms: np.einsum(terms, x, y), (DRAW.random(a), DRAW.random(b)))
      for terms, a, b in (("ij,jk->ik", (5, 6), (6, 7)), ("ij,kj->ki", (5, 6), (7, 6)),
                          ("bij,bkj->bik", (3, 4, 5), (3, 6, 5)), ("ijk,lkj->il", (3, 4, 5), (6, 5, 4)))],
    *[("matmul", np.matmul, (DRAW.random(a).astype(dtype), DRAW.random(b).astype(dtype)))
      for dtype in "fdFD" for a, b in [((5, 3), (3, 4)), ((2, 5, 3), (3, 4)), ((1, 3), (3, 4)), ((40, 30), (30,))]],
    ("dot", lambda x, y: np.tensordot(x, y, 1), (DRAW.random((2, 3, 4)), DRAW.random((4, 5)))),
    ("einsum", lambda x: np.einsum("ij,kj,k->i", x, x, x[0, :4]), (DRAW.random((4, 40)),)),
    *[("sort", lambda x, axis=axis, kind=kind: np.sort(x, axis, kind=kind), (DRAW.integers(0, 9, (6, 7)).astype(d),))
      for d in "bfd" for axis in (0, 1) for kind in (None, "stable")],
    *[("argsort", lambda x, axis=axis: np.argsort(x, axis, kind="stable"), (DRAW.integers(0, 9, (6, 7)),))
      for axis in (0, 1)],
    *[(f"fft.{name}", getattr(np.fft, name), (DRAW.random((8, 16)).astype(dtype),))
      for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fft2", "rfftn", "irfft2", "ifftn")
      for dtype in ("f", "d", "F", "D") if not (name in ("rfft", "ihfft", "rfftn") and dtype in "FD")],
    *[(f"linalg.{name}", getattr(np.linalg, name), (spd(7, dtype),))
      for name in ("inv", "det", "cholesky", "svdvals", "eigvalsh") for dtype in "fdFD"],
    *[("conv2d", lambda x, w, o=options: la.nn.conv2d(x, w, **o),
       (DRAW.random((2, 9, 8, 4)).astype("f"), DRAW.random((*taps, 4, 6)).astype("f")))
      for taps in ((3, 3), (2, 5)) for options in ({}, {"stride": 2}, {"padding": "same"},
                                                   {"padding": 2, "dilation": 2, "stride": (1, 3)})],
    ("conv1d", lambda x, w: la.nn.conv1d(x, w, padding="same"), (DRAW.random((2, 9, 3)), DRAW.random((3, 3, 2)))),
    ("conv3d", la.nn.conv3d, (DRAW.random((1, 5, 6, 7, 2)), DRAW.random((2, 3, 2, 2, 3)))),
]


@pytest.mark.parametrize(("operation", "function", "arrays"), CASES)
def test_each_backend_gives_the_same(operation, function, arrays):
    expected = operations.result(function, arrays).numpy()
    rows = [row for row in la.backends.known(operation) if row.name != "onednn"]  # test_onednn.py
    assert rows
    for row in rows:
        with la.backend(row.name):
            made = operations.result(function, arrays)
            found = made.numpy()
        assert found.dtype == expected.dtype
        assert found.shape == expected.shape
        if row.exact:
            assert np.array_equal(found, expected)
        else:
            assert np.allclose(found, expected, rtol=2e-4 if expected.dtype.itemsize // (
                1 + (expected.dtype.kind == "c")) < 8 else 1e-10, atol=1e-3 if arrays[0].dtype.char in "fF" else 1e-12)


def test_each_row_accepts_a_case():
    unused = {(row.operation, row.name) for row in la.backends.known() if row.name != "onednn"}
    for _, function, arrays in CASES:
        with la.backends.measure(0) as found:
            la.evaluate(operations.result(function, arrays))
        unused -= {(call.partition("(")[0], name) for call, taken in found.items() for name in taken}
        la.backends.forget()
    assert {operation for operation, _ in unused} <= {
        "conv1d_input", "conv3d_input", "conv_transpose1d", "conv_transpose3d", "conv2d_input", "conv_transpose2d",
        "fft.ifft2", "fft.irfftn", "fft.fftn", "fft.rfft2"} | {
        operation for operation, name in unused if operation.startswith("fft.") and name == "numpy"}


def names(x):
    return [name for step in la.explain(x).steps for name in step.operations]


@pytest.mark.parametrize(("operation", "function", "arrays"), PRODUCTS)
def test_products_that_are_built_as_those_of_blas(operation, function, arrays):
    built = by_blas(function)(*map(la.asarray, arrays))
    assert operation in names(built)
    with la.backend("native"):
        assert f"{operation} [native]" in names(built)
        found = built.numpy()
    # by the same kernel, but for single numbers, which may be sums of another order
    np.testing.assert_allclose(found, function(*map(la.array, arrays)), rtol=1e-13)


def test_products_that_the_native_kernel_does_not_compute():
    x, y = la.asarray(DRAW.random((6, 6))), la.asarray(DRAW.random((6, 6)))
    with la.backend("native"):
        assert names(x @ x.T) == ["matmul"]
        assert names(np.matmul(x, y, axes=[(0, 1), (0, 1), (1, 0)])) == ["matmul"]
        assert names(by_blas(np.matmul)(x[0], y)) == ["matmul"]
        assert names(np.matmul(x[:0], y)) == ["matmul"]
        assert np.array_equal(x @ x.T, np.asarray(x) @ np.asarray(x).T)


def test_native_products_warn_as_numpys():
    large = la.asarray(np.full((3, 3), 1e300))
    y = by_blas(np.matmul)(large, la.asarray(np.full((3, 2), 1e300)))
    with la.backend("native"), pytest.warns(RuntimeWarning, match="overflow encountered in matmul"):
        y.numpy()
    small = np.einsum("ij,jk->ik", large, large)
    with la.backend("native"), warnings.catch_warnings():
        warnings.simplefilter("error")  # of which NumPy's loop has none
        assert names(small) == ["einsum [native]"]
        assert np.isinf(small.numpy()).all()


def test_a_function_of_a_users_is_no_operation():
    @la.jit
    def matmul(x, y):
        return x + y

    x, y = la.asarray(DRAW.random((6, 6))), la.asarray(DRAW.random((6, 6)))
    with la.backend("native"):
        assert np.array_equal(matmul(x, y), np.asarray(x) + np.asarray(y))


@pytest.mark.parametrize(("operation", "function", "arrays"), FEW_COLUMNS)
@pytest.mark.parametrize("way", ["direct", "joined", "winograd"])
def test_ways_of_convolutions_are_those_of_numbers(operation, function, arrays, way):
    def result():
        return function(*map(la.asarray, arrays))

    with la.backend(way, operation):
        made = result()
        runs = f"{operation} [{way}]" in names(made)
        found = made.numpy()
    assert runs or way == "winograd"
    numbers = {f"path.{name}": 1000 if runs and name == way else 0.001 for name in ("winograd", "joined")}
    if not runs:
        numbers = {}
    with la.config.tuning(numbers):
        assert np.array_equal(found, result())


@pytest.mark.parametrize("name", ["conv2d_input", "conv_transpose2d"])
@pytest.mark.parametrize("backend", ["direct", "winograd"])
def test_gradients_of_convolutions(name, backend):
    x, w = la.asarray(DRAW.random((2, 12, 12, 4)).astype("f")), la.asarray(DRAW.random((3, 3, 4, 4)).astype("f"))
    if name == "conv_transpose2d":
        call = lambda: la.nn.conv_transpose2d(x, w)  # noqa: E731
    else:
        call = lambda: la.grad(lambda a: (la.nn.conv2d(a, w) ** 2).sum())(x)  # noqa: E731
    expected = call().numpy()
    with la.backend(backend):
        made = call()
        assert f"{name} [{backend}]" in [op for step in la.explain(made).steps for op in step.operations]
        assert np.allclose(made, expected, rtol=1e-4, atol=1e-2)


def test_singular_matrices_raise_numpys_error():
    x = la.asarray(np.ones((3, 3)))
    with la.backend("scipy"):
        with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
            np.linalg.inv(x).numpy()
        with pytest.raises(np.linalg.LinAlgError, match="Matrix is not positive definite"):
            np.linalg.cholesky(x - 2).numpy()


def test_what_is_not_finite_is_left_to_numpy():
    x = np.where(np.arange(100) == 5, np.inf, 1.0)
    with la.backend("scipy"), pytest.warns(RuntimeWarning) as lazily:
        found = np.fft.fft(la.asarray(x)).numpy()
    with pytest.warns(RuntimeWarning) as eagerly:
        expected = np.fft.fft(x)
    assert np.array_equal(found, expected, equal_nan=True)
    assert [str(w.message) for w in lazily] == [str(w.message) for w in eagerly]


def test_a_call_is_no_candidate_of_its_own():
    form = Operand((4, 4), np.dtype(float), (32, 8))
    assert [*candidates("fft.fft", np.fft.fft, {}, [form])] == ["scipy"]
    assert [*candidates("linalg.inv", np.linalg.inv, {}, [form])] == ["scipy"]
    assert not candidates("linalg.inv", np.linalg.inv, {}, [form._replace(dtype=np.dtype("i8"))])


@pytest.mark.parametrize("a", [np.diag([1e200, 1e200]), np.diag([np.inf, 1.0]), np.diag([1.0, 1e-17]),
                               np.array([[1.0, np.nan], [np.nan, 1.0]])])
@pytest.mark.parametrize("name", ["det", "inv"])
def test_warnings_of_scipys_are_numpys(a, name):
    def told(x):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            made = np.asarray(getattr(np.linalg, name)(x))
        return made, [str(w.message) for w in caught]

    expected, warned = told(a)
    with la.backend("scipy"):
        found, warned_lazily = told(la.asarray(a))
    assert np.allclose(found, expected, equal_nan=True)
    assert warned_lazily == warned
