"""The inner loops of ufuncs, found by (ufunc, dtypes)."""
from cpython.object cimport PyObject
from lazyarr._core.ir.loop_table cimport Loop, LoopFn

cdef struct Resolution:
    Loop* loop           # NULL: no native loop, NumPy is called
    int casts            # bit i: input i must be cast to the loop's type first

cdef struct Ufunc:
    PyObject* ufunc
    int nin
    int nout
    bint elementwise     # no core dimensions
    int traits           # see ufunc_traits.pxd
    Resolution** table   # by operand codes; NULL until first use
    PyObject* cache      # dict, for three operands and more

cdef Ufunc* find_ufunc(object u) except NULL
cpdef bint passing(u) except -1
cdef Resolution* resolve(Ufunc* u, int* codes) except NULL
cdef Loop* exact_loop(Ufunc* u, int* types) except? NULL
cdef LoopFn pair_loop(Loop* first, Loop* second, bint is_right) noexcept
