"""Functions that modify their first argument: NumPy's values for any arguments, without evaluation."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import lazyarr as la
import lazyarr.numpy as lnp
from support.sample_values import make
from support.strategies import SEEDS

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::numpy.exceptions.ComplexWarning")

DTYPES = st.sampled_from(["bool", "int8", "uint16", "int64", "float16", "float32", "float64", "complex64"])
SHAPES = st.sampled_from([(6,), (1,), (3, 4), (2, 3, 2), (4, 2)])
KEYS = st.sampled_from([..., np.s_[::-1], np.s_[..., ::2], np.s_[1:]])


def pending(x):
    """Return a lazy copy of an array that waits to be computed."""
    waiting = la.empty(x.shape, x.dtype)
    waiting[...] = x
    return waiting


def agree(change, x, key, *operands):
    """Fail unless `change` of a part of x does what it does in NumPy, evaluating nothing if it raises nothing."""
    want, failed = x.copy(), None
    try:
        with np.errstate(all="ignore"):
            change(want[key], *operands)
    except (TypeError, ValueError, IndexError, OverflowError) as error:
        failed = type(error)
    got = pending(x)
    waiting = [pending(operand) if isinstance(operand, np.ndarray) else operand for operand in operands]
    if failed is not None:
        with pytest.raises(failed):  # where it is written if its form is wrong, else where it is evaluated
            evaluated(change, got, key, waiting)
        return
    with la.no_evaluation(), np.errstate(all="ignore"):
        change(got[key], *waiting)
    np.testing.assert_array_equal(got.numpy(), want)


def evaluated(change, x, key, operands):
    """Change a part of x and look at its values."""
    change(x[key], *operands)
    return x.numpy()


@given(DTYPES, SHAPES, KEYS, SEEDS, DTYPES, st.integers(0, 5), st.sampled_from(["raise", "wrap", "clip"]))
def test_put(dtype, shape, key, seed, other, count, mode):
    x, values = make(dtype, shape, seed), make(other, (max(count, 1),), seed + 1)
    bound = x[key].size if mode == "raise" else 20
    index = np.random.default_rng(seed).integers(-bound, max(bound, 1), count if bound else 0)
    agree(lambda x, index, values: np.put(x, index, values, mode), x, key, index, values)


@given(DTYPES, SHAPES, KEYS, SEEDS, DTYPES, st.integers(1, 5), st.sampled_from([np.place, np.putmask]))
def test_place_and_putmask(dtype, shape, key, seed, other, count, function):
    x, values = make(dtype, shape, seed), make(other, (count,), seed + 1)
    agree(function, x, key, make("bool", x[key].shape, seed + 2), values)


@given(DTYPES, st.sampled_from([(3, 3), (5, 2), (2, 5), (3, 3, 3), (2, 3, 2)]), SEEDS, DTYPES, st.booleans())
def test_fill_diagonal(dtype, shape, seed, other, wrap):
    x, values = make(dtype, shape, seed), make(other, (3,), seed + 1)
    agree(lambda x, values: np.fill_diagonal(x, values, wrap), x, ..., values)


@given(DTYPES, SHAPES, KEYS, SEEDS, DTYPES, st.sampled_from([np.add, np.multiply, np.maximum, np.logical_or]),
       st.integers(0, 4))
def test_at(dtype, shape, key, seed, other, ufunc, count):
    x, values = make(dtype, shape, seed), make(other, (count,), seed + 1)
    part = x[key]
    index = np.random.default_rng(seed).integers(0, max(len(part), 1), count)
    if part.ndim == 1:
        agree(ufunc.at, x, key, index, values)
    else:
        agree(ufunc.at, x, key, (index, 0) if part.shape[1] else index, values if part.shape[1] else values[:0])


@given(DTYPES, SEEDS, st.sampled_from([lambda x: x, lambda x: x.T, lambda x: x[::-1, 1:], lambda x: x[:, 0]]))
def test_byteswap(dtype, seed, view):
    x = make(dtype, (3, 4), seed)
    with la.no_evaluation():
        swapped, changed = view(pending(x)).byteswap(), pending(x)
        assert view(changed).byteswap(inplace=True).shape == view(x).shape
    assert swapped.strides == view(x).byteswap().strides
    assert swapped.tobytes() == view(x).byteswap().tobytes()
    view(x).byteswap(inplace=True)
    assert changed.tobytes() == x.tobytes()


def test_what_is_put_is_read_before_the_array_changes():
    want = np.arange(6.0)
    got = pending(want)
    for x in (want, got):
        np.put(x, [0, 1, 2], x[::-1])
        np.add.at(x, np.array([0, 0, 5]), x[:3])
        np.place(x, x > 3, x)
    np.testing.assert_array_equal(got.numpy(), want)


def test_an_index_out_of_bounds_is_found_when_the_array_is_evaluated():
    for change in (np.put, np.add.at):
        x = pending(np.zeros(3))
        change(x, pending(np.array([0, 7])), 1)
        with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 3"):
            x.numpy()


@pytest.mark.host_only("values on a device are looked at when the array is evaluated")
def test_a_known_index_out_of_bounds_is_found_at_once():
    x = pending(np.zeros(3))
    for change in (lambda: np.put(x, [0, 7], 1), lambda: np.add.at(x, [0, 7], 1)):
        with pytest.raises(IndexError, match="index 7 is out of bounds"):
            change()


def test_views_see_the_change():
    x = pending(np.zeros((2, 3)))
    row, column = x[0], x[:, 1]
    with la.no_evaluation():
        np.put(x, [0, 1], [5, 6])
        np.fill_diagonal(x[:, ::-1], [7, 8])
    assert row.tolist() == [5, 6, 7]
    assert column.tolist() == [6, 8]


@pytest.mark.parametrize("where", [True, [[True], [False], [True]]])
def test_a_number_out_of_range_leaves_the_warning_of_the_next_write(where):
    x = lnp.broadcast_arrays(lnp.ones((3, 1), "u8"), lnp.ones((3, 2)))[0]
    with pytest.raises(OverflowError):
        lnp.copyto(x, -1, "unsafe", where=where)
    assert repr(x.flags) == repr(np.broadcast_arrays(np.ones((3, 1)), np.ones((3, 2)))[0].flags)
    with pytest.warns(DeprecationWarning, match="broadcast_arrays"):
        x[0] = 1
