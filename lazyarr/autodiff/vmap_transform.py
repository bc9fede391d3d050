"""vmap: calling a function of single elements on a batch at once.

The function is traced on arrays without the batch axis; `_core.transforms.vmap` rebuilds the graph of its results with
that axis in front.
"""
import functools
import operator

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.control import subgraph
from lazyarr._core.frontend import trace_scope
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr._core.transforms import vjp
from lazyarr._core.transforms import vmap as batching
from lazyarr.autodiff import vmap_rules as vmap_rules
from lazyarr.autodiff.trees import leaves, paths, rebuilt
from lazyarr.ops.arguments import check_function, native_argument, traced_result
from lazyarr.ops.deferred_dispatch import deferrable
from lazyarr.ops.operands import LazyArray


@api_boundary
def vmap(f, in_axes=0, out_axes=0):
    """Vectorize f over a batch axis of its arguments: one graph, without a loop.

    Parameters
    ----------
    f : callable
        Takes and returns arrays, or nested tuples, lists and dicts of arrays, for a single element of the batch. Each
        call traces it once.
    in_axes : int, None, or tree of these, optional
        The batch axis of each positional argument, or None for an argument that all elements share. A tuple or list has
        an item for each argument; the item may be a tree that matches the argument's structure or a prefix of it.
        The batch axis of keyword arguments is the first.
    out_axes : int, None, or tree of these, optional
        The batch axis of each result, or None for a result that does not depend on the element.

    Returns
    -------
    callable
        Takes the arguments of f with a batch axis, and returns its results with one.

    Raises
    ------
    ValueError
        If arguments lack the batch axis, differ in their lengths along it, or none has one.
    TracedValueError
        If f needs a value.
    TypeError
        If f writes to an outside array.

    Notes
    -----
    Elementwise operations have the same bits as in a loop over the elements. Sums and matrix products may be rounded
    differently. Random draws that do not depend on the element are drawn once and shared by all elements.

    Where NumPy's results depend on values in their dtype or shape, one form holds for all: eigenvalues of real
    matrices are complex, least squares return residuals, and averages do not check whether weights sum to zero.

    Calls without a batching rule run once for each element when they are evaluated. If elements take different
    branches of `cond`, or different numbers of iterations, everything is computed for all of them, and may warn about
    elements that do not need it.

    Examples
    --------
    >>> la.vmap(lambda x, y: x @ y)(la.array([[1.0, 2.0], [3.0, 4.0]]), la.ones((2, 2)))
    array([3., 7.])
    >>> la.vmap(la.grad(lambda w, x: la.sin(w * x).sum()), in_axes=(None, 0))(0.0, la.array([1.0, 2.0]))
    array([1., 2.])
    """
    check_function(f, "vmap: f")

    @deferrable
    @functools.wraps(f)
    def batched(*args, **kwargs):
        axes = _axes_of_arguments(in_axes, args) + _prefix(0, kwargs, "in_axes", "")
        names = [f"argument {k}{path}" for k, tree in enumerate(args) for path in paths(tree)]
        names += [f"argument {key}{path}" for key in sorted(kwargs) for path in paths(kwargs[key])]
        given = leaves(args) + leaves(kwargs)
        size, moved = _elements(given, axes, names)
        traced, values = [], []
        for x, batch in zip(given, moved, strict=True):
            if batch is not None:
                traced.append(subgraph.traced(batch.shape[1:], batch.dtype, batch.ndim == 1))
                values.append(vjp.another(traced[-1]))
            else:
                values.append(vjp.another(x) if isinstance(x, LazyArray) else x)
        remaining = iter(values)
        with vjp.recording():
            with trace_scope.sealed([x for x in values if isinstance(x, LazyArray)]):
                out = f(*rebuilt(args, remaining), **rebuilt(kwargs, remaining))
            results = [traced_result(y, "vmap") for y in leaves(out)]
            if size:
                made = batching.batch(results, traced, [x for x in moved if x is not None], size)
            else:  # there is nothing to compute
                made = [core.from_numpy(np.zeros((0, *y.shape), y.dtype)) if subgraph.reads_traced([y]) else None
                        for y in results]
        positions = _prefix(out_axes, out, "out_axes", "")
        places = [f"the result{path}" for path in paths(out)]
        return rebuilt(out, map(_placed, results, made, positions, [size] * len(made), places))

    return batched


def _elements(given, axes, names):
    """Return the batch size, and each argument with its batch axis first, or None where it has no batch axis."""
    size, first = None, None
    moved: list[LazyArray | None] = []
    for x, axis, name in zip(given, axes, names, strict=True):
        if axis is None:
            moved.append(None)
            continue
        x = native_argument(x, f"vmap: {name}")
        if not -x.ndim <= axis < x.ndim:
            raise ValueError(f"vmap: {name} has no axis {axis}: its shape is {x.shape}")
        length = x.shape[axis]
        if size is None:
            size, first = length, f"{name} has length {length} along axis {axis}"
        elif length != size:
            raise ValueError(f"vmap: {first}, but {name} has length {length} along axis {axis}")
        moved.append(np.moveaxis(x, axis, 0) if axis % x.ndim else x)
    if size is None:
        raise ValueError("vmap: no argument has an axis to go along")
    return size, moved


def _axes_of_arguments(axes, args):
    if isinstance(axes, list | tuple) and len(axes) != len(args):
        raise ValueError(f"vmap: in_axes has {len(axes)} items for {len(args)} arguments")
    return _prefix(tuple(axes) if isinstance(axes, list) else axes, args, "in_axes", "")


def _prefix(axes, tree, what, path):
    """Return the axis of each leaf of a tree, given a tree of axes that is a prefix of it."""
    if axes is None:
        return [None] * len(leaves(tree))
    if isinstance(axes, dict):
        if not isinstance(tree, dict) or axes.keys() != tree.keys():
            raise ValueError(f"vmap: {what}{path} is a dict of {sorted(axes, key=str)}, which does not fit "
                             f"{_described(tree)}")
        return [axis for key in sorted(tree, key=str)
                for axis in _prefix(axes[key], tree[key], what, f"{path}[{key!r}]")]
    if isinstance(axes, list | tuple):
        if not isinstance(tree, list | tuple) or len(axes) != len(tree):
            raise ValueError(f"vmap: {what}{path} has {len(axes)} items, which does not fit {_described(tree)}")
        return [axis for k, part in enumerate(tree) for axis in _prefix(axes[k], part, what, f"{path}[{k}]")]
    try:
        axis = operator.index(axes)
    except TypeError:
        raise TypeError(f"vmap: {what}{path} must be integers, None or trees of these, got {axes!r}") from None
    return [axis] * len(leaves(tree))


def _described(tree):
    if isinstance(tree, dict):
        return f"a dict of {sorted(tree, key=str)}"
    return f"a {type(tree).__name__} of {len(tree)}" if isinstance(tree, list | tuple) else "one array"


def _placed(one, made, axis, size, name):
    """Return a result with its batch axis moved to the requested position."""
    if axis is None:
        if made is not None:
            raise ValueError(f"vmap: out_axes is None for {name}, which depends on the element")
        return one
    if not -one.ndim - 1 <= axis <= one.ndim:
        raise ValueError(f"vmap: {name} has {one.ndim + 1} axes with that of the batch, out_axes asks for axis {axis}")
    if made is None:
        made = np.broadcast_to(one, (size, *one.shape))
    elif axis % made.ndim == 0:
        return made
    return core.copy(np.moveaxis(made, 0, axis), order="C")
