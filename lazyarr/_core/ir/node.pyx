"""Nodes: creation, storage layout, and freeing without recursion.

A node is an immutable SSA value. Once evaluated, each node but VIEW owns a storage of `span` bytes, in which its
elements lie at `offset + sum(index * strides)`; strides are known when the node is made. A VIEW is a window on the
storage of its one input, which is never a VIEW itself. Inputs are counted references in a C array. A work list frees
them, so a chain of a million nodes needs no deep stack.
"""
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF, Py_XDECREF
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

cimport cython
from numpy cimport npy_intp

from lazyarr._core.host.allocator cimport Buffer, clear_shelves, is_over_limit, new_buffer, shelve, size_class, unshelve
from lazyarr._core.host.device_values cimport forget_value
from lazyarr._core.ir.loop_table cimport NCODES, descr_of, type_size

node_counts = NodeCounts(0, 0, 0, 0, 0)

# Freeing a node drops its inputs, which may free them in turn: nested calls only append to this list.
cdef struct DoomedNodes:
    PyObject** nodes
    int count
    int room
    bint freeing

cdef DoomedNodes _doomed = DoomedNodes(NULL, 0, 0, False)

cdef extern from "simd/fast_dealloc.h":
    const bint LZ_KEEPS_DYING
    void lz_install_release(object type, void* release)
    object lz_revive(PyObject* o) noexcept

cdef extern from "Python.h":
    void* PyMem_Realloc(void* p, size_t n)
    Py_ssize_t Py_REFCNT(PyObject* o) noexcept


@cython.final
@cython.no_gc
@cython.freelist(512)
cdef class Node:
    """One value of the graph (internal)."""

    def __cinit__(self):
        node_counts.live += 1
        node_counts.serial += 1
        self.serial = node_counts.serial


cdef bint _release(Node node) noexcept:
    node_counts.live -= 1
    if node.pending_counted:
        _uncount(node)
    if node.kind == REMOTE and node.devices:
        forget_value(node.device, <PyObject*>node, node.span)
    drop_inputs(node)
    if node.window is not NULL:
        free(node.window)
        node.window = NULL
    if node.shape is not NULL and node.shape != node.inline_dims:
        free(node.shape)
        return False
    return _shelved(node)


lz_install_release(Node, <void*>_release)


# Freed nodes are recycled, small leaves together with their buffers: allocating one anew takes as long as an operation
# on ten elements.
cdef enum:
    MOST_SHELVED = 64
    BUFFER_CLASSES = 33     # size classes of recycled buffers: up to 16 KiB
    MOST_BYTES = 1 << 16    # in recycled buffers of one size class

cdef struct Shelf:
    PyObject* nodes[MOST_SHELVED]
    int count

cdef Shelf _plain                   # without a buffer
cdef Shelf _leaves[BUFFER_CLASSES]


cdef bint _shelved(Node node) noexcept:
    """Recycle a dying node without inputs if there is room; return whether it was kept."""
    cdef Shelf* shelf
    cdef Buffer buffer
    cdef size_t capacity
    cdef int index
    if not LZ_KEEPS_DYING or node.origin is not None:
        return False
    if node.payload is not None:
        node.payload = None
    if node.code is not None:
        node.code = None
    if node.failure is not None:
        node.failure = None
    if type(node.owner) is Buffer and Py_REFCNT(<PyObject*>node.owner) == 1 and node.kind == LEAF:
        buffer = <Buffer>node.owner
        index = size_class(buffer.capacity, &capacity)
        if buffer.whole is None and index < BUFFER_CLASSES:
            shelf = &_leaves[index]
            if shelf.count < MOST_SHELVED and shelf.count * capacity < MOST_BYTES and shelve(buffer):
                shelf.nodes[shelf.count] = <PyObject*>node
                shelf.count += 1
                return True
    if node.owner is not None:
        node.owner = None
    node.data = NULL
    if _plain.count == MOST_SHELVED:
        return False
    _plain.nodes[_plain.count] = <PyObject*>node
    _plain.count += 1
    return True


cdef inline Node _taken(Shelf* shelf):
    """Return a recycled node, reset but for its kind, shape, dtype and data."""
    cdef Node node
    shelf.count -= 1
    node = <Node>lz_revive(shelf.nodes[shelf.count])
    restart(node)
    return node


cdef void _clear_shelves() noexcept:
    cdef int index
    for index in range(BUFFER_CLASSES):
        while _leaves[index].count:
            _discard(_taken(&_leaves[index]))


cdef void _discard(Node node) noexcept:
    unshelve(<Buffer>node.owner, (<Buffer>node.owner).nbytes)
    node.owner = None


clear_shelves = _clear_shelves


cdef void _uncount(Node node) noexcept:
    node.pending_counted = False
    node_counts.pending -= 1
    node_counts.pending_bytes -= node.span


cdef void count_pending(Node node) noexcept:
    """Count a node as pending until it is evaluated, fails or is freed."""
    if node.poisoned:
        return
    node.pending_counted = True
    node_counts.pending += 1
    node_counts.pending_bytes += node.span


cdef void forget_pending(Node node) noexcept:
    """Stop counting a node as pending."""
    if node.pending_counted:
        _uncount(node)


cdef int pending_nodes() noexcept:
    return node_counts.pending


cdef double pending_bytes() noexcept:
    return node_counts.pending_bytes


cdef class Kernel:
    """A native call that fills an array of known shape and dtype; one class per family, one instance per call.

    It is called with that array and those of the operands, and may return status flags, unless it fills nodes. If it
    `hands_over`, it may pass parts of its result to an epilogue. `repeats` is set if all it does is repeat each element
    that often along each axis. `pull_back` and `batch` are its derivative and batching rules, unless tables have these
    under the node's name or, for batching, under `batched_as`.
    """
    hands_over = False
    repeats = pull_back = batch = batched_as = None

    cdef int fill(self, Node node) except -1:
        """Fill the storage of `node` from its evaluated inputs; return status flags, -2 if it must be called."""
        return -2

    @staticmethod
    def accept(*operands):
        """Return whether the kernel takes operands of these dtypes and shapes."""
        return all([x.dtype.isnative and x.dtype.kind in "biufc" for x in operands])

    def cost(self, dtype, shape, *operands):
        """Return the time on one thread in ns, from the first operand's dtype and all shapes; None if unknown."""

    def reference(self, *arrays):
        """Return the result, computed plainly with NumPy; the tests compare with it."""
        raise NotImplementedError(f"{type(self).__name__} has no reference")


cdef Node new_node(int kind, int ndim, npy_intp* shape, object dtype, int typenum):
    """Return a node without strides and inputs; the caller has checked ndim and the total size."""
    cdef Node node
    if _plain.count:
        node = _taken(&_plain)
    else:
        node = Node.__new__(Node)
    node.kind = kind
    return described(node, ndim, shape, dtype, typenum)


cdef Node new_small_leaf(int ndim, npy_intp* shape, int typenum):
    """Return a C-contiguous leaf with its own uninitialised buffer."""
    cdef npy_intp nbytes = type_size(typenum)
    cdef size_t capacity
    cdef int index, d
    cdef Node node = None
    for d in range(ndim):
        nbytes *= shape[d]
    index = size_class(nbytes, &capacity)
    if index < BUFFER_CLASSES and _leaves[index].count and not is_over_limit(nbytes):
        node = _taken(&_leaves[index])
        unshelve(<Buffer>node.owner, nbytes)
        node.kind = LEAF
        described(node, ndim, shape, descr_of(typenum), typenum)
    else:
        node = new_node(LEAF, ndim, shape, descr_of(typenum), typenum)
        node.owner = new_buffer(nbytes)
    node.data = (<Buffer>node.owner).data
    dense_strides(ndim, node.shape, node.itemsize if nbytes else 0, node.strides)
    node.span = nbytes
    node.contiguous = True
    return node


cdef inline Node described(Node node, int ndim, npy_intp* shape, object dtype, int typenum):
    """Set the shape and dtype of a node."""
    cdef npy_intp size = 1
    node.ndim = ndim
    node.dtype = dtype
    node.typenum = typenum
    if ndim <= INLINE_DIMS:
        node.shape = node.inline_dims
    else:
        node.shape = <npy_intp*>malloc(2 * ndim * sizeof(npy_intp))
        if node.shape is NULL:
            raise MemoryError()
    node.strides = node.shape + ndim
    for i in range(ndim):
        node.shape[i] = shape[i]
        size *= shape[i]
    node.size = size
    node.itemsize = type_size(typenum) if typenum >= 0 else dtype.itemsize
    return node


cdef Node new_window(int ndim, npy_intp* shape, npy_intp* strides, npy_intp offset, object dtype, int typenum):
    """Return a VIEW without input: a window on any storage."""
    cdef Node node = new_node(VIEW, ndim, shape, dtype, typenum)
    memcpy(node.strides, strides, ndim * sizeof(npy_intp))
    node.offset = offset
    finish_layout(node)
    return node


# Unreferenced constants are recycled: in a loop, most statements use one.
cdef enum:
    KEPT = 4                # per type
cdef PyObject* _constants[NCODES][KEPT]


cdef Node new_constant(int typenum):
    """Return an uninitialised, otherwise unreferenced 0-d constant of native type."""
    cdef PyObject** kept
    cdef Node node
    node_counts.constants += 1
    kept = &_constants[typenum][node_counts.constants % KEPT]
    if kept[0] is not NULL and Py_REFCNT(kept[0]) == 1:
        node = <Node>kept[0]
        node.attr = 0
        node.waits = False
        renew(node)
        forget_sources(node)
        return node
    node = new_node(SCALAR, 0, NULL, descr_of(typenum), typenum)
    node.contiguous = True
    node.span = node.itemsize
    node.data = <char*>node.inline_value
    Py_XDECREF(kept[0])
    Py_INCREF(node)
    kept[0] = <PyObject*>node
    return node


cdef void forget_sources(Node node) noexcept:
    node.nsources = 0
    node.spilled = node.spilled_bits = 0


cdef Node new_literal(int typenum, void* value):
    """Return a constant that no handle will refer to."""
    cdef Node node = new_constant(typenum)
    memcpy(node.inline_value, value, node.itemsize)
    node.attr = LITERAL
    return node


cdef int _idle_constants() noexcept:
    """Return how many constants are kept for reuse only."""
    cdef int code, k, idle = 0
    for code in range(NCODES):
        for k in range(KEPT):
            idle += _constants[code][k] is not NULL and Py_REFCNT(_constants[code][k]) == 1
    return idle


cdef int set_c_strides(Node node) except -1:
    # NumPy's strides are 0 where it allocates nothing
    dense_strides(node.ndim, node.shape, node.itemsize if node.size else 0, node.strides)
    set_span(node)
    node.contiguous = True
    return 0


cdef int set_f_strides(Node node) except -1:
    cdef npy_intp step = node.itemsize if node.size else 0
    cdef int i
    for i in range(node.ndim):
        node.strides[i] = step
        step *= node.shape[i]
    set_span(node)
    finish_layout(node)
    return 0


cdef int set_span(Node node) except -1:
    """Set the storage size of a layout without gaps; raise NumPy's error if it is too large."""
    cdef double total = node.itemsize
    cdef int i
    for i in range(node.ndim):
        total *= max(node.shape[i], <npy_intp>1)
    if total > most_bytes():
        raise too_big()
    node.span = node.size * node.itemsize
    return 0


cdef int check_ndim(Py_ssize_t ndim) except -1:
    """Raise NumPy's error for too many axes."""
    if ndim > MAX_DIMS:
        raise ValueError(f"maximum supported dimension for an ndarray is currently {MAX_DIMS}, found {ndim}")
    return 0


cdef object too_big():
    """Return NumPy's error for an array that exceeds the address space."""
    return ValueError("array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size.")


cdef int finish_layout(Node node) noexcept:
    """Update `contiguous` after strides were set directly."""
    cdef npy_intp step = node.itemsize
    cdef int i
    node.contiguous = True
    if node.size == 0:
        return 0
    for i in range(node.ndim - 1, -1, -1):
        if node.shape[i] != 1 and node.strides[i] != step:
            node.contiguous = False
            return 0
        step *= node.shape[i]
    return 0


cdef char* first_element(Node node) noexcept:
    """Return a pointer to the first element of an evaluated node or a view of one."""
    if node.kind == VIEW and node.data is NULL:
        return (<Node>node.inputs[0]).data + node.offset
    return node.data + node.offset


cdef void drop_inputs(Node node) noexcept:
    """Release the inputs; a work list frees nodes so that long chains need no deep stack."""
    cdef int i, count = node.ninputs
    cdef PyObject** grown
    if count == 0:
        return
    node.ninputs = 0
    if _doomed.count + count > _doomed.room:
        grown = <PyObject**>PyMem_Realloc(_doomed.nodes, (2 * _doomed.room + count + 64) * sizeof(PyObject*))
        if grown is NULL:
            return  # out of memory: leak rather than crash
        _doomed.nodes = grown
        _doomed.room = 2 * _doomed.room + count + 64
    for i in range(count):
        _doomed.nodes[_doomed.count] = node.inputs[i]
        _doomed.count += 1
    if node.inputs != node.inline_inputs:
        free(node.inputs)
    node.inputs = NULL
    if _doomed.freeing:
        return
    _doomed.freeing = True
    while _doomed.count:
        _doomed.count -= 1
        Py_DECREF(<object>_doomed.nodes[_doomed.count])
    _doomed.freeing = False


cdef bint is_evaluated(Node node) noexcept:
    """Return whether the data is complete and operations on it run on the host.

    Data alone does not tell: a thread may be computing it.
    """
    return (node.kind == LEAF or node.kind == SCALAR) and node.device == 0


cdef bint is_on_host(Node node) noexcept:
    """Return whether the data is complete and in host memory; it may be on a device, too."""
    return node.kind == LEAF or node.kind == SCALAR


cdef bint has_value(Node node) noexcept:
    """Return whether the data is complete, in any memory."""
    return node.kind == LEAF or node.kind == SCALAR or node.kind == REMOTE


cdef bint same_shape(Node a, Node b) noexcept:
    if a.ndim != b.ndim:
        return False
    for i in range(a.ndim):
        if a.shape[i] != b.shape[i]:
            return False
    return True


cdef bint same_layout(Node a, Node b) noexcept:
    """Return whether equal indices address equal offsets in storage of the same size."""
    cdef int d
    if a.offset != b.offset or a.span != b.span or a.ndim != b.ndim:
        return False
    for d in range(a.ndim):
        if a.strides[d] != b.strides[d] and a.shape[d] != 1:
            return False
    return True


def stats():
    """Return the numbers of live and of pending nodes."""
    return {"live": node_counts.live - _idle_constants(), "pending": node_counts.pending}
