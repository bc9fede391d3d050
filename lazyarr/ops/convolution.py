"""Convolutions, their transposes and gradients, of one to three spatial axes: what the native kernels are called with.

The arrays are x [batch, n0, ..., channels], w [t0, ..., channels / groups, columns] and y [batch, m0, ..., columns].
Three sums are one scheme, each linear in two of them (no number is conjugated):

    forward     y[i] = sum over t  x[stride * i - before + dilation * t] @ w[t]
    input       x[h] = sum over t, i with stride * i - before + dilation * t = h  of  y[i] @ w[t]^T
    weights     w[t] = sum over i  x[stride * i - before + dilation * t]^T @ y[i]

The kernels take three spatial axes, and dtypes that have tiles; what has none is computed in one that gives the same
result. Functions below that have `out` run when values are needed, on ndarrays.
"""
import contextlib
import functools
import itertools
import math
import operator

import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.arguments import bounded, integer, operand, shape_of
from lazyarr.ops.conv_packing import join, joined_results, joined_weights
from lazyarr.ops.deferred_dispatch import named
from lazyarr.ops.operands import cast
from lazyarr.ops.vmap_helpers import on_batch, samples_joined
from lazyarr.ops.windows import place, place_transposed

_TILED = frozenset(map(np.dtype, ("float32", "float64", "complex64", "complex128", "int32", "int64")))
_BY_CHANNEL = frozenset(dtype for dtype in _TILED if dtype.kind != "c")
_ALL = slice(None)


@named("nn.convolution")
def convolve(ndim, x, w, stride, padding, dilation, groups):
    """The convolution."""
    x, w = operand(x, "x", ndim + 2), operand(w, "w", ndim + 2)
    groups = integer(groups, "groups")
    _check_weights(w.shape, groups, x.shape[-1], "x")
    windows = place(x.shape, w.shape[:ndim], stride, padding, dilation)
    return _lower(f"conv{ndim}d", _forward, x, w, (x.shape[0], *windows.positions, w.shape[-1]), windows, groups)


@named("nn.transposed_convolution")
def transpose(ndim, x, w, stride, padding, output_padding, dilation, groups):
    """The transpose of a convolution, of the smallest inputs that have as many windows."""
    x, w = operand(x, "x", ndim + 2), operand(w, "w", ndim + 2)
    groups = integer(groups, "groups")
    _check_columns(w.shape, groups, x.shape[-1])
    windows = place_transposed(x.shape, w.shape[:ndim], stride, padding, output_padding, dilation)
    shape = x.shape[0], *windows.extent, w.shape[-2] * groups
    return _lower(f"conv_transpose{ndim}d", _for_input, x, w, shape, windows, groups)


@named("nn.grad.convolution_by_input")
def input_gradient(ndim, input_shape, w, g, stride, padding, dilation, groups):
    """The gradient of a convolution for its input."""
    shape = shape_of(input_shape, ndim + 2, "input_shape")
    w, g = operand(w, "w", ndim + 2), operand(g, "g", ndim + 2)
    groups = integer(groups, "groups")
    _check_weights(w.shape, groups, shape[-1], "input_shape")
    windows = place(shape, w.shape[:ndim], stride, padding, dilation)
    _check_gradient(g, (shape[0], *windows.positions, w.shape[-1]))
    return _lower(f"conv{ndim}d_input", _for_input, g, w, shape, windows, groups)


@named("nn.grad.convolution_by_weight")
def weight_gradient(ndim, x, weight_shape, g, stride, padding, dilation, groups):
    """The gradient of a convolution for its weights."""
    shape = shape_of(weight_shape, ndim + 2, "weight_shape")
    x, g = operand(x, "x", ndim + 2), operand(g, "g", ndim + 2)
    groups = integer(groups, "groups")
    _check_weights(shape, groups, x.shape[-1], "x", "weight_shape")
    windows = place(x.shape, shape[:ndim], stride, padding, dilation, "weight_shape")
    _check_gradient(g, (x.shape[0], *windows.positions, shape[-1]))
    return _lower(f"conv{ndim}d_weight", _for_weights, x, g, shape, windows, groups)


def _check_weights(shape, groups, channels, whose, name="w"):
    """Check that weights of this shape fit the channels, and the groups both."""
    if channels % groups:
        raise ValueError(f"groups: {groups} groups do not divide the {channels} channels of {whose}")
    if shape[-2] * groups != channels:
        raise ValueError(f"{name} must be of length {channels // groups} along axis -2, the channels of {whose} in a "
                         f"group, not {shape[-2]}")
    _check_divided(shape, groups, name)


def _check_divided(shape, groups, name):
    if shape[-1] % groups:
        raise ValueError(f"groups: {groups} groups do not divide the {shape[-1]} columns of {name}")


def _check_columns(shape, groups, channels):
    if shape[-1] != channels:
        raise ValueError(f"w must be of length {channels} along axis -1, the channels of x, not {shape[-1]}")
    _check_divided(shape, groups, "w")


def _check_gradient(g, expected):
    if g.shape != expected:
        raise ValueError(f"g must have the shape {expected} of the convolution, not {g.shape}")


# ---- nodes ---------------------------------------------------------------------------------------------


def _lower(name, sums, a, b, shape, windows, groups):
    """The node of an array of this shape that sums(out, a, b) fills, for each group its part of their last axes."""
    dtype = a.dtype if a.dtype is b.dtype and a.dtype.isnative else np.result_type(a.dtype, b.dtype)
    working = _computed_in(dtype)
    function = functools.partial(_fill, sums=sums, windows=_of_three_axes(windows), groups=groups)
    function.pull_back = functools.partial(_pull_back, sums, windows, groups)
    function.batch = functools.partial(_on_batch, sums, windows, groups)
    function.cost = functools.partial(_cost, sums, windows, groups)
    made = core.kernel(name, function, [cast(a, working), cast(b, working)], bounded(shape, "the result"), working,
                       hands_over=sums is not _for_weights)
    return cast(made, dtype, name)


def _pull_back(sums, windows, groups, g, out, operands, wanted):
    """The two transposed sums of a sum that is linear in two arrays."""
    a, b = operands
    if sums is _forward:
        calls = (_for_input, g, b, a), (_for_weights, a, g, b)
    elif sums is _for_input:
        calls = (_forward, g, b, a), (_for_weights, g, a, b)
    else:
        calls = (_for_input, b, g, a), (_forward, a, g, b)
    name = f"conv{a.ndim - 2}d"
    return [_lower(name + _SUFFIXES[other], other, p, q, like.shape, windows, groups) if is_wanted else None
            for (other, p, q, like), is_wanted in zip(calls, wanted, strict=True)]


def _cost(sums, windows, groups, dtype, shape, a, b):
    """Estimated cost of a sum on one thread, in nanoseconds: tap by tap; other algorithms are faster."""
    positions, (*taps, channels, columns) = (b, shape) if sums is _for_weights else (shape, b)
    terms = math.prod(positions[:-1]) * math.prod(taps)
    columns //= groups
    if sums is _for_input:  # each element lies under one tap of as many as there are to a stride
        terms /= math.prod(windows.stride)
        channels, columns = columns, channels
    if groups > 1 and channels == columns == 1:
        return core.convolution_cost(dtype, terms, 1, groups, True)
    return groups * core.convolution_cost(dtype, terms, channels, columns, False)


def _on_batch(sums, windows, groups, call, operands, batched, size):
    """More samples; or more channels in more groups, if there are weights for each element."""
    a, b = operands
    shape = call.shape
    if batched[0] and not batched[1] and sums is not _for_weights:
        made = _lower(call.name, sums, samples_joined(a), b, (size * shape[0], *shape[1:]), windows, groups)
        return made.reshape(size, *shape)
    a, b = [_channels_joined(on_batch(x, is_batched, size)) for x, is_batched in zip(operands, batched, strict=True)]
    made = _lower(call.name, sums, a, b, (*shape[:-1], size * shape[-1]), windows, size * groups)
    return np.moveaxis(made.reshape(*made.shape[:-1], size, call.shape[-1]), -2, 0)


def _channels_joined(x):
    """The batch axis and that of the channels as one."""
    return np.moveaxis(x, 0, -2).reshape(*x.shape[1:-1], x.shape[0] * x.shape[-1])


@functools.lru_cache(1024)
def _of_three_axes(windows):
    missing = 3 - len(windows.extent)
    return windows._make([(filler,) * missing + along for filler, along in zip((1, 1, 1, 0, 1, 1), windows,
                                                                              strict=True)])


def _computed_in(dtype):
    """The dtype in which sums for a dtype are computed; those of integers are right modulo their size."""
    if dtype.kind == "b":
        return np.dtype(np.int64)  # counts
    if dtype.kind in "iu":
        return np.dtype(np.int32 if dtype.itemsize <= 4 else np.int64)
    return np.dtype(np.float32) if dtype == np.float16 else dtype


def _fill(out, a, b, sums, windows, groups):
    """One of `sums`; of its arrays one is weights, the others have a batch. Returns floating-point flags."""
    makes_weights = sums is _for_weights
    out, a, b = _with_axes(out, not makes_weights), _with_axes(a, True), _with_axes(b, makes_weights)
    depthwise = groups > 1 and (out if makes_weights else b).shape[3:] == (1, groups) and out.dtype in _BY_CHANNEL
    a, b = _readable(a, out.dtype, False), _readable(b, out.dtype, not makes_weights and not depthwise)
    if not out.size:
        return 0
    if depthwise and makes_weights:
        return sums(out[..., 0, :], a, b, windows)
    if depthwise:
        return sums(out, a, b[..., 0, :], windows)
    if groups == 1:
        return sums(out, a, b, windows)
    return _any(sums(*[_part(array, group, groups) for array in (out, a, b)], windows) for group in range(groups))


def _any(flags):
    """All floating-point flags raised anywhere."""
    return functools.reduce(operator.or_, flags, 0)


def _with_axes(array, batched):
    """Extend to three spatial axes."""
    return array[(*[_ALL] * batched, *[None] * (5 - array.ndim))]


def _readable(array, dtype, weights):
    """Prepare arrays for kernels: aligned; all but weights with the last axis contiguous."""
    array = array.view(dtype)  # C has two names for one integer
    if array.flags.aligned and (weights or array.strides[-1] == array.itemsize or array.shape[-1] <= 1):
        return array
    return np.array(array, order="C")


def _part(array, group, groups):
    size = array.shape[-1] // groups
    return array[..., group * size:(group + 1) * size]


# ---- sums ----------------------------------------------------------------------------------------------


def _forward(out, x, w, windows):
    first = tuple([-n for n in windows.before])
    stride, dilation = windows.stride, windows.dilation
    joined = _join(out, w, (stride[2], 1, first[2], dilation[2]))
    if joined is None:
        return _correlate(out, x, w, stride, first, dilation, out)
    flags = _correlate(out[:, :, :, joined.whole:], x, w, stride, (*first[:2], first[2] + joined.whole * stride[2]),
                       dilation)
    doubtful = _no_lines(out)
    flags |= _correlate(joined_results(out, joined), x, joined_weights(w, joined), (*stride[:2], joined.step),
                        (*first[:2], joined.first), (*dilation[:2], 1), out, doubtful)
    return flags | _any(_correlate(out[part], x[part[:1]], w, stride, start, dilation)
                        for part, start in core.marked(doubtful, stride, first))


def _for_input(out, y, w, windows):
    """Elements one stride apart have the same taps over them, and make a correlation of their own with y."""
    w = w if w.ndim == 4 else w.swapaxes(3, 4)
    if w.size == 0:
        out[...] = 0
        return 0
    axes = list(zip(windows.extent, windows.taps, windows.stride, windows.before, windows.dilation, strict=True))
    if any(len(list(_phases(*axis))) < min(axis[2], axis[0]) for axis in axes):  # elements under no tap
        out[...] = 0
    *outer, (extent, taps, stride, before, dilation) = axes
    outer = list(itertools.product(*[list(_phases(*axis)) for axis in outer]))
    inner = list(_phases(extent, taps, stride, before, dilation))
    joined = _join(out, w, (1, stride, before, -dilation))
    if joined is None:
        return _any(_sum_phase(out, y, w, (*phases, along), out) for phases in outer for along in inner)
    rest = list(_phases(extent - joined.whole, taps, stride, before + joined.whole, dilation))
    flags = _any(_sum_phase(out[:, :, :, joined.whole:], y, w, (*phases, along)) for phases in outer for along in rest)
    results, weights = joined_results(out, joined), joined_weights(w, joined)
    for phases in outer:
        elements, over, first, apart = zip(*phases, strict=True)
        lines = out[(_ALL, *elements)]
        doubtful = _no_lines(lines)
        flags |= _correlate(results[(_ALL, *elements)], y, weights[over][::-1, ::-1], (1, 1, joined.step),
                            (*first, joined.first), (*apart, 1), out, doubtful)
        for part, start in core.marked(doubtful, (1, 1), (*first, 0)):
            flags |= _any(_correlate(lines[part][:, :, :, along[0]], y[part[:1]],
                                     w[(*over, along[1])][::-1, ::-1, ::-1], (1, 1, 1), (*start[:2], along[2]),
                                     (*apart, along[3])) for along in inner)
    return flags


def _sum_phase(out, y, w, phases, complete=None):
    """The correlation of one phase along each axis; `complete` is handed over where the last axis has but one."""
    elements, over, first, apart = zip(*phases, strict=True)
    results = out[(_ALL, *elements)]
    return _correlate(results, y, w[over][::-1, ::-1, ::-1], (1, 1, 1), first, apart,
                      complete if results.shape[3] == out.shape[3] else None)


def _no_lines(out):
    """A mark for each line of results that may not be finite; None for integers, all of which are."""
    return np.zeros(out.shape[:3], bool) if out.dtype.kind in "fc" else None


def _join(out, w, extents):
    """How to join neighbours along the last axis; None if that does not serve."""
    return join(out, w, extents) if w.ndim == 5 and w.size and out.dtype in _TILED else None


def _phases(extent, taps, stride, before, dilation):
    """The correlations along an axis: which elements, which taps are over them (in reverse), first, dilation.

    Over element h lies tap t of window (h + before - dilation * t) / stride, if that is an integer. Elements
    under no tap at all are left out.
    """
    common = math.gcd(stride, dilation)
    step = stride // common
    inverse = pow(dilation // common, -1, step)
    for phase in range(min(stride, extent)):
        place, rest = divmod(phase + before, common)
        tap = place * inverse % step
        if rest or tap >= taps:
            continue
        last = tap + (taps - 1 - tap) // step * step
        yield (slice(phase, None, stride), slice(tap, None, step), (phase + before - last * dilation) // stride,
               dilation // common)


def _for_weights(out, x, y, windows):
    first = tuple([-n for n in windows.before])
    if y.size == 0:
        out[...] = 0
        return 0
    if out.ndim == 4:
        return core.weight_gradient_channels(out, x, y, windows.stride, first, windows.dilation)
    if out.dtype in _TILED:
        return core.weight_gradient(out, x, y, windows.stride, first, windows.dilation)
    with _capture_flags() as flags:
        for tap, under in _under_taps(x, out, y, windows.stride, first, windows.dilation):
            out[tap] = np.tensordot(under, y, ([0, 1, 2, 3], [0, 1, 2, 3]))
    return _any(flags)


def _correlate(out, x, w, stride, first, dilation, complete=None, doubtful=None):
    """Fill `out` with sums of products over windows of x; returns floating-point flags. See `core.correlate`."""
    if w.size == 0:
        out[...] = 0
        return 0
    if out.size == 0:
        return 0
    if w.ndim == 4:
        return core.correlate_channels(out, x, w, stride, first, dilation)
    if out.dtype in _TILED:
        return core.correlate(out, x, w, stride, first, dilation, complete, doubtful)
    out[...] = 0
    with _capture_flags() as flags:
        for tap, under in _under_taps(x, w, out, stride, first, dilation):
            out += under @ w[tap]
    return _any(flags)


# ---- by NumPy's products, for dtypes without tiles ------------------------------------------------------


def _under_taps(x, w, y, stride, first, dilation):
    """For each tap, its index and what lies under it at the positions of y, zeros around x included."""
    reach = [(n - 1) * s + (t - 1) * d + 1
             for n, s, t, d in zip(y.shape[1:4], stride, w.shape[:3], dilation, strict=True)]
    around = np.zeros((len(x), *reach, x.shape[4]), x.dtype)
    met = [(slice(max(-f, 0), max(n - f, 0)), slice(max(f, 0), max(f + r, 0)))
           for f, n, r in zip(first, x.shape[1:4], reach, strict=True)]
    inside, seen = zip(*met, strict=True)
    around[(_ALL, *inside)] = x[(_ALL, *seen)]
    for tap in np.ndindex(w.shape[:3]):
        yield tap, around[(_ALL, *[slice(t * d, t * d + (n - 1) * s + 1, s)
                                   for t, d, n, s in zip(tap, dilation, y.shape[1:4], stride, strict=True)])]


@contextlib.contextmanager
def _capture_flags():
    """Capture floating-point flags instead of warning."""
    flags = []
    with np.errstate(all="call", call=lambda _, bits: flags.append(bits)):
        yield flags


_SUFFIXES = {_forward: "", _for_input: "_input", _for_weights: "_weight"}  # of the names of the three sums
