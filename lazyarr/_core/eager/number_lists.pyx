"""Arrays of Python's numbers: what `array` and `asarray` make of lists and tuples of floats and integers at once."""
from cpython.object cimport PyObject
from cpython.sequence cimport PySequence_Fast_GET_SIZE, PySequence_Fast_ITEMS

cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.eager.forms cimport SMALL_ELEMENTS, Node, new_base, new_leaf

import numpy as np

cdef extern from "Python.h":
    double PyFloat_AS_DOUBLE(object o) noexcept
    long PyLong_AsLongAndOverflow(object o, int* overflow) except? -1

cdef object _float64 = np.float64

cdef enum Found:
    OTHERS = -1
    INTEGERS = 1
    FLOATS = 2

cdef long MOST_EXACT = <long>1 << 53  # up to which every integer is a float64 number, too


cdef object array_of_numbers(object rows, int code):
    """An array of a list or tuple of floats and integers, or of several such rows of one length; None for other input.

    Parameters
    ----------
    rows : list or tuple
    code : int
        The type number asked for; -1 if none is.
    """
    cdef npy_intp shape[2]
    cdef npy_intp i, n = PySequence_Fast_GET_SIZE(rows)
    cdef PyObject** items = PySequence_Fast_ITEMS(rows)
    cdef int ndim = 1, found = 0
    cdef Node made
    if not 0 < n <= SMALL_ELEMENTS or not (code < 0 or code == cnp.NPY_DOUBLE or code == cnp.NPY_LONG):
        return None
    shape[0] = n
    if is_row(<object>items[0]):
        ndim = 2
        shape[1] = PySequence_Fast_GET_SIZE(<object>items[0])
        if shape[1] == 0 or n * shape[1] > SMALL_ELEMENTS:
            return None
        for i in range(n):
            if not is_row(<object>items[i]) or PySequence_Fast_GET_SIZE(<object>items[i]) != shape[1]:
                return None
            found |= kinds(PySequence_Fast_ITEMS(<object>items[i]), shape[1])
    else:
        found = kinds(items, n)
    if found < 0 or code == cnp.NPY_LONG and found != INTEGERS:
        return None
    if code < 0:
        code = cnp.NPY_LONG if found == INTEGERS else cnp.NPY_DOUBLE
    made = new_leaf(ndim, shape, code)
    if ndim == 1:
        return new_base(made) if read_row(items, n, code, made.data) else None
    for i in range(n):
        if not read_row(PySequence_Fast_ITEMS(<object>items[i]), shape[1], code, made.data + 8 * i * shape[1]):
            return None
    return new_base(made)


cdef inline bint is_row(object item):
    return type(item) is list or type(item) is tuple


cdef int kinds(PyObject** items, npy_intp n) noexcept:
    """Find which kinds of number there are among objects."""
    cdef npy_intp i
    cdef type t
    cdef int found = 0
    for i in range(n):
        t = type(<object>items[i])
        if t is float or t is _float64:
            found |= FLOATS
        elif t is int:
            found |= INTEGERS
        else:
            return OTHERS
    return found


cdef bint read_row(PyObject** items, npy_intp n, int code, char* into) except -1:
    """Write numbers to memory; False where an integer is too large."""
    cdef npy_intp i
    cdef int overflow = 0
    cdef long whole
    for i in range(n):
        if type(<object>items[i]) is not int:
            (<double*>into)[i] = PyFloat_AS_DOUBLE(<object>items[i])
            continue
        whole = PyLong_AsLongAndOverflow(<object>items[i], &overflow)
        if overflow:
            return False
        if code == cnp.NPY_LONG:
            (<long*>into)[i] = whole
        elif -MOST_EXACT < whole < MOST_EXACT:
            (<double*>into)[i] = <double>whole
        else:
            return False
    return True
