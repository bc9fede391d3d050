"""Hooks: what the layers above register to do for the core.

    ufunc(ufunc, args, kwargs)            a call with keywords, core dimensions or non-native dtypes
    ufunc_method(ufunc, name, args, kwargs)
    ufunc_of_values(ufunc, name, args, kwargs)    NumPy's, on evaluated operands
    function_of_values(function, args, kwargs)    the same of a function
    ufunc_of_others(ufunc, name, args, kwargs)    the same, with operands that answer ufuncs themselves
    array_function(func, types, args, kwargs)
    override(function, operands, args, kwargs)    what operands of other classes give, or NotImplemented
    ufunc_override(face, name, args, kwargs)      the same of a ufunc
    getitem(x, key), setitem(x, key, value)   advanced keys and non-native dtypes
    row(window, x)                        one record of an array, given as a view without axes, as a scalar
    compress(array, mask)                 elements of an ndarray under a mask, as an ndarray; lazy ones on a device
    gather(nested)                        nested sequences with lazy arrays in them, as one array
    set_shape, set_dtype, set_strides(x, value)    assignment to the attributes
    first_array()                         called before the first array is made: registers what arrays need
    rules()                               called before a derivative is looked up: registers all rules
    fallback(name)                        called for each opaque call that is built
    schedule(graph)                       the compiler of plans
    marks(loop)                           the constants that rewrite rules ask for
    on_evaluate(record)                   called after each evaluation
    progress                              an object, not a function: the viewer of long evaluations (progress.pyx)
"""
from lazyarr._core.ir.const_guards cimport set_marks
from lazyarr._core.runtime.evaluation cimport set_observer
from lazyarr._core.runtime.plan_cache cimport set_schedule
from lazyarr._core.runtime.progress cimport set_viewer

cdef dict _hooks = {}
# These hooks only find the function to call, which may run eagerly or build a graph.
cdef set _DISPATCHING = {"array_function", "override", "ufunc_of_others", "ufunc_override"}


def set_hook(str name, function):
    """Register a hook of the table above."""
    if name == "schedule":
        set_schedule(function)
    elif name == "marks":
        set_marks(function)
    elif name == "on_evaluate":
        set_observer(function)
    elif name == "progress":
        set_viewer(function)
    else:
        _hooks[name] = function


deferrals = 0


cdef void defer(int change) noexcept:
    """Begin (1) or end (-1) a call that always builds a graph."""
    global deferrals
    deferrals += change


cdef object call_hook(str name, tuple args):
    """Call a hook; it builds a graph, unless it only finds the function to call."""
    function = _hooks.get(name)
    if function is None:
        raise RuntimeError(f"lazyarr: no layer has registered {name!r}")
    if name in _DISPATCHING:
        return function(*args)
    defer(1)
    try:
        return function(*args)
    finally:
        defer(-1)


cdef note_fallback(str name):
    hook = _hooks.get("fallback")
    if hook is not None:
        hook(name)
