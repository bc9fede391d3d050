"""Worker traces: which threads of teams worked on a step, and when.

An observed evaluation records shares from its start to its end (`keep_shares`, `drop_shares`) and collects those of
each finished step (`take_shares`). `run_team` checks once per team whether its caller records them (`kept_shares`);
each thread then records its own share. A step may run several teams: for each thread only the start of the first share
and the end of the last are kept. A nested evaluation records for both.
"""
from libc.math cimport INFINITY
from libc.stdlib cimport free, malloc

from lazyarr._core.host.run_context cimport current_run


cdef Shares* kept_shares() noexcept nogil:
    """Return the shares that this thread's evaluation records; NULL if it is not observed."""
    return <Shares*>current_run().trace


cdef void note_share(Shares* shares, int thread, double began, double ended) noexcept nogil:
    """Record a share; called by the thread itself."""
    while shares is not NULL:
        if thread < shares.threads:
            shares.spans[thread].began = min(shares.spans[thread].began, began)
            shares.spans[thread].ended = ended
        shares = shares.outer


cdef Shares* keep_shares(int threads) except NULL:
    """Record the shares of `threads` threads from now on."""
    cdef Shares* shares = <Shares*>malloc(sizeof(Shares) + threads * sizeof(Span))
    if shares is NULL:
        raise MemoryError()
    shares.outer, shares.threads, shares.spans = kept_shares(), threads, <Span*>(shares + 1)
    _clear(shares)
    current_run().trace = shares
    return shares


cdef void drop_shares(Shares* shares) noexcept:
    """Stop recording into what `keep_shares` returned."""
    current_run().trace = shares.outer
    free(shares)


cdef tuple take_shares():
    """Return (thread, began, seconds) of each thread that was in a team since the last call."""
    cdef Shares* shares = kept_shares()
    cdef int t
    cdef tuple taken = tuple([
        (t, shares.spans[t].began, shares.spans[t].ended - shares.spans[t].began)
        for t in range(shares.threads) if shares.spans[t].began != INFINITY])
    _clear(shares)
    return taken


cdef void _clear(Shares* shares) noexcept:
    cdef int t
    for t in range(shares.threads):
        shares.spans[t].began = INFINITY
