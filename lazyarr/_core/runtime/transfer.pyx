"""Copies of values between the memories of devices.

A transfer is a call that returns its operand's value on another device. Copies run on the dependency engine, in one
thread per device and direction, while the host goes on. A reader waits for the copy and records its end in the node;
engine threads touch only memory.

A value fetched to the host stays on its device as long as it lives, as does a host value on a device that has read it
(`ir/mirrors.pyx`). A transfer makes no copy where there is one already.
"""
from cpython.object cimport PyObject
from libc.string cimport memcpy

cimport cython

from lazyarr._core.host.allocator cimport Buffer, new_buffer
from lazyarr._core.host.device_table cimport accelerates, devices, device_name
from lazyarr._core.host.device_memory cimport DeviceMemory, new_memory, read_memory, write_memory
from lazyarr._core.host.device_values cimport Mirror, mirror_of, new_mirror, rename_value, set_copy
from lazyarr._core.host.threads cimport set_busy
from lazyarr._core.ir.builder cimport cast_node, stored_node
from lazyarr._core.ir.history cimport history_is_kept_somewhere, make_leaf
from lazyarr._core.ir.leaf cimport verify_shared
from lazyarr._core.ir.mirrors cimport copy_on, mirror_for, own_memory
from lazyarr._core.ir.node cimport (
    COMPRESS, FILLS, LEAF, ON_DEVICE, OPAQUE, PACKED, REMOTE, SCALAR, VIEW, WAITS, finish_layout, has_value, new_node)
from lazyarr._core.ir.provenance cimport set_inputs
from lazyarr._core.runtime.evaluation_lock cimport held

import os
import time

from lazyarr._core.runtime.shared_engine import shared_engine

cdef enum:
    AT_ONCE = 1 << 16       # largest size for which copying is faster than waking a thread


@cython.final
cdef class Transfer:
    """Returns its operand's value on another device."""

    def __cinit__(self, int device, bint is_kept):
        self.device, self.is_kept = device, is_kept

    def __call__(self, out, x):
        """Copy on the host: without devices, as in the body of a loop, a transfer is the identity."""
        out[...] = x


@cython.final
cdef class Copy:
    """A copy that has begun."""

    def run(self):
        """Copy, taking as long as it would between these devices."""
        cdef int device = self.device if self.device else self.origin
        cdef double least = devices.state[device].latency
        cdef bint busy = set_busy(False)  # copying uses little of a core
        if devices.state[device].bandwidth > 0:
            least += self.nbytes / devices.state[device].bandwidth
        self.began = time.perf_counter()
        try:
            self.move()
            left = self.began + least - time.perf_counter()
            if left > 0:
                time.sleep(left)
        except BaseException as error:
            self.error = error
            raise
        finally:
            set_busy(busy)
        self.seconds = time.perf_counter() - self.began
        self.source = None
        self.has_ended = True

    cdef int move(self) except -1:
        cdef Buffer between
        if type(self.source) is DeviceMemory:
            if type(self.block) is DeviceMemory:
                between = new_buffer(self.nbytes)
                read_memory(self.source, self.data, between.data, self.nbytes)
                write_memory(self.block, self.to, between.data, self.nbytes)
            else:
                read_memory(self.source, self.data, self.to, self.nbytes)
        elif type(self.block) is DeviceMemory:
            write_memory(self.block, self.to, self.data, self.nbytes)
        elif self.nbytes <= AT_ONCE:    # before another thread can begin it, too
            memcpy(self.to, self.data, self.nbytes)
        else:
            with nogil:
                memcpy(self.to, self.data, self.nbytes)
        return 0

    @property
    def lane(self):
        """The engine lane of the copy: a device and a direction."""
        return f"{device_name(self.device)} copy-in" if self.device else f"{device_name(self.origin)} copy-out"

    @property
    def label(self):
        return f"copy {device_name(self.origin)} -> {device_name(self.device)}"

    cdef int wait(self) except -1:
        """Wait for the end of the copy; raise its error."""
        while not self.has_ended:
            if self.error is not None:
                raise self.error
            if self.is_lost():
                self.run()
                break
            shared_engine().wait(self.variable)   # returns at once while another thread is about to push the copy
        return 0

    cdef bint is_lost(self):
        """Return whether the parent process began it, so that it never ends here."""
        return not self.has_ended and self.process != os.getpid()


cdef Copy _new_copy(Node node, int device):
    """Return a copy of an evaluated node's storage, ready to begin; a small one is done already."""
    cdef Copy copy = Copy.__new__(Copy)
    cdef DeviceMemory memory
    cdef Buffer block
    if node.kind == LEAF and node.payload is not None:
        verify_shared(node)
    copy.source, copy.data, copy.nbytes = node.owner, node.data, node.span
    copy.origin = node.device if node.kind == REMOTE else 0
    copy.device, copy.process = device, os.getpid()
    if accelerates(device):
        memory = new_memory(device, node.span)
        copy.block, copy.to = memory, memory.data
    else:
        block = new_buffer(node.span)
        copy.block, copy.to = block, block.data
    if node.span <= AT_ONCE and devices.state[device or copy.origin].latency == 0 \
            and devices.state[device or copy.origin].bandwidth == 0:
        _count(copy)
        copy.run()
    else:
        copy.variable = shared_engine().new_variable(copy.label)
    return copy


cdef int _begin(Copy copy) except -1:
    """Begin a copy that others may wait for already, unless it is done."""
    if copy.has_ended:
        return 0
    _count(copy)
    try:
        try:
            shared_engine().push(copy.run, mutate=[copy.variable], lane=copy.lane)
        except RuntimeError:    # the engine is closed at interpreter exit
            copy.run()
    except BaseException as error:
        copy.error = error
        raise
    return 0


cdef bint _is_under_way(Copy copy):
    """Return whether a copy has begun and will end in this process."""
    return copy is not None and copy.error is None and not copy.is_lost()


cdef void _count(Copy copy) noexcept:
    if copy.origin:
        devices.state[copy.origin].copied_out += copy.nbytes
        devices.state[copy.origin].copies += 1
    if copy.device:
        devices.state[copy.device].copied_in += copy.nbytes
        devices.state[copy.device].copies += 1


cdef Node transfer_node(Node source, int device):
    """Return a node with the value of `source` on a device."""
    return _transfer_node(source, device, False)


cdef Node _transfer_node(Node source, int device, bint is_kept):
    cdef Node node
    cdef PyObject* inputs[1]
    cdef int d
    if source.typenum < 0:
        raise TypeError(f"arrays of {source.dtype} cannot be on {device_name(device or source.device)}")
    if source.kind == COMPRESS or source.kind == PACKED:
        raise RuntimeError("a selection has no memory that could be copied")
    if source.kind == VIEW or source.kind == SCALAR:
        source = cast_node(source, source.typenum, None)
    node = stored_node(OPAQUE, source.ndim, source.shape, source.dtype, source.typenum, False)
    for d in range(node.ndim):
        node.strides[d] = source.strides[d]
    node.offset, node.span = source.offset, source.span
    finish_layout(node)
    node.payload, node.attr = ("to_device", Transfer(device, is_kept), None), FILLS
    inputs[0] = <PyObject*>source
    set_inputs(node, 1, inputs)
    node.device = device
    node.devices |= 1 << source.device | 1 << device
    node.waits = source.waits | ON_DEVICE if device else source.waits & WAITS
    node.stays_on_host = False
    return node


cdef Node value_on(Node source, int device):
    """Return the operand that an operation on a device reads for a value elsewhere: its cached copy or a transfer."""
    cdef Node copy = copy_on(source, device)
    if copy is None:
        return _transfer_node(source, device, True)
    if _remembers_nothing(copy):
        (<Mirror>source.owner).kept = copy
    return copy


cdef bint _remembers_nothing(Node copy) noexcept:
    """Return whether a mirror may cache a copy: with the source in its history, neither would be freed."""
    return copy.origin is None and not copy.pinned and not history_is_kept_somewhere()


cdef int put_back(Node node, Buffer copy, DeviceMemory memory) except -1:
    """Return a value to its device that was moved to the host temporarily, and may have been fetched."""
    if type(node.owner) is Mirror and (<Mirror>node.owner).copy is not NULL:
        node = <Node>(<Mirror>node.owner).copy
    if node.owner is copy:
        node.owner, node.data = memory, memory.data
    return 0


cdef bint is_transfer(Node node) noexcept:
    """Return whether a pending node is a transfer."""
    return node.kind == OPAQUE and node.failure is None and type(node.payload[1]) is Transfer


cdef Copy begin_transfer(Node node):
    """Begin the copy of a pending transfer with an evaluated operand, unless it has begun."""
    cdef Transfer transfer = node.payload[1]
    cdef Copy copy
    if not _is_under_way(transfer.copy):
        copy = _new_copy(<Node>node.inputs[0], transfer.device)
        if not _is_under_way(transfer.copy):    # no other thread has begun it meanwhile
            transfer.copy = copy
            _begin(copy)
    return transfer.copy


cdef bint needs_no_copy(Node node) except -1:
    """Return whether the value of a pending transfer with an evaluated operand is at its target already."""
    cdef Node source = <Node>node.inputs[0]
    return copy_on(source, node.device) is not None if node.device else _mirror_of(source) is not None


cdef int end_without_copy(Node node) except -1:
    """Give such a transfer its value; the caller holds the evaluation lock."""
    cdef Node source, copy
    cdef Mirror mirror
    if not is_transfer(node) or not has_value(<Node>node.inputs[0]) or not needs_no_copy(node):
        return 0
    source = <Node>node.inputs[0]
    mirror = _mirror_of(source)
    if node.device == 0:
        node.owner, node.data = mirror.memory, mirror.data
        make_leaf(node)
        return 0
    copy = copy_on(source, node.device)
    node.owner, node.data = copy.owner, copy.data
    make_leaf(node)
    if mirror is not None and mirror.kept is copy and _remembers_nothing(node):     # share one node
        set_copy(mirror, node, True)
    return 0


cdef Mirror _mirror_of(Node source):
    """Return the owner of a value that is on the host and on a device; None if it is not on both."""
    if source.kind == REMOTE:
        return mirror_of(source)
    return <Mirror>source.owner if type(source.owner) is Mirror else None


cdef int end_transfer(Node node) except -1:
    """Give a transfer whose copy has ended its value; the caller holds the evaluation lock."""
    cdef Transfer transfer
    cdef Node source
    cdef Mirror mirror = None
    if not is_transfer(node):   # evaluated or failed already
        return 0
    transfer = node.payload[1]
    if transfer.copy is None or not transfer.copy.has_ended:    # nothing to copy
        return 0
    source = <Node>node.inputs[0]
    node.owner, node.data = transfer.copy.block, transfer.copy.to
    transfer.copy.block = None  # reports may keep the copy
    if node.device and not node.pinned and not history_is_kept_somewhere():
        mirror = mirror_for(source)
    make_leaf(node)
    if mirror is not None:
        source.owner = mirror
        set_copy(mirror, node, transfer.is_kept)
    return 0


cdef int stay_on_host(Node node) except -1:
    """Let a pending transfer use its operand's host memory for lack of device memory; return whether it can.

    Its readers then run on the host. The caller holds the evaluation lock.
    """
    cdef Node source
    if not is_transfer(node) or not (<Transfer>node.payload[1]).is_kept or (<Node>node.inputs[0]).kind != LEAF \
            or not accelerates(node.device):
        return False
    source = <Node>node.inputs[0]
    node.owner, node.data, node.device = own_memory(source), source.data, 0
    make_leaf(node)
    return True


cdef Copy begin_fetch(Node node):
    """Begin to copy a value from its device to the host, unless that has begun; None if it is there."""
    cdef Copy copy
    if node.typenum < 0:    # residuals of loops are not readable
        return None
    if node.kind == REMOTE and mirror_of(node) is not None:
        with held():
            _show_mirror(node)
    if node.kind == REMOTE and not _is_under_way(node.payload):
        copy = _new_copy(node, 0)
        if node.kind == REMOTE and not _is_under_way(node.payload):     # see begin_transfer
            node.payload = copy
            _begin(copy)
    return node.payload if node.kind == REMOTE else None


cdef int end_fetch(Node node, Copy copy) except -1:
    """Give a node whose copy has ended its value on the host; it keeps that on its device.

    The caller holds the evaluation lock.
    """
    if node.kind == REMOTE:     # else another thread has fetched it
        _divide(node, new_mirror(copy.block, copy.to))
        copy.block = None
    return 0


cdef int _show_mirror(Node node) except -1:
    """Let a node use the value that the host has already."""
    cdef Mirror mirror = mirror_of(node) if node.kind == REMOTE else None
    if mirror is not None:
        _divide(node, new_mirror(mirror.memory, mirror.data))
    return 0


cdef int _divide(Node node, Mirror mirror) except -1:
    """Let a node use its value on the host; another node refers to the device copy from now on."""
    cdef Node remote
    cdef int d
    remote = new_node(REMOTE, node.ndim, node.shape, node.dtype, node.typenum)
    for d in range(node.ndim):
        remote.strides[d] = node.strides[d]
    remote.offset, remote.span, remote.contiguous = node.offset, node.span, node.contiguous
    remote.device, remote.devices, remote.waits = node.device, node.devices, node.waits
    remote.owner, remote.data = node.owner, node.data
    rename_value(<PyObject*>node, <PyObject*>remote)
    set_copy(mirror, remote, True)
    node.payload = None
    node.kind, node.owner, node.data = LEAF, mirror, mirror.data
    return 0
