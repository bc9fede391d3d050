"""Blocks that capture the graph of a function: outer arrays have no values there, or cannot be written to."""
cimport cython
from cpython.pythread cimport PyThread_get_thread_ident
from libc.stdint cimport uint64_t

from lazyarr._core.frontend cimport pending_queue
from lazyarr._core.frontend.pending_queue cimport (
    SEALED, TRACING, WAITING, end_round, link, pending_handle, resolve_selection, unlink)
from lazyarr._core.ir.history cimport count_recordings
from lazyarr._core.ir.node cimport OPAQUE
from lazyarr._core.ir.placeholder cimport node_like
from lazyarr._core.ir.shape cimport shape_tuple


@cython.final
cdef class _Trace:
    """State of the running `tracing` block."""
    cdef dict outside  # by id of a handle: it, its node, its placeholder, whether it was linked; None: no block
    cdef uint64_t since         # serial of the newest node made before the block
    cdef unsigned long thread


cdef _Trace _trace = _Trace()


cdef int prepare_access(LazyArray handle) except -1:
    """Flush at the end of an iteration; replace arrays from outside a traced function by placeholders."""
    cdef LazyArray base = handle if handle.root is None else handle.root
    cdef Node made
    end_round()
    if not is_from_outside(handle):
        return 0
    if base.mask is not None:
        resolve_selection(base)
    made = node_like(base.node, OPAQUE)
    _trace.outside[id(base)] = base, base.node, made, base.linked
    base.node = made
    return 0


cdef dict _sealed = {}  # by thread, for each block: the serial before it, and ids of writeable arrays


cdef class sealed:
    """A block in which this thread cannot write to arrays made before it: `with sealed(writeable):`.

    For traced functions: what they wrote to outer arrays would have no values afterwards.

    Parameters
    ----------
    writeable : list of LazyArray
        Arrays that may be written to nevertheless.
    """
    cdef list writeable

    def __init__(self, list writeable):
        self.writeable = writeable

    def __enter__(self):
        blocks = _sealed.setdefault(PyThread_get_thread_ident(), [])
        blocks.append(((<Node>Node.__new__(Node)).serial, {id(x) for x in self.writeable}))
        pending_queue.attention |= SEALED

    def __exit__(self, *_):
        thread = PyThread_get_thread_ident()
        _sealed[thread].pop()
        if not _sealed[thread]:
            del _sealed[thread]
        if not _sealed:
            pending_queue.attention &= ~SEALED


cdef tuple _block_around(Node node):
    """Return the thread's block after whose start the node was not made; None if there is none."""
    if not pending_queue.attention & SEALED:
        return None
    blocks = _sealed.get(PyThread_get_thread_ident())
    if blocks is None:
        return None
    block = blocks[len(blocks) - 1]
    return block if node.serial < <uint64_t>block[0] else None


cdef bint is_sealed(Node node) except -1:
    """Return whether a node was made before a sealed block of this thread."""
    return _block_around(node) is not None


cdef int refuse_outside(LazyArray handle) except -1:
    """Raise TypeError for an array made before this thread's sealed block."""
    cdef LazyArray base = handle if handle.root is None else handle.root
    cdef tuple block = _block_around(base.node)
    if block is not None and id(base) not in block[1]:
        raise TypeError(
            f"a traced function cannot write to an array of {base.node.dtype} and shape "
            f"{shape_tuple(base.node)} from outside, which would have no value afterwards: it must return what is to "
            "be written")
    return 0


cdef class tracing:
    """A block in which arrays made before it have no values in this thread, when they are read or written.

    Afterwards they are as before; writes to them are left in `after`. History is kept meanwhile, and nothing is flushed
    at the budget. Blocks do not nest; other threads must not use the arrays.

    Afterwards they are as before: what was written to them is left in `after`. History is kept meanwhile, so nothing is
    evaluated at the budget. Blocks do not nest; other threads must not use the arrays.

    Attributes
    ----------
    arrays : list of LazyArray
        Those that were read or written.
    stand_ins : list of LazyArray
        What stood for each.
    after : list of LazyArray or None
        What each became; None for those that were not written.
    """
    cdef readonly list arrays, stand_ins, after

    def __enter__(self):
        if _trace.outside is not None:
            raise RuntimeError("a function is being traced already")
        end_round()
        _trace.outside = {}
        _trace.since = (<Node>Node.__new__(Node)).serial
        _trace.thread = PyThread_get_thread_ident()
        pending_queue.attention |= TRACING
        count_recordings(1)
        return self

    def __exit__(self, *_):
        cdef LazyArray base
        cdef Node node, made
        cdef bint linked
        found = list(_trace.outside.values())
        count_recordings(-1)
        pending_queue.attention &= ~TRACING
        _trace.outside = None
        self.arrays = [base for base, _, _, _ in found]
        self.stand_ins = [pending_handle(made, base.scalar) for base, _, made, _ in found]
        self.after = []
        for base, node, made, linked in found:
            self.after.append(None if base.node is made else pending_handle(base.node, base.scalar))
            base.node = node
            if linked:
                link(base)
            else:
                unlink(base)


def is_tracing():
    """Return whether this thread runs a `tracing` block."""
    return _trace.outside is not None and _trace.thread == PyThread_get_thread_ident()


cdef bint is_from_outside(LazyArray handle) noexcept:
    """Return whether the next access to the array replaces it by a placeholder."""
    cdef LazyArray base = handle if handle.root is None else handle.root
    return pending_queue.attention & TRACING and base.node.serial < _trace.since \
        and _trace.thread == PyThread_get_thread_ident()


def set_waiting(bint on):
    """Set whether all operations join the graph, however small."""
    if on:
        pending_queue.attention |= WAITING
    else:
        pending_queue.attention &= ~WAITING
