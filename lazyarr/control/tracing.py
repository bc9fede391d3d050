"""From a function of arrays to its graph: it is called once, on arrays that have a shape and a dtype and no values."""
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
    """The form of an array, without values: a leaf of trees."""

    shape: tuple
    dtype: np.dtype
    scalar: bool = False

    def __str__(self):
        return f"shape {self.shape} of {self.dtype}"


def form_of(x):
    """The form of a LazyArray."""
    return Form(x.shape, x.dtype, x._scalar)


def operands(tree, what):
    """The arrays of a tree, as operands of a call: each in C order; TypeError for what is no array of numbers."""
    return [in_order(native_argument(x, what + path)) for path, x in zip(paths(tree), leaves(tree), strict=True)]


def in_order(x):
    """x, or a copy if it does not lie in memory in C order."""
    if core.is_contiguous(x):
        return x
    made = x.copy("C")
    return core.scalar(made) if x._scalar else made


def stand_ins(forms):
    """Traced arrays of these forms."""
    return [subgraph.traced(form.shape, form.dtype, form.scalar) for form in forms]


def call(name, function, arrays, forms):
    """The results of a native call, of these forms."""
    made = core.opaque_multi(name, function, arrays, [(form.shape, form.dtype) for form in forms], is_native=True)
    return [core.scalar(y) if form.scalar else y for y, form in zip(made, forms, strict=True)]


def unevaluated(function):
    """A function during which nothing that is pending is evaluated at the budget: what it traces has no values."""
    @functools.wraps(function)
    def called(*args, **kwargs):
        with vjp.recording():
            return function(*args, **kwargs)

    return called


def trace(function, trees, traced):
    """function(*trees) with traced arrays for the leaves of the trees, for a caller that is `unevaluated`.

    The function gets arrays of its own, to which it may write.
    """
    own = [*map(vjp.another, traced)]
    values = iter(own)
    with trace_scope.sealed(own):
        return function(*[rebuilt(tree, values) for tree in trees])


def as_results(tree, like, name, what, first="begins with", then="the function gives"):
    """The leaves of a tree that a function gave, of the forms and in the places of the leaves of another one.

    Python's numbers take the dtype that is asked for. Where trees differ, a TypeError has both shapes and dtypes; it
    names the function that was called wrongly and `what` differs, and says what the two forms are.
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
    """A tree with its leaves' forms written out."""
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
