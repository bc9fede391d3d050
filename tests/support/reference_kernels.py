"""Reference implementations of the native kernels: short, plain loops over ndarrays, obviously right.

Kernels are compared with these functions, in test_kernels.py all of them. Arguments have one form here: `stride` and
`dilation` are tuples, `pads` has a pair (before, after) for each axis, `axes` is a tuple of increasing numbers.
"""

import functools
import itertools
import math
from fractions import Fraction

import numpy as np

# ---- elements in another order, repeated, folded ---------------------------------------------------------


def copy(x):
    """Copy x element by element."""
    made = np.empty(x.shape, x.dtype)
    for i in np.ndindex(x.shape):
        made[i] = x[i]
    return made


def repeat(x, times):
    """Repeat each element of x, `times` times along each axis."""
    made = np.empty([n * t for n, t in zip(x.shape, times, strict=True)], x.dtype)
    for i in np.ndindex(made.shape):
        made[i] = x[tuple(k // t for k, t in zip(i, times, strict=True))]
    return made


def tile(x, times):
    """Tile x, `times` times along each axis."""
    made = np.empty([n * t for n, t in zip(x.shape, times, strict=True)], x.dtype)
    for i in np.ndindex(made.shape):
        made[i] = x[tuple(k % n for k, n in zip(i, x.shape, strict=True))]
    return made


def fold(operation, x, axes, start=None):
    """Fold along axes: operation(operation(a, b), c) ..., for each index along the other axes."""
    kept = [d for d in range(x.ndim) if d not in axes]
    folded = [x.shape[d] for d in axes]
    made = np.empty([x.shape[d] for d in kept], x.dtype)
    for i in np.ndindex(made.shape):
        where = dict(zip(kept, i, strict=True))
        terms = [x[tuple(where[d] if d in where else j[axes.index(d)] for d in range(x.ndim))]
                 for j in np.ndindex(*folded)]
        made[i] = functools.reduce(operation, terms, *([] if start is None else [x.dtype.type(start)]))
    return made


def lines(x, axis):
    """Yield the index of each line along an axis, and the line."""
    for i in np.ndindex(*[1 if d == axis else n for d, n in enumerate(x.shape)]):
        at = tuple(slice(None) if d == axis else k for d, k in enumerate(i))
        yield at, x[at]


def argsort(x, axis):
    """Return the indices that sort lines of real numbers stably, NaN last."""
    made = np.empty(x.shape, np.intp)
    for at, line in lines(x, axis):
        made[at] = sorted(range(len(line)), key=lambda i: (line[i] != line[i], line[i]))
    return made


def take(x, index, axis):
    """Return the elements of each line at 1-d indices."""
    made = np.empty([len(index) if d == axis else n for d, n in enumerate(x.shape)], x.dtype)
    for at, line in lines(x, axis):
        made[at] = [line[i] for i in index]
    return made


def take_gradient(shape, g, index, axis):
    """Return zeros, with each element of g added where `take` reads."""
    made = np.zeros(shape, g.dtype)
    for at, line in lines(g, axis):
        for i, value in zip(index, line, strict=True):
            made[at][i] += value
    return made


def is_mirrored(x, conjugate=False):
    """Return whether a matrix equals its transpose, or its conjugate transpose."""
    return all(a == (b.conjugate() if conjugate else b) for a, b in zip(x.ravel(), x.T.ravel(), strict=True))


def is_triangular(x, lower):
    """Return whether a matrix is zero above its diagonal, or below it."""
    return all(x[i, j] == 0 for i, j in np.ndindex(x.shape) if (j > i if lower else j < i))


def scatter(x, value, index, operation=None):
    """Return x with the rows of its second axis replaced by those of value, or combined with them in order."""
    made = x.copy()
    for row, i in zip(value, index, strict=True):
        made[:, i] = row if operation is None else operation(made[:, i], row)
    return made


def matmul(a, b):
    """Return matrix products, also of batches, term by term."""
    stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    made = np.zeros((*stack, a.shape[-2], b.shape[-1]), np.result_type(a, b))
    for k in range(a.shape[-1]):
        made += a[..., :, k, None] * b[..., None, k, :]
    return made


# ---- convolutions, tap by tap ----------------------------------------------------------------------------


def padded(x, pads):
    """Pad the spatial axes of x with zeros."""
    return np.pad(x, [(0, 0), *pads, (0, 0)])


def positions(extents, taps, stride, pads, dilation):
    """Return the number of windows along each axis."""
    return tuple(len(range(0, n + sum(pad) - (t - 1) * d, s))
                 for n, t, s, pad, d in zip(extents, taps, stride, pads, dilation, strict=True))


def under(taps, count, stride, dilation):
    """Yield each tap with the index of the padded elements under it."""
    for tap in itertools.product(*map(range, taps)):
        places = [slice(t * d, t * d + (c - 1) * s + 1 if c else 0, s)
                  for t, c, s, d in zip(tap, count, stride, dilation, strict=True)]
        yield tap, (slice(None), *places)


def rows(x):
    """Return x as a matrix of its last axis."""
    return x.reshape(math.prod(x.shape[:-1]), x.shape[-1])


def by_group(function, groups, *arrays):
    """Apply `function` to each group's part of the last axes, and join the results."""
    return np.concatenate([function(*parts) for parts in zip(*[np.split(a, groups, -1) for a in arrays], strict=True)],
                          -1)


def conv(x, w, stride, pads, dilation, groups=1):
    """Return the convolution."""
    taps = w.shape[:-2]
    count = positions(x.shape[1:-1], taps, stride, pads, dilation)

    def one(x, w):
        total, around = np.zeros((len(x), *count, w.shape[-1]), np.result_type(x, w)), padded(x, pads)
        for tap, places in under(taps, count, stride, dilation):
            total += around[places] @ w[tap]
        return total

    return by_group(one, groups, x, w)


def conv_input(shape, w, g, stride, pads, dilation, groups=1):
    """Return the gradient of the input; like x, g is padded with zeros, which take part in products."""
    taps, count = w.shape[:-2], g.shape[1:-1]
    around = padded(g, [(0, 1)] * len(taps))  # the last of which pads everything outside

    def one(w, g):
        total = np.zeros((*shape[:-1], w.shape[-2]), np.result_type(w, g))
        for tap in itertools.product(*map(range, taps)):
            over, windows = [range(len(g))], [range(len(g))]
            for n, t, c, s, (before, _), d in zip(shape[1:-1], tap, count, stride, pads, dilation, strict=True):
                first = np.arange(n) + before - t * d  # index of the window that has this tap there
                over.append(np.flatnonzero(first % s == 0))
                window = first[over[-1]] // s
                windows.append(np.where((window >= 0) & (window < c), window, c))
            total[np.ix_(*over)] += g[np.ix_(*windows)] @ w[tap].T
        return total

    return by_group(one, groups, w, around)


def conv_weight(x, shape, g, stride, pads, dilation, groups=1):
    """Return the gradient of the weights."""
    taps, count = shape[:-2], g.shape[1:-1]

    def one(x, g):
        total, around = np.zeros((*taps, x.shape[-1], g.shape[-1]), np.result_type(x, g)), padded(x, pads)
        for tap, places in under(taps, count, stride, dilation):
            total[tap] = rows(around[places]).T @ rows(g)
        return total

    return by_group(one, groups, x, g)


def im2col(x, taps, stride, pads, dilation):
    """Return the patches as rows."""
    count = positions(x.shape[1:-1], taps, stride, pads, dilation)
    seen = [padded(x, pads)[places] for _, places in under(taps, count, stride, dilation)]
    return np.concatenate(seen, -1)


def col2im(cols, shape, taps, stride, pads, dilation):
    """Sum the patches that contain each element."""
    total = padded(np.zeros(shape, cols.dtype.newbyteorder("=")), pads)
    for i, (_, places) in enumerate(under(taps, cols.shape[1:-1], stride, dilation)):
        total[places] += cols[..., i * shape[-1]:(i + 1) * shape[-1]]
    inside = [slice(before, before + n) for n, (before, _) in zip(shape[1:-1], pads, strict=True)]
    return total[(slice(None), *inside)]


# ---- pooling, one window at a time -----------------------------------------------------------------------
# A `place` is window, stride, padding and dilation, a tuple each, and ceil_mode.


def starts(n, window, stride, padding, dilation, ceil_mode):
    """Return the starts of windows, inside the padded input; with ceil_mode the last may extend beyond its end."""
    found = []
    for start in itertools.count(-padding, stride):
        inside = start + (window - 1) * dilation < n + padding
        reaches_over = ceil_mode and start < n and start + (window - 1) * dilation - stride < n + padding - 1
        if not inside and not reaches_over:
            return found
        found.append(start)


def windows(shape, window, stride, padding, dilation, ceil_mode):
    """Return the shape of the result, and each position with its window's taps along each axis, also those outside."""
    axes = [starts(*place, ceil_mode) for place in zip(shape, window, stride, padding, dilation, strict=True)]
    shape_out = tuple(map(len, axes))
    return shape_out, [
        (o, [[axes[d][o[d]] + t * dilation[d] for t in range(window[d])] for d in range(len(shape))])
        for o in np.ndindex(*shape_out)]


def inside(taps, shape):
    """Return the pixels under a window, in C order."""
    return [i for i in itertools.product(*taps) if all(0 <= k < n for k, n in zip(i, shape, strict=True))]


def max_pool(x, *place):
    """Return the maximum of each window; the least number for windows of padding only."""
    spatial = x.shape[1:-1]
    shape, found = windows(spatial, *place)
    least = False if x.dtype == bool else -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    out = np.full((x.shape[0], *shape, x.shape[-1]), least, x.dtype)
    for o, taps in found:
        for i in inside(taps, spatial):
            out[(slice(None), *o)] = np.maximum(out[(slice(None), *o)], x[(slice(None), *i)])
    return out


def max_pool_gradient(x, g, *place):
    """Return g at the first maximum of each window."""
    spatial, out = x.shape[1:-1], np.zeros(x.shape, g.dtype)
    for o, taps in windows(spatial, *place)[1]:
        pixels = inside(taps, spatial)
        for b, c in itertools.product(range(x.shape[0]), range(x.shape[-1])) if pixels else ():
            first = pixels[np.argmax([x[(b, *i, c)] for i in pixels])]
            out[(b, *first, c)] += g[(b, *o, c)]
    return out


def _shares(spatial, padding, place, include_pad):
    """Yield each position, the pixels under its window, and the divisor of its mean."""
    for o, taps in windows(spatial, *place)[1]:
        pixels = inside(taps, spatial)
        padded = [len([i for i in axis if i < n + p]) for axis, n, p in zip(taps, spatial, padding, strict=True)]
        yield o, pixels, math.prod(padded) if include_pad else len(pixels)


def avg_pool(x, window, stride, padding, ceil_mode, include_pad):
    """Return the mean of each window."""
    spatial, place = x.shape[1:-1], (window, stride, padding, (1,) * len(window), ceil_mode)
    dtype = np.mean(np.ones(1, x.dtype)).dtype
    shape = windows(spatial, *place)[0]
    out = np.zeros((x.shape[0], *shape, x.shape[-1]), np.result_type(dtype, np.float32))
    for o, pixels, count in _shares(spatial, padding, place, include_pad):
        out[(slice(None), *o)] = sum(x[(slice(None), *i)].astype(out.dtype) for i in pixels) / count
    return out.astype(dtype)


def avg_pool_gradient(shape, g, window, stride, padding, ceil_mode, include_pad):
    """Return g, distributed over the pixels of each window."""
    spatial, place = shape[1:-1], (window, stride, padding, (1,) * len(window), ceil_mode)
    out = np.zeros(shape, g.dtype)
    for o, pixels, count in _shares(spatial, padding, place, include_pad):
        for i in pixels:
            out[(slice(None), *i)] += g[(slice(None), *o)] / count
    return out


def _parts(extents, counts):
    """Yield each position with its part of the extents."""
    for o in np.ndindex(*counts):
        yield (slice(None), *o), (slice(None), *[slice(i * n // m, math.ceil(Fraction((i + 1) * n, m)))
                                                 for i, n, m in zip(o, extents, counts, strict=True)])


def adaptive_avg_pool(x, counts):
    """Return the means of `counts` windows that cover the input."""
    out = np.zeros((x.shape[0], *counts, x.shape[-1]), np.mean(np.ones(1, x.dtype)).dtype)
    for o, part in _parts(x.shape[1:-1], counts):
        out[o] = x[part].mean(tuple(range(1, x.ndim - 1)))
    return out


def adaptive_avg_pool_gradient(shape, g):
    """Return g, distributed over the pixels of each window."""
    out = np.zeros(shape, g.dtype)
    for o, part in _parts(shape[1:-1], g.shape[1:-1]):
        out[part] += np.expand_dims(g[o] / math.prod(out[part].shape[1:-1]), tuple(range(1, out.ndim - 1)))
    return out


# ---- upsampling ------------------------------------------------------------------------------------------


def upsample_nearest(x, scales):
    """Return the nearest pixel for each position."""
    for axis, s in enumerate(scales, 1):
        n = x.shape[axis]
        x = x.take([min(math.floor(Fraction(i) / Fraction(s)), n - 1) for i in range(int(n * s))], axis)
    return x


def upsample_linear(x, scales, align_corners):
    """Interpolate linearly, along one axis after the other."""
    for axis, scale in enumerate(scales, 1):
        n = x.shape[axis]
        m = int(n * scale)
        made = []
        for i in range(m):
            between = Fraction(2 * i + 1, 2) / Fraction(scale) - Fraction(1, 2)
            place = Fraction(i * (n - 1), max(m - 1, 1)) if align_corners else between
            place = min(max(place, Fraction(0)), Fraction(n - 1))
            left = min(math.floor(place), max(n - 2, 0))
            share = place - left
            made.append(x.take(left, axis) * float(1 - share) + x.take(min(left + 1, n - 1), axis) * float(share))
        x = np.stack(made, axis)
    return x


def transposed(function, shape, g):
    """Apply the transpose of a linear function, on arrays of this shape, to g, pixel by pixel."""
    out = np.zeros(shape, g.dtype)
    for i in np.ndindex(shape[1:-1]):
        one = np.zeros((1, *shape[1:-1], 1))
        one[(0, *i, 0)] = 1
        seen = function(one)[0, ..., 0]
        out[(slice(None), *i)] = (g * seen[None, ..., None]).sum(tuple(range(1, g.ndim - 1)))
    return out
