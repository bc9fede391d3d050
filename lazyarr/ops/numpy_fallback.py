"""Calling NumPy's functions: lazily as one opaque node, or at once.

`call` builds an opaque node, for a result whose shape and dtype are known beforehand. `immediate` makes a
function that evaluates whatever is lazy in its arguments, calls NumPy and shares the results; arguments that
NumPy would change (`out=`, the array that `np.put` fills) are changed in the LazyArray's own memory. At the end
stand the rows that are always immediate, because the shape of the result, or an error, depends on values.
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
# Why a function evaluates its arguments where it is called.
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
# These have rows of their own, which are lazy where they can be.
REASON |= dict.fromkeys(("boolean_index", "compress", "delete"), SHAPE_UNKNOWN)
REASON |= {"piecewise": _CALLS_BACK} | dict.fromkeys(("bmat", "info"), "the result is not an array")

# What takes the place of such a function while history is kept: it may read values, but what it gives is made by
# operations that have derivatives.
RECORDED = {}

# The same for arrays on devices that compute by themselves; it gives NotImplemented for what NumPy is to do.
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
    """One opaque node: `function` of the operands' values, with a result of this shape and dtype.

    It is a pure function of as many read-only ndarrays as there are operands. The derivative rule gets the fixed
    arguments of a partial, too. `scalar` says that NumPy's function returns a scalar, not a 0-d array. The report calls
    it `name`, or by its own name. `axes` are the result's as they lie in memory, outermost first; None for C order.
    """
    if scalar and not dtype.isnative:
        dtype = dtype.newbyteorder("=")  # as NumPy's scalars are
    swapped = None if dtype.isnative else dtype

    def run(*arrays):
        return np.asanyarray(function(*arrays), swapped)

    # what transforms, backends and devices read
    for known in ("pull_back", "keywords", "batch", "attributes", "backend", "labels", "reports", "passes_on"):
        if hasattr(function, known):
            setattr(run, known, getattr(function, known))
    node = core.opaque(name or function.__name__, run, [lazy(x) for x in operands], shape, dtype, axes)
    return core.scalar(node) if scalar else node


def at_once(function, *args, **kwargs):
    """NumPy's function of the evaluated arguments, its results shared as LazyArrays."""
    return immediate(function)(*args, **kwargs)


def reject(function, *args, **kwargs):
    """Raise what NumPy raises for these arguments, found out on dummies; should NumPy accept them, its result."""
    function(*map_lazy(args, dummy), **map_lazy(kwargs, dummy))
    return at_once(function, *args, **kwargs)


def has_form(out, shape, dtype):
    """Whether `out` can take a result of this shape and dtype as it is; NumPy casts in ways that differ."""
    if isinstance(out, tuple) and len(out) == 1:
        out, = out
    return isinstance(out, LazyArray | np.ndarray) and tuple(out.shape) == tuple(shape) and out.dtype == dtype \
        and native(dtype) and (out._writeable and not out._scalar if isinstance(out, LazyArray) else
                               out.flags.writeable)


def deliver(result, out, casting="same_kind"):
    """Put a result where the caller wants it: into `out` (a LazyArray or an ndarray), or nowhere special."""
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
    """A function that evaluates its LazyArray arguments, calls NumPy's `function` and shares the results.

    `changes` names the parameter whose array NumPy's function changes in place, besides `out`.
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
    """NumPy's function at once; what it changes in place, at the places `changed`, it changes in LazyArrays too.

    Places are positions and names of arguments. An error that says there is no derivative calls the function `name`.
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
            targets[place] = value(target) if locked else target  # which NumPy rejects
    given, args, kwargs = _evaluated(args, kwargs)
    operands = [x for x, _ in given if isinstance(x, LazyArray)]
    result = returned(_with_targets(function, args, kwargs, list(targets.items()), name, operands), given)
    return beside(remembering(result, operands, name), device_number_of(operands)) if operands else result


def _with_targets(function, args, kwargs, targets, name, operands):
    """The call with what it changes in its places: pairs of these and ndarrays, or LazyArrays, whose memory it gets."""
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
    """Results computed at once, connected so that they are not taken for constants.

    Where history is kept they know it, and scalars are LazyArrays.
    """
    def connect(made):
        made = made if isinstance(made, LazyArray) else core.scalar(core.from_numpy(np.array(made)))
        vjp.connect(made, operands, name)
        return made

    if hasattr(result, "_fields"):
        return type(result)._make([remembering(item, operands, name) for item in result])
    return map_lazy(result, connect, (LazyArray, np.inexact) if vjp.is_history_kept() else LazyArray)


def _evaluated(args, kwargs):
    """Pairs of each array among the arguments, LazyArray or not, and its value; then the arguments, evaluated."""
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
    """`wrap` for what a function returned that was given these arrays: pairs of an array and its value.

    A view of a LazyArray's value becomes a view of the LazyArray. What else is a view shows memory that the function
    made, unless it is that of an ndarray it was given.
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
    """Whether one ndarray shows memory of another; an empty one shows none, but has a base."""
    if not isinstance(obj, np.ndarray) or not isinstance(array, np.ndarray) or obj.base is None:
        return False
    return obj.base is array or obj.base is array.base or np.may_share_memory(obj, array)


def _ndarrays(obj):
    """The ndarrays in obj, through lists, tuples and dicts."""
    if isinstance(obj, np.ndarray):
        return [obj]
    items = obj.values() if isinstance(obj, dict) else obj if isinstance(obj, list | tuple) else ()
    return [array for item in items for array in _ndarrays(item)]


def immediate_method(name):
    """The ndarray method of this name as a function of a LazyArray: evaluates, calls it, shares the result."""
    def method(x, *args, **kwargs):
        note_immediate(name)
        return call_changing(getattr(np.ndarray, name), (core.unscalar(x), *args), kwargs, ()) if not x._scalar else \
            wrap(getattr(value(x), name)(*values(args), **values(kwargs)))

    method.__name__ = method.__qualname__ = name
    method.__doc__ = getattr(np.ndarray, name).__doc__
    return method


def metadata(function):
    """A function of nothing but shapes and dtypes: NumPy's, called on dummies, nothing evaluated."""
    def public(*args, **kwargs):
        return wrap(function(*map_lazy(args, stand_in), **map_lazy(kwargs, stand_in)))

    def stand_in(x):
        return np.ones((), x.dtype)[()] if x._scalar else dummy(x)

    return mirror(public, function)


@functools.cache  # signatures take long to read
def _positions(function, parameters):
    """The names of the parameters, and where they stand in the function's signature if they have a position."""
    try:
        signature = list(inspect.signature(function).parameters.values())
    except (ValueError, TypeError):  # a few C functions have no signature
        return parameters
    return (*parameters, *[i for i, parameter in enumerate(signature)
                           if parameter.name in parameters and parameter.kind is not parameter.KEYWORD_ONLY])


# Nothing but shapes and dtypes is read.
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
