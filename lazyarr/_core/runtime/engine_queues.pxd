"""Connection of the native dependency engine with Python."""
from libc.stdint cimport int64_t

cdef extern from *:
    """
    typedef struct lz_engine lz_engine;
    """
    ctypedef struct lz_engine

cdef class Variable:
    cdef void* variable         # an `lz_variable`; only engine_queues includes the engine
    cdef Queues queues
    cdef readonly object name

cdef class Queues:
    cdef lz_engine* engine
    cdef object __weakref__
    cdef readonly object policy
    cdef dict lanes             # lane numbers by name
    cdef list threads
    cdef bint is_closed(self)
    cdef int64_t pending(self)
    cdef Variable new_variable(self, name)
    cdef int lane(self, name) except -1
    cdef int start_threads(self, int number) except -1
    cdef int count_thread(self, int number, int count) except -1
    cdef int collect(self) except -1
    cdef list finish(self)
    cdef int push(self, fn, tuple read, tuple mutate, int priority, lane, int64_t nbytes, bint asynchronous,
                  bint deletes) except -1
    cdef list wait(self, Variable named)

cdef int check_owner(Queues queues, variable) except -1
