from lazyarr._core.frontend.foreign_operands cimport deferred
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.frontend.ufunc_call cimport binary, defers
from lazyarr._core.ir.inner_loops cimport Ufunc

cdef enum:     # indices of their ufuncs: first those of comparisons, in Python's order
    LESS, LESS_EQUAL, EQUAL, NOT_EQUAL, GREATER, GREATER_EQUAL, ADD, SUBTRACT, MULTIPLY, DIVIDE, FLOOR_DIVIDE,
    REMAINDER, DIVMOD, POWER, MATMUL, AND, OR, XOR, LSHIFT, RSHIFT, NEGATIVE, POSITIVE, ABSOLUTE, INVERT, SQUARE, SQRT,
    RECIPROCAL, OPERATORS

cdef Ufunc* UFUNCS[OPERATORS]
cdef tuple REPEATED

cdef object number_of(LazyArray self)
cdef object power(LazyArray self, object other)
cdef object power_in_place(LazyArray self, object other)
cdef object matmul(LazyArray self, object other)
cdef object matmul_reflected(LazyArray self, object other)
cdef object matmul_in_place(LazyArray self, object other)
cdef object compare(LazyArray self, object other, int op)


cdef inline object operate(int op, LazyArray self, object other):
    return deferred(UFUNCS[op], self, other) if defers(other) else binary(UFUNCS[op], self, other, True)


cdef inline object reflected(int op, LazyArray self, object other):
    return deferred(UFUNCS[op], other, self) if defers(other) else binary(UFUNCS[op], other, self, True)
