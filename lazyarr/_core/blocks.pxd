"""How an iteration space is cut into blocks."""
from lazyarr._core.space cimport Job

cdef void cut(Job* job, int nkept, bint gaps) noexcept nogil
