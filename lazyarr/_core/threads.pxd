"""The only gate to threads: every parallel loop of the package asks here how many to use."""

cdef int team_size(double work_ns) noexcept nogil
cdef void step_ended(double work_ns) noexcept nogil
