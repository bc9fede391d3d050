# cython: cdivision=True
# (divisors are positive strides; negative dividends are handled explicitly)
"""Strided windows on one storage.

An update in place must know whether the window it reads from the old storage overlaps the one it writes. Windows made
by slicing are grids: along each axis of the storage they take `start, start + step, ...`. `find_grid` recovers these
numbers from byte strides; two grids clash only if they do along every axis. Other windows (diagonals, reinterpreted
bytes) are taken to clash if their byte ranges overlap: an unnecessary copy is safe.
"""
from libc.string cimport memcpy

from numpy cimport npy_intp

from lazyarr._core.ir.builder cimport axes_by_stride
from lazyarr._core.ir.node cimport MAX_DIMS, Node, byte_range

cdef extern from "simd/copy.h":
    void lz_copy1(char* dst, npy_intp ds, char* src, npy_intp ss, npy_intp n, npy_intp size) noexcept nogil


cdef Window shown_window(Node node) noexcept:
    """Return the window of a node on its storage."""
    return Window(node.ndim, node.shape, node.strides, node.offset, node.itemsize)


cdef Window replaced_window(Node update) noexcept:
    """Return the window that an update replaces."""
    cdef int nd = <int>update.window[0]
    return Window(nd, update.window + 1, update.window + 1 + nd, update.window_offset,
                  (<Node>update.inputs[1]).itemsize)


cdef bint find_grid(Node storage, Window window, Grid* grid) noexcept nogil:
    """Find start, step and count along each axis of `storage`; return False if the window is no grid."""
    cdef int axis, k, best
    cdef npy_intp rest = window.offset - storage.offset, stride
    cdef int order[MAX_DIMS]
    cdef int n = 0, d
    if window.size != storage.itemsize:
        return False
    # storage axes by decreasing stride
    for axis in range(storage.ndim):
        grid.start[axis] = 0
        grid.step[axis] = 1
        grid.count[axis] = 1
        if storage.shape[axis] == 1:
            continue
        if storage.strides[axis] <= 0:
            return False
        d = n
        while d > 0 and storage.strides[order[d - 1]] < storage.strides[axis]:
            order[d] = order[d - 1]
            d -= 1
        order[d] = axis
        n += 1
    # a window axis runs along the storage axis with the largest stride that divides its own
    for k in range(window.ndim):
        grid.axis[k] = -1
        if window.shape[k] == 1:
            continue
        stride = window.strides[k]
        if stride == 0:
            return False
        if stride < 0:
            rest += stride * (window.shape[k] - 1)
            stride = -stride
        best = -1
        for d in range(n):
            if storage.strides[order[d]] <= stride and stride % storage.strides[order[d]] == 0:
                best = order[d]
                break
        if best < 0 or grid.count[best] != 1:
            return False
        grid.step[best] = stride // storage.strides[best]
        grid.count[best] = window.shape[k]
        grid.axis[k] = best
    if rest < 0:
        return False
    for d in range(n):
        axis = order[d]
        grid.start[axis] = rest // storage.strides[axis]
        rest -= grid.start[axis] * storage.strides[axis]
        if grid.start[axis] + (grid.count[axis] - 1) * grid.step[axis] >= storage.shape[axis]:
            return False
    return rest == 0


cdef bint same_window(Window a, Window b) noexcept:
    """Return whether both visit the same bytes in the same order (apart from axes of length 1)."""
    cdef int i = 0, j = 0
    if a.offset != b.offset or a.size != b.size:
        return False
    while True:
        while i < a.ndim and a.shape[i] == 1:
            i += 1
        while j < b.ndim and b.shape[j] == 1:
            j += 1
        if i == a.ndim or j == b.ndim:
            return i == a.ndim and j == b.ndim
        if a.shape[i] != b.shape[j] or a.strides[i] != b.strides[j]:
            return False
        i += 1
        j += 1


cdef bint windows_clash(Node storage, Window a, Window b) noexcept:
    """Return whether two windows on `storage` may share a byte."""
    cdef npy_intp low_a, high_a, low_b, high_b
    cdef Grid p, q
    cdef int d
    byte_range(a.ndim, a.shape, a.strides, a.size, &low_a, &high_a)
    byte_range(b.ndim, b.shape, b.strides, b.size, &low_b, &high_b)
    if a.offset + high_a <= b.offset + low_b or b.offset + high_b <= a.offset + low_a:
        return False
    if not find_grid(storage, a, &p) or not find_grid(storage, b, &q):
        return True
    for d in range(storage.ndim):
        if p.start[d] + (p.count[d] - 1) * p.step[d] < q.start[d] \
                or q.start[d] + (q.count[d] - 1) * q.step[d] < p.start[d]:
            return False
        if p.step[d] == q.step[d] and p.step[d] > 1 and (p.start[d] - q.start[d]) % p.step[d] != 0:
            return False
    return True


cdef bint window_overlaps_itself(Node window) noexcept:
    """Return whether two elements of a window may share a byte.

    They do not if, from the smallest stride up, each stride exceeds the extent of the axes before it.
    """
    cdef npy_intp reach = window.itemsize, stride
    cdef int order[MAX_DIMS]
    cdef int axis
    if window.size == 0:
        return False
    axes_by_stride(window, order)
    for axis in order[:window.ndim]:
        stride = window.strides[axis] if window.strides[axis] > 0 else -window.strides[axis]
        if window.shape[axis] > 1 and stride < reach:
            return True
        reach += stride * (window.shape[axis] - 1)
    return False


cdef bint windows_tile(Node storage, list windows) except? 2:
    """Return whether the windows partition `storage` along one axis."""
    cdef Grid grid
    cdef npy_intp end = 0
    cdef int axis = -1, cut, d
    cdef Node window
    cdef list parts = []
    for window in windows:
        if not find_grid(storage, shown_window(window), &grid):
            return False
        cut = -1
        for d in range(storage.ndim):
            if grid.count[d] != storage.shape[d]:
                if cut >= 0 or grid.step[d] != 1:
                    return False
                cut = d
        if cut < 0 or axis >= 0 and cut != axis:
            return False
        axis = cut
        parts.append((grid.start[axis], grid.count[axis]))
    parts.sort()
    for first, length in parts:
        if first != end:
            return False
        end += length
    return axis >= 0 and end == storage.shape[axis]


cdef void copy_nd(char* dst, npy_intp* dst_strides, char* src, npy_intp* src_strides, npy_intp* shape, int nd,
                  npy_intp size) noexcept nogil:
    """Copy elements between two strided layouts, the last axis innermost."""
    cdef npy_intp index[MAX_DIMS]
    cdef int d
    if nd == 0:
        memcpy(dst, src, size)
        return
    for d in range(nd):
        index[d] = 0
        if shape[d] == 0:
            return
    while True:
        lz_copy1(dst, dst_strides[nd - 1], src, src_strides[nd - 1], shape[nd - 1], size)
        d = nd - 2
        while d >= 0:
            index[d] += 1
            dst += dst_strides[d]
            src += src_strides[d]
            if index[d] < shape[d]:
                break
            dst -= dst_strides[d] * shape[d]
            src -= src_strides[d] * shape[d]
            index[d] = 0
            d -= 1
        if d < 0:
            return


cdef void copy_outside(Node storage, char* dst, char* src, Window window) noexcept nogil:
    """Copy the part of `storage` outside the window from `src` to `dst`, which have the same layout.

    A window without gaps leaves two slabs an axis:

        +-----------------+
        |     before 0    |
        +----+-------+----+
        | b1 |window | a1 |
        +----+-------+----+
        |     after 0     |
        +-----------------+
    """
    cdef Grid grid
    cdef npy_intp box[MAX_DIMS]
    cdef npy_intp low, high
    cdef npy_intp at = storage.offset
    cdef int axis, d
    cdef bint gaps = not find_grid(storage, window, &grid)
    if not gaps:
        for d in range(storage.ndim):
            gaps = gaps or (grid.step[d] != 1 and grid.count[d] > 1)
    if gaps:
        if storage.size * storage.itemsize == storage.span:
            memcpy(dst, src, storage.span)
        else:
            copy_nd(dst + at, storage.strides, src + at, storage.strides, storage.shape, storage.ndim, storage.itemsize)
        return
    for d in range(storage.ndim):
        box[d] = storage.shape[d]
    for axis in range(storage.ndim):
        low = grid.start[axis]
        high = low + grid.count[axis]
        box[axis] = low
        copy_nd(dst + at, storage.strides, src + at, storage.strides, box, storage.ndim, storage.itemsize)
        box[axis] = storage.shape[axis] - high
        copy_nd(dst + at + high * storage.strides[axis], storage.strides,
                src + at + high * storage.strides[axis], storage.strides, box, storage.ndim, storage.itemsize)
        box[axis] = grid.count[axis]
        at += low * storage.strides[axis]
