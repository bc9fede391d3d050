from cpython.object cimport PyObject
from numpy cimport npy_intp

from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.ir.loop_table cimport Loop
from lazyarr._core.ir.node cimport Node

cdef double MOST_PRODUCTS           # most multiplications of an eager product

cdef struct Factor:
    char* data
    int ndim                        # 1 or 2, without the stack axis
    npy_intp rows
    npy_intp columns
    npy_intp row_step
    npy_intp column_step
    bint is_stack
    npy_intp count                  # number of matrices in a stack, or 1
    npy_intp step                   # stride between matrices

cdef LazyArray ready_factor(PyObject* obj)
cdef int read_factor(LazyArray x, bint is_right, Factor* f) noexcept
cdef LazyArray reshaped_result(Node made, int ndim, npy_intp* shape)
cdef Loop* matmul_loop(int code) except? NULL
cdef int sum_of_products(object dtype, char* a, npy_intp a_step, char* b, npy_intp b_step, char* out,
                         npy_intp n) noexcept
cdef Node product(Factor* a, Factor* b, Loop* loop, str name)
cdef object product_at_once(object a, object b, str name=*)
cdef object dotted(PyObject** args, Py_ssize_t n, object names, int is_inner)
