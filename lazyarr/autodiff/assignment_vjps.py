"""Derivatives of calls that change an array: overwritten elements get no cotangent, written ones do."""
import functools
import math

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.transforms import vjp
from lazyarr.ops.index_key import without_masks
from lazyarr.ops.operands import on_accelerator

_INTP = np.dtype(np.intp)


def masks_replaced(fill, arrays):
    """Return the key of an assignment with masks replaced by indices."""
    key = fill(arrays)
    if any(array.dtype == bool and not array.ndim for array in arrays):
        raise vjp.NotDifferentiable("an assignment through a truth value has no derivative")
    return without_masks(key)


def _shaped_like(g, value):
    """Restore leading axes of length 1 that an assignment dropped from its value."""
    return g.reshape((1,) * (value.ndim - g.ndim) + g.shape) if value.ndim > g.ndim else g


def _written_elements(g, operands, wanted, fill):
    """Rule for x[key] = value; of several values for one element the last one counts."""
    value, *arrays = operands
    key = masks_replaced(fill, arrays)
    made = None
    if wanted[0]:
        made = g[key]
        made = _shaped_like(np.where(_counts(key, g.shape, made.shape, g), made, 0), value)
    g[key] = 0
    return made, *[None] * len(arrays)


def _counts(key, shape, written, beside):
    """Return which of the elements written through a key are not overwritten by later ones."""
    if on_accelerator(beside):
        numbers = core.asarray_operand(np.arange(math.prod(written))).reshape(written)
        last = core.empty(shape, _INTP, beside=[beside])
        last[key] = numbers
        return last[key] == numbers
    numbered = [core.asarray_operand(item) if isinstance(item, core.LazyArray | np.ndarray) else None for item in key]
    key = [item if number is None else None for item, number in zip(key, numbered, strict=True)]
    places = [number is not None for number in numbered]

    def fill(out, *arrays):
        remaining = iter(arrays)
        place = tuple([next(remaining) if array else item for item, array in zip(key, places, strict=True)])
        last, numbers = np.empty(shape, np.intp), np.arange(out.size).reshape(out.shape)
        last[place] = numbers
        out[...] = last[place] == numbers

    return core.kernel("last written", fill, [number for number in numbered if number is not None], written,
                       np.dtype(bool))


def _moved_elements(g, operands, wanted, moves, value):
    """Rule for a call that moves elements of an operand: moving their indices finds the destinations."""
    operands = list(operands)
    given = operands.pop(value)
    shape, size = given.shape, given.size

    def fill(out, *others):
        out[...] = -1
        moves(out, *others[:value], np.arange(size).reshape(shape), *others[value:])

    source = core.kernel("source of what is written", fill, operands, g.shape, _INTP)
    made = None
    if wanted[value]:
        collected = core.full((size + 1,), 0, given.dtype)  # unchanged elements are collected in the last one
        np.add.at(collected, source, g)
        made = collected[:-1].reshape(shape)
    g[source >= 0] = 0
    return [made if i == value else None for i in range(len(operands) + 1)]


def _added(sign, g, operands, wanted, fill):
    """Rule for np.add.at and np.subtract.at, to which all values for one element contribute."""
    value, *arrays = operands
    made = _shaped_like(sign * g[masks_replaced(fill, arrays)], value) if wanted[0] else None
    return made, *[None] * len(arrays)


vjp.add_change_rule("setitem", _written_elements)
for _name in ("put", "put_along_axis", "place", "putmask", "fill_diagonal", "flat"):
    vjp.add_change_rule(_name, _moved_elements)
vjp.add_change_rule("add.at", functools.partial(_added, 1))
vjp.add_change_rule("subtract.at", functools.partial(_added, -1))
