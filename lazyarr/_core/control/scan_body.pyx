# cython: cdivision=True
# (extents and counters here are never negative, and no divisor is zero)
"""Bodies of loops whose rounds may run on rows: their steps, and where what they compute lies.

A value whose memory changes from round to round has a *home*, and a table has its address in each round. The caller
that runs the rounds fills in the table.
"""
from cpython.object cimport PyObject
from libc.stdlib cimport free, malloc

from numpy cimport npy_intp

from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.ir.loop_table cimport LOOP_SERIAL
from lazyarr._core.ir.node cimport EMPTY, LEAF, UPDATE, VIEW, Node
from lazyarr._core.ir.step cimport Step
from lazyarr._core.kernels.matmul cimport MATRIX_PRODUCT, Product, begin_rows
from lazyarr._core.runtime.executor cimport expected_work
from lazyarr._core.tile.loop_nest cimport MAX_ABREAST
from lazyarr._core.ir.tile_program cimport TileProgram


cdef RowBody find_row_body(Walk* w, list steps, list aliases, list leaves, int inherited, npy_intp rows):
    """A body whose rounds may run on rows, None if its operations do not work by rows.

    `leaves` are those that may lie elsewhere in each round; the first `inherited` of them have rows.
    """
    cdef RowBody found
    cdef Step step
    cdef int k
    if len(steps) > MAX_ABREAST // 2:
        return None
    found = RowBody.__new__(RowBody)
    found.w, found.steps, found.aliases, found.rows, found.inherited = w, steps, aliases, max(rows, 1), inherited
    found.apart = rows > 1
    found.nodes, found.copied = list(leaves), []
    found.home_of = <int*>malloc(max(w.count, 1) * sizeof(int))
    if found.home_of is NULL:
        raise MemoryError()
    for k in range(w.count):
        found.home_of[k] = -1
    for k, leaf in enumerate(leaves):
        if _is_walked(w, leaf):
            found.home_of[(<Node>leaf).index] = k
    for step in steps:
        if not _find_homes(found, step):
            return None
    for k in range(len(found.nodes)):
        if (k < inherited or k >= len(leaves)) and not found.is_number(k) and (<Node>found.nodes[k]).span % found.rows:
            found.apart = False
        found.nbytes += (<Node>found.nodes[k]).span if k >= len(leaves) else 0
    return found


cdef bint _is_walked(Walk* w, Node node) noexcept:
    return node.index < w.count and w.nodes[node.index] == <PyObject*>node


cdef bint _find_homes(RowBody found, Step step) except -1:
    """Give what a step computes a home; False if it is none that rows can be taken through."""
    cdef Walk* w = found.w
    cdef TileProgram p = step.program
    cdef Product product
    cdef double work
    cdef Node node
    cdef int k, home
    if p is None or step.behind_kernel:
        node = <Node>w.nodes[step.node]
        if step.kind != "empty":
            if node.payload[1] is not MATRIX_PRODUCT or found.home(<Node>node.inputs[1]) >= 0 \
                    or begin_rows(&product, node, &work) == 0:
                return False
            found.work += work
        _add_home(found, node)
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
        # what only this reads, and is not asked for, may be overwritten
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


cdef class RowBody:
    """A loop's body, as rounds on rows."""

    def __dealloc__(self):
        free(self.home_of)
        free(self.at)

    cdef int home(self, Node node) noexcept:
        """The home of a value, -1 if it lies at the same place in all rounds."""
        if node.kind == VIEW:
            node = <Node>node.inputs[0]
        return self.home_of[node.index] if _is_walked(self.w, node) else -1

    cdef bint is_number(self, int home) noexcept:
        """Whether a home holds a number, which each thread computes for itself, one cache line apart."""
        return (<Node>self.nodes[home]).size == 1 and (<Node>self.nodes[home]).kind != LEAF

    cdef int copy(self, int home) except -1:
        """Copy what a leaf holds to a home of its own; return the home."""
        self.copied.append((home, len(self.nodes)))
        self.nodes.append(self.nodes[home])
        return <int>len(self.nodes) - 1

    cdef int take_table(self) except -1:
        """Reserve room for the places of all homes, of which there will be no more."""
        if self.at is NULL:
            self.at = <char**>malloc(len(self.nodes) * MOST_ROUNDS * sizeof(char*))
            if self.at is NULL:
                raise MemoryError()
        return 0

    cdef char** places(self, int home) noexcept:
        """The addresses of a home, by round."""
        return self.at + <npy_intp>home * MOST_ROUNDS

    cdef int ask(self, RowBody test, int answer) except -1:
        """Attach the loop condition: a test that writes its answer there before each round; False ends the loop."""
        self.test, self.answer, self.apart = test, answer, False
        self.work += test.work
        return 0

    cdef int point_at_homes(self) except -1:
        """Point all nodes to where they lie in the first round."""
        cdef Node node
        cdef int i
        for i in range(self.w.count):
            if self.home_of[i] >= 0:
                node = <Node>self.w.nodes[i]
                node.data = self.places(self.home_of[i])[0]
        return 0
