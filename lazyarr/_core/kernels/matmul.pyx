# cython: cdivision=True
# (extents are positive where they divide)
"""Matrix products, also of stacks.

A thread computes some rows and columns of the result. It packs blocks of b that stay in the second-level cache, and
reads rows of a in place, unless their stride makes them evict each other from the first-level cache. A product of few
rows reads b only once or twice, so b is not packed.

           k            n                 n
       +-------+    +-------+         +-------+
     m |  ###  |  k |  |##| | terms   |  |##| | rows of a tile, at a time
       +-------+    |  |##| |         +-------+
         terms      +-------+          columns
"""
from numpy cimport npy_intp

from lazyarr._core.host.allocator cimport Buffer
from lazyarr._core.host.threads cimport LONGEST_UNINTERRUPTED_NS, must_stop, run_watched, step_ended
from lazyarr._core.host.tunables cimport tunable
from lazyarr._core.host.workspace cimport new_workspace
from lazyarr._core.ir.leaf cimport leaf_node
from lazyarr._core.ir.node cimport Kernel, Node, first_element
from lazyarr._core.kernels.gemm cimport (
    ALIASED, AWAY, Panels, Terms, block_bytes, count_parts, divide_evenly, gemm_of, is_complex, multiply, pack,
    rows_handed)
from lazyarr._core.tile.epilogue cimport (
    Epilogue, elements_a_unit, hand_over, point_at_band, store_result, take_bands, take_epilogue, team_size_with)

import math

import numpy as np

cdef extern from "simd/copy.h":
    void lz_copy_block(char* dst, npy_intp dpitch, npy_intp ds, char* src, npy_intp spitch, npy_intp ss, npy_intp rows,
                       npy_intp n, npy_intp size) noexcept nogil

cdef enum:
    TERMS_BYTES = 1536      # bytes of one column of a packed block
    STREAMED_TERMS = 64     # terms of an unpacked block
    STREAMED_TILES = 3      # most row tiles for which b is not packed
    BY_ROWS = 16            # row tiles per thread that justify packing all of b in each, for an epilogue
    FEWEST_ROWS = 8         # fewest rows per thread that justify reading all of a small b
cdef double NS_A_TILE_TERM = 0.4        # one row of one panel
tunable("matmul.tile_term_ns", &NS_A_TILE_TERM, "ns", 1e-2, 1e2, "What a row of a panel costs a product of matrices.")


cdef class MatrixProduct(Kernel):
    """a @ b for [..., m, k] and [..., k, n] with k > 0, of one dtype with tiles, into a non-empty [..., m, n].

    The node may be reshaped.
    """
    hands_over = True
    batched_as = "product"

    cdef int fill(self, Node node) except -1:
        cdef Product job
        _describe(&job, node, <Node>node.inputs[0], <Node>node.inputs[1])
        job.epilogue = take_epilogue(job.c, node.size * node.itemsize)
        return _multiply(&job, node)

    def reference(self, a, b):
        """Multiply with NumPy."""
        return np.matmul(a, b)

    def cost(self, dtype, tuple shape, tuple a, tuple b):
        """Return the estimated time on one thread in ns."""
        cdef Product job
        cdef npy_intp n = b[len(b) - 1]
        job.gemm, job.reals = gemm_of(dtype.num), 1 + is_complex(dtype.num)
        job.m, job.k, job.columns = 1, a[len(a) - 1], job.reals * n
        return _work(&job, math.prod(shape) // n)


cdef MatrixProduct MATRIX_PRODUCT = MatrixProduct()


def fill(out, a, b):
    """Fill the C-ordered ndarray `out` with a @ b; return the status flags."""
    cdef Node c = leaf_node(out, True), left = leaf_node(a, True), right = leaf_node(b, True)
    cdef Product job
    _describe(&job, c, left, right)
    job.epilogue = NULL
    return _multiply(&job, c)


cdef void _describe(Product* job, Node c, Node a, Node b) noexcept:
    cdef int d, n = max(a.ndim, b.ndim) - 2
    cdef npy_intp step
    job.gemm = gemm_of(c.typenum)
    job.reals = 1 + is_complex(c.typenum)
    job.size = job.gemm.size
    job.ndim = n
    job.m, job.n, job.k = a.shape[a.ndim - 2], b.shape[b.ndim - 1], a.shape[a.ndim - 1]
    job.columns = job.reals * job.n
    job.a, job.b, job.c = first_element(a), first_element(b), c.data
    job.a_row, job.a_term = a.strides[a.ndim - 2], a.strides[a.ndim - 1]
    job.b_term, job.b_column = b.strides[b.ndim - 2], b.strides[b.ndim - 1]
    job.c_row = job.columns * job.size
    step = job.m * job.c_row
    for d in range(n - 1, -1, -1):
        job.a_step[d], job.b_step[d], job.c_step[d] = _broadcast(a, d - n), _broadcast(b, d - n), step
        job.shape[d] = max(_extent(a, d - n), _extent(b, d - n))
        step *= job.shape[d]
    # a stack times one matrix is one product if rows are evenly spaced
    while job.ndim and job.b_step[job.ndim - 1] == 0 and job.a_step[job.ndim - 1] == job.m * job.a_row:
        job.ndim -= 1
        job.m *= job.shape[job.ndim]


cdef inline npy_intp _extent(Node x, int axis) noexcept:
    """Return the extent of a stack axis, counted from the end."""
    cdef int d = x.ndim - 2 + axis
    return 1 if d < 0 else x.shape[d]


cdef inline npy_intp _broadcast(Node x, int axis) noexcept:
    """Return the stride of a stack axis."""
    return 0 if _extent(x, axis) == 1 else x.strides[x.ndim - 2 + axis]


cdef double _work(Product* job, npy_intp stack) noexcept:
    """Return the estimated time of `stack` of these products on one thread in ns."""
    return <double>stack * job.m * job.columns * job.k * job.reals / min(job.gemm.panel, job.columns) * NS_A_TILE_TERM


cdef int _multiply(Product* job, Node node) except -1:
    cdef Buffer memory, _bands
    cdef Epilogue* epilogue = job.epilogue
    cdef npy_intp stack = 1
    cdef int threads, flags, d
    cdef double work
    for d in range(job.ndim):
        stack *= job.shape[d]
    work = _work(job, stack)
    if job.epilogue is not NULL and job.epilogue.overwrites and work + job.epilogue.work >= LONGEST_UNINTERRUPTED_NS:
        job.epilogue = NULL
    threads = team_size_with(job.epilogue, &work)
    job.parts = _lay_out(job, threads, stack)
    threads = <int>min(<npy_intp>threads, job.parts)
    job.scratch = job.packed_bytes + bytes_for_rows(job)
    job.band_at = count_parts(job.scratch, AWAY) * AWAY
    if node.owner is None and _aligns_bands(job):
        _bands = take_bands(epilogue, threads)
        job.scratch = job.band_at + job.band * job.c_row
    elif node.owner is None:
        store_result(epilogue, node)
        job.c = first_element(node)
    job.scratch = count_parts(job.scratch, AWAY) * AWAY
    memory = new_workspace(threads * job.scratch)
    job.memory = memory.data
    if job.epilogue is NULL or not job.epilogue.overwrites:
        return run_watched(&job.watch, work, threads, _share, job)
    flags = run_watched(&job.watch, 0, threads, _share, job)  # not interruptible
    step_ended(work)
    return flags


cdef bint _aligns_bands(Product* job) noexcept:
    """Cut rows into bands of whole epilogue units, computed in the workspace; return False if they do not fit."""
    cdef npy_intp unit, rows
    if job.epilogue is NULL or job.ndim or job.streamed or job.terms < job.k:
        return False
    unit = elements_a_unit(job.epilogue) * job.epilogue.size
    rows = max(unit // job.c_row, <npy_intp>1)
    if rows * job.c_row % unit:
        return False
    job.band = count_parts(job.band, rows) * rows
    job.part_rows = count_parts(count_parts(job.m, job.row_parts), job.band) * job.band
    return True


cdef npy_intp _lay_out(Product* job, int threads, npy_intp stack) noexcept:
    """Choose blocks, and cut the result into parts; return their number."""
    cdef npy_intp panel = job.gemm.panel, panels = count_parts(job.columns, panel), wanted
    cdef npy_intp tiles = count_parts(job.m, job.gemm.rows)
    cdef npy_intp number = job.size * job.reals
    cdef bint by_rows
    # Whole matrices if there are enough: parts of one read all of a, or pack all of b.
    wanted = count_parts(threads, stack)
    by_rows = job.m > 2 * job.n or panels < wanted
    if job.epilogue is not NULL and job.k * number <= TERMS_BYTES:
        by_rows = by_rows or tiles >= BY_ROWS * wanted \
            or tiles <= STREAMED_TILES and job.m >= FEWEST_ROWS * wanted and job.k * job.n * number <= block_bytes()
    job.row_parts = min(wanted, tiles) if by_rows else 1
    job.column_parts = min(count_parts(wanted, job.row_parts), panels)
    job.streamed = job.reals == 1 and job.b_column == job.size and tiles <= STREAMED_TILES
    job.turned = job.reals == 1 and job.a_row == job.size and job.a_term != job.size
    job.copied = not job.turned and (job.a_term != number or job.m > 1 and job.a_row % ALIASED == 0)
    job.terms = divide_evenly(job.k, STREAMED_TERMS if job.streamed else TERMS_BYTES // number)
    job.block_columns = max(block_bytes() // (job.terms * number) // panel, <npy_intp>1)
    job.block_columns = min(job.block_columns, panels) * panel
    job.packed_bytes = job.terms * number * (panel if job.streamed else job.block_columns)
    if job.column_parts > 1 or job.block_columns < job.columns:
        job.epilogue = NULL  # the first columns of a row would leave the cache before the last are computed
    job.band = job.m
    if job.epilogue is not NULL and not job.streamed:
        job.band = rows_handed(job.gemm, job.c_row)
    return stack * job.row_parts * job.column_parts


cdef void _share(void* whole, int thread, int threads) noexcept nogil:
    cdef Product* job = <Product*>whole
    cdef npy_intp part
    for part in range(job.parts * thread // threads, job.parts * (thread + 1) // threads):
        _multiply_part(job, thread, part, job.memory + thread * job.scratch)


cdef void _multiply_part(Product* job, int thread, npy_intp part, char* memory) noexcept nogil:
    """Compute some rows and columns of one matrix of the result."""
    cdef npy_intp across = part % job.column_parts, down = part // job.column_parts % job.row_parts
    cdef npy_intp rest = part // job.column_parts // job.row_parts, i, panels, row, rows, column, end, width, term
    cdef char* a = job.a
    cdef char* b = job.b
    cdef char* c = job.c
    cdef int d
    for d in range(job.ndim - 1, -1, -1):
        i = rest % job.shape[d]
        rest = rest // job.shape[d]
        a += i * job.a_step[d]
        b += i * job.b_step[d]
        c += i * job.c_step[d]
    panels = count_parts(job.columns, job.gemm.panel)
    column = panels * across // job.column_parts * job.gemm.panel
    end = min(panels * (across + 1) // job.column_parts * job.gemm.panel, job.columns)
    if job.epilogue is not NULL and job.epilogue.unstored:
        row = min(down * job.part_rows, job.m)
        rows = min(row + job.part_rows, job.m) - row
    else:
        row = job.m * down // job.row_parts
        rows = job.m * (down + 1) // job.row_parts - row
    a += row * job.a_row
    c += row * job.c_row
    while column < end:
        width = min(job.block_columns, end - column)
        term = 0
        while term < job.k:
            _multiply_block(job, thread, a, b, c + column * job.size, rows, column, width, term,
                            min(job.terms, job.k - term), memory)
            term += job.terms
            if must_stop(&job.watch, thread):
                return
        column += width


cdef void _multiply_block(Product* job, int thread, char* a, char* b, char* c, npy_intp rows, npy_intp column,
                          npy_intp width, npy_intp term, npy_intp count, char* memory) noexcept nogil:
    """Add the contribution of some terms to some columns; b is packed, except streamed whole panels."""
    cdef npy_intp panel = job.gemm.panel, whole = width - width % panel if job.streamed else 0, height
    cdef bint unstored = job.epilogue is not NULL and job.epilogue.unstored
    cdef char* band = memory + job.band_at
    cdef char* rows_copied = memory + job.packed_bytes
    cdef Panels panels
    b += term * job.b_term + column // job.reals * job.b_column
    if whole:
        panels.data, panels.ldb, panels.apart = b, job.b_term // job.size, panel
        _multiply_rows(job, a, c, rows, whole, &panels, term, count, rows_copied)
    if whole < width:
        panels.data, panels.ldb, panels.apart = memory, panel, job.reals * count * panel
        pack(job.gemm, job.reals, memory, panels.apart * job.size, b + whole * job.size, count, job.b_term,
             (width - whole) // job.reals, job.b_column)
    while rows > 0 and not must_stop(&job.watch, thread):
        height = min(job.band, rows)
        if whole < width:
            _multiply_rows(job, a, band if unstored else c + whole * job.size, height, width - whole, &panels, term,
                           count, rows_copied)
        if job.epilogue is not NULL and term + count == job.k:
            if unstored:
                point_at_band(job.epilogue, thread, c, band)
            hand_over(job.epilogue, thread, c, c + height * job.c_row, &job.watch.flags)
        a, c, rows = a + height * job.a_row, c + height * job.c_row, rows - height


cdef void _multiply_rows(Product* job, char* a, char* c, npy_intp rows, npy_intp width, Panels* panels, npy_intp term,
                         npy_intp count, char* copied) noexcept nogil:
    cdef npy_intp zero = 0, i = 0, height, ld = job.c_row // job.size, number = job.size * job.reals
    cdef Terms terms
    terms.runs, terms.length, terms.start = 1, job.reals * count, &zero
    a += term * job.a_term
    if not job.copied:
        multiply(job.gemm, rows, width, &terms, a, (job.a_term if job.turned else job.a_row) // job.size, job.turned,
                 panels, c, ld, term > 0)
        return
    while i < rows:
        height = min(job.gemm.rows, rows - i)
        lz_copy_block(copied, count * number + AWAY, number, a + i * job.a_row, job.a_row, job.a_term, height, count,
                      number)
        multiply(job.gemm, height, width, &terms, copied, terms.length + AWAY // job.size, False, panels,
                 c + i * job.c_row, ld, term > 0)
        i += height


# ---- rows of a product, for threads that repeatedly use the same b ----------------------------------------------


cdef npy_intp begin_rows(Product* job, Node node, double* work) noexcept:
    """Set up such a product and estimate its cost; return the bytes of b packed, 0 if b is too large.

    Sums are those of `fill`: terms have the same order.
    """
    _describe(job, node, <Node>node.inputs[0], <Node>node.inputs[1])
    job.epilogue = NULL
    if job.ndim or job.reals == 2:
        return 0
    _lay_out(job, 1, 1)
    job.block_columns = count_parts(job.columns, job.gemm.panel) * job.gemm.panel
    job.packed_bytes = job.k * job.block_columns * job.size
    work[0] = _work(job, 1)
    return job.packed_bytes if job.packed_bytes <= block_bytes() else 0


cdef npy_intp bytes_for_rows(Product* job) noexcept:
    """Return the bytes of a thread's copy of rows of a."""
    return job.gemm.rows * (job.terms * 2 * job.size + AWAY) if job.copied else 0


cdef void pack_whole(Product* job, char* memory) noexcept nogil:
    """Pack b into memory that must stay."""
    cdef npy_intp term = 0, count
    job.memory = memory
    while term < job.k:
        count = min(job.terms, job.k - term)
        pack(job.gemm, 1, memory + term * job.block_columns * job.size, count * job.gemm.panel * job.size,
             job.b + term * job.b_term, count, job.b_term, job.columns, job.b_column)
        term += count


cdef void multiply_rows(Product* job, char* a, char* c, npy_intp row, npy_intp rows, char* memory) noexcept nogil:
    """Multiply some rows, from `a` into `c`."""
    cdef npy_intp term = 0, count
    cdef Panels panels
    panels.ldb = job.gemm.panel
    while term < job.k:
        count = min(job.terms, job.k - term)
        panels.data, panels.apart = job.memory + term * job.block_columns * job.size, count * job.gemm.panel
        _multiply_rows(job, a + row * job.a_row, c + row * job.c_row, rows, job.columns, &panels, term, count, memory)
        term += count
