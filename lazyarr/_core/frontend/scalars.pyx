"""Scalar-like handles: 0-d results that behave as NumPy scalars."""
from cpython.object cimport PyObject

cimport numpy as cnp

from lazyarr._core.frontend.handle cimport new_handle
from lazyarr._core.frontend.operands cimport is_array
from lazyarr._core.frontend.pending_queue cimport link, unlink
from lazyarr._core.ir.node cimport is_evaluated

import numbers

cdef extern from *:
    """
    static PyObject *lz_get(PyObject *descriptor, PyObject *x, PyObject *owner)
    {
        return Py_TYPE(descriptor)->tp_descr_get(descriptor, x, owner);
    }
    """
    object lz_get(object descriptor, PyObject* x, PyObject* owner)


cdef str scalar_name(LazyArray self):
    return f"numpy.{self.node.dtype.type.__name__}"


cdef bint are_scalars(LazyArray self, object other):
    """Return whether NumPy has scalars on both sides, which have no `@`; it does not convert other objects."""
    return self.scalar and not is_array(other)


cdef object element_of_scalar(LazyArray self, object key):
    """Return scalar[key]: that of a 0-d array with this value, which owns its memory."""
    if type(key) is tuple and len(key) == 0:
        return self
    try:
        return new_handle(self.node, False)[key]
    except IndexError:
        raise IndexError("invalid index to scalar variable.") from None


cdef int assign_to_scalar(LazyArray self, object key, object value) except -1:
    """Refuse assignment like NumPy scalars, except to array-API libraries, which assign under lazy conditions."""
    cdef LazyArray array
    if type(key) is not LazyArray or (<LazyArray>key).node.ndim or (<LazyArray>key).node.typenum != cnp.NPY_BOOL:
        raise TypeError(f"'{scalar_name(self)}' object does not support item assignment")
    array = new_handle(self.node, False)
    array[key] = value
    unlink(self)
    self.node = array.node
    if not is_evaluated(self.node):
        link(self)
    return 0


cdef class OfArrays:
    """A method or property that NumPy's arrays have and its scalars lack."""
    cdef str name
    cdef object attribute

    def __init__(self, str name, attribute):
        self.name, self.attribute = name, attribute

    def __get__(self, x, owner):
        if x is not None and (<LazyArray>x).scalar:
            raise AttributeError(f"{scalar_name(x)!r} object has no attribute {self.name!r}")
        return lz_get(self.attribute, NULL if x is None else <PyObject*>x, <PyObject*>owner)


cdef dict _number_classes = {}


cdef object number_class(type scalar):
    """Return the class that isinstance sees for a lazy scalar: a Python number type if NumPy's scalar is one.

    It does not count as a NumPy scalar: libraries would read the value stored in it.
    """
    found = _number_classes.get(scalar)
    if found is None:
        found = LazyArray
        for number in (numbers.Integral, numbers.Real, numbers.Complex):
            if issubclass(scalar, number):
                bases = tuple([base for base in (float, complex) if issubclass(scalar, base)])
                # Printers look up representations along __class__, and have their own for floats.
                found = number.register(type(scalar.__name__, bases, {} if bases else {"__repr__": LazyArray.__repr__}))
                break
        _number_classes[scalar] = found
    return found
