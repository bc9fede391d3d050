"""Patches and their sums against ones built tap by tap, in every dtype and layout."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lazyarr as la
from support import conv_problems, reference_kernels, sample_values
from support.lazy_helpers import assert_same, pending


def shapes(problem):
    """Of the array and of its patches."""
    taps = problem.w[:-2]
    return taps, (*problem.y[:-1], int(np.prod(taps)) * problem.x[-1])


@given(conv_problems.problems(), st.sampled_from(sample_values.DTYPES))
def test_patches(problem, dtype):
    x = problem.array(problem.x, dtype)
    taps, shape = shapes(problem)
    expected = reference_kernels.im2col(x, taps, *problem.settings)
    assert expected.shape == shape
    for given_as in (x, pending(x)):
        assert_same(la.nn.im2col(given_as, taps, **problem.given), expected)


@given(conv_problems.problems(), st.sampled_from([*sample_values.INTEGERS, "bool"]))
def test_sums_of_patches(problem, dtype):
    taps, shape = shapes(problem)
    cols = problem.array(shape, dtype)
    assert_same(la.nn.col2im(cols, problem.x, taps, **problem.given),
                reference_kernels.col2im(cols, problem.x, taps, *problem.settings))


@given(conv_problems.problems(), st.sampled_from([*sample_values.FLOATS, *sample_values.COMPLEX]))
def test_sums_of_patches_round_little(problem, dtype):
    taps, shape = shapes(problem)
    cols = problem.array(shape, dtype)
    conv_problems.check(la.nn.col2im(cols, problem.x, taps, **problem.given),
                        lambda cols: reference_kernels.col2im(cols, problem.x, taps, *problem.settings), cols)


@given(conv_problems.problems())
def test_they_are_transposes(problem):
    taps, shape = shapes(problem)
    rng = np.random.default_rng(problem.seed)
    x, cols = rng.integers(-9, 10, problem.x), rng.integers(-9, 10, shape)
    patches, total = la.nn.im2col(x, taps, **problem.given), la.nn.col2im(cols, x.shape, taps, **problem.given)
    assert (patches * cols).sum() == (x * total).sum()


@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_a_product_with_patches_is_a_convolution(ndim):
    rng = np.random.default_rng(0)
    x, w = rng.integers(-9, 10, (2, *(9, 8, 7)[:ndim], 3)), rng.integers(-9, 10, (*(2, 3, 4)[:ndim], 3, 5))
    patches = la.nn.im2col(x, w.shape[:-2], stride=2, padding="same")
    assert_same(patches @ w.reshape(-1, 5), getattr(la.nn, f"conv{ndim}d")(x, w, stride=2, padding="same").numpy())


def test_special_values_are_copied():
    x = sample_values.make("float64", (1, 5, 2), 2)
    assert_same(la.nn.im2col(x, (2,)), reference_kernels.im2col(x, (2,), (1,), [(0, 0)], (1,)))


@pytest.mark.parametrize("keywords", [{}, {"padding": 1}, {"stride": 2}])
def test_they_wait_and_later_writes_do_not_show(keywords):
    x = conv_problems.data("int64", (2, 4, 5, 3), 0)
    settings = (keywords.get("stride", 1),) * 2, [(keywords.get("padding", 0),) * 2] * 2, (1, 1)
    for taps in ((2, 3), (1, 1)):
        a = pending(x)
        with la.no_evaluation():
            patches = la.nn.im2col(a, taps, **keywords)
            total = la.nn.col2im(patches * 2, x.shape, taps, **keywords) + 1
            a[:] = 0
            patches[0] += 1
        expected = reference_kernels.im2col(x, taps, *settings)
        assert_same(total, reference_kernels.col2im(expected * 2, x.shape, taps, *settings) + 1)
        expected[0] += 1
        assert_same(patches, expected)
        assert a.sum() == 0


def test_half_precision_rounds_once():
    cols = conv_problems.data("float16", (1, 20, 9 * 2), 0)
    wide = la.nn.col2im(cols.astype("f4"), (1, 28, 2), (9,))
    assert_same(la.nn.col2im(cols, (1, 28, 2), (9,)), wide.numpy().astype("f2"))


@pytest.mark.parametrize("shape", [(0, 5, 2), (2, 5, 0), (2, 0, 2)])
def test_nothing_under_windows(shape):
    keywords = {"padding": "same"}
    patches = la.nn.im2col(np.ones(shape), (3,), **keywords)
    assert patches.shape == (*shape[:2], 3 * shape[2])
    assert_same(la.nn.col2im(patches, shape, (3,), **keywords), np.zeros(shape))


STEP = [(1 << n) + d for n in (20, 31, 40, 55) for d in (-1, 0)]


@pytest.mark.parametrize("taps", STEP)
def test_sums_of_so_many_taps_that_there_are_no_elements(taps):
    for cols, shape, padding in ((np.ones((0, 1, taps)), (0, taps, 1), 0), (np.ones((1, 1, 0)), (1, taps, 0), 0),
                                 (np.ones((0, 5, taps)), (0, 4, 1), [(taps - 4, 4)])):
        assert la.nn.col2im(cols, shape, (taps,), padding=padding).numpy().shape == shape
    assert la.nn.im2col(np.ones((0, taps, 1)), (taps,)).numpy().shape == (0, 1, taps)


def test_sums_of_more_taps_than_positions():
    taps, cols = (40_000,), np.arange(80_000.0).reshape(1, 2, 40_000)
    made = la.nn.col2im(cols, (1, 40_001, 1), taps)
    assert_same(made, reference_kernels.col2im(cols, (1, 40_001, 1), taps, (1,), [(0, 0)], (1,)))


@pytest.mark.parametrize("step", STEP)
def test_steps_far_beyond_the_input(step):
    x = np.arange(4.0).reshape(1, 4, 1)
    assert_same(la.nn.im2col(x, (1,), stride=step, dilation=step), x[:, :1])
    assert_same(la.nn.im2col(x, (1,), stride=1, dilation=step), x)
    assert_same(la.nn.col2im(x, (1, 4, 1), (1,), dilation=step), x)
    cols = np.ones((1, 4, 2))
    assert_same(la.nn.col2im(cols, (1, 4, 1), (2,), padding=[(0, step)], dilation=step), np.ones((1, 4, 1)))


@pytest.mark.parametrize("make", [
    lambda n: la.nn.im2col(np.ones((0, 4, 1)), (n,), padding=n),
    lambda n: la.nn.im2col(np.ones((1, 4, 0)), (2,), padding=n, dilation=n),
    lambda n: la.nn.col2im(np.ones((0, 4, 2)), (0, 4, 1), (2,), padding=[(0, n)], dilation=n),
    lambda n: la.nn.conv1d(np.ones((0, 4, 1)), np.ones((2, 1, 1)), padding=n),
    lambda n: la.nn.conv1d(np.ones((1, 4, 1)), np.ones((2, 1, 1)), padding="same", dilation=n),
    lambda n: la.nn.conv_transpose1d(np.ones((0, 4, 1)), np.ones((2, 1, 1)), stride=n),
    lambda n: la.nn.conv_transpose1d(np.ones((0, 4, 1)), np.ones((2, 1, 1)), padding=[(0, n)], dilation=n),
    lambda n: la.nn.grad.conv1d_weight(np.ones((1, 4, 1)), (2, 1, 1), np.ones((1, 4, 1)), padding=[(0, n)], dilation=n),
    lambda n: la.nn.max_pool1d(np.ones((1, 4, 1)), n, padding=n // 2, stride=n),
    lambda n: la.nn.avg_pool1d(np.ones((1, 4, 0)), 2, padding=1, dilation=n),
])
@pytest.mark.parametrize("size", [n + d for n in (1 << 61, 1 << 62, 1 << 63, 1 << 64) for d in (-1, 0)])
def test_sizes_beyond_what_can_be_are_refused_where_they_are_given(make, size):
    with pytest.raises((ValueError, TypeError), match=r"padding|stride|window|dilation"):
        make(size)


@pytest.mark.parametrize("dtype", ["float64", "complex64", "int32", "longdouble"])
@pytest.mark.parametrize("step", [1 << 47, 1 << 55])
def test_bands_beyond_the_memory(dtype, step):
    """Their sizes are more than fit 64 bits, for as many lines as there may be."""
    x, w, g = np.ones((1, 4, 1), dtype), np.ones((2, 1, 1), dtype), np.ones((1, 4, 1), dtype)
    keywords = {"padding": [(0, step)], "dilation": step}
    for result in (la.nn.conv1d(x, w, **keywords), la.nn.conv_transpose1d(x, w, **keywords),
                   la.nn.grad.conv1d_weight(x, w.shape, g, **keywords),
                   la.nn.conv3d(np.ones((1, 3000, 1, 1, 1), dtype), w.reshape(2, 1, 1, 1, 1), dilation=(step, 1, 1),
                                padding=[(0, step), (0, 0), (0, 0)])):
        with pytest.raises(MemoryError) as caught:
            result.numpy()
        assert "conv" in caught.value.__notes__[0]


def test_a_stride_as_long_as_the_weights():
    """Only so many taps lie over an element as there are phases of elements."""
    taps = 1 << 22
    w = np.broadcast_to(np.float32(2), (taps, 1, 1))
    made = la.nn.conv_transpose1d(np.ones((1, 1, 1), "f4"), w, stride=taps, padding=[(0, taps - 3)])
    assert_same(made, np.full((1, 3, 1), 2, "f4"))
