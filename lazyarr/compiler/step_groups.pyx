"""Steps that run together: kernels with epilogues, concurrent programs, programs fused by rows.

    x.max(-1)          |#|                 each block of rows goes through all programs before the next block, so that
    exp(x - m), sum    | |#|               what one program loads or stores is in the cache for the next
    e / s              |   |#|

Groups are candidates: the core decides by extents and strides, when it runs the steps.
"""
from lazyarr._core.ir.graph_ir cimport Graph
from lazyarr._core.ir.node cimport CHANGES, FINISHES, LEAF, OPAQUE, RESULT, SCALAR, UPDATE
from lazyarr._core.ir.step cimport Step
from lazyarr._core.ir.tile_program cimport Fold
from lazyarr._core.tile.loop_nest cimport MAX_CONCURRENT
from lazyarr.compiler.fusion cimport base, hands_over, reads_storage_of

cdef enum:
    MOST_STEPS = 32         # fused by rows


cdef list group_steps(Graph graph, list steps):
    """Return the steps with kernels joined to their epilogues, each with the sizes of the groups that it begins."""
    return _by_rows(graph, _beside_each_other(graph, _join(graph, steps)))


# ---- epilogues -------------------------------------------------------------------------------------------


cdef list _join(Graph graph, list steps):
    """Join kernels that may hand over parts of their result with the programs after them."""
    cdef list out = []
    cdef Step kernel, step
    for step in steps:
        if out and _runs_behind(graph, out[len(out) - 1], step):
            kernel = out.pop()
            donors = tuple([(store, donor) for store, donor in step.donors
                            if donor == kernel.node or graph.nodes[<int>donor].kind == LEAF])
            frees = tuple(sorted({*kernel.frees, *step.frees}))
            step = step.replace(kind="epilogue", node=kernel.node, frees=frees, donors=donors, in_place=())
        out.append(step)
    return out


cdef bint _runs_behind(Graph graph, Step kernel, Step step) except -1:
    """Return whether a step is a program that can run on parts of the result of the kernel before it.

    It reads each element of the result once, in place, and is its only reader. It overwrites nothing but the result,
    so that both can run again after a failure; after a kernel that cannot fail, also leaves that the kernel does not
    read. Inputs of the kernel live until the program ends, so the program must not need memory besides the result's.
    """
    cdef int result, i, times = 0
    if kernel.kind != "opaque" or step.kind != "tile":
        return False
    result = kernel.node
    if not hands_over(graph, result) or result not in step.frees:
        return False
    if step.program.folds or step.program.updates or graph.nodes[step.program.space].shape != graph.nodes[result].shape:
        return False
    for i in step.program.loads:
        if base(graph, i) == result:
            if i != result:
                return False
            times += 1
    if times != 1:
        return False
    for _, i in step.donors:
        if graph.nodes[i].kind != LEAF:
            continue
        if graph.nodes[result].attr != FINISHES or reads_storage_of(graph, result, i):
            return False
    return not kernel.frees or len(step.donors) == len(step.program.stores)


# ---- concurrent programs or calls: none reads or overwrites what another one stores ------------------------


cdef list _beside_each_other(Graph graph, list steps):
    """Return the steps, each with the number of steps from it on that can run concurrently, itself included."""
    cdef int* made_by = graph.ints(graph.count, -1)   # by node: the program that stores it, or -1
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
            elif _is_plain_call(graph, step):
                waits_for = _call_waits_for(graph, step, number, made_by)
            if waits_for < number and first < number and (<Step>steps[number - 1]).kind != step.kind:
                waits_for = number - 1
        while first < number and (first <= waits_for or number - first == MAX_CONCURRENT):
            step = steps[first]
            out.append(step if number - first == 1 else step.replace(concurrent=number - first))
            first += 1
        if waits_for == number:  # it runs alone
            if number < len(steps):
                out.append(steps[number])
            first = number + 1
    return out


cdef int _waits_for(Graph graph, Step step, int number, int* made_by, int* read_by) except -2:
    """Return the last earlier program that this one depends on, or -1."""
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


cdef bint _is_plain_call(Graph graph, Step step) except -1:
    """Return whether a step calls a function that changes none of its operands."""
    return step.kind == "opaque" and graph.nodes[step.node].kind == OPAQUE and graph.nodes[step.node].attr != CHANGES


cdef int _call_waits_for(Graph graph, Step step, int number, int* made_by) except -2:
    """Return the last earlier call that this one depends on, or -1."""
    cdef int k, i, last = -1
    for k in range(graph.nodes[step.node].ninputs):
        i = base(graph, graph.nodes[step.node].inputs[k])
        if graph.nodes[i].kind == RESULT:
            i = graph.nodes[i].inputs[0]
        last = max(last, made_by[i])
    made_by[step.node] = number
    return last


# ---- row fusion --------------------------------------------------------------------------------------------


cdef list _by_rows(Graph graph, list steps):
    """Return the steps, each with the number of steps from it on that may be fused by rows, itself included.

    These are consecutive, update no window, fold only rows of one shape, and each shares memory with those before it.
    """
    cdef int* touched = graph.ints(graph.count, -1)
    cdef list out = []
    cdef int number = 0, count, left
    while number < len(steps):
        count = _count_by_rows(graph, steps, number, touched)
        for left in range(count, 0, -1):
            out.append(steps[number] if left == 1 else (<Step>steps[number]).replace(rows=left))
            number += 1
    return out


cdef int _count_by_rows(Graph graph, list steps, int first, int* touched) except -1:
    """Return how many steps from this one on may be fused, 1 for this step alone.

    `touched[node]` is the first step of the latest group that reads or stores the node.
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
    """Return whether a step is a program without updates whose folds need not run in order."""
    if step.kind != "tile" or step.program.updates:
        return False
    return not step.program.folds or graph.nodes[(<Fold>step.program.folds[0]).node].attr == 0


cdef bint _fold_alike(Graph graph, int a, int b) noexcept:
    """Return whether two folds go over the same axes of arrays of one shape."""
    return (graph.nodes[a].axes == graph.nodes[b].axes
            and graph.nodes[_folded(graph, a)].shape == graph.nodes[_folded(graph, b)].shape)


cdef int _folded(Graph graph, int fold) noexcept:
    return graph.nodes[fold].inputs[0]


cdef bint _reads_any(Graph graph, tuple loads, int* touched, int first) except -1:
    """Return whether a program reads storage that the group reads or stores, except for constants."""
    cdef int i
    for i in loads:
        if graph.nodes[i].kind != SCALAR and touched[base(graph, i)] == first:
            return True
    return False
