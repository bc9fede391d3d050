"""Records as NumPy's scalars have them, of classes derived from those: `numpy.void` keeps no class but its own."""
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


def record_on(type cls, cnp.ndarray memory):
    """A scalar of a class derived from `numpy.void`, on the memory of an array without axes."""
    if not issubclass(cls, np.void) or memory.ndim or memory.dtype.names is None:
        raise TypeError("a record is made of an array of records without axes, of a class derived from numpy.void")
    record = lz_new_record(<PyTypeObject*>cls, memory.dtype)
    cdef PyVoidScalarObject* fields = <PyVoidScalarObject*><PyObject*>record
    fields.obval = <char*>cnp.PyArray_DATA(memory)
    fields.flags = cnp.PyArray_FLAGS(memory) & ~cnp.NPY_ARRAY_OWNDATA
    Py_INCREF(memory)
    fields.base = <PyObject*>memory
    return record
