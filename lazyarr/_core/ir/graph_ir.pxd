"""Graphs described for passes: what can be said of each node without its extents."""
from libc.stdint cimport uint64_t

cdef struct Described:
    int kind
    int shape               # equal numbers, equal shapes
    int typenum             # NumPy's number of the dtype
    int itemsize
    int flags               # ESCAPES, CONSUMABLE
    int loop
    int like                # VIEW, SCALAR: the first equal one; OPAQUE: the first call of the same function; or itself
    int attr                # RESULT, OPAQUE, UPDATE: the node's; REDUCE: whether it searches or scans
    int mark                # SCALAR: which number it is, if a rule asks for it (const_guards.pxd)
    bint contiguous         # in C order, if it is computed
    bint outer              # REDUCE: whether the last axis is kept
    int cheap               # bytes of a cheap operation's widest operand; 0 if not cheap
    double nbytes           # of its storage when the plan was made: a hint, plans are right for all extents
    uint64_t serial         # of the node, when the plan was made: another hint
    uint64_t axes           # REDUCE: what is folded, a bit an axis
    int ninputs, nouts      # outputs of a loop
    int* inputs             # the positions of its operands
    int* outs               # the item sizes of the outputs

cdef class Graph:
    cdef int count
    cdef readonly bint fast_math    # whether rules apply that change bits
    cdef Described* nodes
    cdef list memory                # blocks that pointers point into
    cdef char* free                 # what is left of the last one
    cdef size_t left

    cdef Graph copy(self)
    cdef void* zeros(self, size_t nbytes) except NULL
    cdef int* ints(self, Py_ssize_t count, int value=*) except NULL

cdef inline double large_bytes() noexcept nogil:
    """Of all values together, from which on the order of steps is chosen for the memory that it takes.

    It depends on extents, so fingerprints distinguish such graphs from those of smaller arrays.
    """
    return 32 << 20

cdef Graph new_graph(int count)
