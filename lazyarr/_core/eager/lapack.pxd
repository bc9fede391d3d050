from cpython.object cimport PyObject
from numpy cimport npy_intp

from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.ir.loop_table cimport MAX_ARGS, Loop
from lazyarr._core.ir.node cimport Node

cdef enum Routine:
    INV, DET, SLOGDET, CHOLESKY_LO, CHOLESKY_UP, SOLVE, SOLVE1, SVD, SVD_F, SVD_S, EIG, EIGVALS, EIGH_LO, EIGH_UP,
    EIGVALSH_LO, EIGVALSH_UP, QR_R_RAW, QR_REDUCED, QR_COMPLETE, LSTSQ, ROUTINES

cdef struct Call:
    int which                     # index of the routine
    Loop* loop
    int operands                  # operands added so far
    int axes                      # total number of their core axes
    char* data[MAX_ARGS]
    npy_intp dims[5]              # extent of the stack, then the core dimensions of the signature
    npy_intp steps[3 * MAX_ARGS]  # strides of operands along the stack, then along their core axes

cdef bint begin(Call* call, int which, int code, npy_intp count) except -1
cdef int add(Call* call, Node node, char* data, int core) noexcept
cdef tuple run(Call* call, Node stack, int lead=*)
cdef object finished(Node made)
cdef object named(str function, tuple values)
cdef LazyArray matrices(PyObject* obj, int* code)
cdef bint are_square(Node node) noexcept
cdef Node cast_to(LazyArray x, int code, char** data, bint copies=*)
cdef Node begin_matrices(Call* call, int which, PyObject* a, bint copies=*)
cdef Node begin_squares(Call* call, int which, PyObject* a)
cdef tuple decomposed(int which, PyObject* a)
cdef npy_intp stacked(Node node, int core=*) noexcept
cdef bint all_finite(Node node, char* data) noexcept
