"""Nodes: immutable SSA values of the graph."""
from cpython.object cimport PyObject
from libc.stdint cimport uint64_t
from numpy cimport npy_intp
from lazyarr._core.ir.loop_table cimport Loop

cdef extern from "simd/fast_dealloc.h":
    void lz_zero(void* p, size_t n) noexcept

cdef enum Kind:
    LEAF      # data from outside, or an evaluated node
    SCALAR    # a 0-d constant kept in the node itself
    VIEW      # a strided window on its input's storage
    MAP       # one elementwise loop over its inputs
    MASKED    # a MAP where a mask holds, elsewhere the old values: inputs, mask, old
    COMPRESS  # the elements where a mask holds, packed block by block: elements, mask
    PACKED    # a MAP over packed elements: inputs, mask
    EXPAND    # packed elements put back where the mask holds, elsewhere the old values: packed, mask, old
    RESULT    # the i-th result of a MAP or OPAQUE with several
    UPDATE    # the old storage with a window replaced: old, value
    REDUCE    # one binary loop folded over axes
    EMPTY     # storage with undefined contents
    OPAQUE    # a call of a Python function on values
    REPEAT    # each element repeated along each axis: a kernel's result, or repeated by the program that reads it
    REMOTE    # data in the memory of a device other than the host

cdef enum:
    INLINE_DIMS = 4
    INLINE_INPUTS = 3
    MAX_DIMS = 64
    MOST_SOURCES = 8

cdef enum:            # of a MAP's attr
    OF_SCALARS = 1    # NumPy would compute it with its scalars
    CAST_OPERAND = 2  # it casts an operand: results are laid out as if the operand had not been cast

cdef enum:            # of `waits`
    WAITS = 1
    ON_DEVICE = 2

cdef enum:            # of a SCALAR's attr
    LITERAL = 1       # no handle holds it, so that no derivative by it is asked for

cdef enum:            # of an OPAQUE's attr
    CHANGES = 1       # the call changes its first input's storage
    FILLS = 2         # a kernel: a `Kernel`, or a function that fills the array it gets before its inputs
    HANDS_OVER = 3    # a kernel that may hand parts of its result to an epilogue
    FINISHES = 4      # one that cannot fail, once it has handed over the first

cdef enum:            # of an UPDATE's attr
    BESIDE = 1        # its window lies beside those of the updates below it, down to storage with undefined contents

cdef class Node:
    cdef readonly int kind
    cdef readonly int ndim
    cdef int typenum                   # -1 where the dtype is not native
    cdef bint pending_counted
    # zero in a new node, from here to `serial` (`restart`)
    cdef public int err                # errstate in force where the node was made (fp_errors.pyx interns them)
    cdef bint contiguous               # C-contiguous
    # made through lazyarr itself, or of something that was: operations on it join the graph, however small
    # (bit 0); or it is on a device (bit 1)
    cdef public int waits
    cdef bint at_once                  # computed where it was written, of others that do not wait
    # RESULT: which; REDUCE: 1 if the reduced axes are kept with length 1; MAP: 1 for an operator on scalars
    cdef public int attr
    cdef bint pinned                   # its history is kept when it is evaluated
    cdef bint poisoned                 # an evaluation of it, or of what it is made of, has failed: no flush tries it
    cdef bint read_early               # something was made of it before it was evaluated
    cdef int device                    # on which it is computed; 0: the host
    cdef unsigned int devices          # that take part in computing it, a bit each; 0 where all is on the host
    cdef bint stays_on_host            # moved there by the program, or made of such: no preferred device computes it
    cdef int ninputs
    cdef int nsources
    cdef int lasti                     # where in `code` the node was made
    # scratch of the walk in progress
    cdef unsigned int mark
    cdef int index
    cdef int uses
    # the same for derivatives (vjp.pyx)
    cdef unsigned int seen
    cdef int place
    cdef Loop* loop
    cdef uint64_t axes                 # REDUCE: the reduced axes, a bit each
    cdef uint64_t first_reader         # serial of the first node that was made of this one; 0 if there is none
    cdef uint64_t spilled, spilled_bits  # of sources that are not in `sources`
    cdef uint64_t number               # of its value among those that the memo can recognise (memo.pyx); 0: none
    cdef npy_intp offset               # of element 0 in the storage (VIEW: in the input's storage), bytes
    cdef npy_intp span                 # bytes of storage
    cdef uint64_t serial               # order of creation
    cdef Node origin                   # of an evaluated node whose history is kept: how it came about; else None
    cdef npy_intp* shape
    cdef npy_intp* strides             # bytes
    cdef npy_intp size
    cdef npy_intp itemsize
    cdef npy_intp inline_dims[2 * INLINE_DIMS]
    cdef PyObject** inputs
    cdef PyObject* inline_inputs[INLINE_INPUTS]
    cdef char* data                    # of the storage's first byte; NULL until evaluated
    cdef long double inline_value[2]   # any one number, aligned for it
    cdef readonly object dtype
    cdef object owner                  # what keeps data alive: Buffer or ndarray
    # OPAQUE: (name, function, what its several results are like or window changed); REPEAT: (name, function, how often
    # by axis); MAP: the name errors are reported under, if not the loop's; LEAF: checksum of memory shared with callers
    cdef readonly object payload
    cdef object code                   # code object that made the node
    cdef object failure                # the `Failure` that looks at such a value raise without running it; else None
    # serials of the values that it was made of, newest first; `spilled` has the newest older one and a Bloom filter
    cdef uint64_t sources[MOST_SOURCES]
    # UPDATE: the replaced window
    cdef npy_intp* window              # ndim, then shape[], strides[]; NULL otherwise
    cdef npy_intp window_offset

cdef struct NodeCounts:
    int live, pending       # nodes
    double pending_bytes
    uint64_t serial         # of the newest
    unsigned int constants  # made so far

cdef NodeCounts node_counts

cdef inline void restart(Node node) noexcept:
    """Begin a new value in a node that was kept, or was just made."""
    node_counts.live += 1
    node_counts.serial += 1
    node.serial = node_counts.serial
    lz_zero(&node.err, <char*>&node.serial - <char*>&node.err)

cdef inline void renew(Node node) noexcept:
    """Take a node whose value is written over for a new one, that nothing has been made of."""
    node_counts.serial += 1
    node.serial, node.first_reader, node.read_early = node_counts.serial, 0, False
    node.number = 0

cdef class Kernel:
    """A native function that fills an array of known form."""
    cdef int fill(self, Node node) except -1

cdef Node new_node(int kind, int ndim, npy_intp* shape, object dtype, int typenum)  # strides and inputs still to be set
cdef Node new_small_leaf(int ndim, npy_intp* shape, int typenum)  # values still to be set
cdef Node new_window(int ndim, npy_intp* shape, npy_intp* strides, npy_intp offset, object dtype, int typenum)
cdef Node new_constant(int typenum)
cdef Node new_literal(int typenum, void* value)
cdef int set_c_strides(Node node) except -1
cdef int set_f_strides(Node node) except -1
cdef int set_span(Node node) except -1
cdef int check_ndim(Py_ssize_t ndim) except -1
cdef object too_big()

cdef inline npy_intp most_bytes() noexcept nogil:
    """Of an array; sums of two such numbers do not overflow."""
    return <npy_intp>1 << 62

cdef inline void dense_strides(int ndim, npy_intp* shape, npy_intp step, npy_intp* strides) noexcept nogil:
    """Strides in C order, the innermost being `step`."""
    cdef int d
    for d in range(ndim - 1, -1, -1):
        strides[d] = step
        step *= shape[d]

cdef inline void byte_range(int ndim, npy_intp* shape, npy_intp* strides, npy_intp size, npy_intp* low,
                            npy_intp* high) noexcept nogil:
    """Where strided elements of `size` bytes begin and end, counted from the first one."""
    cdef int d
    low[0], high[0] = 0, size
    for d in range(ndim):
        if strides[d] < 0:
            low[0] += strides[d] * (shape[d] - 1)
        else:
            high[0] += strides[d] * (shape[d] - 1)

cdef int finish_layout(Node node) noexcept
cdef void drop_inputs(Node node) noexcept
cdef void forget_sources(Node node) noexcept
cdef char* first_element(Node node) noexcept
cdef bint is_evaluated(Node node) noexcept
cdef bint is_on_host(Node node) noexcept
cdef bint has_value(Node node) noexcept
cdef bint same_shape(Node a, Node b) noexcept
cdef bint same_layout(Node a, Node b) noexcept
cdef int pending_nodes() noexcept
cdef double pending_bytes() noexcept
cdef void count_pending(Node node) noexcept
cdef void forget_pending(Node node) noexcept
