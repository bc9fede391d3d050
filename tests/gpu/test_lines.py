"""Interpolation, convolution, packed numbers and reduceat on an OpenCL device, against NumPy."""

import warnings

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazyarr.gpu.calls import at_places, interpolation, packed, parts, sliding
from lazyarr.gpu.drivers import nvrtc
from lazyarr.gpu.generator.dialects import CUDA
from lazyarr.gpu.generator.helpers import needed
from support.examples import examples
from support.opencl_device import DRIVER, same_there, there

RNG = np.random.default_rng(17)
SOME = examples(20)
SHAPES = hnp.array_shapes(min_dims=1, max_dims=3, max_side=9)
VIEWS = st.sampled_from([lambda x: x, lambda x: x.T, lambda x: x[::-1], lambda x: x[..., ::-2]])


def numbers(shape, dtype):
    """Return small numbers; floats are fractions."""
    if np.dtype(dtype).kind in "fc":
        return (9 * RNG.standard_normal(shape)).astype(dtype)
    return RNG.integers(0, 100, shape).astype(dtype)


@SOME
@given(SHAPES, st.integers(1, 9), st.sampled_from("?bHild"), st.sampled_from("ifd"), st.sampled_from("bfde"), VIEWS,
       st.sampled_from([{}, {"left": -7, "right": np.nan}, {"right": 2.5}]))
def test_interpolation_has_numpys_bits(shape, count, point, knot, value, view, sides):
    x, xp, fp = numbers(shape, point), np.sort(numbers(count, knot)), numbers(count, value)
    if point == "d":
        x[..., :1] = xp[0]
        x[..., -1:] = RNG.choice([np.nan, np.inf, -np.inf])
    same_there(np.interp(view(there(x)), there(xp), there(fp), **sides), np.interp(view(x), xp, fp, **sides))


def test_interpolation_beside_values_that_are_not_finite():
    x, xp = np.linspace(-1, 6, 29), np.arange(6.0)
    for fp in ([1, np.inf, np.inf, 0, np.nan, 2], [-np.inf, np.inf, 1, np.inf, -np.inf, np.inf]):
        same_there(np.interp(there(x), there(xp), there(np.array(fp))), np.interp(x, xp, fp))
    same_there(np.interp(there(x), there(np.array([0, 0, 1.0, 1])), there(np.arange(4.0))),
               np.interp(x, [0, 0, 1, 1], np.arange(4)))


def test_what_interpolates_otherwise_is_left_to_the_host():
    x, xp, fp = np.linspace(-1, 6, 29), np.arange(6.0), np.arange(6) * 1j
    np.testing.assert_array_equal(np.interp(there(x), there(xp), there(fp)).numpy(), np.interp(x, xp, fp))
    np.testing.assert_array_equal(np.interp(there(x), there(xp), there(xp), period=3).numpy(),
                                  np.interp(x, xp, xp, period=3))
    with pytest.raises(ValueError, match="not of the same length"):
        np.interp(there(x), there(xp), there(fp[1:]))


@SOME
@given(st.integers(1, 40), st.integers(1, 40), st.sampled_from("?bBhilLe"), st.sampled_from(["full", "same", "valid"]),
       st.sampled_from(["convolve", "correlate"]), VIEWS)
def test_convolutions_of_integers_and_halves_have_numpys_bits(n, m, dtype, mode, name, view):
    a, v, function = numbers(n, dtype), numbers(m, dtype), getattr(np, name)
    same_there(function(view(there(a)), there(v), mode), function(view(a), v, mode))


@SOME
@given(st.integers(1, 600), st.integers(1, 600), st.sampled_from("fdFD"), st.sampled_from("ifdFD"),
       st.sampled_from(["full", "same", "valid"]), st.sampled_from(["convolve", "correlate"]))
def test_convolutions_of_floats(n, m, first, second, mode, name):
    a, v, function = numbers(n, first), numbers(m, second), getattr(np, name)
    got, wanted = function(there(a), there(v), mode), function(a, v, mode)
    assert got.dtype == wanted.dtype
    bound = function(np.abs(a).astype("d"), np.abs(v).astype("d"), mode).real
    assert np.all(np.abs(got.numpy() - wanted) <= 8 * np.finfo(wanted.dtype).eps * bound)
    assert not DRIVER.host_steps


def test_convolutions_do_not_warn():
    with np.errstate(all="raise"):
        large = there(np.array([1e308, 1e308]))
        same_there(np.convolve(large, there(np.array([10.0, 1]))), np.array([np.inf, np.inf, 1e308]))
        same_there(np.correlate(there(np.array([1, np.inf])), there(np.array([2.0])), "full"), np.array([2, np.inf]))


@SOME
@given(SHAPES, st.sampled_from("?bBhilL"), VIEWS, st.sampled_from(["big", "little"]), st.data())
def test_bits(shape, dtype, view, order, data):
    a = RNG.integers(0, 2, shape).astype(dtype)
    axis = data.draw(st.sampled_from([None, *range(-len(shape), len(shape))]))
    same_there(np.packbits(view(there(a)), axis, order), np.packbits(view(a), axis, order))
    byte, count = RNG.integers(0, 256, shape).astype("B"), data.draw(st.sampled_from([None, 0, 3, 11, -1, 100]))
    same_there(np.unpackbits(view(there(byte)), axis, count, order), np.unpackbits(view(byte), axis, count, order))


@SOME
@given(SHAPES, st.sampled_from("bBhilL"), VIEWS, st.sampled_from("CF"),
       st.sampled_from([(2, 3, 4), 24, (24,), (4, 6), (1, 24, 1)]))
def test_indices_of_positions(shape, dtype, view, order, dims):
    a = RNG.integers(0, 24, shape).astype(dtype)
    same_there(np.unravel_index(view(there(a)), dims, order), np.unravel_index(view(a), dims, order))


@SOME
@given(SHAPES, st.sampled_from("bhil"), VIEWS, st.sampled_from("CF"),
       st.sampled_from(["wrap", "clip", ("wrap", "clip"), "raise"]))
def test_positions_of_indices(shape, dtype, view, order, mode):
    low, high = (0, 3) if mode == "raise" else (-20, 20)
    i = view(RNG.integers(low, high, shape).astype(dtype))
    j = RNG.integers(low, high, i.shape[-1:])
    same_there(np.ravel_multi_index((there(i), there(j)), (3, 4), mode, order),
               np.ravel_multi_index((i, j), (3, 4), mode, order))


def test_positions_out_of_bounds_are_numpys_errors():
    for bad in (-1, 24):
        with pytest.raises(ValueError, match=f"index {bad} is out of bounds for array with size 24"):
            np.unravel_index(there(np.array([0, bad])), (4, 6))[0].numpy()
    with pytest.raises(ValueError, match="invalid entry in coordinates array"):
        np.ravel_multi_index((there(np.array([1, 3])), there(np.array([1, 1]))), (3, 4)).numpy()


@st.composite
def parted(draw):
    """Draw an array, an axis and the indices of parts along it."""
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=2, max_side=300))
    axis = draw(st.integers(0, len(shape) - 1))
    indices = draw(st.lists(st.integers(0, shape[axis] - 1), min_size=1, max_size=6))
    return shape, axis, np.array(sorted(indices) if draw(st.booleans()) else indices, draw(st.sampled_from("ilH")))


@SOME
@given(parted(), st.sampled_from("?bBhilefd"), VIEWS, st.sampled_from([np.add, np.multiply, np.maximum, np.logical_or]))
def test_folds_of_parts_have_numpys_bits(case, dtype, view, function):
    shape, axis, indices = case
    a = view(numbers(shape, dtype))
    indices = (indices % a.shape[axis]).astype(indices.dtype)
    if function is np.logical_or:
        a = a != 0
    with np.errstate(all="ignore"):
        wanted = function.reduceat(a, indices, axis)
        same_there(function.reduceat(there(a), there(indices), axis), wanted)


def test_sums_of_long_parts():
    for dtype in "efd":
        a = numbers(30_000, dtype)
        same_there(np.add.reduceat(there(a), [0, 7, 9, 20_001]), np.add.reduceat(a, [0, 7, 9, 20_001]))


def warnings_of(call):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        made = call()
        made = made.numpy() if hasattr(made, "numpy") else made
    return made, [str(w.message) for w in seen]


def test_folds_of_parts_warn_as_numpys():
    a = np.array([1e308, 1e308, 1, np.inf, -np.inf])
    got, wanted = [warnings_of(lambda x=x: np.add.reduceat(x, [0, 2])) for x in (there(a), a)]
    np.testing.assert_array_equal(got[0], wanted[0])
    assert got[1] == wanted[1]


def test_parts_out_of_bounds_are_numpys_errors():
    with pytest.raises(IndexError, match="index 5 out-of-bounds"):
        np.add.reduceat(there(np.ones(5)), there(np.array([1, 5]))).numpy()


@st.composite
def combined(draw):
    """Draw a shape, a key for it of integer arrays, slices and integers, and the shape of the indexed part."""
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=3, max_side=5))
    joined = draw(hnp.array_shapes(min_dims=1, max_dims=2, max_side=6))
    kinds = draw(st.lists(st.sampled_from("sia"), min_size=len(shape), max_size=len(shape)).filter(lambda k: "a" in k))
    key = []
    for kind, extent in zip(kinds, shape, strict=True):
        numbers = st.integers(-extent, extent - 1)
        arrays = hnp.arrays(draw(st.sampled_from("lih")), joined, elements=numbers)
        slices = st.sampled_from([slice(None), slice(None, None, -1), slice(None, None, 2)])
        key.append(draw({"s": slices, "i": numbers, "a": arrays}[kind]))
    return shape, tuple(key)


@SOME
@given(combined(), st.sampled_from("bHilefdD"), st.sampled_from([np.add, np.subtract, np.multiply, np.maximum]),
       st.booleans())
def test_combinations_at_places_have_numpys_bits(case, dtype, function, is_number):
    shape, key = case
    a = numbers(shape, dtype)
    x = there(a.copy())
    value = numbers(() if is_number else a[key].shape, dtype)
    with np.errstate(all="ignore"):
        function.at(a, key, value)
        function.at(x, tuple([there(item) if isinstance(item, np.ndarray) else item for item in key]), value)
        same_there(x, a)


def test_many_combinations_at_places():
    i, v = RNG.integers(0, 300, 20_000), RNG.standard_normal(20_000)
    x, a = there(np.zeros(300)), np.zeros(300)
    np.add.at(x, there(i), there(v))
    np.add.at(a, i, v)
    same_there(x, a)
    x, a = there(np.zeros(300, int)), np.zeros(300, int)
    np.add.at(x, there(i), 1)
    np.add.at(a, i, 1)
    same_there(x, a)


def test_combinations_at_places_warn_as_numpys():
    def added(x):
        np.add.at(x, np.array([0, 0, 1]), np.array([1e308, 1e308, 1]))
        return x

    got, wanted = [warnings_of(lambda x=x: added(x)) for x in (there(np.zeros(3)), np.zeros(3))]
    np.testing.assert_array_equal(got[0], wanted[0])
    assert got[1] == wanted[1]


def test_combinations_out_of_bounds_change_nothing():
    x = there(np.arange(4.0))
    y = x * 1
    np.add.at(y, there(np.array([0, 9])), 1.0)
    with pytest.raises(IndexError, match="index 9 is out of bounds"):
        y.numpy()
    np.testing.assert_array_equal(x.numpy(), np.arange(4.0))


@SOME
@given(st.sampled_from("?ldD"), VIEWS, st.integers(0, 1))
def test_counts_of_their_own_for_elements(dtype, view, axis):
    a = view(RNG.integers(0, 9, (5, 6)).astype(dtype))
    counts = RNG.integers(0, 4, a.shape[axis])
    same_there(np.repeat(there(a), counts, axis), np.repeat(a, counts, axis))


@pytest.mark.parametrize("dtype", "lfdD")
@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize(("subscripts", "shapes"), [
    ("ii", [(5, 5)]), ("ij->j", [(4, 5)]), ("ji->", [(4, 5)]), ("iji->j", [(4, 5, 4)]), ("ijk->ki", [(3, 4, 5)]),
    ("ij,jk,kl->il", [(4, 5), (5, 6), (6, 3)]), ("ij,jk,kl->li", [(4, 5), (5, 6), (6, 3)]),
    ("ijk,kk,jk->ij", [(3, 4, 5), (5, 5), (4, 5)]), ("i,j,k,l->jl", [(2,), (3,), (4,), (5,)])])
def test_sums_of_products_of_one_array_or_several(subscripts, shapes, optimize, dtype):
    arrays = [numbers(shape, dtype) for shape in shapes]
    got = np.einsum(subscripts, *map(there, arrays), optimize=optimize)
    wanted = np.einsum(subscripts, *arrays, optimize=optimize)
    assert got.dtype == wanted.dtype
    assert got.shape == wanted.shape
    bound = np.einsum(subscripts, *[np.abs(a).astype("d") for a in arrays])
    eps = np.finfo(wanted.dtype).eps if dtype in "fdD" else 0
    assert np.all(np.abs(got.numpy() - wanted) <= 40 * eps * bound)
    assert not DRIVER.host_steps


TEXTS = [
    interpolation.interp_text("edb", 2),
    *[sliding.sliding_text(*form) for form in ("fid", "FDD", "eee", "???")], sliding.sliding_text("F", "D", "D", "w"),
    packed.bits_text("l", 2, True, False), packed.bits_text("B", 2, False, True), packed.unravel_text("H", 2, 3),
    packed.ravel_text("bl", 2, ("wrap", "raise")),
    parts.bounds_text("L"), parts.parts_text("add", "e", "e", "l", 15, 1), parts.parts_text("add", "d", "d", "i", 0, 2),
    parts.parts_text("add", "?", "l", "l", 0, 0),
    at_places.offset_text(2, 1, ("i32", "i64"), 0), at_places.combine_text("add", "D", "D", 15, 1, 1, ("i64",)),
    at_places.combine_text("maximum", "i", "d", 0, 2, 0, ("u8",))]


@pytest.mark.skipif(nvrtc.library() is None, reason="needs nvidia-cuda-nvrtc")
@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.name)
def test_texts_compile_as_cuda(text):
    helpers = needed(text.text)
    assert b".entry" in nvrtc.compile_ptx("\n".join([CUDA.spellings(helpers + text.text), helpers, text.text]),
                                          "compute_80")
