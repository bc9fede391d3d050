"""Opaque calls with inferred shapes and dtypes: NumPy's values, dtypes and strides for all layouts; late errors."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import lazyarr as la
from lazyarr._core import api as core
from lazyarr.ops import forms
from support.examples import examples
from support.strategies import SEEDS, layouts

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::numpy.exceptions.ComplexWarning")

REALS = st.sampled_from(["bool", "int8", "uint16", "int64", "float16", "float32", "float64"])
SHAPES = st.sampled_from([(5,), (3, 4), (2, 3, 4), (3, 3), (1, 4), (0, 3), (2, 1, 3)])


@st.composite
def real_arrays(draw):
    return draw(layouts(draw(SHAPES), draw(REALS)))


ONE = {
    "digitize": lambda x: np.digitize(x, [-1, 0, 2.5]),
    "digitize, descending": lambda x: np.digitize(x, [3, 0], right=True),
    "searchsorted": lambda x: np.searchsorted([0.5, 0, 2], x, sorter=[1, 0, 2]),
    "choose": lambda x: np.choose(x > 0, [x, np.ones(x.shape[-1], "f4")]),
    "choose from a stack": lambda x: (x[..., :1] > 0).choose(np.stack([x, x[::-1]])),
    "lexsort": lambda x: np.lexsort((x, x[::-1])),
    "lexsort of rows": lambda x: np.lexsort(x, axis=0),
    "nanargmax": lambda x: np.nanargmax(x, axis=0),
    "nanargmin, kept": lambda x: np.nanargmin(x, axis=-1, keepdims=True),
    "i0": lambda x: np.i0(x),
    "reduceat": lambda x: np.add.reduceat(x, [0, 1, 0], axis=-1),
    "reduceat of another axis": lambda x: np.maximum.reduceat(x, [0], axis=0),
    "packbits": lambda x: np.packbits(x > 0, axis=0),
    "unpackbits": lambda x: np.unpackbits(x.astype("uint8"), axis=-1, count=5),
    "ravel_multi_index": lambda x: np.ravel_multi_index((x.astype(int), x[:1].astype(int)), (3, 4), "wrap"),
    "unravel_index": lambda x: np.unravel_index(abs(x.astype("int8")) % 12, (3, 4))[1],
    "median under weights": lambda x: np.quantile(x, [0.2, 0.5], axis=0, weights=x * 0 + 1, method="inverted_cdf"),
    "compress": lambda x: x.compress([True], axis=-1),
    "delete": lambda x: np.delete(x, [0], axis=-1),
    "delete a slice": lambda x: np.delete(x, np.s_[::2], axis=0),
    "insert": lambda x: np.insert(x, 0, 3, axis=-1),
    "piecewise": lambda x: np.piecewise(x, [x < 0, x > 1], [1, 2, 3]),
    "histogram": lambda x: np.histogram(x, 4, (-3, 3))[0],
    "histogram of all": lambda x: np.histogram(x, 3)[1],
    "histogram, density": lambda x: np.histogram(x, [-2, 0, 2], density=True, weights=x)[0],
    "histogramdd": lambda x: np.histogramdd(x, 2, [(-3, 3)] * x.shape[-1])[0],
    "histogram2d": lambda x: np.histogram2d(x.ravel(), x.ravel(), [2, [-2, 0, 1]], weights=x.ravel())[0],
    "median": lambda x: np.median(x * 1.0, axis=0, out=np.zeros_like(x, "f8", shape=x.shape[1:])),
}


def result(function, x):
    """Return what the function gives or the class of what it raises, be it later."""
    try:
        with np.errstate(all="ignore"):
            y = function(x)
            strides = y.strides  # before the values are there
            return y if isinstance(y, np.ndarray | np.generic) else (y.numpy() if y.ndim else y.numpy()[()]), strides
    except (ValueError, TypeError, IndexError) as error:
        return type(error), None


# NumPy keeps a reference to an operand whose __array_ufunc__ raises in a method of a ufunc
@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.numpy_leaks] * name.startswith("reduceat"))
                                  for name in ONE])
@examples(40)
@given(x=real_arrays())
def test_form_and_values(name, x):
    want, strides = result(ONE[name], x)
    got, told = result(ONE[name], la.array(x) if x.flags.c_contiguous else la.asarray(x))
    if isinstance(want, type):
        assert got is want
        return
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    np.testing.assert_array_equal(got, want)
    significant = [axis for axis in range(want.ndim) if want.shape[axis] > 1] if want.size else []
    assert [told[axis] for axis in significant] == [strides[axis] for axis in significant]


READ_ON_DEVICES = {"histogram", "histogram of all", "histogramdd", "histogram2d"}


@given(SEEDS)
def test_nothing_is_evaluated(seed):
    x = la.array(np.random.default_rng(seed).integers(0, 9, (3, 4))) + 0
    with la.no_evaluation():
        for name, function in ONE.items():
            if la.config.device == "cpu" or name not in READ_ON_DEVICES:
                function(x)


read_there = pytest.mark.host_only("extremes and edges of bins on a device are read at the call")


@pytest.mark.parametrize(("call", "message"), [
    (lambda x: np.choose(x, [1, 2]), "invalid entry in choice array"),
    pytest.param(lambda x: np.digitize(x, x), "monotonically", marks=read_there),
    (lambda x: np.nanargmax(x * np.nan), "All-NaN slice"),
    pytest.param(lambda x: np.histogram(x / 0, 3)[0], "is not finite", marks=read_there),
    pytest.param(lambda x: np.histogram(x, x)[0], "monotonically", marks=read_there),
    (lambda x: np.histogram(x, 3, (x[0], x[1]))[0], "max must be larger than min"),
    (lambda x: np.ravel_multi_index((x, x), (3, 4)), "invalid entry in coordinates"),
    (lambda x: np.unravel_index(x, (3, 2))[0], "index 7 is out of bounds"),
    (lambda x: np.searchsorted(np.arange(3), x, sorter=x), "Sorter index out of range"),
    (lambda x: np.add.reduceat(x, x), "out-of-bounds"),
])
def test_errors_that_depend_on_values_wait(call, message):
    x = la.array([7, 1, 2]) + 0
    with la.no_evaluation(), np.errstate(all="ignore"):
        y = call(x)
    with pytest.raises((ValueError, IndexError), match=message), np.errstate(all="ignore"):
        y.numpy()


LINE, PLACES, VALUES = np.array([-1.0, 0.5, 7]), np.array([0.0, 1, 2]), np.array([3.0, 5, 4])


@pytest.mark.parametrize("options", [
    {"left": np.float32(0)}, {"right": np.array(2.5)}, {"period": np.int64(2)}, {"left": 1j, "complex": True},
    {"right": np.complex64(2), "complex": True}], ids=str)
@pytest.mark.parametrize("order", "<>")
def test_interpolation_with_numbers_of_any_class_as_options(options, order):
    options = options.copy()
    values = VALUES * (1 + 2j) if options.pop("complex", False) else VALUES
    x, places, values = [a.astype(a.dtype.newbyteorder(order)) for a in (LINE, PLACES, values)]
    want = np.interp(x, places, values, **options)
    got = np.interp(la.asarray(x), places, values, **options)
    assert core.is_pending(got)
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("options", [{"left": np.float32(0)}, {"right": np.array(2.5)}, {"period": np.int64(2)}],
                         ids=str)
def test_derivative_of_interpolation_with_numbers_of_any_class(options):
    plain = {option: value.item() for option, value in options.items()}
    want, got = (la.grad(lambda values, options=given: np.interp(LINE, PLACES, values, **options).sum())(
        la.asarray(VALUES)) for given in (plain, options))
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("function", [
    np.i0, np.sort_complex, lambda x: np.isin(x, x[:1], invert=np.bool_(True)),
    lambda x: np.isin(x, x[:1], assume_unique=np.array(True))])
@pytest.mark.parametrize("order", "<>")
def test_functions_of_numbers_in_either_byte_order(function, order):
    x = LINE.astype(f"{order}f8")
    want = function(x)
    got = function(la.asarray(x))
    assert core.is_pending(got)
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(got, want)


def test_a_known_form_is_not_tried_again(monkeypatch):
    np.lexsort((la.ones(3), la.ones(3)))
    monkeypatch.setattr(forms, "_try", None)
    assert np.lexsort((la.ones(4), la.zeros(4))).shape == (4,)


def test_constants_are_part_of_the_form():
    x = la.array([0, 1])
    assert np.choose(x, [1, 2]).dtype == np.int64
    assert np.choose(x, [1.0, 2.0]).dtype == np.float64
    assert np.choose(x, [True, False]).dtype == bool


@pytest.mark.parametrize("function", [np.quantile, np.nanquantile])
@pytest.mark.parametrize("axis", [None, 0, (0, 1)])
def test_a_table_of_quantiles(function, axis):
    x, levels = np.arange(24.0).reshape(2, 3, 4), [[0.1], [0.5]]
    want, got = function(x, levels, axis=axis), function(la.asarray(x), levels, axis=axis)
    assert got.shape == want.shape
    np.testing.assert_array_equal(got, want)


def test_edges_that_were_given_are_returned():
    x, edges = la.arange(5.0), la.array([0.0, 2, 4])
    assert np.histogram(x, edges)[1] is edges
    assert np.histogramdd(x, [edges])[1][0] is edges
