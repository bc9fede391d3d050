"""Calls with their own kernels on a CUDA device, against NumPy."""

import numpy as np
import pytest

import lazyarr as la
from support.cuda_device import DEVICE, DRIVER, there

RNG = np.random.default_rng(2)
A, NUMBERS, WEIGHTS = RNG.standard_normal((7, 9)), RNG.integers(0, 5, 60), RNG.standard_normal(60)


def added(places, values):
    """Add values at indices."""
    x = values[:5] * 1
    np.add.at(x, places, values)
    return x


@pytest.mark.parametrize("call", [
    lambda a, k, w: a[a > 0.2],
    lambda a, k, w: np.argwhere(a > 0),
    lambda a, k, w: np.bincount(k),
    lambda a, k, w: np.bincount(k, w),
    lambda a, k, w: np.histogram(w, 7)[0],
    lambda a, k, w: np.unique(k, return_inverse=True)[1],
    lambda a, k, w: np.digitize(w, [-1, 0, 0.5]),
    lambda a, k, w: np.median(a, 1),
    lambda a, k, w: np.percentile(w, [5, 50, 95]),
    lambda a, k, w: np.argsort(w),
    lambda a, k, w: np.partition(w, 7)[7:8],
    lambda a, k, w: np.lexsort((w, k)),
    lambda a, k, w: np.searchsorted(w, a, sorter=np.argsort(w)),
    lambda a, k, w: np.isin(k, k[:3]),
    lambda a, k, w: np.setdiff1d(k, k[:3]),
    lambda a, k, w: np.interp(a, np.sort(w), w),
    lambda a, k, w: np.convolve(k, k[:7]),
    lambda a, k, w: np.correlate(k[:9], k, "full"),
    lambda a, k, w: np.packbits(a > 0, 1),
    lambda a, k, w: np.unpackbits(k.astype("B")),
    lambda a, k, w: np.unravel_index(k, (2, 3))[1],
    lambda a, k, w: np.ravel_multi_index((k, k), (5, 6), order="F"),
    lambda a, k, w: np.add.reduceat(w, [0, 20, 7]),
    lambda a, k, w: np.repeat(a, [0, 1, 2, 3, 0, 1, 2], 0),
    lambda a, k, w: added(k, w),
], ids=["mask", "argwhere", "bincount", "weights", "histogram", "unique", "digitize", "median", "percentile", "argsort",
        "partition", "lexsort", "sorter", "isin", "setdiff1d", "interp", "convolve", "correlate",
        "packbits", "unpackbits", "unravel", "ravel", "reduceat", "repeat", "at"])  # fmt: skip
def test_calls_have_numpys_bits(call):
    DRIVER.host_steps.clear()
    got = call(there(A), there(NUMBERS), there(WEIGHTS))
    assert got.device == DEVICE
    np.testing.assert_array_equal(got.numpy(), call(A, NUMBERS, WEIGHTS), strict=True)
    assert not DRIVER.host_steps


@pytest.mark.parametrize("form", [lambda x, k: x[k], lambda x, k: x[:, k], lambda x, k: np.take(x, k, mode="wrap"),
                                  lambda x, k: x[x > 0.2]], ids=["rows", "columns", "wrapped", "mask"])
def test_derivatives_of_gathers(form):
    DRIVER.host_steps.clear()
    slope = la.grad(lambda x, k: (form(x, k) ** 3).sum())
    got, wanted = slope(there(A), there(NUMBERS)), slope(la.array(A), la.array(NUMBERS))
    assert got.device == DEVICE
    np.testing.assert_array_equal(got.numpy(), wanted.numpy(), strict=True)
    assert not DRIVER.host_steps


def test_writes_of_arrays_under_a_mask():
    a, values = A.copy(), np.arange(float((A > 0).sum()))
    x = there(a)
    x[x > 0] = values
    x[x < -1] = x[x < -1] * 2
    a[a > 0] = values
    a[a < -1] = a[a < -1] * 2
    np.testing.assert_array_equal(x.numpy(), a)


@pytest.mark.parametrize("a", [A, np.vstack([A, A[:, ::-1], A])[:19, :9].T], ids=["small", "prime"])
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fft2", "irfftn"])
def test_transforms(name, a):
    DRIVER.host_steps.clear()
    got = getattr(np.fft, name)(there(a))
    assert got.device == DEVICE
    np.testing.assert_allclose(got.numpy(), getattr(np.fft, name)(a), rtol=0, atol=1e-13)
    assert not DRIVER.host_steps
