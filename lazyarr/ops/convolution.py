"""Convolutions, their transposes and gradients, with one to three spatial axes: argument checks and kernel nodes.

The arrays and sums are those of `_core/kernels/conv_sums.pyx`.
"""
import math

import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.arguments import bounded, integer, operand, shape_of
from lazyarr.ops.deferred_dispatch import named
from lazyarr.ops.operands import cast
from lazyarr.ops.vmap_helpers import on_batch, samples_joined
from lazyarr.ops.windows import place, place_transposed


@named("nn.convolution")
def convolve(ndim, x, w, stride, padding, dilation, groups):
    """Compute a convolution."""
    x, w = operand(x, "x", ndim + 2), operand(w, "w", ndim + 2)
    groups = integer(groups, "groups")
    _check_weights(w.shape, groups, x.shape[-1], "x")
    windows = place(x.shape, w.shape[:ndim], stride, padding, dilation)
    return _lower(f"conv{ndim}d", "forward", x, w, (x.shape[0], *windows.positions, w.shape[-1]), windows, groups)


@named("nn.transposed_convolution")
def transpose(ndim, x, w, stride, padding, output_padding, dilation, groups):
    """Compute the transpose of a convolution, for the smallest input with as many windows."""
    x, w = operand(x, "x", ndim + 2), operand(w, "w", ndim + 2)
    groups = integer(groups, "groups")
    if w.shape[-1] != x.shape[-1]:
        raise ValueError(f"x has {x.shape[-1]} channels, its last axis, but w of shape {w.shape} takes {w.shape[-1]}")
    _check_divided(w.shape, groups, "w")
    windows = place_transposed(x.shape, w.shape[:ndim], stride, padding, output_padding, dilation)
    shape = x.shape[0], *windows.extent, w.shape[-2] * groups
    return _lower(f"conv_transpose{ndim}d", "input", x, w, shape, windows, groups)


@named("nn.grad.convolution_by_input")
def input_gradient(ndim, input_shape, w, g, stride, padding, dilation, groups):
    """Compute the gradient of a convolution by its input."""
    shape = shape_of(input_shape, ndim + 2, "input_shape")
    w, g = operand(w, "w", ndim + 2), operand(g, "g", ndim + 2)
    groups = integer(groups, "groups")
    _check_weights(w.shape, groups, shape[-1], "input_shape")
    windows = place(shape, w.shape[:ndim], stride, padding, dilation)
    _check_gradient(g, (shape[0], *windows.positions, w.shape[-1]))
    return _lower(f"conv{ndim}d_input", "input", g, w, shape, windows, groups)


@named("nn.grad.convolution_by_weight")
def weight_gradient(ndim, x, weight_shape, g, stride, padding, dilation, groups):
    """Compute the gradient of a convolution by its weights."""
    shape = shape_of(weight_shape, ndim + 2, "weight_shape")
    x, g = operand(x, "x", ndim + 2), operand(g, "g", ndim + 2)
    groups = integer(groups, "groups")
    _check_weights(shape, groups, x.shape[-1], "x", "weight_shape")
    windows = place(x.shape, shape[:ndim], stride, padding, dilation, "weight_shape")
    _check_gradient(g, (x.shape[0], *windows.positions, shape[-1]))
    return _lower(f"conv{ndim}d_weight", "weight", x, g, shape, windows, groups)


def _check_weights(shape, groups, channels, whose, name="w"):
    """Check that weights of this shape fit the channels and groups."""
    if channels % groups:
        raise ValueError(f"groups: {groups} groups do not divide the {channels} channels of {whose}")
    if shape[-2] * groups != channels:
        each = f" in each of {groups} groups" if groups > 1 else ""
        raise ValueError(f"{whose} has {channels} channels, its last axis, but {name} of shape {shape} takes "
                         f"{shape[-2]}{each}")
    _check_divided(shape, groups, name)


def _check_divided(shape, groups, name):
    if shape[-1] % groups:
        raise ValueError(f"groups: {groups} groups do not divide the {shape[-1]} columns of {name}")


def _check_gradient(g, expected):
    if g.shape != expected:
        raise ValueError(f"g must have the shape {expected} of the convolution, not {g.shape}")


# ---- nodes ---------------------------------------------------------------------------------------------


class Convolution(core.Kernel):
    """One of the three sums of two arrays; among these and the result one is weights, the others have a batch."""

    def __init__(self, sums, windows, groups):
        self.sums, self.windows, self.groups = sums, windows, groups
        self.hands_over = sums != "weight"

    @property
    def attributes(self):
        """The parameters that backends get."""
        return {"sums": self.sums, "windows": self.windows, "groups": self.groups}

    def __call__(self, out, a, b):
        """Compute it natively; return the status flags."""
        return core.kernels.conv_sums.fill(out, a, b, self.sums, self.windows, self.groups)

    def reference(self, a, b):
        """Add up the products of all taps, with zeros around that count as any pixel does."""
        sums = {"forward": _summed, "input": _summed_for_input, "weight": _summed_for_weight}[self.sums]
        return np.concatenate([sums(*of_group, self.windows) for of_group in zip(
            *[np.split(x, self.groups, -1) for x in (a, b)], strict=True)], -1)

    def cost(self, dtype, shape, a, b):
        """Return the estimated time on one thread in ns."""
        return core.kernels.conv_sums.cost(dtype, shape, a, b, self.sums, self.windows, self.groups)

    def pull_back(self, g, out, operands, wanted):
        """Return the two transposed sums; the sum is bilinear."""
        a, b = operands
        if self.sums == "forward":
            calls = ("input", g, b, a), ("weight", a, g, b)
        elif self.sums == "input":
            calls = ("forward", g, b, a), ("weight", g, a, b)
        else:
            calls = ("input", b, g, a), ("forward", a, g, b)
        name = f"conv{a.ndim - 2}d"
        return [_lower(name if sums == "forward" else f"{name}_{sums}", sums, p, q, like.shape, self.windows,
                       self.groups) if is_wanted else None
                for (sums, p, q, like), is_wanted in zip(calls, wanted, strict=True)]

    def batch(self, call, operands, batched, size):
        """Batch as more samples, or as more channels in more groups if each element has its own weights."""
        a, b = operands
        shape = call.shape
        if batched[0] and not batched[1] and self.sums != "weight":
            made = _lower(call.name, self.sums, samples_joined(a), b, (size * shape[0], *shape[1:]), self.windows,
                          self.groups)
            return made.reshape(size, *shape)
        a, b = [_channels_joined(on_batch(x, is_batched, size))
                for x, is_batched in zip(operands, batched, strict=True)]
        made = _lower(call.name, self.sums, a, b, (*shape[:-1], size * shape[-1]), self.windows, size * self.groups)
        return np.moveaxis(made.reshape(*made.shape[:-1], size, shape[-1]), -2, 0)


def _lower(name, sums, a, b, shape, windows, groups):
    """Return the node of a sum of a and b with this shape; groups divide the last axes of all."""
    dtype = a.dtype if a.dtype is b.dtype and a.dtype.isnative else np.result_type(a.dtype, b.dtype)
    working = _computed_in(dtype)
    made = core.kernel(name, Convolution(sums, windows, groups), [cast(a, working), cast(b, working)],
                       bounded(shape, "the result"), working)
    return cast(made, dtype, name)


def _channels_joined(x):
    """Merge the batch axis with that of the channels."""
    return np.moveaxis(x, 0, -2).reshape(*x.shape[1:-1], x.shape[0] * x.shape[-1])


def _computed_in(dtype):
    """Return the dtype in which sums for a dtype are computed; integer sums are exact modulo their size."""
    if dtype.kind == "b":
        return np.dtype(np.int64)  # bools are counted
    if dtype.kind in "iu":
        return np.dtype(np.int32 if dtype.itemsize <= 4 else np.int64)
    return np.dtype(np.float32) if dtype == np.float16 else dtype


# ---- reference -----------------------------------------------------------------------------------------


def _summed(x, w, windows):
    return sum(_product(under, w[tap]) for tap, under in _taps_over(x, windows))


def _summed_for_weight(x, y, windows):
    made = np.zeros((*windows.taps, x.shape[-1], y.shape[-1]), y.dtype)
    for tap, under in _taps_over(x, windows):
        made[tap] = _product(_rows(under).T, _rows(y))
    return made


def _summed_for_input(y, w, windows):
    made = np.zeros((len(y), *windows.extent, w.shape[-2]), y.dtype)
    y = np.pad(y, [(0, 0), *[(0, 1)] * len(windows.taps), (0, 0)])  # an extra position stands for missing ones
    for tap in np.ndindex(windows.taps):
        pixels, positions = [range(len(y))], [range(len(y))]
        for n, t, s, before, d, count in zip(windows.extent, tap, *windows[2:], strict=True):
            start = np.arange(n) + before - t * d  # start of the window with this tap here
            pixels.append(np.flatnonzero(start % s == 0))
            at = start[pixels[-1]] // s
            positions.append(np.where((at >= 0) & (at < count), at, count))
        made[np.ix_(*pixels)] += _product(y[np.ix_(*positions)], w[tap].T)
    return made


def _taps_over(x, windows):
    """Yield each tap, and the elements of x under it in the windows."""
    needed = [max((c - 1) * s + (t - 1) * d + 1, before + n) for n, t, s, before, d, c in zip(*windows, strict=True)]
    padded = np.zeros((len(x), *needed, x.shape[-1]), x.dtype)
    padded[(slice(None), *[slice(b, b + n) for b, n in zip(windows.before, windows.extent, strict=True)])] = x
    for tap in np.ndindex(windows.taps):
        yield tap, padded[(slice(None), *[
            slice(t * d, t * d + (c - 1) * s + 1, s)
            for t, s, d, c in zip(tap, windows.stride, windows.dilation, windows.positions, strict=True)])]


def _rows(x):
    return x.reshape(math.prod(x.shape[:-1]), x.shape[-1])


def _product(a, b):
    """Return a @ b, by real products for complex numbers: BLAS turns some infinities into NaN."""
    if a.dtype.kind != "c":
        return a @ b
    made = np.empty((*a.shape[:-1], b.shape[-1]), a.dtype)
    made.real, made.imag = a.real @ b.real - a.imag @ b.imag, a.real @ b.imag + a.imag @ b.real
    return made
