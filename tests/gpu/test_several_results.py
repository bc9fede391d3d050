"""Calls with several results on a device: consumers, later reads, failures."""

import gc

import numpy as np
import pytest

import lazyarr as la
from lazyarr.gpu.libraries import loading
from lazyarr.gpu.libraries.cusolver import LIBRARY
from support.cuda_device import DEVICE, DRIVER, NUMBER, there
from support.cuda_libraries import mock, needing

RNG = np.random.default_rng(5)
library = needing(LIBRARY)
A = RNG.random((6, 6))


@pytest.fixture(autouse=True)
def no_earlier_calls():
    DRIVER.library_calls.clear()


def calls():
    return sum(DRIVER.library_calls.values())


def test_results_that_are_read_later_are_those_of_the_same_call():
    x = there(A)
    values, vectors = np.linalg.eigh(x)
    found = values.numpy()
    del x, values
    gc.collect()
    assert vectors.device == DEVICE
    made = vectors.numpy()
    np.testing.assert_allclose(made * found, (np.tril(A) + np.tril(A, -1).T) @ made)
    assert calls() == 1
    assert not DRIVER.host_steps


def test_results_are_read_together():
    q, r = np.linalg.qr(there(A))
    np.testing.assert_allclose((q @ r + r * 0).numpy(), A)
    assert calls() == 1 + (("matmul", "cuBLAS") in DRIVER.library_calls)


def test_equal_calls_are_made_once():
    x = there(A)
    one, other = np.linalg.eigh(x), np.linalg.eigh(x)
    np.testing.assert_allclose((one[0] + other[0]).numpy(), 2 * np.linalg.eigh(A)[0])
    assert calls() == 1
    np.testing.assert_array_equal(one[1].numpy(), other[1].numpy())
    assert calls() == 1


def test_a_result_that_nothing_refers_to_is_freed_with_the_evaluation():
    gc.collect()
    before = la.devices()[NUMBER].memory_stats()["live_bytes"]
    values = np.linalg.eigh(there(A))[0]
    values.numpy()
    gc.collect()
    assert la.devices()[NUMBER].memory_stats()["live_bytes"] == before + values.nbytes


def test_a_result_read_later_on_the_host_is_the_same():
    values, vectors = np.linalg.eigh(there(A))
    values.numpy()
    with la.config(debug_nans=True):
        found = vectors.numpy()
    np.testing.assert_allclose(abs(found), abs(np.linalg.eigh(A)[1]))
    assert calls() == 1


def test_writing_to_a_result_leaves_what_is_read_later():
    u, s, vh = np.linalg.svd(there(A))
    s.numpy()
    again = u + 0
    u[...] = 0
    np.testing.assert_allclose(((again * s) @ vh).numpy(), A)
    np.testing.assert_array_equal(u.numpy(), 0)
    assert DRIVER.library_calls["linalg.svd", "cuSOLVER"] == 1


def test_without_room_the_host_computes_all_of_them(monkeypatch):
    def fail(*arguments):
        raise loading.LibraryError("cusolverDnXsyevd", "CUSOLVER_STATUS_ALLOC_FAILED", True)

    values, vectors = np.linalg.eigh(there(A))
    monkeypatch.setattr(LIBRARY.functions(DRIVER._version), "cusolverDnXsyevd", fail)
    with pytest.warns(RuntimeWarning, match="has no room for cuSOLVER: what has no room there is computed on the host"):
        found = values.numpy()
    np.testing.assert_array_equal(found, np.linalg.eigh(A)[0])
    np.testing.assert_array_equal(vectors.numpy(), np.linalg.eigh(A)[1])
    assert calls() == 0


def test_a_failed_call_can_be_made_again():
    counted = mock()
    values, vectors = np.linalg.eigh(there(A))
    counted.mock_fail(b"cusolverDnXsyevd", 0, 7)
    with pytest.raises(RuntimeError, match="CUSOLVER_STATUS_INTERNAL_ERROR, in cusolverDnXsyevd"):
        values.numpy()
    np.testing.assert_allclose(values.numpy(), np.linalg.eigh(A)[0])
    np.testing.assert_allclose(abs(vectors.numpy()), abs(np.linalg.eigh(A)[1]))


@pytest.mark.parametrize("call", [
    lambda x: np.linalg.eigh(x)[0], lambda x: np.linalg.svd(x, full_matrices=False)[1], lambda x: np.linalg.qr(x)[1],
    lambda x: np.linalg.slogdet(x)[1]])
def test_gradients_read_all_results(call):
    def loss(x):
        return (call(x) ** 2).sum()

    found, wanted = la.grad(loss)(there(A)), la.grad(loss)(la.asarray(A))
    np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=1e-7, atol=1e-9)
    assert calls()


def test_other_calls_with_several_results_are_the_hosts():
    a = RNG.random(100).astype("e")
    counts, _ = np.histogram(there(a), 4)
    np.testing.assert_array_equal(counts.numpy(), np.histogram(a, 4)[0])
    assert dict(DRIVER.host_steps) == {("histogram", "several results"): 1}
