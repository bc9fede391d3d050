# cython: cdivision=True
# (divisors are positive strides; signs of dividends are taken care of)
"""Windows on a storage.

An update in place must know whether what it reads from the old storage overlaps what it writes. Windows made by
slicing are grids: along each axis of the storage they take `start, start + step, ...`. `grid` finds those numbers
again from byte strides, and two grids clash only if they do along every axis. Windows that are no grids
(diagonals, reinterpreted bytes) are taken to clash wherever their byte ranges overlap: a copy too many is safe.
"""
from libc.string cimport memcpy

from numpy cimport npy_intp

from lazyarr._core.ir.builder cimport axes_by_stride
from lazyarr._core.ir.node cimport MAX_DIMS, Node

cdef extern from "simd/copy.h":
    void lz_copy1(char* dst, npy_intp ds, char* src, npy_intp ss, npy_intp n, npy_intp size) noexcept nogil


cdef bint grid(Node storage, int nd, npy_intp* shape, npy_intp* strides, npy_intp offset, npy_intp size,
               npy_intp* start, npy_intp* step, npy_intp* count) noexcept nogil:
    """Start, step and count along each axis of `storage`; False where the window is no grid of whole elements."""
    cdef int axis, k, best
    cdef npy_intp rest = offset - storage.offset, stride
    cdef int order[64]
    cdef int n = 0, d
    if size != storage.itemsize:
        return False
    # storage axes by falling stride
    for axis in range(storage.ndim):
        start[axis] = 0
        step[axis] = 1
        count[axis] = 1
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
    # each window axis runs along the storage axis with the largest stride that divides its own
    for k in range(nd):
        if shape[k] == 1:
            continue
        stride = strides[k]
        if stride == 0:
            return False
        if stride < 0:
            rest += stride * (shape[k] - 1)
            stride = -stride
        best = -1
        for d in range(n):
            if storage.strides[order[d]] <= stride and stride % storage.strides[order[d]] == 0:
                best = order[d]
                break
        if best < 0 or count[best] != 1:
            return False
        step[best] = stride // storage.strides[best]
        count[best] = shape[k]
    if rest < 0:
        return False
    for d in range(n):
        axis = order[d]
        start[axis] = rest // storage.strides[axis]
        rest -= start[axis] * storage.strides[axis]
        if start[axis] + (count[axis] - 1) * step[axis] >= storage.shape[axis]:
            return False
    return rest == 0


cdef void _extent(int nd, npy_intp* shape, npy_intp* strides, npy_intp offset, npy_intp size, npy_intp* low,
                  npy_intp* high) noexcept nogil:
    cdef int k
    low[0] = offset
    high[0] = offset + size
    for k in range(nd):
        if strides[k] < 0:
            low[0] += strides[k] * (shape[k] - 1)
        else:
            high[0] += strides[k] * (shape[k] - 1)


cdef bint same_window(int nd_a, npy_intp* shape_a, npy_intp* strides_a, npy_intp offset_a, npy_intp size_a,
                      int nd_b, npy_intp* shape_b, npy_intp* strides_b, npy_intp offset_b, npy_intp size_b) noexcept:
    """Whether both visit the same bytes in the same order (axes of length 1 aside)."""
    cdef int i = 0, j = 0
    if offset_a != offset_b or size_a != size_b:
        return False
    while True:
        while i < nd_a and shape_a[i] == 1:
            i += 1
        while j < nd_b and shape_b[j] == 1:
            j += 1
        if i == nd_a or j == nd_b:
            return i == nd_a and j == nd_b
        if shape_a[i] != shape_b[j] or strides_a[i] != strides_b[j]:
            return False
        i += 1
        j += 1


cdef bint windows_clash(Node storage, int nd_a, npy_intp* shape_a, npy_intp* strides_a, npy_intp offset_a,
                        npy_intp size_a, int nd_b, npy_intp* shape_b, npy_intp* strides_b, npy_intp offset_b,
                        npy_intp size_b) noexcept:
    """Whether two windows on `storage` may share a byte."""
    cdef npy_intp low_a, high_a, low_b, high_b
    cdef npy_intp start_a[64]
    cdef npy_intp step_a[64]
    cdef npy_intp count_a[64]
    cdef npy_intp start_b[64]
    cdef npy_intp step_b[64]
    cdef npy_intp count_b[64]
    cdef int d
    _extent(nd_a, shape_a, strides_a, offset_a, size_a, &low_a, &high_a)
    _extent(nd_b, shape_b, strides_b, offset_b, size_b, &low_b, &high_b)
    if high_a <= low_b or high_b <= low_a:
        return False
    if not grid(storage, nd_a, shape_a, strides_a, offset_a, size_a, start_a, step_a, count_a):
        return True
    if not grid(storage, nd_b, shape_b, strides_b, offset_b, size_b, start_b, step_b, count_b):
        return True
    for d in range(storage.ndim):
        if start_a[d] + (count_a[d] - 1) * step_a[d] < start_b[d] \
                or start_b[d] + (count_b[d] - 1) * step_b[d] < start_a[d]:
            return False
        if step_a[d] == step_b[d] and step_a[d] > 1 and (start_a[d] - start_b[d]) % step_a[d] != 0:
            return False
    return True


cdef bint window_overlaps_itself(Node window) noexcept:
    """Whether two elements of a window may share a byte; of axes from the smallest stride to the largest, none that
    steps beyond all that those before it reach does."""
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
    """Whether windows lie side by side along one axis of `storage` and show each of its elements once."""
    cdef npy_intp start[64]
    cdef npy_intp step[64]
    cdef npy_intp count[64]
    cdef npy_intp end = 0
    cdef int axis = -1, cut, d
    cdef Node window
    cdef list parts = []
    for window in windows:
        if not grid(storage, window.ndim, window.shape, window.strides, window.offset, window.itemsize,
                    start, step, count):
            return False
        cut = -1
        for d in range(storage.ndim):
            if count[d] != storage.shape[d]:
                if cut >= 0 or step[d] != 1:
                    return False
                cut = d
        if cut < 0 or axis >= 0 and cut != axis:
            return False
        axis = cut
        parts.append((start[axis], count[axis]))
    parts.sort()
    for first, length in parts:
        if first != end:
            return False
        end += length
    return axis >= 0 and end == storage.shape[axis]


cdef void copy_nd(char* dst, npy_intp* dst_strides, char* src, npy_intp* src_strides, npy_intp* shape, int nd,
                  npy_intp size) noexcept nogil:
    """Copy a box of elements between two strided layouts, the last axis innermost."""
    cdef npy_intp index[64]
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


cdef void copy_outside(Node storage, char* dst, char* src, int nd, npy_intp* shape, npy_intp* strides,
                       npy_intp offset, npy_intp size) noexcept nogil:
    """Copy of `storage` (bytes at `src`, the same layout at `dst`) what the window leaves out.

    A window without gaps leaves two slabs an axis:

        +-----------------+
        |     before 0    |
        +----+-------+----+
        | b1 |window | a1 |
        +----+-------+----+
        |     after 0     |
        +-----------------+
    """
    cdef npy_intp start[64]
    cdef npy_intp step[64]
    cdef npy_intp count[64]
    cdef npy_intp box[64]
    cdef npy_intp low, high
    cdef npy_intp at = storage.offset
    cdef int axis, d
    cdef bint gaps = not grid(storage, nd, shape, strides, offset, size, start, step, count)
    if not gaps:
        for d in range(storage.ndim):
            gaps = gaps or (step[d] != 1 and count[d] > 1)
    if gaps:
        if storage.size * storage.itemsize == storage.span:
            memcpy(dst, src, storage.span)
        else:
            copy_nd(dst + at, storage.strides, src + at, storage.strides, storage.shape, storage.ndim, storage.itemsize)
        return
    for d in range(storage.ndim):
        box[d] = storage.shape[d]
    for axis in range(storage.ndim):
        low = start[axis]
        high = start[axis] + count[axis]
        box[axis] = low
        copy_nd(dst + at, storage.strides, src + at, storage.strides, box, storage.ndim, storage.itemsize)
        box[axis] = storage.shape[axis] - high
        copy_nd(dst + at + high * storage.strides[axis], storage.strides,
                src + at + high * storage.strides[axis], storage.strides, box, storage.ndim, storage.itemsize)
        box[axis] = count[axis]
        at += low * storage.strides[axis]
