"""`la.linalg`, `la.fft` and `la.random`."""

import numpy as np

import lazyarr as la
from support.typed_arrays import ANY, BOOL, C128, F32, F64, I64, assert_type, d, x, z


def test_linalg() -> None:
    a = x @ x.T + la.eye(2, dtype=np.float32)
    assert_type(a, F32)
    assert_type(la.linalg.inv(a), la.LazyArray[np.floating])
    assert_type(la.linalg.solve(a, x), la.LazyArray[np.floating])
    assert_type(la.linalg.norm(a), la.LazyArray[np.floating])
    assert_type(la.linalg.eigh(a).eigenvalues, ANY)
    assert_type(la.linalg.svd(a).S, ANY)
    assert_type(la.dot(x, x.T), ANY)
    assert_type(la.outer(x, x), F32)
    assert_type(la.tensordot(x, x), F32)
    assert_type(la.is_symmetric(a), BOOL)


def test_fft() -> None:
    assert_type(la.fft.fft(d), C128)
    assert_type(la.fft.rfft(x), la.LazyArray[np.complex64])
    assert_type(la.fft.irfft(z), F64)
    assert_type(la.fft.fftshift(x), F32)


def test_random() -> None:
    rng = la.random.default_rng(1)
    assert_type(rng.normal(size=3), F64)
    assert_type(rng.uniform(0, 1, (2, 3)), F64)
    assert_type(rng.random(), float)
    assert_type(rng.integers(0, 10, size=3), I64)
    assert_type(la.random.rand(3), F64)
