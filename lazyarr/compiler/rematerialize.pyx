"""Values that are computed again in the steps that read them, where that costs less than memory.

A value that several steps read is stored by the first, its home, and loaded by the others. If these read what it is
made of anyway, and the operations are cheap, they compute it themselves, and it stays in registers: `d * d`, read by a
fold and, with `d`, by a later step. Its home reports floating-point errors, the copies report none.

The model counts bytes an element and nothing else. How a fold rounds depends on the program it ends, so what programs
are made of must not depend on extents, nor on the order of steps, nor on numbers that can be tuned.
"""
from cpython cimport array

from lazyarr._core.ir.fingerprint cimport CONSUMABLE, ESCAPES
from lazyarr._core.ir.graph_ir cimport Described, Graph
from lazyarr._core.ir.kinds cimport ELEMENTWISE, GIVEN, among
from lazyarr._core.ir.node cimport VIEW
from lazyarr.compiler.fusion cimport MAX_GROUP, base, fuses, hands_over, overwrites
from lazyarr.compiler.step_order cimport Steps

import array

cdef enum:
    MOST_OPERATIONS = 8   # of one value in one step
    MOST_READERS = 64     # looked through to see whether a step reads an operand anyway

cdef array.array _ints = array.array("i")


cdef Steps recompute(Graph graph, Steps steps):
    """The steps, with values computed again in those that read them."""
    cdef _Search search = None
    cdef int* step_of = steps.step_of.data.as_ints
    cdef int i, k
    cdef array.array several = array.clone(_ints, graph.count, True)
    for i in range(graph.count):
        for k in range(graph.nodes[i].ninputs):
            if step_of[graph.inputs[graph.nodes[i].first_input + k]] != step_of[i]:
                several.data.as_ints[graph.inputs[graph.nodes[i].first_input + k]] = True
    for i in range(graph.count):
        if several.data.as_ints[i] and graph.nodes[i].cheap and not graph.nodes[i].flags & ESCAPES:
            if search is None:
                search = _Search.__new__(_Search)
                search.prepare(graph, steps)
            search.look_at(i)
    return steps if search is None or not search.cones else search.extended()


cdef class _Search:
    """Looks at one value after the other, inputs before what reads them."""
    cdef Graph graph
    cdef Steps steps
    cdef list arrays            # what the next ones point to
    cdef int* step_of
    cdef int* overwritten       # by node: whether its storage is
    cdef int* first_reader      # by node: where its readers begin
    cdef int* readers
    cdef dict cones             # by step: what is computed again there

    cdef int* _array(self, int count) except NULL:
        cdef array.array made = array.clone(_ints, count, True)
        self.arrays.append(made)
        return made.data.as_ints

    cdef int prepare(self, Graph graph, Steps steps) except -1:
        cdef int i, j, k, n = graph.count
        cdef Described* node
        self.graph, self.steps, self.arrays, self.cones = graph, steps, [], {}
        self.step_of = steps.step_of.data.as_ints
        self.overwritten, self.first_reader = self._array(n), self._array(n + 2)
        for i in range(n):
            node = &graph.nodes[i]
            if overwrites(graph, i):
                self.overwritten[base(graph, graph.inputs[node.first_input])] = True
            for k in range(node.ninputs):
                j = graph.inputs[node.first_input + k]
                self.first_reader[j + 2] += 1
        for i in range(n):
            self.first_reader[i + 2] += self.first_reader[i + 1]
        self.readers = self._array(self.first_reader[n + 1])
        for i in range(n):
            node = &graph.nodes[i]
            for k in range(node.ninputs):
                j = graph.inputs[node.first_input + k]
                self.readers[self.first_reader[j + 1]] = i
                self.first_reader[j + 1] += 1
        return 0

    cdef int look_at(self, int i) except -1:
        """Rematerialise a value in all steps but its home, if that pays and the operands are available."""
        cdef Described* node = &self.graph.nodes[i]
        cdef int k, reader, step, read, home = self.step_of[i], moved = node.itemsize, work = 0
        cdef bint read_at_home = False
        cdef set steps = set(), operands = set(), cone
        cdef list cones = []
        for k in range(self.first_reader[i], self.first_reader[i + 1]):
            reader = self.readers[k]
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
        """A value and those of its operands, and of theirs, that are not in memory, as far as a step lacks them.

        None if there are too many, or some that are not cheap.
        """
        cdef set cone = {i}, known = self.cones.get(step, set())
        cdef list pending = [i]
        cdef int k, j
        cdef Described* node
        cdef int* first = self.steps.first.data.as_ints
        while pending:
            node = &self.graph.nodes[<int>pending.pop()]
            for k in range(node.ninputs):
                j = self.graph.inputs[node.first_input + k]
                if self.step_of[j] == step or j in known or j in cone or self._is_in_memory(j):
                    continue
                if not self.graph.nodes[j].cheap or len(cone) == MOST_OPERATIONS:
                    return None
                cone.add(j)
                pending.append(j)
        return cone if first[step + 1] - first[step] + len(known) + len(cone) <= MAX_GROUP else None

    cdef bint _is_in_memory(self, int j) except -1:
        """Whether a value is stored, or stands for storage."""
        cdef int k, step
        if not among(self.graph.nodes[j].kind, ELEMENTWISE) or self.graph.nodes[j].flags & ESCAPES:
            return True
        for k in range(self.first_reader[j], self.first_reader[j + 1]):
            step = self.step_of[self.readers[k]]
            if step != self.step_of[j] and not (step in self.cones and j in self.cones[step]):
                return True
        return False

    cdef set _loads(self, set cone, int step):
        """The values that a step loads for a cone."""
        cdef int i, j, k
        cdef set found = set(), known = self.cones.get(step, set())
        for i in cone:
            for k in range(self.graph.nodes[i].ninputs):
                j = self.graph.inputs[self.graph.nodes[i].first_input + k]
                if self.step_of[j] != step and j not in cone and j not in known:
                    found.add(j)
        return found

    cdef bint _is_read(self, int j, int step) except -1:
        """Whether a step reads a node anyway."""
        cdef int k, start = self.first_reader[j]
        cdef set known = self.cones.get(step, set())
        for k in range(start, min(self.first_reader[j + 1], start + MOST_READERS)):
            if self.step_of[self.readers[k]] == step or self.readers[k] in known:
                return True
        return False

    cdef bint _are_there(self, int i, set operands) except -1:
        """Whether operands are there when other steps read the value, or can be: small ones, one in the value's place.

        That one can give its memory to whom the value would have given its own.
        """
        cdef int j, k
        cdef bint replaced = False
        for j in operands:
            if self._stays(base(self.graph, j)):
                continue
            if self.graph.nodes[j].shape != self.graph.nodes[i].shape and self.graph.nodes[j].kind != VIEW:
                continue
            if replaced or not self._is_alike(i, j):
                return False
            if hands_over(self.graph, j):  # to a program behind it, if only that reads it
                if len({self.step_of[self.readers[k]]
                        for k in range(self.first_reader[j], self.first_reader[j + 1])}) == 1:
                    return False
            replaced = True
        return True

    cdef bint _stays(self, int j) noexcept:
        """Whether a node's memory may not be taken over."""
        cdef Described* node = &self.graph.nodes[j]
        return not node.flags & CONSUMABLE if among(node.kind, GIVEN) else node.flags & ESCAPES

    cdef bint _is_stored_beside(self, int i, set operands) noexcept:
        """Whether the value's home stores an operand too, which can give its memory to whom the value would."""
        cdef int j
        for j in operands:
            if self._is_alike(i, j) and self.step_of[i] == self.step_of[j] and not self._stays(j):
                return True
        return False

    cdef bint _is_alike(self, int i, int j) noexcept:
        """Whether node i could have the memory of node j."""
        return (self.graph.nodes[i].shape == self.graph.nodes[j].shape
                and self.graph.nodes[i].itemsize == self.graph.nodes[j].itemsize and self.graph.nodes[j].kind != VIEW)

    cdef Steps extended(self):
        """The steps with what they compute again."""
        cdef Steps made = Steps.__new__(Steps)
        cdef int* first = self.steps.first.data.as_ints
        cdef int step, at
        cdef list members = []
        made.count, made.step_of = self.steps.count, self.steps.step_of
        made.first = array.clone(_ints, made.count + 1, True)
        for step in range(made.count):
            members += sorted([self.steps.members.data.as_ints[at] for at in range(first[step], first[step + 1])]
                              + list(self.cones.get(step, ())))
            made.first.data.as_ints[step + 1] = <int>len(members)
        made.members = array.array("i", members)
        return made
