"""Calls based on sorting on an OpenCL device: order statistics, partitions, membership, against NumPy."""

import warnings

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from support.opencl_device import DRIVER, same_there, there

RNG = np.random.default_rng(11)
SOME = examples(20)
REAL = "?bBhHiIlLefd"
SHAPES = hnp.array_shapes(min_dims=1, max_dims=3, max_side=7)
VIEWS = st.sampled_from([lambda x: x, lambda x: x.T, lambda x: x[::-1], lambda x: x[..., ::-2]])
METHODS = ["inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen",
           "weibull", "linear", "median_unbiased", "normal_unbiased", "lower", "higher", "midpoint", "nearest"]
TIES = "the order of equal elements is that of the host's algorithm"


def numbers(shape, dtype):
    """Return small numbers with ties; floats are fractions, and a few are not finite."""
    made = RNG.integers(1, 60, shape)
    if np.dtype(dtype).kind != "f":
        return made.astype(dtype)
    made = np.asarray(made / 7 - 4).astype(dtype)
    made[RNG.random(shape) < 0.05] = np.nan
    made[RNG.random(shape) < 0.05] = np.inf
    return made


def axes_of(data, ndim):
    return data.draw(st.sampled_from([None, *range(-ndim, ndim), *([(0, -1)] if ndim > 1 else [])]))


@SOME
@given(SHAPES, st.sampled_from(REAL), VIEWS, st.booleans(), st.data())
def test_medians(shape, dtype, view, keepdims, data):
    a, axis = numbers(shape, dtype), axes_of(data, len(shape))
    same_there(np.median(view(there(a)), axis, keepdims=keepdims), np.median(view(a), axis, keepdims=keepdims))


@SOME
@given(SHAPES, st.sampled_from("BHiIlLefd"), VIEWS, st.booleans(), st.sampled_from(METHODS), st.data())
def test_quantiles(shape, dtype, view, keepdims, method, data):
    a, axis = numbers(shape, dtype), axes_of(data, len(shape))
    if dtype in "ef":   # of one NaN with a larger dtype NumPy gives what the values decide
        a = np.nan_to_num(a)
    q = data.draw(st.sampled_from([0.3, 0, 1, np.float64(0.7), [0.25, 0.5, 0.9], np.array([[0, 0.5], [1, 1]], "f")]))
    with np.errstate(invalid="ignore"):
        same_there(np.quantile(view(there(a)), q, axis, method=method, keepdims=keepdims),
                   np.quantile(view(a), q, axis, method=method, keepdims=keepdims))
        same_there(np.percentile(view(there(a)), np.multiply(q, 100), axis, method=method),
                   np.percentile(view(a), np.multiply(q, 100), axis, method=method))


def test_quantiles_lie_in_memory_as_numpys():
    a = RNG.random((6, 5, 4))
    for view in (a, a.T, a.transpose(1, 2, 0)):
        got = np.quantile(there(a).transpose(2, 1, 0) if view.shape == (4, 5, 6) else there(view), [0.1, 0.5], (0, -1),
                          keepdims=True)
        wanted = np.quantile(view, [0.1, 0.5], (0, -1), keepdims=True)
        assert got.flags.c_contiguous == wanted.flags.c_contiguous
        same_there(got, wanted)


def test_quantiles_into_an_array():
    a, out = RNG.random((30, 4)), there(np.zeros(4))
    assert np.quantile(there(a), 0.3, 0, out) is out
    same_there(out, np.quantile(a, 0.3, 0))
    assert np.median(there(a), 0, out=out) is out
    same_there(out, np.median(a, 0))


def test_what_has_no_quantiles_is_numpys_error():
    x = there(np.ones(3))
    with pytest.raises(ValueError, match="range"):
        np.quantile(x, 1.5)
    with pytest.raises(ValueError, match="not a valid method"):
        np.quantile(x, 0.5, method="best")
    with pytest.raises(TypeError, match="real numbers"):
        np.quantile(x + 1j, 0.5)
    with pytest.raises(np.exceptions.AxisError):
        np.median(x, 1)


def test_medians_warn_as_numpys():
    a = np.array([[np.inf, -np.inf], [1, 2.0]])
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        got = np.median(there(a), 1).numpy()
    with warnings.catch_warnings(record=True) as wanted:
        warnings.simplefilter("always")
        expected = np.median(a, 1)
    np.testing.assert_array_equal(got, expected)
    assert [str(w.message) for w in seen] == [str(w.message) for w in wanted]


@SOME
@given(SHAPES, st.sampled_from(REAL), VIEWS, st.data())
def test_partitions(shape, dtype, view, data):
    """Elements at the given positions are those of the sorted lines, with no larger ones before them."""
    a = numbers(shape, dtype)
    b, x = view(a), view(there(a))
    axis = data.draw(st.integers(-b.ndim, b.ndim - 1))
    kth = data.draw(st.lists(st.integers(-b.shape[axis], b.shape[axis] - 1), min_size=1, max_size=3))
    got = np.partition(x, kth, axis)
    at = np.take(np.sort(b, axis), kth, axis)
    same_there(np.take(got, kth, axis), at)
    places = np.argpartition(x, kth[0], axis)
    same_there(np.take(np.take_along_axis(x, places, axis), kth[:1], axis), np.take(at, [0], axis))
    np.testing.assert_array_equal(np.sort(got.numpy(), axis), np.sort(b, axis))
    same_there(np.take(np.partition(x, kth, None), kth), np.take(np.sort(b, None), kth))


@SOME
@given(SHAPES, st.sampled_from("hilefd"), VIEWS, st.data())
def test_argsort_of_distinct_elements(shape, dtype, view, data):
    a = RNG.permutation(np.arange(np.prod(shape))).reshape(shape).astype(dtype) - 20
    axis = data.draw(st.sampled_from([None, *range(-len(shape), len(shape))]))
    same_there(np.argsort(view(there(a)), axis), np.argsort(view(a), axis))
    x = view(there(a))
    same_there(x.argsort(), view(a).argsort())


@pytest.mark.parametrize("a", [np.array([2, 1, 2]), np.array([0.0, 1, -0.0]), np.array([np.nan, 1, np.nan]),
                               np.zeros((3, 2), "f"), np.arange(300).astype("B"), np.array([True, False, True])])
def test_argsort_of_equal_elements_in_the_order_of_numpys_own_algorithm(a):
    np.testing.assert_array_equal(np.argsort(there(a)).numpy(), np.argsort(a))
    assert dict(DRIVER.host_steps) == {("argsort", TIES): 1}


def test_one_nan_is_distinct():
    a = np.array([3, np.nan, -np.inf, 2])
    same_there(np.argsort(there(a)), np.argsort(a))


@SOME
@given(hnp.array_shapes(min_dims=1, max_dims=2, max_side=30), st.lists(st.sampled_from(REAL), min_size=1, max_size=3),
       st.data())
def test_lexsort(shape, dtypes, data):
    keys = [RNG.integers(0, 3, shape).astype(dtype) for dtype in dtypes]
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    same_there(np.lexsort(tuple(map(there, keys)), axis), np.lexsort(keys, axis))
    stacked = np.stack(keys)
    same_there(np.lexsort(there(stacked), axis), np.lexsort(stacked, axis))


@SOME
@given(st.integers(0, 40), SHAPES, st.sampled_from(REAL), st.sampled_from("il"), st.sampled_from(["left", "right"]))
def test_searches_by_a_sorter(n, shape, dtype, index, side):
    a, v = numbers(n, dtype), numbers(shape, dtype)
    order = np.argsort(a, kind="stable").astype(index)
    same_there(np.searchsorted(there(a), there(v), side, there(order)), np.searchsorted(a, v, side, order))


@pytest.mark.parametrize("sorter", [[0, 1, 7], [0, -1, 2]])
def test_a_sorter_out_of_bounds_is_numpys_error(sorter):
    x = there(np.arange(3.0))
    with pytest.raises(ValueError, match="Sorter index out of range"):
        np.searchsorted(x, there(np.arange(-4.0, 4)), sorter=there(np.array(sorter))).numpy()


@SOME
@given(SHAPES, SHAPES, st.sampled_from("?bBhHiIefd"), st.sampled_from("?bBhHiIefd"), VIEWS, st.booleans())
def test_membership(shape, other, first, second, view, invert):
    a, b = numbers(shape, first), numbers(other, second)
    same_there(np.isin(view(there(a)), there(b), invert=invert), np.isin(view(a), b, invert=invert))


def test_membership_of_integers_that_a_double_does_not_hold():
    a, b = np.array([1 << 60, (1 << 60) + 1]), np.array([float(1 << 60)])
    same_there(np.isin(there(a), a[1:]), np.isin(a, a[1:]))
    np.testing.assert_array_equal(np.isin(there(a), b).numpy(), np.isin(a, b))
    assert dict(DRIVER.host_steps) == {("isin", ""): 1}


def test_what_is_no_kind_of_search_is_numpys_error():
    with pytest.raises(ValueError, match="kind"):
        np.isin(there(np.ones(3)), np.ones(2), kind="other")


@SOME
@given(st.integers(1, 30), st.integers(1, 30), st.sampled_from("?bBiIlfd"))
def test_sets(n, m, dtype):
    a, b = RNG.integers(0, 9, n).astype(dtype), RNG.integers(5, 14, m).astype(dtype)
    x, y = there(a), there(b)
    same_there(np.union1d(x, y), np.union1d(a, b))
    same_there(np.setdiff1d(x, y), np.setdiff1d(a, b))
    same_there(np.setxor1d(x, y), np.setxor1d(a, b))
    same_there(np.intersect1d(x, y), np.intersect1d(a, b))
    same_there(np.intersect1d(x, y, return_indices=True), np.intersect1d(a, b, return_indices=True))
    same_there(tuple(np.unique_all(x)), tuple(np.unique_all(a)))
    same_there(tuple(np.unique_counts(x)), tuple(np.unique_counts(a)))
