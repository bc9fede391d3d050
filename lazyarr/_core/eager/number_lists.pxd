"""Arrays of Python's numbers."""

cdef object array_of_numbers(object rows, int code)
