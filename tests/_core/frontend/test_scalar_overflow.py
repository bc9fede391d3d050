"""Scalar operators: unlike arrays, NumPy's scalars report overflow, mostly of integers."""

import warnings

import numpy as np
import pytest

import lazyarr as la

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
EXPRESSIONS = ("a + b", "a - b", "a * b", "-a", "abs(a)", "a // b", "a % b", "a + 1", "1 - a", "a * 2", "divmod(a, b)",
               "a ** 2", "~a", "a << 1", "np.add(a, b)", "np.negative(a)", "a + x[0]", "-x[0]", "x[0] * b", "a == b",
               "+a", "a + z", "-z", "x - a", "-x", "a + True", "True + a", "a - (x[0] == b)", "(x[0] == b) - a",
               "a + 1.5", "a / b", "n - a", "n * a", "n - x[0]",
               "n == a", "numpy.subtract(n, a)", "n - x", "n - z")


def outcome(xp, expression, dtype, a, b, pending=False):
    x = xp.array([a, b], dtype)
    if pending:
        x = x * np.ones((), dtype)
    names = {"np": xp, "numpy": np, "x": x, "a": x[0], "b": x[1], "z": xp.array(a, dtype), "n": np.dtype(dtype).type(1)}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = eval(expression, names)
        results = result if isinstance(result, tuple) else (result,)
        results = [(str(r.dtype), repr(r.tolist())) for r in results]
    return results, sorted({str(warning.message) for warning in caught})


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_as_numpy(expression, dtype):
    least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    for a in (least, most, 1, 3):
        for b in (least or 2, most, 3):
            expected = outcome(np, expression, dtype, a, b)
            assert outcome(la, expression, dtype, a, b) == expected, (a, b)
            assert outcome(la, expression, dtype, a, b, pending=True) == expected, (a, b, "pending")


@pytest.mark.parametrize("expression", [
    "a % b", "a // b", "b % a", "a % 3", "divmod(a, b)", "np.remainder(a, b)", "x % b", "-a % b", "a * b", "a / b",
    "a - z",
])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_floats_as_numpy(expression, dtype):
    info = np.finfo(dtype)
    for a in (1, info.max, info.smallest_subnormal, 0, np.inf):
        for b in (info.smallest_subnormal, info.tiny, 3, info.max, 0, np.nan):
            expected = outcome(np, expression, dtype, a, b)
            assert outcome(la, expression, dtype, a, b) == expected, (a, b)
            assert outcome(la, expression, dtype, a, b, pending=True) == expected, (a, b, "pending")


def test_errstate_of_the_line():
    s = la.array([127], "int8")[0]
    with np.errstate(over="raise"), pytest.raises(FloatingPointError, match="overflow encountered in scalar add"):
        (s + s).item()
    with np.errstate(over="ignore"):
        t = s * s
    with np.errstate(over="raise"):
        assert t.item() == np.int8(1)
