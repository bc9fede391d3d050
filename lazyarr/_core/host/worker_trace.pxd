"""Worker traces: which threads of teams worked on a step, and when; for observed evaluations only."""

cdef struct Span:           # in seconds; began is infinite if empty
    double began, ended

cdef struct Shares:
    Shares* outer           # the enclosing evaluation's, which records these shares, too
    int threads
    Span* spans             # by thread: from the start of its first share to the end of its last

cdef Shares* kept_shares() noexcept nogil
cdef void note_share(Shares* shares, int thread, double began, double ended) noexcept nogil
cdef Shares* keep_shares(int threads) except NULL
cdef void drop_shares(Shares* shares) noexcept
cdef tuple take_shares()
