"""Whether two calls are of the same pure function."""

cdef bint are_equal_calls(tuple a, tuple b) noexcept
