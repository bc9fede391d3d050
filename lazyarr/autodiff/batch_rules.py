"""How calls are made on batches: by one call, where that is possible."""
import numpy as np

from lazyarr._core import batching


def _in_front(x, is_batched, ndim):
    """An operand as one with so many axes behind that of the batch, if it has one."""
    if not is_batched or x.ndim > ndim:
        return x
    return x.reshape(x.shape[0], *[1] * (ndim + 1 - x.ndim), *x.shape[1:])


def _product(call, operands, batched, size):
    """A product of matrices, or of stacks of them; what it is called and which shape it has does not matter."""
    x, y = operands
    ndims = [a.ndim - is_batched for a, is_batched in zip(operands, batched, strict=True)]
    if ndims[0] == 1:
        x = x[..., None, :]
    if ndims[1] == 1:
        y = y[..., None]
    ndim = max(*ndims, 2)
    return (_in_front(x, batched[0], ndim) @ _in_front(y, batched[1], ndim)).reshape(size, *call.shape)


batching.add_batch_rule("product", _product)
