"""Rematerialisation: recompute values in the steps that read them where that is cheaper than memory traffic.

A value read by several steps is stored by the first, its home, and loaded by the others. If these load its operands
anyway, and the operations are cheap, they recompute it, and it stays in registers: `d * d`, read by a fold and, along
with `d`, by a later step. Only its home reports floating-point errors.

The cost model counts bytes per element and nothing else. The rounding of a fold depends on the program around it, so
the contents of programs must not depend on extents, on the order of steps, or on tunable numbers.
"""
from lazyarr._core.ir.fingerprint cimport CONSUMABLE, ESCAPES
from lazyarr._core.ir.graph_ir cimport Described, Graph
from lazyarr._core.ir.kinds cimport ELEMENTWISE, GIVEN, among
from lazyarr._core.ir.node cimport VIEW
from lazyarr.compiler.fusion cimport MAX_GROUP, base, fuses, hands_over, overwrites
from lazyarr.compiler.step_order cimport Steps, members_of, steps_of

cdef enum:
    MOST_OPERATIONS = 8   # recomputed for one value in one step
    MOST_READERS = 64     # searched for a read of an operand by the step


cdef Steps recompute(Graph graph, Steps steps):
    """Return the steps with rematerialised values."""
    cdef _Search search = None
    cdef Described* node
    cdef int* several = graph.ints(graph.count)     # by node: whether another step reads it
    cdef int i, j
    for i in range(graph.count):
        node = &graph.nodes[i]
        for j in node.inputs[:node.ninputs]:
            several[j] |= steps.step_of[j] != steps.step_of[i]
    for i in range(graph.count):
        if several[i] and graph.nodes[i].cheap and not graph.nodes[i].flags & ESCAPES:
            if search is None:
                search = _Search(graph, steps)
            search.look_at(i)
    return steps if search is None or not search.cones else search.extended()


cdef class _Search:
    """The search for values to rematerialise, inputs before their readers."""
    cdef Graph graph
    cdef Steps steps
    cdef int* step_of
    cdef int* overwritten       # by node: whether its storage is overwritten
    cdef list readers           # by node
    cdef dict cones             # by step: the values recomputed there

    def __cinit__(self, Graph graph, Steps steps):
        cdef int i, j
        cdef Described* node
        self.graph, self.steps, self.step_of, self.cones = graph, steps, steps.step_of, {}
        self.overwritten = graph.ints(graph.count)
        self.readers = [[] for _ in range(graph.count)]
        for i in range(graph.count):
            node = &graph.nodes[i]
            if overwrites(graph, i):
                self.overwritten[base(graph, node.inputs[0])] = True
            for j in node.inputs[:node.ninputs]:
                (<list>self.readers[j]).append(i)

    cdef int look_at(self, int i) except -1:
        """Rematerialise a value in all steps but its home, if that is cheaper and the operands are available."""
        cdef Described* node = &self.graph.nodes[i]
        cdef int k, reader, step, read, home = self.step_of[i], moved = node.itemsize, work = 0
        cdef bint read_at_home = False
        cdef set steps = set(), operands = set(), cone
        cdef list cones = []
        for reader in <list>self.readers[i]:
            step = self.step_of[reader]
            if step < 0 or not fuses(self.graph, i, reader):
                return 0
            if step == home:
                read_at_home = True
            else:
                steps.add(step)
        if not read_at_home:
            return 0
        for step in sorted(steps):
            cone = self._cone(i, step)
            if cone is None:
                return 0
            read = 0
            for k in self._loads(cone, step):
                if self.overwritten[base(self.graph, k)]:
                    return 0
                if not self._is_read(k, step):
                    operands.add(k)
                    read += self.graph.nodes[k].itemsize if self.graph.nodes[k].shape == node.shape else 0
            if read > node.itemsize:
                return 0
            moved += node.itemsize - read
            for k in cone:
                work += self.graph.nodes[k].cheap
            cones.append((step, cone))
        if work > moved or not self._are_there(i, operands) \
                or moved == node.itemsize and not self._is_stored_beside(i, operands):
            return 0
        for step, cone in cones:
            self.cones[step] = self.cones.get(step, set()) | cone
        return 0

    cdef set _cone(self, int i, int step):
        """Return a value and those of its transitive operands that are neither in memory nor in the step.

        None if there are too many, or one is not cheap.
        """
        cdef set cone = {i}, known = self.cones.get(step, set())
        cdef list pending = [i]
        cdef int j, count
        cdef Described* node
        while pending:
            node = &self.graph.nodes[<int>pending.pop()]
            for j in node.inputs[:node.ninputs]:
                if self.step_of[j] == step or j in known or j in cone or self._is_in_memory(j):
                    continue
                if not self.graph.nodes[j].cheap or len(cone) == MOST_OPERATIONS:
                    return None
                cone.add(j)
                pending.append(j)
        count = self.steps.first[step + 1] - self.steps.first[step]
        return cone if count + len(known) + len(cone) <= MAX_GROUP else None

    cdef bint _is_in_memory(self, int j) except -1:
        """Return whether a value is in memory."""
        cdef int reader, step
        if not among(self.graph.nodes[j].kind, ELEMENTWISE) or self.graph.nodes[j].flags & ESCAPES:
            return True
        for reader in <list>self.readers[j]:
            step = self.step_of[reader]
            if step != self.step_of[j] and not (step in self.cones and j in self.cones[step]):
                return True
        return False

    cdef set _loads(self, set cone, int step):
        """Return the values that a step must load for a cone."""
        cdef int i, j
        cdef set found = set(), known = self.cones.get(step, set())
        for i in cone:
            for j in self.graph.nodes[i].inputs[:self.graph.nodes[i].ninputs]:
                if self.step_of[j] != step and j not in cone and j not in known:
                    found.add(j)
        return found

    cdef bint _is_read(self, int j, int step) except -1:
        """Return whether a step reads a node already."""
        cdef int reader
        cdef set known = self.cones.get(step, set())
        for reader in (<list>self.readers[j])[:MOST_READERS]:
            if self.step_of[reader] == step or reader in known:
                return True
        return False

    cdef bint _are_there(self, int i, set operands) except -1:
        """Return whether the operands are live when other steps read the value, or may be kept live.

        Small ones may, and one in place of the value, whose memory is donated as the value's would have been.
        """
        cdef int j, reader
        cdef bint replaced = False
        for j in operands:
            if self._stays(base(self.graph, j)):
                continue
            if self.graph.nodes[j].shape != self.graph.nodes[i].shape and self.graph.nodes[j].kind != VIEW:
                continue
            if replaced or not self._is_alike(i, j):
                return False
            if hands_over(self.graph, j):  # to its epilogue, if that is the only reader
                if len({self.step_of[reader] for reader in self.readers[j]}) == 1:
                    return False
            replaced = True
        return True

    cdef bint _stays(self, int j) noexcept:
        """Return whether a node's memory may not be reused."""
        cdef Described* node = &self.graph.nodes[j]
        return not node.flags & CONSUMABLE if among(node.kind, GIVEN) else node.flags & ESCAPES

    cdef bint _is_stored_beside(self, int i, set operands) noexcept:
        """Return whether the value's home also stores an operand whose memory can be donated in its place."""
        cdef int j
        for j in operands:
            if self._is_alike(i, j) and self.step_of[i] == self.step_of[j] and not self._stays(j):
                return True
        return False

    cdef bint _is_alike(self, int i, int j) noexcept:
        """Return whether node i could use the memory of node j."""
        return (self.graph.nodes[i].shape == self.graph.nodes[j].shape
                and self.graph.nodes[i].itemsize == self.graph.nodes[j].itemsize and self.graph.nodes[j].kind != VIEW)

    cdef Steps extended(self):
        """Return the steps with their rematerialised values."""
        cdef int step
        return steps_of(self.graph, [
            sorted([*members_of(self.steps, step), *self.cones.get(step, ())]) for step in range(self.steps.count)])
