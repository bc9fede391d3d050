"""Graph traversal below the roots of an evaluation: topological order and fingerprint.

Nodes are visited iteratively, inputs first. Their structure is written as words: the fingerprint, the key of the plan
cache. It has operations, dtypes, ranks, and which inputs, shapes, windows and called functions are equal. It has no
extents, offsets, scalar values or addresses, which a plan reads from the nodes. Constants that rewrite rules ask for
are marked (const_guards.pyx).

The fingerprint ends with one byte per node: whether the value *escapes* (a handle or a node outside the graph refers to
it), and whether a leaf's memory is *consumable* (only this graph refers to it, so it may be overwritten). Both follow
from reference counts.
"""
from cpython.object cimport PyObject
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcmp, memcpy

from numpy cimport npy_intp, NPY_CLONGDOUBLE, NPY_LONGDOUBLE

from lazyarr._core.host.allocator cimport Buffer
from lazyarr._core.ir.const_guards cimport fast_math, mark_of
from lazyarr._core.ir.equal_calls cimport are_equal_calls
from lazyarr._core.ir.graph_ir cimport large_bytes
from lazyarr._core.ir.history cimport history_is_kept_somewhere
from lazyarr._core.ir.mirrors cimport drop_mirror
from lazyarr._core.ir.node cimport (
    CHANGES, COMPRESS, EXPAND, LEAF, MAP, OPAQUE, PACKED, REDUCE, RESULT, SCALAR, UPDATE, VIEW, Node, same_shape)

cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(PyObject* o) noexcept

cdef enum:
    MOST_ALIKE = 8      # calls compared with each: `x[k, i]` for many k differ only in closure values

cdef struct WalkState:
    unsigned int epoch
    bint nans_watched
    npy_intp least_cut      # elements that a slice must omit for the pushdown to pay off

cdef WalkState _state = WalkState(0, False, 4096)


def set_debug_nans(bint watch):
    """Set whether each result is checked for NaN before the next operation runs."""
    _state.nans_watched = watch


def get_debug_nans():
    """Return whether results are checked for NaN."""
    return bool(_state.nans_watched)


def set_least_cut(npy_intp elements):
    """Set how many elements a slice must omit to be pushed to the leaves; return the old number."""
    before, _state.least_cut = _state.least_cut, elements
    return before


cdef bint nans_are_watched() noexcept:
    return _state.nans_watched


cdef int walk(Walk* w, PyObject** roots, int count) except -1:
    """Fill `w` with the graph below the roots."""
    visit_all(w, roots, count)
    return _append_node_flags(w, roots, count)


cdef void release_walk(Walk* w) noexcept:
    """Free the memory of a walk."""
    free(w.nodes)
    free(w.stack)
    free(w.child)
    free(w.classes)
    free(w.class_of)
    free(w.first_equal)
    free(w.equal_nodes)
    free(w.status)
    free(w.words)


cdef unsigned char* node_flags(Walk* w) noexcept:
    """Return the flags of each node: ESCAPES, CONSUMABLE."""
    return <unsigned char*>(w.words + w.nwords - (w.count + 3) // 4)


cdef int _grow_walk(Walk* w, int room) except -1:
    w.nodes = <PyObject**>realloc(w.nodes, room * sizeof(PyObject*))
    w.stack = <PyObject**>realloc(w.stack, room * sizeof(PyObject*))
    w.child = <int*>realloc(w.child, room * sizeof(int))
    w.classes = <int*>realloc(w.classes, room * sizeof(int))
    w.class_of = <int*>realloc(w.class_of, room * sizeof(int))
    w.first_equal = <int*>realloc(w.first_equal, room * sizeof(int))
    w.status = <int*>realloc(w.status, room * sizeof(int))
    if not (w.nodes and w.stack and w.child and w.classes and w.class_of and w.first_equal and w.status):
        w.room = 0
        raise MemoryError()
    w.room = room
    return 0


cdef int _grow_words(Walk* w, int room) except -1:
    w.words = <uint32_t*>realloc(w.words, room * sizeof(uint32_t))
    if w.words is NULL:
        w.words_room = 0
        raise MemoryError()
    w.words_room = room
    return 0


cdef inline int _shape_class(Walk* w, Node node) noexcept:
    """Return the id of the node's shape among the distinct shapes so far."""
    cdef int k
    for k in range(w.nclasses - 1, -1, -1):
        if same_shape(<Node>w.nodes[w.classes[k]], node):
            return k
    w.classes[w.nclasses] = w.count
    w.nclasses += 1
    return w.nclasses - 1


cdef int _grow_equal_nodes(Walk* w) except -1:
    """Double the hash table of views, constants and calls."""
    cdef uint64_t* before = w.equal_nodes
    cdef int room = w.met_room, k, at
    w.equal_nodes = <uint64_t*>calloc(2 * room if room else 64, sizeof(uint64_t))
    if w.equal_nodes is NULL:
        w.equal_nodes = before
        raise MemoryError()
    w.met_room = 2 * room if room else 64
    for k in range(room):
        if before[k] >> 32 == _state.epoch:  # all entries are distinct
            at = _first_slot(w, <Node>w.nodes[before[k] & 0xffffffff])
            while w.equal_nodes[at] >> 32 == _state.epoch:
                at = (at + 1) & (w.met_room - 1)
            w.equal_nodes[at] = before[k]
    free(before)
    return 0


cdef inline int _first_slot(Walk* w, Node node) noexcept:
    """Return the slot of the hash table at which probing begins."""
    return <int>(_hash_of(node) >> 32) & (w.met_room - 1)


cdef inline int _slot(Walk* w, Node node) noexcept:
    """Return the slot of an equal view or constant, or a free one."""
    cdef int at = _first_slot(w, node)
    while w.equal_nodes[at] >> 32 == _state.epoch and not _same(<Node>w.nodes[w.equal_nodes[at] & 0xffffffff], node):
        at = (at + 1) & (w.met_room - 1)
    return at


cdef inline int _call_slot(Walk* w, Node node) noexcept:
    """Return the slot of a call that may be equal, or a free one; -1 after too many unequal candidates."""
    cdef int at = _first_slot(w, node), _k
    for _k in range(MOST_ALIKE):
        if w.equal_nodes[at] >> 32 != _state.epoch or _may_equal(<Node>w.nodes[w.equal_nodes[at] & 0xffffffff], node):
            return at
        at = (at + 1) & (w.met_room - 1)
    return -1


cdef inline uint64_t _hash_of(Node node) noexcept:
    cdef uint64_t h = <uint64_t>node.typenum
    cdef int d
    if node.kind == OPAQUE:
        for d in range(node.ninputs):
            h = h * 0x9E3779B97F4A7C15ULL ^ _value_hash(<Node>node.inputs[d])
    elif node.kind == SCALAR:
        if node.itemsize == 8:
            h = (<uint64_t*>node.data)[0]
        else:
            memcpy(&h, node.data, min(node.itemsize, <npy_intp>sizeof(h)))
    else:
        h ^= <uint64_t><size_t>node.inputs[0] >> 4 ^ <uint64_t>node.offset << 8
        for d in range(node.ndim):
            h = h * 0x9E3779B97F4A7C15ULL ^ <uint64_t>(node.strides[d] + node.shape[d])
    h *= 0xff51afd7ed558ccdULL
    return h ^ h >> 29


cdef inline bint _same(Node a, Node b) noexcept:
    """Return whether two views on one storage, or two constants, are bytewise equal."""
    if a.kind != b.kind or a.dtype is not b.dtype:
        return False
    if a.kind == SCALAR:
        if a.itemsize == 8:
            return (<uint64_t*>a.data)[0] == (<uint64_t*>b.data)[0]
        return memcmp(a.data, b.data, a.itemsize) == 0
    return a.inputs[0] == b.inputs[0] and a.offset == b.offset and _same_layout(a, b)


cdef bint _may_equal(Node a, Node b) noexcept:
    """Return whether two calls are equal provided their operands are, which only `simplify` can tell."""
    cdef int d
    if a.kind != b.kind or a.dtype is not b.dtype or a.attr != b.attr or a.err != b.err or a.ninputs != b.ninputs \
            or not _same_layout(a, b):
        return False
    for d in range(a.ninputs):
        if _value_hash(<Node>a.inputs[d]) != _value_hash(<Node>b.inputs[d]):
            return False
    return are_equal_calls(a.payload, b.payload)


cdef inline bint _same_layout(Node a, Node b) noexcept:
    cdef int d
    if not same_shape(a, b):
        return False
    for d in range(a.ndim):
        if a.strides[d] != b.strides[d]:
            return False
    return True


cdef uint64_t _value_hash(Node operand) noexcept:
    """Return a hash of an operand's value: its identity, or how it is computed.

    It depends on addresses, so it must not leave the process.
    """
    if operand.data is not NULL:
        return <uint64_t>operand.index << 8
    if operand.kind == VIEW:
        return _value_hash(<Node>operand.inputs[0]) + <uint64_t>operand.offset * 0x9E3779B97F4A7C15ULL + operand.kind
    return (<uint64_t><size_t>operand.loop >> 4 ^ <uint64_t>operand.size << 8) * 0xff51afd7ed558ccdULL + operand.kind


cdef inline int _first_equal(Walk* w, Node node) except -1:
    """Return the position of the first equal view or constant, or possibly equal call; possibly itself."""
    cdef int at
    if node.typenum < 0 or node.typenum in (NPY_LONGDOUBLE, NPY_CLONGDOUBLE):  # padding bytes are undefined
        return node.index
    if 2 * w.nmet >= w.met_room:
        _grow_equal_nodes(w)
    at = _call_slot(w, node) if node.kind == OPAQUE else _slot(w, node)
    if at < 0:
        return node.index
    if w.equal_nodes[at] >> 32 == _state.epoch:
        return <int>(w.equal_nodes[at] & 0xffffffff)
    w.equal_nodes[at] = <uint64_t>_state.epoch << 32 | <uint64_t>node.index
    w.nmet += 1
    return node.index


cdef inline bint _is_seen(Walk* w, Node constant) noexcept:
    """Return whether an equal constant came before, which is read in place of this one."""
    cdef int at
    if w.nmet == 0 or constant.typenum in (NPY_LONGDOUBLE, NPY_CLONGDOUBLE):
        return False
    at = _slot(w, constant)
    if w.equal_nodes[at] >> 32 != _state.epoch:
        return False
    constant.index = <int>(w.equal_nodes[at] & 0xffffffff)
    return True


cdef inline int _visit(Walk* w, Node node) except -1:
    """Append a node, whose inputs were appended before, and its words."""
    cdef uint32_t* out
    cdef uint32_t kind
    cdef int i, n, shape
    cdef Node below
    if w.count + 1 >= w.room:
        _grow_walk(w, 2 * w.room + 64)
    n = w.nwords
    if n + 8 + node.ninputs >= w.words_room:
        _grow_words(w, 2 * w.words_room + 64 + node.ninputs)
    out = w.words + n
    kind = <uint32_t>node.ndim << 8 | <uint32_t>(node.typenum & 0xff) << 16
    node.index = w.count
    w.nodes[w.count] = <PyObject*>node
    w.remembered |= node.pinned
    w.failed |= node.failure is not None
    shape = _shape_class(w, node)
    w.class_of[w.count] = shape
    w.count += 1
    if node.data is not NULL:
        out[0] = (SCALAR if node.kind == SCALAR else LEAF) | kind
        out[1] = shape
        w.nwords = n + 2
        if node.kind == SCALAR:
            out[2] = w.first_equal[node.index] = _first_equal(w, node)
            w.nwords += 1
        return 0
    out[0] = node.kind | <uint32_t>node.contiguous << 7 | kind | <uint32_t>(node.ninputs & 0xff) << 24
    out[1] = shape
    n = 2
    if MAP <= node.kind <= EXPAND:
        out[n] = node.loop.id
        if node.kind == MAP:
            for i in range(min(node.ninputs, 3)):
                below = <Node>node.inputs[i]
                if below.kind == SCALAR or below.data is NULL and below.ninputs == 1:
                    out[n] |= <uint32_t>mark_of(node.loop, below) << 20 + 4 * i
        n += 1
    elif node.kind == REDUCE:
        out[n] = node.loop.id
        out[n + 1] = <uint32_t>(node.axes & 0xffffffff)
        out[n + 2] = <uint32_t>(node.axes >> 32)
        out[n + 3] = node.attr
        n += 4
    elif node.kind == RESULT or node.kind == UPDATE:
        out[n] = node.attr
        n += 1
    elif node.kind == OPAQUE:
        w.first_equal[node.index] = node.index if node.attr == CHANGES or node.ninputs == 0 else _first_equal(w, node)
        out[n], out[n + 1] = node.attr, w.first_equal[node.index]
        n += 2
    elif node.kind == VIEW:
        out[n] = w.first_equal[node.index] = _first_equal(w, node)
        n += 1
        if cuts_enough(node, <Node>node.inputs[0]) \
                and (w.first_equal[node.index] != node.index or Py_REFCNT(node.inputs[0]) == 1):
            w.has_slices = True
    for i in range(node.ninputs):
        out[n] = (<Node>node.inputs[i]).index
        n += 1
    w.nwords += n
    return 0


cdef int visit_all(Walk* w, PyObject** roots, int count) except -1:
    """Traverse the graph in post-order from the roots, without recursion."""
    cdef int depth, r, k
    cdef PyObject* top
    cdef PyObject* below
    _state.epoch += 1
    w.count = w.nclasses = w.nmet = 0
    w.failed = w.has_slices = False
    w.remembered = history_is_kept_somewhere()
    if w.room == 0:
        _grow_walk(w, 64)
        _grow_words(w, 256)
    w.words[0] = fast_math()
    w.nwords = 1
    for r in range(count):
        top = roots[r]
        if (<Node>top).mark == _state.epoch:
            continue
        (<Node>top).mark = _state.epoch
        (<Node>top).uses = 0
        w.stack[0] = top
        w.child[0] = 0
        depth = 1
        while depth:
            top = w.stack[depth - 1]
            k = w.child[depth - 1]
            if (<Node>top).data is NULL and k < (<Node>top).ninputs:
                w.child[depth - 1] = k + 1
                below = (<Node>top).inputs[k]
                if (<Node>below).mark == _state.epoch:
                    (<Node>below).uses += 1
                    continue
                (<Node>below).mark = _state.epoch
                (<Node>below).uses = 1
                if (<Node>below).kind == SCALAR and _is_seen(w, <Node>below):
                    continue
                if (<Node>below).data is not NULL:
                    _visit(w, <Node>below)
                    continue
                if depth + 1 >= w.room:
                    _grow_walk(w, 2 * w.room + 64)
                w.stack[depth] = below
                w.child[depth] = 0
                depth += 1
            else:
                depth -= 1
                _visit(w, <Node>top)
    return 0


cdef int _append_node_flags(Walk* w, PyObject** roots, int count) except -1:
    """Append the flags byte of each node. Roots escape."""
    cdef int i, n = (w.count + 3) // 4
    cdef unsigned char* flags
    cdef PyObject* p
    cdef bint shared = False
    cdef double nbytes = 0
    if w.nwords + n + 1 >= w.words_room:
        _grow_words(w, w.nwords + n + 64)
    w.words[w.nwords + n - 1 if n else w.nwords] = 0
    flags = <unsigned char*>(w.words + w.nwords)
    for i in range(w.count):
        p = w.nodes[i]
        flags[i] = 0
        if (<Node>p).data is NULL:
            nbytes += (<Node>p).span
            if Py_REFCNT(p) > (<Node>p).uses:
                if stores_nothing(<Node>p):
                    shared = True
                else:
                    flags[i] = ESCAPES
        elif not w.remembered and (<Node>p).kind != SCALAR and Py_REFCNT(p) == (<Node>p).uses:
            if sole_owner(p):
                flags[i] = CONSUMABLE
    if _state.nans_watched:  # every value is kept until it has been checked
        for i in range(w.count):
            p = w.nodes[i]
            flags[i] = 0
            if not ((<Node>p).data is not NULL or stores_nothing(<Node>p) or (<Node>p).kind == COMPRESS
                    or (<Node>p).kind == PACKED):
                flags[i] = ESCAPES
    if shared:
        # a node that keeps no value of its own will be read again from outside, down to the leaves below it
        for i in range(w.count):
            flags[i] &= ~CONSUMABLE
    for i in range(count):
        flags[(<Node>roots[i]).index] = ESCAPES
    if nbytes >= large_bytes():
        w.words[0] |= 2
    w.nwords += n
    return 0


cdef bint cuts_enough(Node view, Node storage) noexcept:
    """Return whether a view omits enough of a pending elementwise result to be pushed down."""
    return storage.data is NULL and storage.kind == MAP and view.size > 0 \
        and storage.size - view.size >= _state.least_cut


cdef bint stores_nothing(Node node) noexcept:
    """Return whether a node has no storage: a view, or an operation with several results."""
    if node.kind == MAP:
        return node.loop.nout > 1
    return node.kind == VIEW or node.kind == OPAQUE and node.attr == 0 and node.payload[2] is not None


cdef bint sole_owner(PyObject* node) noexcept:
    """Return whether the node's memory is a pool block that only this node refers to.

    Drops the copy on a device, since the caller is about to write.
    """
    drop_mirror(<Node>node)
    return Py_REFCNT(<PyObject*>(<Node>node).owner) == 1 and type((<Node>node).owner) is Buffer


cdef uint64_t hash_words(uint32_t* words, int n) noexcept:
    """Hash pairs of words by multiply-rotate, the mixing step of wyhash."""
    cdef uint64_t h = 0x9E3779B97F4A7C15ULL ^ <uint64_t>n
    cdef int i
    for i in range(0, n - 1, 2):
        h = (h ^ (words[i] | <uint64_t>words[i + 1] << 32)) * 0xff51afd7ed558ccdULL
        h ^= h >> 32
    if n & 1:
        h = (h ^ words[n - 1]) * 0xff51afd7ed558ccdULL
        h ^= h >> 32
    return h
