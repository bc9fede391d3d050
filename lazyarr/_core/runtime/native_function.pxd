cdef struct NativeCall:
    void (*function)(void* data) noexcept nogil
    void* data

cdef class NativeFunction:
    cdef NativeCall call
    cdef readonly object keep
