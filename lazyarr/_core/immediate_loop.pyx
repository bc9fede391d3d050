"""Loops over spaces of any number of axes, run at once."""
from numpy cimport npy_intp

from lazyarr._core.loops cimport LOOP_STEADY, MAX_ARGS, Loop, cast_loop, copy_loop
from lazyarr._core.node cimport MAX_DIMS

cdef enum:
    SHORT = 16      # elements of a line for which calling the loop takes longer than computing


cdef bint run_loop(Loop* loop, int ndim, npy_intp* shape, char** data, npy_intp** strides, int nargs,
                   bint any_order=False) except -1:
    """Run a loop over a space of any number of axes; strides[k] are those of operand k along each of them.

    Axes are walked in the order of the last operand's strides, and joined where all operands allow it. Where that
    makes the lines short, and the loop gives the same in `any_order`, it is called along the longest axis instead.
    Return whether only the argument allowed that.
    """
    cdef npy_intp extents[MAX_DIMS]
    cdef npy_intp steps[MAX_ARGS][MAX_DIMS]
    cdef npy_intp inner[MAX_ARGS]
    cdef npy_intp places[MAX_DIMS]
    cdef char* at[MAX_ARGS]
    cdef int order[MAX_DIMS]
    cdef int n = 0, d, k, j, axis
    cdef npy_intp stride
    for d in range(ndim):
        if shape[d] == 0:
            return False
        if shape[d] == 1:
            continue
        # from the innermost out: by the size of the last operand's strides, as it was laid out
        stride = strides[nargs - 1][d] if strides[nargs - 1][d] >= 0 else -strides[nargs - 1][d]
        j = n
        while j > 0 and _size(strides[nargs - 1][order[j - 1]]) >= stride:
            j -= 1
        for k in range(n, j, -1):
            order[k] = order[k - 1]
        order[j] = d
        n += 1
    # order[0] has the smallest stride, the later of equal ones first
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
        loop.fn(at, extents, inner, loop.data)
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
