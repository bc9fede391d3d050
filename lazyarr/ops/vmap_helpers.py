"""Helpers for the rules of calls: derivatives, and batching, the attributes `pull_back` and `batch` of what is called.

A batching rule is called with (call, operands, batched, size), as `_core/transforms` describes.
"""
from math import prod
from typing import Any

import numpy as np


def moving(rule: Any) -> Any:
    """Note of a derivative that it only moves elements, and adds some up."""
    rule.moves = True
    return rule


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
