from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.ir.inner_loops cimport Ufunc
from lazyarr._core.ir.loop_table cimport Loop
from lazyarr._core.ir.node cimport Node

cdef bint defers(object other)
cdef object slow_call(Ufunc* u, tuple args)
cdef object call(Ufunc* u, tuple args)
cdef object unary(Ufunc* u, object a, bint operator)
cdef object binary(Ufunc* u, object a, object b, bint operator)
cdef object into(Ufunc* u, LazyArray out, object a, object b)
cdef object inplace(Ufunc* u, LazyArray self, object other)
cdef object results(Loop* loop, Node node)
cpdef object call_ufunc(ufunc, tuple args, dict kwargs)
cdef bint warns_of_third(Ufunc* u) noexcept
cdef object call_with(Ufunc* u, tuple args, dict kwargs)
