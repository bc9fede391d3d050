cdef int common_device(object arrays) except -1
