"""The memo: results of costly operations, kept for evaluations that would compute them again.

Each recognised value has a number. A leaf gets one when a walk first meets it, and keeps it (`Node.number`) until its
memory is written to. A pending node has the number of its structure: its operation, its shape and dtype, and the
numbers of its operands. Structures are compared in full, not by hash, and numbers are never reused, so equal numbers
mean equal values:

    inv(a) @ b      a: 1, b: 2 (leaves)      (inv, 1): 3      (matmul, 3, 2): 4
    a[0] = 7        a has no number          (inv, 5): 6      (matmul, 6, 2): 7

A value without a number is computed, and so are its dependants: storage with undefined contents, calls that are not
known to be pure, values on devices, and leaves whose memory is shared, as others may write there.

The memo keeps memory of results, but no nodes or leaves, so operands can be overwritten as without it. A kept result
has a `_Kept` as owner, as have the arrays that get it later. It is never overwritten in place.

Structures and results count as bytes. The least recently used go first.
"""
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.object cimport PyObject
from cpython.ref cimport _Py_REFCNT as Py_REFCNT
from libc.stdint cimport uint64_t
from libc.string cimport memcpy, memset

cimport cython
cimport numpy as cnp

from lazyarr._core.host cimport allocator
from lazyarr._core.host.allocator cimport Buffer
from lazyarr._core.host.switch cimport Switch
from lazyarr._core.ir.const_guards cimport fast_math
from lazyarr._core.ir.equal_calls cimport are_equal_calls
from lazyarr._core.ir.fingerprint cimport ESCAPES, Walk, nans_are_watched, node_flags, walk
from lazyarr._core.ir.history cimport make_leaf
from lazyarr._core.ir.loop_table cimport LOOP_SERIAL
from lazyarr._core.ir.node cimport (
    CHANGES, LEAF, MAP, MASKED, OPAQUE, REDUCE, REPEAT, RESULT, SCALAR, UPDATE, VIEW, Kernel, Node, has_value)
from lazyarr._core.ir.shape cimport shape_tuple
from lazyarr._core.runtime.concurrent_calls cimport call_ns

from collections import OrderedDict

import numpy as np

cnp.import_array()

cdef object _ndarray = np.ndarray

cdef enum:
    MOST_ALIKE = 8          # calls of one structure with different closure values
    FIXED_WORDS = 12        # words common to all structures
    ENTRY_BYTES = 400       # bytes of a structure besides its words
cdef double LEAST_NS = 5e4  # least estimated cost of a kept result: many times the cost of recognising it

cdef struct MemoState:
    Py_ssize_t limit, nbytes
    uint64_t number         # last number in use
    long long hits, misses

cdef MemoState _memo = MemoState(0, 0, 0, 0, 0)
cdef object _values = OrderedDict()     # structure -> _Value, most recently used last
cdef Switch _switch = Switch()
set_enabled = _switch.set_enabled


@cython.final
cdef class _Kept:
    """Memory of a kept result: the owner of all arrays that share it."""
    cdef object memory
    cdef char* data


@cython.final
cdef class _Value:
    """The entry of a structure."""
    cdef bytes structure
    cdef tuple payload      # payload of a call
    cdef uint64_t number
    cdef _Kept kept          # None: not kept
    cdef Py_ssize_t nbytes


@cython.final
cdef class Recollection:
    """The entries of the nodes of a walk."""


cdef bint memo_is_on() noexcept:
    return _memo.limit > 0


cdef bint has_kept_memory(Node node) noexcept:
    """Return whether a node's memory is a kept result, which other nodes may share."""
    return type(node.owner) is _Kept


# ---- structures and numbers ----------------------------------------------------------------------------


cdef uint64_t _new_number() noexcept:
    _memo.number += 1
    return _memo.number


cdef bint _has_private_memory(Node leaf) noexcept:
    """Return whether only arrays of lazyarr, which track writes, refer to a leaf's memory."""
    cdef PyObject* owner = <PyObject*>leaf.owner
    if type(<object>owner) is _Kept:
        return True
    if type(<object>owner) is Buffer:
        return Py_REFCNT(owner) == 1 + (<Buffer>owner).lent
    return type(<object>owner) is _ndarray and Py_REFCNT(owner) == 1 \
        and cnp.PyArray_CHKFLAGS(<cnp.ndarray>owner, cnp.NPY_ARRAY_OWNDATA)


cdef uint64_t _number_of_leaf(Node leaf) except? 0:
    """Return the number of an evaluated value, 0 if it cannot be recognised."""
    if leaf.typenum < 0 or leaf.device or leaf.devices or leaf.payload is not None:
        return 0
    if leaf.kind == SCALAR:
        if leaf.typenum == cnp.NPY_LONGDOUBLE or leaf.typenum == cnp.NPY_CLONGDOUBLE:  # padding bytes are undefined
            return 0
        structure = bytes([SCALAR, leaf.typenum]) + leaf.data[:leaf.itemsize]
        return _value_of(structure, None).number
    if leaf.kind != LEAF or not _has_private_memory(leaf):
        return 0
    if leaf.number == 0:
        leaf.number = _new_number()
    return leaf.number


cdef bint _is_pure(Node call) except -1:
    """Return whether a call is one of lazyarr's own whose result depends on its operands alone."""
    if call.attr == CHANGES or call.ninputs == 0:
        return False
    name, function, _ = call.payload
    if isinstance(function, Kernel):
        return True
    return call.kind == OPAQUE and "." in name and call_ns(call) >= 0  # user-defined ufuncs have no dot in their names


cdef bytes _structure_of(Node node, uint64_t* numbers):
    """Return the structure of a pending node as bytes; None if it cannot be recognised."""
    cdef int k, size = FIXED_WORDS + 2 * node.ndim + node.ninputs
    cdef int replaced = 1 + 2 * <int>node.window[0] if node.window is not NULL else 0
    cdef uint64_t* words
    cdef bytes made
    if node.typenum < 0 or node.device or node.devices \
            or node.kind not in (VIEW, MAP, MASKED, RESULT, UPDATE, REDUCE, OPAQUE, REPEAT):
        return None
    if node.loop is not NULL and node.loop.flags & LOOP_SERIAL:
        return None
    if (node.kind == OPAQUE or node.kind == REPEAT) and not _is_pure(node):
        return None
    for k in range(node.ninputs):
        if numbers[(<Node>node.inputs[k]).index] == 0:
            return None
    made = PyBytes_FromStringAndSize(NULL, (size + replaced) * sizeof(uint64_t))
    words = <uint64_t*>PyBytes_AS_STRING(made)
    words[0] = node.kind
    words[1] = node.typenum
    words[2] = node.ndim
    words[3] = node.ninputs
    words[4] = node.attr
    words[5] = node.err
    words[6] = node.loop.id if node.loop is not NULL else 0
    words[7] = node.axes
    words[8] = node.offset
    words[9] = node.span
    words[10] = node.window_offset if node.window is not NULL else 0
    words[11] = fast_math()
    memcpy(words + FIXED_WORDS, node.shape, node.ndim * sizeof(uint64_t))
    memcpy(words + FIXED_WORDS + node.ndim, node.strides, node.ndim * sizeof(uint64_t))
    for k in range(node.ninputs):
        words[FIXED_WORDS + 2 * node.ndim + k] = numbers[(<Node>node.inputs[k]).index]
    if replaced:
        memcpy(words + size, node.window, replaced * sizeof(uint64_t))
    return made


cdef _Value _value_of(bytes structure, tuple payload):
    """Return the entry of a structure and payload, created if needed.

    None if too many other calls have that structure.
    """
    cdef _Value value
    cdef bytes key = structure
    cdef int k
    for k in range(MOST_ALIKE):
        value = _values.get(key)
        if value is None:
            value = _Value.__new__(_Value)
            value.structure, value.payload, value.number = key, payload, _new_number()
            value.nbytes = ENTRY_BYTES + len(key)
            _values[key] = value
            _memo.nbytes += value.nbytes
            return value
        if payload is None or are_equal_calls(value.payload, payload):
            _values.move_to_end(key)
            return value
        key = structure + bytes([k])
    return None


cdef list _values_in(Walk* w):
    """Return the entry of each pending node of a walk, None if it cannot be recognised."""
    cdef bytes room = PyBytes_FromStringAndSize(NULL, (w.count + 1) * sizeof(uint64_t)), structure
    cdef uint64_t* numbers = <uint64_t*>PyBytes_AS_STRING(room)
    cdef list values = [None] * w.count
    cdef Node node
    cdef _Value value
    cdef int i
    for i in range(w.count):
        node = <Node>w.nodes[i]
        numbers[i] = 0
        if node.data is not NULL:
            numbers[i] = _number_of_leaf(node)
            continue
        structure = _structure_of(node, numbers)
        if structure is None:
            continue
        value = _value_of(structure, node.payload if node.kind == OPAQUE or node.kind == REPEAT else None)
        if value is not None:
            numbers[i] = value.number
            values[i] = value
    return values


# ---- before and after an evaluation --------------------------------------------------------------------


cdef Recollection recall(Walk* w, PyObject** roots, int count):
    """Replace pending nodes by kept results, and walk the rest again.

    None if the memo does not apply. Remaining costly nodes count as wanted outside the graph, so that they keep their
    results.
    """
    cdef Recollection found
    cdef list values, hits
    cdef Node node
    cdef _Kept kept
    cdef int i
    cdef uint64_t number
    if not _switch.enabled or w.remembered or nans_are_watched():
        return None
    values = _values_in(w)
    hits = _hits_in(w, values, roots, count)
    if hits:
        for node, number, kept in hits:
            if not has_value(node):  # a finalizer may have evaluated it
                node.owner, node.data, node.number = kept, kept.data, number
                make_leaf(node)
        walk(w, roots, count)
        values = _values_in(w)
    found = Recollection.__new__(Recollection)
    found.values, found.costly = values, []
    for i in range(w.count):
        if values[i] is not None:
            node = <Node>w.nodes[i]
            node.number = (<_Value>values[i]).number
            if node.span <= _memo.limit and _is_costly(node):
                found.costly.append(i)
                node_flags(w)[i] |= ESCAPES
    w.skips_memo = False
    _memo.misses += len(found.costly)
    return found


cdef list _hits_in(Walk* w, list values, PyObject** roots, int count):
    """Return the pending nodes found in the memo, each with its number and memory."""
    cdef bytes room = PyBytes_FromStringAndSize(NULL, w.count + 1)
    cdef char* needed = PyBytes_AS_STRING(room)
    cdef list hits = []
    cdef Node node
    cdef _Value value
    cdef int i, k
    memset(needed, 0, w.count)
    for i in range(count):
        needed[(<Node>roots[i]).index] = 1
    for i in range(w.count - 1, -1, -1):
        node, value = <Node>w.nodes[i], values[i]
        if not needed[i] or node.data is not NULL:
            continue
        if value is not None and value.kept is not None:
            hits.append((node, value.number, value.kept))
            continue
        for k in range(node.ninputs):
            needed[(<Node>node.inputs[k]).index] = 1
    _memo.hits += len(hits)
    return hits


cdef bint _is_costly(Node node) except -1:
    """Return whether a node's result is worth keeping."""
    cdef Node call = node
    if node.kind == REDUCE:
        return _switch.always or node.loop.cost * (<Node>node.inputs[0]).size >= LEAST_NS
    if node.kind == RESULT:
        call = <Node>node.inputs[0]
    if call.kind != OPAQUE or call is node and call.payload[2] is not None:
        return False
    return _switch.always or _estimated_ns(call) >= LEAST_NS


cdef double _estimated_ns(Node call) except -1:
    """Return the estimated time of a pure call in ns; for kernels without estimate, that of reading the elements."""
    cdef double elements = call.size
    cdef list shapes = []
    cdef int k
    function = call.payload[1]
    if not isinstance(function, Kernel):
        return call_ns(call)
    for k in range(call.ninputs):
        elements += (<Node>call.inputs[k]).size
        shapes.append(shape_tuple(<Node>call.inputs[k]))
    known = function.cost((<Node>call.inputs[0]).dtype, shape_tuple(call), *shapes)
    return elements if known is None else known


cdef int end_recall(Walk* w, Recollection found, bint succeeded) except -1:
    """Keep the results of a successful evaluation without reports; otherwise let nothing be recognised."""
    cdef Node node
    cdef int i
    for i in range(w.count):
        node = <Node>w.nodes[i]
        if found.values[i] is not None and not (succeeded and node.kind == LEAF):
            node.number = 0
    if succeeded:
        for i in found.costly:
            _keep(<Node>w.nodes[i], found.values[i])
        _drop_oldest()
    return 0


cdef int _keep(Node node, _Value value) except -1:
    """Keep the memory of a result if the node is evaluated and owns the memory."""
    cdef _Kept kept
    cdef object owner = node.owner
    if node.kind != LEAF or value.kept is not None or _values.get(value.structure) is not value:
        return 0
    if not (type(owner) is Buffer and (<Buffer>owner).whole is None
            or type(owner) is _ndarray and cnp.PyArray_CHKFLAGS(<cnp.ndarray>owner, cnp.NPY_ARRAY_OWNDATA)):
        return 0
    kept = _Kept.__new__(_Kept)
    kept.memory, kept.data = owner, node.data
    node.owner = value.kept = kept
    value.nbytes += node.span
    _memo.nbytes += node.span
    return 0


# ---- bounds --------------------------------------------------------------------------------------------


cdef int _drop_oldest() except -1:
    """Drop the least recently used entries while the memo is over its limit."""
    cdef _Value value
    cdef list dropped = []  # released at the end: finalizers may evaluate
    while _memo.nbytes > _memo.limit and _values:
        _, value = _values.popitem(last=False)
        _memo.nbytes -= value.nbytes
        dropped.append(value)
    return 0


cdef void release_results() noexcept:
    """Free all results because memory is short. No user finalizer runs here."""
    cdef _Value value
    cdef Py_ssize_t structures
    for value in _values.values():
        if value.kept is not None:
            value.kept = None
            structures = ENTRY_BYTES + len(value.structure)
            _memo.nbytes -= value.nbytes - structures
            value.nbytes = structures


allocator.release_results = release_results


def stats():
    """Return hits, misses, kept results and bytes held."""
    cdef _Value value
    held = sum([1 for value in _values.values() if value.kept is not None])
    return {"hits": _memo.hits, "misses": _memo.misses, "results": held, "bytes": _memo.nbytes}


def clear():
    """Clear the memo except its counters."""
    dropped = [*_values.values()]
    _values.clear()
    _memo.nbytes = 0
    del dropped


def get_memo_limit():
    """Return the limit of the memo in bytes."""
    return _memo.limit


def set_memo_limit(Py_ssize_t nbytes):
    """Set the limit of the memo in bytes; 0 turns it off."""
    _memo.limit = nbytes
    if nbytes == 0:
        clear()
    else:
        _drop_oldest()
