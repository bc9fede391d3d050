"""Boolean masks on an OpenCL device: masked reads and writes, against NumPy."""

import warnings

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.gpu.calls.true_places import coordinates_text
from lazyarr.gpu.drivers import nvrtc
from lazyarr.gpu.generator.dialects import CUDA
from lazyarr.gpu.generator.helpers import needed
from support.examples import examples
from support.opencl_device import DRIVER, same_there, there
from support.program_runner import steps

RNG = np.random.default_rng(3)
SOME = examples(20)
DTYPES = st.sampled_from("?bBhHiIlLefdFD")
SHAPES = hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=7)
VIEWS = st.sampled_from([lambda x: x, lambda x: x.T, lambda x: x[::-1], lambda x: x[..., ::-2]])


def laid_out_alike(got, wanted):
    """Compare with NumPy's result and its layout."""
    assert steps(got) == steps(wanted)
    same_there(got, wanted)


@st.composite
def masked(draw):
    """Draw an array of numbers, a view of it, and a mask of some or all of its leading axes."""
    a = RNG.integers(0, 5, draw(SHAPES)).astype(draw(DTYPES))
    view = draw(VIEWS)
    shape = view(a).shape
    mask = RNG.random(shape[: draw(st.integers(1, len(shape)))]) < draw(st.sampled_from([0, 0.4, 1]))
    return a, view, mask


@SOME
@given(masked(), st.booleans())
def test_elements_under_a_mask(case, is_known):
    a, view, mask = case
    x, m = there(a), mask if is_known else there(mask)
    laid_out_alike(view(x)[m], view(a)[mask])
    laid_out_alike(view(x)[m] == 3, view(a)[mask] == 3)
    la.evaluate(x)
    laid_out_alike(view(x)[m][::-1], view(a)[mask][::-1])


def test_lines_under_a_mask():
    for a in (np.zeros((2, 0)), np.arange(24.0).reshape(2, 3, 4).transpose(0, 2, 1)):
        mask = np.array([False, True])
        laid_out_alike(there(a)[there(mask)], a[mask])


@SOME
@given(masked())
def test_places_of_true_elements(case):
    a, view, mask = case
    for b, x in ((view(a), view(there(a))), (mask, there(mask))):
        for got, wanted in zip(np.nonzero(x), np.nonzero(b), strict=True):
            laid_out_alike(got, wanted)
        for got, wanted in zip(np.where(x), np.where(b), strict=True):
            laid_out_alike(got, wanted)
        laid_out_alike(np.flatnonzero(x), np.flatnonzero(b))
        laid_out_alike(np.argwhere(x), np.argwhere(b))
        laid_out_alike(np.extract(x, x), np.extract(b, b))


def test_nans_and_signed_zeros():
    a = np.array([0.0, -0.0, np.nan, 1, 0, np.inf])
    laid_out_alike(np.flatnonzero(there(a)), np.flatnonzero(a))
    laid_out_alike(np.flatnonzero(there(a.astype("D"))), np.flatnonzero(a.astype("D")))


@pytest.mark.parametrize("dtype", "?hLefdFD")
def test_a_mask_beside_other_keys(dtype):
    a = RNG.integers(0, 9, (5, 6, 4)).astype(dtype)
    first, last, both = (RNG.random(shape) < 0.5 for shape in (5, 4, (5, 6)))
    for b, x in ((a, there(a)), (a[::-1, :, ::-1], there(a)[::-1, :, ::-1])):
        laid_out_alike(x[there(first), ..., ::-1], b[first, ..., ::-1])
        laid_out_alike(x[..., there(last)], b[..., last])
        laid_out_alike(x[there(first), 1:][:, 2], b[first, 1:][:, 2])
        laid_out_alike(x[there(both), 1:], b[both, 1:])


@SOME
@given(masked(), st.sampled_from(["each", "line", "number"]), DTYPES, st.booleans())
def test_writes_under_a_mask(case, kind, dtype, is_read):
    a, view, mask = case
    b, x = view(a.copy()), view(there(a.copy()))
    if np.dtype(dtype).kind == "c" and b.dtype.kind != "c":
        dtype = "f"
    shape = {"each": (mask.sum(), *b.shape[mask.ndim:]), "line": (1, *b.shape[mask.ndim:]), "number": ()}[kind]
    value = RNG.integers(0, 5, shape).astype(dtype)
    twice = x + x if is_read else None
    x[there(mask)] = there(value)
    np.testing.assert_array_equal(x.numpy(), b_with(b, mask, value), strict=True)
    if is_read:
        np.testing.assert_array_equal(twice.numpy(), view(a) + view(a), strict=True)
    assert not DRIVER.host_steps


def b_with(b, mask, value):
    """Write to an array with NumPy."""
    b[mask] = value
    return b


def test_writes_beside_other_keys():
    a = RNG.random((6, 5, 4))
    x, mask, value = there(a.copy()), a[:, 0, 0] > 0.4, RNG.random((5, 4))
    x[there(mask), 1:, 2] = value[:, :1].T[:, :4]
    a[mask, 1:, 2] = value[:, :1].T[:, :4]
    laid_out_alike(x, a)
    x[2, there(a[2] > 0.5)] = 7
    a[2, a[2] > 0.5] = 7
    laid_out_alike(x, a)


def test_numbers_of_values_that_do_not_fit_are_numpys_errors():
    x = there(np.arange(5.0))
    with pytest.raises(ValueError, match="cannot assign 3 input values to the 2 output values"):
        x[x > 2] = np.arange(3.0)
    with pytest.raises(ValueError, match="shape mismatch"):
        there(np.ones((5, 2)))[x > 2] = np.ones((3, 2))
    with pytest.raises(IndexError, match="boolean index did not match"):
        x[there(np.ones(4, bool))]
    np.testing.assert_array_equal(x.numpy(), np.arange(5.0))


def test_a_write_that_reads_its_own_array_sees_the_old_values():
    a = np.arange(8.0)
    x = there(a.copy())
    la.evaluate(x)
    x[x > 4] = x[:3]
    a[a > 4] = a[:3].copy()
    laid_out_alike(x, a)


@SOME
@given(masked())
def test_operations_between_selections_under_one_mask(case):
    a, view, mask = case
    b, x = view(a.copy()), view(there(a.copy()))
    if b.shape != mask.shape:
        return
    m = there(mask)
    x[m] = x[m] * x[m] + 1
    b[mask] = b[mask] * b[mask] + 1
    np.testing.assert_array_equal(x.numpy(), b, strict=True)
    laid_out_alike(x[m] + 2, b[mask] + 2)


def test_what_is_outside_of_a_mask_does_not_warn():
    a = np.array([1.0, -1, 4])
    x = there(a)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x[x > 0] = np.sqrt(x[x > 0])
        np.testing.assert_array_equal(x.numpy(), [1, -1, 2])
    y = there(a)
    y[y < 2] = np.sqrt(y[y < 2])
    with pytest.warns(RuntimeWarning, match="invalid value encountered in sqrt"):
        np.testing.assert_array_equal(y.numpy(), [1, np.nan, 4])
    assert not DRIVER.host_steps


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_compress(axis):
    a, condition = RNG.random((4, 5)), np.array([False, True, True, False])
    got, wanted = np.compress(there(condition), there(a), axis), np.compress(condition, a, axis)
    laid_out_alike(got, wanted)
    laid_out_alike(there(a).compress(there(condition), axis), wanted)


def test_derivatives_lead_past_masks():
    a = RNG.standard_normal(20)
    got = la.grad(lambda x: (x[x > 0] ** 2).sum())(there(a))
    np.testing.assert_array_equal(got.numpy(), np.where(a > 0, 2 * a, 0))


def test_many_elements():
    a = RNG.standard_normal((300, 401))
    x = there(a)
    laid_out_alike(x[x > 0.3], a[a > 0.3])
    laid_out_alike(np.argwhere(x < 0), np.argwhere(a < 0))


@pytest.mark.skipif(nvrtc.library() is None, reason="needs nvidia-cuda-nvrtc")
def test_the_text_compiles_as_cuda():
    text = coordinates_text(3)
    helpers = needed(text.text)
    assert b".entry" in nvrtc.compile_ptx("\n".join([CUDA.spellings(helpers + text.text), helpers, text.text]),
                                          "compute_80")
