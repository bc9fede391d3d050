"""Cumulative folds on OpenCL and on the CUDA mock, around the boundaries of runs and tiles."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazyarr._core.runtime.kernel_launch import group_size
from lazyarr.gpu.calls import scans
from lazyarr.gpu.calls.scans import BESIDE, CHUNK, ENOUGH, items_of
from lazyarr.gpu.drivers import nvrtc
from lazyarr.gpu.generator.dialects import CUDA
from lazyarr.gpu.generator.helpers import needed
from support.examples import examples

RNG = np.random.default_rng(11)
SOME = examples(12)
TILE = items_of("i") * group_size
LENGTHS = [1, 2, 15, 16, 17, 31, 32, 33, CHUNK - 1, CHUNK, CHUNK + 1, 255, 257, TILE - 1, TILE, TILE + 1, 2 * TILE,
           5 * TILE + 3]  # fmt: skip


@pytest.fixture(params=["opencl", "cuda"], scope="module")
def device(request):
    """The device under test."""
    return pytest.importorskip(f"support.{request.param}_device")


def same(device, got, wanted):
    device.same(got, wanted)
    assert not device.DRIVER.host_steps


@pytest.mark.parametrize("n", LENGTHS)
def test_lines_of_integers(device, n):
    a = RNG.integers(-1000, 1000, (3, n), np.int32)
    x = device.there(a)
    same(device, np.cumsum(x, 1, dtype="i"), np.cumsum(a, 1, dtype="i"))
    same(device, np.cumsum(x), np.cumsum(a))
    same(device, np.cumsum(x.T, 0), np.cumsum(a.T, 0))
    same(device, np.maximum.accumulate(x[:, ::-1], 1), np.maximum.accumulate(a[:, ::-1], 1))


@pytest.mark.parametrize("lines", [1, 3, BESIDE - 1, BESIDE, 100])
@pytest.mark.parametrize("n", [7, CHUNK, CHUNK + 1, TILE + 1])
def test_columns(device, n, lines):
    a = RNG.integers(-1000, 1000, (n, lines))
    x = device.there(a)
    same(device, np.cumsum(x, 0), np.cumsum(a, 0))
    same(device, np.cumsum(x * 2, 0), np.cumsum(a * 2, 0))
    same(device, np.cumsum(x.T.copy().T, 0), np.cumsum(a, 0))


def test_columns_that_have_a_work_item_each_are_added_in_numpys_order(device):
    a = RNG.standard_normal((CHUNK + 9, ENOUGH)).astype("f")
    same(device, np.cumsum(device.there(a), 0), np.cumsum(a, 0))


@SOME
@given(st.lists(st.sampled_from([1, 2, 3, 5, 33, 70]), min_size=1, max_size=3), st.data())
def test_views_of_several_axes(device, shape, data):
    axis = data.draw(st.integers(0, len(shape) - 1))
    order = data.draw(st.permutations(range(len(shape))))
    a = RNG.integers(-9, 9, shape)
    turned = [slice(None, None, data.draw(st.sampled_from([1, -1, 2]))) for _ in shape]
    b, x = (m[*turned].transpose(order) for m in (a, device.there(a)))
    same(device, np.cumsum(x, axis), np.cumsum(b, axis))
    same(device, np.cumsum(np.broadcast_to(x, (3, *x.shape)), axis), np.cumsum(np.broadcast_to(b, (3, *b.shape)), axis))


@pytest.mark.parametrize("dtype", "?bHiefdFD")
@pytest.mark.parametrize("n", [60, 1000])
def test_operands_of_other_dtypes_are_cast_as_they_are_read(device, dtype, n):
    a = RNG.integers(0, 7, (5, n)).astype(dtype)
    for made in ("l", "D", "f"):
        if np.can_cast(dtype, made):
            same(device, np.cumsum(device.there(a), 1, dtype=made), np.cumsum(a, 1, dtype=made))


def test_a_running_sum_of_an_array_reads_it_where_it_is(device):
    """There is no copy to the result first, so there are as many launches as steps."""
    a = np.arange(1000, dtype=np.int32)
    x = device.there(a)
    launched, launch = [], device.DRIVER.launch
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(type(device.DRIVER), "launch", lambda self, *args: launched.append(args) or launch(*args))
        np.cumsum(x).numpy()
        assert len(launched) == 1
    same(device, x, a)


@pytest.mark.parametrize("dtype", "efF")
def test_errors_of_long_sums_are_small(device, dtype):
    a = (RNG.random(3 * TILE) * (0.01 if dtype == "e" else 1)).astype(dtype)
    exact = np.cumsum(a.astype("D" if dtype == "F" else "d"))
    got = np.cumsum(device.there(a)).numpy().astype(exact.dtype)
    assert np.abs(got - exact).max() <= np.abs(np.cumsum(a) - exact).max()
    assert (np.abs(got - exact) <= 4 * np.finfo(dtype).eps * exact.real).all()


@pytest.mark.parametrize("shape", [(1, 3 * TILE), (3 * TILE, 40)])
def test_infinities_and_nans(device, shape):
    a = RNG.standard_normal(shape).astype("f")
    axis = int(shape[0] == 1)
    a[tuple(2 * TILE if d == axis else slice(None) for d in range(2))] = np.nan
    a[tuple(TILE // 2 if d == axis else slice(None) for d in range(2))] = np.inf
    got = np.cumsum(device.there(a), axis).numpy()
    wanted = np.cumsum(a, axis)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(wanted))
    np.testing.assert_array_equal(np.isinf(got), np.isinf(wanted))


@pytest.mark.parametrize("dtype", "efdFD")
@pytest.mark.parametrize("shape", [(5,), (2, 2), (1, 70), (3 * TILE + 5,), (3, 1500), (300, 40), (9, ENOUGH)])
def test_running_products_have_numpys_bits(device, dtype, shape):
    a = 1 + 0.02 * RNG.standard_normal(shape)
    a = (a * np.exp(2j * np.pi * RNG.random(shape)) if dtype in "FD" else a).astype(dtype)
    x = device.there(a)
    for axis in range(a.ndim):
        same(device, np.cumprod(x, axis), np.cumprod(a, axis))
        same(device, np.cumprod(x[::-1], axis), np.cumprod(a[::-1], axis))
        same(device, np.cumprod(x * a.dtype.type(0.99), axis), np.cumprod(a * a.dtype.type(0.99), axis))


@pytest.mark.parametrize("dtype", "fdFD")
@pytest.mark.parametrize("shape", [(1, 200), (40, 200), (3, 2 * TILE + 9), (3, 9 * TILE), (40, 9 * CHUNK + 1)])
@pytest.mark.parametrize("is_computed", [False, True])
def test_sums_overflow_where_numpys_do(device, dtype, shape, is_computed):
    largest = np.finfo(dtype).max
    for terms in ([largest, largest, -largest], [largest, -largest, -largest, largest], [largest / 3] * 7,
                  [np.inf, -largest, -largest, -np.inf], [np.nan, largest, largest], [largest, np.nan, np.inf]):
        a = RNG.integers(-9, 9, shape).astype(dtype)
        if dtype in "FD":
            a += 1j * RNG.integers(-9, 9, shape).astype(dtype)
        for line in range(0, len(a), 2):
            places = np.sort(RNG.choice(shape[1], len(terms), replace=False))
            a[line, places] = terms
        with np.errstate(all="ignore"):
            for axis, b in ((1, a), (0, a.T), (0, a.T.copy())):
                x = device.there(b)
                same(device, np.cumsum(-x if is_computed else x, axis), np.cumsum(-b if is_computed else b, axis))


def test_sums_that_do_not_overflow_raise_no_flags(device):
    largest = np.finfo("d").max
    a = np.zeros(3 * TILE)
    a[[5, 2 * TILE, 2 * TILE + 1]] = -largest, largest, largest / 2
    with np.errstate(all="raise"):
        same(device, np.cumsum(device.there(a)), np.cumsum(a))
        a[5] = 0
        with pytest.raises(FloatingPointError, match="overflow encountered in accumulate"):
            np.cumsum(device.there(a)).numpy()


FORMS = [
    scans.Form("add", ("D", "D", "D"), 15, 1, True), scans.Form("add", ("e", "f", "e"), 10, 2, True),
    scans.Form("maximum", ("e", "e", "e"), 0, 2, False), scans.Form("add", ("?", "l", "l"), 0, 1, True),
    scans.Form("add", ("f", "f", "f"), 10, 0, False), scans.Form("add", ("f", "f", "f"), 10, 2, True, True),
    scans.Form("add", ("D", "D", "D"), 10, 0, False, True),
]  # fmt: skip


@pytest.mark.skipif(nvrtc.library() is None, reason="needs nvidia-cuda-nvrtc")
@pytest.mark.parametrize("architecture", ["80", "90", "100"])
@pytest.mark.parametrize("form", FORMS, ids=lambda form: f"{form.name}_{form.chars[0]}")
def test_texts_compile_as_cuda(form, architecture):
    for text in (scans.tile_text(form), scans.column_text(form), *([scans.line_text(form)] if form.keeps else [])):
        helpers = needed(text.text)
        whole = "\n".join([CUDA.spellings(helpers + text.text), helpers, text.text])
        assert nvrtc.compile_cubin(whole, f"sm_{architecture}")[:4] == b"\x7fELF"
