"""Derivatives of folds, running folds and folds over slices by any ufunc of two operands that has a derivative itself.

Folds that have a rule of their own stand in `rules`. The others are compositions: of a difference or a ratio with a
sum or a product of what comes after the first element, or of rounds, each of which takes in one element more.
"""
import functools
from collections.abc import Callable

import numpy as np

from lazyarr._core import tape
from lazyarr.autodiff.composed_rules import by_composition

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
    from lazyarr.control.loops import scan  # which differentiates its rounds

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
    """Of `reduceat`: slices that are about as long are folded side by side."""
    starts = indices.numpy()  # how many elements each slice has
    lengths = np.maximum(np.append(starts[1:], x.shape[axis]) - starts, 1)
    lines = np.moveaxis(x if dtype is None else x.astype(dtype), axis, 0)
    sizes = np.frexp(lengths)[1]
    made, order = [], []
    for size in np.unique(sizes):
        which = np.flatnonzero(sizes == size)
        steps = np.arange(lengths[which].max())[:, None]
        inside = steps < lengths[which]
        inside = inside.reshape(*inside.shape, *[1] * (lines.ndim - 1))
        made.append(_folded(ufunc, lines[np.minimum(starts[which] + steps, len(lines) - 1)], inside))
        order.append(which)
    return np.moveaxis(np.concatenate(made)[np.argsort(np.concatenate(order))], 0, axis)


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
        tape.add_call_rule(f"{_name}.{_method}", by_composition(_composition))
tape.add_fold_rule("hypot", _hypot)
