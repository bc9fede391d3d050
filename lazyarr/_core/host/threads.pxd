"""The only gate to threads: every parallel loop of the package asks here how many to use, and runs here."""

ctypedef void (*Share)(void* job, int thread, int threads) noexcept nogil

cdef double LONGEST_UNINTERRUPTED_NS

cdef struct Watch:          # what happens while a step runs: whether a signal handler has raised
    double seen             # when thread 0 last looked, in seconds; infinite where it never does
    bint stopped
    int flags               # raised floating-point flags

cdef int team_size(double work_ns) noexcept nogil
cdef int team_for(double work_ns) noexcept nogil
cdef void book_work(double work_ns) noexcept nogil
cdef double expect_work(double work_ns) noexcept
cdef double end_work(double start) noexcept
cdef bint is_small(double work_ns) noexcept nogil
cdef int most_threads() noexcept nogil
cdef void step_ended(double work_ns) noexcept nogil
cdef void start_watch(Watch* watch, double work_ns) noexcept nogil
cdef bint must_stop(Watch* watch, int thread) noexcept nogil
cdef void run_team(int threads, Share share, void* job) noexcept nogil
cdef int own_number() noexcept nogil
cdef int run_watched(Watch* watch, double work_ns, int threads, Share share, void* job) except -1
