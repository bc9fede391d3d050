"""Placeholders: arguments of a traced function, with shape and dtype but no value."""
from libc.string cimport memcpy

from numpy cimport npy_intp

from lazyarr._core.ir.history cimport history_is_kept
from lazyarr._core.ir.node cimport OPAQUE, VIEW, Node, byte_range, finish_layout, new_node


class TracedValueError(TypeError):
    """Raised when a traced function asks for the value of a placeholder."""

    __module__ = "lazyarr"  # shown in tracebacks
    raised = 0  # counts raises, as functions may catch it

    def __init__(self, *args):
        super().__init__(*args)
        TracedValueError.raised += 1


def _no_value(*_):
    if not history_is_kept():
        raise TracedValueError(
            "an array that was made while a function was traced has no value afterwards: the function must return it, "
            "and not leave it in an attribute, a list or a global variable")
    raise TracedValueError(
        "an array that stands for an argument has no value: a traced function cannot read values. "
        "Branch with lazyarr.cond or where, loop with lazyarr.while_loop, fori_loop or scan, and "
        "make arrays with lazyarr.array, asarray and full where NumPy's would read elements")


_no_value.pull_back = lambda g, out, operands, wanted: ()


cdef bint is_traced(Node node):
    """Return whether a node is a placeholder."""
    return node.kind == OPAQUE and node.ninputs == 0 and node.payload[1] is _no_value


cdef Node node_like(Node node, int kind):
    """Return a node with the layout of another one, without data or inputs."""
    cdef Node made = new_node(kind, node.ndim, node.shape, node.dtype, node.typenum)
    copy_layout(made, node)
    if kind == OPAQUE:
        made.payload = ("a traced argument", _no_value, None)
    return made


cdef int copy_layout(Node made, Node node) except -1:
    """Copy the memory layout of a node of the same shape; of a view, only that of its elements."""
    cdef npy_intp low = 0, high = 0
    memcpy(made.strides, node.strides, node.ndim * sizeof(npy_intp))
    made.offset, made.span = node.offset, node.span
    if node.kind == VIEW:  # as a separate array: from its lowest element to its highest
        if node.size:
            byte_range(node.ndim, node.shape, node.strides, node.itemsize, &low, &high)
        made.offset, made.span = -low, high - low
    finish_layout(made)
    return 0
