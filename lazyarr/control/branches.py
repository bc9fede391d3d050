"""Branches inside the graph: cond and switch."""
import numpy as np

from lazyarr._core.control import branch_exec, subgraph
from lazyarr.autodiff.trees import leaves, paths, rebuilt
from lazyarr.control.loop_vjp import Transposable, TransposedSwitch
from lazyarr.control.loop_vmap import switch_on_batch
from lazyarr.control.tracing import as_results, call, form_of, operands, stand_ins, trace, unevaluated
from lazyarr.ops.arguments import array_argument, check_function, traced_result
from lazyarr.ops.deferred_dispatch import deferrable


class Switch(Transposable, branch_exec.Switch):
    """A branch with its derivative and batching rule."""

    batch = switch_on_batch

    @property
    def groups(self):
        """Outputs of a branch that each tape keeps, by column."""
        return self.branches[0].groups

    def twin(self):
        """Return an independent copy."""
        return Switch([branch_exec.Branch(subgraph.with_outputs(b.graph, b.graph.outputs), b.takes, b.gives, b.groups)
                       for b in self.branches], self.forms, self.shift)

    def transposed(self, given, wanted, operands):
        """Build the derivative: a branch among the branches' derivatives."""
        return TransposedSwitch(self, given, wanted, operands)


@deferrable
@unevaluated
def cond(pred, f, g, *ops):
    """Compute ``f(*ops) if pred else g(*ops)`` inside the graph; only the chosen branch runs.

    Parameters
    ----------
    pred : bool or LazyArray, shape ()
        The condition, which may be pending.
    f, g : callable
        Both are traced once. They return arrays, or trees of arrays, of equal structures, shapes and dtypes.
    *ops : array_like or tree of array_like
        Arguments of f and g.

    Returns
    -------
    LazyArray or tree of LazyArray

    Raises
    ------
    TypeError
        If the condition is not a boolean, or the results of f and g differ in structure, shape or dtype.
    TracedValueError
        If f or g needs a value.

    Examples
    --------
    >>> x = la.array(2.0)
    >>> la.cond(x > 1, lambda x: x * 10, lambda x: x, x)
    np.float64(20.0)
    """
    pred = array_argument(pred, "cond: the condition")
    if pred.shape or pred.dtype != np.bool_:
        raise TypeError(f"cond: the condition must be one boolean, got {form_of(pred)}")
    return _choose("cond", pred, [g, f], ops, ("g", "f"), False)


@deferrable
@unevaluated
def switch(index, functions, *ops):
    """Compute ``functions[index](*ops)`` inside the graph; only the chosen function runs.

    Parameters
    ----------
    index : int or LazyArray, shape ()
        The number of the function, which may be pending. If negative, the result is `ops` unchanged, provided that
        they have the structure, shapes and dtypes of the functions' results.
    functions : sequence of callable
        All are traced once. They return arrays, or trees of arrays, of equal structures, shapes and dtypes.
    *ops : array_like or tree of array_like
        Arguments of the functions.

    Returns
    -------
    LazyArray or tree of LazyArray

    Raises
    ------
    IndexError
        If the index is out of range; raised when the result is evaluated.
    TypeError
        If the index is not an integer, or results differ in structure, shape or dtype.
    TracedValueError
        If a function needs a value.
    ValueError
        If `functions` is empty.

    Examples
    --------
    >>> [float(la.switch(i, [la.sin, la.cos], 0.0)) for i in (0, 1, -1)]
    [0.0, 1.0, 0.0]
    """
    index = array_argument(index, "switch: the index")
    if index.shape or index.dtype.kind not in "iu":
        raise TypeError(f"switch: the index must be one integer, got {form_of(index)}")
    if not functions:
        raise ValueError("switch: there are no functions to choose from")
    return _choose("switch", index, list(functions), ops, [f"function {k}" for k in range(len(functions))], True)


def _choose(name, index, functions, ops, names, may_pass):
    for function, called in zip(functions, names, strict=True):
        check_function(function, f"{name}: {called}")
    arrays = operands(ops, f"{name}: operand ")
    forms = list(map(form_of, arrays))
    given = rebuilt(ops, iter(forms))
    made, results, like = [], [], None
    for function, called in zip(functions, names, strict=True):
        traced = stand_ins(forms)
        out = trace(function, given, traced)
        if like is None:
            results = [traced_result(y, name) for y in leaves(out)]
            like = rebuilt(out, iter(map(form_of, results)))
        else:
            results = as_results(out, like, name, "the result", f"{names[0]} gives", f"{called} gives")
        graph, captured = subgraph.close(traced, results)
        takes = [*range(len(forms)), *range(len(arrays), len(arrays) + len(captured))]
        arrays += captured
        made.append(branch_exec.Branch(graph, takes, range(len(results))))
    forms = list(map(form_of, results))
    if may_pass and _is_form_of(given[0] if len(given) == 1 else given, like):
        traced = stand_ins(forms)
        graph, _ = subgraph.close(traced, traced)
        made = [branch_exec.Branch(graph, range(len(forms)), range(len(forms))), *made]
        shift = 1
    else:
        shift = 0
    chosen = Switch(made, [(form.shape, form.dtype) for form in forms], shift)
    return rebuilt(like, iter(call(name, chosen, [index, *arrays], forms)))


def _is_form_of(ops, like):
    return paths(ops) == paths(like) and all(
        (a.shape, a.dtype) == (b.shape, b.dtype) for a, b in zip(leaves(ops), leaves(like), strict=True))
