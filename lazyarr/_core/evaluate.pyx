"""`lazyarr.evaluate`: a function written in C's calling convention, so that a call of it is the cheapest that there is.

Programs call it in their innermost loops, most of the time on arrays that have their values.
"""
from cpython.object cimport PyObject

from lazyarr._core.array cimport LazyArray
from lazyarr._core.entry cimport lz_enter, lz_entry, lz_leave
from lazyarr._core.handles cimport evaluate_list, layout_of
from lazyarr._core.immediate cimport is_enabled
from lazyarr._core.node cimport LEAF, SCALAR, Node, is_evaluated

cdef extern from *:
    """
    static PyMethodDef lz_evaluate = {"evaluate", NULL, METH_FASTCALL, NULL};
    static PyObject *lz_function_of(PyMethodDef *method, void *function, const char *doc, PyObject *module)
    {
        method->ml_meth = (PyCFunction)function;
        method->ml_doc = doc;
        return PyCFunction_NewEx(method, NULL, module);
    }
    """
    struct PyMethodDef:
        pass
    PyMethodDef lz_evaluate
    object lz_function_of(PyMethodDef* method, void* function, const char* doc, object module)

cdef bytes _doc = b"""evaluate(*arrays)
--

Compute the values of several arrays in one plan.

Looking at values evaluates an array anyway; together, arrays share what they have in common and the passes over their
inputs.

Parameters
----------
*arrays : LazyArray

Raises
------
TypeError
    For anything but LazyArrays.

Examples
--------
>>> import lazyarr as la
>>> x = la.array([1.0, 2.0, 3.0])
>>> low, high = x.min(), x.max()
>>> la.evaluate(low, high)
>>> float(high - low)
2.0
"""


ctypedef PyObject* (*Raw)(PyObject** args, Py_ssize_t n) noexcept


cdef PyObject* _call(PyObject* module, PyObject** args, Py_ssize_t n) noexcept:
    cdef lz_entry entry
    lz_enter(&entry)
    cdef PyObject* made = (<Raw>_evaluate)(args, n)
    lz_leave(&entry)
    return made


cdef object _evaluate(PyObject** args, Py_ssize_t n):
    cdef PyObject* node
    if n == 1 and type(<object>args[0]) is LazyArray and is_enabled():
        node = <PyObject*>((<LazyArray>args[0]).node if (<LazyArray>args[0]).root is None
                           else (<LazyArray>args[0]).root.node)
        if ((<Node>node).kind == LEAF or (<Node>node).kind == SCALAR) and (<LazyArray>args[0]).mask is None:
            return None
    _evaluate_all(args, n)


cdef int _evaluate_all(PyObject** args, Py_ssize_t n) except -1:
    cdef list pending = []
    cdef LazyArray base
    cdef Py_ssize_t i
    for i in range(n):
        if type(<object>args[i]) is not LazyArray:
            raise TypeError(f"evaluate takes LazyArrays, got {type(<object>args[i]).__name__}")
        base = <LazyArray>args[i]
        layout_of(base)
        if base.root is not None:
            base = base.root
        if not is_evaluated(base.node):
            pending.append(base.node)
    if pending:
        evaluate_list(pending)
    return 0


evaluate = lz_function_of(&lz_evaluate, <void*>_call, _doc, "lazyarr")
