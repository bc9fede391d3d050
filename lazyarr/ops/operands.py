"""Operands: from whatever a user passes to LazyArrays, and stand-ins that let NumPy infer shapes and errors.

Three conversions, each through nested lists, tuples and dicts where that is said:

    lazy(obj)      one operand as a LazyArray, nothing evaluated
    values(obj)    LazyArrays anywhere in obj evaluated, one plan for all
    wrap(obj)      ndarrays anywhere in obj shared as LazyArrays

A *dummy* has an operand's shape and dtype, zero strides and no memory to speak of. NumPy's own functions, given
dummies, raise NumPy's own errors and give the shape of the result; this is used only where they do so without
touching the elements.
"""
from types import GeneratorType

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.transforms import vjp

LazyArray = core.LazyArray
# Sequences and scalars that np.asarray converts without calling the object's methods.
_PLAIN = frozenset({int, float, complex, bool, str, bytes, np.ndarray, np.memmap})
_WEAK = frozenset({int, float, complex})
# Usual item types of long lists; such items need no separate checks.
_LEAVES = frozenset({int, float, complex, bool, str, bytes, np.float64, np.int64})


class Foreign(Exception):
    """Raised for an operand with array semantics of its own (e.g. a masked array): NumPy dispatches the call."""


def lazy(obj):
    """Return an operand as a LazyArray; raise `Foreign` for objects with array semantics of their own."""
    kind = type(obj)
    if kind is LazyArray:
        return obj
    if kind is list or kind is tuple:
        return gathered(obj)
    if kind not in _PLAIN and not isinstance(obj, np.generic):
        if isinstance(obj, LazyArray):
            return obj
        if hasattr(kind, "__array_ufunc__") or hasattr(kind, "__array_function__") or kind is GeneratorType:
            raise Foreign
    return core.asarray_operand(obj)


def elements(obj):
    """Return an operand as a LazyArray of its elements, which alone matter for writes and indices."""
    if not isinstance(obj, np.ndarray):
        return lazy(obj)
    array = np.asarray(obj)
    if min(array.strides, default=0) >= 0:
        return lazy(array)
    # A copy would have another memory order. NumPy traverses repeated indices in memory order, and reports the first
    # one out of bounds.
    forward = tuple([slice(None, None, -1 if step < 0 else 1) for step in array.strides])
    return lazy(array[forward])[forward]


def gathered(nested):
    """Return nested sequences as one LazyArray; evaluates the arrays in them, unless history is kept."""
    given = find_lazy(nested)
    if given and vjp.is_history_kept():
        return _stacked(nested)
    made = core.from_numpy(np.asarray(values(nested) if given else nested))
    vjp.connect(made, given, "array")
    return made


def _stacked(nested):
    if isinstance(nested, list | tuple) and nested:
        return np.stack([_stacked(item) for item in nested])
    return lazy(nested)


def weak_or_lazy(obj):
    """Return a weak Python scalar unchanged, any other operand as a LazyArray."""
    return obj if type(obj) in _WEAK else lazy(obj)


def as_array(obj):
    """Return an operand as a LazyArray, scalar-like only for NumPy scalars: a Python number becomes an array."""
    return lazy(obj) if isinstance(obj, LazyArray | np.generic) else core.unscalar(lazy(obj))


def as_arrays(result):
    """Return results under ``out=...``: arrays, or a tuple of them, instead of scalars."""
    if isinstance(result, tuple):
        return tuple(map(as_arrays, result))
    return core.unscalar(result) if isinstance(result, LazyArray) else core.from_numpy(np.asarray(result))


def is_lazy(obj):
    """Return whether obj is a LazyArray (an operand that must not be evaluated for its shape)."""
    return isinstance(obj, LazyArray)


def dummy(x):
    """Return a read-only ndarray with x's shape and dtype and practically no memory."""
    return np.broadcast_to(np.zeros((), x.dtype), x.shape)


def probe(x):
    """Return a tiny ndarray with x's dtype and ndim, with extent 1 along each axis."""
    return np.zeros((1,) * x.ndim, x.dtype)


def map_lazy(obj, function, kind=LazyArray):
    """Apply function to each LazyArray (or other kind) in obj, through lists, tuples and dicts."""
    if isinstance(obj, kind):
        return function(obj)
    holder = type(obj)
    if (holder is list or holder is tuple) and _LEAVES.issuperset(map(type, obj)):
        return obj
    if holder is list:
        return [map_lazy(item, function, kind) for item in obj]
    if holder is tuple:
        return tuple([map_lazy(item, function, kind) for item in obj])
    if holder is dict:
        return {key: map_lazy(item, function, kind) for key, item in obj.items()}
    return obj


class _Place(int):
    """The index of the value to put in this place."""


def template(obj):
    """Return the LazyArrays in obj, and a function from as many values to obj with those in their places.

    The function does not refer to the LazyArrays, so it can be part of an opaque call.
    """
    found = []

    def place(x):
        found.append(x)
        return _Place(len(found) - 1)

    pattern = map_lazy(obj, place)
    return found, lambda values: map_lazy(pattern, lambda i: values[i], _Place)


def find_lazy(obj):
    """Return the LazyArrays in obj, through lists, tuples and dicts."""
    found = []
    map_lazy(obj, found.append)
    return found


def value(x):
    """Return the NumPy object for a LazyArray: a NumPy scalar if it is scalar-like, else a read-only ndarray."""
    return x.numpy()[()] if x._scalar else x.numpy()


def values(obj):
    """Return obj with every LazyArray in it evaluated."""
    found = find_lazy(obj)
    if not found:
        return obj
    if len(found) > 1:
        core.evaluate(*found)
    return map_lazy(obj, value)


def values_for(dtype, obj):
    """Return `values`; for an array of objects, which stores the arrays themselves, only scalars."""
    return map_lazy(obj, lambda x: value(x) if x._scalar else x) if dtype.hasobject else values(obj)


def wrap(obj):
    """Return obj with every ndarray in it as a LazyArray; NumPy scalars and named tuples stay.

    A new array is shared. A possible view of a writeable array is copied.
    """
    kind = type(obj)
    if kind is np.ndarray:
        return core.from_numpy(obj) if obj.base is None else core.asarray_operand(obj)
    if kind is tuple:
        return tuple([wrap(item) for item in obj])
    if kind is list:
        return [wrap(item) for item in obj]
    if isinstance(obj, tuple) and hasattr(obj, "_fields"):
        return kind(*[wrap(item) for item in obj])
    return obj


def joint_shape(*shapes):
    """Return the broadcast shape, None if there is none."""
    try:
        return core.broadcast_shape(*shapes)
    except ValueError:
        return None


def on_accelerator(x):
    """Return whether an array is on an accelerator."""
    return core.device_table.driver_of(core.device_of(x)) is not None


def known_outside(index, low, high):
    """Return whether an index array has a value outside [low, high), as far as known without evaluating."""
    if index.size == 0 or index.dtype.kind not in "biu" or core.is_pending(index) or on_accelerator(index):
        return False
    return core.kernels.index_lookup.outside(index.numpy().astype(index.dtype.newbyteorder("="), copy=False), low, high)


def laid_out_like(x):
    """Return new zeros with the shape, dtype and strides of x."""
    if not x.size:
        return np.zeros(x.shape, x.dtype)
    reaches = [stride * (extent - 1) for stride, extent in zip(x.strides, x.shape, strict=True)]
    before, behind = -sum([n for n in reaches if n < 0]), sum([n for n in reaches if n > 0])
    storage = np.zeros(-(-(before + behind) // x.itemsize) + 1, x.dtype)
    return np.ndarray(x.shape, x.dtype, storage, before, x.strides)


def native(dtype):
    """Return whether the core has loops for a dtype (bool, integers, floats, complex; native byte order)."""
    return dtype.kind in "biufc" and dtype.isnative


def dtype_from(obj):
    """Return np.dtype of obj, or of a dtype class; NumPy does not accept an array for its dtype."""
    if isinstance(obj, type) and issubclass(obj, np.dtype):
        found = np.empty(0, obj).dtype
        return np.dtype(found.kind) if found.kind in "SUV" else found  # of the needed size
    return np.dtype(np.empty(0) if isinstance(obj, LazyArray) and not obj._scalar else obj)


def order_letter(order):
    """Return a memory order as a capital letter, or None; raise NumPy's error for anything else.

    Examples
    --------
    >>> order_letter("f")
    'F'
    """
    if order in (None, "C", "F", "A", "K"):
        return order
    np.array([0], order=order)  # raises, or accepts lower case
    return order.upper()


def cast(x, dtype, name=None):
    """Cast x lazily, scalar-like if x is; return x itself if it has that dtype.

    Floating-point errors of the cast are reported under the ufunc `name`, if given.
    """
    if x.dtype == dtype:
        return x
    result = core.copy(x, dtype, order=None, name=name)
    return core.scalar(result) if x._scalar else result


def check_cast(source, target, casting, what="array data"):
    """Raise NumPy's TypeError unless source may be cast to target."""
    if not np.can_cast(source, target, casting):
        raise TypeError(f"Cannot cast {what} from {source!r} to {target!r} according to the rule {casting!r}")
