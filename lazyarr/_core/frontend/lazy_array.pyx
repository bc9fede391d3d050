"""The type LazyArray: a mutable handle on immutable nodes.

It has the attributes, operators, indexing and everything that reads values. The work is done in `handle` (reading,
writing and views), `ufunc_call` (operators and ufuncs), `index` (keys) and `api` (functions for other layers). Layers
above install methods such as `sum` and `reshape`.
"""
cimport cython
from cpython.buffer cimport (
    PyBUF_ANY_CONTIGUOUS, PyBUF_READ, PyBUF_SIMPLE, PyBUF_WRITABLE, PyBUF_WRITE, PyObject_GetBuffer)

cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.frontend.array_ufunc cimport array_ufunc
from lazyarr._core.frontend.eager cimport does_wait, mark_waiting, is_enabled, is_ready, show, stop_showing
from lazyarr._core.frontend.eager_assign cimport put_at_once, put_number_at_once, write_at_once
from lazyarr._core.frontend.eager_index cimport item_at_once, number_at_once
from lazyarr._core.frontend.freelist cimport shelve
from lazyarr._core.frontend.handle cimport check_writeable, force, layout_of, lend, new_handle, value_of
from lazyarr._core.frontend.hooks cimport call_hook
from lazyarr._core.frontend.index cimport assign_window, holds_array, put_element, take_element, window
from lazyarr._core.frontend.operators cimport (
    ABSOLUTE, ADD, AND, DIVIDE, DIVMOD, FLOOR_DIVIDE, INVERT, LSHIFT, MULTIPLY, NEGATIVE, OR, POSITIVE, POWER,
    REMAINDER, REPEATED, RSHIFT, SUBTRACT, UFUNCS, XOR, compare, matmul, matmul_in_place, matmul_reflected, number_of,
    operate, power, power_in_place, reflected)
from lazyarr._core.frontend.pending_queue cimport unlink
from lazyarr._core.frontend.scalars cimport assign_to_scalar, element_of_scalar, number_class, scalar_name
from lazyarr._core.frontend.ufunc_call cimport inplace, unary
from lazyarr._core.frontend.views cimport adopt, new_view, shelve_view, transposed_view
from lazyarr._core.host.device_memory cimport DeviceMemory
from lazyarr._core.ir.history cimport history_is_kept
from lazyarr._core.ir.leaf cimport leaf_node
from lazyarr._core.ir.shape cimport shape_tuple

import math

import numpy as np

from lazyarr._core.frontend.structured import has_format

cnp.import_array()

cdef extern from "simd/fast_dealloc.h":
    const bint LZ_KEEPS_DYING
    void lz_install_release(object type, void* release)

cdef extern from "Python.h":
    int PyDict_Update(PyObject* a, object b) except -1

cdef extern from "simd/type_object.h":
    bint lz_has_weakrefs(LazyArray o) noexcept
    void lz_match_like(object type, object other)
    void lz_name_type(object type, const char* name)
    void lz_type_modified(object t)
    PyObject* lz_type_dict(object t)

cdef object _ndarray = np.ndarray


def install(mapping):
    """Add methods and properties to the LazyArray type."""
    PyDict_Update(lz_type_dict(LazyArray), dict(mapping))
    lz_type_modified(LazyArray)


@cython.no_gc
@cython.freelist(256)
cdef class LazyArray:
    """A NumPy array whose values are computed when they are needed.

    Make one with `lazyarr.array` or `lazyarr.asarray`. Shape and dtype are known at once; operators, ufuncs,
    indexing and assignment behave as NumPy's do and build a graph, which is evaluated through fused native code
    when the array is printed, converted, iterated over or serialised.

    Examples
    --------
    >>> import lazyarr as la
    >>> x = la.array([1.0, 4.0, 9.0])
    >>> y = la.sqrt(x) + 1
    >>> y
    array([2., 3., 4.])
    """

    @cython.embedsignature(False)
    def __init__(self, *args, **kwargs):
        raise TypeError("a LazyArray is made by a function such as lazyarr.array, lazyarr.asarray or lazyarr.zeros")

    # -- what is known without values --
    @property
    def shape(self):
        """Tuple of extents."""
        if self.mask is None:
            return shape_tuple(self.node)
        return shape_tuple(layout_of(self))

    @shape.setter
    def shape(self, value):
        call_hook("set_shape", (self, value))

    @shape.deleter
    def shape(self):
        raise AttributeError("Cannot delete array shape")

    @property
    def dtype(self):
        """The elements' data type."""
        return self.node.dtype

    @dtype.setter
    def dtype(self, value):
        call_hook("set_dtype", (self, value))

    @dtype.deleter
    def dtype(self):
        raise AttributeError("Cannot delete array dtype")

    @property
    def ndim(self):
        """Number of axes."""
        return self.node.ndim if self.mask is None else 1

    @property
    def size(self):
        """Number of elements."""
        return layout_of(self).size

    @property
    def itemsize(self):
        """Bytes of an element."""
        return self.node.itemsize

    @property
    def nbytes(self):
        """Bytes of all elements."""
        return layout_of(self).size * self.node.itemsize

    @property
    def strides(self):
        """Bytes from element to element along each axis."""
        cdef int d
        cdef Node node = layout_of(self)
        return tuple([node.strides[d] for d in range(node.ndim)])

    @strides.setter
    def strides(self, value):
        call_hook("set_strides", (self, value))

    @strides.deleter
    def strides(self):
        raise AttributeError("Cannot delete array strides")

    @property
    def base(self):
        """The array, or the object of others, whose memory this one is a view of; None if the memory is its own."""
        if self.root is None and self.export is not None and self.export is self.node.owner:  # memory of another object
            return self.export.handle.owner if type(self.export) is DeviceMemory else self.export.base
        return self.root

    @property
    def _root(self):
        return self.root

    @property
    def T(self):
        """The array with its axes reversed: a view."""
        if self.mask is not None:
            layout_of(self)
        return self if self.scalar else transposed_view(self)

    @property
    def __class__(self):
        # isinstance also asks this, besides the type.
        return number_class(self.node.dtype.type) if self.scalar else LazyArray

    @property
    def _scalar(self):
        return self.scalar

    @property
    def _writeable(self):
        return self.writeable

    @_writeable.setter
    def _writeable(self, bint value):
        stop_showing(self)
        self.writeable = value

    # -- access to values --
    def numpy(self):
        """Evaluate and return the value as a read-only ndarray, without a copy."""
        return value_of(self)

    def item(self, /, *args):
        """Return one element as a Python scalar."""
        found = number_at_once(self, args)
        if found is not None:
            return found
        return (show(self) if is_enabled() and is_ready(self) else value_of(self)).item(*args)

    def tolist(self, /):
        """Return nested lists of Python scalars."""
        return cnp.PyArray_ToList(show(self)) if is_enabled() and is_ready(self) else value_of(self).tolist()

    def tobytes(self, /, order="C"):
        """Return the elements' bytes."""
        return value_of(self).tobytes(order)

    def __array__(self, dtype=None, copy=None):
        if copy or self.scalar and copy is None:
            return np.array(value_of(self), dtype=dtype, copy=True)
        value = lend(self)
        if dtype is None or dtype == value.dtype:
            return value
        if copy is False:
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        return value.astype(dtype)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return array_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, func, types, args, kwargs):
        return call_hook("array_function", (func, types, args, kwargs))

    def __getbuffer__(self, Py_buffer* view, int flags):
        cdef LazyArray base = self if self.root is None else self.root
        if flags & PyBUF_WRITABLE and base.node.device:     # a device would miss the writes
            from lazyarr._core.frontend.devices import bring_to_host
            bring_to_host(self)
        value = np.array(value_of(self)) if self.scalar else lend(self)  # `np.asarray` of a scalar returns a new array
        # `numpy.frombuffer` and `numpy.ndarray` keep the array, not the buffer
        if base.export is not None and flags in (PyBUF_WRITABLE, PyBUF_WRITABLE | PyBUF_ANY_CONTIGUOUS):
            base.exposed = True
        if self.node.dtype.kind == "V" and not has_format(value):
            raise BufferError("these records have no buffer format that NumPy reads back")
        if flags == PyBUF_READ or flags == PyBUF_WRITE:  # plain requests for NumPy, mistakes for CPython
            flags = PyBUF_SIMPLE
        PyObject_GetBuffer(value, view, flags)

    def __float__(self):
        return float(number_of(self))

    def __int__(self):
        return int(number_of(self))

    def __complex__(self):
        return complex(number_of(self))

    def __bool__(self):
        return bool(number_of(self))

    def __index__(self):
        if self.scalar:
            if self.node.dtype.kind not in "iu":
                raise TypeError(f"'{scalar_name(self)}' object cannot be interpreted as an integer")
        return number_of(self).__index__()

    def __trunc__(self):
        return number_of(self).__trunc__()

    def __floor__(self):
        return math.floor(number_of(self))

    def __ceil__(self):
        return math.ceil(number_of(self))

    def __round__(self, ndigits=None):
        return round(number_of(self), ndigits)

    def __len__(self):
        if self.node.ndim and self.mask is None:
            return self.node.shape[0]
        if self.scalar:
            raise TypeError(f"object of type '{scalar_name(self)}' has no len()")
        if self.node.ndim == 0:
            raise TypeError("len() of unsized object")
        return layout_of(self).shape[0]

    def __iter__(self):
        if self.scalar:
            raise TypeError(f"'{scalar_name(self)}' object is not iterable")
        if self.node.ndim == 0:
            raise TypeError("iteration over a 0-d array")
        layout_of(self)  # resolves a selection
        if not history_is_kept():
            force(self)
        return _iterate(self)

    def __contains__(self, value):
        if self.scalar:
            raise TypeError(f"argument of type '{scalar_name(self)}' is not iterable")
        return value in value_of(self)

    def __repr__(self):
        return repr(number_of(self))

    def __str__(self):
        return str(number_of(self))

    def __format__(self, spec):
        value = value_of(self)
        return format(value[()], spec) if self.scalar or value.ndim == 0 else format(value, spec)

    def __hash__(self):
        if not self.scalar:
            raise TypeError("unhashable type: 'lazyarr.LazyArray'")
        return hash(number_of(self))

    def __reduce_ex__(self, protocol):
        shares = protocol >= 5 and not self.scalar  # the memory may be passed out-of-band with the pickle
        value = lend(self) if shares else np.array(value_of(self), order="K")
        return _rebuild, (value, self.scalar, bool(does_wait(self)))

    def __reduce__(self):
        return self.__reduce_ex__(0)

    def __copy__(self, /):
        return self.copy(order="K")

    def __deepcopy__(self, memo, /):
        if self.node.dtype.hasobject:
            import copy as stdlib_copy
            return _rebuild(stdlib_copy.deepcopy(np.array(value_of(self)), memo), False, bool(does_wait(self)))
        return self.copy(order="K")

    # -- operators --
    def __add__(self, other): return operate(ADD, self, other)
    def __radd__(self, other): return reflected(ADD, self, other)
    def __iadd__(self, other): return inplace(UFUNCS[ADD], self, other)

    def __sub__(self, other): return operate(SUBTRACT, self, other)
    def __rsub__(self, other): return reflected(SUBTRACT, self, other)
    def __isub__(self, other): return inplace(UFUNCS[SUBTRACT], self, other)

    def __mul__(self, other):
        if self.scalar and isinstance(other, REPEATED):
            return number_of(self) * other
        return operate(MULTIPLY, self, other)

    def __rmul__(self, other):
        if self.scalar and isinstance(other, REPEATED):
            return other * number_of(self)
        return reflected(MULTIPLY, self, other)

    def __imul__(self, other): return inplace(UFUNCS[MULTIPLY], self, other)

    def __truediv__(self, other): return operate(DIVIDE, self, other)
    def __rtruediv__(self, other): return reflected(DIVIDE, self, other)
    def __itruediv__(self, other): return inplace(UFUNCS[DIVIDE], self, other)

    def __floordiv__(self, other): return operate(FLOOR_DIVIDE, self, other)
    def __rfloordiv__(self, other): return reflected(FLOOR_DIVIDE, self, other)
    def __ifloordiv__(self, other): return inplace(UFUNCS[FLOOR_DIVIDE], self, other)

    def __mod__(self, other): return operate(REMAINDER, self, other)
    def __rmod__(self, other): return reflected(REMAINDER, self, other)
    def __imod__(self, other): return inplace(UFUNCS[REMAINDER], self, other)

    def __divmod__(self, other): return operate(DIVMOD, self, other)
    def __rdivmod__(self, other): return reflected(DIVMOD, self, other)

    def __pow__(self, other, modulo): return NotImplemented if modulo is not None else power(self, other)
    def __rpow__(self, other, modulo): return NotImplemented if modulo is not None else reflected(POWER, self, other)
    def __ipow__(self, other): return power_in_place(self, other)

    def __matmul__(self, other): return matmul(self, other)
    def __rmatmul__(self, other): return matmul_reflected(self, other)
    def __imatmul__(self, other): return matmul_in_place(self, other)

    def __and__(self, other): return operate(AND, self, other)
    def __rand__(self, other): return reflected(AND, self, other)
    def __iand__(self, other): return inplace(UFUNCS[AND], self, other)

    def __or__(self, other): return operate(OR, self, other)
    def __ror__(self, other): return reflected(OR, self, other)
    def __ior__(self, other): return inplace(UFUNCS[OR], self, other)

    def __xor__(self, other): return operate(XOR, self, other)
    def __rxor__(self, other): return reflected(XOR, self, other)
    def __ixor__(self, other): return inplace(UFUNCS[XOR], self, other)

    def __lshift__(self, other): return operate(LSHIFT, self, other)
    def __rlshift__(self, other): return reflected(LSHIFT, self, other)
    def __ilshift__(self, other): return inplace(UFUNCS[LSHIFT], self, other)

    def __rshift__(self, other): return operate(RSHIFT, self, other)
    def __rrshift__(self, other): return reflected(RSHIFT, self, other)
    def __irshift__(self, other): return inplace(UFUNCS[RSHIFT], self, other)

    def __neg__(self): return unary(UFUNCS[NEGATIVE], self, True)
    def __pos__(self): return unary(UFUNCS[POSITIVE], self, True)
    def __abs__(self): return unary(UFUNCS[ABSOLUTE], self, True)
    def __invert__(self): return unary(UFUNCS[INVERT], self, True)

    def __richcmp__(self, other, int op): return compare(self, other, op)

    # -- indexing --
    def __getitem__(self, key):
        cdef Node spec
        cdef bint element = False
        if self.scalar:
            return element_of_scalar(self, key)
        found = item_at_once(self, key)
        if found is not None:
            return found
        spec = window(self, key, &element)
        if spec is None:
            found = call_hook("getitem", (self, key))
            if does_wait(self):
                mark_waiting(found)
            return found
        if element:
            return take_element(self, spec)
        view = new_view(self, spec, True)
        return view.copy() if holds_array(key) else view  # as in NumPy

    def __setitem__(self, key, value):
        cdef Node spec
        cdef bint element = False
        if self.scalar:
            assign_to_scalar(self, key, value)
            return
        if put_number_at_once(self, key, value):
            return
        check_writeable(self, "assignment destination is read-only")
        spec = window(self, key, &element)
        if spec is None or self.node.typenum < 0:
            if not put_at_once(self, key, value):
                call_hook("setitem", (self, key, value))
        elif not write_at_once(self, spec, key, value) and not (element and put_element(self, spec, value)):
            assign_window(self, spec, value, element)

    def __delitem__(self, key):
        raise ValueError("cannot delete array elements")


cdef bint _release(LazyArray handle) noexcept:
    if handle.linked:
        unlink(handle)
    if handle.shown is not None:
        stop_showing(handle)
    if handle.mask is not None:
        handle.mask = None
    if handle.export is not None:
        handle.export = None
        handle.exposed = False
    if not LZ_KEEPS_DYING or type(handle) is not LazyArray or lz_has_weakrefs(handle):
        return False
    if handle.scalar:
        handle.scalar = False
    handle.prev = handle.next = NULL
    if handle.root is not None and shelve_view(handle):
        return True
    handle.node = None
    handle.writeable = handle._warns_on_write = handle._stands_alone = handle._is_cut = handle.unaligned = False
    return shelve(handle)


lz_name_type(LazyArray, b"lazyarr.LazyArray")  # its public name
lz_install_release(LazyArray, <void*>_release)
lz_match_like(LazyArray, np.ndarray)  # from NumPy 2.5 on


def _iterate(LazyArray self):
    cdef npy_intp i
    cdef bint elements = self.node.ndim == 1
    for i in range(self.node.shape[0]):
        item = self[i]
        if self.node.typenum < 0 and self.node.dtype.hasobject:
            yield item  # the object itself
            continue
        # The values exist: elements are NumPy scalars, unless derivatives need their history.
        yield number_of(item) if elements and isinstance(item, LazyArray) and not history_is_kept() else item


def _rebuild(array, scalar, waits=False):
    """Rebuild an array from a pickle, on the out-of-band memory if there is any."""
    cdef LazyArray out
    base = array
    while isinstance(base, _ndarray):
        base = base.base
    is_own = scalar or base is None or type(getattr(base, "obj", base)) is bytearray  # or part of the pickle
    out = new_handle(leaf_node(array, False), scalar) if is_own else adopt(array)
    out.node.waits = waits
    return out
