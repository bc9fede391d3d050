# cython: cdivision=True
# (extents and counters here are never negative, and no divisor is zero)
"""Copies between layouts: programs that only copy.

    rows      the last axis is the densest on both sides, or nearly: whole rows, several per unit
    squares   another axis is the densest of the source, as in x.T.copy(): both axes are cut, so that a unit
              reads and writes whole cache lines

        source  | a b c d |  -> rows of the target: a e i, b f j, ...
                | e f g h |
                | i j k l |

Copies of long rows run in ordinary blocks.
"""
from numpy cimport npy_intp

from lazyarr._core.ir.loop_table cimport LOOP_COPY
from lazyarr._core.tile.job cimport Job, Operand

cdef extern from "simd/copy.h":
    void lz_copy1(char* dst, npy_intp ds, char* src, npy_intp ss, npy_intp n, npy_intp size) noexcept nogil
    void lz_copy_block(char* dst, npy_intp dpitch, npy_intp ds, char* src, npy_intp spitch, npy_intp ss, npy_intp rows,
                       npy_intp n, npy_intp size) noexcept nogil

cdef extern from "simd/transpose.h":
    void lz_transpose(char* out, npy_intp opitch, char* x, npy_intp xpitch, npy_intp rows, npy_intp n,
                      npy_intp size) noexcept nogil

cdef enum:
    SIDE = 256              # bytes of a square's side, in source and target
    LEAST_SQUARE = 4096     # elements of a unit if one of its axes is short
    ROWS = 32768            # bytes per unit of rows
    LONGEST_ROW = 65536     # bytes

cdef double ROW_NS_A_BYTE = 0.03
cdef double SQUARE_NS_A_BYTE = 0.15


cdef inline npy_intp _length(npy_intp stride) noexcept nogil:
    return -stride if stride < 0 else stride


cdef bint plan_copy(Job* job) noexcept nogil:
    """Cut the space of a copy into units for `copy_unit`; return False if blocks are better, or it is no copy."""
    cdef Operand* load = &job.operands[0]
    cdef npy_intp rest = 1
    cdef int d, inner = job.ndim - 1, across = -1
    if job.ninstr != 1 or job.noperand != 2 or job.nfold or job.ndim < 2 or load.times is not NULL \
            or not job.instrs[0].loop.flags & LOOP_COPY:
        return False
    for d in range(inner):
        if load.strides[d] and (across < 0 or _length(load.strides[d]) < _length(load.strides[across])):
            across = d
    if across >= 0 and _length(load.strides[across]) < _length(load.strides[inner]):
        job.across = across
        job.across_tile = min(max(SIDE // load.size, <npy_intp>1), job.shape[across])
        job.tile = min(max(SIDE // load.size, LEAST_SQUARE // job.across_tile), job.row)
        job.across_tile = min(max(job.across_tile, LEAST_SQUARE // job.tile), job.shape[across])
        for d in range(inner):
            if d != across:
                rest *= job.shape[d]
        job.pieces = (job.row + job.tile - 1) // job.tile
        job.units = rest * job.pieces * ((job.shape[across] + job.across_tile - 1) // job.across_tile)
    elif job.row * load.size <= LONGEST_ROW:
        job.across = -1
        job.tile = max(ROWS // (job.row * load.size), <npy_intp>1)
        job.units = (job.rows + job.tile - 1) // job.tile
    else:
        return False
    job.copies = True
    return True


cdef double copy_work(Job* job) noexcept nogil:
    """Return the time on one core in ns."""
    return <double>job.rows * job.row * job.operands[0].size * (ROW_NS_A_BYTE if job.across < 0 else SQUARE_NS_A_BYTE)


cdef void copy_unit(Job* job, npy_intp unit) noexcept nogil:
    """Copy one unit."""
    if job.across < 0:
        _copy_rows(job, unit * job.tile, min(job.tile, job.rows - unit * job.tile))
    else:
        _copy_square(job, unit)


cdef void _copy_rows(Job* job, npy_intp row, npy_intp rows) noexcept nogil:
    cdef Operand* load = &job.operands[0]
    cdef Operand* store = &job.operands[1]
    cdef npy_intp index[64]
    cdef npy_intp run
    cdef char* source = load.base
    cdef char* target = store.base
    cdef int d, last = job.ndim - 2, inner = job.ndim - 1
    for d in range(last, -1, -1):
        index[d] = row % job.shape[d]
        row = row // job.shape[d]
        source += index[d] * load.strides[d]
        target += index[d] * store.strides[d]
    while True:
        run = min(rows, job.shape[last] - index[last])
        lz_copy_block(target, store.strides[last], store.strides[inner], source, load.strides[last],
                      load.strides[inner], run, job.row, load.size)
        rows -= run
        if rows == 0:
            return
        source -= index[last] * load.strides[last]
        target -= index[last] * store.strides[last]
        index[last] = 0
        d = last - 1
        while True:  # rows are left, so there is a next
            index[d] += 1
            source += load.strides[d]
            target += store.strides[d]
            if index[d] < job.shape[d]:
                break
            source -= load.strides[d] * job.shape[d]
            target -= store.strides[d] * job.shape[d]
            index[d] = 0
            d -= 1


cdef void _copy_square(Job* job, npy_intp unit) noexcept nogil:
    """Copy a square; units follow each other along the rows of the source."""
    cdef Operand* load = &job.operands[0]
    cdef Operand* store = &job.operands[1]
    cdef npy_intp size = load.size, extent = job.shape[job.across], i, j, n, rows, column
    cdef npy_intp cuts = (extent + job.across_tile - 1) // job.across_tile
    cdef int d, inner = job.ndim - 1, across = job.across
    cdef char* source = load.base
    cdef char* target = store.base
    j = unit % cuts * job.across_tile
    unit = unit // cuts
    i = unit % job.pieces * job.tile
    unit = unit // job.pieces
    for d in range(inner - 1, -1, -1):
        if d != across:
            source += unit % job.shape[d] * load.strides[d]
            target += unit % job.shape[d] * store.strides[d]
            unit = unit // job.shape[d]
    n, rows = min(job.across_tile, extent - j), min(job.tile, job.row - i)
    source += j * load.strides[across] + i * load.strides[inner]
    target += j * store.strides[across] + i * store.strides[inner]
    if load.strides[across] == size and store.strides[inner] == size:
        lz_transpose(target, store.strides[across], source, load.strides[inner], rows, n, size)
        return
    for column in range(n):
        lz_copy1(target + column * store.strides[across], store.strides[inner], source + column * load.strides[across],
                 load.strides[inner], rows, size)
