"""Products of matrices, a kernel."""
from numpy cimport npy_intp

from lazyarr._core.host.threads cimport Watch
from lazyarr._core.ir.node cimport MAX_DIMS, Kernel, Node
from lazyarr._core.kernels.gemm cimport Gemm
from lazyarr._core.tile.epilogue cimport Epilogue

cdef struct Product:
    const Gemm* gemm
    npy_intp reals                      # elements of a number: two of a complex one, one of others
    npy_intp size                       # bytes an element
    npy_intp m, k, n                    # numbers
    npy_intp columns                    # elements
    char* a
    char* b
    char* c
    npy_intp a_row, a_term, b_term, b_column, c_row     # bytes
    int ndim                            # of the stack
    npy_intp shape[MAX_DIMS]
    npy_intp a_step[MAX_DIMS]
    npy_intp b_step[MAX_DIMS]
    npy_intp c_step[MAX_DIMS]
    npy_intp row_parts, column_parts
    npy_intp terms, block_columns       # numbers, elements
    bint turned                         # rows of a adjoin, its terms do not
    bint copied                         # rows of a are
    bint streamed                       # b is not packed
    npy_intp packed_bytes
    # the threads' shares
    npy_intp parts
    char* memory
    npy_intp scratch                    # bytes of a thread's part of the memory
    Epilogue* epilogue                  # what bands of rows are handed to; NULL for nothing
    npy_intp band                       # rows
    npy_intp band_at                    # where in a thread's memory a band is computed that is not stored
    npy_intp part_rows                  # rows of a part then, but for the last
    Watch watch

cdef class MatrixProduct(Kernel):
    pass

cdef MatrixProduct MATRIX_PRODUCT

# for threads that take some rows through several steps
cdef npy_intp begin_rows(Product* job, Node node, double* work) noexcept
cdef npy_intp bytes_for_rows(Product* job) noexcept
cdef void pack_whole(Product* job, char* memory) noexcept nogil
cdef void multiply_rows(Product* job, char* a, char* c, npy_intp row, npy_intp rows, char* memory) noexcept nogil
