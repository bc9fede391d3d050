"""Which backend computes a call: `lazyarr.backends` is asked while there is a choice.

A call is an opaque node or a kernel's. What it was built with is its own function.
"""
from lazyarr._core.ir.node cimport Kernel, Node
from lazyarr._core.ir.shape cimport shape_tuple
from lazyarr._core.tile.epilogue cimport Epilogue, offer_epilogue

cdef class _Choice:
    cdef object chooser

cdef _Choice _choice = _Choice()


def set_chooser(function):
    """Have ``function(name, own function, operands, run)`` name the backend of each call; None for no choice.

    `operands` are of each its shape, dtype and strides; ``run(*arrays)`` makes the call by its own function, where a
    kernel's arrays begin with the one to fill. It returns None for the own function, or what has a `name`, a method
    ``call(arrays)`` and, for kernels, ``fill(out, arrays)``.
    """
    _choice.chooser = function


cdef bint has_choice() noexcept:
    """Whether `backend_of` may return something."""
    return _choice.chooser is not None


cdef object backend_of(Node node):
    """The backend that computes a node's call, None for its own function."""
    cdef int k
    cdef Node operand
    cdef list operands = []
    chooser = _choice.chooser  # another thread may end the choice
    if chooser is None or node.ninputs == 0:  # as a call that was made for another of its results
        return None
    for k in range(node.ninputs):
        operand = <Node>node.inputs[k]
        operands.append((shape_tuple(operand), operand.dtype, tuple([operand.strides[d] for d in range(operand.ndim)])))
    name, function = node.payload[0], node.payload[1]
    return chooser(name, function, tuple(operands), _KernelRun(node) if isinstance(function, Kernel) else function)


cdef str called_name(Node node):
    """The name of a call in reports, with that of its backend unless it is the own function."""
    backend = backend_of(node) if has_choice() else None
    return node.payload[0] if backend is None else f"{node.payload[0]} [{backend.name}]"


cdef class _KernelRun:
    """Runs a kernel on the memory of its node, which has some, whichever arrays stand for it."""
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
