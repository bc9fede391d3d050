/* Deallocation without Cython's __dealloc__, which saves and restores the error indicator around each call: a
 * tenth of what a small expression costs. The release function must not touch the indicator, and may take and drop
 * references to the dying object. If it returns 1, it has kept the object for later: `lz_revive` brings it back. */
#ifndef LAZYARR_RELEASE_H
#define LAZYARR_RELEASE_H

#include <Python.h>

static destructor lz_plain_dealloc;
static int (*lz_release)(PyObject *);

static void lz_dealloc(PyObject *o)
{
    Py_SET_REFCNT(o, 1);
    int kept = lz_release(o);
    Py_SET_REFCNT(o, 0);
    if (!kept) lz_plain_dealloc(o);
}

static inline PyObject *lz_revive(PyObject *o)
{
    _Py_NewReference(o);
    return o;
}

/* Have `release` called before the members of a dying object of `type` are let go. One type a module. */
static void lz_install_release(PyObject *type, void *release)
{
    lz_release = (int (*)(PyObject *))release;
    lz_plain_dealloc = ((PyTypeObject *)type)->tp_dealloc;
    ((PyTypeObject *)type)->tp_dealloc = lz_dealloc;
}

#endif
