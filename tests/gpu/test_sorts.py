"""Sorts on OpenCL and on the CUDA mock, around the boundaries of runs and tiles."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazyarr._core.runtime.kernel_launch import group_size
from lazyarr.gpu.calls import line_tiles, sorts
from lazyarr.gpu.calls.sorts import items_of
from lazyarr.gpu.drivers import nvrtc
from lazyarr.gpu.generator.dialects import CUDA
from lazyarr.gpu.generator.helpers import needed
from support.examples import examples

RNG = np.random.default_rng(5)
SOME = examples(12)
TILE = items_of("h", False) * group_size


@pytest.fixture(params=["opencl", "cuda"], scope="module")
def device(request):
    """The device under test."""
    return pytest.importorskip(f"support.{request.param}_device")


def check(device, a, x, axis=-1):
    for got, wanted in ((np.sort(x, axis), np.sort(a, axis)),
                        (np.argsort(x, axis, kind="stable"), np.argsort(a, axis, kind="stable"))):  # fmt: skip
        device.same(got, wanted)
    assert not device.DRIVER.host_steps


@pytest.mark.parametrize("n", [1, 2, 7, 8, 9, 31, 32, 33, TILE // 2 + 1, TILE - 1, TILE, TILE + 1, 2 * TILE,
                               3 * TILE + 5, 9 * TILE])  # fmt: skip
def test_lines(device, n):
    a = RNG.integers(0, 99, (2, n), np.int16)
    check(device, a, device.there(a))
    check(device, a.T, device.there(a).T, 0)


@pytest.mark.parametrize("dtype", "?befdlL")
@pytest.mark.parametrize("n", [50, TILE + 77])
def test_values_of_all_kinds(device, dtype, n):
    a = RNG.integers(0, 100, n).astype(dtype)
    if a.dtype.kind == "f":
        a[::5], a[1::7], a[2::9], a[3::11], a[4::13] = np.nan, -np.inf, np.inf, -0.0, 0
    elif a.dtype.kind in "iu":
        a[::5], a[1::7] = np.iinfo(dtype).min, np.iinfo(dtype).max
    check(device, a, device.there(a))


@pytest.mark.parametrize("dtype", "FD")
@pytest.mark.parametrize("n", [50, 2 * TILE + 77])
def test_complex_numbers(device, dtype, n):
    """Compare real parts, then imaginary ones; NaNs go last, those in real parts after those in imaginary ones."""
    parts = np.array([0, 1, -2, 3, np.inf, -np.inf, np.nan])
    a = (RNG.choice(parts, n) + 0j).astype(dtype)
    a.imag = RNG.choice(parts, n)
    x = device.there(a)
    check(device, a, x)
    check(device, a.reshape(-1, 1), x.reshape(-1, 1), 0)
    line, keys = np.sort(a), a[:40]
    for side in ("left", "right"):
        device.same(np.searchsorted(np.sort(x), x[:40], side), np.searchsorted(line, keys, side))
    assert not device.DRIVER.host_steps


@pytest.mark.parametrize("n", [40, 300, TILE + 9])
@pytest.mark.parametrize("lines", [2, 33])
def test_columns(device, n, lines):
    a = RNG.integers(0, 999, (n, lines), np.int16)
    check(device, a, device.there(a), 0)
    check(device, a, device.there(a.T.copy()).T, 0)


@pytest.mark.parametrize("step", [0, 1, -1])
def test_runs_that_do_not_mix(device, step):
    a = (step * np.arange(3 * TILE)).astype("h")
    check(device, a, device.there(a))


@SOME
@given(st.lists(st.sampled_from([1, 2, 3, 9, 40]), min_size=1, max_size=3), st.data())
def test_views_of_several_axes(device, shape, data):
    axis = data.draw(st.integers(0, len(shape) - 1))
    order = data.draw(st.permutations(range(len(shape))))
    a = RNG.integers(-9, 9, shape, np.int16)
    turned = tuple(slice(None, None, data.draw(st.sampled_from([1, -1, 2]))) for _ in shape)
    b, x = (m[turned].transpose(order) for m in (a, device.there(a)))
    check(device, b, x, axis)


@pytest.mark.skipif(nvrtc.library() is None, reason="needs nvidia-cuda-nvrtc")
@pytest.mark.parametrize(("char", "architecture"), [("?", "80"), ("e", "90"), ("f", "100"), ("l", "80"), ("L", "90")])
def test_texts_compile_as_cuda(char, architecture):
    for text in (line_tiles.copy_text(char, 2), sorts.splits_text(char), sorts.tiles_text(char, 2, True, False),
                 sorts.merge_text(char, 2, False, True), sorts.merge_text(char, 1, True, True)):  # fmt: skip
        helpers = needed(text.text)
        whole = "\n".join([CUDA.spellings(helpers + text.text), helpers, text.text])
        assert nvrtc.compile_cubin(whole, f"sm_{architecture}")[:4] == b"\x7fELF"
