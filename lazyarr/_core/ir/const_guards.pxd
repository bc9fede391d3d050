"""Guards on constants, on some of whose values plans are specialised."""
from lazyarr._core.ir.loop_table cimport Loop
from lazyarr._core.ir.node cimport Node

cdef enum Constant:
    ANY = 0
    ZERO          # +0, False
    ONE           # True
    TWO
    MINUS_ONE     # for unsigned types, all bits set
    HALF

cdef Node constant_of(Node operand)
cdef int mark_of(Loop* loop, Node operand) except -1
cdef bint fast_math() noexcept
cdef void set_marks(object function)
