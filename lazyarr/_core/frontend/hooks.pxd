cdef object call_hook(str name, tuple args)
cdef note_fallback(str name)
cdef int deferrals          # calls that build graphs whatever their operands are, in all threads
cdef void defer(int change) noexcept
