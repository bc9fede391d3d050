# cython: cdivision=True
# (extents are positive where they divide)
"""One row times a matrix.

Nothing is read twice, so that memory decides: the matrix is read once from front to back, a few rows at a time, and
what they give is added to a row of results that stays in the first cache. Parts of the matrix, cut by its extents
alone, have results of their own, which are added up at the end.

           k           n
     a  #######     |#####|
                  k |#####|  part 0 -> row of results 0
                    |-----|
                    |     |  part 1 -> row of results 1
"""
from numpy cimport npy_intp

from lazyarr._core.buffers cimport Buffer
from lazyarr._core.flags cimport lz_fp_take
from lazyarr._core.gemm cimport Gemm, count_parts, gemm_of
from lazyarr._core.node cimport Kernel, Node, first_element
from lazyarr._core.scratch cimport new_scratch
from lazyarr._core.threads cimport Watch, must_stop, run_watched, team_size
from lazyarr._core.tuning cimport tunable

cdef extern from "simd/copyloops.h":
    void lz_copy1(char* dst, npy_intp ds, char* src, npy_intp ss, npy_intp n, npy_intp size) noexcept nogil

cdef enum:
    PART_BYTES = 1 << 18    # of the matrix, at least, in a part
    MOST_PARTS = 32
    RESULT_BYTES = 16384    # of a row of results that are computed together
cdef double NS_A_BYTE = 0.02
tunable("vecmat.byte_ns", &NS_A_BYTE)

cdef struct Job:
    const Gemm* gemm
    npy_intp k, n
    char* a                 # contiguous
    char* b
    npy_intp b_row          # bytes
    char* results           # of the parts, one after the other
    npy_intp rows, parts    # of a part; of them
    Watch watch


cdef class RowProduct(Kernel):
    """a @ b for [1, k] and [k, n], neither 0, of one real dtype that has tiles; the rows of b are contiguous.

    The node may have another shape of as many elements.
    """

    cdef int fill(self, Node node) except -1:
        cdef Job job
        cdef Node a = <Node>node.inputs[0], b = <Node>node.inputs[1]
        cdef npy_intp size, step = a.strides[a.ndim - 1], a_bytes
        cdef Buffer memory
        cdef int threads, flags
        cdef double work
        job.gemm = gemm_of(node.typenum)
        size = job.gemm.size
        job.k, job.n = b.shape[0], b.shape[1]
        job.b, job.b_row = first_element(b), b.strides[0]
        work = _work(job.k, job.n, size)
        job.rows = max(PART_BYTES // (job.n * size), count_parts(job.k, MOST_PARTS))
        job.rows = min(count_parts(job.rows, 4) * 4, job.k)
        job.parts = count_parts(job.k, job.rows)
        a_bytes = job.k * size
        memory = new_scratch(a_bytes + (job.parts * job.n * size if job.parts > 1 else 0))
        job.a = first_element(a)
        if step != size:
            job.a = memory.data
            lz_copy1(job.a, size, first_element(a), step, job.k, size)
        job.results = memory.data + a_bytes if job.parts > 1 else node.data
        threads = <int>min(<npy_intp>team_size(work), job.parts)
        flags = run_watched(&job.watch, work, threads, _share, &job)
        if job.parts > 1:
            job.gemm.add_rows(job.parts, job.n, NULL, job.results, job.n, node.data)
        return flags | lz_fp_take()

    def cost(self, dtype, tuple shape, tuple a, tuple b):
        """What it is thought to take on one thread, in nanoseconds."""
        return _work(b[0], b[1], dtype.itemsize)


cdef RowProduct ROW_PRODUCT = RowProduct()


cdef double _work(npy_intp k, npy_intp n, npy_intp size) noexcept:
    """What it is thought to take to read a matrix, on one thread, in nanoseconds."""
    return <double>k * n * size * NS_A_BYTE


cdef void _share(void* whole, int thread, int threads) noexcept nogil:
    cdef Job* job = <Job*>whole
    cdef npy_intp part, first, rows, column, width, size = job.gemm.size, columns = RESULT_BYTES // size
    for part in range(job.parts * thread // threads, job.parts * (thread + 1) // threads):
        first = part * job.rows
        rows = min(job.rows, job.k - first)
        column = 0
        while column < job.n and not must_stop(&job.watch, thread):
            width = min(columns, job.n - column)
            job.gemm.add_rows(rows, width, job.a + first * size, job.b + first * job.b_row + column * size,
                              job.b_row // size, job.results + (part * job.n + column) * size)
            column += width
