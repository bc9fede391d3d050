"""Eager loops over any number of axes."""
from libc.string cimport memcpy

from lazyarr._core.frontend.eager cimport new_leaf
from lazyarr._core.ir.data_loops cimport cast_loop, copy_loop
from lazyarr._core.ir.loop_table cimport LOOP_STEADY, MAX_ARGS, type_size
from lazyarr._core.ir.node cimport MAX_DIMS, new_window

cdef enum:
    SHORT = 16      # longest line on which the call takes longer than the computation


cdef bint run_loop(Loop* loop, int ndim, npy_intp* shape, char** data, npy_intp** strides, int nargs,
                   bint any_order=False) except -1:
    """Run a loop over any number of axes; strides[k] are those of operand k.

    Axes are traversed in the order of the last operand's strides, and merged where possible. If that makes short lines,
    and the loop gives the same results in `any_order`, it runs along the longest axis instead. Return whether only that
    argument permitted this.
    """
    cdef npy_intp extents[MAX_DIMS]
    cdef npy_intp steps[MAX_ARGS][MAX_DIMS]
    cdef npy_intp inner[MAX_ARGS]
    cdef npy_intp places[MAX_DIMS]
    cdef char* at[MAX_ARGS]
    cdef char* given[MAX_ARGS]
    cdef int order[MAX_DIMS]
    cdef int n = 0, d, k, j, axis
    cdef npy_intp stride
    for d in range(ndim):
        if shape[d] == 0:
            return False
        if shape[d] == 1:
            continue
        # innermost first: by stride of the last operand
        stride = strides[nargs - 1][d] if strides[nargs - 1][d] >= 0 else -strides[nargs - 1][d]
        j = n
        while j > 0 and _size(strides[nargs - 1][order[j - 1]]) >= stride:
            j -= 1
        for k in range(n, j, -1):
            order[k] = order[k - 1]
        order[j] = d
        n += 1
    # order[0] has the smallest stride, the last of equal ones
    for k in range(nargs):
        at[k] = data[k]
    if n == 0:
        extents[0] = 1
        for k in range(nargs):
            inner[k] = 0
        loop.fn(at, extents, inner, loop.data)
        return False
    axis = 0
    for j in range(n):
        d = order[j]
        if j:
            for k in range(nargs):
                if steps[k][axis] * extents[axis] != strides[k][d]:
                    break
            else:
                extents[axis] *= shape[d]
                continue
            axis += 1
        extents[axis] = shape[d]
        for k in range(nargs):
            steps[k][axis] = strides[k][d]
    n = axis + 1
    any_order = any_order and not loop.flags & LOOP_STEADY
    if extents[0] < SHORT and (any_order or loop.flags & LOOP_STEADY):
        for d in range(1, n):
            if extents[d] > extents[0]:
                extents[0], extents[d] = extents[d], extents[0]
                for k in range(nargs):
                    steps[k][0], steps[k][d] = steps[k][d], steps[k][0]
    else:
        any_order = False
    for k in range(nargs):
        inner[k] = steps[k][0]
    for d in range(1, n):
        places[d] = 0
    while True:
        for k in range(nargs):
            given[k] = at[k]  # loops may advance these
        loop.fn(given, extents, inner, loop.data)
        for d in range(1, n):
            places[d] += 1
            for k in range(nargs):
                at[k] += steps[k][d]
            if places[d] < extents[d]:
                break
            for k in range(nargs):
                at[k] -= steps[k][d] * extents[d]
            places[d] = 0
        else:
            return any_order


cdef inline npy_intp _size(npy_intp stride) noexcept:
    return stride if stride >= 0 else -stride


cdef int copy_elements(int ndim, npy_intp* shape, char* target, npy_intp* target_strides, int target_code,
                       char* source, npy_intp* source_strides, int source_code) except -1:
    """Copy elements, cast without checks; target and source do not overlap."""
    cdef Loop* loop = copy_loop(target_code) if source_code == target_code else cast_loop(source_code, target_code)
    cdef char* data[2]
    cdef npy_intp* strides[2]
    data[0], data[1] = source, target
    strides[0], strides[1] = source_strides, target_strides
    run_loop(loop, ndim, shape, data, strides, 2)
    return 0


cdef Node cast_elements(Node source, char* data, int code):
    """Return a C-ordered leaf with the elements of an array from `data` on, cast without checks."""
    cdef Node made = new_leaf(source.ndim, source.shape, code)
    copy_elements(source.ndim, source.shape, made.data, made.strides, code, data, source.strides, source.typenum)
    return made


cdef int copy_slices(Node made, npy_intp into, Node source, char* data, npy_intp first, npy_intp count,
                     int axis) except -1:
    """Copy `count` slices along an axis, from the source's slice `first`, to a leaf from slice `into` on.

    The leaf has the source's other extents and dtype; `data` is the source's first element.
    """
    cdef npy_intp shape[MAX_DIMS]
    memcpy(shape, source.shape, source.ndim * sizeof(npy_intp))
    shape[axis] = count
    copy_elements(source.ndim, shape, made.data + into * made.strides[axis], made.strides, made.typenum,
                  data + first * source.strides[axis], source.strides, source.typenum)
    return 0


cdef int copy_flat(char* to, int code, Node source, char* data) except -1:
    """Copy all elements in C order to contiguous memory, cast without checks."""
    cdef npy_intp strides[MAX_DIMS]
    cdef npy_intp step = type_size(code)
    cdef int d
    if source.contiguous and source.typenum == code:
        memcpy(to, data, source.size * source.itemsize)
        return 0
    for d in range(source.ndim - 1, -1, -1):
        strides[d] = step
        step *= source.shape[d]
    copy_elements(source.ndim, source.shape, to, strides, code, data, source.strides, source.typenum)
    return 0


cdef Node as_line(Node a):
    """Return an array flattened without a copy; None if impossible."""
    if a.ndim == 1:
        return a
    return new_window(1, &a.size, &a.itemsize, 0, a.dtype, a.typenum) if a.contiguous else None


cdef bint goes_by_rows(Node a) noexcept:
    """Return whether strides decrease, so that NumPy lays out results in C order."""
    cdef npy_intp least = 0
    cdef int d
    if a.contiguous:
        return True
    for d in range(a.ndim - 1, -1, -1):
        if a.shape[d] != 1:
            if _size(a.strides[d]) < least:
                return False
            least = _size(a.strides[d])
    return True
