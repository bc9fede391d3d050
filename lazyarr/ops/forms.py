"""Opaque calls whose form is found by trying them: shape, dtype, layout and whether the result is a scalar.

For functions whose results have no extents but those of their operands. The call is made on stand-ins: arrays of zeros
with the operands' dtypes, their axes in memory like the operands', and a small extent for each one, equal for equal
ones. An extent of the small result tells which of the operands' it stands for. What is wrong about the form of a call
is raised by NumPy at that.
"""
import warnings
from typing import NamedTuple

import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.operands import LazyArray
from lazyarr.ops.rehearsal import rehearse

_MOST = 2000  # calls remembered
_tried = {}


class Form(NamedTuple):
    """What is known of a result before it is computed."""

    shape: tuple
    dtype: np.dtype
    axes: tuple | None
    scalar: bool


def infer(function, args, key):
    """The form of function(*args), a tuple of forms if it returns several arrays.

    Parameters
    ----------
    function : callable
    args : sequence
        LazyArrays, and what is no array.
    key : hashable
        Stands for the function, with all that it knows besides its arguments.
    """
    small = _small_extents(args)
    key = key, *[_kind(x, small) for x in args]
    found = _tried.get(key)
    if found is None:
        if len(_tried) >= _MOST:
            _tried.clear()
        result = _attempt(function, args, [_stand_in(x, small) if isinstance(x, LazyArray) else x for x in args])
        found = _tried[key] = tuple(map(_form, result)) if isinstance(result, tuple | list) else [_form(result)]
    large = {standing: extent for extent, standing in small.items()}
    forms = [form._replace(shape=tuple([large[extent] for extent in form.shape])) for form in found]
    return forms[0] if type(found) is list else tuple(forms)


def lower(function, args, key, name):
    """function(*args) as an opaque node, whose form is inferred.

    Parameters
    ----------
    function : callable
        A pure function; it must refer to no LazyArray.
    args : sequence
        LazyArrays, which it gets as ndarrays, and what is no array.
    key : hashable
        Stands for the function in `infer`.
    name : str
        What the report calls it.
    """
    form = infer(function, args, key)
    made = core.opaque(name, filled(function, args), [x for x in args if isinstance(x, LazyArray)], form.shape,
                       form.dtype, form.axes)
    return core.scalar(made) if form.scalar else made


def check(function, args):
    """Raise what function(*args) raises for its form, if it changes its first argument."""
    small = _small_extents(args)
    _attempt(function, args, [np.zeros([small[extent] for extent in args[0].shape], args[0].dtype),
                              *[_stand_in(x, small) if isinstance(x, LazyArray) else x for x in args[1:]]])


def filled(function, args):
    """The function of those arguments alone that are LazyArrays."""
    if all(isinstance(x, LazyArray) for x in args):
        return function
    given = [(isinstance(x, LazyArray), None if isinstance(x, LazyArray) else x) for x in args]

    def call(*arrays):
        remaining = iter(arrays)
        return function(*[next(remaining) if awaited else x for awaited, x in given])

    return call


def _kind(x, small):
    if not isinstance(x, LazyArray):
        return type(x), x
    return (x.dtype, x._scalar, tuple([small[extent] for extent in x.shape]), core.axes_copied(x),
            tuple([(s > 0) - (s < 0) for s in x.strides]))


def _small_extents(args):
    """A small extent for each one of the operands."""
    small = {0: 0, 1: 1}
    for x in args:
        for extent in x.shape if isinstance(x, LazyArray) else ():
            small.setdefault(extent, len(small))
    return small


def _attempt(function, args, stand_ins):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*stand_ins)
        except Exception:
            rehearse(function, args, {})  # the message may tell of the extents
            raise


def _form(result):
    array = np.asarray(result)
    order = tuple(sorted(range(array.ndim), key=lambda axis: -array.strides[axis]))
    return Form(array.shape, array.dtype, None if order == tuple(range(array.ndim)) else order,
                not isinstance(result, np.ndarray))


def _stand_in(x, small):
    """Zeros of x's dtype and small extents; axes lie in memory as x's do, broadcast and reversed where x's are."""
    if x._scalar:
        return np.zeros((), x.dtype)[()]
    order = core.axes_copied(x) or range(x.ndim)
    shape, strides = [small[extent] for extent in x.shape], x.strides
    dense = np.zeros([1 if strides[axis] == 0 else shape[axis] for axis in order], x.dtype)
    turned = dense.transpose(np.argsort(order).astype(int))
    turned = turned[tuple([slice(None, None, -1 if s < 0 else 1) for s in strides])]
    return np.broadcast_to(turned, shape)
