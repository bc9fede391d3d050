"""The order of steps. A step runs after those it depends on. A step that overwrites storage runs as late as possible,
so that readers of the old values are done and the update runs in place. A step whose result only escapes, and is larger
than what it frees, such as the gradient of a weight, runs after those that free memory.
"""
from heapq import heapify, heappop, heappush

from lazyarr._core.ir.fingerprint cimport ESCAPES
from lazyarr._core.ir.graph_ir cimport Described, Graph
from lazyarr._core.ir.kinds cimport GIVEN, among
from lazyarr._core.ir.node cimport OPAQUE, VIEW
from lazyarr.compiler.fusion cimport base, first_waves, hands_over, overwrites


cdef class Steps:
    """Groups of nodes in execution order."""


cdef Steps steps_of(Graph graph, list members):
    """Return steps, each with the given nodes."""
    cdef Steps made = Steps.__new__(Steps)
    cdef int step, i, at = 0
    made.count = <int>len(members)
    made.first, made.members = graph.ints(made.count + 1), graph.ints(sum(map(len, members)))
    made.step_of = graph.ints(graph.count, -1)
    for step in range(made.count):
        for i in <list>members[step]:
            made.members[at] = i
            at += 1
            if made.step_of[i] < 0:
                made.step_of[i] = step
        made.first[step + 1] = at
    return made


cdef list members_of(Steps steps, int step):
    cdef int i
    return [i for i in steps.members[steps.first[step]:steps.first[step + 1]]]


cdef Steps _collect(Graph graph, int* group):
    """Return groups as steps, in the order of their first members."""
    cdef int i, k
    cdef int* number = graph.ints(graph.count, -1)    # of the step of a group
    cdef list members = []                            # by step
    for i in range(graph.count):
        if among(graph.nodes[i].kind, GIVEN | 1 << VIEW):
            continue
        k = group[i]
        if number[k] < 0:
            number[k] = <int>len(members)
            members.append([])
        (<list>members[number[k]]).append(i)
    return steps_of(graph, members)


cdef Steps _reordered(Graph graph, Steps steps, list sequence):
    """Return the same steps in another order."""
    return steps_of(graph, [members_of(steps, step) for step in sequence])


cdef Steps order(Graph graph, int* stage, int* level, int* group):
    """Return steps in dependency order, stage by stage. Of the ready ones, early waves run first; steps that only take
    memory run later, and those that overwrite last.
    """
    cdef Steps steps = _collect(graph, group)
    cdef int step, source, i, j, s, late
    cdef int* begin = first_waves(graph, stage)         # by stage: its first wave
    cdef int* needs = graph.ints(steps.count)           # number of steps it still depends on
    cdef int* last = graph.ints(steps.count, -1)
    cdef list readers = [[] for _ in range(steps.count)], priority = [], ready = [], sequence = []
    cdef Described* node
    for step in range(steps.count):
        for i in steps.members[steps.first[step]:steps.first[step + 1]]:
            node = &graph.nodes[i]
            for j in node.inputs[:node.ninputs]:
                source = steps.step_of[base(graph, j)]
                if source >= 0 and source != step and last[source] != step:
                    last[source] = step
                    needs[step] += 1
                    (<list>readers[source]).append(step)
    for step in range(steps.count):
        i = steps.members[steps.first[step]]
        s = stage[i]
        late = 2 if _overwrites(graph, steps, step) else _only_takes_memory(graph, steps, step, readers)
        priority.append((2 * begin[s] + late * (begin[s + 1] - begin[s]) + level[group[i]], group[i]))
    ready = [priority[step] for step in range(steps.count) if needs[step] == 0]
    heapify(ready)
    while ready:
        step = steps.step_of[<int>heappop(ready)[1]]
        sequence.append(step)
        for j in <list>readers[step]:
            needs[j] -= 1
            if needs[j] == 0:
                heappush(ready, priority[j])
    if len(sequence) != steps.count:  # also in releases, which have no assertions: steps would be lost
        raise AssertionError("steps depend on each other in a circle")
    return _delay_kernels(graph, _reordered(graph, steps, sequence))


cdef bint _overwrites(Graph graph, Steps steps, int step) noexcept:
    cdef int i
    for i in steps.members[steps.first[step]:steps.first[step + 1]]:
        if overwrites(graph, i):
            return True
    return False


cdef bint _only_takes_memory(Graph graph, Steps steps, int step, list readers) except -1:
    """Return whether a step stores more bytes than it reads, and its readers have none themselves."""
    cdef double balance = 0
    cdef Described* node
    cdef int i, j
    for i in <list>readers[step]:
        if readers[i]:
            return False
    for i in steps.members[steps.first[step]:steps.first[step + 1]]:
        node = &graph.nodes[i]
        if node.kind == OPAQUE or node.flags & ESCAPES:
            balance += node.nbytes
        for j in node.inputs[:node.ninputs]:
            j = base(graph, j)
            if steps.step_of[j] >= 0 and steps.step_of[j] != step:
                balance -= graph.nodes[j].nbytes
    return balance > 0


cdef Steps _delay_kernels(Graph graph, Steps steps):
    """Move kernels that may hand over their result right before its only reader, unless a step in between overwrites.

    Of several kernels with the same reader, move the last: only one can run together with it.
    """
    cdef int step, source, i, j, reader
    cdef int* reader_of = graph.ints(steps.count, -1)   # the only reader of a kernel's step; -1: none yet, -2: several
    cdef int* behind = graph.ints(steps.count, -1)      # by step: the kernel to move right before it, or -1
    cdef int* before = graph.ints(steps.count + 1)      # number of earlier steps that overwrite
    cdef Described* node
    cdef list sequence = []
    cdef bint delayed = False
    for step in range(steps.count):
        before[step + 1] = before[step] + _overwrites(graph, steps, step)
        for i in steps.members[steps.first[step]:steps.first[step + 1]]:
            node = &graph.nodes[i]
            for j in node.inputs[:node.ninputs]:
                j = base(graph, j)
                source = steps.step_of[j]
                if source >= 0 and source != step and hands_over(graph, j):
                    reader_of[source] = step if reader_of[source] in (-1, step) else -2
    for step in range(steps.count):
        reader = reader_of[step]
        if reader >= 0 and before[reader] == before[step + 1]:
            behind[reader], delayed = step, True
    if not delayed:
        return steps
    for step in range(steps.count):
        if behind[step] >= 0:
            sequence.append(behind[step])
        reader = reader_of[step]
        if reader < 0 or behind[reader] != step:
            sequence.append(step)
    return _reordered(graph, steps, sequence)
