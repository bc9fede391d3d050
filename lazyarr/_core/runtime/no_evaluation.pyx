"""Blocks in which evaluation is forbidden, for the current thread or task.

A task that begins inside a block inherits it (`contextvars`), until the block ends.
"""
from lazyarr._core.ir.fp_errors cimport origin
from lazyarr._core.ir.node cimport EXPAND, MAP, OPAQUE, REDUCE, Node
from lazyarr._core.ir.shape cimport shape_tuple
from lazyarr._core.runtime.backend_choice cimport called_name
from lazyarr._core.runtime.executor cimport name_of

from contextvars import ContextVar

cdef struct BlockCount:
    int active              # active blocks in all threads

cdef BlockCount _blocks = BlockCount(0)
_innermost = ContextVar("lazyarr.no_evaluation", default=None)


class EvaluationForbidden(RuntimeError):
    """Raised when an evaluation is needed inside `lazyarr.no_evaluation()`."""

    __module__ = "lazyarr"  # where users find it, and what tracebacks say


cdef class _Block:
    cdef bint ended
    cdef _Block outer


def forbid():
    """Begin a block, which `allow` ends."""
    cdef _Block block = _Block.__new__(_Block)
    block.outer = _innermost.get()
    _innermost.set(block)
    _blocks.active += 1
    return block


def allow(_Block block):
    """End a block."""
    block.ended = True
    _blocks.active -= 1
    if _innermost.get() is block:
        _innermost.set(block.outer)


cdef bint evaluation_forbidden() except -1:
    """Return whether an evaluation raises now."""
    cdef _Block block
    if _blocks.active == 0:
        return False
    block = _innermost.get()
    while block is not None and block.ended:
        block = block.outer
    return block is not None


cdef object refusal(Node node):
    """Return the exception for a forbidden evaluation of a node."""
    filename, line, function = origin(node)
    made = f", created at {filename}:{line} in {function}" if node.code is not None else ""
    return EvaluationForbidden(
        f"lazyarr.no_evaluation() forbids evaluations here, where the value of {_operation(node)} is needed, of shape "
        f"{shape_tuple(node)} and dtype {node.dtype}{made}. Look at values after the block, or evaluate them before "
        "it: lazyarr.evaluate(x)")


cdef str _operation(Node node):
    if node.kind == REDUCE:
        return f"{<object>node.loop.name}.{name_of(node)}"
    if MAP <= node.kind <= EXPAND:
        return name_of(node)
    return called_name(node) if node.kind == OPAQUE else "an array"
