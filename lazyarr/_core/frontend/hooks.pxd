cdef object call_hook(str name, tuple args)
cdef note_fallback(str name)
cdef int deferrals          # active graph-building calls in all threads
cdef void defer(int change) noexcept
