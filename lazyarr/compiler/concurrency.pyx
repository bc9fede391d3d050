"""Concurrent programs: consecutive ones that read and overwrite nothing of each other's."""
from lazyarr._core.ir.graph_ir cimport Graph
from lazyarr._core.ir.node cimport UPDATE
from lazyarr._core.ir.step cimport Step
from lazyarr._core.ir.tile_program cimport Fold
from lazyarr._core.tile.loop_nest cimport MAX_CONCURRENT
from lazyarr.compiler.fusion cimport base


cdef list beside_each_other(Graph graph, list steps):
    """The same steps, each with the number of those, itself included, that can run side by side from it on."""
    cdef int* made_by = graph.ints(graph.count, -1)   # by node: the program that stores it; -1: none
    cdef int* read_by = graph.ints(graph.count, -1)   # the last program that reads its storage
    cdef list out = []
    cdef int number, first = 0, waits_for
    cdef Step step
    for number in range(len(steps) + 1):
        waits_for = number
        if number < len(steps):
            step = steps[number]
            if step.kind == "tile":
                waits_for = _waits_for(graph, step, number, made_by, read_by)
        while first < number and (first <= waits_for or number - first == MAX_CONCURRENT):
            step = steps[first]
            out.append(step if number - first == 1 else step.replace(concurrent=number - first))
            first += 1
        if waits_for == number:  # it stands for itself
            if number < len(steps):
                out.append(steps[number])
            first = number + 1
    return out


cdef int _waits_for(Graph graph, Step step, int number, int* made_by, int* read_by) except -2:
    """The last program before this one that must have run, -1 for none."""
    cdef int i, old, last = -1
    cdef Fold fold
    for _, i in step.donors:
        last = max(last, read_by[i])
    for i in step.in_place:
        last = max(last, read_by[graph.nodes[i].inputs[0]])
    for i in step.program.loads:
        i = base(graph, i)
        last = max(last, made_by[i])
        read_by[i] = number
    for i in step.program.stores:
        made_by[i] = number
    for i in step.program.stores:
        if graph.nodes[i].kind == UPDATE:
            old = graph.nodes[i].inputs[0]
            if made_by[old] != number:
                last = max(last, made_by[old])
            read_by[old] = number
    for fold in step.program.folds:
        made_by[fold.node] = number
    return last
