"""0-d results: typed as arrays, with the behaviour of NumPy's scalars."""

import math

import numpy as np

import lazyarr as la
from support.typed_arrays import BOOL, F32, F64, I64, assert_type, d, i, x


def test_arithmetic() -> None:
    total = d.sum()
    assert_type(total, F64)
    assert_type(total + 1, F64)
    assert_type(1 - total / 3, F64)
    assert_type(x.sum() * 2.5, F32)
    assert_type(total > 0, BOOL)
    assert_type(abs(total), F64)
    assert_type(max(d.sum(), d.mean()), F64)


def test_python_numbers() -> None:
    assert_type(float(d.sum()), float)
    assert_type(int(d.sum()), int)
    assert_type(complex(d.sum()), complex)
    assert_type(d.sum().item(), float)
    assert_type(f"{d.sum():.3f}", str)
    assert_type(math.sqrt(d.sum()), float)
    assert_type(math.isclose(d.mean(), 0.7), bool)
    assert_type(round(d.sum()), int)
    assert_type(round(d.sum(), 2), F64)
    assert_type(round(x.max(), 1), F32)
    assert_type(round(i.sum(), 1), la.LazyArray[np.intp])


def test_conditions_and_indices() -> None:
    assert_type("above" if d.sum() > 0 else "below", str)
    while d.sum() < 0 or (d < 0).any():
        break
    assert_type([1, 2, 3][i[0, 1]], int)
    assert_type(range(i[1, 0]), range)
    assert_type(i.flatten()[x.argmax()], I64)


def test_the_drop_in_face() -> None:
    assert_type(la.numpy.sum(d), F64)
    assert_type(float(la.numpy.mean(x)), float)
    assert_type(round(la.numpy.max(d), 1), F64)
    assert_type(la.numpy.sum(d) + 1, F64)
    assert_type(la.numpy.asarray(d).sum() > 0, BOOL)
