"""Derivatives of folds, running folds and folds over slices by any ufunc of two operands that has a derivative itself.

Folds that have a rule of their own stand in `autodiff/rules`. The others are compositions: of a difference or a ratio
with a sum or a product of what comes after the first element, or of rounds, each of which takes in one element more.
"""
import functools
from collections.abc import Callable

import numpy as np

from lazyarr._core.control import subgraph
from lazyarr._core.transforms import vjp
from lazyarr.autodiff.composed_vjps import by_composition
from lazyarr.autodiff.ufunc_vjps import sums_of_slices
from lazyarr.control.loops import scan

# What can follow the elements of a slice without changing its fold.
_NEUTRAL = {"add": 0, "subtract": 0, "multiply": 1, "divide": 1, "power": 1, "float_power": 1, "hypot": 0,
            "maximum": -np.inf, "minimum": np.inf, "fmax": -np.inf, "fmin": np.inf, "logaddexp": -np.inf,
            "logaddexp2": -np.inf}


def _hypot(g, out, x, axes, kept):
    if not kept:
        g, out = np.expand_dims(g, axes), np.expand_dims(out, axes)
    return g * np.where(out == 0, 0, x / np.where(out == 0, 1, out))


def _in_rounds(ufunc, x, inside=None):
    """All partial folds along the first axis; where `inside` does not hold, an element is passed over."""
    def take_in(so_far, given):
        y, counts = given
        made = ufunc(so_far, y)
        made = made if counts is None else np.where(counts, made, so_far)
        return made, made

    _, made = scan(take_in, x[0], (x[1:], None if inside is None else inside[1:]))
    return np.concatenate((x[:1], made))


def _last(ufunc, x):
    return _in_rounds(ufunc, x)[-1]


_SHORTER: dict[str, Callable] = {
    "subtract": lambda x: x[0] - np.sum(x[1:], 0),
    "divide": lambda x: x[0] / np.prod(x[1:], 0),
}


def _reduced(ufunc, x, axis, keepdims):
    axis = axis[0] if isinstance(axis, tuple) else axis
    made = _SHORTER.get(ufunc.__name__, functools.partial(_last, ufunc))(np.moveaxis(x, axis, 0))
    return np.expand_dims(made, axis) if keepdims else made


def _accumulated(ufunc, x, axis, dtype):
    x = x if dtype is None else x.astype(dtype)
    return np.moveaxis(_in_rounds(ufunc, np.moveaxis(x, axis, 0)), 0, axis)


def _over_slices(ufunc, x, indices, axis, dtype):
    """Of `reduceat`: slices that are about as long are folded side by side; if nobody knows how long, all of them."""
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
    """Folds of slices along the first axis."""
    steps = np.arange(longest)[:, None]
    inside = (steps < lengths).reshape(longest, -1, *[1] * (lines.ndim - 1))
    return _folded(ufunc, lines[np.minimum(starts + steps, lines.shape[0] - 1)], inside)


def _folded(ufunc, lines, inside):
    """The fold of what is inside, along the first axis."""
    neutral = _NEUTRAL.get(ufunc.__name__)
    if neutral is None:
        return _in_rounds(ufunc, lines, inside)[-1]
    return ufunc.reduce(np.where(inside, lines, np.array(neutral, lines.dtype)), 0)


_COMPOSITIONS: dict[str, Callable] = {"reduce": _reduced, "accumulate": _accumulated, "reduceat": _over_slices}
for _method, _names in {
    "reduce": "subtract divide power float_power remainder fmod copysign floor_divide arctan2 heaviside",
    "accumulate": "subtract divide power float_power remainder fmod copysign floor_divide arctan2 heaviside hypot "
                  "logaddexp logaddexp2",
    "reduceat": "subtract divide power float_power remainder fmod copysign floor_divide arctan2 heaviside hypot "
                "logaddexp logaddexp2 multiply maximum minimum fmax fmin",
}.items():
    for _name in _names.split():
        _composition = functools.partial(_COMPOSITIONS[_method], getattr(np, _name))
        vjp.add_call_rule(f"{_name}.{_method}", by_composition(_composition))
vjp.add_fold_rule("hypot", _hypot)
_sums_over_slices = by_composition(functools.partial(_over_slices, np.add))
vjp.add_call_rule("add.reduceat", lambda g, out, operands, wanted, **options: (
    _sums_over_slices if subgraph.reads_traced(operands[1:]) else sums_of_slices)(g, out, operands, wanted, **options))
