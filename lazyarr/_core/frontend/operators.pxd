"""What the operators of arrays do."""
from lazyarr._core.frontend.foreign_operands cimport deferred
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.frontend.ufunc_call cimport binary, defers
from lazyarr._core.ir.inner_loops cimport Ufunc

cdef Ufunc* ADD
cdef Ufunc* SUBTRACT
cdef Ufunc* MULTIPLY
cdef Ufunc* DIVIDE
cdef Ufunc* FLOOR_DIVIDE
cdef Ufunc* REMAINDER
cdef Ufunc* DIVMOD
cdef Ufunc* POWER
cdef Ufunc* MATMUL
cdef Ufunc* AND
cdef Ufunc* OR
cdef Ufunc* XOR
cdef Ufunc* LSHIFT
cdef Ufunc* RSHIFT
cdef Ufunc* NEGATIVE
cdef Ufunc* POSITIVE
cdef Ufunc* ABSOLUTE
cdef Ufunc* INVERT
cdef Ufunc* SQUARE
cdef Ufunc* SQRT
cdef Ufunc* RECIPROCAL
cdef tuple REPEATED

cdef object number_of(LazyArray self)
cdef object power(LazyArray self, object other)
cdef object power_in_place(LazyArray self, object other)
cdef object matmul(LazyArray self, object other)
cdef object matmul_reflected(LazyArray self, object other)
cdef object matmul_in_place(LazyArray self, object other)
cdef object compare(LazyArray self, object other, int op)


cdef inline object operate(Ufunc* u, LazyArray self, object other):
    return deferred(u, self, other) if defers(other) else binary(u, self, other, True)


cdef inline object reflected(Ufunc* u, LazyArray self, object other):
    return deferred(u, other, self) if defers(other) else binary(u, other, self, True)
