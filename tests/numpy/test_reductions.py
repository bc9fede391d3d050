"""Reductions: every form of their arguments, NumPy's errors and warnings, and where the warnings come."""

import warnings

import numpy as np
import pytest
from lines_reductions import REDUCTIONS, SPECIAL, UFUNC_METHODS
from side_by_side import check

import lazyarr as la


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reduction(name):
    for line in REDUCTIONS[name]:
        check(line, lazy=True, near=True)


@pytest.mark.parametrize("name", SPECIAL)
def test_more_arguments(name):
    for line in SPECIAL[name]:
        check(line, lazy=True, near=True)


@pytest.mark.parametrize("line", UFUNC_METHODS)
def test_ufunc_methods(line):
    check(line, lazy=True, near=True)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int32", "uint64", "float16", "float32", "complex64"])
@pytest.mark.parametrize("name", ["sum", "prod", "cumsum", "mean", "var", "max", "any"])
def test_result_dtype(name, dtype):
    data = np.array([[1, 0], [1, 1]]).astype(dtype)
    for axis in (None, 0):
        want, got = getattr(np, name)(data, axis=axis), getattr(la, name)(la.array(data), axis=axis)
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got.numpy(), want)


def warned(function):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function()
    return [(w.category, str(w.message)) for w in caught], result


@pytest.mark.parametrize("name, data, options", [
    ("mean", np.zeros(0), {}),
    ("mean", np.zeros((0, 3)), {"axis": 0}),
    ("var", np.zeros(1), {"ddof": 1}),
    ("std", np.zeros(0), {}),
])
def test_warning_of_the_shape_comes_with_the_call(name, data, options):
    want, _ = warned(lambda: getattr(np, name)(data, **options))
    with la.no_evaluation():
        got, _ = warned(lambda: getattr(la, name)(la.array(data), **options))
    assert want[0] in got


@pytest.mark.parametrize("name, options", [
    ("nanmean", {}), ("nanmean", {"axis": 1}), ("nanvar", {"axis": 1}), ("nanstd", {"axis": 0}),
    ("nanmax", {"axis": 1}), ("nanmin", {}), ("nanmedian", {"axis": 1}),
    ("mean", {"where": np.array([[True, False], [False, False]]), "axis": 1}),
])
def test_warning_of_the_values_comes_with_the_evaluation(name, options):
    data = np.full((2, 2), np.nan)
    want, expected = warned(lambda: getattr(np, name)(data, **options))
    with la.no_evaluation():
        early, lazy = warned(lambda: getattr(la, name)(la.array(data) * 1.0, **options))
    late, got = warned(lazy.numpy)
    assert not early
    assert want[0] in late
    np.testing.assert_array_equal(got, expected)


def test_no_warning_without_a_cause():
    data = la.array([[1.0, np.nan], [2.0, 3.0]])
    caught, _ = warned(lambda: [la.nanmean(data, axis=1).numpy(), la.nanmax(data, axis=1).numpy()])
    assert caught == []


def test_reduction_of_a_chain_is_fused(evaluations):
    a, b = la.array(np.arange(6.0).reshape(2, 3)), la.array(np.ones(3))
    assert float(((a - b) ** 2).sum()) == 31.0
    assert [record["steps"] for record in evaluations] == [1]


def test_out_may_be_an_ndarray():
    out = np.zeros(4)
    assert la.sum(la.array(np.ones((3, 4))), axis=0, out=out) is out
    assert out.tolist() == [3, 3, 3, 3]


def test_scalar_results_have_value_semantics():
    total = la.array([1.0, 2.0]).sum()
    alias = total
    alias += 1
    assert (float(total), float(alias)) == (3.0, 4.0)
    assert {total: "hashes"}[np.float64(3.0)] == "hashes"


@pytest.mark.parametrize("size", [100, 1000, 3000, 8000, 50_000, 200_000])
def test_rounding_error_of_a_sum_is_no_worse_than_numpys(size):
    rng = np.random.default_rng(0)
    numpy_error, error = [], []
    for _ in range(400):
        x = rng.random(size, dtype="float32")
        exact = np.sum(x, dtype="longdouble")
        numpy_error.append(np.sum(x) - exact)
        error.append(la.sum(la.asarray(x)).numpy() - exact)
    # sums of the same accuracy come within a tenth of each other on so many arrays
    assert np.linalg.norm(error) <= 1.1 * np.linalg.norm(numpy_error)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_sum_does_not_depend_on_the_number_of_threads(threads):
    x = np.random.default_rng(0).random((301, 1009), dtype="float32")
    for axis in (None, 0, 1):
        with la.config(num_threads=1):
            expected = la.sum(la.asarray(x) * 3, axis=axis).numpy()
        with la.config(num_threads=threads):
            np.testing.assert_array_equal(la.sum(la.asarray(x) * 3, axis=axis).numpy(), expected)
