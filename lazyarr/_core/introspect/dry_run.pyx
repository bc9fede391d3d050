"""Dry runs: the steps an evaluation would run, and their memory."""
from cpython.sequence cimport PySequence_Fast_ITEMS
from libc.string cimport memset

from typing import NamedTuple

from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.introspect.pending_ops cimport operation
from lazyarr._core.ir.fingerprint cimport ESCAPES, Walk, release_walk, surroundings, walk
from lazyarr._core.ir.fp_errors cimport origin
from lazyarr._core.ir.node cimport EMPTY, LEAF, RESULT, SCALAR, VIEW, Node, is_evaluated
from lazyarr._core.ir.shape cimport shape_tuple
from lazyarr._core.ir.step cimport Step
from lazyarr._core.runtime.evaluation_lock cimport enter, leave
from lazyarr._core.runtime.executor cimport expected_work
from lazyarr._core.runtime.plan_cache cimport Plan, describe, find_plan, memory_of_values

from lazyarr._core.ir.graph_ir import Graph

cdef dict _NAMES = {LEAF: "array", SCALAR: "constant", VIEW: "view", RESULT: "result", EMPTY: "empty"}


class Foreseen(NamedTuple):
    """A node: inputs are positions of nodes before it, `nbytes` its storage, `line` (file, number, function).

    ``stored`` is False for results of steps of which only a part is in memory at any time.
    """

    kind: int
    name: str
    shape: tuple
    dtype: object
    nbytes: int
    inputs: tuple
    wanted: bool
    line: tuple
    stored: bool = True


class Foresight(NamedTuple):
    """The steps and values of an evaluation that has not run.

    Attributes
    ----------
    nodes : list of Foreseen
    graph : Graph
        The description that passes get.
    plan : Plan
        Its ``timeline`` has by step the name, start and seconds in the last evaluation with this plan that was
        profiled, the thread that ran it (0 evaluates) and, if it had teams, of each of their threads the number, start
        and seconds of what it did; None without one. ``rewrites`` are the names of the rewrite rules that were
        applied, one for each time.
    expected : list of float or None
        Nanoseconds by step on one thread, where the costs of its operations are known.
    places : dict of int to int
        Offsets in the arena by the node that is the first to lie there.
    """

    nodes: list
    graph: object
    plan: object
    expected: list
    places: dict


def foresee(list arrays):
    """Foresee what `evaluate` would run for arrays."""
    cdef Walk w
    cdef LazyArray x
    cdef Node node
    cdef Plan plan
    cdef int i, k
    cdef list nodes = [], roots = []
    memset(&w, 0, sizeof(Walk))
    enter()
    try:
        for x in arrays:
            x = x if x.root is None else x.root
            if not is_evaluated(x.node):
                roots.append(x.node)
        if not roots:
            return Foresight([], Graph(), Plan(), [], {})
        walk(&w, PySequence_Fast_ITEMS(roots), <int>len(roots))
        plan = find_plan(&w)
        unstored, places = memory_of_values(&w, plan)
        for i in range(w.count):
            node = <Node>w.nodes[i]
            kind = node.kind if node.data is NULL or node.kind == SCALAR else <int>LEAF
            nodes.append(Foreseen(
                kind, _NAMES.get(kind) or operation(node), shape_tuple(node), node.dtype, node.span,
                tuple([(<Node>node.inputs[k]).index for k in range(node.ninputs)]) if node.data is NULL else (),
                bool(surroundings(&w)[i] & ESCAPES), origin(node), i not in unstored))
        return Foresight(nodes, describe(&w), plan, _expected_ns(&w, plan.steps), places)
    finally:
        leave()
        release_walk(&w)


cdef list _expected_ns(Walk* w, list steps):
    """Estimated cost of each step on one thread, None where it is unknown.

    Of calls those are known whose function has a method `cost`: a function of the first operand's dtype, the shape of
    the result, and the shapes of the operands.
    """
    cdef Step step
    cdef Node node
    cdef int k
    cdef list found = []
    for step in steps:
        expected = 0.0 if step.program is None else expected_work(w, step.program)
        if step.program is None or step.behind_kernel:
            node = <Node>w.nodes[step.node]
            cost = None if step.kind == "empty" else getattr(node.payload[1], "cost", None)
            operands = [shape_tuple(<Node>node.inputs[k]) for k in range(node.ninputs)]
            estimate = None if cost is None else cost((<Node>node.inputs[0]).dtype, shape_tuple(node), *operands)
            expected = None if estimate is None else expected + estimate
        found.append(expected)
    return found
