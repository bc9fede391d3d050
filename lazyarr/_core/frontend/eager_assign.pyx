"""Eager assignment to elements and windows, at index arrays and under masks.

For other keys, NumPy assigns to an ndarray on the same memory.
"""
from cpython.object cimport PyObject
from libc.string cimport memcpy, memmove, memset

cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.frontend.eager cimport (
    LARGE, SMALL_ELEMENTS, begins_at_once, first_of, has_values, is_enabled, is_ready, note_write, own_storage,
    same_strides, show)
from lazyarr._core.frontend.eager_key cimport (
    Places, element_offset, in_range, is_large_by, is_mask, is_mask_of, is_to_evaluate, key_for_numpy, read_places)
from lazyarr._core.frontend.eager_loop cimport copy_elements
from lazyarr._core.frontend.eager_out cimport apart, fits_into, hides
from lazyarr._core.frontend.eager_ufunc cimport broadcast_strides, read_operand
from lazyarr._core.frontend.elements cimport lz_count_contiguous, lz_find_outside, lz_put, lz_put_masked
from lazyarr._core.frontend.handle cimport force
from lazyarr._core.frontend.numpy_call cimport forget_numbers, let_go, value_for_numpy
from lazyarr._core.frontend.storage cimport has_own_array, has_own_buffer
from lazyarr._core.ir.loop_table cimport WEAK_FLOAT, WEAK_INT
from lazyarr._core.ir.node cimport MAX_DIMS
from lazyarr._core.runtime.no_evaluation cimport evaluation_forbidden

import numpy as np

cnp.import_array()

cdef enum:
    MASKED = 1 << 20            # largest array written eagerly under a mask

cdef object _float64 = np.float64


cdef bint put_number_at_once(LazyArray self, object key, object value) except -1:
    """Assign self[i] or self[i, j] = number for in-range integers; return False for any other assignment."""
    cdef PyObject* node
    cdef LazyArray base
    cdef Operand op
    cdef npy_intp i, offset
    if not begins_at_once() or not is_ready(self) or not self.writeable or self._warns_on_write:
        return False
    node = <PyObject*>self.node  # `own_storage` counts the references to it
    if type(key) is int:
        if (<Node>node).ndim != 1 or not in_range(key, (<Node>node).shape[0], &i):
            return False
        offset = i * (<Node>node).strides[0]
    elif type(key) is not tuple or not element_offset(<Node>node, <PyObject*>key, &offset):
        return False
    base = self if self.root is None else self.root
    if (type(value) is float or type(value) is _float64) and self.node.typenum == cnp.NPY_DOUBLE:
        if not (has_own_array(base) or has_own_buffer(base) or own_storage(base)):
            return False
        (<double*>(first_of(self) + offset))[0] = <double>value
    else:
        _held = read_operand(value, &op)
        if op.node is not NULL or op.code < 0 or not number_fits(value, &op, self.node.typenum) \
                or not own_storage(base):
            return False
        memcpy(first_of(self) + offset, op.data, self.node.itemsize)
    note_write(base)
    return True


cdef bint put_at_once(LazyArray self, object key, object value) except -1:
    """Assign self[key] = value for a key with arrays; return False if it joins the graph. Self is writeable."""
    if not is_enabled() or not is_ready(self) or is_large_by(self, key) and not is_mask(key):
        return False
    if is_mask(key) and not evaluation_forbidden():
        evaluate_masked_write(self, <LazyArray>key, value)
    if not own_storage(self):
        return False
    if put_elements(self, key, value):
        note_write(self)
        return True
    if self.node.size > SMALL_ELEMENTS and is_mask(key):
        return False
    return put_by_numpy(self, key, value)


cdef int evaluate_masked_write(LazyArray self, LazyArray mask, object value) except -1:
    """Evaluate what is pending of `self[mask] = value`, unless a graph writes it in one pass."""
    cdef LazyArray given = <LazyArray>value if type(value) is LazyArray else None
    if given is None or has_values(given):
        if is_to_evaluate(mask):
            force(mask)
    elif has_values(mask) and given.node.ndim > self.node.ndim - mask.node.ndim and is_to_evaluate(given):
        force(given)  # one value per selected element
    return 0


cdef bint put_elements(LazyArray self, object key, object value) except -1:
    """Write a number, or one value per index, at an index array or under a mask; return False for others."""
    cdef Operand op
    cdef Node node = self.node
    cdef Places places
    cdef npy_intp step = 0, count
    if not read_places(key, &places) or places.ndim == 0 \
            or places.size > (MASKED if places.typenum == cnp.NPY_BOOL else SMALL_ELEMENTS):
        return False
    _held = read_operand(value, &op)
    if op.node is NULL:
        if not number_fits(value, &op, node.typenum):
            return False
    else:
        if op.code != node.typenum or (<Node>op.node).ndim != 1 or shares_base(self, value):
            return False
        step = (<Node>op.node).strides[0]
    if shares_base(self, key) if type(key) is LazyArray else overlaps(self, &places):
        return False
    if places.typenum == cnp.NPY_BOOL:
        if not is_mask_of(node, &places):
            return False
        if op.node is not NULL and (<Node>op.node).shape[0] != lz_count_contiguous(places.data, places.size):
            return False
        lz_put_masked(first_of(self), places.data, node.size, op.data, step, node.itemsize)
        return True
    if node.ndim != 1 or places.ndim != 1 or places.typenum != cnp.NPY_INTP:
        return False
    count = places.size
    if op.node is not NULL and (<Node>op.node).shape[0] != count \
            or lz_find_outside(places.data, places.strides[0], count, node.shape[0]) >= 0:
        return False
    lz_put(first_of(self), node.strides[0], node.shape[0], places.data, places.strides[0], count, op.data, step,
           node.itemsize)
    return True


cdef bint overlaps(LazyArray self, Places* places) noexcept:
    """Return whether an index ndarray may share memory with an array."""
    cdef Node base = self.node if self.root is None else self.root.node
    return not places.contiguous or (places.data < base.data + base.span
                                     and base.data < places.data + places.size * places.itemsize)


cdef bint shares_base(LazyArray a, object b):
    if type(b) is not LazyArray:
        return False
    return (a if a.root is None else a.root) is (b if (<LazyArray>b).root is None else (<LazyArray>b).root)


cdef bint number_fits(object value, Operand* op, int code) except -1:
    """Convert a number to an element of this type; return False if a check or a warning is needed."""
    if op.code == code:
        return True
    if code == cnp.NPY_DOUBLE:
        if op.code == WEAK_FLOAT or op.code == WEAK_INT and -(1 << 53) < value < 1 << 53:
            (<double*>op.value)[0] = <double>value
        elif op.code == cnp.NPY_LONG:
            (<double*>op.value)[0] = <double>(<long*>op.data)[0]
        elif op.code == cnp.NPY_BOOL:
            (<double*>op.value)[0] = op.data[0]
        else:
            return False
    elif code == cnp.NPY_FLOAT and op.code == WEAK_FLOAT and -3e38 < value < 3e38:
        (<float*>op.value)[0] = <float><double>value
    elif code == cnp.NPY_LONG and op.code == WEAK_INT and -(1 << 62) < value < 1 << 62:
        (<long*>op.value)[0] = <long>value
    else:
        return False
    op.data = <char*>op.value
    return True


cdef bint write_at_once(LazyArray self, Node spec, object key, object value) except -1:
    """Assign self[key] = value, where key is the window `spec`, of a writeable array; return False for the graph."""
    cdef LazyArray base = self if self.root is None else self.root
    cdef Operand op
    cdef Node node
    cdef npy_intp strides[MAX_DIMS]
    cdef char* target
    if not is_enabled() or not is_ready(self) or spec.size > LARGE or hides(spec):
        return False
    if type(value) is LazyArray and is_window(<LazyArray>value, base, spec):
        return True  # the final assignment of `x[k] += 1`
    if not own_storage(base):
        return False
    held = read_operand(value, &op)
    target = base.node.data + spec.offset
    if op.node is NULL:
        if op.code < 0 or not number_fits(value, &op, spec.typenum):
            held = None  # NumPy needs memory without other references
            return put_by_numpy(self, key, value)
        if spec.ndim == 0:
            memcpy(target, op.data, spec.itemsize)
            note_write(base)
            return True
        memset(strides, 0, spec.ndim * sizeof(npy_intp))
    else:
        node = <Node>op.node
        if op.code != spec.typenum and not (spec.typenum == cnp.NPY_DOUBLE and (
                op.code == cnp.NPY_LONG or op.code == cnp.NPY_BOOL or op.code == cnp.NPY_FLOAT)) \
                or not fits_into(node, spec):
            held = node = None
            return put_by_numpy(self, key, value)
        _copied = apart(&op, base, spec)
        node = <Node>op.node
        broadcast_strides(&op, spec.ndim, strides)
    if op.node is not NULL and op.code == spec.typenum and spec.contiguous and node.contiguous \
            and node.size == spec.size:
        memmove(target, op.data, spec.size * spec.itemsize)
    else:
        copy_elements(spec.ndim, spec.shape, target, spec.strides, spec.typenum, op.data, strides,
                      spec.typenum if op.node is NULL else op.code)
    note_write(base)
    return True


cdef bint is_window(LazyArray x, LazyArray base, Node spec) noexcept:
    """Return whether x is exactly this window of the base."""
    return (x if x.root is None else x.root) is base and x.node.offset == spec.offset \
        and x.node.typenum == spec.typenum and same_strides(x.node, spec)


cdef bint put_by_numpy(LazyArray self, object key, object value) except -1:
    """Let NumPy assign, with its casts, checks and errors; return False if the value has to join the graph."""
    cdef list arrays = [], shown = []
    cdef bint foreign = False
    of_numpy = key_for_numpy(key, arrays, shown, &foreign)
    given = value_for_numpy(value, arrays, shown, NULL, &foreign, SMALL_ELEMENTS)
    if of_numpy is NotImplemented or given is NotImplemented:
        return False
    mine = show(self)
    arrays.append(self)
    shown.append(mine)
    note_write(self)
    try:
        mine[of_numpy] = given
    finally:
        forget_numbers([self])
    mine = given = of_numpy = None
    let_go(arrays, shown)
    return True
