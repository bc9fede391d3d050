"""Where arrays are made: on the device that `config.device` names if they are large, on that of a block at any size.

The host computes some thousand elements while a kernel is launched. So arrays with fewer bytes than tuning's
"path.device_bytes" are made there, and operations on them run there. The graph's elementwise operations on arrays of
the host whose results are large, such as outer sums of two lines, are computed on the device, unless the program has
moved one of these arrays to the host.
"""
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF

from lazyarr._core.host.tunables cimport tunable_bytes

from contextvars import ContextVar

cdef extern from "Python.h":
    int PyContextVar_Get(object var, PyObject* default, PyObject** value) except -1

cdef object _blocks = ContextVar("lazyarr.device", default=())     # those that have begun, the innermost last

preference = Preference(device=0, has_blocks=False, least_bytes=1 << 16)
tunable_bytes("path.device_bytes", &preference.least_bytes, 1, 1 << 40,
              "From how many bytes on an array is made on config.device.")


cdef bint is_in_block() noexcept:
    """Whether a block has begun in this context."""
    cdef PyObject* blocks
    PyContextVar_Get(_blocks, NULL, &blocks)
    found = <tuple>blocks
    Py_DECREF(found)
    return len(found) > 0


cdef class Block:
    """A block in which arrays are made on a device, begun and ended without a moment for handlers of signals.

    It holds for the context that it begins in, as NumPy's errstate, and ends itself alone: blocks of generators need
    not nest.
    """

    def __init__(self, device):
        self.device = device

    def __enter__(self):
        preference.has_blocks = True
        _blocks.set((*_blocks.get(), self))
        return self.device

    def __exit__(self, *_):
        cdef list blocks = list(_blocks.get())
        cdef Py_ssize_t i
        for i in range(len(blocks) - 1, -1, -1):
            if blocks[i] is self:
                del blocks[i]
                break
        _blocks.set(tuple(blocks))


def device_of_block():
    """The device of the innermost block, None outside of blocks."""
    cdef tuple blocks = _blocks.get() if preference.has_blocks else ()
    return (<Block>blocks[len(blocks) - 1]).device if blocks else None


def prefer(int device):
    """Set the preferred device, 0 for none."""
    preference.device = device


def is_large(made):
    """Whether an array belongs on the preferred device."""
    return made.nbytes >= preference.least_bytes
