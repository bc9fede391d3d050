"""Products of matrices, a kernel."""
from lazyarr._core.node cimport Kernel

cdef class MatrixProduct(Kernel):
    pass

cdef MatrixProduct MATRIX_PRODUCT
