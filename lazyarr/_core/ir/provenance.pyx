"""The inputs of a node, and the serials of the nodes that it depends on.

An evaluated node drops its inputs but keeps up to `MOST_SOURCES` serials, and a Bloom filter of older ones, so that
dependencies can still be tested.
"""
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from cpython.sequence cimport PySequence_Fast_ITEMS
from libc.stdint cimport uint64_t
from libc.stdlib cimport malloc
from libc.string cimport memcpy, memmove

from lazyarr._core.host.device_table cimport device_name
from lazyarr._core.ir.leaf cimport code_of
from lazyarr._core.ir.node cimport (
    COMPRESS, EXPAND, INLINE_INPUTS, LITERAL, MOST_SOURCES, ON_DEVICE, OPAQUE, PACKED, RESULT, SCALAR, UPDATE, WAITS,
    Node, forget_pending)
from lazyarr._core.ir.device_function cimport DeviceFunction

import numpy as np


cdef int set_inputs(Node node, int count, PyObject** inputs) except -1:
    if count <= INLINE_INPUTS:
        node.inputs = node.inline_inputs
    else:
        node.inputs = <PyObject**>malloc(count * sizeof(PyObject*))
        if node.inputs is NULL:
            raise MemoryError()
    for i in range(count):
        assert (<Node>inputs[i]).kind not in (COMPRESS, PACKED) or node.kind in (PACKED, EXPAND), "unresolved selection"
        node.inputs[i] = inputs[i]
        Py_INCREF(<object>inputs[i])
        note_source(node, <Node>inputs[i])
    node.ninputs = count
    if node.devices:
        _choose_device(node)
    return 0


cdef int _choose_device(Node node) except -1:
    """Place a node where its operands are; dtypes that the device lacks stay on the host.

    Operands on the host are copied as needed. An update stays with its storage.
    """
    cdef Node operand
    cdef int i
    if node.kind == RESULT:     # with its call, whatever its dtype
        put_on(node, (<Node>node.inputs[0]).device)
        return 0
    if node.typenum < 0:        # the reader of a tape is where the tape is
        for i in range(node.ninputs):
            if (<Node>node.inputs[i]).typenum < 0:
                put_on(node, (<Node>node.inputs[i]).device)
        return 0
    if not _is_native(node):
        return 0
    for i in range(node.ninputs):
        operand = <Node>node.inputs[i]
        if operand.typenum < 0 and operand.device == 0:  # a loop's residuals are where the loop ran
            node.device = 0
            break
        if node.kind != UPDATE:
            node.device = device_of_both(node.device, operand.device)
    if node.kind == UPDATE:
        node.device = (<Node>node.inputs[0]).device
    if node.device:
        node.waits |= ON_DEVICE
        node.stays_on_host = False
    else:
        node.waits &= WAITS
    return 0


cdef int device_of_both(int device, int other) except -1:
    """Return the device of an operation on operands of these two devices."""
    if device and other and device != other:
        raise ValueError(f"operands are on {device_name(device)} and {device_name(other)}; "
                         "move one of them with to_device")
    return device or other


cdef void put_on(Node node, int device) noexcept:
    """Place a node without operands on a device."""
    if device:
        node.device, node.devices = device, node.devices | 1 << device
        node.waits |= ON_DEVICE


cdef bint _is_native(Node node) except -1:
    """Return whether a node's results are of native types, apart from tapes."""
    if node.kind == OPAQUE and type(node.payload[2]) is tuple and not isinstance(node.payload[1], DeviceFunction):
        return all([code_of(np.dtype(spec[1])) >= 0 for spec in node.payload[2]])
    return True


cdef int set_input_list(Node node, list inputs) except -1:
    return set_inputs(node, <int>len(inputs), PySequence_Fast_ITEMS(inputs))


cdef void note_source(Node made, Node source) noexcept:
    """Record `source` as a dependency of `made`, which inherits its waiting state."""
    cdef int i
    if source.kind == SCALAR and source.attr == LITERAL:
        return
    made.waits |= source.waits
    made.devices |= source.devices
    made.stays_on_host |= source.stays_on_host
    if source.first_reader == 0:
        source.first_reader = made.serial
    if source.data is NULL:
        source.read_early = True
        if source.poisoned:
            inherit_poison(made, source)
    if made.nsources == 0:
        memcpy(made.sources, source.sources, source.nsources * sizeof(uint64_t))
        made.nsources = source.nsources
    else:
        for i in range(source.nsources):
            _add_source(made, source.sources[i])
    if source.spilled:
        made.spilled = max(made.spilled, source.spilled)
        made.spilled_bits |= source.spilled_bits
    if source.data is not NULL:
        _add_source(made, source.serial)


cdef void inherit_poison(Node made, Node source) noexcept:
    """Mark `made` as failed or poisoned if `source` is."""
    made.poisoned = True
    if made.failure is None:
        made.failure = source.failure
    forget_pending(made)


cdef void _add_source(Node made, uint64_t serial) noexcept:
    cdef int i = made.nsources
    cdef uint64_t oldest
    while i and made.sources[i - 1] < serial:
        i -= 1
    if i and made.sources[i - 1] == serial:
        return
    if made.nsources == MOST_SOURCES:
        oldest = serial if i == MOST_SOURCES else made.sources[MOST_SOURCES - 1]
        made.spilled = max(made.spilled, oldest)
        made.spilled_bits |= _bits(oldest)
        if i == MOST_SOURCES:
            return
        made.nsources -= 1
    memmove(made.sources + i + 1, made.sources + i, (made.nsources - i) * sizeof(uint64_t))
    made.sources[i] = serial
    made.nsources += 1


cdef inline uint64_t _bits(uint64_t serial) noexcept:
    """Return the Bloom filter bits of a serial number: five that few others share (Bloom, 1970)."""
    cdef uint64_t h = serial * <uint64_t>0x9E3779B97F4A7C15, one = 1
    return (one << (h >> 58) | one << (h >> 52 & 63) | one << (h >> 46 & 63) | one << (h >> 40 & 63)
            | one << (h >> 34 & 63))


cdef bint may_be_made_of(Node made, Node source) noexcept:
    """Return whether a node may depend on another one.

    False is certain; true may be wrong for long histories. For nodes read before they were evaluated, their sources
    count.
    """
    cdef int i
    if made.at_once:  # its sources are not recorded, but none of them waits
        return not source.waits and made.serial > source.serial
    if source.first_reader == 0 or made.serial < source.first_reader:
        return False
    if _has_source(made, source.serial):
        return True
    for i in range(source.nsources):
        if not _has_source(made, source.sources[i]):
            return False
    return source.read_early and source.nsources > 0 and not source.spilled_bits & ~made.spilled_bits


cdef bint _has_source(Node made, uint64_t serial) noexcept:
    cdef uint64_t bits
    cdef int i
    for i in range(made.nsources):
        if made.sources[i] == serial:
            return True
    bits = _bits(serial)
    return serial <= made.spilled and made.spilled_bits & bits == bits
