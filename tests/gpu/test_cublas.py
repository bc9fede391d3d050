"""Matrix products by cuBLAS."""

import gc
import warnings

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import lazyarr as la
from lazyarr.gpu.libraries import cublas, loading
from lazyarr.gpu.libraries.cublas import LIBRARY
from support.cuda_device import DEVICE, DRIVER, NUMBER, another_driver, there
from support.cuda_libraries import made_by, mock, needing
from support.devices import copies
from support.examples import examples
from support.opencl_device import values

RNG = np.random.default_rng(5)
library = needing(LIBRARY)


def check(call, *operands, library=LIBRARY):
    """Compare a product with NumPy's, relative to the summands."""
    with np.errstate(all="ignore"):
        got = made_by(library, lambda: call(*map(there, operands)))
        wanted = call(*operands)
    assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
    size = call(*map(abs, operands)) * 100 * np.finfo(got.dtype).eps
    assert (abs(got - wanted) <= size).all()


@pytest.mark.parametrize("dtype", "fdFD")
def test_products_of_matrices(dtype):
    a, b = values(RNG, (5, 7), dtype), values(RNG, (7, 4), dtype)
    check(np.matmul, a, b)
    check(np.dot, a, b)
    check(np.inner, a, b.T.copy())
    check(lambda x, y: np.einsum("ij,jk->ki", x, y), a, b)
    check(lambda x, y: np.tensordot(x, y, 1), a, b)
    check(np.matvec, a[None], b.T.copy()[:, None])


LAYOUTS = {  # where an operand lies, as a view of a larger array
    "C": np.s_[..., 1:-1, 1:-2],
    "all": np.s_[...],
    "rows apart": np.s_[..., ::2, :],
}


@st.composite
def operands(draw):
    """Draw two operands of a product, as arrays with functions that return views of them."""
    m, n, k = draw(st.tuples(*[st.integers(2, 9)] * 3))
    stack, dtype = draw(st.sampled_from([(), (), (3,), (2, 3)])), draw(st.sampled_from("fdFD"))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    made = []
    for shape in ((*stack, m, k), (*draw(st.sampled_from([stack, ()])), k, n)):
        is_turned, window = draw(st.booleans()), draw(st.sampled_from([(1, 2), (2, 1), (1, 1)]))
        *before, rows, columns = shape[:-2] + shape[:-3:-1] if is_turned else shape
        whole = values(rng, (*before, rows * window[0] + 1, columns * window[1] + 2), dtype)
        key = (..., slice(1, 1 + rows * window[0], window[0]), slice(1, 1 + columns))

        def view(x, key=key, is_turned=is_turned):
            return x[key].swapaxes(-1, -2) if is_turned else x[key]

        made.append((whole, view))
    return made


@examples(60)
@given(operands())
def test_views_and_stacks_are_read_where_they_lie(made):
    (a, a_view), (b, b_view) = made
    check(lambda x, y: a_view(x) @ b_view(y), a, b, library=LIBRARY if a.ndim == 2 or a.ndim == b.ndim == 3 else ...)


def test_shared_matrices_of_a_stack():
    a, b = RNG.random((3, 4, 5)), RNG.random((5, 6))
    check(np.matmul, a, b)                      # rows of a stack are one axis
    check(np.matmul, b.T.copy(), a.swapaxes(1, 2).copy())
    check(lambda x, y: x[:, ::2] @ y, np.stack([a, a]), a[:2].swapaxes(1, 2).copy(), library=None)     # two axes


@pytest.mark.parametrize("case", [
    lambda x: x @ x[:, 0], lambda x: x[:1] @ x, lambda x: x[:, :1] @ x[:1], lambda x: x[::-1] @ x,
    lambda x: x[:, ::2] @ x[:4], lambda x: np.broadcast_to(x[0], x.shape) @ x, lambda x: x[:0] @ x])
def test_what_blas_does_not_take_is_ours(case):
    check(case, RNG.random((8, 8)), library=None)


@pytest.mark.parametrize("dtype", "?bile")
def test_integers_and_float16_are_ours(dtype):
    a = values(RNG, (6, 6), dtype)
    np.testing.assert_array_equal(made_by(None, lambda: there(a) @ there(a)), a @ a)


def test_operands_of_two_dtypes_are_cast_first():
    check(np.matmul, RNG.random((4, 4), "f"), RNG.random((4, 4)))


def test_conjugates_are_ours():
    a = values(RNG, (3, 5), "D")
    check(np.vecmat, a, values(RNG, (5, 4), "D"), library=None)


def messages(a, b):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        result = made_by(LIBRARY, lambda: there(a) @ there(b))
    return sorted(str(warning.message) for warning in seen), result


@pytest.mark.parametrize("dtype", "fdFD")
def test_overflow_and_invalid_values_are_reported(dtype):
    large = np.sqrt(np.finfo(dtype).max) * 2
    a, b = np.ones((3, 4), dtype), np.zeros((4, 2), dtype)
    assert messages(a, b)[0] == []
    a[0, 1], b[1, 0] = large, large
    invalid = ["invalid value encountered in matmul"] * (dtype in "FD")    # of infinity and NaN, as NumPy's
    assert messages(a, b)[0] == [*invalid, "overflow encountered in matmul"]
    a[0, 1], b[1, 0] = np.inf, 0
    assert messages(a, b)[0] == ["invalid value encountered in matmul"]
    a[0, 1] = np.nan
    found, result = messages(a, b)
    assert found == []
    np.testing.assert_array_equal(np.isnan(result), np.isnan(a @ b))
    a[0, :2] = np.inf, np.nan       # a NaN behind an infinity
    assert messages(a, b)[0] == []
    with np.errstate(all="ignore"):     # nothing is waited for
        assert np.isnan(made_by(LIBRARY, lambda: there(a) @ there(b))[0]).all()


@examples(40)
@given(operands(), st.lists(st.tuples(st.booleans(), st.integers(0, 999), st.sampled_from([np.inf, np.nan, 1e200])),
                            max_size=3))
def test_warnings_are_those_of_our_kernels(made, values_elsewhere):
    arrays, views = [x.astype(np.result_type(x, "d")) for x, _ in made], [view for _, view in made]
    for second, place, value in values_elsewhere:
        arrays[second].flat[place % arrays[second].size] = value

    def warned():
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            x, y = [view(there(a)) for a, view in zip(arrays, views, strict=True)]
            (x @ y).numpy()
        return {str(warning.message) for warning in seen}

    found = warned()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(cublas, "product_of", lambda contraction: None)
        wanted = warned()
    assert found == wanted or (arrays[0].dtype.kind == "c" and found >= wanted)


def test_products_are_not_waited_for():
    counted, x = mock(), there(RNG.random((5, 5)))
    la.evaluate(x)
    before = counted.mock_count(b"cuMemcpyDtoHAsync_v2")
    la.evaluate(((x @ x) @ x) @ (x + 1))
    assert counted.mock_count(b"cuMemcpyDtoHAsync_v2") == before + 1    # flags of all at once


def test_programs_behind_a_product_run_on_its_result():
    a, b = RNG.random((5, 6)), RNG.random((6, 4))
    np.testing.assert_allclose(made_by(LIBRARY, lambda: np.maximum(there(a) @ there(b) - 1, 0).sum(0)),
                               np.maximum(a @ b - 1, 0).sum(0))


def test_exact_results_may_be_the_librarys():
    with la.config(exact=True):
        check(np.matmul, RNG.random((4, 5)), RNG.random((5, 4)))


def test_the_report_names_the_library():
    la.report().clear()
    check(np.matmul, RNG.random((4, 5)), RNG.random((5, 4)))
    assert "cuBLAS on cuda:0, whose bits may differ" in str(la.report())


# ---- handles and errors --------------------------------------------------------------------------------


def test_a_handle_is_made_once_and_destroyed_when_it_is_not_needed():
    counted, handles = mock(), loading.Handles(LIBRARY, cublas.HANDLES.make, cublas.HANDLES.destroy)
    device, seen = another_driver(), []
    made, destroyed = (counted.mock_count(name) for name in (b"cublasCreate_v2", b"cublasDestroy_v2"))
    for _ in range(3):
        device.run_library(handles, lambda functions, handle: seen.append(handle), [])
    assert len(set(seen)) == 1
    assert counted.mock_count(b"cublasCreate_v2") == made + 1
    del handles
    gc.collect()
    device.run_library(cublas.HANDLES, lambda functions, handle: seen.append(handle), [])
    assert counted.mock_count(b"cublasDestroy_v2") == destroyed + 1


def test_a_handle_is_not_used_by_two_calls_at_a_time():
    device, seen = another_driver(), []

    def work(functions, handle):
        seen.append(handle)
        if len(seen) < 3:
            device.run_library(cublas.HANDLES, work, [])    # as a signal handler does

    device.run_library(cublas.HANDLES, work, [])
    assert len(set(seen)) == 3


@pytest.mark.parametrize(("status", "name"), [(15, "CUBLAS_STATUS_NOT_SUPPORTED"), (77, "status 77")])
def test_a_failing_call_is_an_error_that_names_device_and_function(status, name):
    counted, a = mock(), RNG.random((4, 4))
    y = there(a) @ there(a)
    counted.mock_fail(b"cublasGemmStridedBatchedEx", 0, status)
    with pytest.raises(RuntimeError, match=f"cuda:0 .* has failed: {name}, in cublasGemmStridedBatchedEx"):
        y.numpy()
    np.testing.assert_allclose(y.numpy(), a @ a)


def test_free_memory_is_given_back_before_there_is_no_room_for_a_handle(monkeypatch):
    counted, device, released = mock(), another_driver(), []
    monkeypatch.setattr(type(device._resources.pool), "release", lambda self: released.append(1))
    counted.mock_fail(b"cublasCreate_v2", 0, 3)
    device.run_library(cublas.HANDLES, lambda functions, handle: None, [])
    assert released == [1]

    def fail(*arguments):
        raise loading.LibraryError("cublasCreate_v2", "CUBLAS_STATUS_ALLOC_FAILED", True)

    monkeypatch.setattr(LIBRARY.functions(DRIVER._version), "cublasCreate_v2", fail)
    with pytest.raises(MemoryError, match="cuda:test has no room for cuBLAS"):
        another_driver().run_library(cublas.HANDLES, lambda functions, handle: None, [])


def test_a_product_without_room_is_made_again_after_free_memory_was_given_back():
    counted = mock()
    counted.mock_fail(b"cublasGemmStridedBatchedEx", 0, 3)
    check(np.matmul, RNG.random((4, 4)), RNG.random((4, 4)))


def test_values_leave_the_device_for_a_product(monkeypatch):
    a, functions = RNG.random((4, 4)), LIBRARY.functions(DRIVER._version)
    kept, gemm = there(np.arange(1e5)) + 1, functions.cublasGemmStridedBatchedEx
    la.evaluate(kept)

    def full(*arguments):
        if la.devices()[NUMBER].memory_stats()["live_bytes"] >= kept.nbytes:
            raise loading.LibraryError("cublasGemmStridedBatchedEx", "CUBLAS_STATUS_ALLOC_FAILED", True)
        return gemm(*arguments)

    monkeypatch.setattr(functions, "cublasGemmStridedBatchedEx", full)
    check(np.matmul, a, a)
    assert copies(kept.numpy, DEVICE) == 0      # it has left


def test_without_room_for_a_product_the_host_computes_it(monkeypatch):
    def fail(*arguments):
        raise loading.LibraryError("cublasGemmStridedBatchedEx", "CUBLAS_STATUS_ALLOC_FAILED", True)

    a = RNG.random((4, 4))
    y = there(a) @ there(a)
    monkeypatch.setattr(LIBRARY.functions(DRIVER._version), "cublasGemmStridedBatchedEx", fail)
    with pytest.warns(RuntimeWarning, match="cuda:0 has no room for cuBLAS: what has no room there is computed on the"):
        found = y.numpy()
    np.testing.assert_allclose(found, a @ a)


def test_without_the_library_products_are_ours(monkeypatch):
    monkeypatch.setattr(loading, "candidates", lambda *names: ["/none/libcublas.so.13"])
    loading.Library.functions.cache_clear()
    check(np.matmul, RNG.random((4, 5)), RNG.random((5, 4)), library=None)
    monkeypatch.undo()
    loading.Library.functions.cache_clear()


def test_products_of_results_of_kernels_and_copies_run_in_order():
    a = RNG.random((40, 40))
    x, wanted = there(a), a
    with np.errstate(all="ignore"):
        for k in range(20):
            other = a + k
            x, wanted = (x @ there(other)) * 0.01, (wanted @ other) * 0.01
        np.testing.assert_allclose(x.numpy(), wanted, rtol=1e-10)
