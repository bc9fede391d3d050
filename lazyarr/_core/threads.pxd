"""The only gate to threads: every parallel loop of the package asks here how many to use, and runs here."""

ctypedef void (*Share)(void* job, int thread, int threads) noexcept nogil

cdef int team_size(double work_ns) noexcept nogil
cdef void step_ended(double work_ns) noexcept nogil
cdef void run_team(int threads, Share share, void* job) noexcept nogil
