"""Derivatives of folds, and of calls that move elements."""
import functools
from typing import Any

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.transforms import vjp
from lazyarr._core.transforms.cotangent_ops import shared_by_ties
from lazyarr.autodiff.composed_vjps import by_composition
from lazyarr.ops.ufunc_rows import UFUNCS
from lazyarr.ops.vmap_helpers import moving, on_batch


def _unfolded(g, axes, kept):
    """Restore the folded axes of g, with length 1."""
    return g if kept else np.expand_dims(g, axes)


def _in_short(made, out, exact, *inputs):
    """Return exact(*inputs), computed as `made` where products have neither underflowed nor overflowed.

    Its derivative is that of `exact`, which must accept further leading axes, for batches.
    """
    return called(_InShort(exact), [made, out, *inputs])[0]


def called(function, operands):
    """Call a function with a derivative of its own; the single result has the shape and dtype of the first operand."""
    form = operands[0].shape, operands[0].dtype
    return core.opaque_multi("derivative", function, operands, [form], is_native=True)


class _InShort:
    """Return the first operand if the products in the second are finite and normal, else the exact result."""

    def __init__(self, exact):
        self._exact = exact

    def __call__(self, made, products, *inputs):
        size = np.abs(products)
        if ((size >= np.finfo(size.dtype).tiny) & (size < np.inf)).all():
            return made,
        return np.asarray(self._exact(*inputs), made.dtype),

    def batch(self, call, operands, batched, size):
        """Apply the function to a batch."""
        return called(self, [on_batch(x, is_batched, size) for x, is_batched in zip(operands, batched, strict=True)])

    def pull_back(self, g, results, operands, wanted):
        """Return the cotangents of the operands."""
        return None, None, *by_composition(self._exact)(g[0], None, operands[2:], wanted[2:])


def _product(g, out, x, axes, kept):
    """Rule for products: g times the product of the other elements."""
    g, out = _unfolded(g, axes, kept), _unfolded(out, axes, kept)
    made = g * (out / np.where(x == 0, 1, x))
    return _in_short(made, out, functools.partial(times_others, tuple(axis - x.ndim for axis in axes)), g, x)


def times_others(axes, g, x):
    """Return g times, for each element, the product of the others along axes."""
    last = tuple(range(-len(axes), 0))
    line = np.moveaxis(x, axes, last)
    shape = line.shape
    line = line.reshape(*shape[:-len(axes)], -1)
    others = _before(line) * np.flip(_before(np.flip(line, -1)), -1)
    return g * np.moveaxis(others.reshape(shape), last, axes)


def _before(x):
    """Return the exclusive cumulative product."""
    return np.concatenate([np.ones_like(x[..., :1]), np.cumprod(x[..., :-1], -1)], -1)


def _in_one_line(rule):
    """Extend a rule for folds along one axis to flattened arrays."""
    def along(g, out, x, axes, kept):
        if g.ndim < x.ndim or len(axes) > 1:
            return rule(g, out, x.reshape(-1), 0).reshape(x.shape)
        return rule(g, out, x, axes[0])

    return along


def _from_behind(x, axis):
    return np.flip(np.cumsum(np.flip(x, axis), axis), axis)


def _accumulated(running, g, out, operands, wanted, axis, dtype):
    """Rule for a cumulative fold that the core does not compute."""
    return running(g, out, operands[0], (axis,), True),


@_in_one_line
def _running_sum(g, out, x, axis):
    return _from_behind(g, axis)


@_in_one_line
def _running_product(g, out, x, axis):
    """Rule for cumulative products: the sum of the products that contain an element, divided by it."""
    made = _from_behind(g * out, axis) / np.where(x == 0, 1, x)
    return _in_short(made, out, functools.partial(_times_products, axis - x.ndim), g, x)


def _times_products(axis, g, x):
    """Sum for each element the products that contain it, without this factor, times g.

    With s[j] = g[j] + x[j + 1] * s[j + 1], the sum is s[j] times the product of all before j.
    """
    g, x = np.moveaxis(g, axis, -1), np.moveaxis(x, axis, -1)
    factors, sums, reach = _shifted(x, 1), g, 1
    while reach < x.shape[-1]:  # each round doubles the number of terms
        sums = sums + factors * _shifted(sums, reach)
        factors = factors * _shifted(factors, reach)
        reach *= 2
    return np.moveaxis(_before(x) * sums, -1, axis)


def _shifted(x, count):
    """Shift the elements left by `count`, with zeros at the end."""
    return np.concatenate([x[..., count:], np.zeros_like(x[..., :count])], -1)


def _softmax(exponential):
    """Rule for logaddexp folds: the shares of the sum or, if it is infinite, of the elements equal to it."""
    def rule(g, out, x, axes, kept):
        whole = _unfolded(out, axes, kept)
        return np.where(np.isinf(whole), shared_by_ties(g, out, x, axes, kept),
                        _unfolded(g, axes, kept) * exponential(x - whole))

    return rule


def _norm(g, out, x, axes, kept):
    g, out = _unfolded(g, axes, kept), _unfolded(out, axes, kept)
    return g * np.where(out == 0, 0, x / np.where(out == 0, 1, out))


def _sum_of_copies(g, x, inside):
    """Sum g over the copies of x, which lie beside each element if `inside`, else beside each whole axis."""
    shape: list[int] = []
    for extent, length in zip(x.shape, g.shape, strict=True):
        copies = length // extent if extent else 1
        shape += [extent, copies] if inside else [copies, extent]
    return g.reshape(shape).sum(tuple(range(inside, 2 * x.ndim, 2)))


@moving
def _repeated(g, out, operands, wanted, repeats=None, axis=None, **options):
    x, = operands
    if repeats is None:
        return _sum_of_copies(g, x, True),
    made = core.full(x.shape, 0, x.dtype)
    np.add.at(made, (slice(None),) * axis + (np.repeat(np.arange(x.shape[axis]), repeats),), g)
    return made,


vjp.add_call_rule("repeat", _repeated)
vjp.add_call_rule("tile", moving(lambda g, out, operands, wanted, **options: (
    _sum_of_copies(g, operands[0], False),)))


def _order(x, axis):
    return np.argsort(x, axis, kind="stable")


@moving
def _sorted(g, out, operands, wanted, axis, **options):
    """Return the cotangents of sorted elements to where the elements came from."""
    return np.take_along_axis(g, _order(_order(operands[0], axis), axis), axis),


@moving
def _partitioned(g, out, operands, wanted, axis, **options):
    return _sorted(np.take_along_axis(g, _order(out, axis), axis), out, operands, wanted, axis)


vjp.add_call_rule("sort", _sorted)
vjp.add_call_rule("partition", _partitioned)


def _chosen(index, *choices, places, stacked, mode, count):
    """Compute np.choose, one choice after another."""
    index = np.clip(index, 0, count - 1) if mode == "clip" else index % count if mode == "wrap" else index
    made: Any = 0.0
    for place, choice in zip(range(count) if stacked else places, choices[0] if stacked else choices, strict=True):
        made = np.where(index == place, choice, made)
    return made


vjp.add_call_rule("choose", by_composition(_chosen))
vjp.add_call_rule("round", lambda g, out, operands, wanted: (None,))


@moving
def _read(g, out, operands, wanted, fill):
    """Rule for x[key]: add each cotangent where its element was read."""
    x, *arrays = operands
    made = core.full(x.shape, 0, x.dtype)
    np.add.at(made, fill(arrays), g)
    return made, *[None] * len(arrays)


vjp.add_call_rule("getitem", _read)
vjp.add_call_rule("take", by_composition(lambda x, index, axis, mode: np.take(x, index[None], axis, mode=mode)[0]))


def _running_extremum(accumulate):
    """Return a composition for cumulative extrema: each one is the element where it first occurred."""
    def composition(x, axis, dtype):
        found = accumulate(x, axis)
        lines, shape = found.swapaxes(axis, -1), [1] * x.ndim
        new = np.concatenate((np.ones_like(lines[..., :1], bool), lines[..., 1:] != lines[..., :-1]), -1)
        shape[-1] = x.shape[axis]
        place = np.maximum.accumulate(np.where(new, np.arange(x.shape[axis]).reshape(shape), 0), -1)
        return np.take_along_axis(x, place.swapaxes(axis, -1), axis)

    return by_composition(composition)


# The core has the derivatives of sums and extrema; folds and cumulative folds of other ufuncs are composed in
# `control/reduce_vjp`.
_FOLDS = {"product": _product, "norm": _norm, "softmax": _softmax(np.exp), "softmax of powers of 2": _softmax(np.exp2)}
_RUNNING = {"sum": _running_sum, "product": _running_product}
for _name, _op in UFUNCS.items():
    if _op.fold in _FOLDS:
        vjp.add_fold_rule(_name, _FOLDS[_op.fold])
    if _op.fold in _RUNNING:
        vjp.add_fold_rule(f"{_name}.accumulate", _RUNNING[_op.fold])
        vjp.add_call_rule(f"{_name}.accumulate", functools.partial(_accumulated, _RUNNING[_op.fold]))
    elif _op.fold == "extremum":
        vjp.add_call_rule(f"{_name}.accumulate", _running_extremum(_op.function.accumulate))


def sums_of_slices(g, out, operands, wanted, axis, dtype):
    """Rule for np.add.reduceat: each element gets the cotangents of the slices that contain it."""
    x, indices = operands
    starts = indices.numpy()  # the length of each slice
    ends = np.append(starts[1:], x.shape[axis])
    lengths = np.maximum(ends - starts, 1)
    slices = np.repeat(np.arange(starts.size), lengths)
    places = np.arange(slices.size) - np.repeat(np.cumsum(lengths) - lengths, lengths) + np.repeat(starts, lengths)
    made = core.full(x.shape, 0, x.dtype)
    ahead = (slice(None),) * axis
    np.add.at(made, (*ahead, places), g[(*ahead, slices)])
    return made, None

