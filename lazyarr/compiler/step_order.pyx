"""The order of steps. Dependent steps come later; a step that overwrites old storage comes as late as it can, so that
the old values' readers are done and the update runs in place; a step whose result is only wanted outside, and larger
than what could be freed for it, as the gradient of a weight is, comes after those that free memory.
"""
from cpython cimport array
from libc.stdint cimport uint64_t
from libc.string cimport memset

from lazyarr._core.ir.fingerprint cimport ESCAPES
from lazyarr._core.ir.graph_ir cimport Described, Graph
from lazyarr._core.ir.kinds cimport GIVEN, among
from lazyarr._core.ir.node cimport OPAQUE, VIEW
from lazyarr.compiler.fusion cimport base, first_waves, hands_over, overwrites

import array

cdef array.array _ints = array.array("i")
cdef array.array _numbers = array.array("Q")


cdef class Steps:
    """Groups of nodes, in the order in which they run."""


cdef Steps _collect(Graph graph, array.array group):
    """Groups in the order of their first members."""
    cdef Steps steps = Steps.__new__(Steps)
    cdef int n = graph.count, i, k, count = 0
    cdef array.array numbers = array.clone(_ints, n, False)
    cdef int* number = numbers.data.as_ints     # of the step of a group
    cdef int* first
    cdef int* step_of
    memset(number, 0xff, n * sizeof(int))
    steps.step_of = array.clone(_ints, n, False)
    step_of = steps.step_of.data.as_ints
    for i in range(n):
        step_of[i] = -1
        if among(graph.nodes[i].kind, GIVEN | 1 << VIEW):
            continue
        k = group.data.as_ints[i]
        if number[k] < 0:
            number[k] = count
            count += 1
        step_of[i] = number[k]
    steps.count = count
    steps.first = array.clone(_ints, count + 2, True)
    first = steps.first.data.as_ints
    for i in range(n):
        if step_of[i] >= 0:
            first[step_of[i] + 2] += 1
    for k in range(count):
        first[k + 2] += first[k + 1]
    steps.members = array.clone(_ints, n, False)
    for i in range(n):
        if step_of[i] >= 0:
            steps.members.data.as_ints[first[step_of[i] + 1]] = i
            first[step_of[i] + 1] += 1
    return steps


cdef Steps _reordered(Graph graph, Steps steps, int* sequence):
    """The same steps in another order."""
    cdef Steps made = Steps.__new__(Steps)
    cdef int n = graph.count, k, i, at = 0, step
    made.count = steps.count
    made.first, made.members = array.clone(_ints, steps.count + 1, False), array.clone(_ints, n, False)
    made.step_of = array.clone(_ints, n, False)
    memset(made.step_of.data.as_ints, 0xff, n * sizeof(int))
    for k in range(steps.count):
        step = sequence[k]
        made.first.data.as_ints[k] = at
        for i in range(steps.first.data.as_ints[step], steps.first.data.as_ints[step + 1]):
            made.members.data.as_ints[at] = steps.members.data.as_ints[i]
            made.step_of.data.as_ints[steps.members.data.as_ints[i]] = k
            at += 1
    made.first.data.as_ints[steps.count] = at
    return made


cdef Steps order(Graph graph, array.array stage, array.array level, array.array group):
    """Steps in dependency order, stage after stage; of a stage's that are ready first those of early waves, those that
    only take memory and overwriting ones last.
    """
    cdef Steps steps = _collect(graph, group)
    cdef int count = steps.count, step, source, i, j, k, at, s, late, done = 0, waiting = 0
    cdef array.array waits = array.clone(_ints, count, True), last = array.clone(_ints, count, False)
    cdef array.array feeds = array.clone(_ints, count + 2, True), sequence = array.clone(_ints, count, False)
    cdef array.array fed
    cdef array.array heaps = array.clone(_numbers, count + 1, False)
    cdef array.array priorities = array.clone(_numbers, count, False), begins = first_waves(stage)
    cdef uint64_t* heap = <uint64_t*>heaps.data.as_voidptr
    cdef uint64_t* priority = <uint64_t*>priorities.data.as_voidptr
    cdef int* first = steps.first.data.as_ints
    cdef int* member = steps.members.data.as_ints
    cdef int* step_of = steps.step_of.data.as_ints
    cdef int* begin = begins.data.as_ints       # by stage: its first wave
    cdef int* needs = waits.data.as_ints
    cdef int* feed = feeds.data.as_ints
    cdef Described* node
    cdef bint counting
    # each edge between steps once: counted, then written down
    for counting in (True, False):
        memset(last.data.as_ints, 0xff, count * sizeof(int))
        if not counting:
            for k in range(count):
                feed[k + 2] += feed[k + 1]
            fed = array.clone(_ints, feed[count + 1], False)
        for step in range(count):
            for at in range(first[step], first[step + 1]):
                node = &graph.nodes[member[at]]
                for k in range(node.ninputs):
                    source = step_of[base(graph, graph.inputs[node.first_input + k])]
                    if source < 0 or source == step or last.data.as_ints[source] == step:
                        continue
                    last.data.as_ints[source] = step
                    if counting:
                        needs[step] += 1
                        feed[source + 2] += 1
                    else:
                        fed.data.as_ints[feed[source + 1]] = step
                        feed[source + 1] += 1
    for step in range(count):
        i = member[first[step]]
        s = stage.data.as_ints[i]
        late = 2 if _overwrites(graph, steps, step) else _only_takes_memory(graph, steps, step, feed, fed.data.as_ints)
        priority[step] = (<uint64_t>(2 * begin[s] + late * (begin[s + 1] - begin[s])
                                     + level.data.as_ints[group.data.as_ints[i]]) << 31
                          | <uint64_t>group.data.as_ints[i])
    for step in range(count):
        if needs[step] == 0:
            waiting = _push(heap, waiting, priority[step])
    while waiting:
        step = step_of[heap[0] & 0x7fffffff]
        waiting = _pop(heap, waiting)
        sequence.data.as_ints[done] = step
        done += 1
        for k in range(feed[step], feed[step + 1]):
            j = fed.data.as_ints[k]
            needs[j] -= 1
            if needs[j] == 0:
                waiting = _push(heap, waiting, priority[j])
    if done != count:  # also in releases, which have no assertions: steps would be lost
        raise AssertionError("steps depend on each other in a circle")
    return _delay_kernels(graph, _reordered(graph, steps, sequence.data.as_ints))


cdef bint _overwrites(Graph graph, Steps steps, int step) noexcept:
    cdef int at
    for at in range(steps.first.data.as_ints[step], steps.first.data.as_ints[step + 1]):
        if overwrites(graph, steps.members.data.as_ints[at]):
            return True
    return False


cdef bint _only_takes_memory(Graph graph, Steps steps, int step, int* feed, int* fed) noexcept:
    """Whether a step makes more than it reads of computed values, for no step or for steps without readers."""
    cdef double balance = 0
    cdef Described* node
    cdef int at, k, i
    for k in range(feed[step], feed[step + 1]):
        if feed[fed[k]] != feed[fed[k] + 1]:
            return False
    for at in range(steps.first.data.as_ints[step], steps.first.data.as_ints[step + 1]):
        node = &graph.nodes[steps.members.data.as_ints[at]]
        if node.kind == OPAQUE or node.flags & ESCAPES:
            balance += node.nbytes
        for k in range(node.ninputs):
            i = base(graph, graph.inputs[node.first_input + k])
            if steps.step_of.data.as_ints[i] >= 0 and steps.step_of.data.as_ints[i] != step:
                balance -= graph.nodes[i].nbytes
    return balance > 0


cdef int _push(uint64_t* heap, int count, uint64_t value) noexcept:
    """Add to a binary heap, the least in front; returns how many there are."""
    cdef int i = count, above
    while i and heap[(i - 1) // 2] > value:
        above = (i - 1) // 2
        heap[i] = heap[above]
        i = above
    heap[i] = value
    return count + 1


cdef int _pop(uint64_t* heap, int count) noexcept:
    """Take the least away; returns how many are left."""
    cdef int i = 0, below
    cdef uint64_t value
    count -= 1
    value = heap[count]
    while 2 * i + 1 < count:
        below = 2 * i + 1
        if below + 1 < count and heap[below + 1] < heap[below]:
            below += 1
        if heap[below] >= value:
            break
        heap[i] = heap[below]
        i = below
    heap[i] = value
    return count


cdef Steps _delay_kernels(Graph graph, Steps steps):
    """Put kernels that may hand their result over right before its only reader, where nothing between overwrites.

    Of several with one reader the last one: only one can run together with it.
    """
    cdef int count = steps.count, step, source, k, i, at, reader
    cdef array.array readers = array.clone(_ints, count, False), delayed = array.clone(_ints, count, False)
    cdef array.array changes = array.clone(_ints, count + 1, True), sequence = array.clone(_ints, count, False)
    cdef int* first = steps.first.data.as_ints
    cdef int* member = steps.members.data.as_ints
    cdef int* reader_of = readers.data.as_ints    # the one reader of a kernel's step; -1: none yet, -2: several
    cdef int* behind = delayed.data.as_ints       # by step: the kernel that comes right before it, or -1
    cdef int* before = changes.data.as_ints       # how many of the steps before this one overwrite
    cdef Described* node
    memset(reader_of, 0xff, count * sizeof(int))
    memset(behind, 0xff, count * sizeof(int))
    for step in range(count):
        before[step + 1] = before[step] + _overwrites(graph, steps, step)
        for at in range(first[step], first[step + 1]):
            node = &graph.nodes[member[at]]
            for k in range(node.ninputs):
                i = base(graph, graph.inputs[node.first_input + k])
                source = steps.step_of.data.as_ints[i]
                if source < 0 or source == step or not hands_over(graph, i):
                    continue
                reader_of[source] = step if reader_of[source] in (-1, step) else -2
    for step in range(count):
        reader = reader_of[step]
        if reader >= 0 and before[reader] == before[step + 1]:
            behind[reader] = step
    at = 0
    for step in range(count):
        if behind[step] >= 0:
            sequence.data.as_ints[at] = behind[step]
            at += 1
        reader = reader_of[step]
        if reader < 0 or behind[reader] != step:
            sequence.data.as_ints[at] = step
            at += 1
    return _reordered(graph, steps, sequence.data.as_ints)
