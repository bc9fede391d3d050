"""C functions as operations of the dependency engine."""
from libc.stdint cimport intptr_t


cdef class NativeFunction:
    """A C function `void function(void *data)` for `Engine.push`, which runs without the GIL.

    Parameters
    ----------
    address : int
        Of the function.
    data : int, optional
        The pointer it is called with.
    keep : object, optional
        What has to live as long as the function may run.

    Examples
    --------
    >>> import ctypes
    >>> from lazyarr.runtime import Engine, NativeFunction
    >>> free = ctypes.cast(ctypes.pythonapi.PyMem_RawFree, ctypes.c_void_p).value
    >>> block = ctypes.pythonapi.PyMem_RawMalloc
    >>> block.argtypes, block.restype = [ctypes.c_size_t], ctypes.c_void_p
    >>> with Engine() as engine:
    ...     engine.push(NativeFunction(free, block(100)))
    """

    def __init__(self, intptr_t address, intptr_t data=0, keep=None):
        if not address:
            raise ValueError("a function has an address other than 0")
        self.call.function, self.call.data = <void (*)(void*) noexcept nogil><void*>address, <void*>data
        self.keep = keep

    def __repr__(self):
        return f"<NativeFunction at {<intptr_t><void*>self.call.function:#x}>"
