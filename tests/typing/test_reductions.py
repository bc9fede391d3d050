"""Reductions and scans: of floats as wide as these, of integers as wide as a pointer."""

from typing import TYPE_CHECKING, Any

import numpy as np

import lazyarr as la

if TYPE_CHECKING:
    from typing import assert_type
else:
    from support.static_checks import assert_type

F32 = la.LazyArray[np.float32]
F64 = la.LazyArray[np.float64]
INT = la.LazyArray[np.intp]
BOOL = la.LazyArray[np.bool]
ANY = la.LazyArray[Any]

x = la.linspace(0.5, 0.9, 6).astype(np.float32).reshape(2, 3)
d = la.linspace(0.5, 0.9, 6).reshape(2, 3)
i = la.arange(6).astype(np.int64).reshape(2, 3)
m = x > 0.6
z = d + 1j
any_ = la.asarray(d, "f8")
la.evaluate(x, d, i, m, z, any_)  # whose values would count as left by the first test


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
