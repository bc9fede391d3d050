"""Memory that kernels take for themselves while they run, given back when they return.

It comes from the pool, or from where the arena of the evaluation is free: behind what is there in the step at hand.
What was asked for at most is remembered, so that the arena has room for it in the next evaluation of the same form.
"""
from cpython.pythread cimport PyThread_get_thread_ident
from numpy cimport npy_intp

from lazyarr._core.host.allocator cimport Buffer, new_buffer, part_of

cdef enum:
    ALIGNED = 4096          # as large blocks of the pool are

cdef Lent _lent = Lent(NULL, 0, 0, 0)


cdef Buffer new_scratch(size_t nbytes):
    """At least so many bytes, contents undefined; the caller lets go of them before the step ends."""
    cdef npy_intp begin
    if _lent.whole is NULL or _lent.owner != PyThread_get_thread_ident():
        return new_buffer(nbytes)
    begin = (_lent.at + ALIGNED - 1) // ALIGNED * ALIGNED
    _lent.at = begin + <npy_intp>nbytes
    _lent.most = max(_lent.most, _lent.at)
    if _lent.at > <npy_intp>(<Buffer>_lent.whole).nbytes:
        return new_buffer(nbytes)
    return part_of(<Buffer>_lent.whole, begin, nbytes)


cdef Lent lend(Buffer whole) noexcept:
    """Let this thread have scratch from a block, which the caller keeps, until `end_loan`; gives what was lent before.
    """
    global _lent
    cdef Lent before = _lent
    _lent = Lent(<void*>whole, 0, 0, PyThread_get_thread_ident())
    return before


cdef npy_intp end_loan(Lent before) noexcept:
    """Lend again what was lent before; how large the block would have to be for all that was asked for."""
    global _lent
    cdef npy_intp most = _lent.most
    _lent = before
    return most


cdef void lend_nothing() noexcept:
    _lent.whole = NULL


cdef npy_intp lent_from() noexcept:
    """From where on the block is free."""
    return _lent.at


cdef void lend_from(npy_intp at) noexcept:
    """The block is free from here on."""
    _lent.at = at
