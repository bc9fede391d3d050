"""One row times a matrix, a kernel."""
from lazyarr._core.node cimport Kernel

cdef class RowProduct(Kernel):
    pass

cdef RowProduct ROW_PRODUCT
