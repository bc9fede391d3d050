"""Loops inside the graph: while_loop, fori_loop and scan."""
import itertools

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.control import loop_exec, subgraph
from lazyarr.autodiff.trees import leaves, paths, rebuilt
from lazyarr.control.loop_vjp import Transposable, TransposedLoop
from lazyarr.control.loop_vmap import loop_on_batch
from lazyarr.control.tracing import Form, as_results, call, form_of, operands, stand_ins, trace, unevaluated
from lazyarr.ops.arguments import check_function, integer, traced_result
from lazyarr.ops.deferred_dispatch import deferrable
from lazyarr.ops.operands import LazyArray, lazy

_INDEX = Form((), np.dtype(np.int64), True)
_INT64 = np.iinfo(np.int64)


class Loop(Transposable, loop_exec.Loop):
    """A loop with its derivative and batching rule."""

    batch = loop_on_batch

    @property
    def forms(self):
        """Shapes and dtypes of the results before the tapes."""
        made = [(y.shape, y.dtype) for y in self.body.results[:self.ncarry + self.nys]]
        return made[:self.ncarry] + [((self.length, *shape), dtype) for shape, dtype in made[self.ncarry:]]

    def twin(self):
        """Return an independent copy."""
        body = subgraph.with_outputs(self.body, self.body.outputs)
        return Loop(body, self.ncarry, self.nxs, self.nys, test=self.test, length=self.length, start=self.start,
                    tapes=self.tapes, reverse=self.reverse, groups=self.groups)

    def transposed(self, given, wanted, operands):
        """Build the derivative: a loop from the last iteration to the first."""
        return TransposedLoop(self, given, wanted)


@deferrable
@unevaluated
def while_loop(cond, body, init):
    """Repeat ``state = body(state)`` while ``cond(state)`` holds, inside the graph.

    Parameters
    ----------
    cond : callable
        Takes the state and returns one boolean, as a lazy array of shape ().
    body : callable
        Takes the state, to which it may write, and returns the next state, of the same structure, shapes and dtypes.
        Both functions are traced once, so random draws in them repeat the same numbers in every iteration.
    init : array_like or tree of array_like
        The initial state: an array, or nested tuples, lists and dicts of arrays.

    Returns
    -------
    LazyArray or tree of LazyArray
        The final state.

    Raises
    ------
    TypeError
        If the body changes a shape or a dtype, or the condition is not a boolean.
    TracedValueError
        If one of the functions needs a value.

    Notes
    -----
    The state is updated in place where nothing else reads it. The derivative is a loop from the last iteration to the
    first; for it, the forward loop keeps the values of each iteration that the derivative reads.

    Examples
    --------
    >>> la.while_loop(lambda x: x < 100, lambda x: x * 2, 3)
    np.int64(192)
    """
    check_function(cond, "while_loop: cond")
    check_function(body, "while_loop: body")
    arrays = operands(init, "while_loop: init")
    forms = list(map(form_of, arrays))
    state = rebuilt(init, iter(forms))
    traced = stand_ins(forms)
    graph, captured = subgraph.close(
        traced, as_results(trace(body, (state,), traced), state, "while_loop", "the state"))
    test_params = stand_ins(forms)
    answer = trace(cond, (state,), test_params)
    if isinstance(answer, bool | np.bool_):
        answer = lazy(answer)
    if not isinstance(answer, LazyArray) or answer.shape or answer.dtype != np.bool_:
        got = form_of(answer) if isinstance(answer, LazyArray) else type(answer).__name__
        raise TypeError(f"while_loop: the condition must give one boolean, got {got}")
    test, captured_by_test = subgraph.close(test_params, [answer])
    loop = Loop(graph, len(arrays), 0, 0, test=test)
    return rebuilt(init, iter(call("while_loop", loop, [*arrays, *captured, *captured_by_test], forms)))


@deferrable
@unevaluated
def fori_loop(lower, upper, body, init):
    """Repeat ``state = body(i, state)`` for each i in ``range(lower, upper)``, inside the graph.

    Parameters
    ----------
    lower, upper : int or LazyArray, shape ()
        The bounds, which may be pending; `upper` is excluded.
    body : callable
        Takes i and the state, and returns the next state, of the same structure, shapes and dtypes. It is traced once.
    init : array_like or tree of array_like
        The initial state.

    Returns
    -------
    LazyArray or tree of LazyArray
        The final state.

    Raises
    ------
    TypeError
        If the body changes a shape or a dtype.
    TracedValueError
        If the body needs a value.

    See Also
    --------
    while_loop : notes on the state and on derivatives
    scan : a loop over arrays that collects a result per iteration

    Examples
    --------
    >>> la.fori_loop(0, 5, lambda i, x: x + i, 0)
    np.int64(10)
    """
    check_function(body, "fori_loop: body")
    for bound, what in ((lower, "lower"), (upper, "upper")):
        if np.shape(bound) or np.result_type(bound).kind not in "iu":
            raise TypeError(f"fori_loop: {what} must be one integer, got {bound!r}")
    if any(isinstance(bound, LazyArray) and core.is_pending(bound) for bound in (lower, upper)):
        def advance(state):
            i, last, inner = state
            return i + 1, last, body(i, inner)

        bounds = [core.scalar(lazy(bound).astype(np.int64)) for bound in (lower, upper)]
        return while_loop(lambda state: state[0] < state[1], advance, (*bounds, init))[2]
    for bound, what in ((lower, "lower"), (upper, "upper")):
        if not _INT64.min <= int(bound) <= _INT64.max:
            raise OverflowError(f"fori_loop: {what} must be an int64, got {bound}")
    arrays = operands(init, "fori_loop: init")
    forms = list(map(form_of, arrays))
    state = rebuilt(init, iter(forms))
    traced = stand_ins([_INDEX, *forms])
    given = as_results(trace(body, (_INDEX, state), traced), state, "fori_loop", "the state")
    graph, captured = subgraph.close([*traced[1:], traced[0]], given)
    loop = Loop(graph, len(arrays), 0, 0, length=max(int(upper) - int(lower), 0), start=int(lower))
    return rebuilt(init, iter(call("fori_loop", loop, [*arrays, *captured], forms)))


@deferrable
def scan(f, init, xs=None, length=None, reverse=False):
    """Loop over arrays with a state, inside the graph: ``state, y = f(state, x)`` for each x in `xs`.

    Parameters
    ----------
    f : callable
        Takes the state and a slice of `xs`, and returns the next state, of the same structure, shapes and dtypes, and
        a result to collect: an array, a tree of arrays or None. It is traced once.
    init : array_like or tree of array_like
        The initial state.
    xs : array_like or tree of array_like, optional
        Scanned along the first axis.
    length : int, optional
        The number of iterations; required if `xs` is None.
    reverse : bool, optional
        Start with the last slice. The order of `ys` is that of `xs` all the same.

    Returns
    -------
    state : LazyArray or tree of LazyArray
        The final state.
    ys : LazyArray or tree of LazyArray
        The collected results, stacked along a new first axis.

    Raises
    ------
    ValueError
        If arrays in `xs` differ in length, or the number of iterations is unknown.
    TypeError
        If f changes a shape or a dtype of the state.
    TracedValueError
        If f needs a value.

    Examples
    --------
    >>> la.scan(lambda total, x: (total + x, total * x), 0.0, la.array([1.0, 2.0, 3.0]))
    (np.float64(6.0), array([0., 2., 9.]))
    """
    check_function(f, "scan: f")
    arrays, walked = operands(init, "scan: init"), operands(xs, "scan: xs")
    made, captured = traced_scan(f, (init, xs), (arrays, walked), _length(xs, walked, length), reverse)
    return made([*arrays, *walked, *captured])


class Scan:
    """A traced scan, with trees of the shapes and dtypes of its results."""

    def __init__(self, loop, state, ys):
        self.loop, self._state, self._ys = loop, state, ys
        self._forms = leaves(state) + leaves(ys)

    def __call__(self, operands):
        """Return the final state and the collected results for the loop's operands."""
        made = iter(call("scan", self.loop, operands, self._forms))
        return rebuilt(self._state, made), rebuilt(self._ys, made)


@unevaluated
def traced_scan(f, trees, arrays, length, reverse):
    """Return a `Scan`, and the arrays that the function captures.

    `trees` are the initial state, the scanned arrays, and further arguments of the function; `arrays` their leaves.
    """
    forms = [list(map(form_of, found)) for found in arrays]
    forms[1] = [Form(x.shape[1:], x.dtype, x.ndim == 1) for x in arrays[1]]
    state, *others = [rebuilt(tree, iter(found)) for tree, found in zip(trees, forms, strict=True)]
    traced = stand_ins(itertools.chain(*forms))
    out = trace(f, (state, *others), traced)
    if not isinstance(out, tuple) or len(out) != 2:
        raise TypeError(f"scan: the function must give the next state and what is collected, got {type(out).__name__}")
    given = as_results(out[0], state, "scan", "the state")
    collected = [traced_result(y, "scan") for y in leaves(out[1])]
    graph, captured = subgraph.close(traced, given + collected)
    loop = Loop(graph, len(forms[0]), len(forms[1]), len(collected), length=length, reverse=reverse)
    stacks = [Form((length, *y.shape), y.dtype) for y in collected]
    return Scan(loop, state, rebuilt(out[1], iter(stacks))), captured


def _length(xs, walked, length):
    if length is not None:
        length = integer(length, "scan: length", least=0)
    for path, x in zip(paths(xs), walked, strict=True):
        if not x.ndim:
            raise ValueError(f"scan: xs{path} has no axis to walk along")
        if length is None:
            length = len(x)
        elif len(x) != length:
            raise ValueError(f"scan: xs{path} has length {len(x)}, where {length} is expected")
    if length is None:
        raise ValueError("scan: without xs, length must be given")
    return length
