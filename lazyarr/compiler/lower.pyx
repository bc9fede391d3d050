"""Lower steps to tile programs.

Linear scan allocates registers. Values that other steps read are stored; inputs that die may donate their memory.
"""
from lazyarr._core.ir.data_loops cimport compress_loop, copy_loop, expand_loop
from lazyarr._core.ir.fingerprint cimport CONSUMABLE, ESCAPES
from lazyarr._core.ir.graph_ir cimport Described, Graph
from lazyarr._core.ir.kinds cimport AT_THE_END, ELEMENTWISE, GIVEN, ONE_LOOP, SELECTION, among
from lazyarr._core.ir.node cimport EMPTY, EXPAND, FINISHES, LEAF, MASKED, OPAQUE, PACKED, REDUCE, RESULT, UPDATE, VIEW
from lazyarr._core.ir.step cimport Step
from lazyarr._core.ir.tile_program cimport FRONT, UNDER, WHOLE, Fold, Instruction, TileProgram
from lazyarr.compiler.fusion cimport base, overwrites, reads_storage_of
from lazyarr.compiler.step_order cimport Steps

cdef enum:            # an operand's place: its kind, plus four times its index among that kind
    LOAD, REGISTER, STORE


cdef list emit(Graph graph, Steps steps):
    """Return the steps with their programs, in order."""
    cdef _Emitter emitter = _Emitter(graph, steps)
    cdef int* dies_in = emitter.dies_in
    cdef int* here = graph.ints(graph.count, -1)
    cdef int* first = steps.first
    cdef Described* node
    cdef int step, i, j
    cdef list out = [], dying = [[] for _ in range(steps.count)]
    for step in range(steps.count):
        for i in steps.members[first[step]:first[step + 1]]:
            here[i] = step
        for i in steps.members[first[step]:first[step + 1]]:
            node = &graph.nodes[i]
            for j in node.inputs[:node.ninputs]:
                if here[j] != step:
                    j = base(graph, j)
                    dies_in[j], emitter.read_elsewhere[j] = step, True
    for i in range(graph.count):
        node = &graph.nodes[i]
        if not node.flags & CONSUMABLE if among(node.kind, GIVEN) else node.flags & ESCAPES:
            dies_in[i] = -1
        elif dies_in[i] >= 0:
            dying[dies_in[i]].append(i)
    for step in range(steps.count):
        i = steps.members[first[step]]
        node = &graph.nodes[i]
        if node.kind == OPAQUE:
            alone = overwrites(graph, i) and _owns(graph, i, dies_in, step)
            out.append(Step("opaque", i, None, _computed(graph, dying[step]),
                            in_place=(i,) if alone else ()))
        elif node.kind == EMPTY:
            out.append(Step("empty", i, None, _computed(graph, dying[step])))
        elif node.kind == RESULT and graph.nodes[node.inputs[0]].kind == OPAQUE:
            continue  # the step of its call returns it
        else:
            emitter.begin(step)
            program = emitter.program()
            frees = _computed(graph, sorted(emitter.handed_on() + dying[step]))
            donors = emitter.donors((<Step>out[len(out) - 1]).node if out else -1)
            out.append(Step("tile", i, program, frees, donors, emitter.in_place(), recomputed=emitter.recomputed()))
    return out


cdef bint _owns(Graph graph, int i, int* dies_in, int step) noexcept:
    """Return whether the storage that an opaque call changes dies in it, and the call reads it once."""
    cdef Described* node = &graph.nodes[i]
    cdef int j, times = 0, changed = node.inputs[0]
    for j in node.inputs[:node.ninputs]:
        times += base(graph, j) == changed
    return times == 1 and dies_in[changed] == step


cdef tuple _computed(Graph graph, list nodes):
    return tuple([i for i in nodes if not among(graph.nodes[<int>i].kind, GIVEN)])


cdef class _Emitter:
    """Emits one tile program after another. Operands are places until their numbers are known at the end."""
    cdef Graph graph
    cdef Steps steps
    cdef int* member_of         # by node: the last step that computes it
    cdef int* dies_in           # by node: the step that reads it last, or -1
    cdef int* read_elsewhere
    cdef int* place             # by member or load
    cdef int* loaded_by         # by node: the last step that loads it
    cdef int* last_read         # by member: the last reader in the step; -1: none; the node count: the step's end
    cdef int* direct            # by member: the update whose window it is computed into, or -1
    cdef int number             # of the current step
    cdef int* member
    cdef int count
    cdef list loads, registers, stores, instrs, folds, updates
    cdef dict free_registers    # by size
    cdef dict packed            # place by (node, mask)

    def __cinit__(self, Graph graph, Steps steps):
        self.graph, self.steps = graph, steps
        self.member_of, self.dies_in = graph.ints(graph.count, -1), graph.ints(graph.count, -1)
        self.read_elsewhere, self.place = graph.ints(graph.count), graph.ints(graph.count)
        self.loaded_by, self.last_read = graph.ints(graph.count, -1), graph.ints(graph.count, -1)
        self.direct = graph.ints(graph.count, -1)

    cdef int begin(self, int number) except -1:
        cdef int* first = self.steps.first
        cdef int i, j
        cdef Described* node
        self.number = number
        self.member, self.count = self.steps.members + first[number], first[number + 1] - first[number]
        self.loads, self.registers, self.stores, self.instrs, self.folds = [], [], [], [], []
        self.free_registers, self.packed = {}, {}
        self.updates = []
        for i in self.member[:self.count]:
            self.member_of[i], self.last_read[i] = number, -1
        for i in self.member[:self.count]:
            node = &self.graph.nodes[i]
            if node.kind == UPDATE:
                self.updates.append(i)
            for j in node.inputs[:node.ninputs]:
                if self.is_member(j):
                    self.last_read[j] = i
        for i in self.member[:self.count]:
            node = &self.graph.nodes[i]
            if among(node.kind, AT_THE_END):
                self.last_read[self.input(i, node.kind == UPDATE)] = self.graph.count
        return 0

    cdef inline int input(self, int i, int k) noexcept:
        return self.graph.nodes[i].inputs[k]

    cdef inline bint is_member(self, int j) noexcept:
        return self.member_of[j] == self.number

    cdef inline bint is_stored(self, int i) noexcept:
        cdef Described* node = &self.graph.nodes[i]
        return among(node.kind, ELEMENTWISE) and node.nouts <= 1 and (node.flags & ESCAPES or self.read_elsewhere[i])

    cdef TileProgram program(self):
        """Return the program of the current step."""
        cdef int i, value
        cdef Described* node
        self._choose_direct()
        for i in self.updates:  # in order: one may reuse another's memory
            self.place[i] = self._store(i)
        for i in self.member[:self.count]:
            if among(self.graph.nodes[i].kind, ONE_LOOP):
                self._instruction(i)
        for i in self.updates:
            value = self.input(i, 1)
            if not (self.is_member(value) and self.direct[value] == i):
                self._move(copy_loop(self.graph.nodes[value].typenum).id, i, [self._operand(value), self.place[i]])
        for i in self.member[:self.count]:
            node = &self.graph.nodes[i]
            if node.kind == REDUCE:
                self.folds.append((node.loop, self._operand(self.input(i, 0)), i))
        return self._numbered()

    cdef int _choose_direct(self) except -1:
        """Choose values to compute directly into the window of an update, their only reader.

        Not if a later instruction reads the storage that the update may overwrite.
        """
        cdef int i, other, old, value, takers
        for i in self.member[:self.count]:
            self.direct[i] = -1
        for i in self.updates:
            old, value = self.input(i, 0), self.input(i, 1)
            if not self.is_member(value) or self.is_stored(value) or self.graph.nodes[value].kind == RESULT:
                continue
            takers = 0
            for other in self.updates:
                takers += self.input(other, 1) == value
            if takers == 1 and not self._is_read_behind(value, old, i):
                self.direct[value] = i
        return 0

    cdef bint _is_read_behind(self, int value, int old, int update) noexcept:
        cdef int i
        for i in self.member[:self.count]:
            if i > value and i != update and reads_storage_of(self.graph, i, old):
                return True
        return False

    cdef int _instruction(self, int i) except -1:
        cdef Described* node = &self.graph.nodes[i]
        cdef int npacked = node.ninputs - 1 if node.kind == PACKED else node.kind == EXPAND
        cdef int k, j, place, result, spread
        cdef list operands = [], results = [i], unwanted = []
        for k in range(node.ninputs):
            j = self.input(i, k)
            operands.append(self._packed(j, i) if k < npacked else self._operand(j))
        if node.nouts > 1:
            results = [self._result(i, k) for k in range(node.nouts)]
        for k in range(node.nouts):
            result = results[k]
            if result < 0:
                place = self._register(node.outs[k])
                unwanted.append((place, node.outs[k]))
            elif self.direct[result] >= 0:
                place = self.place[self.direct[result]]
            elif self.is_stored(result) and not among(node.kind, SELECTION):
                place = self._store(result)
            else:
                place = self._register(node.outs[k])
            if result >= 0:
                self.place[result] = place
            operands.append(place)
        self.instrs.append((node.loop, i, operands, <int>UNDER if node.kind == MASKED else <int>FRONT
                            if node.kind == PACKED else <int>WHOLE, False))
        if among(node.kind, SELECTION) and self.is_stored(i):
            spread = self._store(i)
            place = self._operand(self.input(i, node.ninputs - 1))
            self._move(expand_loop(node.typenum).id, i, [self.place[i], place, spread, spread])
        for place, k in unwanted:
            self._release(place, k)
        for j in node.inputs[:node.ninputs]:
            if self.is_member(j) and self.last_read[j] == i and self.place[j] & 3 == REGISTER:
                self._release(self.place[j], self.graph.nodes[j].itemsize)
                self.last_read[j] = -1  # it may be read twice
        for result in results:
            if result >= 0 and self.last_read[result] < 0 and self.place[result] & 3 == REGISTER:
                self._release(self.place[result], self.graph.nodes[result].itemsize)
        return 0

    cdef int _result(self, int call, int which) noexcept:
        """Return the member that is this result of a loop with several, or -1 if nothing reads it."""
        cdef int i
        for i in self.member[:self.count]:
            if self.graph.nodes[i].kind == RESULT and self.graph.nodes[i].attr == which and self.input(i, 0) == call:
                return i
        return -1

    cdef int _packed(self, int j, int reader) except -1:
        """Return the place of operand j of a reader of packed values: loads are packed first, unless broadcast."""
        cdef Described* node = &self.graph.nodes[j]
        cdef Described* wants = &self.graph.nodes[reader]
        cdef int mask
        if (self.is_member(j) and among(node.kind, SELECTION)) or node.shape != wants.shape:
            return self._operand(j)
        mask = self.input(reader, 1 if wants.kind == EXPAND else wants.ninputs - 1)
        if (j, mask) not in self.packed:
            self.packed[j, mask] = self._register(node.itemsize)
            self._move(compress_loop(node.typenum).id, j,
                       [self._operand(j), self._operand(mask), self.packed[j, mask]])
        return self.packed[j, mask]

    cdef int _move(self, int loop, int node, list operands) except -1:
        self.instrs.append((loop, node, operands, <int>WHOLE, True))
        return 0

    cdef int _operand(self, int j) except -1:
        if not self.is_member(j) and self.loaded_by[j] != self.number:
            self.loaded_by[j] = self.number
            self.place[j] = LOAD | <int>len(self.loads) << 2
            self.loads.append(j)
        return self.place[j]

    cdef int _register(self, int size) except -1:
        cdef list free = self.free_registers.get(size)
        if free:
            return free.pop()
        self.registers.append(size)
        return REGISTER | <int>(len(self.registers) - 1) << 2

    cdef int _release(self, int place, int size) except -1:
        self.free_registers.setdefault(size, []).append(place)
        return 0

    cdef int _store(self, int i) except -1:
        self.stores.append(i)
        return STORE | <int>(len(self.stores) - 1) << 2

    cdef TileProgram _numbered(self):
        """Return the program, with places replaced by operand numbers."""
        cdef int first[3]
        cdef int place, i
        cdef list operands, instructions = [], folds = []
        first[<int>LOAD], first[<int>REGISTER] = 0, <int>len(self.loads)
        first[<int>STORE] = first[<int>REGISTER] + <int>len(self.registers)
        for loop, node, operands, mode, moves in self.instrs:
            numbered = tuple([first[place & 3] + (place >> 2) for place in operands])
            instructions.append(Instruction(loop, node, numbered, mode, moves))
        for loop, place, node in self.folds:
            folds.append(Fold(loop, first[place & 3] + (place >> 2), node))
        # all members have the same space: the shape of elementwise members, of an update's value, of a fold's input
        i = self.member[0]
        if not among(self.graph.nodes[i].kind, ELEMENTWISE):
            i = self.input(i, self.graph.nodes[i].kind == UPDATE)
        return TileProgram(i, tuple(self.loads), tuple(self.registers), tuple(self.stores), tuple(instructions),
                           tuple(folds), len(self.updates) > 0)

    cdef tuple recomputed(self):
        """Return the values that an earlier step computes too."""
        cdef int i
        return tuple([i for i in self.member[:self.count] if self.steps.step_of[i] != self.number])

    cdef list handed_on(self):
        """Return the updates whose storage other updates of the step reuse."""
        return [self.input(i, 0) for i in self.updates if self.is_member(self.input(i, 0))]

    cdef tuple donors(self, int before):
        """Return pairs of a store and an input of the same layout that dies here and donates its memory.

        `before` is the node of the preceding step. An epilogue may overwrite its kernel's result; it may overwrite
        leaves only after a kernel that cannot fail, whose result then need not be stored. Leaves live until the end of
        the evaluation unless they donate their memory, which matters more if several arrays are stored, as by an
        optimiser.
        """
        cdef int d, i, k, n, writer
        cdef bint leaf, several, finishes
        cdef list free = [], donors = []
        shown = {base(self.graph, j) for j in self.loads if self.graph.nodes[<int>j].kind == VIEW}
        olds = {self.input(i, 0) for i in self.updates}
        for d in self.loads:
            if self.dies_in[d] == self.number and d not in shown and d not in olds \
                    and self.graph.nodes[d].kind != VIEW:
                free.append(d)
        if not free:
            return ()
        several = len(self.stores) - len(self.updates) > 1
        finishes = before >= 0 and self.graph.nodes[before].kind == OPAQUE and self.graph.nodes[before].attr == FINISHES
        ranked = []
        for n, d in enumerate(free):
            leaf = self.graph.nodes[d].kind == LEAF
            preferred = leaf and (several or finishes and not reads_storage_of(self.graph, before, d))
            ranked.append((not preferred, d != before, not leaf, n, d, self._last_read_of(d)))
        ranked.sort()
        for k, i in enumerate(self.stores):
            if self.graph.nodes[i].kind == UPDATE:
                continue
            writer = self.input(i, 0) if self.graph.nodes[i].kind == RESULT else i
            for n, (*_, d, last) in enumerate(ranked):
                if self.graph.nodes[d].shape == self.graph.nodes[i].shape and last <= writer \
                        and self.graph.nodes[d].itemsize == self.graph.nodes[i].itemsize:
                    donors.append((k, d))
                    del ranked[n]
                    break
        return tuple(donors)

    cdef int _last_read_of(self, int d) noexcept:
        """The last member that reads a load, behind all if one does at the end."""
        cdef int i, j, last = -1
        for i in self.member[:self.count]:
            for j in self.graph.nodes[i].inputs[:self.graph.nodes[i].ninputs]:
                if j == d:
                    if among(self.graph.nodes[i].kind, AT_THE_END):
                        return self.graph.count
                    last = i
        return last

    cdef tuple in_place(self):
        """Updates whose old storage dies here and is read by nothing else that runs at the end of a block."""
        cdef int i, old
        found = []
        for i in self.updates:
            old = self.input(i, 0)
            if (self.dies_in[old] == self.number or self.is_member(old)) and not self._is_read_at_the_end(old, i):
                found.append(i)
        return tuple(found)

    cdef bint _is_read_at_the_end(self, int old, int update) noexcept:
        cdef int i
        for i in self.member[:self.count]:
            if i != update and among(self.graph.nodes[i].kind, AT_THE_END) and reads_storage_of(self.graph, i, old):
                return True
        return False
