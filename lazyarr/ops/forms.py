"""Forms of pending results: shape, dtype, memory order, and whether it is a scalar.

An opaque call needs them when it is built. NumPy's rules are many, so the call is tried once per kind of operands on
small stand-ins. These have the operands' dtypes and memory order, including broadcast and reversed axes. A small extent
represents each extent, equal for equal and less for less; 0 and 1 stay. For invalid calls NumPy raises then.
"""
import functools
import warnings
from typing import NamedTuple

import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.operands import LazyArray, template

_BOOL = np.dtype(bool)
_REMEMBERED = 2000
_inferred = {}


class Form(NamedTuple):
    """Shape, dtype and layout of a pending result."""

    shape: tuple
    dtype: np.dtype
    axes: tuple | None  # memory order, outermost first; None for C order
    scalar: bool        # a NumPy scalar, not a 0-d array


def infer_form(key, function, args, matrices=False):
    """Return the form of function(*args), with the shape of the stand-ins' result.

    `key` identifies the function with everything it depends on besides its LazyArray arguments. With `matrices`,
    stand-ins are identity matrices, else zeros. If the function returns a tuple, so does this one, with a form per
    item.
    """
    return _look_up(key, function, args, matrices)[0]


def iterated_axes(arrays):
    """Return the memory order, outermost first, that NumPy's iterator, and so a ufunc, chooses for a result."""
    return infer_form("nditer", _iterated, arrays).axes


def _iterated(*operands):
    dtypes = [*[x.dtype for x in operands], _BOOL]
    return np.nditer([*operands, None], ["refs_ok", "zerosize_ok"], op_dtypes=dtypes).operands[-1]


def lower(key, function, args, name, matrices=False):
    """Return function(*args) as one or several opaque nodes, if all result extents are extents of operands.

    It is a pure function that refers to no LazyArray; LazyArray arguments become ndarrays. Reports call it `name`;
    `key` and `matrices` are those of `infer_form`.
    """
    found, stands_for = _look_up(key, function, args, matrices)
    arrays = [x for x in args if isinstance(x, LazyArray)]
    function = _of_arrays(function, args)
    if type(found) is Form:
        made = core.opaque(name, function, arrays, tuple([stands_for[n] for n in found.shape]), found.dtype, found.axes)
        return core.scalar(made) if found.scalar else made
    specs = [(tuple([stands_for[n] for n in form.shape]), form.dtype, form.axes) for form in found]
    made = core.opaque_multi(name, function, arrays, specs)
    return _like(found, [core.scalar(x) if form.scalar else x for x, form in zip(made, found, strict=True)])


def _look_up(key, function, args, matrices):
    """Return the form of `infer_form`, and the extent that each small one represents."""
    shapes, stands_for = _small(*[x.shape for x in args if isinstance(x, LazyArray)])
    key = key, shapes, *[(x.dtype, x._scalar, core.memory_order(x)) if isinstance(x, LazyArray) else (type(x), x)
                         for x in args]
    found = _inferred.get(key)
    if found is None:
        if len(_inferred) >= _REMEMBERED:
            _inferred.clear()
        found = _inferred[key] = _try(function, args, iter(shapes), matrices)
    return found, stands_for


@functools.lru_cache(_REMEMBERED)
def _small(*shapes):
    """Return shapes with a small extent for each extent, and the extents they represent."""
    small = {0: 0, 1: 1}
    for extent in sorted({extent for shape in shapes for extent in shape}):
        small.setdefault(extent, len(small) + 1)  # from 3 on, so that subtracting from an extent does not give 1
    return (tuple([tuple([small[extent] for extent in shape]) for shape in shapes]),
            {standing: extent for extent, standing in small.items()})


def _try(function, args, shapes, matrices):
    stand_ins = [_stand_in(x, next(shapes), matrices) if isinstance(x, LazyArray) else x for x in args]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = function(*stand_ins)
    return _like(result, list(map(_form, result))) if isinstance(result, tuple) else _form(result)


def _like(several, items):
    """Return items as a tuple, a named one if `several` is."""
    return type(several)._make(items) if hasattr(several, "_make") else tuple(items)


def _form(result):
    array = np.asarray(result)
    order = tuple(sorted(range(array.ndim), key=lambda axis: -array.strides[axis]))
    return Form(array.shape, array.dtype, None if order == tuple(range(array.ndim)) else order,
                not isinstance(result, np.ndarray))


def _stand_in(x, shape, matrices):
    if x._scalar:
        return np.zeros((), x.dtype)[()]
    order, signs = core.memory_order(x) or (range(x.ndim), (1,) * x.ndim)
    if matrices and x.ndim > 1:
        signs = (*signs[:-2], 1, 1)
    dense = np.zeros([shape[axis] if signs[axis] else 1 for axis in order], x.dtype)
    turned = dense.transpose(np.argsort(order).astype(int))[tuple([slice(None, None, sign or 1) for sign in signs])]
    if matrices and x.ndim > 1:
        turned[...] = np.eye(*shape[-2:], dtype=x.dtype)
    return np.broadcast_to(turned, shape)


def _of_arrays(function, args):
    """Return the function of only the LazyArray arguments."""
    if all(isinstance(x, LazyArray) for x in args):
        return function
    _, fill = template(args)

    def call(*arrays):
        return function(*fill(arrays))

    call.keywords = getattr(function, "keywords", {})
    return call
