# cython: cdivision=True
# (extents and counters here are never negative, and no divisor is zero)
"""Bodies of parallel scans: their steps, and the homes of their values.

A value whose memory changes from round to round has a *home*; a table has its address in each round. The caller that
runs the rounds fills the table (scan_buffers.pyx).
"""
from cpython.object cimport PyObject
from libc.stdlib cimport free, malloc

from numpy cimport npy_intp

from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.ir.loop_table cimport LOOP_SERIAL
from lazyarr._core.ir.node cimport EMPTY, LEAF, SCALAR, UPDATE, VIEW, Node
from lazyarr._core.ir.step cimport Step
from lazyarr._core.ir.tile_program cimport TileProgram
from lazyarr._core.kernels.matmul cimport MATRIX_PRODUCT, Product, begin_rows
from lazyarr._core.runtime.executor cimport expected_work
from lazyarr._core.runtime.plan_cache cimport Plan
from lazyarr._core.tile.loop_nest cimport MAX_CONCURRENT


cdef RowBody find_scan_body(Walk* w, Plan plan, list leaves, list outputs, int ncarry, int nys):
    """Return a loop's body as a parallel scan, None if its operations do not permit that.

    `leaves` are those whose memory changes: carries, the index if any, slices, columns of tapes.
    """
    cdef RowBody found
    cdef Node first
    cdef int k
    if ncarry == 0 or w.count == 0:
        return None
    first = <Node>outputs[0]
    found = _find_body(w, plan, leaves, ncarry, first.shape[0] if first.ndim else 0)
    if found is None:
        return None
    found.outputs, found.nys = outputs, nys
    found.of_output = [found.home_of_output(node) for node in outputs]
    found.kinds, found.turns = [WITHIN] * len(found.nodes), [2] * len(found.nodes)
    for k in range(len(outputs)):
        if not found.find_kind(k):
            return None
    return found


cdef RowBody _find_body(Walk* w, Plan plan, list leaves, int ncarry, npy_intp rows):
    """Return steps that may run on rows, None if their operations do not work by rows."""
    cdef RowBody found
    cdef Step step
    cdef int k
    if len(plan.steps) > MAX_CONCURRENT // 2:
        return None
    found = RowBody.__new__(RowBody)
    found.w, found.steps, found.aliases, found.rows, found.ncarry = w, plan.steps, plan.aliases, max(rows, 1), ncarry
    found.apart = rows > 1
    found.leaves, found.nodes, found.copied = leaves, list(leaves), []
    found.home_of = <int*>malloc(max(w.count, 1) * sizeof(int))
    if found.home_of is NULL:
        raise MemoryError()
    for k in range(w.count):
        found.home_of[k] = -1
    for k, leaf in enumerate(leaves):
        if _is_walked(w, leaf):
            found.home_of[(<Node>leaf).index] = k
    for step in plan.steps:
        if not _find_homes(found, step):
            return None
    for k in range(len(found.nodes)):
        if (k < ncarry or k >= len(leaves)) and not found.is_number(k) and (<Node>found.nodes[k]).span % found.rows:
            found.apart = False
        found.nbytes += (<Node>found.nodes[k]).span if k >= len(leaves) else 0
    return found


cdef bint multiplies(Step step) noexcept:
    """Return whether a step of such a body is a product, with or without an epilogue."""
    return (step.program is None or step.behind_kernel) and step.kind != "empty"


cdef bint _is_walked(Walk* w, Node node) noexcept:
    return node.index < w.count and w.nodes[node.index] == <PyObject*>node


cdef bint _find_homes(RowBody found, Step step) except -1:
    """Assign homes to the results of a step; return False if a result cannot be computed by rows."""
    cdef Walk* w = found.w
    cdef TileProgram p = step.program
    cdef Product product
    cdef double work
    cdef Node node
    cdef int k, home
    if multiplies(step):
        node = <Node>w.nodes[step.node]
        if node.payload[1] is not MATRIX_PRODUCT or found.home(<Node>node.inputs[1]) >= 0 \
                or begin_rows(&product, node, &work) == 0:
            return False
        found.work += work
    if p is None or step.behind_kernel:
        _add_home(found, <Node>w.nodes[step.node])
    if p is None:
        return True
    if p.flags & LOOP_SERIAL or p.in_order:
        return False
    found.apart = found.apart and p.whole
    for k in range(p.nfold):
        _add_home(found, <Node>w.nodes[p.fold_calls[k].node])
    for k in range(p.nstore):
        node = <Node>w.nodes[p.store_node[k]]
        if node.kind != UPDATE:
            _add_home(found, node)
            continue
        # values that only this step reads, and are no outputs, may be overwritten
        home = found.home(<Node>node.inputs[0])
        if home < 0 or (<Node>node.inputs[0]).uses != 1 or (<Node>found.nodes[home]).kind != EMPTY:
            return False
        found.home_of[node.index] = home
    found.work += expected_work(w, p)
    return True


cdef int _add_home(RowBody found, Node node) except -1:
    found.home_of[node.index] = <int>len(found.nodes)
    found.nodes.append(node)
    return 0


cdef bint _is_overwritten(Walk* w, Node node) noexcept:
    cdef Node other
    cdef int i
    for i in range(w.count):
        other = <Node>w.nodes[i]
        if other.kind == UPDATE and <Node>other.inputs[0] is node:
            return True
    return False


cdef class RowBody:
    """The body of a loop as a parallel scan."""

    def __dealloc__(self):
        free(self.home_of)
        free(self.at)

    cdef int home(self, Node node) noexcept:
        """Return the home of a value, -1 if it has the same address in all rounds."""
        if node.kind == VIEW:
            node = <Node>node.inputs[0]
        return self.home_of[node.index] if _is_walked(self.w, node) else -1

    cdef int home_of_output(self, Node node) except -2:
        """The same for an output, which may be a leaf that no step reads."""
        if node.kind == LEAF:
            return self.leaves.index(node) if node in self.leaves else -1
        return -1 if node.kind == SCALAR else self.home(node)

    cdef bint is_number(self, int home) noexcept:
        """Return whether a home is a number, which each thread computes for itself, one cache line apart."""
        return (<Node>self.nodes[home]).size == 1 and (<Node>self.nodes[home]).kind != LEAF

    cdef bint find_kind(self, int k) except -1:
        """Classify an output; return False if parallel scans do not support it."""
        cdef Node node = self.outputs[k]
        cdef int home = self.of_output[k], nc = self.ncarry, ny = self.nys
        if node.kind == SCALAR:
            return k >= nc + ny
        if home < 0 or node.kind == VIEW or node.offset or _is_overwritten(self.w, node):
            return False
        if self.is_number(home):
            self.apart = False
        if home < len(self.leaves):
            if nc <= k < nc + ny:  # the leaf's value is copied to its own home
                self.of_output[k] = len(self.nodes)
                self.copied.append((home, len(self.nodes)))
                self.nodes.append(self.nodes[home])
                self.kinds.append(COLLECTED + k - nc)
                self.turns.append(0)
                self.apart = self.apart and not node.span % self.rows
                return True
            if home >= nc:
                return False
            home = self.origin(home, k < nc)
            if home < 0:
                return True
        if k < nc:
            self.kinds[home] = self.kinds[home] or CARRIED
        elif k < nc + ny:
            if self.kinds[home] >= COLLECTED:
                return False
            self.kinds[home] = COLLECTED + k - nc
        elif self.kinds[home] < COLLECTED:
            self.kinds[home] = KEPT
        return True

    cdef int origin(self, int home, bint turns) except -2:
        """Return the home in which a leaf's value was computed some rounds ago, -1 if it is an initial value.

        With `turns`, record that it is needed that long.
        """
        cdef int steps = 0
        while 0 <= home < self.ncarry:
            home = self.of_output[home]
            steps += 1
            if steps > self.ncarry:
                return -1
        if home < len(self.leaves):
            return -1
        if turns:
            self.turns[home] = max(<int>self.turns[home], 2 + steps)
        return home

    cdef int take_table(self) except -1:
        """Allocate the address table; no homes can be added afterwards."""
        if self.at is NULL:
            self.at = <char**>malloc(len(self.nodes) * (MOST_ROUNDS + 1) * sizeof(char*))
            if self.at is NULL:
                raise MemoryError()
        return 0

    cdef char** places(self, int home) noexcept:
        """Return the addresses of a home by round, and the one that the next round will read."""
        return self.at + <npy_intp>home * (MOST_ROUNDS + 1)

    cdef bint set_condition(self, Walk* w, Plan plan, list leaves, Node answer) except -1:
        """Attach the loop condition, a test of the carries; return False if it cannot run like rounds.

        It writes its result before each round; False ends the loop.
        """
        cdef RowBody test = _find_body(w, plan, leaves, self.ncarry, 0)
        if test is None or answer.kind == VIEW or answer.kind == SCALAR or answer.offset:
            return False
        self.answer = leaves.index(answer) if answer in leaves else test.home(answer)
        self.test, self.apart = test, False
        self.work += test.work
        return self.answer >= 0

    cdef int point_at_homes(self) except -1:
        """Point all nodes to their addresses in the first round."""
        cdef Node node
        cdef int i
        for i in range(self.w.count):
            if self.home_of[i] >= 0:
                node = <Node>self.w.nodes[i]
                node.data = self.places(self.home_of[i])[0]
        return 0
