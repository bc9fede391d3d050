"""Reductions that need not visit all elements, found by extents and strides when they are built.

Along a broadcast axis all elements are equal, so minimum, maximum, any and all need one of them (any and all need two,
as bytes of bools may be neither 0 nor 1). Integer sums are products modulo a power of two; float sums round at each
addition, and are products only under `config.fast_math`.

If each reduced axis has one element, the reduction is a copy, which fuses with its readers. Sums and products of floats
are not: NumPy starts them with an initial value, and quiets signalling NaNs.
"""
from cpython.object cimport PyObject

cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.ir.builder cimport cast_node, map_node, reduce_node, window_of
from lazyarr._core.ir.const_guards cimport fast_math
from lazyarr._core.ir.inner_loops cimport Ufunc, find_ufunc, resolve
from lazyarr._core.ir.leaf cimport weak_node
from lazyarr._core.ir.node cimport CAST_OPERAND, MAP, MAX_DIMS, VIEW, is_evaluated, new_window
from lazyarr._core.ir.ufunc_traits cimport IDEMPOTENT, PRODUCT, SKIPS_NAN, SUM

import numpy as np


cdef Ufunc* _multiply = find_ufunc(np.multiply)


cdef Node shorter_fold(Loop* loop, Node node, uint64_t axes, bint keepdims):
    """Return a reduction with fewer or no elements; None if all elements count."""
    cdef npy_intp times = 1, folded = 1
    cdef Node seen, made
    cdef bint whole = cnp.NPY_BOOL < loop.types[0] <= cnp.NPY_ULONGLONG, is_bool = loop.types[0] == cnp.NPY_BOOL
    cdef bint is_choice, is_sum, one_is_left
    cdef int d
    seen = <Node>node.inputs[0] if node.kind == MAP and node.attr & CAST_OPERAND else node
    for d in range(node.ndim):
        if axes >> d & 1:
            folded *= node.shape[d]
            if seen.kind == VIEW and seen.strides[d] == 0:
                times *= node.shape[d]
    if times == 1 and folded > 1:
        return None
    # NaN-skipping ones quiet signalling NaNs
    is_choice = loop.traits & IDEMPOTENT != 0 and not loop.traits & SKIPS_NAN
    is_sum = loop.traits & SUM and not is_bool
    if times > 1:
        if not is_choice and not (is_sum and (whole or fast_math())):
            return None
        node = _seldom(node, seen, axes, 1 + is_bool)
    one_is_left = folded == times and not is_bool and (is_choice or whole and loop.traits & (SUM | PRODUCT))
    if times == 1 and not one_is_left:
        return None
    made = reduce_node(loop, node, axes, keepdims)
    if one_is_left and (keepdims or node.kind == VIEW or is_evaluated(node)):
        made = cast_node(_without(node, 0 if keepdims else axes), node.typenum, made)
    return _multiple(made, times) if times > 1 and is_sum else made


cdef Node _seldom(Node node, Node seen, uint64_t axes, int often):
    """Return a view, or a cast of one, with `often` copies of each element along these broadcast axes."""
    cdef npy_intp shape[MAX_DIMS]
    cdef Node view, made
    cdef int d
    for d in range(seen.ndim):
        shape[d] = min(seen.shape[d], <npy_intp>often) if axes >> d & 1 and seen.strides[d] == 0 else seen.shape[d]
    view = window_of(seen, new_window(seen.ndim, shape, seen.strides, seen.offset, seen.dtype, seen.typenum))
    if node is seen:
        return view
    made = cast_node(view, node.typenum, None)
    made.attr, made.payload = node.attr, node.payload
    return made


cdef Node _without(Node node, uint64_t axes):
    """Return a node without these axes of length 1."""
    cdef npy_intp shape[MAX_DIMS]
    cdef npy_intp strides[MAX_DIMS]
    cdef int d, k = 0
    if not axes:
        return node
    for d in range(node.ndim):
        if not axes >> d & 1:
            shape[k], strides[k] = node.shape[d], node.strides[d]
            k += 1
    return window_of(node, new_window(k, shape, strides, node.offset, node.dtype, node.typenum))


cdef Node _multiple(Node node, npy_intp times):
    """Return a node times a number; for integers, modulo a power of two."""
    cdef int codes[2]
    cdef PyObject* inputs[2]
    cdef Loop* loop
    cdef Node factor
    codes[0] = codes[1] = node.typenum
    loop = resolve(_multiply, codes).loop
    factor = weak_node(np.array(times).astype(node.dtype).item(), node.typenum)
    inputs[0], inputs[1] = <PyObject*>node, <PyObject*>factor
    return map_node(loop, 2, inputs, None)
