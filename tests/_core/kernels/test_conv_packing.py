"""Convolutions with few columns, in which neighbours are computed together, against sums tap by tap."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lazyarr as la
from lazyarr._core.kernels import conv_packing
from support import conv_problems, reference_kernels

DTYPES = st.sampled_from((*conv_problems.NATIVE, "int32", "int64"))


@pytest.fixture(autouse=True)
def small_ones_too(monkeypatch):
    monkeypatch.setattr(conv_packing, "_LEAST_WORK", 0)


few, any_number, some = st.integers(1, 5), st.integers(1, 20), st.tuples(*[st.integers(1, 3)] * 2)


@given(st.tuples(st.integers(1, 9), st.integers(1, 70)), st.tuples(*[st.integers(1, 7)] * 2), some, some,
       st.tuples(few, any_number) | st.tuples(any_number, few), DTYPES, st.integers(0, 2), st.integers(0, 100))
def test_against_sums_tap_by_tap(extents, taps, stride, dilation, widths, dtype, width, seed):
    pads = [(max((t - 1) * d + 1 - n, 0), 1) for n, t, d in zip(extents, taps, dilation, strict=True)]
    x = conv_problems.data(dtype, (2, *extents, widths[0]), seed)
    w = conv_problems.data(dtype, (*taps, *widths), seed + 1)
    keywords = {"stride": stride, "padding": pads, "dilation": dilation}
    with conv_problems.vectors(width):
        y = la.nn.conv2d(x, w, **keywords)
        conv_problems.check(y, lambda x, w: reference_kernels.conv(x, w, stride, pads, dilation), x, w)
        g = conv_problems.data(dtype, y.shape, seed + 2)
        conv_problems.check(la.nn.grad.conv2d_input(x.shape, w, g, **keywords),
                            lambda w, g: reference_kernels.conv_input(x.shape, w, g, stride, pads, dilation), w, g)


@pytest.mark.parametrize("count", [56, 57, 59])
def test_neighbours_are_joined(count):
    out, w = np.zeros((2, 40, 1, count, 3), "f4"), np.zeros((1, 5, 5, 8, 3), "f4")
    joined = conv_packing.join(out, w, (1, 1, -2, 1))
    assert joined.together > 1
    assert joined.whole == count // joined.together * joined.together
    assert np.shares_memory(conv_packing.joined_results(out, joined), out)
    x, w = np.zeros((1, 4, 4, count, 30), "f4"), np.zeros((1, 5, 5, 8, 30), "f4")
    assert conv_packing.join(x, w, (1, 1, -2, 1)) is None


@pytest.mark.parametrize("value", [np.inf, np.nan])
def test_what_is_not_finite_stays_in_its_windows(value):
    x, w = conv_problems.data("float32", (1, 20, 50, 30), 0), conv_problems.data("float32", (3, 3, 30, 2), 1)
    x[0, 7, 21, 3] = value
    got = np.isfinite(la.nn.conv2d(x, w, padding=1).numpy()).all(-1)
    expected = np.ones_like(got)
    expected[0, 6:9, 20:23] = False
    assert np.array_equal(got, expected)
    g, w = conv_problems.data("float32", (1, 20, 50, 30), 0), conv_problems.data("float32", (3, 5, 2, 30), 1)
    g[0, 7, 21, 3] = value
    made = la.nn.grad.conv2d_input((1, 40, 100, 2), w, g, stride=2, padding=(1, 2)).numpy()
    got, expected = np.isfinite(made).all(-1), np.ones((1, 40, 100), bool)
    expected[0, 13:16, 40:45] = False
    assert np.array_equal(got, expected)


def test_the_number_of_threads_does_not_show():
    g, w = conv_problems.data("float32", (2, 30, 45, 40), 0), conv_problems.data("float32", (5, 5, 3, 40), 1)
    results = set()
    for threads in (1, 2, 3):
        with la.config(num_threads=threads):
            results.add(la.nn.grad.conv2d_input((2, 60, 90, 3), w, g, stride=2, padding=2).numpy().tobytes())
    assert len(results) == 1
