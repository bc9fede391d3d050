"""Reductions and scans: floats keep their dtype, integers widen to the pointer size."""

import numpy as np

import lazyarr as la
from support.typed_arrays import ANY, BOOL, F32, F64, INT, any_, assert_type, d, i, m, x, z


def test_methods() -> None:
    assert_type(x.sum(), F32)
    assert_type(x.sum(axis=0, keepdims=True), F32)
    assert_type(x.sum(axis=(0, 1), dtype=np.float64), F64)
    assert_type(i.sum(), INT)
    assert_type(m.sum(axis=1), INT)
    assert_type(i.mean(), F64)
    assert_type(x.std(ddof=1), F32)
    assert_type(z.var(), F64)
    assert_type(x.max(axis=0), F32)
    assert_type(x.argmax(axis=0), INT)
    assert_type(m.any(), BOOL)
    assert_type(x.cumsum(axis=1), F32)
    assert_type(x.clip(0, 1), F32)
    assert_type(x.round(2), F32)
    assert_type(any_.sum(), ANY)


def test_functions() -> None:
    assert_type(la.sum(x, axis=0), F32)
    assert_type(la.prod(i), INT)
    assert_type(la.mean(x, axis=(0, 1)), F32)
    assert_type(la.nansum(x), F32)
    assert_type(la.std(d), F64)
    assert_type(la.var(x), F32)
    assert_type(la.max(x), F32)
    assert_type(la.median(x, axis=0), F32)
    assert_type(la.average(d), F64)
    assert_type(la.argmin(x), INT)
    assert_type(la.all(m, axis=0), BOOL)
    assert_type(la.cumsum(x), F32)
    assert_type(la.logsumexp(x, axis=1), F32)
    assert_type(la.allclose(x, x), bool)
