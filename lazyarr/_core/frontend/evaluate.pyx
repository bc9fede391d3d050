"""`lazyarr.evaluate`, written as a C function so that calls are as cheap as possible.

Programs call it in their innermost loops, mostly on evaluated arrays. The two halves of `lazyarr.evaluate_async`
follow: collecting what to evaluate, and evaluating it.
"""
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF

from lazyarr._core.frontend.eager cimport is_enabled
from lazyarr._core.frontend.handle cimport layout_of, storage_of
from lazyarr._core.frontend.hooks cimport call_hook
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.frontend.pending_queue cimport evaluate_list
from lazyarr._core.host.entry_lock cimport lz_enter, lz_entry, lz_leave
from lazyarr._core.ir.fp_errors cimport annotate
from lazyarr._core.ir.history cimport history_is_kept
from lazyarr._core.ir.node cimport Node, has_value
from lazyarr._core.ir.placeholder cimport is_traced
from lazyarr._core.runtime.evaluation_lock cimport evaluates_here
from lazyarr._core.runtime.no_evaluation cimport evaluation_forbidden, refusal


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

cdef struct Settings:
    bint is_async

cdef Settings _settings = Settings(False)

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


def set_async(bint on):
    """Set whether `evaluate` starts evaluations in the background instead of waiting."""
    _settings.is_async = on


def get_async():
    """Return whether it does."""
    return bool(_settings.is_async)


ctypedef int (*Raw)(PyObject** args, Py_ssize_t n) noexcept


cdef PyObject* _evaluate(PyObject* module, PyObject** args, Py_ssize_t n) noexcept:
    cdef lz_entry entry
    cdef PyObject* made = NULL
    lz_enter(&entry)
    if n == 1 and _has_values(args[0]) or (<Raw>_evaluate_all)(args, n) == 0:
        made = <PyObject*>None
        Py_INCREF(None)
    lz_leave(&entry)
    return made


cdef inline bint _has_values(PyObject* x) noexcept:
    cdef PyObject* base = x
    cdef PyObject* node
    if type(<object>x) is not LazyArray or not is_enabled() or (<LazyArray>x).mask is not None:
        return False
    if (<LazyArray>x).root is not None:
        base = <PyObject*>(<LazyArray>x).root
    node = <PyObject*>(<LazyArray>base).node
    return has_value(<Node>node)


cdef int _evaluate_all(PyObject** args, Py_ssize_t n) except -1:
    cdef list pending = []
    cdef LazyArray base
    cdef Py_ssize_t i
    for i in range(n):
        base = _checked("evaluate", <object>args[i])
        layout_of(base)
        base = storage_of(base)
        if not has_value(base.node):
            pending.append(base.node)
    if pending:
        if _settings.is_async and not evaluates_here() and not evaluation_forbidden() and not history_is_kept():
            call_hook("begin_evaluation", (pending,))
        else:
            evaluate_list(pending, False)
    return 0


cdef LazyArray _checked(str name, object x):
    if type(x) is not LazyArray:
        raise TypeError(f"{name} takes LazyArrays, got {type(x).__name__}")
    return <LazyArray>x


evaluate = lz_function_of(&lz_evaluate, <void*>_evaluate, _doc, "lazyarr")


def to_evaluate(*arrays):
    """Return what must be evaluated for the current values of these arrays: nodes and selections.

    Raises what `evaluate` would raise here, e.g. in a traced function.
    """
    cdef list found = []
    cdef LazyArray base
    for x in arrays:
        base = _checked("evaluate_async", x)
        if base.mask is not None and not history_is_kept():
            found.append(base)
            continue
        layout_of(base)
        base = storage_of(base)
        if not has_value(base.node):
            found.append(base.node)
    if found and evaluation_forbidden():
        first = found[0]
        raise refusal((<LazyArray>first).node if isinstance(first, LazyArray) else <Node>first)
    if history_is_kept():
        _refuse_traced(found)
    return found


cdef int _refuse_traced(list nodes) except -1:
    """Raise the error of evaluating the nodes if they depend on a placeholder."""
    cdef list todo = list(nodes)
    cdef set seen = set(todo)
    cdef Node node, below
    cdef int k
    while todo:
        node = todo.pop()
        if is_traced(node):
            try:
                node.payload[1]()
            except Exception as error:
                raise annotate(error, node.payload[0], node)
        for k in range(node.ninputs):
            below = <Node>node.inputs[k]
            if not has_value(below) and below not in seen:
                seen.add(below)
                todo.append(below)
    return 0


def evaluate_these(list found):
    """Evaluate the result of `to_evaluate`."""
    cdef list nodes = []
    cdef Node node
    for x in found:
        if type(x) is LazyArray:
            layout_of(<LazyArray>x)
        node = (<LazyArray>x).node if type(x) is LazyArray else <Node>x
        if not has_value(node):
            nodes.append(node)
    if nodes:
        evaluate_list(nodes, False)


def is_evaluating():
    """Return whether this thread is inside an evaluation, so that no other thread evaluates."""
    return evaluates_here()
