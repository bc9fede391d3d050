"""Tracing of functions on placeholders: arrays with a shape and a dtype but no values."""
import functools
from dataclasses import dataclass

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.control import subgraph
from lazyarr._core.frontend import trace_scope
from lazyarr._core.transforms import vjp
from lazyarr.autodiff.trees import leaves, paths, rebuilt
from lazyarr.ops.arguments import native_argument, traced_result
from lazyarr.ops.operands import Foreign, LazyArray, lazy

_WEAK = frozenset({int, float, complex})


@dataclass(frozen=True)
class Form:
    """Shape and dtype of an array, and whether it is a scalar: a leaf of trees."""

    shape: tuple
    dtype: np.dtype
    scalar: bool = False

    def __str__(self):
        return f"shape {self.shape} of {self.dtype}"


def form_of(x):
    """Return the shape and dtype of a LazyArray."""
    return Form(x.shape, x.dtype, x._scalar)


def operands(tree, what):
    """Return the arrays of a tree in C order, as operands of a call; raise TypeError for other leaves."""
    return [in_order(native_argument(x, what + path)) for path, x in zip(paths(tree), leaves(tree), strict=True)]


def in_order(x):
    """Return x, or a copy if it is not C-contiguous."""
    if core.is_contiguous(x):
        return x
    made = x.copy("C")
    return core.scalar(made) if x._scalar else made


def stand_ins(forms):
    """Return placeholders of these shapes and dtypes."""
    return [subgraph.traced(form.shape, form.dtype, form.scalar) for form in forms]


def call(name, function, arrays, forms):
    """Return the results of a native call, of these shapes and dtypes."""
    made = core.opaque_multi(name, function, arrays, [(form.shape, form.dtype) for form in forms], is_native=True)
    return [core.scalar(y) if form.scalar else y for y, form in zip(made, forms, strict=True)]


def unevaluated(function):
    """Decorate a function that traces: nothing is evaluated at the budget, as placeholders have no values."""
    @functools.wraps(function)
    def called(*args, **kwargs):
        with vjp.recording():
            return function(*args, **kwargs)

    return called


def trace(function, trees, traced):
    """Call a function on trees with placeholders as leaves; the caller must be `unevaluated`.

    The function gets its own aliases of the placeholders, to which it may write.
    """
    own = [*map(vjp.another, traced)]
    values = iter(own)
    with trace_scope.sealed(own):
        return function(*[rebuilt(tree, values) for tree in trees])


def as_results(tree, like, name, what, first="begins with", then="the function gives"):
    """Return the leaves of a function's result, checked against the structure, shapes and dtypes of `like`.

    Python numbers are converted to the dtype. The message of a TypeError begins with `name`, the called function, and
    states what differs, `what`, and both shapes and dtypes, introduced by `first` and `then`.
    """
    if paths(tree) != paths(like):
        raise TypeError(f"{name}: {what} {first} {describe(like)}, {then} {describe(tree)}")
    made = []
    for path, value, wanted in zip(paths(like), leaves(tree), leaves(like), strict=True):
        if type(value) in _WEAK and not wanted.shape and np.result_type(wanted.dtype, value) == wanted.dtype:
            value = wanted.dtype.type(value)
        if not isinstance(value, LazyArray):
            value = traced_result(value, name)
        found = form_of(value)
        if (found.shape, found.dtype) != (wanted.shape, wanted.dtype):
            raise TypeError(f"{name}: {what}{path} {first} {wanted}, {then} {found}")
        made.append(value)
    return made


def describe(tree):
    """Describe a tree, with shapes and dtypes of its leaves."""
    if isinstance(tree, Form):
        return str(tree)
    if isinstance(tree, dict):
        return "{" + ", ".join(f"{key!r}: {describe(part)}" for key, part in tree.items()) + "}"
    if isinstance(tree, list | tuple):
        return type(tree).__name__ + "(" + ", ".join(map(describe, tree)) + ")"
    if tree is None:
        return "None"
    try:
        return str(form_of(lazy(tree)))
    except Foreign:
        return type(tree).__name__
