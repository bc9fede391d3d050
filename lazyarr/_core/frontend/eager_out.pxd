from lazyarr._core.frontend.eager_ufunc cimport Operand
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.ir.inner_loops cimport Ufunc
from lazyarr._core.ir.node cimport Node

cdef object into_at_once(Ufunc* u, LazyArray out, object a, object b)
cdef bint fits_into(Node a, Node into) noexcept
cdef bint hides(Node window) noexcept
cdef Node apart(Operand* op, LazyArray base, Node window)
