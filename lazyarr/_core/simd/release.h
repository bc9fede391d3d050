/* Deallocation without Cython's __dealloc__, which saves and restores the error indicator around each call: a
 * tenth of what a small expression costs. The release function must not touch the indicator, and may take and drop
 * references to the dying object. */
#ifndef LAZYARR_RELEASE_H
#define LAZYARR_RELEASE_H

#include <Python.h>

static destructor lz_plain_dealloc;
static void (*lz_release)(PyObject *);

static void lz_dealloc(PyObject *o)
{
    Py_SET_REFCNT(o, 1);
    lz_release(o);
    Py_SET_REFCNT(o, 0);
    lz_plain_dealloc(o);
}

/* Have `release` called before the members of a dying object of `type` are let go. One type a module. */
static void lz_install_release(PyObject *type, void *release)
{
    lz_release = (void (*)(PyObject *))release;
    lz_plain_dealloc = ((PyTypeObject *)type)->tp_dealloc;
    ((PyTypeObject *)type)->tp_dealloc = lz_dealloc;
}

#endif
