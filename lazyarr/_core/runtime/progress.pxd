"""Progress of long evaluations."""

cdef void set_viewer(object viewer) noexcept
cdef bint is_watched() noexcept
cdef int begin_watch() except -1
cdef int report_step(int done, int steps, str name) except -1
cdef int report_round(object loop, Py_ssize_t done, Py_ssize_t rounds) except -1
cdef void end_watch() noexcept
