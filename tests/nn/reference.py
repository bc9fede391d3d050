"""Convolutions, gradients and patches tap by tap, on ndarrays: what the native ones are compared with.

Every argument has one form here: `stride` and `dilation` are tuples, `pads` a pair (before, after) for each axis.
"""

import itertools
import math

import numpy as np


def padded(x, pads):
    """Return x with zeros around its spatial axes."""
    return np.pad(x, [(0, 0), *pads, (0, 0)])


def positions(extents, taps, stride, pads, dilation):
    """Return the number of windows along each axis."""
    return tuple(len(range(0, n + sum(pad) - (t - 1) * d, s))
                 for n, t, s, pad, d in zip(extents, taps, stride, pads, dilation, strict=True))


def under(taps, count, stride, dilation):
    """Yield each tap and the index of the padded elements under it."""
    for tap in itertools.product(*map(range, taps)):
        places = [slice(t * d, t * d + (c - 1) * s + 1 if c else 0, s)
                  for t, c, s, d in zip(tap, count, stride, dilation, strict=True)]
        yield tap, (slice(None), *places)


def rows(x):
    """Return x as a matrix of its last axis."""
    return x.reshape(math.prod(x.shape[:-1]), x.shape[-1])


def by_group(function, groups, *arrays):
    """Join what `function` makes of each group's part of the last axes."""
    return np.concatenate([function(*parts) for parts in zip(*[np.split(a, groups, -1) for a in arrays], strict=True)],
                          -1)


def conv(x, w, stride, pads, dilation, groups=1):
    """Return the convolution."""
    taps = w.shape[:-2]
    count = positions(x.shape[1:-1], taps, stride, pads, dilation)

    def one(x, w):
        total = np.zeros((len(x), *count, w.shape[-1]), np.result_type(x, w))
        for tap, places in under(taps, count, stride, dilation):
            total += padded(x, pads)[places] @ w[tap]
        return total

    return by_group(one, groups, x, w)


def conv_input(shape, w, g, stride, pads, dilation, groups=1):
    """Return the gradient for the input."""
    taps, count = w.shape[:-2], g.shape[1:-1]

    def one(w, g):
        total = padded(np.zeros((*shape[:-1], w.shape[-2]), np.result_type(w, g)), pads)
        for tap, places in under(taps, count, stride, dilation):
            total[places] += g @ w[tap].T
        inside = [slice(before, before + n) for n, (before, _) in zip(shape[1:-1], pads, strict=True)]
        return total[(slice(None), *inside)]

    return by_group(one, groups, w, g)


def conv_weight(x, shape, g, stride, pads, dilation, groups=1):
    """Return the gradient for the weights."""
    taps, count = shape[:-2], g.shape[1:-1]

    def one(x, g):
        total = np.zeros((*taps, x.shape[-1], g.shape[-1]), np.result_type(x, g))
        for tap, places in under(taps, count, stride, dilation):
            total[tap] = rows(padded(x, pads)[places]).T @ rows(g)
        return total

    return by_group(one, groups, x, g)


def im2col(x, taps, stride, pads, dilation):
    """Return the patches as rows."""
    count = positions(x.shape[1:-1], taps, stride, pads, dilation)
    seen = [padded(x, pads)[places] for _, places in under(taps, count, stride, dilation)]
    return np.concatenate(seen, -1)


def col2im(cols, shape, taps, stride, pads, dilation):
    """Return the sum over the patches that an element is in."""
    total = padded(np.zeros(shape, cols.dtype.newbyteorder("=")), pads)
    for i, (_, places) in enumerate(under(taps, cols.shape[1:-1], stride, dilation)):
        total[places] += cols[..., i * shape[-1]:(i + 1) * shape[-1]]
    inside = [slice(before, before + n) for n, (before, _) in zip(shape[1:-1], pads, strict=True)]
    return total[(slice(None), *inside)]
