"""Operands: anything that NumPy accepts as an array, as a LazyArray or a node."""
from lazyarr._core.frontend.handle cimport new_handle, node_of
from lazyarr._core.frontend.hooks cimport call_hook
from lazyarr._core.ir.leaf cimport code_of, leaf_node, strong_node

import numpy as np

from lazyarr._core.ir.loop_table import dtype_of

cdef object _ndarray = np.ndarray
cdef object _generic = np.generic
cdef object _memmap = np.memmap


cpdef LazyArray asarray_operand(obj):
    """Return any operand as a LazyArray; a writeable ndarray is copied, a read-only one shared."""
    if isinstance(obj, LazyArray):
        return <LazyArray>obj
    if isinstance(obj, _ndarray):
        return new_handle(leaf_node(np.asarray(obj), False), False)
    if contains_lazy(obj):
        return call_hook("gather", (obj,))
    try:
        array = np.asarray(obj)
    except ValueError:
        given = array_given_by(obj)
        if given is None:
            raise
        return given
    return new_handle(leaf_node(array, True), array.ndim == 0)


cdef bint contains_lazy(object value):
    """Return whether nested lists and tuples contain a LazyArray."""
    if isinstance(value, (list, tuple)):
        for item in value:
            if isinstance(item, LazyArray) or contains_lazy(item):
                return True
    return False


cpdef array_given_by(obj):
    """Return the LazyArray from an object's `__array__`, where NumPy wants an ndarray; None if there is none."""
    cdef type t = type(obj)
    if isinstance(obj, (_generic, _ndarray)) or not hasattr(t, "__array__"):
        return None
    given = t.__array__(obj)
    return given if isinstance(given, LazyArray) else None


cpdef with_arrays(obj):
    """Return obj with LazyArrays for objects whose `__array__` returns one, including in lists and tuples."""
    if type(obj) is list or type(obj) is tuple:
        made = [with_arrays(item) for item in obj]
        changed = any([new is not old for new, old in zip(made, obj)])
        return obj if not changed else made if type(obj) is list else tuple(made)
    given = array_given_by(obj)
    return obj if given is None else given


cpdef asarray_of_others(obj, dtype=None):
    """Call `numpy.asarray` on an object without LazyArrays, whose `__array__` may return one."""
    try:
        return np.asarray(obj, dtype)
    except ValueError:
        given = with_arrays(obj)
        if given is obj:
            raise
    return np.asarray(call_hook("gather", (given,)).numpy(), dtype)


cdef Node operand_node(object obj):
    """Return the node of a non-weak operand; None for a non-native dtype or an object that implements ufuncs."""
    cdef Node node
    cdef type t = type(obj)
    if t is LazyArray:
        node = node_of(<LazyArray>obj)
    elif t is bool or isinstance(obj, _generic):
        array = np.asarray(obj)
        return strong_node(array) if code_of(array.dtype) >= 0 else None
    elif t is not _ndarray and t is not _memmap and hasattr(t, "__array_ufunc__"):
        return None  # a Series, a DataArray, a masked array: its own dispatch decides
    else:
        node = node_of(asarray_operand(obj))
    if node.typenum < 0:
        return None
    return node


cdef bint is_array(object x):
    """Return whether an operand is an array (0-d ones included) and not a scalar."""
    return not (<LazyArray>x).scalar if type(x) is LazyArray else isinstance(x, _ndarray)


cdef signed char _castable[24][24]


cdef bint can_cast(int source, int target) except -1:
    """Return the cached np.can_cast(..., "same_kind")."""
    if _castable[source][target] == 0:
        _castable[source][target] = 1 if np.can_cast(dtype_of(source), dtype_of(target), "same_kind") else 2
    return _castable[source][target] == 1
