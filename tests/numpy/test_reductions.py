"""Reductions: all forms of their arguments, NumPy's errors and warnings, and when warnings are issued."""

import warnings

import numpy as np
import pytest

import lazyarr as la
from support.example_lines.reductions import REDUCTIONS, SPECIAL, UFUNC_METHODS
from support.numpy_comparison import check


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


@pytest.mark.parametrize("low", [30, 300, 3000, 30_000])
def test_rounding_error_of_a_sum_is_no_worse_than_numpys(low):
    rng = np.random.default_rng(0)
    numpy_error, error = [], []
    # many lengths: of any one, the sums of parts may lie to either side of a power of two, where rounding doubles
    for length in rng.integers(low, 10 * low, 1000 if low < 30_000 else 300):
        x = rng.random(length, dtype="float32")
        exact = np.sum(x, dtype="longdouble")
        numpy_error.append((np.sum(x) - exact) / exact)
        error.append((la.sum(la.asarray(x)).numpy() - exact) / exact)
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


def folds(*arrays):
    """Each array as a whole and along each axis, in several layouts."""
    for x in arrays:
        for y in (x, x.T, x[::-1], x[..., ::-1]):
            yield from ((y, axis) for axis in range(y.ndim))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", sorted(name for name, ufunc in vars(np).items() if isinstance(ufunc, np.ufunc)
                                        and ufunc.nin == 2 and ufunc.nout == 1 and not ufunc.signature))
def test_every_ufunc_folds_in_order(name):
    # of most functions of two arguments, f(f(a, b), f(c, d)) is not f(f(f(a, b), c), d)
    fold, lazy_fold = getattr(np, name).reduce, getattr(la, name).reduce
    x = np.arange(1.0, 61).reshape(5, 4, 3)
    for y, axis in folds(x / 8, x.astype(int), x % 3 > 1):
        for known in (True, False):
            lazy = la.asarray(y) if known else la.asarray(y) | y if y.dtype == bool else la.asarray(y) * 1
            y = y if known else y.copy("K")
            try:
                expected = fold(y, axis)
            except (TypeError, ValueError) as error:
                with pytest.raises(type(error)):
                    lazy_fold(lazy, axis)
            else:
                got = lazy_fold(lazy, axis)
                assert (got.strides, got.dtype) == (expected.strides, expected.dtype)
                np.testing.assert_allclose(got.numpy(), expected, rtol=1e-3 if got.dtype == "f2" else 1e-12)


@pytest.mark.parametrize("dtype", ["complex64", "complex128", "clongdouble"])
@pytest.mark.parametrize("name", ["maximum", "minimum", "fmax", "fmin"])
def test_of_complex_nans_the_first_is_taken(name, dtype):
    # two of them may differ: nan+infj, -inf+nanj
    rng = np.random.default_rng(0)
    parts = np.array([3.0, 1.0, np.nan, np.inf, -np.inf])
    for shape in ((3, 4, 5), (5, 1), (2, 1000), (1000, 2), (40, 3, 7)):
        x = rng.choice(parts, shape).astype(dtype) + np.array(1j, dtype) * rng.choice(parts[:3], shape)
        with np.errstate(all="ignore"):
            for y, axis in folds(x):
                for axes in (axis, None, tuple(range(axis + 1))):
                    got = getattr(la, name).reduce(la.asarray(y), axes).numpy()
                    assert repr(got.tolist()) == repr(np.asarray(getattr(np, name).reduce(y, axes)).tolist())
            expected, got = x.copy(), la.array(x)
            getattr(np, name).reduce(expected, 0, out=expected[0])
            getattr(la, name).reduce(got, 0, out=got[0])
            assert repr(got.tolist()) == repr(expected.tolist())


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_variance_of_large_arrays_under_fast_math(dtype):
    rng = np.random.default_rng(0)
    for shift, scale in ((0, 1), (1e4, 1), (-3, 1e-3), (5, 0)):
        data = (rng.standard_normal((3, 10**6)) * scale + shift).astype(dtype)
        x = la.asarray(data)
        with la.config(fast_math=True):
            assert sum(step.read for step in la.explain(x.var()).steps) < 1.5 * data.nbytes
            found = [x.var(), x.std(ddof=1), x.var(keepdims=True), x.var((0, 1)), x.var(0)[:5], x[:, :10].var()]
        wide = data.astype("float64")
        expected = [wide.var(), wide.std(ddof=1), wide.var(keepdims=True), wide.var(), wide.var(0)[:5],
                    wide[:, :10].var()]
        for got, other in zip(found, expected, strict=True):
            assert got.dtype == dtype
            assert np.shape(got) == np.shape(other)
            np.testing.assert_allclose(got, other, rtol=2e-3 if dtype == "float32" else 1e-9, atol=1e-30)


OUTPUTS = [
    "np.sum(f + 0.5, axis=0, out=np.zeros(3, int))", "np.sum(f + 0.1, axis=0, out=np.zeros(3, 'f4'))",
    "np.sum(i, axis=0, out=np.zeros(3, 'f4'))", "np.sum(i, axis=0, out=np.zeros(3))",
    "np.sum(f.astype('f4') + 1, axis=0, out=np.zeros(3))", "np.prod(f + 0.5, out=np.zeros((), int))",
    "np.sum(f, axis=0, dtype='f4', out=np.zeros(3, int))", "np.max(f + 0.5, axis=0, out=np.zeros(3, int))",
    "np.any(f, axis=0, out=np.zeros(3))", "np.sum(c, out=np.zeros(()))", "np.prod(c, out=np.zeros(()))",
    "np.cumsum(f + 0.5, axis=0, out=np.zeros((2, 3), int))", "np.cumprod(c, out=np.zeros(3))",
    "np.cumsum(f + 0.1, axis=0, out=np.zeros((2, 3), 'f4'))", "np.cumsum(i, axis=1, out=np.zeros((2, 3)))",
    "np.multiply.accumulate(c, out=np.zeros(3))", "np.mean(f + 0.1, axis=0, out=np.zeros(3, 'f2'))",
    "np.mean(i, axis=0, out=np.zeros(3, int))", "np.mean(i, axis=0, out=np.zeros(3, 'f4'))",
    "np.var(f + 0.1, axis=0, out=np.zeros(3, 'f2'))", "np.std(i, axis=0, out=np.zeros(3, 'f4'))",
    "np.mean(f.astype('f2') / 3, axis=0, out=np.zeros(3, 'f2'))", "np.sum(large, out=np.zeros((), int))",
    "np.cumsum(large, out=np.zeros(100_000, int))",
]
FORMS = [
    "np.cumsum(f, dtype='>f8')", "np.nancumsum(f, dtype='>f8')", "np.trace(f, dtype='>f8')", "f.cumsum((0,))",
    "np.add.accumulate(f, (0,))", "np.linalg.trace(f, dtype='>f4')", "np.max(np.array(2.0), axis=(0,))",
    "np.max(np.array(2.0), axis=0)", "np.sum(np.array(2.0), axis=(0,))", "np.sum(np.array(2.0), axis=-1)",
    "np.nanmax(np.array(2.0), axis=(0,))", "np.linalg.norm(np.array(2.0), axis=0)", "np.dot(f, -1)",
    "np.inner(f, -1.0)", "np.dot(-1j, f)", "np.dot(i, -1)", "np.meshgrid(f[0], f[1], sparse=True, copy=False)",
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("line", OUTPUTS + FORMS)
def test_outputs_of_other_types_and_forms_of_calls(line):
    def outcome(xp):
        names = {"np": xp, "f": xp.arange(6.0).reshape(2, 3), "i": xp.arange(6).reshape(2, 3), "c": xp.arange(3) + 1j,
                 "large": xp.full(100_000, 0.7)}
        try:
            x = eval(line, names)
        except Exception as error:
            return type(error), str(error)
        return repr(x), [(str(y.dtype), y.shape) for y in x] if isinstance(x, list | tuple) else (x.dtype, x.tobytes())
    assert outcome(la) == outcome(np)
