"""Fallbacks to NumPy's functions: lazily as one opaque node, or at once.

`call` builds an opaque node for a result whose shape and dtype are known beforehand. `immediate` builds a function that
evaluates its lazy arguments, calls NumPy and shares the results; arguments that NumPy changes in place (`out=`, the
first argument of `np.put`) are changed in the LazyArray's own memory. The rows at the end are always immediate, because
the shape of the result, or an error, depends on values.
"""
import functools
import inspect
import sys

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.transforms import vjp
from lazyarr.ops.devices import beside, device_number_of
from lazyarr.ops.operands import LazyArray, dummy, find_lazy, lazy, map_lazy, native, value, values, wrap
from lazyarr.ops.table import IMMEDIATE, NATIVE, Op, add, mirror, names, numpy_name, row

SHAPE_UNKNOWN = "the shape of the result depends on the values"
_CALLS_BACK = "it calls a user's function on the values"
# Why functions evaluate their arguments at once.
_AT_ONCE = {
    SHAPE_UNKNOWN: """
        argwhere bincount extract flatnonzero intersect1d nonzero polydiv polymul roots setdiff1d setxor1d trim_zeros
        union1d unique unique_all unique_counts unique_inverse unique_values
    """,
    _CALLS_BACK: "apply_along_axis mask_indices",
    "the dtype of the result depends on the values": "min_scalar_type real_if_close",
    "it is called to find out about the values": "asarray_chkfinite",
    "the result is not an array": """
        array2string array_repr array_str base_repr binary_repr datetime_as_string format_float_positional
        format_float_scientific mintypecode save savetxt savez savez_compressed
    """,
    "they are not arrays": "fromfile fromiter fromregex fromstring genfromtxt load loadtxt",
    "dates have no native operations": "busday_count busday_offset is_busday",
}
REASON = {name: reason for reason, listed in _AT_ONCE.items() for name in listed.split()}
# Functions with rows of their own, lazy where possible.
REASON |= dict.fromkeys(("boolean_index", "compress", "delete"), SHAPE_UNKNOWN)
REASON |= {"piecewise": _CALLS_BACK} | dict.fromkeys(("bmat", "info"), "the result is not an array")

# Replacements during differentiation: they may read values, but compute their results by differentiable operations.
RECORDED = {}

# Replacements for arrays on accelerators; they return NotImplemented to fall back to NumPy.
ON_DEVICES = {}

_listeners = []


def on_immediate(listener):
    """Call listener(name) whenever a function evaluates its arguments to call NumPy at once."""
    _listeners.append(listener)


def note_immediate(name):
    """Notify the listeners that `name` evaluated its arguments."""
    for listener in _listeners:
        listener(name)


def call(function, operands, shape, dtype, scalar=False, name=None, axes=None):
    """Return an opaque call of `function` on the operands' values, with a result of this shape and dtype.

    The function is pure and takes a read-only ndarray per operand. If it is a partial, derivative rules get its fixed
    arguments, too. `scalar` states that it returns a scalar, not a 0-d array. Reports call it `name`, by default its
    own name. `axes` is the memory order of the result, outermost first; None for C order.
    """
    if scalar and not dtype.isnative:
        dtype = dtype.newbyteorder("=")  # NumPy's scalars have native byte order
    swapped = None if dtype.isnative else dtype

    def run(*arrays):
        return np.asanyarray(function(*arrays), swapped)

    # read by transforms, backends and devices
    for known in ("pull_back", "keywords", "batch", "attributes", "backend", "labels", "reports", "passes_on"):
        if hasattr(function, known):
            setattr(run, known, getattr(function, known))
    node = core.opaque(name or function.__name__, run, [lazy(x) for x in operands], shape, dtype, axes)
    return core.scalar(node) if scalar else node


def at_once(function, *args, **kwargs):
    """Call NumPy's function on evaluated arguments and share its results as LazyArrays."""
    return immediate(function)(*args, **kwargs)


def reject(function, *args, **kwargs):
    """Raise what NumPy raises for these arguments, called on dummies; return its result should it accept them."""
    function(*map_lazy(args, dummy), **map_lazy(kwargs, dummy))
    return at_once(function, *args, **kwargs)


def has_form(out, shape, dtype):
    """Return whether `out` takes a result of this shape and dtype without a cast, in which functions differ."""
    if isinstance(out, tuple) and len(out) == 1:
        out, = out
    return isinstance(out, LazyArray | np.ndarray) and tuple(out.shape) == tuple(shape) and out.dtype == dtype \
        and native(dtype) and (out._writeable and not out._scalar if isinstance(out, LazyArray) else
                               out.flags.writeable)


def deliver(result, out, casting="same_kind"):
    """Store a result in `out` (a LazyArray or an ndarray) if given, and return it."""
    if isinstance(out, tuple):
        out, = out
    if out is None:
        return result
    if isinstance(out, LazyArray):
        core.assign(out, result)
    else:
        np.copyto(out, value(result), casting=casting)
    return out


@functools.cache
def immediate(function, changes=None):
    """Return a function that evaluates its LazyArray arguments, calls NumPy's `function` and shares the results.

    `changes` names the parameter, besides `out`, whose array NumPy changes in place.
    """
    name = numpy_name(function)

    def public(*args, **kwargs):
        lazily = find_lazy((args, kwargs))
        if not lazily and not _ndarrays((args, kwargs)):
            return returned(function(*args, **kwargs))
        if lazily and function in RECORDED and vjp.is_history_kept():
            return RECORDED[function](*args, **kwargs)
        if lazily and function in ON_DEVICES:
            made = ON_DEVICES[function](*args, **kwargs)
            if made is not NotImplemented:
                return made
        if lazily:
            note_immediate(name)
        changed = _positions(function, ("out",) if changes is None else (changes, "out"))
        return call_changing(function, args, kwargs, changed, name)

    public.evaluates = True
    return mirror(public, function)


core.set_hook("function_of_values", lambda function, args, kwargs: immediate(function)(*args, **kwargs))


def call_changing(function, args, kwargs, changed, name=None):
    """Call NumPy's function at once; arguments at the places `changed` are changed in place, LazyArrays included.

    Places are positions and names of arguments. `name` is the function's name in errors about missing derivatives.
    """
    name, args, kwargs = name or function.__name__, list(args), dict(kwargs)
    targets = {}
    for place in changed:
        container = args if isinstance(place, int) else kwargs
        if place in kwargs or (isinstance(place, int) and place < len(args)):
            target, container[place] = container[place], None
            single = isinstance(target, tuple) and len(target) == 1 and isinstance(target[0], LazyArray)
            target = target[0] if single else target
            locked = isinstance(target, LazyArray) and not target._writeable
            targets[place] = value(target) if locked else target  # NumPy rejects it
    given, args, kwargs = _evaluated(args, kwargs)
    operands = [x for x, _ in given if isinstance(x, LazyArray)]
    result = returned(_with_targets(function, args, kwargs, list(targets.items()), name, operands), given)
    return beside(remembering(result, operands, name), device_number_of(operands)) if operands else result


def _with_targets(function, args, kwargs, targets, name, operands):
    """Make the call with targets in their places: pairs of a place and an ndarray, or a LazyArray to mutate."""
    if not targets:
        return function(*args, **kwargs)
    (place, target), *others = targets

    def filled(array):
        (args if isinstance(place, int) else kwargs)[place] = array
        return _with_targets(function, args, kwargs, others, name, operands)

    def with_memory(array):
        result = filled(array)
        return target if result is array else result

    return core.mutate(target, with_memory, name, operands) if isinstance(target, LazyArray) else filled(target)


def remembering(result, operands, name):
    """Connect results computed at once to their operands, so that differentiation does not treat them as constants.

    During differentiation, scalars become LazyArrays.
    """
    def connect(made):
        made = made if isinstance(made, LazyArray) else core.scalar(core.from_numpy(np.array(made)))
        vjp.connect(made, operands, name)
        return made

    if hasattr(result, "_fields"):
        return type(result)._make([remembering(item, operands, name) for item in result])
    return map_lazy(result, connect, (LazyArray, np.inexact) if vjp.is_history_kept() else LazyArray)


def _evaluated(args, kwargs):
    """Return pairs of each array among the arguments and its value, and the evaluated arguments."""
    found = find_lazy((args, kwargs))
    if len(found) > 1:
        core.evaluate(*found)
    given = [(array, array) for array in _ndarrays((args, kwargs))]

    def show(x):
        given.append((x, value(x)))
        return given[-1][1]

    args, kwargs = map_lazy((args, kwargs), show)
    return given, args, kwargs


def returned(obj, given=()):
    """Wrap what a function returned that was given these arrays: pairs of an array and its value.

    A view of a LazyArray's value becomes a view of the LazyArray. Any other view becomes one of newly allocated memory,
    unless it is a view of an ndarray argument.
    """
    kind = type(obj)
    if kind is tuple:
        return tuple([returned(item, given) for item in obj])
    if kind is list:
        return [returned(item, given) for item in obj]
    source = next((pair for pair in given if obj is pair[1] or _is_view(obj, pair[1])), None)
    if kind is not np.ndarray or obj.base is None or (source and source[0] is obj):
        return wrap(obj)
    if source and isinstance(source[0], LazyArray):
        x, shown = source
        start = obj.__array_interface__["data"][0] - shown.__array_interface__["data"][0]
        return x if obj is shown else core.view(x, obj.shape, obj.strides, start if obj.size else 0, obj.dtype)
    if source:
        return core.asarray_operand(obj)
    memory = core.from_numpy(obj)
    return core.view(memory, memory.shape, memory.strides)


def _is_view(obj, array):
    """Return whether one ndarray is a view of another's memory; an empty view is found by its base."""
    if not isinstance(obj, np.ndarray) or not isinstance(array, np.ndarray) or obj.base is None:
        return False
    return obj.base is array or obj.base is array.base or np.may_share_memory(obj, array)


def _ndarrays(obj):
    """Return the ndarrays in obj, through lists, tuples and dicts."""
    if isinstance(obj, np.ndarray):
        return [obj]
    items = obj.values() if isinstance(obj, dict) else obj if isinstance(obj, list | tuple) else ()
    return [array for item in items for array in _ndarrays(item)]


def immediate_method(name):
    """Return an ndarray method as a function that evaluates a LazyArray, calls the method and shares the result."""
    def method(x, *args, **kwargs):
        note_immediate(name)
        return call_changing(getattr(np.ndarray, name), (core.unscalar(x), *args), kwargs, ()) if not x._scalar else \
            wrap(getattr(value(x), name)(*values(args), **values(kwargs)))

    method.__name__ = method.__qualname__ = name
    method.__doc__ = getattr(np.ndarray, name).__doc__
    return method


def metadata(function):
    """Return NumPy's function of shapes and dtypes alone, called on dummies without evaluation."""
    def public(*args, **kwargs):
        return wrap(function(*map_lazy(args, stand_in), **map_lazy(kwargs, stand_in)))

    def stand_in(x):
        return np.ones((), x.dtype)[()] if x._scalar else dummy(x)

    return mirror(public, function)


@functools.cache  # reading signatures is slow
def _positions(function, parameters):
    """Return the names of parameters, and the positions of those that can be passed by position."""
    try:
        signature = list(inspect.signature(function).parameters.values())
    except (ValueError, TypeError):  # some C functions have no signature
        return parameters
    return (*parameters, *[i for i, parameter in enumerate(signature)
                           if parameter.name in parameters and parameter.kind is not parameter.KEYWORD_ONLY])


# Functions that read shapes and dtypes only.
_METADATA = """
    can_cast common_type datetime_data diag_indices_from einsum_path iscomplexobj isrealobj iterable ndim promote_types
    result_type shape size
    tril_indices_from triu_indices_from
""".split()


@row(np.bmat, kind=IMMEDIATE)
def bmat(obj, ldict=None, gdict=None):
    """A matrix of blocks or of names of blocks; evaluates: the result is not an array but NumPy's own matrix."""
    if isinstance(obj, str) and gdict is None:
        caller = sys._getframe(1)
        ldict, gdict = caller.f_locals, caller.f_globals
    return np.bmat(values(obj), ldict, gdict)


@row(np.info, kind=IMMEDIATE)
def info(object=None, maxwidth=76, output=None, toplevel="numpy"):
    """Prints information about an object and evaluates it; the result is not an array."""
    np.info(values(object), maxwidth, output, toplevel)


def _add_immediate_rows():
    for reason, listed in _AT_ONCE.items():
        for function in names(*listed.split()):
            add(Op(numpy_name(function), immediate(function), (function,), IMMEDIATE,
                   doc=f"Evaluates its arguments: {reason}."))
    for function in names(*_METADATA):
        add(Op(numpy_name(function), metadata(function), (function,), NATIVE, doc="Reads shapes and dtypes only."))


_add_immediate_rows()
