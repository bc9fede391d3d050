"""Winograd convolution against the direct sum in float64: error bound, edges, and where it must not be used."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lazyarr as la
from support import conv_problems, reference_kernels

HALF_STEP = np.finfo(np.float32).eps / 2


def wherever_possible():
    """Use Winograd's method even where it is slow."""
    return la.config.tuning({"path.winograd": 1000})


def direct(x, w, pads):
    return reference_kernels.conv(x.astype(float), w.astype(float), (1, 1), pads, (1, 1))


def largest_of_tiles(x, pads):
    """Return for each position the largest magnitude in its tile, over all channels."""
    size = reference_kernels.padded(np.abs(x), pads).max(-1)
    count = size.shape[1] - 2, size.shape[2] - 2
    size = np.pad(size, [(0, 0), (0, 2), (0, 2)])
    tiles = [[size[:, i - i % 2:i - i % 2 + 4, j - j % 2:j - j % 2 + 4].max((1, 2)) for j in range(count[1])]
             for i in range(count[0])]
    return np.moveaxis(tiles, -1, 0)[..., None]


def bound(x, w, pads):
    """Return the error bound documented in winograd.pyx."""
    return 16 * (x.shape[-1] + 14) * HALF_STEP * largest_of_tiles(x, pads) * np.abs(w).sum((0, 1, 2))


pads = st.tuples(st.integers(0, 3), st.integers(0, 3))
channels = st.integers(1, 40) | st.sampled_from((64, 300, 512))


@given(st.tuples(st.integers(1, 3), st.integers(3, 13), st.integers(3, 13)), channels, st.integers(1, 70), pads, pads,
       st.tuples(*[st.sampled_from(conv_problems.LAYOUTS)] * 2), st.integers(0, 2), st.integers(1, 3), st.booleans(),
       st.integers(0, 1000))
def test_errors_are_bounded(shape, channels, columns, before, after, layouts, width, threads, uneven, seed):
    x = conv_problems.data("float32", (*shape, channels), seed)
    w = conv_problems.data("float32", (3, 3, channels, columns), seed)
    if uneven:
        x *= np.float32(2) ** np.random.default_rng(seed).integers(-30, 30, shape)[..., None]
    x, w = conv_problems.laid_out(x, layouts[0]), conv_problems.laid_out(w, layouts[1])
    padding = before, after
    with conv_problems.vectors(width), la.config(num_threads=threads), wherever_possible():
        made = la.nn.conv2d(x, w, padding=padding).numpy()
        turned = la.nn.grad.conv2d_input(x.shape, w, made, padding=padding).numpy()
    expected = direct(x, w, padding)
    assert made.dtype == np.float32
    assert (np.abs(made - expected) <= bound(x, w, padding)).all()
    w, padding = w[::-1, ::-1].swapaxes(2, 3), [(2 - a, 2 - b) for a, b in padding]
    grown = [(max(a, 0), max(b, 0)) for a, b in padding]  # negative padding takes away
    cut = tuple(slice(max(-a, 0), -max(-b, 0) or None) for a, b in padding)
    expected = direct(made, w, grown)[(slice(None), *cut)]
    # gradient tiles begin elsewhere if padding is negative
    most = np.abs(made).max() if made.size else 0
    limit = 16 * (columns + 14) * HALF_STEP * most * np.abs(w).sum((0, 1, 2))
    assert (np.abs(turned - expected) <= limit).all()


@pytest.mark.parametrize("shape", [(1, 56, 56, 64, 64), (2, 14, 15, 128, 96), (1, 30, 28, 512, 70)])
def test_errors_for_even_pixels_are_those_of_plain_sums(shape):
    *extents, channels, columns = shape
    x = conv_problems.data("float32", (*extents, channels), 0)
    w = conv_problems.data("float32", (3, 3, channels, columns), 1)
    pads = [(1, 1), (1, 1)]
    results = []
    for exact in (False, True):
        with la.config(exact=exact):
            results.append(la.nn.conv2d(la.asarray(x), w, padding=1).numpy())
    assert not np.array_equal(*results)  # both ways were gone
    limit = 4 * np.finfo(np.float32).eps * direct(np.abs(x), np.abs(w), pads)
    expected = direct(x, w, pads)
    for got in results:
        assert (np.abs(got - expected) <= limit).all()


def test_planes_of_three_axes():
    x, w = conv_problems.data("float32", (2, 5, 9, 8, 20), 0), conv_problems.data("float32", (1, 3, 3, 20, 24), 1)
    settings = (2, 1, 1), [(2, 1), (1, 1), (0, 1)], (1, 1, 1)
    with wherever_possible():
        conv_problems.check(la.nn.conv3d(x, w, stride=settings[0], padding=settings[1]),
                            lambda x, w: reference_kernels.conv(x, w, *settings), x, w)


def test_groups():
    x, w = conv_problems.data("float32", (2, 9, 10, 60), 0), conv_problems.data("float32", (3, 3, 20, 75), 1)
    settings = (1, 1), [(1, 1)] * 2, (1, 1)
    with wherever_possible():
        conv_problems.check(la.nn.conv2d(x, w, padding=1, groups=3),
                            lambda x, w: reference_kernels.conv(x, w, *settings, 3), x, w)


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan, 3e38])
@pytest.mark.parametrize("place", [(0, 0, 0, 0), (0, 20, 31, 5), (1, 39, 39, 63)])
def test_what_is_not_finite_stays_in_its_windows(value, place):
    x, w = conv_problems.data("float32", (2, 40, 40, 64), 0), conv_problems.data("float32", (3, 3, 64, 64), 1)
    x[place] = value
    with np.errstate(all="ignore"):
        with wherever_possible():
            got = la.nn.conv2d(x, w, padding=1).numpy()
        with la.config(exact=True):
            expected = la.nn.conv2d(x, w, padding=1).numpy()
    assert not np.isfinite(expected).all()
    image, y, x0, _ = place
    lines = np.flatnonzero(~np.isfinite(expected[image]).all((1, 2)))
    assert got[image, lines].tobytes() == expected[image, lines].tobytes()  # computed directly
    assert np.array_equal(np.isfinite(got), np.isfinite(expected))
    other = np.ones(got.shape[:3], bool)
    other[image, max(y - 1, 0):y + 2, max(x0 - 1, 0):x0 + 2] = False
    assert np.isfinite(got[other]).all()


@pytest.mark.parametrize("shape", [(1, 56, 56, 64, 64), (3, 13, 15, 130, 100), (1, 14, 14, 256, 250)])
def test_the_number_of_threads_does_not_show(shape):
    *extents, channels, columns = shape
    x = conv_problems.data("float32", (*extents, channels), 0)
    w = conv_problems.data("float32", (3, 3, channels, columns), 1)
    results = set()
    for threads in (1, 2, 3, 4, 6):
        with la.config(num_threads=threads):
            results.add(la.nn.conv2d(x, w, padding=1).numpy().tobytes())
    assert len(results) == 1


def test_the_number_of_threads_does_not_show_beside_what_is_not_finite():
    x, w = conv_problems.data("float32", (2, 41, 39, 64), 0), conv_problems.data("float32", (3, 3, 64, 64), 1)
    x[0, 7, 20, 3], x[1, 30, 0, 0] = np.inf, np.nan
    results = set()
    for threads in (1, 2, 3, 4):
        with la.config(num_threads=threads):
            results.add(la.nn.conv2d(x, w, padding=1).numpy().tobytes())
    assert len(results) == 1


@pytest.mark.parametrize(("dtype", "taps", "keywords"), [
    ("float64", (3, 3), {}), ("float32", (3, 2), {}), ("float32", (3, 3), {"stride": 2}),
    ("float32", (3, 3), {"dilation": 2}), ("complex64", (3, 3), {}), ("int32", (3, 3), {}),
])
def test_other_convolutions_are_summed_directly(dtype, taps, keywords):
    x, w = conv_problems.data(dtype, (1, 20, 20, 32), 0), conv_problems.data(dtype, (*taps, 32, 32), 1)
    with wherever_possible():
        got = la.nn.conv2d(x, w, **keywords).numpy()
    with la.config(exact=True):
        assert got.tobytes() == la.nn.conv2d(x, w, **keywords).numpy().tobytes()
