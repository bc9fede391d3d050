/* Uncounted references. */
#pragma once

#include <Python.h>

/* A list may have uncounted references to objects whose release functions remove them from it.
 * Where there is no GIL, one of them may be dying in a thread that waits for the lock: of what `lz_enlist` was called
 * for, `lz_take` returns a new reference, or NULL then. Weak references of CPython do likewise. */
#ifdef Py_GIL_DISABLED
static inline void lz_enlist(PyObject *o)
{
    Py_ssize_t shared = _Py_atomic_load_ssize_relaxed(&o->ob_ref_shared);
    while ((shared & _Py_REF_SHARED_FLAG_MASK) == 0
           && !_Py_atomic_compare_exchange_ssize(&o->ob_ref_shared, &shared, shared | _Py_REF_MAYBE_WEAKREF)) {
    }
}

static inline PyObject *lz_take(PyObject *o)
{
    if (_Py_IsOwnedByCurrentThread(o)) {
        if (_Py_atomic_load_uint32_relaxed(&o->ob_ref_local) == 0) return NULL;
        return Py_NewRef(o);
    }
    Py_ssize_t shared = _Py_atomic_load_ssize_relaxed(&o->ob_ref_shared);
    do {
        if (shared == 0 || shared == _Py_REF_MERGED) return NULL;
    } while (!_Py_atomic_compare_exchange_ssize(&o->ob_ref_shared, &shared, shared + (1 << _Py_REF_SHARED_SHIFT)));
    return o;
}
#else
#define lz_enlist(o) ((void)(o))
#define lz_take(o) Py_NewRef(o)
#endif
