"""Several results of one call on a device.

All are allocated there, even those that nothing waits for: the call is not made again for later readers.
"""
cimport cython

from lazyarr._core.host.device_memory cimport DeviceMemory, new_memory, read_memory
from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.ir.node cimport Node
from lazyarr._core.runtime.call_step cimport Kept, calls_read_later, keep_results, pending_results
from lazyarr._core.runtime.executor cimport publish

import numpy as np

from lazyarr._core.runtime.device_call import Operand


@cython.final
cdef class DeviceResults(Kept):
    """Results of a call, as operands, with their memory once allocated.

    Calling it returns copies on the host, for steps that run there.
    """

    def __call__(self):
        return tuple([_on_host(x, memory) for x, memory in zip(self.results, self.memory, strict=True)])

    cdef int allocate(self, int device) except -1:
        """Allocate all results; raise MemoryError if there is no room."""
        self.memory = [new_memory(device, _span(x)) for x in self.results]
        self.results = [x._replace(block=(<DeviceMemory>memory).handle)
                        for x, memory in zip(self.results, self.memory, strict=True)]
        return 0

    cdef int publish_all(self, Walk* w) except -1:
        """Publish the results in the walk, and keep the others for later readers."""
        cdef DeviceMemory memory
        cdef Node node
        cdef int i
        for i in self.places:
            node = <Node>w.nodes[i]
            memory = self.memory[node.attr]
            node.owner, node.data = memory, memory.data
            publish(w, i)
        for i in self.read_later:
            keep_results(<Node>w.nodes[i], self)
        return 0


cdef DeviceResults device_results(Walk* w, int at, list aliases):
    """Return the results of a call (one reference is the caller's), allocated if the call was made."""
    cdef DeviceResults found = DeviceResults.__new__(DeviceResults), made
    calls, found.places = pending_results(w, at, aliases)
    found.read_later = calls_read_later(w, at, calls)
    _, function, specs = (<Node>w.nodes[at]).payload
    if type(function) is DeviceResults:
        made = function
        found.results, found.memory = made.results, made.memory
    else:
        found.results = [_described(*spec) for spec in specs]
    return found


def _described(shape, dtype, axes=None):
    """Return a result description in C order, or with the axes in another order, outermost first."""
    dtype = np.dtype(dtype)
    strides, step = [0] * len(shape), dtype.itemsize
    for axis in reversed(range(len(shape)) if axes is None else axes):
        strides[axis] = step
        step *= shape[axis]
    return Operand(None, 0, tuple(shape), tuple(strides), dtype)


def _span(x):
    return x.dtype.itemsize * int(np.prod(x.shape, dtype=object))


cdef object _on_host(object x, DeviceMemory memory):
    raw = np.empty(_span(x), np.uint8)
    read_memory(memory, memory.data, <char*><size_t>raw.ctypes.data, raw.nbytes)
    return np.ndarray(x.shape, x.dtype, raw, strides=x.strides)
