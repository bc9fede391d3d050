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
    MASKED    # a MAP where a mask is true, elsewhere the old values: inputs, mask, old
    COMPRESS  # the elements where a mask is true, packed block by block: elements, mask
    PACKED    # a MAP over packed elements: inputs, mask
    EXPAND    # packed elements scattered to where the mask is true: packed, mask, old
    RESULT    # the i-th result of a MAP or OPAQUE with several results
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
    OF_SCALARS = 1    # NumPy would use scalar arithmetic
    CAST_OPERAND = 2  # it casts an operand: results are laid out as if the operand had not been cast

cdef enum:            # of `waits`
    WAITS = 1
    ON_DEVICE = 2

cdef enum:            # of a SCALAR's attr
    LITERAL = 1       # no handle refers to it, so nothing is differentiated by it

cdef enum:            # of an OPAQUE's attr
    CHANGES = 1       # writes to its first input's storage
    FILLS = 2         # a kernel: a `Kernel`, or a function that fills an output array
    HANDS_OVER = 3    # a kernel that may pass parts of its result to an epilogue
    FINISHES = 4      # a kernel that cannot fail after it has passed on the first part

cdef enum:            # of an UPDATE's attr
    BESIDE = 1        # its window and those of the updates below it are disjoint, on undefined storage

cdef class Node:
    cdef readonly int kind
    cdef readonly int ndim
    cdef int typenum                   # -1 where the dtype is not native
    cdef bint pending_counted
    # `restart` zeroes the fields from here to `serial`
    cdef public int err                # id of the errstate in force when the node was made (fp_errors.pyx)
    cdef bint contiguous               # C-contiguous
    # Bit 0: made through lazyarr itself, or from such a node: operations on it join the graph, however small. Bit 1: on
    # a device.
    cdef public int waits
    cdef bint at_once                  # computed eagerly, from operands that do not wait
    # RESULT: index; REDUCE: 1 for keepdims; MAP, OPAQUE, UPDATE, SCALAR: see above
    cdef public int attr
    cdef bint pinned                   # keep its history when it is evaluated
    cdef bint poisoned                 # it, or something it depends on, failed to evaluate: flushes skip it
    cdef bint read_early               # it was an operand before it was evaluated
    cdef int device                    # where it is computed; 0: the host
    cdef unsigned int devices          # bit set of devices that take part; 0: the host alone
    cdef bint stays_on_host            # moved there by the program, or made from such: not placed on a preferred device
    cdef int ninputs
    cdef int nsources
    cdef int lasti                     # where in `code` the node was made
    # scratch space of the graph traversal in progress
    cdef unsigned int mark
    cdef int index
    cdef int uses
    # scratch space of differentiation (vjp.pyx)
    cdef unsigned int seen
    cdef int place
    cdef Loop* loop
    cdef uint64_t axes                 # REDUCE: bit set of the reduced axes
    cdef uint64_t first_reader         # serial of the first node that reads this one; 0: none
    cdef uint64_t spilled, spilled_bits  # newest source not in `sources`, and a Bloom filter of all of those
    cdef uint64_t number               # id of its value in the memo (memo.pyx); 0: none
    cdef npy_intp offset               # byte offset of element 0 in the storage (VIEW: in the input's storage)
    cdef npy_intp span                 # bytes of storage
    cdef uint64_t serial               # order of creation
    cdef Node origin                   # holds the history of an evaluated node if it is kept; else None
    cdef npy_intp* shape
    cdef npy_intp* strides             # bytes
    cdef npy_intp size
    cdef npy_intp itemsize
    cdef npy_intp inline_dims[2 * INLINE_DIMS]
    cdef PyObject** inputs
    cdef PyObject* inline_inputs[INLINE_INPUTS]
    cdef char* data                    # first byte of the storage; NULL until evaluated
    cdef long double inline_value[2]   # one number of any dtype
    cdef readonly object dtype
    cdef object owner                  # keeps `data` alive: Buffer or ndarray
    # OPAQUE: (name, function, result specs or changed window); REPEAT: (name, function, repeats by axis); MAP: the name
    # for error messages, if not the loop's; LEAF: checksum of memory shared with callers
    cdef readonly object payload
    cdef object code                   # code object that was running when the node was made
    cdef object failure                # the `Failure` that reading its value raises; else None
    # serials of the nodes it depends on, newest first; for older ones see `spilled`
    cdef uint64_t sources[MOST_SOURCES]
    # UPDATE: the replaced window
    cdef npy_intp* window              # ndim, then shape[], strides[]; NULL otherwise
    cdef npy_intp window_offset

cdef struct NodeCounts:
    int live, pending       # nodes
    double pending_bytes
    uint64_t serial         # of the newest node
    unsigned int constants  # made so far

cdef NodeCounts node_counts

cdef inline void restart(Node node) noexcept:
    """Reset a new or recycled node and give it a new serial."""
    node_counts.live += 1
    node_counts.serial += 1
    node.serial = node_counts.serial
    lz_zero(&node.err, <char*>&node.serial - <char*>&node.err)

cdef inline void renew(Node node) noexcept:
    """Give a node whose value is overwritten a new identity, with no readers."""
    node_counts.serial += 1
    node.serial, node.first_reader, node.read_early = node_counts.serial, 0, False
    node.number = 0

cdef class Kernel:
    """A native function that fills an array of known shape and dtype."""
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
    """Return the largest array size; the sum of two does not overflow."""
    return <npy_intp>1 << 62

cdef inline void dense_strides(int ndim, npy_intp* shape, npy_intp step, npy_intp* strides) noexcept nogil:
    """Set C-order strides with `step` as the innermost."""
    cdef int d
    for d in range(ndim - 1, -1, -1):
        strides[d] = step
        step *= shape[d]

cdef inline void byte_range(int ndim, npy_intp* shape, npy_intp* strides, npy_intp size, npy_intp* low,
                            npy_intp* high) noexcept nogil:
    """Return the byte range of a strided array, relative to its first element."""
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
