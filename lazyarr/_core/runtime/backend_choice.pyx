"""The choice of the backend that computes a call; `lazyarr.backends` makes it.

A call is an opaque node or a kernel. The function it was built with is its own function.
"""
from lazyarr._core.ir.node cimport Kernel, Node
from lazyarr._core.ir.shape cimport shape_tuple
from lazyarr._core.tile.epilogue cimport Epilogue, offer_epilogue

cdef class _Choice:
    cdef object chooser

cdef _Choice _choice = _Choice()


def set_chooser(function):
    """Set ``function(name, own function, operands, run)``, which chooses the backend of each call; None for no choice.

    `operands` has the shape, dtype and strides of each; ``run(*arrays)`` makes the call by its own function, where a
    kernel's first array is the one to fill. It returns None for the own function, or an object with a `name`, a method
    ``call(arrays)`` and, for kernels, ``fill(out, arrays)``.
    """
    _choice.chooser = function


cdef bint has_choice() noexcept:
    """Return whether `backend_of` may return a backend."""
    return _choice.chooser is not None


cdef object backend_of(Node node):
    """Return the backend that computes a node's call, None for its own function."""
    cdef int k
    cdef Node operand
    cdef list operands = []
    chooser = _choice.chooser  # another thread may reset it
    if chooser is None or node.ninputs == 0:  # e.g. a call already made for another of its results
        return None
    for k in range(node.ninputs):
        operand = <Node>node.inputs[k]
        operands.append((shape_tuple(operand), operand.dtype, tuple([operand.strides[d] for d in range(operand.ndim)])))
    name, function = node.payload[0], node.payload[1]
    return chooser(name, function, tuple(operands), _KernelRun(node) if isinstance(function, Kernel) else function)


cdef str called_name(Node node):
    """Return the name of a call for reports, including its backend if that is not its own function."""
    backend = backend_of(node) if has_choice() else None
    return node.payload[0] if backend is None else f"{node.payload[0]} [{backend.name}]"


cdef class _KernelRun:
    """Runs a kernel on its node's memory, with any arrays as operands."""
    cdef Node node

    def __cinit__(self, Node node):
        self.node = node

    def __call__(self, out, *arrays):
        cdef Kernel kernel = self.node.payload[1]
        cdef Epilogue* before = offer_epilogue(NULL)
        try:
            status = kernel.fill(self.node)
            return kernel(out, *arrays) if status == -2 else status
        finally:
            offer_epilogue(before)
