"""Helpers for batching rules: the attribute `batch` of a called function.

A rule is called with (call, operands, batched, size), as `_core.batching` describes.
"""
from math import prod

import numpy as np

from lazyarr._core import api as core


def in_front(x, is_batched, ndim):
    """An operand with at least `ndim` axes behind that of the batch, if it has that; they broadcast as before."""
    if not is_batched or x.ndim > ndim:
        return x
    return x.reshape(x.shape[0], *[1] * (ndim + 1 - x.ndim), *x.shape[1:])


def on_batch(x, is_batched, size):
    """An operand with the batch axis."""
    return x if is_batched else np.broadcast_to(x, (size, *x.shape))


def unchanged(call, operands, batched, size):
    """Batching of a function that treats each element of a stack alike: the function itself."""
    return call.function


def checked(call, operands, batched, size):
    """Batching of a function that returns its first operand and checks the others as a whole: the function itself."""
    return call.function if batched[0] else None


def of_samples(call, operands, batched, size):
    """Batching of a kernel that treats samples alike, along the first axis of all arrays: more samples."""
    folded = [samples_joined(on_batch(x, is_batched, size)) for x, is_batched in zip(operands, batched, strict=True)]
    made = core.kernel(call.name, call.function, folded, (size * call.shape[0], *call.shape[1:]), call.dtype)
    return made.reshape(size, *call.shape)


def samples_joined(x):
    """The batch axis and that of the samples as one."""
    return x.reshape(x.shape[0] * x.shape[1], *x.shape[2:])


def each(function, batched):
    """A function of ndarrays for each element of a batch, side by side."""
    def stacked(*arrays):
        size = next(len(x) for x, is_batched in zip(arrays, batched, strict=True) if is_batched)
        return np.stack([function(*[x[i] if is_batched else x for x, is_batched in zip(arrays, batched, strict=True)])
                         for i in range(size)])

    return stacked


def rows_by_columns(operands, axis, batched, shape):
    """The product that sums over the last axis of x and this one of y, for each pair of what is left.

    Parameters
    ----------
    operands : list of LazyArray
        x and y, with the batch axis in front where `batched` is set.
    axis : int
        Negative.
    batched : sequence of bool
    shape : tuple of int
        Of the result, the batch axis included.
    """
    x, y = operands
    columns = y[..., None] if y.ndim - batched[1] == 1 else np.moveaxis(y, axis, batched[1])
    k = x.shape[-1]
    x = x.reshape(*x.shape[:1][:batched[0]], prod(x.shape[batched[0]:-1]), k)
    columns = columns.reshape(*y.shape[:1][:batched[1]], k, prod(columns.shape[batched[1] + 1:]))
    return (x @ columns).reshape(shape)
