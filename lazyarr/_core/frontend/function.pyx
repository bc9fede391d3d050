"""Dispatch of calls of the drop-in face: eager if possible, else into the graph.

A `Function` tries, in this order:

1. `native`, the native form of the call (`native_forms`), for small ready operands;
2. `values`, NumPy's own function past its dispatcher, on ndarrays that share the operands' memory (`numpy_call`);
3. `lazily`, which builds a graph.

The first two return NotImplemented for calls that they do not support. A `Function` of lazyarr itself (`waits`) skips
them, and marks its results as waiting. A `UfuncCaller` does the same for a ufunc. Both use vectorcall (PEP 590), so
that a call makes no tuple of its arguments.
"""
from cpython.ref cimport Py_XDECREF

cimport numpy as cnp

from lazyarr._core.frontend.eager cimport LARGE, does_wait, has_values, mark_waiting, immediate_level, is_enabled
from lazyarr._core.frontend.eager_out cimport into_at_once
from lazyarr._core.frontend.eager_product cimport product_at_once
from lazyarr._core.frontend.eager_ufunc cimport call_at_once, scalars_at_once
from lazyarr._core.frontend.foreign_operands cimport answers_ufuncs, overriding
from lazyarr._core.frontend.handle cimport force
from lazyarr._core.frontend.hooks cimport call_hook, defer
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.frontend.native_forms cimport find_native
from lazyarr._core.frontend.numpy_call cimport ROOM, call_on_values, is_for_device, ufunc_on_values
from lazyarr._core.frontend.operands cimport with_arrays
from lazyarr._core.frontend.pending_queue cimport ROUND_IS_OVER, attention, end_round
from lazyarr._core.frontend.ufunc_call cimport call_ufunc, call_with, warns_of_third
from lazyarr._core.frontend.views cimport adopt
from lazyarr._core.host.entry_lock cimport lz_enter, lz_entry, lz_leave
from lazyarr._core.ir.inner_loops cimport find_ufunc, passing
from lazyarr._core.ir.preferred_device cimport places_arrays, preference
from lazyarr._core.ir.ufunc_traits cimport MATRIX_PRODUCT

from types import MethodType

import numpy as np

cdef extern from "Python.h":
    object PyVectorcall_Call(object callable, tuple args, dict kwargs)
    object PyObject_Vectorcall(object callable, PyObject** args, size_t nargsf, PyObject* names)

cdef extern from *:
    """
    #include "simd/entry_lock.h"

    /* Have instances of a type be called by the function that they hold at `offset`. */
    static void lz_set_vectorcall(PyObject *type, Py_ssize_t offset, int is_method)
    {
        PyTypeObject *t = (PyTypeObject *)type;
        t->tp_vectorcall_offset = offset;
        t->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL | (is_method ? Py_TPFLAGS_METHOD_DESCRIPTOR : 0);
        PyType_Modified(t);
    }
    #define lz_nargs(n) PyVectorcall_NARGS(n)

    typedef PyObject *(*lz_call)(PyObject *callable, PyObject **args, size_t nargsf, PyObject *names);

    /* NumPy wants ndarrays of `__array__`. Where it got a LazyArray, the call is made again, with that in its place. */
    static lz_call lz_call_function, lz_call_ufunc, lz_call_with_arrays;

    static PyObject *lz_restore(PyObject *type, PyObject *value, PyObject *trace)
    {
        PyErr_Restore(type, value, trace);
        return NULL;
    }
    static int lz_has_refused_array(void)
    {
        PyObject *type, *value, *trace, *before;
        int found;
        if (!PyErr_ExceptionMatches(PyExc_ValueError)) return 0;
        PyErr_Fetch(&type, &value, &trace);
        before = trace;
        PyErr_NormalizeException(&type, &value, &trace);
        if (before == NULL) Py_CLEAR(trace); /* see tracebacks.h */
        PyObject *text = PyObject_Str(value);
        found = text != NULL
            && PyUnicode_CompareWithASCIIString(text, "object __array__ method not producing an array") == 0;
        Py_XDECREF(text);
        PyErr_Restore(type, value, trace);
        return found;
    }
    static PyObject *lz_or_again(PyObject *made, PyObject *callable, PyObject **args, size_t nargsf, PyObject *names)
    {
        return made == NULL && lz_has_refused_array() ? lz_call_with_arrays(callable, args, nargsf, names) : made;
    }
    static PyObject *lz_function(PyObject *callable, PyObject **args, size_t nargsf, PyObject *names)
    {
        return lz_or_again(lz_call_function(callable, args, nargsf, names), callable, args, nargsf, names);
    }
    static PyObject *lz_ufunc(PyObject *callable, PyObject **args, size_t nargsf, PyObject *names)
    {
        lz_entry entry;
        lz_enter(&entry);
        PyObject *made = lz_or_again(lz_call_ufunc(callable, args, nargsf, names), callable, args, nargsf, names);
        lz_leave(&entry);
        return made;
    }
    """
    ctypedef PyObject* (*lz_call)(PyObject* callable, PyObject** args, size_t nargsf, PyObject* names)
    lz_call lz_call_function, lz_call_ufunc, lz_call_with_arrays
    PyObject* lz_or_again(PyObject* made, PyObject* callable, PyObject** args, size_t nargsf, PyObject* names) noexcept
    PyObject* lz_function(PyObject* callable, PyObject** args, size_t nargsf, PyObject* names) noexcept
    PyObject* lz_ufunc(PyObject* callable, PyObject** args, size_t nargsf, PyObject* names) noexcept
    void PyErr_Fetch(PyObject** type, PyObject** value, PyObject** trace) noexcept
    object lz_restore(PyObject* type, PyObject* value, PyObject* trace)
    void lz_set_vectorcall(object type, Py_ssize_t offset, int is_method)
    Py_ssize_t lz_nargs(size_t nargsf) noexcept

cdef list _functions = []  # all functions
cdef tuple _viewed = (np.ndarray, np.memmap)  # classes whose views are plain arrays


cdef class Function:
    """A function or method of the drop-in face.

    Parameters
    ----------
    name : str
        Its name under `numpy`, or "ndarray." and the name of a method: the key of its native form.
    lazily : callable
        Builds a graph, for any arguments.
    values : callable, optional
        NumPy's function for the same arguments, if it may be called at once on ndarrays in place of small arrays.
    writes : bool
        Whether it may change its arguments.
    room : float
        The most elements that its result may have where it is computed at once, 0 for any. The sizes of the arguments,
        multiplied, bound the size of the result.
    counted : int
        The position of the one argument that bounds the size of the result, unless it is given by the name "size";
        -1 if all arguments do.
    by_method : callable, optional
        The method of ndarray that NumPy's function calls, with the same arguments by position.
    waits : bool
        Whether it always builds a graph, as functions of lazyarr itself do; its results wait.
    method : bool
        Whether it is one of arrays, which scalars leave to `lazily`.
    out : int
        Where a call may give the array to write to by its position; -1 if nowhere.
    largest : float
        The most elements that an array may have for which `values` gets an ndarray; 0 for what counts as small.
    evaluates : {0, 1, 2}
        Whether its arguments are evaluated first: 1, unless one of them waits; 2, always, as where the shape of the
        result depends on their values.
    views : bool
        Whether its result may be a view of an argument: it then is on the memory of an ndarray that is given.
    makes : bool
        Whether it makes arrays, of which `lazily` puts large ones on the device that `config.device` names.
    multiplies : bool
        Whether its result is elementwise, and as large as its arguments' sizes multiplied.
    """

    def __init__(self, str name, lazily, values=None, bint writes=False, double room=0, bint waits=False,
                 bint method=False, int counted=-1, int out=-1, by_method=None, double largest=0, int evaluates=0,
                 bint views=False, bint makes=False, bint multiplies=False):
        self.vectorcall = <VectorCall>_call_native
        self.name = name
        _functions.append(self)
        self.native = find_native(name, &self.variant)
        self.lazily = lazily
        self.values = values
        self.writes = writes
        self.room = room
        self.waits = waits
        self.method = method
        self.counted = counted
        self.by_method = by_method
        self.out = out
        self.largest = largest
        self.evaluates = evaluates
        self.views = views
        self.makes = makes
        self.multiplies = multiplies

    def __call__(self, *args, **kwargs):
        return PyVectorcall_Call(self, args, kwargs)

    def __get__(self, instance, owner):
        return self if instance is None else MethodType(self, instance)

    def __eq__(self, other):
        return self is other or self.original is not None and other is self.original

    def __hash__(self):
        return object.__hash__(self) if self.original is None else hash(self.original)

    def __reduce__(self):
        return self.__qualname__

    @property
    def __signature__(self):
        """NumPy's signature, where inspect would not find it by `__wrapped__`."""
        found = getattr(self.original, "__signature__", None)
        if found is None and self.method:
            import inspect
            found = inspect.signature(self.values)
        if found is None:
            raise AttributeError("__signature__")
        return found

    @property
    def _implementation(self):
        """The implementation that `numpy.ndarray.__array_function__` calls."""
        return self.original._implementation

    @property
    def __text_signature__(self):
        return getattr(self.original, "__text_signature__", None)

    def __repr__(self):
        return f"<function {self.__qualname__}>"


cdef class UnboundFunction(Function):
    """A function that does not bind as a method, like NumPy's C functions."""

    def __get__(self, instance, owner):
        return self


def named(function, original, str module):
    """Give a Function the name, docstring and signature of its graph-building function, and return it."""
    function.__dict__.update({name: getattr(original, name) for name in ("__name__", "__qualname__", "__doc__")})
    function.__module__, function.__wrapped__ = module, original
    function.stored_as = getattr(original, "stored_as", None)
    return function


ctypedef PyObject* (*RawNative)(PyObject** args, Py_ssize_t n, PyObject* names, int variant) noexcept
ctypedef int (*RawEnd)() noexcept


cdef PyObject* _call_native(PyObject* callable, PyObject** args, size_t nargsf, PyObject* names) noexcept:
    """Vectorcall of a function: takes the entry lock on free-threaded builds."""
    cdef lz_entry entry
    lz_enter(&entry)
    cdef PyObject* made = _native_or_next(callable, args, nargsf, names)
    lz_leave(&entry)
    return made


cdef inline PyObject* _native_or_next(PyObject* callable, PyObject** args, size_t nargsf, PyObject* names) noexcept:
    """Call the native form, or else the next way; without reference counting, since most calls end here."""
    cdef PyObject* given = names if names is not NULL else <PyObject*>None
    cdef PyObject* made
    if attention == ROUND_IS_OVER and (<RawEnd>end_round)() < 0:
        return NULL
    if (<Function>callable).native is not NULL and not (<Function>callable).views \
            and runs_at_once(<Function>callable, args, lz_nargs(nargsf), names):
        made = (<RawNative>(<Function>callable).native)(args, lz_nargs(nargsf), given, (<Function>callable).variant)
        if made is not <PyObject*>NotImplemented:
            return lz_or_again(made, callable, args, nargsf, names)
        Py_XDECREF(made)
    return lz_function(callable, args, nargsf, names)


cdef inline bint runs_at_once(Function self, PyObject** args, Py_ssize_t n, PyObject* names) noexcept:
    return (not self.waits or immediate_level > 0) and is_enabled() \
        and (not (preference.device or preference.has_blocks)
             or not (places_arrays() if self.makes else is_for_device(args, n, names, self.multiplies)))


cdef object _call_function(object callable, PyObject** args, size_t nargsf, PyObject* kwnames):
    """Make a call that has no native form, or whose native form does not support it."""
    cdef Function self = <Function>callable
    cdef Py_ssize_t n = lz_nargs(nargsf)
    names = <object>kwnames if kwnames is not NULL else None
    cdef Py_ssize_t total = n + (len(<tuple>names) if names is not None else 0)
    if self.overridable:
        found = overriding(args, total)
        if found is not None:
            made = call_hook("override", (self, found, *_taken(args, n, names)))
            if made is not NotImplemented:
                return made
    if self.views:
        given = _sharing_ndarrays(args, total)
        if given is not None:
            return self(*given[:n], **dict(zip(names or (), given[n:])))
    if runs_at_once(self, args, n, kwnames):
        made = self.native(args, n, names, self.variant) if self.views and self.native is not NULL else NotImplemented
        if made is NotImplemented:
            made = _by_numpy(self, args, n, names)
        if made is not NotImplemented:
            return made
    return _lazily(self, args, n, names)


cdef tuple _taken(PyObject** args, Py_ssize_t n, object names):
    """Return the arguments of a call: a tuple of positional ones, a dict of keywords."""
    cdef Py_ssize_t i
    named = {} if names is None else {name: <object>args[n + i] for i, name in enumerate(<tuple>names)}
    return tuple([<object>args[i] for i in range(n)]), named


cdef list _sharing_ndarrays(PyObject** args, Py_ssize_t total):
    """Return the arguments with arrays in place of ndarrays, on their memory; None if there are none."""
    cdef Py_ssize_t i
    cdef list given = None
    for i in range(total):
        if type(<object>args[i]) in _viewed and cnp.PyArray_ISALIGNED(<cnp.ndarray>args[i]):
            if given is None:
                given = [<object>args[k] for k in range(total)]
            given[i] = adopt(np.asarray(<object>args[i]))
    return given


cdef object _by_numpy(Function self, PyObject** args, Py_ssize_t n, object names):
    """Call NumPy's function eagerly, or the native form after evaluating operands; else return NotImplemented."""
    cdef bint writes
    if self.evaluates and _evaluate(self, args, n + (len(<tuple>names) if names is not None else 0)) \
            and self.native is not NULL:
        made = self.native(args, n, names, self.variant)
        if made is not NotImplemented:
            return made
    if self.values is None or self.method and is_scalar(<object>args[0]):
        return NotImplemented
    writes = self.writes or 0 <= self.out < n and <object>args[self.out] is not None
    made = None
    if self.by_method is not None and n and names is None and type(<object>args[0]) is LazyArray \
            and not (<LazyArray>args[0]).scalar:
        try:
            made = call_on_values(self.by_method, args, n, names, self.room, writes, self.counted, self.largest)
        except TypeError:
            pass  # the function's own message differs
    if made is None:
        made = call_on_values(self.values, args, n, names, self.room, writes, self.counted, self.largest)
    self.calls += made is not NotImplemented
    return made


cdef object _lazily(Function self, PyObject** args, Py_ssize_t n, object names):
    """Call the graph-building function; results of waiting arrays wait."""
    cdef Py_ssize_t total = n + (len(<tuple>names) if names is not None else 0), i
    cdef bint waits = self.waits
    for i in range(total):
        waits = waits or type(<object>args[i]) is LazyArray and does_wait(<LazyArray>args[i])
    defer(1)  # keeps the graph the same if a flush interferes
    try:
        made = PyObject_Vectorcall(self.lazily, args, n, <PyObject*>names if names is not None else NULL)
    finally:
        defer(-1)
    if not waits:
        return made
    for i in range(total):
        if made is <object>args[i]:
            return made
    mark_waiting(made)
    return made


cdef bint _evaluate(Function self, PyObject** args, Py_ssize_t total) except -1:
    """Evaluate the array arguments up to a size; return whether any was pending."""
    cdef bint changed = False
    cdef double largest = max(<double>LARGE, self.largest)
    cdef LazyArray x
    cdef Py_ssize_t i
    if self.evaluates == 1:
        for i in range(total):
            if type(<object>args[i]) is LazyArray and does_wait(<LazyArray>args[i]) > immediate_level:
                return False
    for i in range(total):
        if type(<object>args[i]) is LazyArray:
            x = <LazyArray>args[i]
            if x.mask is None and x.node.size <= largest and not has_values(x):
                force(x)
                changed = True
    return changed


cdef inline bint is_scalar(object obj):
    return type(obj) is LazyArray and (<LazyArray>obj).scalar


# ---- ufuncs --------------------------------------------------------------------------------------------


cdef class UfuncCaller:
    """Base of the callables in place of ufuncs in the lazy namespace.

    Parameters
    ----------
    ufunc : numpy.ufunc
    waits : bool
        Whether its calls always join the graph, as those of lazyarr itself do.
    """

    def __cinit__(self, ufunc, bint waits=False, *args, **kwargs):
        self.vectorcall = <VectorCall>lz_ufunc
        self.record = NULL if passing(ufunc) else find_ufunc(ufunc)
        self.ufunc = ufunc
        self.waits = waits

    def __call__(self, *args, **kwargs):
        return PyVectorcall_Call(self, args, kwargs)


cdef object _call_ufunc(object callable, PyObject** args, size_t nargsf, PyObject* kwnames):
    cdef UfuncCaller self = <UfuncCaller>callable
    cdef Ufunc* u = self.record
    cdef Py_ssize_t n = lz_nargs(nargsf)
    if u is not NULL and (not self.waits or immediate_level > 0):
        if kwnames is NULL:
            made = None
            if n == u.nin and n <= 2:
                made = scalars_at_once(u, args, n)
                if made is None:
                    made = call_at_once(u, <object>args[0], <object>args[n - 1])
            elif n == u.nin + 1 and n <= 3 and type(<object>args[n - 1]) is LazyArray and not warns_of_third(u):
                made = into_at_once(u, <LazyArray>args[n - 1], <object>args[0], <object>args[n - 2])
            if made is not None:
                return made
        elif n == u.nin and n <= 2 and len(<tuple>kwnames) == 1 and (<tuple>kwnames)[0] == "out" \
                and type(<object>args[n]) is LazyArray:
            made = into_at_once(u, <LazyArray>args[n], <object>args[0], <object>args[n - 1])
            if made is not None:
                return made
        if is_enabled():
            names = <object>kwnames if kwnames is not NULL else None
            if u.elementwise:
                made = ufunc_on_values(self.ufunc, args, n, names, n > u.nin)
            else:
                if u.traits & MATRIX_PRODUCT and n == 2 and kwnames is NULL:
                    made = product_at_once(<object>args[0], <object>args[1])
                    if made is not None:
                        return made
                made = call_on_values(self.ufunc, args, n, names, ROOM if u.traits & MATRIX_PRODUCT else 0,
                                      n > u.nin, -1, 0 if u.traits & MATRIX_PRODUCT else LARGE)
            if made is not NotImplemented:
                return made
    given, kwargs = _taken(args, n, <object>kwnames if kwnames is not NULL else None)
    if not self.waits and answers_ufuncs(args, n + len(kwargs)):
        made = call_hook("ufunc_override", (self, "__call__", given, kwargs))
        if made is not NotImplemented:
            return made
    made = call_ufunc(self.ufunc, given, kwargs) if u is NULL else call_with(u, given, kwargs)
    if self.waits and not any([made is operand for operand in given]):
        mark_waiting(made)
    return made


cdef object _call_with_arrays(object callable, PyObject** args, size_t nargsf, PyObject* kwnames):
    """Retry with LazyArrays from objects' `__array__`; raise the current error if there are none."""
    cdef PyObject* type
    cdef PyObject* value
    cdef PyObject* trace
    cdef Py_ssize_t n = lz_nargs(nargsf), i
    PyErr_Fetch(&type, &value, &trace)
    names = <tuple>kwnames if kwnames is not NULL else ()
    args_given = [<object>args[i] for i in range(n + len(names))]
    given = with_arrays(args_given)
    if given is args_given:
        return lz_restore(type, value, trace)
    Py_XDECREF(type)
    Py_XDECREF(value)
    Py_XDECREF(trace)
    return callable(*given[:n], **dict(zip(names, given[n:])))


lz_call_function = <lz_call>_call_function
lz_call_ufunc = <lz_call>_call_ufunc
lz_call_with_arrays = <lz_call>_call_with_arrays


def waiting(LazyArray x):
    """Mark an array, and all that shares its memory, as waiting, and return it."""
    (x if x.root is None else x.root).node.waits = True
    return x


def enable_vectorcall(subclass):
    """Enable vectorcall for instances of a subclass of `UfuncCaller`."""
    cdef UfuncCaller one = UfuncCaller.__new__(UfuncCaller, np.add)
    lz_set_vectorcall(subclass, <char*>&one.vectorcall - <char*><PyObject*>one, False)


cdef Function _one = Function.__new__(Function)
lz_set_vectorcall(Function, <char*>&_one.vectorcall - <char*><PyObject*>_one, True)
lz_set_vectorcall(UnboundFunction, <char*>&_one.vectorcall - <char*><PyObject*>_one, False)
enable_vectorcall(UfuncCaller)


def calls_of_numpy():
    """Return how often each NumPy function was called eagerly, by name."""
    cdef Function function
    cdef dict counted = {}
    for function in _functions:
        if function.calls:
            name = function.name.removeprefix("ndarray.")
            counted[name] = counted.get(name, 0) + function.calls
    return counted


def forget_calls():
    """Reset those counters."""
    cdef Function function
    for function in _functions:
        function.calls = 0
