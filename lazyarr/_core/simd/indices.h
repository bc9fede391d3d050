/* Direct access to ints and slices: the interpreter's functions take longer than the rest of making a view. */
#pragma once

#include <Python.h>

/* Read a one-digit int, as almost all indices are; return 0 for any other object. */
static inline int lz_small_int(PyObject *o, Py_ssize_t *value)
{
    if (!PyLong_CheckExact(o)) return 0;
#if PY_VERSION_HEX >= 0x030C0000
    if (!PyUnstable_Long_IsCompact((PyLongObject *)o)) return 0;
    *value = PyUnstable_Long_CompactValue((PyLongObject *)o);
#else
    if ((size_t)(Py_SIZE(o) + 1) > 2) return 0;
    *value = Py_SIZE(o) * (Py_ssize_t)((PyLongObject *)o)->ob_digit[0];
#endif
    return 1;
}

/* Read an int as an index; return 0, without an error, if it does not fit. */
static inline int lz_int(PyObject *o, Py_ssize_t *value)
{
    if (lz_small_int(o, value)) return 1;
    *value = PyLong_AsSsize_t(o);
    if (*value != -1 || !PyErr_Occurred()) return 1;
    PyErr_Clear();
    return 0;
}

/* Compute the byte offset of the element at a tuple of ints, one per axis; return 0 for any other tuple, or out of
 * range. */
static inline int lz_element(PyObject *key, int ndim, const Py_ssize_t *shape, const Py_ssize_t *strides,
                             Py_ssize_t *offset)
{
    if (PyTuple_GET_SIZE(key) != ndim) return 0;
    Py_ssize_t i, sum = 0;
    for (int d = 0; d < ndim; d++) {
        if (!lz_small_int(PyTuple_GET_ITEM(key, d), &i)) return 0;
        if (i < 0) i += shape[d];
        if (i < 0 || i >= shape[d]) return 0;
        sum += i * strides[d];
    }
    *offset = sum;
    return 1;
}

/* Read a slice of an axis: start and step; return its length, -1 with an error. */
static inline Py_ssize_t lz_slice(PyObject *key, Py_ssize_t length, Py_ssize_t *start, Py_ssize_t *step)
{
    PySliceObject *s = (PySliceObject *)key;
    Py_ssize_t stop;
    *step = 1;
    if ((s->step != Py_None && (!lz_small_int(s->step, step) || *step == 0))
            || (s->start != Py_None && !lz_small_int(s->start, start))
            || (s->stop != Py_None && !lz_small_int(s->stop, &stop))) {
        if (PySlice_Unpack(key, start, &stop, step) < 0) return -1;
        return PySlice_AdjustIndices(length, start, &stop, *step);
    }
    const Py_ssize_t first = *step < 0 ? -1 : 0, last = *step < 0 ? length - 1 : length; /* the bounds of both ends */
    if (s->start == Py_None) *start = *step < 0 ? last : first;
    else {
        if (*start < 0) *start += length;
        if (*start < first) *start = first;
        if (*start > last) *start = last;
    }
    if (s->stop == Py_None) stop = *step < 0 ? first : last;
    else {
        if (stop < 0) stop += length;
        if (stop < first) stop = first;
        if (stop > last) stop = last;
    }
    if (*step < 0) return stop < *start ? (*start - stop - 1) / -*step + 1 : 0;
    if (*step == 1) return stop > *start ? stop - *start : 0;
    return stop > *start ? (stop - *start - 1) / *step + 1 : 0;
}
