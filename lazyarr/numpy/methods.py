"""Methods and attributes of ndarray for LazyArray that are not native, in a table that is installed at import."""
import builtins
import functools
import operator
import os
import pickle
import types
import warnings

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr.compat import SETTERS_CAST_COMPLEX
from lazyarr.numpy.flags import Flags, set_flags
from lazyarr.numpy.flat import flatiter
from lazyarr.numpy.namespace import largest, place_of_out
from lazyarr.numpy.ndarray import ndarray
from lazyarr.numpy.pandas_compat import priority
from lazyarr.numpy.resizing import become, resize
from lazyarr.ops import (
    accumulation,
    dlpack,
    elementwise,
    layout,
    moments,
    reduction,
    repetition,
    sorting,
    writing,
)
from lazyarr.ops.assignment import change
from lazyarr.ops.device_exchange import cuda_array_interface
from lazyarr.ops.devices import of_array
from lazyarr.ops.numpy_errors import guarded
from lazyarr.ops.numpy_fallback import immediate_method
from lazyarr.ops.operands import dtype_from, native, order_letter, values
from lazyarr.ops.table import IMMEDIATE, NATIVE, TABLE, find

_NO_VALUE = np._NoValue


def _reshape(x, *shape, order="C", copy=None):
    """Return the array with another shape, as a view if strides allow it."""
    return layout.reshape_array(x, shape[0] if len(shape) == 1 else shape, order, copy)


def _transpose(x, *axes):
    """Return a view with permuted axes."""
    if not axes or (len(axes) == 1 and axes[0] is None):
        return x.T
    return layout.transpose(x, axes[0] if len(axes) == 1 and np.iterable(axes[0]) else axes)


def _view(x, dtype=None, type=None):
    """Return a view of the same memory, possibly with another dtype."""
    if isinstance(dtype, builtins.type) and issubclass(dtype, ndarray):
        dtype, type = None, dtype
    if type not in (None, np.ndarray, ndarray, core.LazyArray):
        array = core.lent(x)  # another class of array cannot be a handle of ours
        return array.view(type) if dtype is None else array.view(dtype, type)
    return _kept_scalar(x, layout.view_dtype(x, x.dtype if dtype is None else dtype))


def _kept_scalar(x, view):
    """Return a view of x as a scalar if x is one, as NumPy does."""
    return core.scalar(view) if x._scalar and view.ndim == 0 else view


def _conjugate(x, out=None):
    """Return the complex conjugate; a real array is returned as it is."""
    if out is None and x.dtype.kind not in "cO":
        if x.dtype.kind not in "biuf":
            raise TypeError("cannot conjugate non-numeric dtype")
        return x
    return core.ufunc(np.conjugate, (x,), None if out is None else {"out": out})


def _sorts_memory(x):
    """Return whether it shows that NumPy sorts memory in place: overlapping rows, or records with padding."""
    return core.overlaps_itself(x) or x.dtype.names is not None


def _sort(x, axis=-1, kind=None, order=None, **options):
    """Sort in place."""
    axis = operator.index(axis)
    ordered = sorting.sort(x, axis, kind, order, **options)
    if _sorts_memory(x):
        change("sort", x, lambda array: array.sort(axis, kind, order, **options), [])
    else:
        core.assign(x, ordered)


def _partition(x, kth, axis=-1, kind="introselect", order=None):
    """Partition in place."""
    ordered = sorting.partition(x, kth, axis, kind, order)
    if _sorts_memory(x):
        kth, axis = values(kth), operator.index(axis)
        change("partition", x, lambda array: array.partition(kth, axis, kind, order), [])
    else:
        core.assign(x, ordered)


_byteswapped = immediate_method("byteswap")


def _byteswap(x, inplace=False):
    """Swap the bytes of each element; dtypes without native loops are swapped at once."""
    np.zeros(1, x.dtype).byteswap(inplace)  # raises for strings and objects
    if not native(x.dtype) and not inplace:
        return _byteswapped(x)
    changed = x if inplace else core.unscalar(core.copy(x, order="A"))

    def swap(array):
        array.byteswap(True)

    if native(x.dtype):
        writing.change("byteswap", changed, swap, [])
    else:
        core.mutate(changed, swap)
    return core.scalar(changed) if x._scalar else changed


def _copy(x, order="C"):
    """Return a lazy copy."""
    if x._scalar and x.dtype == bool:
        return x  # NumPy has one True and one False
    duplicate = core.copy(x, order=order_letter(order) or "C")
    return core.scalar(duplicate) if x._scalar else duplicate


def _var(x, axis=None, dtype=None, out=None, ddof=0, keepdims=_NO_VALUE, *, where=_NO_VALUE, mean=_NO_VALUE):
    """Compute the variance: the mean, then a fused sum of squared deviations."""
    return moments.var(x, axis, dtype, out, ddof, keepdims, where=where, mean=mean)


def _std(x, axis=None, dtype=None, out=None, ddof=0, keepdims=_NO_VALUE, *, where=_NO_VALUE, mean=_NO_VALUE):
    """Compute the standard deviation: the square root of the variance."""
    return moments.std(x, axis, dtype, out, ddof, keepdims, where=where, mean=mean)


def _compress(x, condition, axis=None, out=None):
    """Select the slices where a condition holds; this evaluates the condition."""
    return TABLE["compress"].function(condition, x, axis, out)


# Other operands may be of classes with array semantics of their own: these call the guarded functions of the table.

def _choose(x, *choices, out=None, mode="raise"):
    """Choose elements of the arrays with x's values as indices, lazily; the arrays are one argument or several."""
    if not choices:
        raise TypeError("function takes exactly 1 argument (0 given)")
    return TABLE["choose"].function(x, choices[0] if len(choices) == 1 else choices, out, mode)


def _put(x, indices, values, mode="raise"):
    """Set elements by their positions in the flattened array, lazily."""
    TABLE["put"].function(x, indices, values, mode)


def _dump(x, file, protocol=2):
    """Pickle to a file."""
    if hasattr(file, "write"):
        pickle.dump(x, file, protocol=protocol)
        return
    with open(os.fspath(file), "wb") as stream:
        pickle.dump(x, stream, protocol=protocol)


def _dumps(x, protocol=2):
    """Pickle to bytes."""
    return pickle.dumps(x, protocol=protocol)


def _to_numpy(x):
    """Return the value as a read-only ndarray; plotting libraries call this name."""
    return x.numpy()


def _to_device(x, device, /, *, stream=None):
    """Return the array on a device, see `lazyarr.devices`: itself, or a lazy copy if it is on another device."""
    if not isinstance(device, str) or stream is not None:
        np.empty(0).to_device("cpu" if isinstance(device, str) else device, stream=stream)  # raises
    return core.to_device(x, device)


def _exposed(x):
    """Return an ndarray on the memory of an array; for an array on a device, a read-only copy."""
    return core.lent(x) if core.device_of(x) else core.expose(x)


def _array_interface(x):
    """NumPy's `__array_interface__`; missing if it cannot express the dtype, so NumPy falls back to `__array__`."""
    if isinstance(x.dtype, np.dtypes.StringDType):
        raise AttributeError("__array_interface__")
    shown = _exposed(x)
    known = shown.__array_interface__
    if x.dtype.kind == "V" and np.dtype(known["descr"]) != x.dtype:
        raise AttributeError("__array_interface__")
    if core.device_of(x):
        known["owner"] = shown  # of the copy, which x does not keep when it changes
    return known


def _array_struct(x):
    """NumPy's `__array_struct__`; missing if it cannot express the dtype."""
    if x.dtype.kind in "mMOVT":
        raise AttributeError("__array_struct__")
    return _exposed(x).__array_struct__


def _array_wrap(x, array, context=None, return_scalar=False, /):
    """Wrap a result of NumPy as an array like x; with `return_scalar`, one of shape () as a scalar."""
    made = array if isinstance(array, core.LazyArray) else core.adopt(np.asarray(array))
    return made.numpy()[()] if return_scalar and made.ndim == 0 else made


def _refuse_scalar(x, name):
    if x._scalar:
        raise AttributeError(f"attribute {name!r} of 'numpy.generic' objects is not writable")


def _converted(value):
    """Return a value for a part; complex numbers become arrays, so that the cast warns."""
    return np.asarray(value) if SETTERS_CAST_COMPLEX and isinstance(value, complex) else value


def _set_real(x, value):
    _refuse_scalar(x, "real")
    if x.dtype.hasobject:
        np.empty(0, x.dtype).real = []  # raises if the real parts are not views
    elementwise.real_part(x)[...] = _converted(value)


def _set_imag(x, value):
    _refuse_scalar(x, "imag")
    if x.dtype.kind != "c":
        np.empty(0, x.dtype).imag = []  # raises
    elementwise.imag_part(x)[...] = _converted(value)


def _matrix_transpose(x):
    if x.ndim < 2:
        raise ValueError("matrix transpose with ndim < 2 is undefined")
    return layout.swapaxes(x, -1, -2)


def _getfield(x, dtype, offset=0):
    """Return a field of each element, as a view."""
    dtype = dtype_from(dtype)
    np.zeros((), x.dtype).getfield(dtype, offset)  # raises what does not fit
    return _kept_scalar(x, core.view(x, x.shape, x.strides, offset, dtype))


def _setfield(x, val, dtype, offset=0):
    """Set a field of each element."""
    if x._scalar:
        raise TypeError("Can't set fields in a non-void array scalar.")
    field = _getfield(x, dtype, offset)
    core.require_writeable(x, "assignment destination is read-only")
    field._warns_on_write = False
    field[...] = val


def _set_flat(x, value):
    _refuse_scalar(x, "flat")
    flatiter(x)[:] = value


def _set_device(x, device):
    raise AttributeError("attribute 'device' of 'numpy.ndarray' objects is not writable")


def _size_of(x):
    """Return the bytes of the object, including elements that it owns."""
    return object.__sizeof__(x) + 2 * x.ndim * np.intp().itemsize + x.nbytes * core.owns_memory(x)


@functools.cache
def _deprecation(name):
    """Return NumPy's deprecation warning for setting an attribute of arrays, or None."""
    x = np.empty(0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        setattr(x, name, getattr(x, name))
    return caught[0].message if caught else None


def _check_settable(x, name):
    _refuse_scalar(x, name)
    if (warning := _deprecation(name)) is not None:
        warnings.warn(warning, stacklevel=3)


def _set_shape(x, shape):
    _check_settable(x, "shape")
    try:
        reshaped = layout.reshape_array(x, shape, copy=False)
    except ValueError as error:
        if "copy" not in str(error):
            raise
        raise AttributeError("Incompatible shape for in-place modification. Use `.reshape()` to make a copy with the "
                             "desired shape.") from None
    become(x, reshaped)


def _set_dtype(x, dtype):
    _check_settable(x, "dtype")
    become(x, layout.view_dtype(x, dtype))


def _set_strides(x, strides):
    _check_settable(x, "strides")
    like = np.empty(x.shape, x.dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        like.strides = strides  # raises what NumPy raises
    seen = core.view(x, x.shape, like.strides)
    if x.base is None and core.overlaps_itself(seen):
        raise AttributeError("elements of an array that is no view cannot share memory; as those of as_strided can")
    become(x, seen)


METHODS = {
    # Hot ones first: the bare functions of the table's rows.
    "sum": reduction.sum, "prod": reduction.prod, "max": reduction.max, "min": reduction.min,
    "any": reduction.any, "all": reduction.all, "mean": moments.mean, "var": _var, "std": _std,
    "argmax": reduction.argmax, "argmin": reduction.argmin, "cumsum": accumulation.cumsum,
    "cumprod": accumulation.cumprod, "argsort": sorting.argsort, "argpartition": sorting.argpartition,
    "astype": elementwise.astype_method, "clip": elementwise.clip_method, "round": elementwise.round,
    "ravel": layout.ravel, "flatten": layout.flatten_array, "squeeze": layout.squeeze,
    "swapaxes": layout.swapaxes, "diagonal": layout.diagonal, "repeat": repetition.repeat,
    "reshape": _reshape, "transpose": _transpose, "view": _view, "conj": _conjugate, "conjugate": _conjugate,
    "sort": _sort, "partition": _partition, "copy": _copy, "fill": writing.fill, "compress": _compress,
    "getfield": _getfield, "setfield": _setfield, "setflags": set_flags,
    "dump": _dump, "dumps": _dumps, "to_numpy": _to_numpy, "to_device": _to_device,
    "choose": _choose, "put": _put,
    **{function.__name__: find(function).function
       for function in (np.dot, np.nonzero, np.searchsorted, np.take, np.trace)},
    "__dlpack__": dlpack.export, "__dlpack_device__": dlpack.device,
    "__array_wrap__": _array_wrap, "__sizeof__": _size_of, "byteswap": _byteswap, "tofile": immediate_method("tofile"),
}
ATTRIBUTES = {
    "real": property(core.real_part, _set_real),
    "imag": property(core.imag_part, _set_imag),
    "mT": property(_matrix_transpose),
    "flat": property(flatiter, _set_flat),
    "flags": property(Flags),
    "data": property(lambda x: core.lent(x).data),
    "ctypes": property(lambda x: core.expose(core.bring_to_host(x)).ctypes),
    "device": property(of_array, _set_device),
    "__array_interface__": property(_array_interface),
    "__array_struct__": property(_array_struct),
    "__cuda_array_interface__": property(cuda_array_interface),
    "__pandas_priority__": property(priority),
    "__array_priority__": property(lambda x: np.empty(0).__array_priority__),
}


def _of_scalars(name):
    """Return an attribute that NumPy's scalars have and its arrays lack."""
    def get(x):
        if not x._scalar:
            raise AttributeError(f"'numpy.ndarray' object has no attribute {name!r}")
        return getattr(x.numpy()[()], name)
    return property(get)


SCALAR_ATTRIBUTES = {
    name: _of_scalars(name) for scalar_type in (np.float64, np.int64, np.complex128) for name in dir(scalar_type)
    if not name.startswith("_") and not hasattr(np.ndarray, name)}


def _dir(x):
    """Return the names of an array's attributes, with those of scalars if it is one."""
    names = object.__dir__(x)
    return names if x._scalar else [name for name in names if name not in SCALAR_ATTRIBUTES]


def _guarded(name, function):
    """Return the method with NumPy's messages for invalid calls."""
    def numpy_method(x, *args, **kwargs):
        return getattr(x, name)(*args, **kwargs)

    return guarded(function, numpy_method, getattr(function, "checks_out", False) or function in (_var, _std))


# Methods that are always lazy. For all others, but `__protocols__`, NumPy's own methods serve, called on ndarrays that
# share the memory of small arrays.
_LAZY_ALONE = frozenset("byteswap dump dumps getfield setfield setflags to_device to_numpy tofile view".split())


def _at_boundary(attribute):
    """Return a method or property of which, if written in Python, tracebacks end at the user's line."""
    if isinstance(attribute, property):
        return property(*map(_at_boundary, (attribute.fget, attribute.fset, attribute.fdel)), attribute.__doc__)
    return api_boundary(attribute) if isinstance(attribute, types.FunctionType) else attribute


def _method(name, function):
    lazily = function if name == "to_device" else _guarded(name, function)  # NumPy knows the host alone
    lazily.__name__, lazily.__qualname__ = name, f"LazyArray.{name}"
    if name in _LAZY_ALONE or name.startswith("__"):
        if hasattr(np.ndarray, name) and not name.startswith("dump"):  # whose signatures leave out a parameter
            lazily.__wrapped__ = getattr(np.ndarray, name)  # whose signature is read on demand
        return lazily
    kind = TABLE[name].kind if name in TABLE else NATIVE
    made = core.Function(f"ndarray.{name}", lazily, getattr(np.ndarray, name),
                         writes=name in ("fill", "partition", "put", "sort"),
                         room=1_000_000 if name in ("dot", "repeat") else 0, method=True, out=place_of_out(lazily),
                         largest=largest(name, kind), evaluates=kind == IMMEDIATE)
    return core.named(made, lazily, lazily.__module__)


_methods = ATTRIBUTES | {name: _method(name, function) for name, function in METHODS.items()}
_arrays_only = {name: core.OfArrays(name, method) for name, method in _methods.items()
                if not hasattr(np.generic, name)
                and "dlpack" not in name and "cuda" not in name  # scalars lend memory as 0-d arrays
                and "pandas" not in name}
_python = {name: _at_boundary(method) for name, method in _methods.items()}
core.install(_python | _arrays_only | SCALAR_ATTRIBUTES | {
    "__dir__": _dir, "resize": resize,
    "__class_getitem__": classmethod(types.GenericAlias)})  # LazyArray[np.float64], in annotations
core.set_hook("real_part", elementwise.real_part)
core.set_hook("imag_part", elementwise.imag_part)
core.set_hook("set_shape", _set_shape)
core.set_hook("set_dtype", _set_dtype)
core.set_hook("set_strides", _set_strides)
