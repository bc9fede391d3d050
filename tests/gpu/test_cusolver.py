"""Linear algebra by cuSOLVER."""

import gc

import numpy as np
import pytest

from lazyarr.gpu.libraries import cusolver, loading
from lazyarr.gpu.libraries.cusolver import LIBRARY
from support.cuda_device import DRIVER, another_driver, there
from support.cuda_libraries import installed, made_by, mock
from support.opencl_device import values

RNG = np.random.default_rng(5)


@pytest.fixture(autouse=True, scope="module")
def library():
    with installed(LIBRARY):
        yield


def check(call, *operands, library=LIBRARY):
    """Compare with NumPy's result."""
    got, wanted = made_by(library, lambda: call(*map(there, operands))), call(*operands)
    assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
    tolerance = 1e4 * np.finfo(wanted.dtype).eps
    np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance * abs(wanted).max())


def matrices(shape, dtype):
    """Matrices that are far from singular, and not symmetric."""
    made = values(RNG, shape, dtype)
    return made if dtype == "l" else made + 3 * np.eye(shape[-1], dtype=dtype)


def definite(shape, dtype):
    """Matrices that are positive definite."""
    half = values(RNG, shape, dtype)
    return half @ half.conj().swapaxes(-1, -2) + np.eye(shape[-1], dtype=dtype)


SHAPES = [(1, 1), (5, 5), (3, 4, 4), (2, 1, 3, 3)]


@pytest.mark.parametrize("dtype", "fdFD")
@pytest.mark.parametrize("shape", SHAPES)
def test_factors_of_positive_definite_matrices(shape, dtype):
    a = definite(shape, dtype)
    for upper in (False, True):
        check(lambda x, upper=upper: np.linalg.cholesky(x, upper=upper), a)
        part = (np.triu if upper else np.tril)(a)   # the other triangle is not read
        check(lambda x, upper=upper: np.linalg.cholesky(x, upper=upper), part)
    check(lambda x: np.linalg.cholesky(x.swapaxes(-1, -2)), a)


@pytest.mark.parametrize("dtype", "fdFD")
@pytest.mark.parametrize("shape", SHAPES)
def test_inverses(shape, dtype):
    a = matrices(shape, dtype)
    check(np.linalg.inv, a)
    check(lambda x: np.linalg.inv(x[..., ::-1, :]), a)


@pytest.mark.parametrize("dtype", "fdFD")
@pytest.mark.parametrize("shape", SHAPES)
def test_solutions(shape, dtype):
    a, b = matrices(shape, dtype), values(RNG, (*shape[:-1], 2), dtype)
    check(np.linalg.solve, a, b)
    check(np.linalg.solve, a, np.asfortranarray(b))
    if len(shape) == 2:
        check(np.linalg.solve, a, b[:, 0].copy())


@pytest.mark.parametrize("dtype", "fdFD")
@pytest.mark.parametrize("shape", SHAPES)
def test_eigenvalues(shape, dtype):
    a = values(RNG, shape, dtype)
    for triangle in "LUlu":
        check(lambda x, triangle=triangle: np.linalg.eigvalsh(x, triangle), a)


@pytest.mark.parametrize("dtype", "fdFD")
@pytest.mark.parametrize("shape", [*SHAPES, (3, 6), (7, 2), (2, 3, 5), (2, 5, 3)])
def test_singular_values(shape, dtype):
    a = values(RNG, shape, dtype)
    check(np.linalg.svdvals, a)
    check(lambda x: np.linalg.svd(x, compute_uv=False), a)
    check(lambda x: np.linalg.svdvals(x.swapaxes(-1, -2)), a)


def test_integers_are_cast():
    a = np.array([[4, 1], [2, 3]])
    check(np.linalg.inv, a)
    check(np.linalg.solve, a, np.array([1, 2]))
    check(np.linalg.solve, a.astype("f"), np.array([1, 2]))
    check(np.linalg.svdvals, a)


def test_operands_stay_as_they_are():
    a, b = definite((4, 4), "d"), RNG.random((4, 3))
    x, y = there(a), there(b)
    for call in (np.linalg.inv, np.linalg.cholesky, np.linalg.eigvalsh, lambda z: np.linalg.solve(z, y)):
        made_by(LIBRARY, lambda call=call: call(x))
    np.testing.assert_array_equal(x.numpy(), a)
    np.testing.assert_array_equal(y.numpy(), b)


@pytest.mark.parametrize("call", [
    np.linalg.inv, np.linalg.det, lambda x: np.linalg.eigh(x)[0], lambda x: np.linalg.solve(x, x[0, :, :1]),
    lambda x: np.linalg.svd(x, compute_uv=False, hermitian=True), lambda x: np.linalg.qr(x)[1]])
def test_other_calls_run_on_the_host(call):
    a = np.broadcast_to(definite((3, 3), "d"), (17, 3, 3)).copy()   # one more than a stack on the device may have
    DRIVER.library_calls.clear()
    np.testing.assert_allclose(call(there(a)).numpy(), call(a), rtol=1e-10, atol=1e-12)
    assert not DRIVER.library_calls


@pytest.mark.parametrize(("call", "message"), [
    (np.linalg.inv, "Singular matrix"), (lambda x: np.linalg.solve(x, x), "Singular matrix"),
    (np.linalg.cholesky, "Matrix is not positive definite")])
def test_errors_are_numpys(call, message):
    a = np.stack([np.eye(3), [[1.0, 2, 3], [2, 4, 6], [1, 1, -1]]])
    y = call(there(a))
    DRIVER.host_steps.clear()
    with pytest.raises(np.linalg.LinAlgError, match=message):
        y.numpy()
    (_, reason), = DRIVER.host_steps
    assert reason == "a matrix that LAPACK finds fault with"
    x = there(np.eye(3))
    np.testing.assert_array_equal(np.linalg.inv(x).numpy(), np.eye(3))


def test_what_is_not_finite_is_left_to_the_host():
    a = np.diag([1, 2, 1e-310])
    DRIVER.host_steps.clear()
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(np.linalg.inv(there(a)).numpy(), np.linalg.inv(a))
    (_, reason), = DRIVER.host_steps
    assert reason == "values that are not finite"


def test_calls_follow_what_was_launched_and_precede_what_is():
    a = definite((20, 20), "d")
    x, wanted = there(a), a
    for k in range(10):
        x = np.linalg.inv(x + there(np.eye(20)) * k)
        wanted = np.linalg.inv(wanted + np.eye(20) * k)
    np.testing.assert_allclose(x.numpy(), wanted, rtol=1e-8)


def test_a_failing_routine_is_an_error_that_names_device_and_function():
    counted, a = mock(), definite((3, 3), "d")
    y = np.linalg.cholesky(there(a))
    counted.mock_fail(b"cusolverDnXpotrf", 0, 7)
    with pytest.raises(RuntimeError, match="has failed: CUSOLVER_STATUS_INTERNAL_ERROR, in cusolverDnXpotrf"):
        y.numpy()
    np.testing.assert_allclose(y.numpy(), np.linalg.cholesky(a))


def test_handles_are_destroyed_with_their_parameters():
    counted, handles = mock(), loading.Handles(LIBRARY, cusolver.HANDLES.make, cusolver.HANDLES.destroy)
    device, names = another_driver(), (b"cusolverDnDestroy", b"cusolverDnDestroyParams")
    device.run_library(handles, lambda functions, solver: None, [])
    before = [counted.mock_count(name) for name in names]
    del handles
    gc.collect()
    device.run_library(cusolver.HANDLES, lambda functions, solver: None, [])
    assert [counted.mock_count(name) for name in names] == [count + 1 for count in before]
