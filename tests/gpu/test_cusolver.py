"""Linear algebra by cuSOLVER."""

import gc

import numpy as np
import pytest

from lazyarr.gpu.libraries import cusolver, loading
from lazyarr.gpu.libraries.cusolver import LIBRARY
from support.cuda_device import DRIVER, another_driver, there
from support.cuda_libraries import made_by, mock, needing
from support.opencl_device import values

RNG = np.random.default_rng(5)
library = needing(LIBRARY)


def check(call, *operands, library=LIBRARY):
    """Compare with NumPy's result."""
    got, wanted = made_by(library, lambda: call(*map(there, operands))), call(*operands)
    assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
    tolerance = 1e4 * np.finfo(wanted.dtype).eps
    np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance * abs(wanted).max())


def matrices(shape, dtype):
    """Return matrices that are far from singular, and not symmetric."""
    made = values(RNG, shape, dtype)
    return made if dtype == "l" else made + 3 * np.eye(shape[-1], dtype=dtype)


def definite(shape, dtype):
    """Return positive definite matrices."""
    half = values(RNG, shape, dtype)
    return half @ half.conj().swapaxes(-1, -2) + np.eye(shape[-1], dtype=dtype)


SHAPES = [(1, 1), (5, 5), (3, 4, 4), (2, 1, 3, 3)]
FORMS = [*SHAPES, (3, 6), (7, 2), (2, 3, 5), (2, 5, 3)]


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
@pytest.mark.parametrize("shape", FORMS)
def test_singular_values(shape, dtype):
    a = values(RNG, shape, dtype)
    check(np.linalg.svdvals, a)
    check(lambda x: np.linalg.svd(x, compute_uv=False), a)
    check(lambda x: np.linalg.svdvals(x.swapaxes(-1, -2)), a)


def several_by(library, call, *operands):
    """Make a call with several results; check that a library ran it once; return the results."""
    DRIVER.library_calls.clear()
    DRIVER.host_steps.clear()
    found = [x.numpy() for x in call(*map(there, operands))]
    assert not DRIVER.host_steps
    assert [(title, count) for (_, title), count in DRIVER.library_calls.items()] == [(library.title, 1)]
    wanted = call(*operands)
    assert [(x.shape, x.dtype) for x in found] == [(x.shape, x.dtype) for x in wanted]
    return found, wanted


def same_numbers(got, wanted):
    tolerance = 1e4 * np.finfo(wanted.dtype).eps
    np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance * max(abs(wanted).max(initial=0), 1))


def conjugated(a):
    return a.conj().swapaxes(-1, -2)


def is_unitary(a):
    product = conjugated(a) @ a
    same_numbers(product, np.broadcast_to(np.eye(a.shape[-1], dtype=a.dtype), product.shape))


@pytest.mark.parametrize("dtype", "fdFD")
@pytest.mark.parametrize("shape", SHAPES)
def test_eigenvectors(shape, dtype):
    a = values(RNG, shape, dtype)
    for triangle in "LUlu":
        (found, vectors), (wanted, _) = several_by(LIBRARY, lambda x, triangle=triangle: np.linalg.eigh(x, triangle), a)
        same_numbers(found, wanted)
        is_unitary(vectors)
        part = (np.tril if triangle in "Ll" else np.triu)(a, -1 if triangle in "Ll" else 1)
        whole = part + conjugated(part) + np.eye(shape[-1]) * a.real
        same_numbers((vectors * found[..., None, :]) @ conjugated(vectors), whole.astype(dtype))


@pytest.mark.parametrize("dtype", "fdFD")
@pytest.mark.parametrize("shape", FORMS)
@pytest.mark.parametrize("mode", ["reduced", "complete"])
def test_orthogonal_factors(shape, dtype, mode):
    a = values(RNG, shape, dtype)
    for turned in (lambda x: x, lambda x: x.swapaxes(-1, -2)):
        (q, r), _ = several_by(LIBRARY, lambda x, turned=turned: np.linalg.qr(turned(x), mode), a)
        is_unitary(q)
        same_numbers(r, np.triu(r))
        same_numbers(q @ r, turned(a))


@pytest.mark.parametrize("dtype", "fdFD")
@pytest.mark.parametrize("shape", FORMS)
def test_triangles_of_orthogonal_factors(shape, dtype):
    check(lambda x: np.linalg.qr(x, "r"), values(RNG, shape, dtype))


@pytest.mark.parametrize("dtype", "fdFD")
@pytest.mark.parametrize("shape", FORMS)
@pytest.mark.parametrize("full_matrices", [True, False])
def test_singular_vectors(shape, dtype, full_matrices):
    a = values(RNG, shape, dtype)
    (u, s, vh), (_, wanted, _) = several_by(LIBRARY, lambda x: np.linalg.svd(x, full_matrices), a)
    same_numbers(s, wanted)
    is_unitary(u)
    is_unitary(conjugated(vh))
    count = s.shape[-1]
    same_numbers((u[..., :count] * s[..., None, :]) @ vh[..., :count, :], a)


@pytest.mark.parametrize("dtype", "fdFD")
@pytest.mark.parametrize("shape", SHAPES)
def test_determinants(shape, dtype):
    a = values(RNG, shape, dtype)
    check(np.linalg.det, a)
    for found, wanted in zip(*several_by(LIBRARY, np.linalg.slogdet, a), strict=True):
        same_numbers(found, wanted)
    check(np.linalg.det, a[..., ::-1, :])
    check(np.linalg.det, np.broadcast_to(np.eye(shape[-1], dtype=dtype), shape).copy())


def test_large_determinants_have_logarithms():
    a = np.eye(300) * 100
    (sign, logarithm), _ = several_by(LIBRARY, np.linalg.slogdet, a)
    assert sign == 1
    np.testing.assert_allclose(logarithm, 300 * np.log(100))


@pytest.mark.parametrize("call", [np.linalg.det, lambda x: np.linalg.slogdet(x)[0], lambda x: np.linalg.slogdet(x)[1]])
def test_determinants_of_singular_matrices_are_the_hosts(call):
    a = np.stack([np.eye(3), [[1.0, 2, 3], [2, 4, 6], [1, 1, -1]]])
    DRIVER.library_calls.clear()
    np.testing.assert_array_equal(call(there(a)).numpy(), call(a))
    assert not DRIVER.library_calls


@pytest.mark.parametrize("call", [
    np.linalg.inv, np.linalg.det, np.linalg.eigvalsh, lambda x: np.linalg.eigh(x)[1], lambda x: np.linalg.qr(x)[0],
    lambda x: np.linalg.svd(x)[0]])
@pytest.mark.parametrize("shape", [(0, 0), (0, 3, 3), (2, 0, 0)])
def test_empty_matrices(call, shape):
    a = np.ones(shape)
    np.testing.assert_array_equal(call(there(a)).numpy(), call(a))


def test_integers_are_cast():
    a = np.array([[4, 1], [2, 3]])
    check(np.linalg.inv, a)
    check(np.linalg.solve, a, np.array([1, 2]))
    check(np.linalg.solve, a.astype("f"), np.array([1, 2]))
    check(np.linalg.svdvals, a)
    check(np.linalg.det, a)
    same_numbers(*[x[0] for x in several_by(LIBRARY, np.linalg.eigh, a)])


def test_operands_stay_as_they_are():
    a, b = definite((4, 4), "d"), RNG.random((4, 3))
    x, y = there(a), there(b)
    for call in (np.linalg.inv, np.linalg.cholesky, np.linalg.det, lambda z: np.linalg.eigh(z)[1],
                 lambda z: np.linalg.qr(z)[0], lambda z: np.linalg.svd(z)[0], lambda z: np.linalg.solve(z, y)):
        made_by(LIBRARY, lambda call=call: call(x))
    np.testing.assert_array_equal(x.numpy(), a)
    np.testing.assert_array_equal(y.numpy(), b)


@pytest.mark.parametrize("call", [
    np.linalg.inv, np.linalg.det, lambda x: np.linalg.eigh(x)[0], lambda x: np.linalg.solve(x, x[0, :, :1]),
    lambda x: np.linalg.svd(x, compute_uv=False, hermitian=True), lambda x: np.linalg.qr(x)[1],
    lambda x: np.linalg.qr(x[0], "raw")[0]])
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


@pytest.mark.parametrize("dtype", "fdFD")
@pytest.mark.parametrize("call", [
    np.linalg.pinv, np.linalg.cond, np.linalg.matrix_rank, np.linalg.svdvals, lambda x: np.linalg.norm(x, 2, (-2, -1)),
    lambda x: np.linalg.norm(x, "nuc", (-2, -1)), lambda x: np.linalg.lstsq(x, x[:, :2])[0],
    lambda x: np.linalg.lstsq(x, x[:, :2])[2]], ids="pinv cond rank svdvals largest nuclear lstsq lstsq-rank".split())
def test_steps_about_a_decomposition(call, dtype, library):
    a = values(RNG, (6, 4), dtype)
    DRIVER.host_steps.clear()
    DRIVER.library_calls.clear()
    got, wanted = call(there(a)), np.asarray(call(a))
    assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
    precision = 1e-4 if dtype in "fF" else 1e-9
    np.testing.assert_allclose(got.numpy(), wanted, precision, precision)
    assert not DRIVER.host_steps
    assert any(title == LIBRARY.title for _, title in DRIVER.library_calls)
