"""Status words of the kernels launched by an evaluation."""
from lazyarr._core.ir.node cimport Node

cdef class StatusWords:
    cdef object driver
    cdef list blocks            # blocks of the driver, of `room` words each
    cdef list notes             # (word, shift, node, name): the owner of each four bits
    cdef list found             # flags returned by steps, or None
    cdef int room, unit         # words of a block, and the alignment of a launch's words
    cdef int count              # words reserved or skipped
    cdef int clear              # words at the last read if all were clear, else -1
    cdef int reserve(self, int count) except -2
    cdef object new_block(self)
    cdef tuple place(self, int word)
    cdef int note(self, int word, int number, Node node, str name) except -1
    cdef int flags(self, int word, int count) except -1
    cdef Py_ssize_t mark(self) noexcept
    cdef int forget(self, Py_ssize_t mark) except -1
    cdef list take_urgent(self, Py_ssize_t mark)
    cdef list take(self, Py_ssize_t mark)
    cdef list take_all(self)
    cdef bytearray read(self)
    cdef int wait(self) except -1

cdef int leave_unread(StatusWords words) except -1
cdef int report_unread() except -1
cdef void forget_unread() noexcept
