"""Operators: one dtype is preserved, Python's numbers adapt, two dtypes are promoted."""

import numpy as np

import lazyarr as la
from support.typed_arrays import ANY, BOOL, C128, F32, F64, I64, any_, assert_type, d, i, m, x, z


def test_one_dtype() -> None:
    assert_type(x + x, F32)
    assert_type(x * 2.0 - 1, F32)
    assert_type(2 / x, F32)
    assert_type(x**2, F32)
    assert_type(-x, F32)
    assert_type(x @ x.T, F32)
    assert_type(i + i, I64)
    assert_type(i // 2, I64)
    assert_type(i << 1, I64)
    assert_type(1j * z, C128)
    assert_type(divmod(d, 2), tuple[F64, F64])


def test_promotion() -> None:
    assert_type(x + d, F64)
    assert_type(d - x, F64)
    assert_type(i / 2, F64)
    assert_type(i / i, F64)
    assert_type(i + 0.5, F64)
    assert_type(x * np.float64(2), F64)
    assert_type(d * z, C128)
    assert_type(x + np.ones(3), F64)
    assert_type(i + x, la.LazyArray[np.floating])


def test_truth() -> None:
    assert_type(x > 0, BOOL)
    assert_type(x == x, BOOL)
    assert_type((x > 0) & ~m, BOOL)
    assert_type(m | True, BOOL)


def test_unknown_dtypes() -> None:
    assert_type(any_ + 1, ANY)
    assert_type(any_ * x, ANY)
    assert_type(x * any_, ANY)
    assert_type(any_ > x, BOOL)


def test_in_place() -> None:
    y = x.copy()
    y += d
    y *= 2
    y[0] = 1
    y[m] = d[0, 0]
    assert_type(y, F32)
    whole = i.copy()
    whole //= 2
    whole |= 1
    assert_type(whole, I64)


def test_python_numbers() -> None:
    assert_type(float(d[0, 0]), float)
    assert_type(d[0, 0].item(), float)
    assert_type(i[0, 0].item(), int)
    assert_type(m[0, 0].item(), bool)
    assert_type(bool(m.all()), bool)
    assert_type(abs(z), F64)
