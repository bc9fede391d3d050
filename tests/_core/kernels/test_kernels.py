"""Every native kernel and code path against its reference: random shapes, layouts, dtypes, threads, vectors.

A family is a function that draws one problem and compares. Arrays are small, but still split among threads.
"""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from support import conv_problems, reference_kernels, sample_values
from support.feature_switches import machine
from support.lazy_helpers import assert_same

FLOATS = ("float32", "float64")
NATIVE = (*FLOATS, "complex64", "complex128")
PRODUCTS = (*NATIVE, *NATIVE, *sample_values.DTYPES)
FAMILIES = {}


def family(function):
    """Add a family to the tested ones."""
    FAMILIES[function.__name__] = function
    return function


class Draw:
    """Short names for Hypothesis's strategies, from which families draw."""

    def __init__(self, data):
        self.data = data
        self.seed = self.integer(0, 1000)

    def one_of(self, *options):
        """Draw one of several values."""
        return self.data.draw(st.sampled_from(options))

    def integer(self, least, most):
        """Draw an integer."""
        return self.data.draw(st.integers(least, most))

    def integers(self, count, least, most):
        """Draw a tuple of integers."""
        return tuple(self.data.draw(st.integers(least, most)) for _ in range(count))

    def extent(self, most=9):
        """Draw an extent: often 0 or 1, sometimes larger than vectors, tiles and panels."""
        return self.data.draw(st.integers(1, most) | st.sampled_from((0, 1, 1, 2, 15, 17, 33)))

    def array(self, shape, dtype):
        """Draw an array of any layout, with values from the whole range, and the same in a form that users may pass."""
        self.seed += 1
        x = conv_problems.laid_out(conv_problems.data(dtype, shape, self.seed), self.one_of(*conv_problems.LAYOUTS))
        given = self.one_of("array", "lazy", "pending", "view")
        if given == "array":
            return x, x
        lazy = la.asarray(x)
        if given == "pending":
            return x, la.copy(lazy, order="K")
        if given == "view" and x.dtype.isnative:  # concatenated arrays are
            return x, la.concatenate([lazy, lazy])[len(x):]
        return x, lazy


def native(x):
    """Return the array in native byte order, like the results of la.nn."""
    return x.astype(x.dtype.newbyteorder("="))


# ---- elements in another order, repeated, folded ---------------------------------------------------------


@family
def copies(draw):
    """Transposed and strided copies, and writes of one view into another."""
    shape = tuple(draw.extent(5) for _ in range(draw.integer(1, 4)))
    shape = shape if math.prod(shape) < 5000 else shape[:2]
    x, lazy = draw.array(shape, draw.one_of(*sample_values.DTYPES))
    axes = draw.data.draw(st.permutations(range(len(shape))))
    cut = tuple(slice(None, None, draw.one_of(1, 1, 2, -1, -3)) for _ in shape)
    expected = reference_kernels.copy(x.transpose(axes)[cut])
    view = la.asarray(lazy).transpose(axes)[cut]
    assert_same(la.copy(view, order=draw.one_of("C", "F")), expected)
    target = la.zeros((*expected.shape[:-1], 2 * expected.shape[-1]), x.dtype)
    target[..., ::2] = view
    assert_same(target[..., ::2], expected)


@family
def repeats(draw):
    """Repeat and tile along several axes."""
    shape = tuple(draw.extent(4) for _ in range(draw.integer(1, 3)))
    x, lazy = draw.array(shape, draw.one_of(*sample_values.DTYPES))
    times = draw.integers(len(shape), 0, 4)
    assert_same(la.tile(lazy, times), reference_kernels.tile(x, times))
    kept = draw.data.draw(st.sets(st.integers(0, len(shape) - 1), min_size=1))
    chosen = tuple(times[d] for d in sorted(kept))
    times = tuple(t if d in kept else 1 for d, t in enumerate(times))
    assert_same(la.repeat(lazy, chosen, axis=tuple(sorted(kept))), reference_kernels.repeat(x, times))


@family
def folds(draw):
    """Reductions over any axes."""
    shape = tuple(draw.extent(4) for _ in range(draw.integer(1, 4)))
    shape = shape if math.prod(shape) < 3000 else shape[:2]
    dtype = draw.one_of(*sample_values.DTYPES)
    x, lazy = draw.array(shape, dtype)
    axes = tuple(sorted(draw.data.draw(st.sets(st.integers(0, len(shape) - 1), min_size=1))))
    if math.prod([shape[d] for d in axes]) and x.dtype.kind != "c":
        for function, operation in ((la.max, np.maximum), (la.min, np.minimum)):
            np.testing.assert_array_equal(function(lazy, axis=axes), reference_kernels.fold(operation, x, axes))
    total = la.sum(lazy, axis=axes)
    if x.dtype.kind == "f" and x.dtype.itemsize == 2:
        return  # NumPy sums these in single precision
    wide = x.astype(total.dtype)
    conv_problems.check(total, lambda x: reference_kernels.fold(np.add, x, axes, 0), wide)
    for function, operation in ((la.any, np.logical_or), (la.all, np.logical_and)):
        start = operation is np.logical_and
        np.testing.assert_array_equal(function(lazy, axis=axes), reference_kernels.fold(operation, x != 0, axes, start))


@family
def lines(draw):
    """Sorts and partitions along an axis."""
    shape = tuple(draw.extent(4) for _ in range(draw.integer(1, 3)))
    x, lazy = draw.array(shape, draw.one_of(*[name for name in sample_values.DTYPES if np.dtype(name).kind != "c"]))
    axis = draw.integer(0, len(shape) - 1)
    order = reference_kernels.argsort(x, axis)
    in_order = np.take_along_axis(x, order, axis)
    assert_same(la.argsort(lazy, axis, stable=True), order)
    np.testing.assert_array_equal(la.sort(lazy, axis), in_order)
    if shape[axis]:
        k = draw.integer(0, shape[axis] - 1)
        cut = la.partition(lazy, k, axis).numpy()
        np.testing.assert_array_equal(cut.take(k, axis), in_order.take(k, axis))
        np.testing.assert_array_equal(np.sort(cut, axis), in_order)
        np.testing.assert_array_equal(np.take_along_axis(x, la.argpartition(lazy, k, axis).numpy(), axis).take(k, axis),
                                      in_order.take(k, axis))


@family
def places(draw):
    """Gathers, and their transpose."""
    shape = tuple(draw.extent(4) for _ in range(draw.integer(1, 3)))
    axis = draw.integer(0, len(shape) - 1)
    n = shape[axis]
    index = np.array(draw.integers(draw.integer(0, 6), -n, n - 1) if n else (), np.intp)
    x, lazy = draw.array(shape, draw.one_of(*sample_values.DTYPES))
    taken = reference_kernels.take(x, index, axis)
    assert_same(la.take(lazy, index, axis), taken)
    assert_same(la.asarray(lazy)[(slice(None),) * axis + (index,)], taken)
    g = conv_problems.data("float64", taken.shape, draw.seed)
    found = la.grad(lambda x: (la.take(x, index, axis) * g).sum())(la.zeros(shape))
    np.testing.assert_allclose(found, reference_kernels.take_gradient(shape, g, index, axis), rtol=1e-12, atol=1e-12)


@family
def predicates(draw):
    """Symmetric, Hermitian and triangular matrices."""
    n, dtype = draw.extent(), draw.one_of(*sample_values.DTYPES)
    x, lazy = draw.array((n, n), dtype)
    turn = draw.one_of("none", "transposed", "conjugated", "lower", "upper")
    if turn in ("transposed", "conjugated"):
        x = np.tril(x) + np.tril(x, -1).T
        x = np.where(np.tri(n, k=-1).T > 0, x.conj(), x) if turn == "conjugated" else x
    elif turn != "none":
        x = (np.tril if turn == "lower" else np.triu)(x)
    lazy = lazy if turn == "none" else la.asarray(x)
    assert bool(la.is_symmetric(lazy)) == reference_kernels.is_mirrored(x)
    assert bool(la.is_hermitian(lazy)) == reference_kernels.is_mirrored(x, True)
    for lower in (False, True):
        assert bool(la.is_triangular(lazy, lower=lower)) == reference_kernels.is_triangular(x, lower)


# ---- products --------------------------------------------------------------------------------------------


@family
def products(draw):
    """Products of matrices and of batches of them."""
    m, k, n = draw.extent(), draw.extent(), draw.extent()
    stack = tuple(draw.integers(draw.integer(0, 2), 0, 3))
    other = draw.one_of(stack, stack[1:], tuple(1 for _ in stack))
    dtype = draw.one_of(*PRODUCTS)
    a, lazy_a = draw.array((*stack, m, k), dtype)
    b, lazy_b = draw.array((*other, k, n), draw.one_of(dtype, dtype, *PRODUCTS))
    if draw.one_of(False, True):
        a, lazy_a = a.swapaxes(-1, -2), la.asarray(lazy_a).swapaxes(-1, -2)
        b, lazy_b = b.swapaxes(-1, -2), la.asarray(lazy_b).swapaxes(-1, -2)
        a, b, lazy_a, lazy_b = b, a, lazy_b, lazy_a
    conv_problems.check(la.matmul(lazy_a, lazy_b), reference_kernels.matmul, a, b)


def convolution(draw):
    """Draw a problem and the arguments of its functions."""
    problem = draw.data.draw(conv_problems.problems())
    return problem, problem.settings, problem.groups, {**problem.given, "groups": problem.groups}


def public(name, ndim):
    """Return the function of la.nn or la.nn.grad for this number of axes."""
    return getattr(la.nn.grad if "_" in name else la.nn, name.replace("conv", f"conv{ndim}d"))


@family
def convolutions(draw):
    """Convolutions and both gradients."""
    problem, settings, groups, keywords = convolution(draw)
    dtype = draw.one_of(*PRODUCTS)
    (x, lazy_x), (w, lazy_w), (g, lazy_g) = [draw.array(shape, dtype) for shape in (problem.x, problem.w, problem.y)]
    conv_problems.check(public("conv", problem.ndim)(lazy_x, lazy_w, **keywords),
                        lambda x, w: reference_kernels.conv(x, w, *settings, groups), x, w)
    conv_problems.check(public("conv_input", problem.ndim)(x.shape, lazy_w, lazy_g, **keywords),
                        lambda w, g: reference_kernels.conv_input(x.shape, w, g, *settings, groups), w, g)
    conv_problems.check(public("conv_weight", problem.ndim)(lazy_x, w.shape, lazy_g, **keywords),
                        lambda x, g: reference_kernels.conv_weight(x, w.shape, g, *settings, groups), x, g)


@family
def depthwise(draw):
    """Depthwise and transposed convolutions."""
    extents, taps, channels = draw.integers(2, 1, 9), draw.integers(2, 1, 3), draw.one_of(1, 2, 3, 9, 17)
    stride, dilation = draw.integers(2, 1, 3), draw.integers(2, 1, 2)
    pads = [(draw.integer(0, 2), max((t - 1) * d + 1 - n, 0) + draw.integer(0, 2))
            for n, t, d in zip(extents, taps, dilation, strict=True)]
    dtype = draw.one_of(*PRODUCTS)
    settings = stride, pads, dilation
    keywords = dict(stride=stride, padding=pads, dilation=dilation, groups=channels)
    (x, lazy_x), (w, lazy_w) = draw.array((2, *extents, channels), dtype), draw.array((*taps, 1, channels), dtype)
    y = la.nn.conv2d(lazy_x, lazy_w, **keywords)
    conv_problems.check(y, lambda x, w: reference_kernels.conv(x, w, *settings, channels), x, w)
    g, lazy_g = draw.array(y.shape, dtype)
    conv_problems.check(la.nn.grad.conv2d_input(x.shape, lazy_w, lazy_g, **keywords),
                        lambda w, g: reference_kernels.conv_input(x.shape, w, g, *settings, channels), w, g)
    conv_problems.check(la.nn.grad.conv2d_weight(lazy_x, w.shape, lazy_g, **keywords),
                        lambda x, g: reference_kernels.conv_weight(x, w.shape, g, *settings, channels), x, g)
    extents = [(n - 1) * s + (t - 1) * d + 1 - sum(pad)
               for n, s, t, d, pad in zip(g.shape[1:-1], stride, taps, dilation, pads, strict=True)]
    if min(extents) > 0:
        conv_problems.check(
            la.nn.conv_transpose2d(lazy_g, lazy_w, **keywords),
            lambda w, g: reference_kernels.conv_input((2, *extents, channels), w, g, *settings, channels), w, g)


@family
def patches(draw):
    """Patches and their sums."""
    problem, settings, _, _ = convolution(draw)
    taps, dtype = problem.w[:-2], draw.one_of(*PRODUCTS)
    x, lazy_x = draw.array(problem.x, dtype)
    assert_same(la.nn.im2col(lazy_x, taps, **problem.given), reference_kernels.im2col(x, taps, *settings))
    cols, lazy_cols = draw.array((*problem.y[:-1], math.prod(taps) * problem.x[-1]), draw.one_of(*NATIVE, "int16"))
    conv_problems.check(la.nn.col2im(lazy_cols, problem.x, taps, **problem.given),
                        lambda cols: reference_kernels.col2im(cols, problem.x, taps, *settings), cols)


# ---- windows over channels -------------------------------------------------------------------------------


def place(draw, ndim, dilated):
    """Draw extents, and windows that fit: window, stride, padding, dilation, ceil_mode."""
    extents, window = draw.integers(ndim, 1, 7), draw.integers(ndim, 1, 4)
    padding = tuple(draw.integer(0, k // 2) for k in window)
    window = tuple(min(k, n + 2 * p) for k, n, p in zip(window, extents, padding, strict=True))
    padding = tuple(min(p, k // 2) for k, p in zip(window, padding, strict=True))
    window = tuple(min(k, n + 2 * p) for k, n, p in zip(window, extents, padding, strict=True))
    dilation = tuple(draw.integer(1, max((n + 2 * p - 1) // max(k - 1, 1), 1) if dilated else 1)
                     for k, n, p in zip(window, extents, padding, strict=True))
    return extents, (window, draw.integers(ndim, 1, 3), padding, dilation, draw.one_of(False, True))


@family
def maxima(draw):
    """Maxima of windows, and their gradient."""
    ndim = draw.integer(1, 3)
    extents, (window, stride, padding, dilation, ceil_mode) = place(draw, ndim, True)
    x, lazy_x = draw.array((draw.integer(0, 2), *extents, draw.extent()), draw.one_of(
        *[name for name in sample_values.DTYPES if name not in sample_values.COMPLEX]))
    keywords = dict(stride=stride, padding=padding, dilation=dilation, ceil_mode=ceil_mode)
    where = window, stride, padding, dilation, ceil_mode
    expected = reference_kernels.max_pool(x, *where)
    assert_same(getattr(la.nn, f"max_pool{ndim}d")(lazy_x, window, **keywords), native(expected))
    g, lazy_g = draw.array(expected.shape, draw.one_of(*FLOATS))
    conv_problems.check(getattr(la.nn.grad, f"max_pool{ndim}d")(lazy_x, lazy_g, window, **keywords),
                        lambda g: reference_kernels.max_pool_gradient(x, g, *where), g)


@family
def means(draw):
    """Means of windows and of parts, and their gradients."""
    ndim, dtype = draw.integer(1, 3), draw.one_of(*NATIVE, *NATIVE, "longdouble", "clongdouble")
    extents, (window, stride, padding, _, ceil_mode) = place(draw, ndim, False)
    include = draw.one_of(False, True)
    shape = draw.integer(0, 2), *extents, draw.extent()
    x, lazy_x = draw.array(shape, dtype)
    keywords = dict(stride=stride, padding=padding, ceil_mode=ceil_mode, count_include_pad=include)
    where = window, stride, padding, ceil_mode, include
    y = getattr(la.nn, f"avg_pool{ndim}d")(lazy_x, window, **keywords)
    conv_problems.check(y, lambda x: reference_kernels.avg_pool(x, *where), x)
    g, lazy_g = draw.array(y.shape, dtype)
    conv_problems.check(getattr(la.nn.grad, f"avg_pool{ndim}d")(shape, lazy_g, window, **keywords),
                        lambda g: reference_kernels.avg_pool_gradient(shape, g, *where), g)
    counts = draw.integers(ndim, 1, 9)
    y = getattr(la.nn, f"adaptive_avg_pool{ndim}d")(lazy_x, counts)
    conv_problems.check(y, lambda x: reference_kernels.adaptive_avg_pool(x, counts), x)
    g, lazy_g = draw.array(y.shape, dtype)
    conv_problems.check(getattr(la.nn.grad, f"adaptive_avg_pool{ndim}d")(shape, lazy_g),
                        lambda g: reference_kernels.adaptive_avg_pool_gradient(shape, g), g)


@family
def upsampling(draw):
    """Nearest and linear upsampling, and their gradients."""
    ndim, dtype = draw.integer(1, 3), draw.one_of(*NATIVE)
    scales = tuple(draw.one_of(1, 2, 3, 1.5, 2.5) for _ in range(ndim))
    shape = draw.integer(0, 2), *draw.integers(ndim, 1, 5), draw.extent()
    x, lazy_x = draw.array(shape, dtype)
    near = la.nn.upsample(lazy_x, scales)
    assert_same(near, native(reference_kernels.upsample_nearest(x, scales)))
    corners = draw.one_of(False, True)
    between = la.nn.upsample(lazy_x, scales, "linear", align_corners=corners)
    conv_problems.check(between, lambda x: reference_kernels.upsample_linear(x, scales, corners), x)
    g, lazy_g = draw.array(near.shape, dtype)
    conv_problems.check(la.nn.grad.upsample(shape, lazy_g, scales), lambda g: reference_kernels.transposed(
        lambda one: reference_kernels.upsample_nearest(one, scales), shape, g), g)
    conv_problems.check(la.nn.grad.upsample(shape, lazy_g, scales, "linear", align_corners=corners),
                        lambda g: reference_kernels.transposed(
                       lambda one: reference_kernels.upsample_linear(one, scales, corners), shape, g), g)


@pytest.mark.parametrize("name", FAMILIES)
@settings(max_examples=settings.default.max_examples // 4)  # each is several
@given(st.data())
def test_agrees_with_its_reference(name, data):
    draw = Draw(data)
    with machine(draw.one_of(1, 2, 3), draw.integer(0, 2)), np.errstate(all="ignore"):
        FAMILIES[name](draw)
