"""Equality of calls of pure functions."""

cdef bint are_equal_calls(tuple a, tuple b) noexcept
