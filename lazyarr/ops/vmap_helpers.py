"""Helpers for the rules of calls: derivatives, and batching, the attributes `pull_back` and `batch` of what is called.

A batching rule is called with (call, operands, batched, size), as `_core/transforms` describes.
"""
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
