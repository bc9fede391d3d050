"""Derivatives of folds, cumulative folds and folds over slices by any binary ufunc that has a derivative.

Folds with rules of their own are in `autodiff/ufunc_vjps`. The others are compositions: a difference or ratio of the
first element and a sum or product of the rest, or a scan that adds one element per iteration.
"""
import functools

import numpy as np

from lazyarr._core.control import subgraph
from lazyarr._core.transforms import vjp
from lazyarr.autodiff.composed_vjps import by_composition
from lazyarr.autodiff.ufunc_vjps import sums_of_slices
from lazyarr.control.loops import scan
from lazyarr.ops.table import find
from lazyarr.ops.ufunc_rows import UFUNCS, combining


def _in_rounds(ufunc, x, inside=None):
    """Return all partial folds along the first axis, skipping elements where `inside` is false."""
    def take_in(so_far, given):
        y, counts = given
        made = ufunc(so_far, y)
        made = made if counts is None else np.where(counts, made, so_far)
        return made, made

    _, made = scan(take_in, x[0], (x[1:], None if inside is None else inside[1:]))
    return np.concatenate((x[:1], made))


def _last(ufunc, x):
    return _in_rounds(ufunc, x)[-1]


def _reduced(ufunc, x, axis, keepdims):
    axis = axis[0] if isinstance(axis, tuple) else axis
    x, by = np.moveaxis(x, axis, 0), combining(ufunc)
    made = _last(ufunc, x) if by is None else ufunc(x[0], by.reduce(x[1:], 0))
    return np.expand_dims(made, axis) if keepdims else made


def _accumulated(ufunc, x, axis, dtype):
    x = x if dtype is None else x.astype(dtype)
    return np.moveaxis(_in_rounds(ufunc, np.moveaxis(x, axis, 0)), 0, axis)


def _over_slices(ufunc, x, indices, axis, dtype):
    """Compute `reduceat`: fold slices of similar length together, or all slices if their lengths are unknown."""
    lines = np.moveaxis(x if dtype is None else x.astype(dtype), axis, 0)
    known = not subgraph.reads_traced([indices])
    starts = indices.numpy() if known else indices
    lengths = np.maximum(np.concatenate((starts[1:], [x.shape[axis]])) - starts, 1)
    if not known:
        return np.moveaxis(_side_by_side(ufunc, lines, starts, lengths, x.shape[axis]), 0, axis)
    sizes = np.frexp(lengths)[1]
    groups = [np.flatnonzero(sizes == size) for size in np.unique(sizes)]
    made = np.concatenate([_side_by_side(ufunc, lines, starts[which], lengths[which], lengths[which].max())
                           for which in groups])
    return np.moveaxis(made[np.argsort(np.concatenate(groups))], 0, axis)


def _side_by_side(ufunc, lines, starts, lengths, longest):
    """Fold slices along the first axis together."""
    steps = np.arange(longest)[:, None]
    inside = (steps < lengths).reshape(longest, -1, *[1] * (lines.ndim - 1))
    return _folded(ufunc, lines[np.minimum(starts + steps, lines.shape[0] - 1)], inside)


def _folded(ufunc, lines, inside):
    """Fold the elements inside along the first axis."""
    neutral = find(ufunc).neutral
    if neutral is None:
        return _in_rounds(ufunc, lines, inside)[-1]
    return ufunc.reduce(np.where(inside, lines, np.array(neutral, lines.dtype)), 0)


_sums_over_slices = by_composition(functools.partial(_over_slices, np.add))


def _add_rules(name, op):
    """Add the derivatives that the row of a ufunc does not declare."""
    def add_rule(method, composition):
        vjp.add_call_rule(f"{name}.{method}", by_composition(functools.partial(composition, op.function)))

    if op.fold is None:
        add_rule("reduce", _reduced)
    if op.fold not in ("sum", "product", "extremum"):
        add_rule("accumulate", _accumulated)
    if op.fold != "sum":
        add_rule("reduceat", _over_slices)
    else:
        vjp.add_call_rule(f"{name}.reduceat", lambda g, out, operands, wanted, **options: (
            _sums_over_slices if subgraph.reads_traced(operands[1:]) else sums_of_slices)(
                g, out, operands, wanted, **options))


for _name, _op in UFUNCS.items():
    if _op.function is not None and _op.function.nin == 2 and isinstance(_op.derivative, tuple):
        _add_rules(_name, _op)
