"""Records: scalars of `numpy.void` subclasses, and buffer formats."""
from cpython.object cimport PyObject, PyTypeObject
from cpython.ref cimport Py_INCREF

cimport numpy as cnp

import numpy as np

cdef extern from "numpy/arrayscalars.h":
    ctypedef struct PyVoidScalarObject:
        char* obval
        int flags
        PyObject* base

cdef extern from *:
    """
    static PyObject *lz_new_record(PyTypeObject *type, PyObject *dtype)
    {
        PyObject *made = type->tp_alloc(type, 0);
        if (made != NULL) {
            Py_INCREF(dtype);
            ((PyVoidScalarObject *)made)->descr = (void *)dtype;
        }
        return made;
    }
    """
    object lz_new_record(PyTypeObject* type, object dtype)


cnp.import_array()


def has_format(cnp.ndarray array):
    """Return whether NumPy can read back the buffer format that it writes, which fails for some layouts."""
    try:
        return np.asarray(memoryview(array)).dtype == array.dtype
    except (BufferError, RuntimeError, TypeError, ValueError):
        return False


def record_on(type cls, cnp.ndarray memory):
    """Return a scalar of a `numpy.void` subclass on the memory of a 0-d array."""
    if not issubclass(cls, np.void) or memory.ndim or memory.dtype.names is None:
        raise TypeError("a record is made of an array of records without axes, of a class derived from numpy.void")
    record = lz_new_record(<PyTypeObject*>cls, memory.dtype)
    cdef PyVoidScalarObject* fields = <PyVoidScalarObject*><PyObject*>record
    fields.obval = <char*>cnp.PyArray_DATA(memory)
    fields.flags = cnp.PyArray_FLAGS(memory) & ~cnp.NPY_ARRAY_OWNDATA
    Py_INCREF(memory)
    fields.base = <PyObject*>memory
    return record
