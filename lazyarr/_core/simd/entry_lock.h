/* One lock around the core where there is no GIL: the build takes it in each function that Python can call, and
 * includes this file before all others. Like the GIL it is free while a thread waits for something or computes
 * without Python, and whatever a thread calls back may call the core again.
 *
 * It is a critical section of CPython, on an object that all modules have. */
#pragma once

#include <Python.h>

#ifdef Py_GIL_DISABLED

typedef struct {
    PyCriticalSection section;
    int is_outermost;
} lz_entry;

/* CPython begins a second section on the same object by ending the first for a while, which lets other threads in.
 * Active sections lie on top of a thread's stack of them; the two lowest bits of a link are flags, as in its
 * pycore_critical_section.h. */
static inline int lz_is_inside(PyMutex *mutex)
{
    uintptr_t link = PyThreadState_GetUnchecked()->critical_section;
    while (link != 0 && !(link & 1)) {
        const PyCriticalSection *section = (const PyCriticalSection *)(link & ~(uintptr_t)3);
        if (section->_cs_mutex == mutex) return 1;
        link = section->_cs_prev;
    }
    return 0;
}

static inline void lz_enter(lz_entry *entry)
{
    entry->is_outermost = !lz_is_inside(&Py_None->ob_mutex);
    if (entry->is_outermost) PyCriticalSection_Begin(&entry->section, Py_None);
}

static inline void lz_leave(lz_entry *entry)
{
    if (entry->is_outermost) PyCriticalSection_End(&entry->section);
}

#else

typedef char lz_entry;
static inline void lz_enter(lz_entry *entry) { (void)entry; }
static inline void lz_leave(lz_entry *entry) { (void)entry; }

#endif
