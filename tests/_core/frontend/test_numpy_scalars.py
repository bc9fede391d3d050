"""Lazy scalars count as numbers; iteration yields NumPy scalars; operands from other libraries."""

import copy
import numbers
import pickle

import numpy as np
import pytest

import lazyarr as la
from support import lazy_helpers

DTYPES = ("bool", "int8", "int64", "uint16", "float16", "float32", "float64", "longdouble", "complex64", "complex128")
PYTHON_NUMBERS = (int, bool, float, complex, numbers.Number, numbers.Complex, numbers.Real, numbers.Rational,
                  numbers.Integral)


def scalars(dtype):
    """Return the same number as a NumPy scalar and as a pending lazy one."""
    x = np.array([1, 1], dtype)
    return x[1], lazy_helpers.pending(x)[1]


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_scalar_counts_among_the_numbers_of_python_that_numpys_counts_among(dtype):
    expected, got = scalars(dtype)
    with la.no_evaluation():
        for kind in PYTHON_NUMBERS:
            assert isinstance(got, kind) == isinstance(expected, kind), kind
        assert np.isscalar(got) or dtype == "bool"
        assert isinstance(got, la.LazyArray)
        assert not isinstance(got, np.generic)  # libraries look at the value of one


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_class_of_a_scalar_is_named_as_numpys(dtype):
    expected, got = scalars(dtype)
    assert got.__class__.__name__ == (type(expected).__name__ if dtype != "bool" else "LazyArray")
    assert type(got) is la.LazyArray


@pytest.mark.parametrize("kind", [*PYTHON_NUMBERS, np.generic])
def test_an_array_is_no_number(kind):
    for x in (lazy_helpers.pending([1.0]), la.array(1.0), la.zeros((2, 2))):
        assert not isinstance(x, kind)
        assert x.__class__ is la.LazyArray


def test_a_scalar_is_no_ndarray():
    x = lazy_helpers.pending([1.0, 2.0])
    for value in (x.sum(), x[0], np.float64(1)):
        assert not isinstance(value, la.ndarray)
    for value in (x, la.array(1.0), np.ones(2)):
        assert isinstance(value, la.ndarray)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_pickled_scalar_is_a_scalar(dtype, protocol):
    expected, got = scalars(dtype)
    read = pickle.loads(pickle.dumps(got, protocol))
    assert (type(read), read._scalar, repr(read)) == (la.LazyArray, True, repr(expected))


@pytest.mark.parametrize("dtype", DTYPES)
def test_ufuncs_take_pending_scalars(dtype):
    expected, got = scalars(dtype)
    for call in (lambda s: np.add(s, s), lambda s: np.equal(s, 1, casting="unsafe"), np.isfinite):
        lazy_helpers.assert_same(call(got), call(expected))


@pytest.mark.parametrize("dtype", [*DTYPES, "U3", "M8[s]", "O"])
def test_iteration_gives_the_scalars_of_numpy(dtype):
    x = np.array([0, 1, 1], "M8[s]" if dtype == "M8[s]" else dtype)
    assert [(type(v), repr(v)) for v in la.array(x)] == [(type(v), repr(v)) for v in x]
    assert [type(row) for row in la.array(x.reshape(3, 1))] == [la.LazyArray] * 3


def test_iteration_sees_what_is_written_meanwhile():
    def seen(x):
        values = []
        for v in x:
            x[2:] = v + 5
            values.append(float(v))
        return values

    assert seen(lazy_helpers.pending([0.0, 1.0, 2.0, 3.0])) == seen(np.array([0.0, 1.0, 2.0, 3.0]))


@pytest.mark.parametrize("dtype", ["float64", "int8"])
def test_a_deep_copy_waits(dtype):
    x = lazy_helpers.pending(np.arange(6, dtype=dtype).reshape(2, 3).T)
    with la.no_evaluation():
        y = copy.deepcopy({"x": [x]})["x"][0]
        s = copy.deepcopy(x[0, 0])
        x += 1
    assert s._scalar
    assert y.strides == x.strides
    assert (x - y).tolist() == [[1, 1]] * 3


# ---- operands that answer ufuncs themselves ----


class Answering:
    """Handles every ufunc by returning the call, like a Series or a DataArray."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return ufunc.__name__, method, [type(x).__name__ for x in inputs], sorted(kwargs)


class Refusing:
    """Accepts only ndarrays, like a dask array that does not know LazyArrays."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if not all(isinstance(x, (np.ndarray, np.generic, Refusing)) for x in inputs):
            return NotImplemented
        told = ufunc.__name__, [str(x) for x in inputs if x is not self], [type(x) for x in kwargs.get("out", ())]
        for out in kwargs.get("out", ()):
            out[...] = 7
        return told


class Declining:
    __array_ufunc__ = None


CALLS = {
    "add": lambda x, o: x + o,
    "reflected": lambda x, o: o + x,
    "compare": lambda x, o: x < o,
    "equal": lambda x, o: x == o,
    "ufunc": lambda x, o: np.hypot(x, o),
    "ufunc reflected": lambda x, o: np.hypot(o, x),
    "three operands": lambda x, o: np.clip(x, 0, o),
    "keyword": lambda x, o: np.add(x, o, dtype=float),
    "outer": lambda x, o: np.add.outer(x, o),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("make", [lambda x: x, lambda x: x[1]], ids=["array", "scalar"])
def test_an_operand_that_answers_ufuncs_is_asked(name, make):
    expected = CALLS[name](make(np.array([1.0, 2.0])), Answering())
    x = make(lazy_helpers.pending([1.0, 2.0]))
    with la.no_evaluation():
        got = CALLS[name](x, Answering())
    kinds = [kind if kind == "Answering" or kind in ("int", "float") else "LazyArray" for kind in expected[2]]
    assert got == (expected[0], expected[1], kinds, expected[3])


@pytest.mark.parametrize("name", ["add", "ufunc", "ufunc reflected", "compare"])
def test_an_operand_that_refuses_lazy_arrays_gets_values(name):
    assert CALLS[name](lazy_helpers.pending([1.0, 2.0]), Refusing()) == CALLS[name](np.array([1.0, 2.0]), Refusing())


def test_an_operand_that_refuses_lazy_arrays_gets_memory_to_write_to():
    results = []
    for x in (np.array([1.0, 2.0]), lazy_helpers.pending([1.0, 2.0])):
        view, old = x[1:], x + 0
        told = np.add(x, Refusing(), out=x)
        y = x[:1]
        y += Refusing()
        results.append((told, y, x.tolist(), view.tolist(), old.tolist()))
    assert results[0] == results[1]


def test_an_operand_without_ufuncs_is_refused():
    for x in (np.ones(2), lazy_helpers.pending([1.0, 2.0])):
        with pytest.raises(TypeError):
            np.add(x, Declining())
        with pytest.raises(TypeError):
            x + Declining()


# ---- 0-d results and the array API standard ----


def test_a_scalar_takes_values_under_a_lazy_condition():
    x = lazy_helpers.pending([1.0, 2.0])
    with la.no_evaluation():
        s, t = x.sum(), x.sum()
        before = s + 0
        s[s > 2] = np.nan
        t[t > 5] = np.nan
    assert s._scalar
    assert (repr(s), repr(t), float(before)) == ("np.float64(nan)", "np.float64(3.0)", 3)


@pytest.mark.parametrize("key", [(), ..., True, np.True_, np.array(True), 0])
def test_a_scalar_takes_no_values_otherwise(key):
    for s in (np.ones(2).sum(), lazy_helpers.pending([1.0, 1.0]).sum()):
        with pytest.raises(TypeError, match=r"'numpy.float64' object does not support item assignment"):
            s[key] = 1


def test_arrays_made_of_numbers_are_numbers_to_others():
    x = la.asarray(np.arange(4.0))

    def names(y):
        return [node.name for node in la.explain(y).nodes]

    for number in (la.full((), 2.0) * 3, 1 + la.full((), 2.0), -la.zeros(()), la.ones((), "f4").astype(float)):
        assert names(x * number) == names(number - x)[::-1] or len(names(number - x)) == 3
        assert len(names(x * number)) == 3
        np.testing.assert_array_equal(x * number, x.numpy() * number.numpy())
    number = la.full((), 0.0)
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        np.testing.assert_array_equal(x + 1 / number, x.numpy() + np.inf)


def test_arrays_made_of_numbers_can_be_changed_and_differentiated_by():
    x, number = la.asarray(np.arange(4.0)), la.full((), 2.0)
    thrice = number * 3
    y = x * thrice
    assert (y.sum()).grad(number) == 18
    assert la.grad(lambda number: (x * (number * number)).sum())(number) == 24
    number[...] = 5
    assert y.tolist() == [0, 6, 12, 18]
    assert (x * number).tolist() == (5 * x).tolist()
    squared = la.jit(lambda x: x * (la.full((), 2.0) * 3))
    assert squared(x).tolist() == squared(x).tolist() == (x * 6).tolist()
    assert la.vmap(lambda x: x * (la.full((), 2.0) * 3))(x[:, None]).tolist() == (x * 6)[:, None].tolist()
