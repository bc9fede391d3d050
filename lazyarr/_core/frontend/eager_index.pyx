"""Eager indexing.

Elements, rows, index arrays of one axis and masks of the array's shape have a native form. For other keys, NumPy
indexes an ndarray on the same memory.
"""
from cpython.object cimport PyObject

cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.frontend.eager cimport (
    SMALL_ELEMENTS, begins_at_once, first_of, is_ready, new_base, new_leaf, scalar_at, show, show_result, take_over)
from lazyarr._core.frontend.eager_key cimport (
    Places, element_offset, in_range, int64, is_basic, is_large_by, is_mask_of, key_for_numpy, read_places)
from lazyarr._core.frontend.eager_loop cimport copy_elements
from lazyarr._core.frontend.elements cimport lz_count_contiguous, lz_pack, lz_take
from lazyarr._core.frontend.index cimport Window, lz_int, plain_window, slice_window
from lazyarr._core.frontend.numpy_call cimport let_go
from lazyarr._core.frontend.views cimport window_view
from lazyarr._core.ir.node cimport MAX_DIMS, Node

import numpy as np

cdef enum:
    TAKEN = 1 << 16             # most indices taken eagerly: threads parallelise more

cdef object _ndarray = np.ndarray
cdef object _float64 = np.float64


cdef object item_at_once(LazyArray self, object key):
    """Return self[key] of a non-scalar array; None if it joins the graph, or is a view by slices."""
    cdef Node node
    cdef Window w
    cdef npy_intp i
    cdef bint element
    if not begins_at_once() or not is_ready(self):
        return None
    node = self.node
    if type(key) is int:
        if node.ndim == 0 or not in_range(key, node.shape[0], &i):
            return None
        if node.ndim == 1:
            return scalar_at(node.typenum, first_of(self) + i * node.strides[0])
        return window_view(self, node.ndim - 1, node.shape + 1, node.strides + 1, node.offset + i * node.strides[0],
                           True)
    if type(key) is slice and node.ndim:
        slice_window(node, key, &w)
        return window_view(self, w.ndim, w.shape, w.strides, w.offset, True)
    if type(key) is slice or key is None or key is Ellipsis:
        return None
    if type(key) is tuple:
        if element_offset(node, <PyObject*>key, &i):
            return scalar_at(node.typenum, first_of(self) + i)
        if plain_window(node, <tuple>key, &w, &element):
            return window_view(self, w.ndim, w.shape, w.strides, w.offset, True)
        if is_basic(<tuple>key):
            return None
    elif type(key) is LazyArray or type(key) is _ndarray or type(key) is list:
        made = taken(self, key)
        if made is not None:
            return made
    elif type(key) is int64:
        return item_at_once(self, int(key))
    return read_by_numpy(self, key)


cdef object number_at_once(LazyArray self, tuple key):
    """Return a float, integer or bool element as a Python number; None for other calls."""
    cdef Node node
    cdef npy_intp offset
    cdef char* at
    if not begins_at_once() or not is_ready(self):
        return None
    node = self.node
    if node.ndim == 0 or not element_offset(node, <PyObject*>key, &offset):
        return None
    at = first_of(self) + offset
    if node.typenum == cnp.NPY_DOUBLE:
        return (<double*>at)[0]
    if node.typenum == cnp.NPY_LONG:
        return (<long*>at)[0]
    return at[0] != 0 if node.typenum == cnp.NPY_BOOL else None


cdef LazyArray indices_in(list key):
    """Return the array of a list of Python integers; None for other lists."""
    cdef npy_intp count = len(key), i
    cdef Node made
    if count == 0 or type(key[0]) is not int:
        return None
    made = new_leaf(1, &count, cnp.NPY_INTP)
    for i in range(count):
        if type(key[i]) is not int or not lz_int(key[i], <npy_intp*>made.data + i):
            return None
    return new_base(made)


cdef object taken(LazyArray self, object key):
    """Return self[key] for indices of the first axis, or a mask of self's shape; None for other keys."""
    cdef Node node = self.node, made, converted
    cdef Places places
    cdef npy_intp shape[MAX_DIMS]
    cdef npy_intp outside, count, width
    cdef int d
    if type(key) is list:
        key = indices_in(key)
    if not read_places(key, &places) or places.size > TAKEN or node.ndim == 0:
        return None
    if places.typenum == cnp.NPY_BOOL:
        if places.size > SMALL_ELEMENTS or not is_mask_of(node, &places):
            return None
        shape[0] = lz_count_contiguous(places.data, places.size)
        made = new_leaf(1, shape, node.typenum)
        lz_pack(made.data, first_of(self), places.data, places.size, node.itemsize, shape[0])
        return new_base(made)
    if places.ndim == 0 or places.ndim != 1 and not places.contiguous:
        return None
    if places.typenum != cnp.NPY_INTP:
        if not cnp.NPY_BYTE <= places.typenum < cnp.NPY_LONG:
            return None
        converted = new_leaf(places.ndim, places.shape, cnp.NPY_INTP)
        copy_elements(places.ndim, places.shape, converted.data, converted.strides, cnp.NPY_INTP, places.data,
                      places.strides, places.typenum)
        places.data, places.strides, places.itemsize = converted.data, converted.strides, converted.itemsize
    width, count = node.itemsize, 1
    for d in range(1, node.ndim):  # the other axes are copied in full
        count *= node.shape[d]
    if node.ndim > 1 and (not node.contiguous or count * places.size > TAKEN) \
            or places.ndim + node.ndim - 1 > MAX_DIMS:
        return None
    width *= count
    for d in range(places.ndim):
        shape[d] = places.shape[d]
    for d in range(1, node.ndim):
        shape[places.ndim + d - 1] = node.shape[d]
    made = new_leaf(places.ndim + node.ndim - 1, shape, node.typenum)
    outside = lz_take(made.data, first_of(self), node.strides[0], node.shape[0], places.data,
                      places.strides[0] if places.ndim == 1 else places.itemsize, places.size, width)
    return new_base(made) if outside < 0 else None


cdef object read_by_numpy(LazyArray self, object key):
    """Return self[key] by NumPy; None if it joins the graph."""
    cdef list arrays = [], shown = []
    cdef bint foreign = False
    if is_large_by(self, key):
        return None
    of_numpy = key_for_numpy(key, arrays, shown, &foreign)
    if of_numpy is NotImplemented:
        return None
    mine = show(self)
    arrays.append(self)
    shown.append(mine)
    made = mine[of_numpy]
    if type(made) is _ndarray:
        view = show_result(made, self, mine)
        made = take_over(np.array(made) if view is None and made.base is not None else made) if view is None else view
    mine = of_numpy = None
    let_go(arrays, shown)
    return made
