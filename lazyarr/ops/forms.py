"""Forms of results that are not computed yet: shape, dtype, order in memory, and whether it is a scalar.

An opaque call needs them when it is written. NumPy's rules are many, so that the call is tried, once for each kind
of operands, on small stand-ins. These have the operands' dtypes; their axes lie in memory like the operands',
broadcast and reversed ones too; and a small extent stands for each extent, equal for equal and less for less, 0 and 1
for themselves. What is wrong about the form of a call, NumPy raises then.
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
    """The form of a result that is not computed yet."""

    shape: tuple
    dtype: np.dtype
    axes: tuple | None  # as they lie in memory, outermost first; None for C order
    scalar: bool        # a NumPy scalar, not a 0-d array


def infer_form(key, function, args, matrices=False):
    """The form of function(*args), but for its shape, which is that of the stand-ins' result.

    `key` stands for the function, with all that it knows besides its arguments: LazyArrays, and what is no array. With
    `matrices`, stand-ins are identity matrices; they are zeros otherwise. Where the function returns a tuple, so does
    this one, with a form for each item.
    """
    return _look_up(key, function, args, matrices)[0]


def iterated_axes(arrays):
    """The axes, outermost first in memory, of what NumPy's iterator, and so a ufunc, allocates for these operands."""
    return infer_form("nditer", _iterated, arrays).axes


def _iterated(*operands):
    dtypes = [*[x.dtype for x in operands], _BOOL]
    return np.nditer([*operands, None], ["refs_ok", "zerosize_ok"], op_dtypes=dtypes).operands[-1]


def lower(key, function, args, name, matrices=False):
    """function(*args) as an opaque node, or several, if its results have no extents but those of the operands.

    It is a pure function that refers to no LazyArray, and gets those among its arguments as ndarrays. The report calls
    it `name`; `key` and `matrices` are those of `infer_form`.
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
    """The form that `infer_form` returns, and the extent that each small one stands for."""
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
    """Shapes with a small extent in the place of each one, and which one it stands for."""
    small = {0: 0, 1: 1}
    for extent in sorted({extent for shape in shapes for extent in shape}):
        small.setdefault(extent, len(small) + 1)  # from 3: what NumPy takes off an axis does not make it 1
    return (tuple([tuple([small[extent] for extent in shape]) for shape in shapes]),
            {standing: extent for extent, standing in small.items()})


def _try(function, args, shapes, matrices):
    stand_ins = [_stand_in(x, next(shapes), matrices) if isinstance(x, LazyArray) else x for x in args]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = function(*stand_ins)
    return _like(result, list(map(_form, result))) if isinstance(result, tuple) else _form(result)


def _like(several, items):
    """Items as a tuple, a named one if `several` is."""
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
    """The function of those arguments alone that are LazyArrays."""
    if all(isinstance(x, LazyArray) for x in args):
        return function
    _, fill = template(args)

    def call(*arrays):
        return function(*fill(arrays))

    call.keywords = getattr(function, "keywords", {})
    return call
