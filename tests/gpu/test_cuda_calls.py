"""Calls by kernels of their own on a CUDA device, against NumPy."""

import numpy as np
import pytest

from support.cuda_device import DEVICE, DRIVER, there

RNG = np.random.default_rng(2)
A, NUMBERS, WEIGHTS = RNG.standard_normal((7, 9)), RNG.integers(0, 5, 60), RNG.standard_normal(60)


@pytest.mark.parametrize("call", [
    lambda a, k, w: a[a > 0.2],
    lambda a, k, w: np.argwhere(a > 0),
    lambda a, k, w: np.bincount(k),
    lambda a, k, w: np.bincount(k, w),
    lambda a, k, w: np.histogram(w, 7)[0],
    lambda a, k, w: np.unique(k, return_inverse=True)[1],
    lambda a, k, w: np.digitize(w, [-1, 0, 0.5]),
], ids=["mask", "argwhere", "bincount", "weights", "histogram", "unique", "digitize"])  # fmt: skip
def test_calls_have_numpys_bits(call):
    DRIVER.host_steps.clear()
    got = call(there(A), there(NUMBERS), there(WEIGHTS))
    assert got.device == DEVICE
    np.testing.assert_array_equal(got.numpy(), call(A, NUMBERS, WEIGHTS), strict=True)
    assert not DRIVER.host_steps


def test_writes_of_arrays_under_a_mask():
    a, values = A.copy(), np.arange(float((A > 0).sum()))
    x = there(a)
    x[x > 0] = values
    x[x < -1] = x[x < -1] * 2
    a[a > 0] = values
    a[a < -1] = a[a < -1] * 2
    np.testing.assert_array_equal(x.numpy(), a)


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "fft2", "irfftn"])
def test_transforms(name):
    DRIVER.host_steps.clear()
    got = getattr(np.fft, name)(there(A))
    assert got.device == DEVICE
    np.testing.assert_allclose(got.numpy(), getattr(np.fft, name)(A), rtol=0, atol=1e-14)
    assert not DRIVER.host_steps
