/* Whether the functions that an exception passes appear in its traceback.
 *
 * Cython adds a frame for each by PyTraceBack_Here of CPython. The file of a package's native modules has this function
 * of its own instead, to which the linker binds them, and which asks `_core.host.tracebacks`. MSVC is given none of
 * this: there, functions of other libraries are called through a table. */
#pragma once

#define PyTraceBack_Here lz_declared_here
#define PyErr_NormalizeException lz_declared_here_too
#define PyException_GetTraceback lz_declared_here_as_well
#include <Python.h>
#include <frameobject.h>
#include <traceback.h>
#undef PyTraceBack_Here
#undef PyErr_NormalizeException
#undef PyException_GetTraceback

typedef int (*lz_frame_rule)(void);

/* Call the module's filter, if it is imported. The current exception is preserved. */
static lz_frame_rule lz_find_rule(void)
{
    PyObject *type, *value, *trace, *name, *module = NULL, *capsule = NULL;
    lz_frame_rule rule = NULL;
    PyErr_Fetch(&type, &value, &trace);
    name = PyUnicode_FromString("lazyarr._core.host.tracebacks");
    if (name) module = PyImport_GetModule(name);
    if (module) capsule = PyObject_GetAttrString(module, "rule");
    if (capsule) rule = (lz_frame_rule)PyCapsule_GetPointer(capsule, "rule");
    Py_XDECREF(capsule);
    Py_XDECREF(module);
    Py_XDECREF(name);
    PyErr_Restore(type, value, trace);
    return rule;
}

int PyTraceBack_Here(PyFrameObject *frame)
{
    static lz_frame_rule rule = NULL;
    PyObject *type, *value, *trace, *longer;
    if (!rule) rule = lz_find_rule();
    if (rule && rule()) return 0;
    PyErr_Fetch(&type, &value, &trace);
    longer = PyObject_CallFunction((PyObject *)&PyTraceBack_Type, "OOii", trace ? trace : Py_None, frame,
                                   PyFrame_GetLasti(frame), PyFrame_GetLineNumber(frame));
    if (longer) Py_XDECREF(trace);
    else PyErr_Clear(); /* there is no memory */
    PyErr_Restore(type, value, longer ? longer : trace);
    return 0;
}

/* A traceback of this file alone. Where native code catches an exception, Cython relies on there being one. */
static PyObject *lz_own_trace(void)
{
    PyObject *globals = PyDict_New(), *trace = NULL;
    PyCodeObject *code = PyCode_NewEmpty("lazyarr/_core/simd/tracebacks.h", "native", 1);
    PyFrameObject *frame = code && globals ? PyFrame_New(PyThreadState_Get(), code, globals, NULL) : NULL;
    if (frame) trace = PyObject_CallFunction((PyObject *)&PyTraceBack_Type, "OOii", Py_None, frame, 0, 1);
    if (!trace) PyErr_Clear(); /* there is no memory */
    Py_XDECREF(frame);
    Py_XDECREF(code);
    Py_XDECREF(globals);
    return trace;
}

/* The replacement of PyTraceBack_Here. */
#if PY_VERSION_HEX >= 0x030C0000
PyObject *PyException_GetTraceback(PyObject *error)
{
    PyObject *trace = ((PyBaseExceptionObject *)error)->traceback;
    return trace ? Py_NewRef(trace) : lz_own_trace();
}
#else
#include <dlfcn.h>
void PyErr_NormalizeException(PyObject **type, PyObject **value, PyObject **trace)
{
    static void (*normalize)(PyObject **, PyObject **, PyObject **) = NULL;
    if (!normalize) *(void **)&normalize = dlsym(RTLD_DEFAULT, "PyErr_NormalizeException");
    normalize(type, value, trace);
    if (!*trace) *trace = lz_own_trace();
}
#endif
