"""Graph descriptions: the input of compiler passes, without extents."""
from libc.stdint cimport uint64_t

cdef struct Described:
    int kind
    int shape               # id of the shape: equal ids mean equal shapes
    int typenum             # NumPy's type number
    int itemsize
    int flags               # ESCAPES, CONSUMABLE
    int loop
    int like  # VIEW, SCALAR: the first equal node; OPAQUE: the first call of the same function; else itself
    int attr                # RESULT, OPAQUE, UPDATE: as in the node; REDUCE: whether it searches or scans
    int mark                # SCALAR: its constant guard (const_guards.pxd)
    bint contiguous         # whether the result is C-contiguous
    bint outer              # REDUCE: whether the last axis is kept
    int cheap               # itemsize of a cheap operation's widest operand; 0 if not cheap
    double nbytes           # storage when the plan was made: a hint, as plans hold for all extents
    uint64_t serial         # creation order when the plan was made: another hint
    uint64_t axes           # REDUCE: bit set of the reduced axes
    int ninputs, nouts      # outputs of a loop
    int* inputs             # the positions of its operands
    int* outs               # the item sizes of the outputs

cdef class Graph:
    cdef int count
    cdef readonly bint fast_math    # whether rewrite rules may change bits
    cdef Described* nodes
    cdef list memory                # memory blocks that the pointers refer to
    cdef char* free                 # free space in the last block
    cdef size_t left

    cdef Graph copy(self)
    cdef void* zeros(self, size_t nbytes) except NULL
    cdef int* ints(self, Py_ssize_t count, int value=*) except NULL

cdef inline double large_bytes() noexcept nogil:
    """Return the total size from which on steps are ordered to reduce peak memory.

    The order then depends on extents, so fingerprints distinguish such graphs from those of smaller arrays.
    """
    return 32 << 20

cdef Graph new_graph(int count)
