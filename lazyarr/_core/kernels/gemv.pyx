# cython: cdivision=True
# (extents are positive where they divide)
"""Matrix-vector products.

They are bound by memory: the matrix is read once, along its rows. In a @ v each row gives one sum, and threads share
the rows. In v @ b a few rows at a time, times their elements of v, are added to a row of results in the first-level
cache; threads share the columns of wide matrices. Narrow ones are cut into parts, by extents alone, with separate
results that are added at the end.

           k           n
     v  #######     |#####|
                  k |#####|  part 0 -> row of results 0
                    |-----|
                    |     |  part 1 -> row of results 1

A matrix with contiguous columns is the transpose of one with contiguous rows.
"""
from numpy cimport npy_intp

from lazyarr._core.host.allocator cimport Buffer
from lazyarr._core.host.fp_status cimport lz_fp_take
from lazyarr._core.host.threads cimport Watch, must_stop, run_watched, team_size
from lazyarr._core.host.tunables cimport tunable
from lazyarr._core.host.workspace cimport new_workspace
from lazyarr._core.ir.node cimport Kernel, Node, first_element
from lazyarr._core.kernels.gemm cimport Gemm, count_parts, gemm_of, is_complex

import math

import numpy as np

cdef extern from "simd/copy.h":
    void lz_copy1(char* dst, npy_intp ds, char* src, npy_intp ss, npy_intp n, npy_intp size) noexcept nogil

cdef enum:
    PART_BYTES = 1 << 18    # least bytes of the matrix per part
    MOST_PARTS = 32
    RESULT_BYTES = 16384    # bytes of a row of results computed together
    ENOUGH_BLOCKS = 8       # result blocks that suffice for threads to share instead of parts
    GROUP = 4               # rows taken together; groups do not depend on threads
    BAND_BYTES = 1 << 16    # bytes of the matrix between two polls of `must_stop`
cdef double NS_A_BYTE = 0.02
tunable("gemv.byte_ns", &NS_A_BYTE, "ns", 1e-4, 10,
        "What a byte of the matrix costs the product of a matrix and a vector.")

cdef struct Job:
    const Gemm* gemm
    npy_intp k, n           # rows and columns of the matrix
    char* matrix
    npy_intp row            # bytes
    char* vector            # contiguous
    char* results           # results of the parts, concatenated
    npy_intp rows, parts    # rows per part; number of parts
    npy_intp blocks         # blocks of columns
    Watch watch


cdef class VectorProduct(Kernel):
    """v @ b or a @ v of operands of one dtype that `can_multiply_vector` accepts.

    A vector is a 1-d array, a left operand of one row or a right one of one column. The node may be reshaped.
    """
    batched_as = "product"

    cdef int fill(self, Node node) except -1:
        cdef Node a = <Node>node.inputs[0], b = <Node>node.inputs[1], matrix, vector
        cdef bint is_row = a.ndim == 1 or a.shape[0] == 1
        matrix, vector = (b, a) if is_row else (a, b)
        return multiply_vector(
            node.typenum, matrix.shape[0], matrix.shape[1], first_element(matrix), matrix.strides[0],
            matrix.strides[1], first_element(vector), vector.strides[vector.ndim - 1 if is_row else 0], is_row,
            node.data)

    def reference(self, a, b):
        """Multiply with NumPy."""
        return np.matmul(a, b)

    def cost(self, dtype, tuple shape, tuple a, tuple b):
        """Return the estimated time on one thread in ns."""
        return max(math.prod(a), math.prod(b)) * dtype.itemsize * NS_A_BYTE


cdef VectorProduct VECTOR_PRODUCT = VectorProduct()


cdef bint can_multiply_vector(int typenum, npy_intp rows, npy_intp columns, npy_intp row_step,
                              npy_intp column_step) noexcept:
    """Return whether a matrix has a real dtype with tiles, is not empty, and has contiguous rows or columns."""
    cdef const Gemm* gemm = gemm_of(typenum)
    if gemm is NULL or is_complex(typenum) or rows == 0 or columns == 0:
        return False
    return column_step == gemm.size and row_step % gemm.size == 0 \
        or row_step == gemm.size and column_step % gemm.size == 0


cdef int multiply_vector(int typenum, npy_intp rows, npy_intp columns, char* matrix, npy_intp row_step,
                         npy_intp column_step, char* vector, npy_intp step, bint vector_is_row, char* y) except -1:
    """Set y to vector @ matrix or matrix @ vector; return the status flags. Strides are in bytes."""
    cdef Job job
    cdef Buffer memory
    cdef npy_intp size, terms = rows if vector_is_row else columns
    cdef bint by_rows = vector_is_row  # results are along the contiguous axis
    cdef double work
    cdef int flags
    job.gemm = gemm_of(typenum)
    size = job.gemm.size
    job.k, job.n, job.matrix, job.row = rows, columns, matrix, row_step
    if column_step != size:
        job.k, job.n, job.row, by_rows = columns, rows, column_step, not by_rows
    job.rows, job.parts, job.results = max(BAND_BYTES // (job.n * size) // GROUP, 1) * GROUP, 1, y
    job.blocks = count_parts(job.n, RESULT_BYTES // size)
    if by_rows and job.blocks >= ENOUGH_BLOCKS:
        job.rows = job.k
    elif by_rows:
        job.rows = max(PART_BYTES // (job.n * size), count_parts(job.k, MOST_PARTS))
        job.rows = min(count_parts(job.rows, GROUP) * GROUP, job.k)
        job.parts = count_parts(job.k, job.rows)
    memory = new_workspace(terms * size + (job.parts * job.n * size if job.parts > 1 else 0))
    if job.parts > 1:
        job.results = memory.data + terms * size
    job.vector = vector
    if step != size:
        job.vector = memory.data
        lz_copy1(job.vector, size, vector, step, terms, size)
    work = <double>job.k * job.n * size * NS_A_BYTE
    if not by_rows:
        return run_watched(&job.watch, work, <int>min(<npy_intp>team_size(work), job.k), _share_rows, &job)
    flags = run_watched(&job.watch, work, <int>min(<npy_intp>team_size(work), job.parts * job.blocks), _share_blocks,
                        &job)
    if job.parts > 1:
        job.gemm.add_rows(job.parts, job.n, NULL, job.results, job.n, y)
    return flags | lz_fp_take()


cdef void _share_blocks(void* whole, int thread, int threads) noexcept nogil:
    """Compute one thread's y[j] = sum over i of vector[i] * matrix[i, j]."""
    cdef Job* job = <Job*>whole
    cdef npy_intp size = job.gemm.size, columns = RESULT_BYTES // size, count = job.parts * job.blocks
    cdef npy_intp block, part, first, column
    for block in range(count * thread // threads, count * (thread + 1) // threads):
        if must_stop(&job.watch, thread):
            return
        part, column = block // job.blocks, block % job.blocks * columns
        first = part * job.rows
        job.gemm.add_rows(min(job.rows, job.k - first), min(columns, job.n - column), job.vector + first * size,
                          job.matrix + first * job.row + column * size, job.row // size,
                          job.results + (part * job.n + column) * size)


cdef void _share_rows(void* whole, int thread, int threads) noexcept nogil:
    """Compute one thread's y[i] = sum over j of matrix[i, j] * vector[j]."""
    cdef Job* job = <Job*>whole
    cdef npy_intp size = job.gemm.size, groups = count_parts(job.k, GROUP), rows
    cdef npy_intp row = groups * thread // threads * GROUP, end = min(groups * (thread + 1) // threads * GROUP, job.k)
    while row < end and not must_stop(&job.watch, thread):
        rows = min(job.rows, end - row)
        job.gemm.sum_rows(rows, job.n, job.matrix + row * job.row, job.row // size, job.vector,
                          job.results + row * size)
        row += rows
