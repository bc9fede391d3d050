/* Changes of a type object that Python code cannot make. */
#pragma once

#include <Python.h>

#define lz_has_weakrefs(o) (*(PyObject **)((char *)(o) + Py_TYPE(o)->tp_weaklistoffset) != NULL)
#define lz_type_dict(t) (((PyTypeObject *)(t))->tp_dict)
static inline void lz_type_modified(PyObject *t) { PyType_Modified((PyTypeObject *)t); }

/* Let `match` treat instances of a type as sequences if those of another type are. */
static inline void lz_match_like(PyObject *type, PyObject *other)
{
    ((PyTypeObject *)type)->tp_flags |= ((PyTypeObject *)other)->tp_flags & Py_TPFLAGS_SEQUENCE;
    PyType_Modified((PyTypeObject *)type);
}

static inline void lz_name_type(PyObject *type, const char *name) { ((PyTypeObject *)type)->tp_name = name; }
