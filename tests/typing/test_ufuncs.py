"""Ufuncs, also with `dtype`, `out` and `where`."""

import numpy as np

import lazyarr as la
from support.typed_arrays import ANY, BOOL, C128, F32, F64, I64, any_, assert_type, d, i, m, x, z


def test_floats() -> None:
    assert_type(la.sqrt(x), F32)
    assert_type(la.sin(d), F64)
    assert_type(la.exp(z), C128)
    assert_type(la.log(i + 1), F64)
    assert_type(la.exp(2.0), F64)
    assert_type(la.exp(any_), ANY)
    assert_type(la.numpy.tanh(x), F32)


def test_two_operands() -> None:
    assert_type(la.add(x, x), F32)
    assert_type(la.maximum(x, 0), F32)
    assert_type(la.minimum(0.0, d), F64)
    assert_type(la.arctan2(x, x), F32)
    assert_type(la.true_divide(i, i), F64)
    assert_type(la.bitwise_and(i, 1), I64)
    assert_type(la.matmul(x, x.T), F32)
    assert_type(la.divmod(d, d), tuple[F64, F64])
    assert_type(la.modf(x), tuple[F32, F32])
    assert_type(la.frexp(x), tuple[F32, la.LazyArray[np.int32]])
    assert_type(la.fma(x, x, x), F32)


def test_truth() -> None:
    assert_type(la.isnan(x), BOOL)
    assert_type(la.greater(x, 0), BOOL)
    assert_type(la.logical_and(x, m), BOOL)


def test_keywords() -> None:
    out = la.empty((2, 3), np.float32)
    assert_type(la.add(x, 1, out=out), F32)
    assert_type(la.add(x, d, dtype=np.float64), F64)
    assert_type(la.add(x, 1, out=out, where=m, casting="same_kind"), F32)


def test_attributes_and_methods() -> None:
    assert_type(la.add.nin, int)
    assert_type(la.add.reduce(x, axis=1, dtype=np.float64), F64)
    assert_type(la.add.accumulate(x), ANY)
    assert_type(la.add.outer(x, x), ANY)
