"""Batching rules for NumPy's functions of stacks. Other functions declare their own rules."""
import functools
from math import prod

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.transforms import vmap
from lazyarr.ops.call import core_dimensions
from lazyarr.ops.ufunc_rows import UFUNCS
from lazyarr.ops.vmap_helpers import in_front, unchanged

_OF_STACKS = "inv det slogdet cond pinv matrix_rank cholesky qr svd svdvals eigh eigvalsh eig eigvals"


def _product(call, operands, batched, size):
    """Rule for products of matrices or stacks, whatever their names and shapes."""
    x, y = operands
    ndims = [a.ndim - is_batched for a, is_batched in zip(operands, batched, strict=True)]
    if ndims[0] == 1:
        x = x[..., None, :]
    if ndims[1] == 1:
        y = y[..., None]
    ndim = max(*ndims, 2)
    return (in_front(x, batched[0], ndim) @ in_front(y, batched[1], ndim)).reshape(size, *call.shape)


def _generalized(call, operands, batched, size):
    """Rule for a ufunc with core dimensions and no keywords: insert axes into operands of fewer dimensions."""
    signature = getattr(call.function, "signature", None)
    if signature is None:
        return None
    if "?" in signature:  # operands may lack core dimensions
        return _product(call, operands, batched, size)
    cores = list(map(len, core_dimensions(signature)[0]))
    loops = max(x.ndim - is_batched - n for x, is_batched, n in zip(operands, batched, cores, strict=True))
    return call.function(*[in_front(x, is_batched, loops + n)
                           for x, is_batched, n in zip(operands, batched, cores, strict=True)])


def _rows_by_columns(axis, call, operands, batched, size):
    """Sum products over the last axis of x and this negative axis of y, for each pair of the other indices."""
    x, y = operands
    columns = y[..., None] if y.ndim - batched[1] == 1 else np.moveaxis(y, axis, batched[1])
    k = x.shape[-1]
    x = x.reshape(*x.shape[:1][:batched[0]], prod(x.shape[batched[0]:-1]), k)
    columns = columns.reshape(*y.shape[:1][:batched[1]], k, prod(columns.shape[batched[1] + 1:]))
    return (x @ columns).reshape(size, *call.shape)


def _dot(call, operands, batched, size):
    if isinstance(call.function, np.ufunc):
        return _generalized(call, operands, batched, size)
    return _rows_by_columns(-2, call, operands, batched, size)


def _solve(call, operands, batched, size):
    """Solve for a vector as for a matrix of one column; NumPy recognises vectors by the number of axes."""
    a, b = operands
    is_vector = b.ndim - batched[1] == 1
    if is_vector:
        b = b[..., None]
    ndim = max(a.ndim - batched[0], b.ndim - batched[1])
    made = np.linalg.solve(in_front(a, batched[0], ndim), in_front(b, batched[1], ndim))
    return made[..., 0] if is_vector else made


def _elementwise_in(place):
    """Rule for a function that looks up each element of one operand in the others."""
    def rule(call, operands, batched, size):
        return call.function if sum(batched) == batched[place] else None

    return rule


for _name in _OF_STACKS.split():
    vmap.add_batch_rule(f"linalg.{_name}", unchanged)
for _name, _op in UFUNCS.items():
    if _op.function is not None and _op.function.signature:
        vmap.add_batch_rule(_name, _generalized)
vmap.add_batch_rule("product", _product)
vmap.add_batch_rule("dot", _dot)
vmap.add_batch_rule("inner", functools.partial(_rows_by_columns, -1))
vmap.add_batch_rule("linalg.solve", _solve)
vmap.add_batch_rule("searchsorted", _elementwise_in(1))
vmap.add_batch_rule("digitize", _elementwise_in(0))
vmap.add_batch_rule("interp", _elementwise_in(0))
vmap.add_batch_rule("align", unchanged)
vmap.add_batch_rule("to_device", lambda call, operands, batched, size: core.to_device(
    operands[0], core.device_table.name_of(call.function.device)))
