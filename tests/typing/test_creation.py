"""Array creation: with the requested dtype, or NumPy's default."""

from typing import Any

import numpy as np

import lazyarr as la
from support.typed_arrays import ANY, BOOL, F32, F64, INT, assert_type


def test_shapes_and_dtypes() -> None:
    assert_type(la.zeros(3), F64)
    assert_type(la.ones((2, 3), dtype=np.float32), F32)
    assert_type(la.empty((2, 3), np.dtype(np.float32)), F32)
    assert_type(la.zeros(3, int), INT)
    assert_type(la.zeros(3, dtype=bool), BOOL)
    assert_type(la.zeros(3, dtype="f4"), ANY)
    assert_type(la.full(3, 2.0), F64)
    assert_type(la.full(3, 2, dtype=np.float32), F32)
    assert_type(la.eye(3), F64)
    assert_type(la.identity(3, np.float32), F32)
    assert_type(la.arange(3), INT)
    assert_type(la.arange(3.0), F64)
    assert_type(la.arange(3, dtype=np.float32), F32)
    assert_type(la.linspace(0, 1, 5), F64)


def test_from_others() -> None:
    assert_type(la.asarray(np.zeros(3)), F64)
    assert_type(la.array(np.zeros(3, np.float32)), F32)
    assert_type(la.array([1.0, 2.0]), F64)
    assert_type(la.array([[1, 2], [3, 4]]), INT)
    assert_type(la.asarray(True), BOOL)
    assert_type(la.asarray([1, 2], dtype=np.float32), F32)
    assert_type(la.zeros_like(la.ones(3, np.float32)), F32)
    assert_type(la.ones_like(la.ones(3), dtype=np.float32), F32)


def test_to_numpy() -> None:
    x = la.ones(3, np.float32)
    assert_type(x.numpy(), np.ndarray[tuple[Any, ...], np.dtype[np.float32]])
    assert_type(np.asarray(x), np.ndarray[tuple[Any, ...], np.dtype[np.float32]])
    assert_type(x.dtype, np.dtype[np.float32])
    assert_type(x.shape, tuple[int, ...])
    assert_type(la.float32(3), np.float32)
