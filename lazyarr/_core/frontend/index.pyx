"""Basic indexing.

A key of integers, slices, `...` and `None` is a window: shape, strides and offset on the base's storage. Reading it
makes a view, or a value for one element; writing it casts and broadcasts the value and writes through the view. Single
elements of evaluated arrays are read and written at once. Keys with arrays go to the "getitem" and "setitem" hooks.
"""
from cpython.bool cimport PyBool_Check
from cpython.number cimport PyIndex_Check, PyNumber_Index
from cpython.object cimport PyObject
from cpython.ref cimport _Py_REFCNT as Py_REFCNT
from cpython.sequence cimport PySequence_Fast_ITEMS
from libc.string cimport memcpy

cimport numpy as cnp

from lazyarr._core.frontend.const_fold cimport constant_cast
from lazyarr._core.frontend.eager cimport is_enabled, is_ready, same_strides, scalar_at
from lazyarr._core.frontend.eager_out cimport fits_into
from lazyarr._core.frontend.handle cimport (
    check_writeable, dummy, force, layout_of, new_handle, node_of, value_of, write)
from lazyarr._core.frontend.hooks cimport call_hook
from lazyarr._core.frontend.operands cimport asarray_of_others, asarray_operand, can_cast, contains_lazy, operand_node
from lazyarr._core.frontend.views cimport new_view
from lazyarr._core.host.allocator cimport Buffer
from lazyarr._core.ir.builder cimport broadcast_node, cast_node, drop_axes, view_node
from lazyarr._core.ir.history cimport history_is_kept
from lazyarr._core.ir.leaf cimport leaf_node, operand_code, scalar_from_memory, strong_scalar, weak_node
from lazyarr._core.ir.ndarrays cimport as_ndarray
from lazyarr._core.ir.node cimport LEAF, is_evaluated, is_on_host, new_window, renew
from lazyarr._core.ir.provenance cimport note_source
from lazyarr._core.ir.shape cimport shape_tuple

import numpy as np

_ndarray = np.ndarray
_generic = np.generic


cdef Node window(LazyArray self, object key, bint* element):
    """Return the window of a basic key, None for an advanced one. `element`: set if all axes have integers."""
    cdef Node source = layout_of(self)
    cdef Window w
    cdef tuple keys
    cdef list plain
    if key is Ellipsis:
        return new_window(source.ndim, source.shape, source.strides, source.offset, source.dtype, source.typenum)
    if type(key) is slice and source.ndim > 0:
        slice_window(source, key, &w)
        return node_of_window(source, &w)
    if type(key) is tuple:
        keys = <tuple>key
    elif type(key) is int or key is None or type(key) is slice or basic_integer(key):
        keys = (key,)
    else:
        return None
    if plain_window(source, keys, &w, element):
        return node_of_window(source, &w)
    plain = []
    for item in keys:
        if not (item is None or item is Ellipsis or type(item) is slice or type(item) is int):
            if not basic_integer(item):
                return None
            item = PyNumber_Index(item)
        plain.append(item)
    if not plain_window(source, tuple(plain), &w, element):
        dummy(self)[tuple(plain)]  # raises NumPy's IndexError
        raise IndexError("too many indices for array")
    return node_of_window(source, &w)


cdef bint plain_window(Node source, tuple key, Window* w, bint* element) except -1:
    """Compute the window of slices, `...`, None and integers in range; return False for any other key."""
    cdef PyObject** items = PySequence_Fast_ITEMS(key)
    cdef npy_intp i
    cdef Py_ssize_t k, n = len(key)
    cdef int axis = 0, end
    cdef bint integers = True, filled = False
    w.ndim = 0
    w.offset = source.offset
    for k in range(n):
        if type(<object>items[k]) is int:
            if axis == source.ndim or not lz_int(<object>items[k], &i):
                return False
            if i < 0:
                i += source.shape[axis]
            if not 0 <= i < source.shape[axis]:
                return False
            w.offset += i * source.strides[axis]
            axis += 1
            continue
        integers = False
        if items[k] is <PyObject*>Ellipsis:
            end = source.ndim - axes_indexed(items + k + 1, n - k - 1)
            if filled or w.ndim + end - axis > MAX_DIMS:
                return False
            filled = True
            while axis < end:
                add_axis(w, source.shape[axis], source.strides[axis])
                axis += 1
        elif w.ndim == MAX_DIMS:
            return False
        elif items[k] is <PyObject*>None:
            add_axis(w, 1, 0)
        elif type(<object>items[k]) is slice and axis < source.ndim:
            add_slice(w, source, axis, <object>items[k])
            axis += 1
        else:
            return False
    if w.ndim + source.ndim - axis > MAX_DIMS:
        return False
    element[0] = integers and n == source.ndim
    add_rest(w, source, axis)
    return True


cdef int axes_indexed(PyObject** items, Py_ssize_t n) noexcept:
    """Return how many axes the entries of a basic key index."""
    cdef int count = 0
    cdef Py_ssize_t k
    for k in range(n):
        count += items[k] is not <PyObject*>None and items[k] is not <PyObject*>Ellipsis
    return count


cdef inline Node node_of_window(Node source, Window* w):
    return new_window(w.ndim, w.shape, w.strides, w.offset, source.dtype, source.typenum)


cdef bint basic_integer(object item):
    """Return whether an index entry counts as an integer: it has __index__ and is no bool or array with axes."""
    cdef Node node
    if PyBool_Check(item) or not PyIndex_Check(item):
        return False
    if isinstance(item, LazyArray):
        # the hook reads a pending one lazily
        node = node_of(<LazyArray>item)
        return node.ndim == 0 and node.dtype.kind in "iu" and is_evaluated(node)
    if isinstance(item, _ndarray):
        return item.ndim == 0 and item.dtype.kind in "iu"
    return not isinstance(item, np.bool_)


cdef bint holds_array(object key) except -1:
    """Return whether a basic key has a 0-d array as an integer, which makes the result a copy."""
    if type(key) is tuple:
        for item in <tuple>key:
            if holds_array(item):
                return True
        return False
    return isinstance(key, _ndarray) or isinstance(key, LazyArray) and not (<LazyArray>key).scalar


cdef object take_element(LazyArray self, Node spec):
    """Return the element x[i, j], a value and no view; read at once if the storage is evaluated."""
    cdef LazyArray base = self if self.root is None else self.root
    cdef Node node = node_of(base)
    if spec.typenum < 0:
        if spec.dtype.type is np.void and spec.dtype.names is not None:
            return call_hook("row", (new_view(self, spec, True), self))
        force(base)
        return as_ndarray(view_node(base.node, spec))[()]
    if is_enabled() and is_ready(self):
        return scalar_at(spec.typenum, node.data + spec.offset)
    if is_on_host(node) and not history_is_kept():
        number = scalar_from_memory(spec, node.data + spec.offset)
        note_source(number, node)
        return new_handle(number, True)
    node = cast_node(view_node(node, spec), spec.typenum, None)
    return new_handle(node, True)


cdef bint put_element(LazyArray self, Node spec, object value) except -1:
    """Assign x[i, j] = value at once if the storage is private; return whether it was."""
    cdef LazyArray base = self if self.root is None else self.root
    cdef Node node = base.node, source
    cdef int code
    if node.kind != LEAF or Py_REFCNT(<PyObject*>node) > 2 or history_is_kept() or node.origin is not None:
        return False
    if type(node.owner) is not Buffer or Py_REFCNT(<PyObject*>node.owner) > 1:
        return False
    if isinstance(value, _generic):  # NumPy checks scalars
        return False
    code = operand_code(value)
    if code >= 0:
        source = weak_node(value, spec.typenum)
    elif type(value) is LazyArray and (<LazyArray>value).root is None and is_evaluated((<LazyArray>value).node) \
            and (<LazyArray>value).node.ndim == 0 and (<LazyArray>value).node.typenum >= 0:
        source = (<LazyArray>value).node
        if source.typenum != spec.typenum:
            source = constant_cast(source, spec.typenum) if can_cast(source.typenum, spec.typenum) else None
            if source is None:
                return False
    else:
        return False
    memcpy(node.data + spec.offset, source.data + source.offset, spec.itemsize)
    node.number = 0
    if source.nsources:
        renew(node)
        note_source(node, source)
    return True


cdef int assign_window(LazyArray self, Node spec, object value, bint element) except -1:
    """Assign self[window] = value: cast without checks, broadcast, write."""
    cdef LazyArray target
    cdef Node node
    cdef int code
    if self.root is None and spec.ndim == self.node.ndim and same_layout_as_window(spec, self.node):
        target = self
    else:
        target = new_view(self, spec, True)
    if type(value) is LazyArray and shows_same(<LazyArray>value, target):
        return 0  # the final assignment of `x[k] += 1`
    check_writeable(self, "assignment destination is read-only")
    code = operand_code(value)
    if isinstance(value, _generic):
        number = np.empty(1, spec.dtype)
        number[0] = value  # with NumPy's checks
        node = strong_scalar(number[0])
    elif code >= 0:
        node = weak_node(value, spec.typenum)
    else:
        if not isinstance(value, LazyArray) and not isinstance(value, _ndarray):
            if isinstance(value, (list, tuple)) and spec.ndim == 0:
                np.empty(1, spec.dtype)[0 if element else (0, Ellipsis)] = value  # raises NumPy's error
            value = asarray_of_others(value, None if isinstance(value, (_generic, bool)) else spec.dtype) \
                if not contains_lazy(value) else call_hook("gather", (value,))
        if element and isinstance(value, _ndarray) and type(value) is not _ndarray:
            number = np.empty(1, spec.dtype)
            number[0] = value  # converts an object, such as a masked element, to a number
            value = number[0]
        node = operand_node(value)
        if node is None:
            node = leaf_node(np.asarray(value).astype(spec.dtype), True)
        if element and (node.ndim > 0 or spec.typenum < cnp.NPY_FLOAT and node.typenum >= cnp.NPY_FLOAT):
            # NumPy's errors and warnings for arrays, or NaN, in place of a number
            number = np.empty(1, spec.dtype)
            number[0] = value_of(asarray_operand(value))
            node = strong_scalar(number[0])
    return store(target, node)


cdef bint same_layout_as_window(Node spec, Node node) noexcept:
    cdef int d
    if spec.offset != node.offset:
        return False
    for d in range(node.ndim):
        if spec.shape[d] != node.shape[d] or spec.strides[d] != node.strides[d] and spec.shape[d] != 1:
            return False
    return True


cdef bint shows_same(LazyArray a, LazyArray b) noexcept:
    """Return whether two handles are views of the same elements of the same storage."""
    return a is b or a.root is not None and a.root is b.root and a.node.offset == b.node.offset \
        and a.node.typenum == b.node.typenum and same_strides(a.node, b.node)


cdef int check_complex(Node node, Node spec) except -1:
    """Issue NumPy's warning if a cast discards the imaginary part."""
    cdef bint to_complex = cnp.NPY_CFLOAT <= spec.typenum <= cnp.NPY_CLONGDOUBLE
    if cnp.NPY_CFLOAT <= node.typenum <= cnp.NPY_CLONGDOUBLE and not to_complex and spec.typenum != cnp.NPY_BOOL:
        import warnings
        warnings.warn("Casting complex values to real discards the imaginary part", np.exceptions.ComplexWarning,
                      stacklevel=2)
    return 0


cdef int store(LazyArray target, Node node) except -1:
    """Broadcast and cast a node to the target and write it; leading axes of length 1 may be dropped."""
    cdef int lead = node.ndim - target.node.ndim, _d
    for _d in range(lead):
        if node.shape[0] != 1:
            break
        node = drop_axes(node, 1)
    if not fits_into(node, target.node):
        raise ValueError(
            f"could not broadcast input array from shape {shape_text(node)} into shape {shape_text(target.node)}")
    if target.node.size == 0:
        return 0
    check_complex(node, target.node)
    node = broadcast_node(node, target.node.ndim, target.node.shape)
    if node.typenum != target.node.typenum:
        node = cast_node(node, target.node.typenum, target.node if target.root is None else None)
        return write(target, node, True)
    return write(target, node, False)


cdef str shape_text(Node node):
    """Format a shape as NumPy's errors do: no blanks."""
    return str(shape_tuple(node)).replace(" ", "")
