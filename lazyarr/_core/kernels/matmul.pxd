"""Matrix products, a kernel."""
from numpy cimport npy_intp

from lazyarr._core.host.threads cimport Watch
from lazyarr._core.ir.node cimport MAX_DIMS, Kernel, Node
from lazyarr._core.kernels.gemm cimport Gemm
from lazyarr._core.tile.epilogue cimport Epilogue

cdef struct Product:
    const Gemm* gemm
    npy_intp reals                      # elements per number: 2 if complex, else 1
    npy_intp size                       # itemsize
    npy_intp m, k, n                    # numbers
    npy_intp columns                    # elements
    char* a
    char* b
    char* c
    npy_intp a_row, a_term, b_term, b_column, c_row     # bytes
    int ndim                            # stack axes
    npy_intp shape[MAX_DIMS]
    npy_intp a_step[MAX_DIMS]
    npy_intp b_step[MAX_DIMS]
    npy_intp c_step[MAX_DIMS]
    npy_intp row_parts, column_parts
    npy_intp terms, block_columns       # numbers, elements
    bint turned                         # a's rows are adjacent, its terms are not
    bint copied                         # rows of a are copied
    bint streamed                       # b is not packed
    npy_intp packed_bytes
    # shares of the threads
    npy_intp parts
    char* memory
    npy_intp scratch                    # bytes per thread
    Epilogue* epilogue                  # receives bands of rows; or NULL
    npy_intp band                       # rows
    npy_intp band_at                    # offset in a thread's memory of an unstored band
    npy_intp part_rows                  # rows per part then, except the last
    Watch watch

cdef class MatrixProduct(Kernel):
    pass

cdef MatrixProduct MATRIX_PRODUCT

# for threads that take rows through several steps
cdef npy_intp begin_rows(Product* job, Node node, double* work) noexcept
cdef npy_intp bytes_for_rows(Product* job) noexcept
cdef void pack_whole(Product* job, char* memory) noexcept nogil
cdef void multiply_rows(Product* job, char* a, char* c, npy_intp row, npy_intp rows, char* memory) noexcept nogil
