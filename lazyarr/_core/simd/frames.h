/* Locations of Python code: frames, their code objects and instructions. */
#pragma once

#include <Python.h>
#include <frameobject.h>

static inline PyObject *lz_frame(void) { return (PyObject *)PyEval_GetFrame(); }
static inline int lz_line(PyObject *code, int offset) { return PyCode_Addr2Line((PyCodeObject *)code, offset); }
static inline PyObject *lz_frame_code(PyObject *f) { return (PyObject *)PyFrame_GetCode((PyFrameObject *)f); }
static inline int lz_frame_lasti(PyObject *f) { return PyFrame_GetLasti((PyFrameObject *)f); }
static inline PyObject *lz_frame_back(PyObject *f) { return (PyObject *)PyFrame_GetBack((PyFrameObject *)f); }
