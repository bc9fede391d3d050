"""Bins on an OpenCL device: bincount, histogram, digitize, unique, against NumPy."""

import warnings

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.gpu.calls import bin_counts
from lazyarr.gpu.drivers import nvrtc
from lazyarr.gpu.generator.dialects import CUDA
from lazyarr.gpu.generator.helpers import needed
from support.examples import examples
from support.opencl_device import DEVICE, DRIVER, same_there, there

RNG = np.random.default_rng(5)
SOME = examples(20)
REAL = "?bBhHiIlLefd"
LINES = hnp.array_shapes(min_dims=1, max_dims=1, max_side=40)
SHAPES = hnp.array_shapes(min_dims=1, max_dims=3, max_side=9)
VIEWS = st.sampled_from([lambda x: x, lambda x: x.T, lambda x: x[::-1], lambda x: x[..., ::-2]])


def numbers(shape, dtype):
    """Return small numbers with ties; floats are halves, and some are NaN."""
    made = RNG.integers(0, 9, shape)
    if np.dtype(dtype).kind != "f":
        return made.astype(dtype)
    made = (made / 2 - 2).astype(dtype) + 0     # no negative zeros: which of two is kept is the algorithm's affair
    made[..., :1] = np.nan
    return made


@SOME
@given(LINES, st.sampled_from("?bBhHiIl"), VIEWS, st.integers(0, 20))
def test_counts(shape, dtype, view, least):
    a = view(numbers(shape, dtype))
    x = view(there(numbers(shape, dtype) * 0)) + there(a)
    same_there(np.bincount(x), np.bincount(a))
    same_there(np.bincount(x, minlength=least), np.bincount(a, minlength=least))


@SOME
@given(LINES, st.sampled_from("?bBhHiIlLefd"), VIEWS)
def test_weights_are_added_in_numpys_order(shape, dtype, view):
    a = view(numbers(shape, "l"))
    weights = RNG.standard_normal(a.shape) if dtype == "d" else numbers(a.shape, dtype)
    same_there(np.bincount(view(there(numbers(shape, "l") * 0)) + a, there(weights)), np.bincount(a, weights))
    same_there(np.bincount(there(a), weights=there(weights), minlength=12), np.bincount(a, weights, 12))


def test_counts_of_many_elements():
    a, weights = RNG.integers(0, 300, 100_000), RNG.standard_normal(100_000)
    a[:50_000] = 7
    same_there(np.bincount(there(a)), np.bincount(a))
    same_there(np.bincount(there(a), there(weights)), np.bincount(a, weights))


def test_what_has_no_counts_is_numpys_error():
    with pytest.raises(ValueError, match="negative"):
        np.bincount(there(np.array([1, -1])))
    with pytest.raises(TypeError, match="Cannot cast"):
        np.bincount(there(np.ones(3)))
    with pytest.raises(ValueError, match="same length"):
        np.bincount(there(np.ones(3, int)), there(np.ones(2)))
    assert np.bincount(there(np.zeros(0, int)), minlength=2).tolist() == [0, 0]


@SOME
@given(SHAPES, st.sampled_from("bBhHiIlLfd"), VIEWS, st.booleans(),
       st.sampled_from([(10, None), (3, (-1, 2)), (7, (1, 1)), ([-1.5, 0, 0, 2, 4], None)]))
def test_histograms(shape, dtype, view, density, bins):
    a = RNG.integers(0, 9, shape).astype(dtype) if dtype in "bBhHiIlL" else RNG.standard_normal(shape).astype(dtype)
    b, x = view(a), view(there(a))
    with np.errstate(all="ignore"):
        got, wanted = np.histogram(x, *bins, density=density), np.histogram(b, *bins, density=density)
        assert got[0].device == DEVICE
        for made, expected in zip(got, wanted, strict=True):
            np.testing.assert_array_equal(made.numpy(), expected, strict=True)
    assert not DRIVER.host_steps


@st.composite
def histogram_arguments(draw):
    """Draw numbers, some of them special, and other arguments of a histogram, some of them invalid."""
    rng, dtype = np.random.default_rng(draw(st.integers(0, 999))), np.dtype(draw(st.sampled_from("?bBhHiIlLefd")))
    shape = draw(st.sampled_from([(0,), (1,), (30,), (5, 7), ()]))
    a = np.asarray(rng.integers(0, 9, shape) if dtype.kind in "biu" else rng.standard_normal(shape) * 3).astype(dtype)
    special = [np.nan, np.inf, -np.inf, -0.0, 2] if dtype.kind == "f" else [0, 1]
    special += [np.iinfo(dtype).min, np.iinfo(dtype).max] if dtype.kind in "iu" else []
    for value in draw(st.lists(st.sampled_from(special), max_size=3)):
        if a.size:
            a[np.unravel_index(rng.integers(a.size), shape)] = value
    numbers = st.sampled_from([-1, 0, 1, 2, 0.5, -1.5, 8.25, 1e300, np.inf, np.nan, np.float32(0.1), np.uint64(3)])
    edges = st.lists(st.sampled_from([-1.5, -1.0, 0.0, 0.5, 2.0, 3.0, np.inf]), min_size=2, max_size=6)
    bins = draw(st.one_of(st.integers(-1, 12), edges.map(sorted), edges,
                          st.builds(lambda x, dtype: np.unique(np.abs(x)[np.isfinite(x)]).astype(dtype),
                                    edges, st.sampled_from("bLfdeq"))))
    limits = draw(st.one_of(st.none(), st.tuples(numbers, numbers), numbers.map(lambda x: (x, x))))
    return a, bins, limits, draw(st.booleans())


def outcome_of(function):
    """Return the result or error of a call, and its warnings."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            made = [np.asarray(array) for array in function()]
        except Exception as error:
            made = type(error), str(error)
    return made, {str(warning.message) for warning in seen if issubclass(warning.category, RuntimeWarning)}


@examples(200)
@given(histogram_arguments())
def test_histograms_and_their_errors_are_numpys(arguments):
    a, *others = arguments
    got, wanted = (outcome_of(lambda x=x: np.histogram(x, *others)) for x in (there(a), a))
    np.testing.assert_equal(got, wanted)
    if type(wanted[0]) is list:
        assert [array.dtype for array in got[0]] == [array.dtype for array in wanted[0]]


def test_histograms_leave_out_nans_and_what_is_outside():
    a = np.array([np.nan, -5, 0, 0.5, 1, 3, np.inf])
    same_there(np.histogram(there(a), 4, (0, 1)), np.histogram(a, 4, (0, 1)))
    with pytest.raises(ValueError, match="is not finite"):
        np.histogram(there(a))
    with pytest.raises(ValueError, match="increase monotonically"):
        np.histogram(there(a), [1, 0])


LINES = """
histogram(v,7,weights=w)
histogram(v,7,weights=f)
histogram(v,7,weights=n)
histogram(n,7,weights=n)
histogram(v,7,(.2,.6),weights=w)
histogram(v,7,(.2,.6),density=True,weights=w)
histogram2d(v,w,5)
histogram2d(v,w,[5,3],[[.1,.9],[.2,.3]])
histogram2d(v,n,[[0,.5,1],4],weights=w)
histogram2d(v,w,5,density=True)
histogramdd(p,4)
histogramdd(p,(2,3,4),weights=p[:,0])
histogramdd(p[:,0],4)
histogramdd((v,w),4,density=True)
histogramdd(p,4,[(0,.5),None,(0,1)])
histogramdd(r,4)
unique(r,axis=0)
unique(r,axis=0,return_index=True)
unique(r,axis=0,return_inverse=True)
unique(r,axis=0,return_index=True,return_inverse=True,return_counts=True)
unique(r.T,axis=1,return_counts=True)
unique(t,axis=1,return_index=True,return_inverse=True,return_counts=True)
unique(t,axis=-1,return_inverse=True)
unique(u,axis=0,return_counts=True)
unique(r,return_index=True,return_inverse=True,return_counts=True)
""".split()
GIVEN = {"v": RNG.random(300), "w": RNG.random(300), "n": RNG.integers(-5, 5, 300), "f": RNG.random(300).astype("f"),
         "p": RNG.random((200, 3)), "r": RNG.integers(0, 3, (40, 2)), "t": RNG.integers(0, 2, (4, 30, 2)),
         "u": np.where(RNG.random((30, 3)) < 0.1, np.nan, RNG.integers(0, 2, (30, 3))).astype("f")}


@pytest.mark.parametrize("line", LINES)
def test_weights_boxes_and_rows(line):
    got = eval(f"np.{line}", {**{name: there(x) for name, x in GIVEN.items()}, "np": np})
    wanted = _flat(eval(f"np.{line}", {**GIVEN, "np": np}))
    for made, expected in zip(_flat(got), wanted, strict=True):     # edges that are given stay where they are
        np.testing.assert_array_equal(np.asarray(made), expected, strict=True)
    assert _flat(got)[0].device == DEVICE
    assert not DRIVER.host_steps


def _flat(made):
    return tuple([array for one in made for array in _flat(one)]) if isinstance(made, tuple | list) else (made,)


def test_weights_between_unequal_edges_are_numpys_differences_of_running_sums():
    v, w = np.array([-9.0, 0.1, 0.5]), np.array([1e30, 1.0, 2.0])
    got = np.histogram(there(v), [0, 0.2, 0.7], weights=there(w))[0]
    assert got.device == DEVICE
    np.testing.assert_array_equal(got.numpy(), np.histogram(v, [0, 0.2, 0.7], weights=w)[0])


@pytest.mark.parametrize("line", ["histogramdd(p,[1,2])", "histogramdd(p,4,weights=v)", "histogram2d(v,u[0],3)",
                                  "histogramdd(u,3)", "unique(r,axis=2)"])
def test_errors_of_boxes_and_rows_are_numpys(line):
    with pytest.raises(Exception) as wanted:    # noqa: PT011 - whatever NumPy raises
        eval(f"np.{line}", {**GIVEN, "np": np})
    with pytest.raises(wanted.type) as got:
        la.evaluate(*_flat(eval(f"np.{line}", {**{name: there(x) for name, x in GIVEN.items()}, "np": np})))
    assert str(got.value) == str(wanted.value)


@pytest.mark.parametrize("bins", [[], [1.0]])
def test_histograms_without_bins(bins):
    a = np.array([1.0, 1, 2, 3])
    for got, wanted in zip(np.histogram(there(a), bins), np.histogram(a, bins), strict=True):
        np.testing.assert_array_equal(got, wanted)
        assert got.dtype == wanted.dtype


@pytest.mark.parametrize("dtype", "fd")
def test_histograms_of_numbers_at_the_edges(dtype):
    a = np.linspace(0, 1, 3001).astype(dtype)
    for bins in (10, 7, 300, 1000):
        same_there(np.histogram(there(a), bins), np.histogram(a, bins))
        same_there(np.histogram(there(a), bins, (0.1, 0.7)), np.histogram(a, bins, (0.1, 0.7)))


@SOME
@given(SHAPES, st.sampled_from(REAL), st.sampled_from("ild"), st.booleans(), st.booleans(), VIEWS)
def test_digitize(shape, dtype, edges, right, is_falling, view):
    a = numbers(shape, dtype)
    bins = np.sort(numbers(5, "l").astype(edges))[:: -1 if is_falling else 1]
    same_there(np.digitize(view(there(a)), bins, right), np.digitize(view(a), bins, right))
    same_there(np.digitize(view(there(a)), there(bins), right), np.digitize(view(a), bins, right))


def test_bins_that_are_not_monotonic_are_numpys_error():
    with pytest.raises(ValueError, match="monotonically"):
        np.digitize(there(np.ones(3)), there(np.array([1.0, 3, 2])))


@SOME
@given(SHAPES, st.sampled_from(REAL), VIEWS, st.booleans(), st.booleans(), st.booleans(), st.booleans())
def test_unique(shape, dtype, view, index, inverse, counts, equal_nan):
    a = numbers(shape, dtype)
    options = {"return_index": index, "return_inverse": inverse, "return_counts": counts, "equal_nan": equal_nan}
    same_there(np.unique(view(there(a)), **options), np.unique(view(a), **options))


def test_unique_lines_are_numpys():
    a = RNG.integers(0, 2, (6, 2))
    np.testing.assert_array_equal(la.asarray(np.unique(there(a), axis=0)).numpy(), np.unique(a, axis=0))


@SOME
@given(st.sampled_from(REAL), st.sampled_from(REAL))
def test_searches_in_arrays_of_another_dtype(first, second):
    a, v = np.sort(numbers(30, first)), numbers((4, 5), second)
    same_there(np.searchsorted(there(a), there(v)), np.searchsorted(a, v))


@pytest.mark.skipif(nvrtc.library() is None, reason="needs nvidia-cuda-nvrtc")
@pytest.mark.parametrize("text", [bin_counts.zeros_text("u64"), bin_counts.counts_text(), bin_counts.sums_text()],
                         ids=lambda text: text.name)
def test_texts_compile_as_cuda(text):
    helpers = needed(text.text)
    assert b".entry" in nvrtc.compile_ptx("\n".join([CUDA.spellings(helpers + text.text), helpers, text.text]),
                                          "compute_80")
