"""Rematerialisation: derivatives recompute a function's intermediate values instead of keeping them."""
import functools

from lazyarr._core.control import subgraph
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr._core.transforms import vjp
from lazyarr.autodiff.custom import GivenOn
from lazyarr.autodiff.trees import leaves, rebuilt
from lazyarr.control.tracing import call, form_of, in_order, operands, stand_ins, trace, unevaluated
from lazyarr.ops.arguments import check_function, traced_result
from lazyarr.ops.deferred_dispatch import deferrable


@api_boundary
def checkpoint(f):
    """Recompute the intermediate values of f in its derivative, to save memory.

    Parameters
    ----------
    f : callable
        A function of arrays, or trees of arrays. Each call traces it.

    Returns
    -------
    callable
        Takes the arguments of f and returns its results.

    Notes
    -----
    The backward pass recomputes what it needs from the arguments and the arrays that f captures, once the cotangent of
    the result is available. The two computations are never merged.

    Examples
    --------
    >>> la.grad(la.checkpoint(lambda x: la.sin(la.sin(x))))(0.0)
    np.float64(1.0)
    """
    check_function(f, "checkpoint: f")
    name = f"checkpoint of {getattr(f, '__name__', type(f).__name__)}"

    @deferrable
    @unevaluated
    @functools.wraps(f)
    def checkpointed(*args):
        arrays = operands(args, f"{name}: argument ")
        forms = list(map(form_of, arrays))
        traced = stand_ins(forms)
        tree = trace(f, rebuilt(args, iter(forms)), traced)
        results = [traced_result(y, "checkpoint") for y in leaves(tree)]
        graph, captured = subgraph.close(traced, results)
        given = [*arrays, *captured]
        made = subgraph.instantiate(graph, given)
        rule = functools.partial(pulled_back_again, graph)
        return rebuilt(tree, iter(call(name, GivenOn(len(made), rule), [*map(in_order, made), *given],
                                       list(map(form_of, results)))))

    return checkpointed


def pulled_back_again(graph, g, operands):
    """Return the cotangent of each operand of a graph, or None, recomputing the graph's values.

    `g` maps indices of outputs to their cotangents. There is one operand for each parameter of the graph.
    """
    with vjp.recording():
        inputs, results = graph.inputs, graph.results
        cotangents = stand_ins(map(form_of, g.values()))
        found = vjp.pull_back([results[k] for k in g], cotangents, inputs)
        derivative, captured = subgraph.close(inputs + cotangents, [x for x in found if x is not None])
    given = [in_order(x) for x in g.values()]
    again = [subgraph.behind(x, given[0]) for x in operands]
    made = iter(subgraph.instantiate(derivative, [*again, *given, *captured]))
    return [None if x is None else next(made) for x in found]
