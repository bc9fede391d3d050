"""NumPy's functions, one test per row of the table: results, errors, and that they stay lazy."""

import collections

import numpy as np
import pytest

import lazyarr as la
from lazyarr.ops.table import IMMEDIATE, TABLE
from support.example_lines import basic, counting, products_and_methods
from support.numpy_comparison import check, operands

EXACT = basic.ELEMENTWISE | basic.LAYOUT | basic.INDEXING | basic.SORTING | basic.CREATION | \
    counting.EXACT | products_and_methods.IMMEDIATE
NEAR = products_and_methods.CONTRACTION | products_and_methods.STATISTICS | counting.NEAR | \
    products_and_methods.IMMEDIATE_NEAR


@pytest.mark.parametrize("name", EXACT)
def test_function(name):
    for line in EXACT[name]:
        check(line, lazy=TABLE[name].kind != IMMEDIATE)


@pytest.mark.parametrize("name", NEAR)
def test_function_that_sums(name):
    for line in NEAR[name]:
        check(line, lazy=TABLE[name].kind != IMMEDIATE, near=True)


@pytest.mark.parametrize("group", products_and_methods.METHODS)
def test_methods(group):
    for line in products_and_methods.METHODS[group]:
        check(line, lazy=group == "lazy")


@pytest.mark.parametrize("key", products_and_methods.KEYS)
def test_reading_with_arrays_as_indices(key):
    check(f"m[{key}]", lazy=key not in products_and_methods.MASKS)


@pytest.mark.parametrize("key", products_and_methods.KEYS)
@pytest.mark.parametrize("statement", [
    "r = m.copy(); r[{}] = 7",
    "r = i.copy(); r[{}] = 2.7",
    "r = i8.copy(); r[{}] = 300",
    "r = i.copy(); r[{}] += 1",
    "r = f32.copy(); r[{0}] = m[{0}]",
    "x = m.copy(); x[:, ::-1][{}] = 7; r = x",
])
def test_writing_with_arrays_as_indices(key, statement):
    check(statement.format(key), lazy=False)


@pytest.mark.parametrize("key", ["idx", "idx, 1", "b", "b[0]", ":, b[0]"])
def test_writing_one_value_evaluates_nothing(key):
    check(f"r = m.copy(); r[{key}] = 7", lazy=True)


@pytest.mark.parametrize("shape", [(1,), (2,), (2, 3), (0, 3)])
@pytest.mark.parametrize("mask", [(0,), (0, 3), (2, 0), (0, 2), (0, 0)])
@pytest.mark.parametrize("statement", [
    "r = x[k]", "r = x[..., k]", "r = x[None, k]", "x[k] = 7; r = x", "x[k] = np.array([7.0]); r = x",
    "x[k] = np.zeros(2); r = x", "x[k, 0] = 7; r = x",
])
def test_a_mask_with_empty_axes(shape, mask, statement):
    # NumPy takes them for axes of any extent
    check(f"x = np.ones({shape}); k = np.ones({mask}, bool); {statement}", lazy=False)


def test_a_write_to_a_view_made_by_any_layout_function_reaches_the_base():
    for line in ["np.rot90(x)", "x.T", "np.swapaxes(x, 0, 1)", "np.flip(x)", "x.reshape(-1)", "x.view('i8')",
                 "np.moveaxis(x, 0, 1)", "np.expand_dims(x, 1)", "np.atleast_3d(x)", "np.split(x, 2, axis=1)[1]"]:
        check(f"x = m.copy(); {line}[1:] = 0; r = x", lazy=True)


def test_a_second_write_through_a_view_sees_the_first():
    check("x = m.copy(); y = x.reshape(2, 6); y[0] = 1; x[0, 0] = 5; r = y", lazy=True)


@pytest.mark.parametrize("make", [
    lambda: np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0]),
    lambda: np.matrix([[1.0, 2.0], [3.0, 4.0]]),
])
@pytest.mark.parametrize("name", ["sum", "mean", "max", "cumsum", "sort", "reshape"])
def test_arrays_with_semantics_of_their_own_are_left_to_numpy(make, name):
    args = (-1,) if name == "reshape" else ()
    want, got = getattr(np, name)(make(), *args), getattr(la, name)(make(), *args)
    if isinstance(got, la.LazyArray):
        got = got.numpy()
    assert type(got) is type(want)
    np.testing.assert_array_equal(got, want)


def test_snapshot_of_an_ndarray_operand():
    x = np.arange(4.0)
    total, ordered = la.sum(x), la.sort(x)
    x[:] = 7
    assert total.item() == 6
    assert ordered.tolist() == [0, 1, 2, 3]


def test_asarray_shares_and_array_copies():
    x = np.arange(4.0)
    shared, private = la.asarray(x), la.array(x)
    assert np.shares_memory(shared.numpy(), x)
    assert not np.shares_memory(private.numpy(), x)
    shared[0] = 9
    assert x[0] == 0


def test_operands_are_the_same_on_each_call():
    for (name, a), b in zip(operands().items(), operands().values(), strict=True):
        np.testing.assert_array_equal(a, b, err_msg=name)


@pytest.mark.parametrize("call", [
    "asarray(h)", "array(h, dtype='f4', order='F')", "asanyarray(h)", "sum(h)", "add(h, 1)", "x * h", "h * x",
    "concatenate([h, x])", "where(x > 0, h, x)", "sort(h)", "mean(h, axis=0)", "matmul(h, x.T)",
    "x[h > -9]", "x[bits]", "x[rows]", "x[rows, [0, 2]]", "x[[rows]]", "[x.__setitem__(rows, 7), x][1]",
    "[x.__setitem__(..., h), x][1]", "[x.__setitem__([0, 1], h), x][1]", "[x.__setitem__(0, h0), x][1]",
    "[x.__setitem__(x > 0, 2 * h0), x][1]",
])
def test_an_object_that_gives_a_lazy_array(call):
    class Holder:
        def __init__(self, array):
            self.array = array

        def __array__(self, dtype=None, copy=None):
            return self.array

        def __rmul__(self, other):
            return other * self.array

        def __mul__(self, other):
            return self.array * other

        def __gt__(self, other):
            return Holder(self.array > other)

    def run(xp):
        x = xp.arange(6.0).reshape(2, 3) - 2
        return eval(call, {**{name: getattr(xp, name) for name in dir(xp) if name[0] != "_"},
                           "x": x, "h": Holder(x + 1), "h0": Holder(xp.array(2.5)), "rows": Holder(xp.array([1, 0])),
                           "bits": Holder(x > 0)})
    got, expected = run(la), run(np)
    np.testing.assert_array_equal(got, expected)
    assert got.dtype == expected.dtype
    with pytest.raises(ValueError, match="not producing an array"):
        la.asarray(Holder([1]))


@pytest.mark.parametrize("line", [
    "type(rec.array([(1, 2.0)], dtype='i4,f8')).__name__", "rec.array([(1, 2.0)], dtype='i4,f8').f0",
    "type(rec.array(zeros(2, 'i4,f8'))).__name__", "rec.fromstring(b'\\0' * 12, dtype='i4,f8').f0",
    "type(char.array(['a '])).__name__", "char.array(['a ', 'b']) == 'a'", "type(char.array('abc')).__name__",
    "type(char.asarray(['a'])).__name__", "char.equal(['a '], ['a'])", "char.greater(array(['a ']), ['a'])",
    "char.partition(array(['a,b']), ',')", "char.multiply(['a'], 3)", "strings.partition(array(['a,b']), ',')",
    "strings.mod(array(['%d']), 3)", "strings.multiply(array(['a']), 2)", "emath.sqrt(-1)", "emath.log(array([-1.0]))",
    "emath.power([-2.0, 3], 0.5)", "polynomial.polynomial.polyval(2, [1, 2, 3])",
    "polynomial.polynomial.polyval(array([2.0]), [1, 2, 3])", "polynomial.polynomial.polyfit([1.0, 2], [1, 4], 1)",
    "polynomial.polynomial.polydiv([1, 2, 3], [1, 1])", "polynomial.polynomial.polyadd(array([1, 2]), [3])",
    "random.power(2, 3).shape", "random.random(3).shape",
])
def test_functions_of_submodules_with_a_name_that_means_another_one(line):
    def run(xp):
        return repr(eval(line, {name: getattr(xp, name) for name in (
            "array", "char", "emath", "polynomial", "random", "rec", "strings", "zeros")}))
    assert run(la.numpy) == run(np)


@pytest.mark.parametrize("sequence", [
    collections.namedtuple("Pair", "first second")._make, collections.deque, collections.UserList,
    type("Listing", (list,), {}),
])
@pytest.mark.parametrize("name", ["stack", "vstack", "hstack", "dstack", "column_stack", "concatenate"])
def test_arrays_in_any_sequence(sequence, name):
    def joined(xp):
        return getattr(xp, name)(sequence([xp.ones((2, 2)), xp.zeros((2, 2))]))

    for xp in la, la.numpy, la.array_api:
        np.testing.assert_array_equal(joined(xp).numpy(), joined(np))


@pytest.mark.parametrize("function", [la.asarray, la.array, la.numpy.asarray, la.numpy.array])
def test_a_class_of_arrays_is_an_object(function):
    made = function(la.LazyArray)
    assert (made.shape, made.dtype, made[()]) == ((), object, la.LazyArray)
