"""Creation: arrays from shapes, ranges, functions and other objects.

Constant arrays are graph nodes; ranges and grids are made by NumPy at once and shared.
"""
import functools
import inspect
import operator

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.transforms import vjp
from lazyarr.ops.concatenation import axes_by_stride
from lazyarr.ops.device_exchange import adopted
from lazyarr.ops.layout import (
    diagonal,
    is_contiguous,
    order_of,
    ravel,
    reshape_array,
)
from lazyarr.ops.numpy_fallback import at_once, call, call_changing, returned
from lazyarr.ops.operands import (
    Foreign,
    LazyArray,
    cast,
    dtype_from,
    dummy,
    find_lazy,
    is_lazy,
    lazy,
    native,
    order_letter,
    probe,
    values,
    values_for,
    wrap,
)
from lazyarr.ops.table import NATIVE, Op, add, mirror, names, numpy_name, row

_FLOAT = np.dtype(float)
_NOTHING = np.dtype([])


def _shape(shape):
    """Return a shape argument as a tuple of ints; raise NumPy's errors."""
    given = shape if isinstance(shape, tuple | list) else (shape,)
    try:
        found = tuple(map(operator.index, given)) if bool not in map(type, given) else (-1,)
    except TypeError:
        found = (-1,)
    # Raises what NumPy raises; an empty record takes no memory.
    return np.empty(values(shape), _NOTHING).shape if any(extent < 0 for extent in found) else found


def _check(device, like):
    """Raise for an unknown device; leave `like=` with a foreign array to NumPy."""
    if device not in (None, "cpu"):
        np.empty(0, device=device)
    if like is not None and not isinstance(like, LazyArray | np.ndarray):
        raise Foreign


def _letter(order):
    """Return a memory order as "C" or "F"; raise NumPy's error for anything else."""
    if order not in ("C", "F"):
        np.empty(0, order=order)  # raises, or takes it in small letters
    return "F" if order in ("F", "f") else "C"


def _constant(shape, value, dtype, order, axes=None, beside=()):
    dtype = _FLOAT if dtype is None else dtype_from(dtype)
    if not native(dtype):
        blank = type(value) is int and value == 0  # as zeros of strings are
        return core.from_numpy(np.zeros(shape, dtype) if blank else np.full(shape, value, dtype))
    return core.full(shape, value, dtype, _letter(order), axes, beside)


@row(np.empty)
def empty(shape, dtype=None, order="C", *, device=None, like=None):
    """Memory that is not set, taken when it is needed."""
    _check(device, like)
    return _unset(_shape(shape), dtype, order)


def _unset(shape, dtype, order, axes=None, beside=()):
    dtype = _FLOAT if dtype is None else dtype_from(dtype)
    if not native(dtype):
        return core.from_numpy(np.empty(shape, dtype))
    return core.empty(shape, dtype, _letter(order), axes, beside)


@row(np.full)
def full(shape, fill_value, dtype=None, order="C", *, device=None, like=None):
    """One value everywhere, filled when it is needed."""
    _check(device, like)
    return _filled(_shape(shape), fill_value, dtype, order)


def _filled(shape, fill_value, dtype, order, axes=None, beside=()):
    if not is_lazy(fill_value) and np.ndim(values(fill_value)) == 0:
        dtype = np.asarray(fill_value).dtype if dtype is None else dtype_from(dtype)
        converted = np.empty((), dtype)
        np.copyto(converted, fill_value, casting="unsafe")
        return _constant(shape, converted[()], dtype, order, axes, beside)
    value = lazy(fill_value)
    dtype = value.dtype if dtype is None else dtype_from(dtype)
    if not native(dtype):
        return at_once(np.full, shape, value, dtype, order)
    value = cast(value, dtype)
    result = core.empty(shape, value.dtype, _letter(order), axes, beside)
    core.assign(result, value)
    return result


def _like(make, prototype, dtype, order, shape, device):
    """Return `make(shape, dtype, order, axes, beside)` for an array with the memory order of another one."""
    _check(device, None)
    x, order = lazy(prototype), order_letter(order)
    dtype = x.dtype if dtype is None else dtype_from(dtype)
    shape = x.shape if shape is None else _shape(shape)
    if order == "A":
        order = order_of(x)
    elif order == "K" and (len(shape) != x.ndim or is_contiguous(x)):
        order = "C"
    if order != "K" or order_of(x) == "F":
        return make(shape, dtype, "F" if order == "K" else order, None, [x])
    return make(shape, dtype, "C", axes_by_stride([x]), [x])


def _add_constants(function, function_like, value, what):
    """Register NumPy's functions for arrays of one constant, by shape and like another array."""
    def constants(shape, dtype=None, order="C", *, device=None, like=None):
        _check(device, like)
        return _constant(_shape(shape), value, dtype, order)

    def constants_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
        return _like(lambda shape, *layout: _constant(shape, value, *layout), a, dtype, order, shape, device)

    return row(function, sentence=f"{what}, filled when they are needed.")(constants), \
        row(function_like, sentence=f"{what} of another array's shape, filled when they are needed.")(constants_like)


zeros, zeros_like = _add_constants(np.zeros, np.zeros_like, 0, "Zeros")
ones, ones_like = _add_constants(np.ones, np.ones_like, 1, "Ones")


@row(np.empty_like)
def empty_like(prototype, /, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """Memory of another array's shape, taken when it is needed."""
    return _like(_unset, prototype, dtype, order, shape, device)


@row(np.full_like)
def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """One value in another array's shape, filled when it is needed."""
    return _like(lambda shape, *layout: _filled(shape, fill_value, *layout), a, dtype, order, shape, device)


def _converted(x, dtype, order, copy):
    """Return a LazyArray converted as `numpy.array` does."""
    dtype = x.dtype if dtype is None else dtype_from(dtype)
    order = order_letter(order)
    if isinstance(copy, str):
        np.array([0], copy=copy)  # raises
    copy = None if copy is None or copy is np._CopyMode.IF_NEEDED else bool(copy)
    laid_out = order in (None, "K", "A") or is_contiguous(x, order)
    if not copy and dtype == x.dtype and laid_out and not x._scalar:
        return x
    if copy is False:
        np.array([0], copy=False)  # raises
    if not native(dtype) or not native(x.dtype):
        return core.from_numpy(np.array(x.numpy(), dtype, order=order))
    return core.unscalar(core.copy(x, dtype, order=order or "K"))


def _with_ndmin(x, ndmin):
    return x if x.ndim >= ndmin else reshape_array(x, (1,) * (ndmin - x.ndim) + x.shape)


def _shared(array):
    """Return a LazyArray on an ndarray's memory; ndarray subclasses and unaligned arrays unchanged."""
    return core.adopt(array) if type(array) is np.ndarray and array.flags.aligned else array


def _made(make, obj, dtype, order, copy):
    """Return obj as a NumPy array; a LazyArray from its `__array__`, which NumPy rejects, is converted."""
    parts = find_lazy([obj])
    try:
        made = _shared(make(values_for(np.dtype(dtype), obj) if parts else obj))
    except ValueError:
        given = core.array_given_by(obj)
        if given is None:
            raise
        return _converted(given, dtype, order, copy)
    if parts and is_lazy(made):
        vjp.connect(made, parts, "array")
    return made


@row(np.array)
def array(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0, like=None, **kwargs):
    """A copy, so that later writes to the source have no effect."""
    _check(None, like)
    object = adopted(object)
    if vjp.is_history_kept() and find_lazy([object]):
        object = lazy(object)
    if is_lazy(object):
        if kwargs:  # `ndmax`, from NumPy 2.4 on
            np.array(probe(object), dtype, **kwargs)  # raises
        return _with_ndmin(_converted(object, dtype, order, copy), ndmin)
    made = _made(lambda x: np.array(x, dtype, copy=copy, order=order, subok=subok, ndmin=ndmin, **kwargs),
                 object, dtype, order, copy)
    return _with_ndmin(made, ndmin) if is_lazy(made) else made


def _asarray(a, dtype=None, order=None, copy=None, subok=False):
    a = adopted(a)
    if vjp.is_history_kept() and find_lazy([a]):
        a = lazy(a)
    if is_lazy(a):
        return _converted(a, dtype, order, copy)
    convert = np.asanyarray if subok else np.asarray
    return _made(lambda x: convert(x, dtype, order, copy=copy), a, dtype, order, copy)


@row(np.asarray)
def asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None):
    """The array itself, or an array that shares the memory of an ndarray or a buffer."""
    _check(device, like)
    return _asarray(a, dtype, order, copy)


@row(np.asanyarray)
def asanyarray(a, dtype=None, order=None, *, device=None, copy=None, like=None):
    """Like asarray, but arrays of other classes (matrices, masked arrays) stay what they are."""
    _check(device, like)
    return _asarray(a, dtype, order, copy, subok=True)


def _add_laid_out(function, order, what):
    def laid_out(a, dtype=None, *, like=None):
        _check(None, like)
        return _with_ndmin(_asarray(a, dtype, order), 1)

    return row(function, sentence=f"Laid out in {what} order, with one axis at least.")(laid_out)


ascontiguousarray = _add_laid_out(np.ascontiguousarray, "C", "C")
asfortranarray = _add_laid_out(np.asfortranarray, "F", "Fortran")


@row(np.require)
def require(a, dtype=None, requirements=None, *, like=None):
    """Laid out as required; arrays here are always aligned, writeable and own their values."""
    _check(None, like)
    np.require(0, requirements=requirements)  # raises for unknown or contradictory requirements
    flags = {flag.upper()[0] for flag in requirements or ()}
    return _asarray(a, dtype, "C" if "C" in flags else "F" if "F" in flags else None)


@row(np.copy)
def copy(a, order="K", subok=False):
    """A copy, filled when it is needed."""
    return array(a, order=order, subok=subok)


@row(np.frombuffer)
def frombuffer(buffer, dtype=float, count=-1, offset=0, *, like=None):
    """An array on the memory of a buffer: all see what each of them writes."""
    _check(None, like)
    seen = _shared(np.frombuffer(buffer, dtype, count, offset))
    if is_lazy(buffer):
        vjp.connect(seen, [buffer], "frombuffer")
    return seen


@row(np.fromfunction)
def fromfunction(function, shape, *, dtype=float, like=None, **kwargs):
    """A function of index arrays, called once, lazily."""
    _check(None, like)
    return function(*[core.from_numpy(index) for index in np.indices(shape, dtype)], **kwargs)


@row(np.diag)
def diag(v, k=0):
    """A matrix with this diagonal, or the diagonal of a matrix."""
    x = lazy(v)
    if x.ndim == 2:
        return diagonal(x, k)
    if x.ndim != 1:
        np.diag(np.zeros((1,) * x.ndim))  # raises
    extent = x.size + abs(operator.index(k))
    result = _constant((extent, extent), 0, x.dtype, "C", beside=[x])
    line = diagonal(result, k)
    line._writeable = True
    core.assign(line, x)
    return result


@row(np.diagflat)
def diagflat(v, k=0):
    """A matrix with the flattened array as its diagonal."""
    return diag(ravel(v), k)


_LINES = (np.linspace, np.logspace, np.geomspace)


def _line(function, args, kwargs):
    """Return numbers from start to stop as a lazy differentiable call; None for an unusual call."""
    given = inspect.signature(function).bind(*args, **kwargs).arguments
    ends = [given.pop("start"), given.pop("stop")]
    if given.get("retstep") or find_lazy(given) or np.ndim(given.get("base", 0)):
        return None
    made = function(*[dummy(lazy(x)) + x.dtype.type(end) for end, x in zip((1, 2), map(lazy, ends), strict=True)],
                    **given)
    return call(functools.partial(function, **given), ends, made.shape, made.dtype, name=function.__name__)


def _made_at_once(function):
    """Return a creation function that calls NumPy at once."""
    def public(*args, like=None, **kwargs):
        if like is not None and not is_lazy(like):
            return wrap(function(*values(args), like=like, **values(kwargs)))
        if not find_lazy(args) and not find_lazy(kwargs):
            return returned(function(*args, **kwargs))
        waiting = _line(function, args, kwargs) if function in _LINES and vjp.is_history_kept() else None
        return call_changing(function, args, kwargs, ()) if waiting is None else waiting

    return mirror(public, function)


_MADE_AT_ONCE = """
    arange linspace logspace geomspace eye identity tri indices
    bartlett blackman hamming hanning kaiser diag_indices tril_indices triu_indices
"""
for _function in names(*_MADE_AT_ONCE.split()) + \
        names("fftfreq", "rfftfreq", module=np.fft):
    add(Op(numpy_name(_function), _made_at_once(_function), (_function,), NATIVE,
           doc="Made by NumPy at once; the memory is shared."))
