"""Matrix-vector products, a kernel."""
from numpy cimport npy_intp

from lazyarr._core.ir.node cimport Kernel
from lazyarr._core.kernels.gemm cimport Gemm

cdef class VectorProduct(Kernel):
    pass

cdef VectorProduct VECTOR_PRODUCT
cdef bint can_multiply_vector(int typenum, npy_intp rows, npy_intp columns, npy_intp row_step,
                              npy_intp column_step) noexcept
cdef int multiply_vector(int typenum, npy_intp rows, npy_intp columns, char* matrix, npy_intp row_step,
                         npy_intp column_step, char* vector, npy_intp step, bint vector_is_row, char* y) except -1
