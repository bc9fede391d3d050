/* Deallocation without Cython's __dealloc__, which saves and restores the error indicator around each call: a
 * tenth of what a small expression costs. The release function must not touch the indicator, and may take and drop
 * references to the dying object. If it returns 1, it has kept the object for later: `lz_revive` brings it back. */
#pragma once

#include "entry_lock.h"

static destructor lz_plain_dealloc;
static int (*lz_release)(PyObject *);

static void lz_dealloc(PyObject *o)
{
    lz_entry entry;
    lz_enter(&entry);
    Py_SET_REFCNT(o, 1);
    int kept = lz_release(o);
    Py_SET_REFCNT(o, 0);
    if (!kept) lz_plain_dealloc(o);
    lz_leave(&entry);
}

/* Whether dying objects may be recycled. Reference counts of several threads do not support that, and sanitizers would
 * miss uses after free. */
#if LAZYARR_SANITIZE || defined(Py_GIL_DISABLED)
#define LZ_KEEPS_DYING 0
#else
#define LZ_KEEPS_DYING 1
#endif

/* Revive an object that a release function has kept. */
static inline PyObject *lz_revive(PyObject *o)
{
#if defined(Py_REF_DEBUG) || defined(Py_TRACE_REFS)
    _Py_NewReference(o);
#else
    Py_SET_REFCNT(o, 1);
#endif
    return o;
}

typedef long long lz_pair __attribute__((vector_size(16), aligned(8), may_alias));

/* Zero a constant number of bytes, a multiple of 16: GCC turns memset into `rep stos`, which takes longer than the rest
 * of making an object. */
static inline void lz_zero(void *p, size_t n)
{
#pragma GCC unroll 16
    for (size_t i = 0; i < n / 16; i++) ((lz_pair *)p)[i] = (lz_pair){0, 0};
}

/* Call `release` before the members of a dying object of `type` are released. One type per module. */
static void lz_install_release(PyObject *type, void *release)
{
    lz_release = (int (*)(PyObject *))release;
    lz_plain_dealloc = ((PyTypeObject *)type)->tp_dealloc;
    ((PyTypeObject *)type)->tp_dealloc = lz_dealloc;
}
