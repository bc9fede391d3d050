"""The schedule: which nodes run together, in what order, and whose memory they reuse.

The input is the description of a graph, the output a list of `Step`; nothing here touches a node. Only the order of
steps depends on extents, and any order is correct for all extents. The package's docstring lists the passes.
"""
from lazyarr._core.ir cimport node, fingerprint
from lazyarr._core.ir.graph_ir cimport Graph
from lazyarr.compiler cimport fusion, stages
from lazyarr.compiler.lower cimport emit
from lazyarr.compiler.rematerialize cimport recompute
from lazyarr.compiler.step_groups cimport group_steps
from lazyarr.compiler.step_order cimport Steps, order

LEAF, SCALAR, VIEW, MAP, MASKED, COMPRESS = node.LEAF, node.SCALAR, node.VIEW, node.MAP, node.MASKED, node.COMPRESS
PACKED, EXPAND, RESULT, UPDATE, REDUCE = node.PACKED, node.EXPAND, node.RESULT, node.UPDATE, node.REDUCE
EMPTY, OPAQUE, REPEAT = node.EMPTY, node.OPAQUE, node.REPEAT
ESCAPES, CONSUMABLE = fingerprint.ESCAPES, fingerprint.CONSUMABLE
CHANGES, HANDS_OVER, FINISHES = node.CHANGES, node.HANDS_OVER, node.FINISHES
"""Opaque calls that change their first input's storage; kernels that may hand over parts of their result."""
BESIDE = node.BESIDE
"""An update whose window is adjacent to those of the updates below it, which have no other reader."""
SELECTION = frozenset([COMPRESS, PACKED])
"""Kinds whose values are packed in registers, and in memory scattered by their mask, the last input."""


cdef double ENOUGH = 1.1        # try stages if peak memory exceeds that of single operations by this factor
cdef enum:
    TRIALS = 4                  # with a quarter of that as the budget, an eighth, ...


def schedule(Graph graph):
    """Return steps that evaluate every escaping node of a graph.

    Examples
    --------
    >>> from lazyarr._core.ir.graph_ir import Graph
    >>> from lazyarr._core.ir.inner_loops import loop_number
    >>> leaf = LEAF, (), 0, 8, 0, 0, (), 0
    >>> double = MAP, (0, 0), 0, 8, ESCAPES, loop_number("add", "ddd"), (8,), 0
    >>> [step] = schedule(Graph([leaf, double]))
    >>> print(step)
    tile, over n1
        n1 = add dd->d (n0, n0)
    """
    return group_steps(graph, emit(graph, recompute(graph, _within_memory(graph))))


cdef Steps _within_memory(Graph graph):
    """Return steps in order, of the whole graph or, if they need clearly less memory, of its stages."""
    cdef int* stage = graph.ints(graph.count)   # a single stage
    cdef int* level = fusion.levels(graph, stage)
    cdef int* groups = fusion.groups(graph, level)
    cdef Steps steps = order(graph, stage, level, groups), single, found
    cdef double one_by_one, budget, most, least
    if not stages.is_large(graph):
        return steps
    single = stages.one_by_one(graph)
    least = stages.most_at_once(graph, steps)
    one_by_one = budget = stages.most_at_once(graph, single)
    for _ in range(TRIALS):
        if least <= ENOUGH * one_by_one:
            break
        budget /= 4 if budget == one_by_one else 2
        stage = stages.cut(graph, single, groups, budget)
        level = fusion.levels(graph, stage)
        found = order(graph, stage, level, fusion.groups(graph, level))
        most = stages.most_at_once(graph, found)
        if ENOUGH * most < least:
            steps, least = found, most
    return steps
