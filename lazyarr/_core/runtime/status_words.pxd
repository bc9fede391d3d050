"""Status words of the kernels that an evaluation launches."""
from lazyarr._core.ir.node cimport Node

cdef class StatusWords:
    cdef object driver
    cdef list blocks            # the driver's, each of `room` words
    cdef list notes             # (word, shift, node, name): whose flags four bits are
    cdef list found             # flags that steps have returned, or None
    cdef int room, unit         # words of a block, and where in it a launch's may begin
    cdef int count              # words that are reserved or left out
    cdef int clear              # of these, how many were read last if all were clear, else -1
    cdef int reserve(self, int count) except -2
    cdef object new_block(self)
    cdef tuple place(self, int word)
    cdef int note(self, int word, int number, Node node, str name) except -1
    cdef int flags(self, int word, int count) except -1
    cdef Py_ssize_t mark(self) noexcept
    cdef int forget(self, Py_ssize_t mark) except -1
    cdef list take_urgent(self, Py_ssize_t mark)
    cdef list take(self, Py_ssize_t mark)
    cdef list settle(self)
    cdef bytearray read(self)
    cdef int wait(self) except -1

cdef int leave_unread(StatusWords words) except -1
cdef int report_unread() except -1
cdef void forget_unread() noexcept
