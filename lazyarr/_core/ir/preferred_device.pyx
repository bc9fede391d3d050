"""Where arrays are made: large ones on the device of `config.device`, any in a block on the block's device.

The host computes some thousand elements while a kernel is launched, so arrays below the tunable "path.device_bytes"
stay on the host. Elementwise operations on host arrays with large results, such as outer sums, run on the device,
unless the program has moved one of the operands to the host.
"""
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF

from lazyarr._core.host.tunables cimport tunable_bytes

from contextvars import ContextVar

cdef extern from "Python.h":
    int PyContextVar_Get(object var, PyObject* default, PyObject** value) except -1

cdef object _blocks = ContextVar("lazyarr.device", default=())     # active blocks, innermost last

preference = Preference(device=0, has_blocks=False, least_bytes=1 << 16)
tunable_bytes("path.device_bytes", &preference.least_bytes, 1, 1 << 40,
              "From how many bytes on an array is made on config.device.")


cdef bint is_in_block() noexcept:
    """Return whether a block is active in this context."""
    cdef PyObject* blocks
    PyContextVar_Get(_blocks, NULL, &blocks)
    found = <tuple>blocks
    Py_DECREF(found)
    return len(found) > 0


cdef class Block:
    """A block in which arrays are made on a device; signal handlers cannot interrupt its enter and exit.

    It holds for the context in which it begins, like NumPy's errstate, and ends only itself: blocks of generators need
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
    """Return the device of the innermost block; None outside of blocks."""
    cdef tuple blocks = _blocks.get() if preference.has_blocks else ()
    return (<Block>blocks[len(blocks) - 1]).device if blocks else None


def prefer(int device):
    """Set the preferred device, 0 for none."""
    preference.device = device


def is_large(made):
    """Return whether an array belongs on the preferred device."""
    return made.nbytes >= preference.least_bytes
