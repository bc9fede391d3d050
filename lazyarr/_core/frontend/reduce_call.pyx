"""Reductions by ufuncs over axes, and the fast path of `x.sum()`, `x.sum(axis=0)` and the like."""
from libc.stdint cimport uint64_t

cimport numpy as cnp

from lazyarr._core.frontend.handle cimport new_handle, node_of
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.frontend.reduce_simplify cimport shorter_fold
from lazyarr._core.ir.builder cimport reduce_node, scan_node
from lazyarr._core.ir.data_loops cimport scan_loop, search_loop
from lazyarr._core.ir.inner_loops cimport Ufunc, exact_loop, find_ufunc, resolve
from lazyarr._core.ir.loop_table cimport NPY_HALF, Loop
from lazyarr._core.ir.node cimport MAX_DIMS, Node, set_c_strides
from lazyarr._core.ir.ufunc_traits cimport PRODUCT, SUM, TRUTH

import functools
from types import MethodType


def reduce(u, LazyArray x, axes, bint keepdims=False):
    """Reduce by a binary ufunc over axes; return None if it has no native loop for x's dtype.

    Each reduction must have at least one element.
    """
    cdef Ufunc* record = find_ufunc(u)
    cdef int codes[3]
    cdef Loop* loop
    cdef Node node = node_of(x)
    codes[0] = codes[1] = codes[2] = node.typenum
    if node.typenum < 0 or record.nin != 2 or record.nout != 1:
        return None
    loop = exact_loop(record, codes)
    if loop is NULL:
        return None
    return _folded(loop, node, _bits(axes), keepdims)


def search(LazyArray x, axes, bint keepdims, bint largest):
    """Return the argmin or argmax along one axis, or over all elements in C order; x has a native dtype.

    Each search must have at least one element.
    """
    cdef Node node = node_of(x), made
    made = reduce_node(search_loop(node.typenum, largest), node, _bits(axes), keepdims)
    set_c_strides(made)
    return new_handle(made, made.ndim == 0)


def scan(LazyArray x, axis, bint product, order=None):
    """Return cumulative sums or products along an axis; None for dtypes for which NumPy's are better.

    The result's axes lie in this order, outermost first, by default in C order. If `axis` is None, the array is
    flattened.
    """
    cdef Node node = node_of(x)
    cdef Loop* loop = scan_loop(node.typenum, product) if node.typenum >= 0 else NULL
    return new_handle(scan_node(loop, node, axis, order), False) if loop is not NULL else None


cdef uint64_t _bits(object axes):
    cdef uint64_t bits = 0
    for axis in axes:
        bits |= <uint64_t>1 << <int>axis
    return bits


cdef LazyArray _folded(Loop* loop, Node node, uint64_t axes, bint keepdims):
    cdef Node made = shorter_fold(loop, node, axes, keepdims)
    if made is None:
        made = reduce_node(loop, node, axes, keepdims)
    return new_handle(made, made.ndim == 0)


cdef int _narrowest(Ufunc* u) noexcept:
    """Return the first type that reduces to itself: sums and products of small integers are wider."""
    return cnp.NPY_LONG if u.traits & (SUM | PRODUCT) else cnp.NPY_BOOL if u.traits & TRUTH else cnp.NPY_BYTE


cdef class Reducer:
    """A reduction with a fast path for suitable dtypes; the wrapped function handles all other calls.

    Parameters
    ----------
    ufunc : numpy.ufunc
        The binary, reorderable ufunc.
    function : callable
        The reduction with all its arguments, beginning with the array and the axis; this object has its signature and
        binds like it.
    """
    cdef Ufunc* record
    cdef object function
    cdef dict __dict__

    def __init__(self, ufunc, function):
        self.record = find_ufunc(ufunc)
        self.function = function
        functools.update_wrapper(self, function)

    def __call__(self, *args, **kwargs):
        cdef Node node
        cdef Loop* loop
        cdef int codes[2]
        cdef uint64_t axes = 0
        cdef object axis = None
        cdef Py_ssize_t given = len(args)
        cdef bint keepdims = False
        if 0 < given <= 2 and type(args[0]) is LazyArray and _are_plain(kwargs, given, &keepdims):
            node = node_of(<LazyArray>args[0])
            if node.size > 0 and 0 < node.ndim < MAX_DIMS and _narrowest(self.record) <= node.typenum < NPY_HALF:
                codes[0] = codes[1] = node.typenum
                loop = resolve(self.record, codes).loop
                if loop is not NULL and loop.types[0] == loop.types[2] == node.typenum:
                    axis = args[1] if given == 2 else kwargs["axis"] if "axis" in kwargs else None
                    axes = _axes_of(axis, node.ndim)
        return _folded(loop, node, axes, keepdims) if axes else self.function(*args, **kwargs)

    def __get__(self, instance, owner):
        return self if instance is None else MethodType(self, instance)

    def __reduce__(self):
        return self.__name__


cdef bint _are_plain(dict kwargs, Py_ssize_t given, bint* keepdims):
    """Return whether the only keywords are the axis, unless it is among the `given`, and a bool keepdims."""
    for name, what in kwargs.items():
        if name == "keepdims" and type(what) is bool:
            keepdims[0] = what
        elif name != "axis" or given == 2:
            return False
    return True


cdef uint64_t _axes_of(object axis, int ndim):
    """Return the bit set of axes from None, an integer or a tuple; 0 for anything else or invalid axes."""
    cdef uint64_t axes = 0, bit
    if axis is None:
        return (<uint64_t>1 << ndim) - 1
    for one in axis if type(axis) is tuple else (axis,):
        if type(one) is not int or not -ndim <= one < ndim:
            return 0
        bit = <uint64_t>1 << <int>(one + ndim if one < 0 else one)
        if axes & bit:
            return 0
        axes |= bit
    return axes
