"""lazyarr's own rows: what each accepts it computes as the call's own function does, but for rounding."""

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


CASES = [
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
        "conv2d_input", "conv2d_weight", "conv_transpose2d", "fft.ifft2", "fft.irfftn", "fft.fftn", "fft.rfft2"} | {
        operation for operation, name in unused if operation.startswith("fft.") and name == "numpy"}


@pytest.mark.parametrize("name", ["conv2d_input", "conv2d_weight", "conv_transpose2d"])
@pytest.mark.parametrize("backend", ["direct", "winograd"])
def test_gradients_of_convolutions(name, backend):
    x, w = la.asarray(DRAW.random((2, 12, 12, 4)).astype("f")), la.asarray(DRAW.random((3, 3, 4, 4)).astype("f"))
    if name == "conv_transpose2d":
        call = lambda: la.nn.conv_transpose2d(x, w)  # noqa: E731
    else:
        by = 0 if name.endswith("input") else 1
        call = lambda: la.grad(lambda *a: (la.nn.conv2d(*a) ** 2).sum(), by)(x, w)  # noqa: E731
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
