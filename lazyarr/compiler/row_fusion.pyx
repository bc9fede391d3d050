"""Candidates for row fusion: programs that can run on one block of rows after the other.

    x.max(-1)          |#|                 a block of rows goes through all of them before the next one does,
    exp(x - m), sum    | |#|               so that what one makes, or has read, is in the cache for the next
    e / s              |   |#|

Candidates follow each other, overwrite no window, fold nothing but rows, all of the same shape, and read what they read
or make in common. Whether what they share belongs to the same rows, and whether fusing pays, depends on extents and
strides: the core decides when it runs the steps (`_core/runtime/row_fusion.pyx`).
"""
from lazyarr._core.ir.graph_ir cimport Graph
from lazyarr._core.ir.node cimport SCALAR
from lazyarr._core.ir.step cimport Step
from lazyarr._core.ir.tile_program cimport Fold
from lazyarr.compiler.fusion cimport base

cdef enum:
    MOST_STEPS = 32         # that go together


cdef list by_rows(Graph graph, list steps):
    """The same steps, each with the number of those, itself included, that may go together from it on."""
    cdef int* touched = graph.ints(graph.count, -1)
    cdef list out = []
    cdef int number = 0, count, left
    while number < len(steps):
        count = _count(graph, steps, number, touched)
        for left in range(count, 0, -1):
            out.append(steps[number] if left == 1 else (<Step>steps[number]).replace(rows=left))
            number += 1
    return out


cdef int _count(Graph graph, list steps, int first, int* touched) except -1:
    """How many steps from this one on may go together, 1 if it goes alone.

    `touched[node]` is the first step of the last of such groups that read or made a node's storage.
    """
    cdef int number, fold = -1, other, i, count = 0
    cdef Step step
    cdef Fold folded
    for number in range(first, min(<int>len(steps), first + MOST_STEPS)):
        step = steps[number]
        if not _goes_through_rows(graph, step):
            break
        other = (<Fold>step.program.folds[0]).node if step.program.folds else -1
        if fold >= 0 and other >= 0 and not _fold_alike(graph, fold, other):
            break
        if count and not _reads_any(graph, step.program.loads, touched, first):
            break
        for i in step.program.loads:
            touched[base(graph, i)] = first
        for i in step.program.stores:
            touched[i] = first
        for folded in step.program.folds:
            touched[folded.node] = first
        fold = other if fold < 0 else fold
        count += 1
    return count if fold >= 0 and count else 1


cdef bint _goes_through_rows(Graph graph, Step step) except -1:
    """Whether a step is a program that overwrites no windows, and whose folds do not go from first to last."""
    if step.kind != "tile" or step.program.updates:
        return False
    return not step.program.folds or graph.nodes[(<Fold>step.program.folds[0]).node].attr == 0


cdef bint _fold_alike(Graph graph, int a, int b) noexcept:
    """Whether two folds go over the same axes of arrays of one shape."""
    return (graph.nodes[a].axes == graph.nodes[b].axes
            and graph.nodes[_folded(graph, a)].shape == graph.nodes[_folded(graph, b)].shape)


cdef int _folded(Graph graph, int fold) noexcept:
    return graph.nodes[fold].inputs[0]


cdef bint _reads_any(Graph graph, tuple loads, int* touched, int first) except -1:
    """Whether a program reads storage that the group has read or made, constants aside."""
    cdef int i
    for i in loads:
        if graph.nodes[i].kind != SCALAR and touched[base(graph, i)] == first:
            return True
    return False
