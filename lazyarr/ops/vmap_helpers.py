"""Helpers for the derivative (`pull_back`) and batching (`batch`) rules of calls.

A batching rule is called with (call, operands, batched, size); see `_core/transforms`.
"""
from typing import Any

import numpy as np


def moving(rule: Any) -> Any:
    """Mark a derivative that only moves or sums elements."""
    rule.moves = True
    return rule


def in_front(x, is_batched, ndim):
    """Insert axes after the batch axis of an operand, if it has one, up to `ndim`, so that it broadcasts as before."""
    if not is_batched or x.ndim > ndim:
        return x
    return x.reshape(x.shape[0], *[1] * (ndim + 1 - x.ndim), *x.shape[1:])


def on_batch(x, is_batched, size):
    """Return an operand broadcast along the batch axis."""
    return x if is_batched else np.broadcast_to(x, (size, *x.shape))


def unchanged(call, operands, batched, size):
    """Batch a function that treats all elements of a stack alike: return the function itself."""
    return call.function


def checked(call, operands, batched, size):
    """Batch a function that returns its first operand and checks the others as a whole: return the function itself."""
    return call.function if batched[0] else None


def samples_joined(x):
    """Merge the batch axis and the sample axis."""
    return x.reshape(x.shape[0] * x.shape[1], *x.shape[2:])


def each(function, batched):
    """Return a function that applies a function of ndarrays to each element of a batch and stacks the results."""
    def stacked(*arrays):
        size = next(len(x) for x, is_batched in zip(arrays, batched, strict=True) if is_batched)
        return np.stack([function(*[x[i] if is_batched else x for x, is_batched in zip(arrays, batched, strict=True)])
                         for i in range(size)])

    return stacked
