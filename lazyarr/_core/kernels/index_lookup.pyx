# cython: cdivision=True
# (extents are positive where they divide)
"""Resolution of index arrays to places in an array x.

Places have *joined* axes: those that the index arrays broadcast to, and those that x is walked along. The offset of a
place in x is the sum of what each index array takes, and of a stride for each step along a walked axis:

    x[:, i]            joined axes: those of i
    take(x, i, 1)      joined axes: x's first, which is walked, and those of i
    take_along_axis    joined axes: all, one of them indexed, the others walked
"""
cimport numpy as cnp
from numpy cimport npy_intp, npy_uintp

from lazyarr._core.host.threads cimport parallel_for, step_ended, team_size

import numpy as np

cnp.import_array()

cdef double NS_AN_INDEX = 0.3     # cost of reading an index


cdef list set_places(Places* places, cnp.ndarray x, tuple indices, tuple joined, tuple walked, tuple indexed, int mode):
    """Set up places as `gather` describes them; return the owners of the index arrays."""
    cdef int d, axis
    cdef list held = []
    places.njoined, places.nindices, places.count, places.mode = <int>len(joined), <int>len(indices), 1, mode
    for d in range(places.njoined):
        axis = walked[d]
        places.joined[d] = joined[d]
        places.count *= places.joined[d]
        places.walked[d] = 0 if axis < 0 or x.shape[axis] == 1 else cnp.PyArray_STRIDE(x, axis)
    for i, (index, axis) in enumerate(zip(indices, indexed, strict=True)):
        held.append(_set_index(&places.indices[i], index, places.njoined))
        places.indices[i].extent, places.indices[i].stride = x.shape[axis], cnp.PyArray_STRIDE(x, axis)
    return held


cdef object _set_index(Index* index, cnp.ndarray array, int njoined):
    """Set up an index array along the joined axes; return its owner."""
    cdef int d, lead = njoined - array.ndim
    if not cnp.PyArray_ISALIGNED(array):
        array = np.array(array)
    index.data = <char*>cnp.PyArray_DATA(array)
    for d in range(njoined):
        index.strides[d] = 0 if d < lead or array.shape[d - lead] == 1 else cnp.PyArray_STRIDE(array, d - lead)
    return array


cdef int set_block(Block* block, cnp.ndarray x, object axes, list others) except -1:
    """Set up some axes of x, merged where neither they nor the other array's strides have gaps.

    `others` None: the other array has no gaps.
    """
    cdef npy_intp extent, step, other
    cdef int i, d
    block.ndim, block.size = 0, 1
    for i, axis in enumerate(axes):
        extent, step, other = x.shape[axis], cnp.PyArray_STRIDE(x, axis), 0 if others is None else others[i]
        if extent == 1:
            continue
        block.size *= extent
        d = block.ndim - 1
        if d >= 0 and block.strides[d] == step * extent and (others is None or block.others[d] == other * extent):
            block.shape[d] *= extent
        else:
            d = block.ndim
            block.shape[d] = extent
            block.ndim += 1
        block.strides[d], block.others[d] = step, other
    if others is None:
        step = cnp.PyArray_ITEMSIZE(x)
        for d in range(block.ndim - 1, -1, -1):
            block.others[d] = step
            step *= block.shape[d]
    return 0


cdef bint visit_places(Places* places, npy_intp first, npy_intp count, Visit visit, void* context) noexcept nogil:
    """Visit `count` places from `first` on, piecewise; return False as soon as a visit does."""
    cdef npy_intp position[MAX_DIMS]
    cdef npy_intp rest = first, piece, offset
    cdef int d, last = places.njoined - 1
    for d in range(last, -1, -1):
        position[d] = rest % places.joined[d]
        rest = rest // places.joined[d]
    while True:
        piece = min(count, places.joined[last] - position[last])
        offset = 0
        for d in range(last + 1):
            offset += position[d] * places.walked[d]
        if not visit(context, position, offset, piece):
            return False
        count -= piece
        if count == 0:
            return True
        position[last] = 0
        d = last - 1
        while d > 0 and position[d] + 1 == places.joined[d]:
            position[d] = 0
            d -= 1
        position[d] += 1


cdef char* index_at(Index* index, npy_intp* position, int naxes) noexcept nogil:
    """Return the address of an index array's element for a place."""
    cdef char* data = index.data
    cdef int d
    for d in range(naxes):
        data += position[d] * index.strides[d]
    return data


cdef bint add_indices(Places* places, npy_intp* position, npy_intp offset, npy_intp n,
                      npy_intp* offsets) noexcept nogil:
    """Compute the offsets of the places of a visit; return False if an index is out of bounds."""
    cdef int k, last = places.njoined - 1
    cdef npy_intp i, step
    cdef char* data
    cdef bint inside = True
    for i in range(n):
        offsets[i] = offset + i * places.walked[last]
    for k in range(places.nindices):
        data = index_at(&places.indices[k], position, last + 1)
        step = places.indices[k].strides[last]
        if places.mode == RAISE:
            inside &= _add(offsets, data, step, n, &places.indices[k])
        else:
            _add_anyway(offsets, data, step, n, &places.indices[k], places.mode == WRAP)
    return inside


cdef bint _add(npy_intp* offsets, char* data, npy_intp step, npy_intp n, Index* index) noexcept nogil:
    """Add the offsets of one index array; return False if an index is out of bounds."""
    cdef npy_intp i, value, extent = index.extent, stride = index.stride
    for i in range(n):
        value = (<npy_intp*>(data + i * step))[0]
        if value < 0:
            value += extent
        if <npy_uintp>value >= <npy_uintp>extent:
            return False
        offsets[i] += value * stride
    return True


cdef void _add_anyway(npy_intp* offsets, char* data, npy_intp step, npy_intp n, Index* index, bint wrap) noexcept nogil:
    """The same with wrapped or clipped indices."""
    cdef npy_intp i, value, extent = index.extent
    for i in range(n):
        value = (<npy_intp*>(data + i * step))[0]
        if wrap:
            value %= extent
            value += extent if value < 0 else 0
        else:
            value = min(max(value, <npy_intp>0), extent - 1)
        offsets[i] += value * index.stride


cdef struct Bounds:
    npy_intp* values
    npy_intp n, low, high
    bint exceeded


def outside(cnp.ndarray index, npy_intp low, npy_intp high):
    """Return whether a non-empty array of integers or bools has a value outside [low, high), where low <= 0 <= high."""
    cdef Bounds bounds
    cdef double work
    if cnp.PyArray_TYPE(index) != cnp.NPY_INTP or not cnp.PyArray_ISCARRAY_RO(index):  # checks the byte order, too
        return bool(index.min() < low or index.max() >= high)
    bounds.values, bounds.n = <npy_intp*>cnp.PyArray_DATA(index), cnp.PyArray_SIZE(index)
    bounds.low, bounds.high, bounds.exceeded = low, high, False
    work = bounds.n * NS_AN_INDEX
    with nogil:
        parallel_for(bounds.n, team_size(work), _look_outside, &bounds)
    step_ended(work)
    return bounds.exceeded


cdef void _look_outside(void* whole, int thread, npy_intp first, npy_intp end) noexcept nogil:
    cdef Bounds* bounds = <Bounds*>whole
    cdef npy_intp beyond = 0, low = bounds.low, last = bounds.high - 1
    cdef npy_intp i
    cdef npy_intp* values = bounds.values
    for i in range(first, end):
        beyond |= (values[i] - low) | (last - values[i])  # either one is negative (also by overflow)
    if beyond < 0:
        bounds.exceeded = True
