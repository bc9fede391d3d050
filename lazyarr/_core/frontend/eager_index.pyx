"""Indexing and assignment that run at once.

Elements, rows, elements at index arrays of one axis, elements under a mask of the array's shape, and windows that are
assigned to have a native form. With any other key NumPy indexes an ndarray on the same memory.
"""
from cpython.object cimport PyObject
from cpython.sequence cimport PySequence_Fast_ITEMS
from libc.string cimport memcpy, memmove

cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.frontend.eager cimport (
    LARGE, SMALL_ELEMENTS, does_wait, first_of, has_values, immediate_level, is_enabled, is_ready, new_base, new_leaf,
    note_write, own_storage, scalar_at, show, show_result, take_over)
from lazyarr._core.frontend.eager_loop cimport copy_elements
from lazyarr._core.frontend.eager_out cimport apart, fits_into, hides
from lazyarr._core.frontend.eager_ufunc cimport Operand, read_operand
from lazyarr._core.frontend.handle cimport force
from lazyarr._core.frontend.index cimport Window, plain_window, slice_window
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.frontend.numpy_call cimport let_go, value_for_numpy
from lazyarr._core.frontend.storage cimport has_own_array, has_own_buffer
from lazyarr._core.frontend.views cimport window_view
from lazyarr._core.ir.inner_loops cimport WEAK_FLOAT, WEAK_INT
from lazyarr._core.ir.node cimport MAX_DIMS, Node
from lazyarr._core.runtime.no_evaluation cimport evaluation_forbidden

import numpy as np

cdef extern from "simd/indices.h":
    bint lz_int(object o, npy_intp* value) noexcept

cdef extern from "simd/elements.h":
    npy_intp lz_take(char* out, char* data, npy_intp stride, npy_intp n, char* where, npy_intp where_step,
                     npy_intp count, npy_intp width) noexcept
    npy_intp lz_find_outside(char* where, npy_intp step, npy_intp count, npy_intp n) noexcept
    void lz_put(char* data, npy_intp stride, npy_intp n, char* where, npy_intp where_step, npy_intp count,
                char* values, npy_intp step, npy_intp width) noexcept
    npy_intp lz_count_contiguous(char* mask, npy_intp n) noexcept
    void lz_pack(char* out, char* data, char* mask, npy_intp n, npy_intp width, npy_intp found) noexcept
    void lz_put_masked(char* data, char* mask, npy_intp n, char* values, npy_intp step, npy_intp width) noexcept

cdef enum:
    TAKEN = 1 << 16             # elements at indices that are copied at once: threads share more
    MASKED = 1 << 20            # elements of an array that is written to under a mask at once, wherever the mask lies

cdef struct Places:             # integers that say which elements, or a mask
    char* data
    int typenum, ndim
    npy_intp size, itemsize
    npy_intp* shape
    npy_intp* strides
    bint contiguous

cdef object _ndarray = np.ndarray
cdef object _int64 = np.int64
cdef object _float64 = np.float64


# ---- reading -------------------------------------------------------------------------------------------


cdef object item_at_once(LazyArray self, object key):
    """self[key] of an array that is no scalar; None where it joins the graph, or is a view by slices."""
    cdef Node node = self.node
    cdef Window w
    cdef npy_intp i
    cdef bint element
    if not is_enabled() or not is_ready(self):
        return None
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
        if element_offset(node, key, &i):
            return scalar_at(node.typenum, first_of(self) + i)
        if plain_window(node, <tuple>key, &w, &element):
            return window_view(self, w.ndim, w.shape, w.strides, w.offset, True)
        if is_basic(<tuple>key):
            return None
    elif type(key) is LazyArray or type(key) is _ndarray or type(key) is list:
        made = taken(self, key)
        if made is not None:
            return made
    elif type(key) is _int64:
        return item_at_once(self, int(key))
    return read_by_numpy(self, key)


cdef object number_at_once(LazyArray self, tuple key):
    """The float, integer or bool at a place as one of Python's numbers; None for other calls."""
    cdef Node node = self.node
    cdef npy_intp offset
    cdef char* at
    if node.ndim == 0 or not is_enabled() or not is_ready(self) or not element_offset(node, key, &offset):
        return None
    at = first_of(self) + offset
    if node.typenum == cnp.NPY_DOUBLE:
        return (<double*>at)[0]
    if node.typenum == cnp.NPY_LONG:
        return (<long*>at)[0]
    return at[0] != 0 if node.typenum == cnp.NPY_BOOL else None


cdef inline bint element_offset(Node node, tuple key, npy_intp* offset) except -1:
    """Find the distance in bytes from the first element to one, for an integer each axis; False for other keys."""
    cdef PyObject** items = PySequence_Fast_ITEMS(key)
    cdef npy_intp i
    cdef int d
    if len(key) != node.ndim:
        return False
    offset[0] = 0
    for d in range(node.ndim):
        if not (type(<object>items[d]) is int or type(<object>items[d]) is _int64) \
                or not in_range(<object>items[d], node.shape[d], &i):
            return False
        offset[0] += i * node.strides[d]
    return True


cdef inline bint in_range(object index, npy_intp n, npy_intp* i) except -1:
    """Read an integer index; False where it is out of range."""
    if not lz_int(index if type(index) is int else int(index), i):
        return False
    if i[0] < 0:
        i[0] += n
    return 0 <= i[0] < n


cdef bint is_basic(tuple key):
    """Whether a key has integers, slices, `...` and None alone."""
    cdef type t
    for item in key:
        t = type(item)
        if not (t is int or t is slice or item is None or item is Ellipsis or t is _int64):
            return False
    return True


cdef bint read_places(object key, Places* p) except -1:
    """Read an index array or a mask, lazy or NumPy's own; False where elements have to be converted or made first."""
    cdef LazyArray x
    cdef cnp.ndarray a
    if type(key) is LazyArray:
        x = <LazyArray>key
        if not is_ready(x) or x.scalar:
            return False
        p.data, p.typenum, p.ndim = first_of(x), x.node.typenum, x.node.ndim
        p.size, p.itemsize = x.node.size, x.node.itemsize
        p.shape, p.strides, p.contiguous = x.node.shape, x.node.strides, x.node.contiguous
        return True
    if type(key) is not _ndarray or not cnp.PyArray_ISBEHAVED_RO(key):
        return False
    a = key
    p.data, p.typenum, p.ndim = cnp.PyArray_BYTES(a), cnp.PyArray_TYPE(a), cnp.PyArray_NDIM(a)
    p.size, p.itemsize = cnp.PyArray_SIZE(a), cnp.PyArray_ITEMSIZE(a)
    p.shape, p.strides, p.contiguous = cnp.PyArray_DIMS(a), cnp.PyArray_STRIDES(a), cnp.PyArray_IS_C_CONTIGUOUS(a)
    return True


cdef LazyArray indices_in(list key):
    """The array of a list of Python's integers; None for other lists."""
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
    """self[key] for indices of the first axis, or a mask of self's shape; None for other keys."""
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
    for d in range(1, node.ndim):  # the rest is copied whole
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


cdef bint is_mask_of(Node node, Places* places) noexcept:
    """Whether a mask has an array's shape, both in C order."""
    cdef int d
    if node.ndim != places.ndim or not node.contiguous or not places.contiguous:
        return False
    for d in range(node.ndim):
        if node.shape[d] != places.shape[d]:
            return False
    return True


cdef object key_for_numpy(object key, list arrays, list shown, bint* foreign):
    """A key with ndarrays in place of arrays; NotImplemented where an array in it is not ready."""
    cdef type t = type(key)
    if t is LazyArray and (<LazyArray>key).node.typenum < 0:
        return NotImplemented
    return value_for_numpy(key, arrays, shown, NULL, foreign, SMALL_ELEMENTS)


cdef bint is_large_by(LazyArray self, object key):
    """Whether what a key names may be large: not if its index arrays alone say how many elements there are."""
    if self.node.size <= SMALL_ELEMENTS:
        return False
    if type(key) is tuple:
        for item in <tuple>key:
            if not indexes_elements(item):
                return True
        return len(<tuple>key) != self.node.ndim
    return not indexes_elements(key) or self.node.ndim != 1


cdef bint is_mask(object key):
    return type(key) is LazyArray and (<LazyArray>key).node.typenum == cnp.NPY_BOOL


cdef bint is_mask_to_evaluate(LazyArray key) noexcept:
    """Whether a mask is pending, and writing under it takes longer in a graph, which would copy what is written to."""
    return not has_values(key) and key.mask is None and does_wait(key) <= immediate_level and key.node.size <= LARGE


cdef bint indexes_elements(object item):
    cdef type t = type(item)
    if t is LazyArray:
        return (<LazyArray>item).node.typenum != cnp.NPY_BOOL
    if t is _ndarray:
        return item.dtype.kind in "iu"
    return t is int or t is _int64


cdef object read_by_numpy(LazyArray self, object key):
    """self[key] by NumPy; None where it joins the graph."""
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


# ---- writing -------------------------------------------------------------------------------------------


cdef bint put_number_at_once(LazyArray self, object key, object value) except -1:
    """self[i] or self[i, j] = number, for integers that say which element; False for any other assignment."""
    cdef PyObject* node = <PyObject*>self.node  # to which `own_storage` counts the references
    cdef LazyArray base
    cdef Operand op
    cdef npy_intp i, offset
    if not is_enabled() or not is_ready(self) or not self.writeable or self._warns_on_write:
        return False
    if type(key) is int:
        if (<Node>node).ndim != 1 or not in_range(key, (<Node>node).shape[0], &i):
            return False
        offset = i * (<Node>node).strides[0]
    elif type(key) is not tuple or not element_offset(<Node>node, key, &offset):
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
    """self[key] = value for a key with arrays in it; False where it joins the graph. Self can be written to."""
    cdef LazyArray base = self if self.root is None else self.root
    cdef list arrays = [], shown = []
    cdef bint foreign = False
    if not is_enabled() or not is_ready(self) or is_large_by(self, key) and not is_mask(key):
        return False
    if is_mask(key) and is_mask_to_evaluate(<LazyArray>key) and not evaluation_forbidden() \
            and (type(value) is not LazyArray or has_values(<LazyArray>value)):
        force(<LazyArray>key)
    if not own_storage(base):
        return False
    if put_elements(self, key, value):
        note_write(base)
        return True
    if self.node.size > SMALL_ELEMENTS and is_mask(key):
        return False
    of_numpy = key_for_numpy(key, arrays, shown, &foreign)
    given = value_for_numpy(value, arrays, shown, NULL, &foreign, SMALL_ELEMENTS)
    if of_numpy is NotImplemented or given is NotImplemented:
        return False
    mine = show(self)
    arrays.append(self)
    shown.append(mine)
    note_write(base)
    mine[of_numpy] = given
    mine = given = of_numpy = None
    let_go(arrays, shown)
    return True


cdef bint put_elements(LazyArray self, object key, object value) except -1:
    """Write a number, or as many as there are places, at an index array or under a mask; False for other cases."""
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
    """Whether places of an ndarray's may lie in the memory of an array."""
    cdef Node base = self.node if self.root is None else self.root.node
    return not places.contiguous or (places.data < base.data + base.span
                                     and base.data < places.data + places.size * places.itemsize)


cdef bint shares_base(LazyArray a, object b):
    if type(b) is not LazyArray:
        return False
    return (a if a.root is None else a.root) is (b if (<LazyArray>b).root is None else (<LazyArray>b).root)


cdef bint number_fits(object value, Operand* op, int code) except -1:
    """A number as an element of this type, where no check and no warning is due; False elsewhere."""
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
    """self[key] = value, key naming the window `spec`; False where it joins the graph. Self can be written to."""
    cdef LazyArray base = self if self.root is None else self.root
    cdef Operand op
    cdef Node node
    cdef npy_intp zeros[MAX_DIMS]
    cdef npy_intp strides[MAX_DIMS]
    cdef npy_intp* source = zeros
    cdef char* target
    cdef int d, lead
    if not is_enabled() or not is_ready(self) or spec.size > LARGE or hides(spec):
        return False
    if type(value) is LazyArray and is_window(<LazyArray>value, base, spec):
        return True  # what Python does last in `x[k] += 1`
    if not own_storage(base):
        return False
    held = read_operand(value, &op)
    target = base.node.data + spec.offset
    if op.node is NULL:
        if op.code < 0 or not number_fits(value, &op, spec.typenum):
            held = None  # NumPy gets writeable memory if nothing else refers to it
            return put_by_numpy(self, base, key, value)
        if spec.ndim == 0:
            memcpy(target, op.data, spec.itemsize)
            note_write(base)
            return True
        for d in range(spec.ndim):
            zeros[d] = 0
    else:
        node = <Node>op.node
        if op.code != spec.typenum and not (spec.typenum == cnp.NPY_DOUBLE and (
                op.code == cnp.NPY_LONG or op.code == cnp.NPY_BOOL or op.code == cnp.NPY_FLOAT)) \
                or not fits_into(node, spec):
            held = node = None
            return put_by_numpy(self, base, key, value)
        _copied = apart(&op, base, spec)
        node = <Node>op.node
        lead = spec.ndim - node.ndim
        for d in range(spec.ndim):
            strides[d] = 0 if d < lead or node.shape[d - lead] == 1 else node.strides[d - lead]
        source = strides
    if op.node is not NULL and op.code == spec.typenum and spec.contiguous and node.contiguous \
            and node.size == spec.size:
        memmove(target, op.data, spec.size * spec.itemsize)
    else:
        copy_elements(spec.ndim, spec.shape, target, spec.strides, spec.typenum, op.data, source,
                      spec.typenum if op.node is NULL else op.code)
    note_write(base)
    return True


cdef bint is_window(LazyArray x, LazyArray base, Node spec) noexcept:
    """Whether x shows just this window of the base."""
    cdef int d
    if (x if x.root is None else x.root) is not base or x.node.offset != spec.offset or x.node.ndim != spec.ndim \
            or x.node.typenum != spec.typenum:
        return False
    for d in range(spec.ndim):
        if x.node.shape[d] != spec.shape[d] or x.node.strides[d] != spec.strides[d]:
            return False
    return True


cdef bint put_by_numpy(LazyArray self, LazyArray base, object key, object value) except -1:
    """Have NumPy assign, with its casts, checks and errors; False where the value has to join the graph."""
    cdef list arrays = [], shown = []
    cdef bint foreign = False
    of_numpy = value_for_numpy(key, arrays, shown, NULL, &foreign, SMALL_ELEMENTS)
    given = value_for_numpy(value, arrays, shown, NULL, &foreign, SMALL_ELEMENTS)
    if of_numpy is NotImplemented or given is NotImplemented:
        return False
    mine = show(self)
    note_write(base)
    mine[of_numpy] = given
    of_numpy = given = None
    let_go(arrays, shown)
    return True
