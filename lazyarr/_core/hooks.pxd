"""What the layers above do for the core."""

cdef object call_hook(str name, tuple args)
cdef note_fallback(str name)
