"""NumPy's own Python code, run on lazy operands.

Many of NumPy's functions are short Python programs over its other functions: `np.pad` creates an empty array and
assigns slices, `np.gradient` subtracts views. Called with a LazyArray, such a program would stay lazy, since what it
calls dispatches through `__array_function__`, except for a few calls that convert their argument to an ndarray. So the
same code objects are bound here to a namespace in which just these names differ. The result is that of the installed
NumPy: algorithm, dtypes and error messages.

Only functions that do not read values belong in the table: a branch on a value would evaluate.
"""
import contextlib
import contextvars
import functools
import threading
import types
from typing import Any

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.control.subgraph import reads_traced
from lazyarr._core.transforms import vjp
from lazyarr.numpy.ndarray import ndarray
from lazyarr.numpy.ufuncs import UFunc
from lazyarr.ops import (
    creation,
    families,  # noqa: F401 - their rows come first: here are those that are not written by hand
    layout,
    numpy_fallback,
)
from lazyarr.ops.deferred_operands import deferred_among
from lazyarr.ops.devices import beside, device_number_of
from lazyarr.ops.operands import Foreign, LazyArray, find_lazy, lazy, map_lazy, values, wrap
from lazyarr.ops.table import NATIVE, Op, add, find, mirror, names, numpy_name
from lazyarr.ops.true_places import where_there

COMPOSED = """
    allclose angle append apply_over_axes array_equal array_equiv array_split atleast_1d atleast_2d atleast_3d
    average block column_stack corrcoef cov cross cumulative_prod cumulative_sum diff dsplit dstack ediff1d
    expand_dims fix flip fliplr flipud gradient histogram2d hsplit hstack imag insert isclose iscomplex isfortran
    isneginf isposinf isreal ix_ kron meshgrid moveaxis nan_to_num pad polyadd polyder polysub polyval real resize
    roll rollaxis rot90 row_stack select split stack tensordot trapezoid tril triu unwrap vander vsplit vstack
""".split()
COMPOSED_LINALG = """
    cross diagonal matrix_norm matrix_power matrix_transpose multi_dot outer tensordot tensorinv tensorsolve trace
""".split()
COMPOSED_FFT = "fftshift ifftshift".split()
# Functions that read values; they run at once, except during differentiation.
RECORDED = "apply_along_axis extract poly polydiv polyfit polyint real_if_close roots trim_zeros".split()
# The device of the running function's operands, on which it creates arrays.
_device = contextvars.ContextVar("lazyarr.composed", default=0)
# Functions that read values of arrays on devices; their other steps run there.
ON_DEVICES = """
    intersect1d setdiff1d setxor1d union1d unique_all unique_counts unique_inverse unique_values
""".split()
# Functions that iterate over elements, which must stay connected to their operands.
_ITERATING = {np.polyval}


def _keep_lazy(convert, original):
    """Apply `convert` to LazyArrays and containers of them, NumPy's function to anything else, such as indices."""
    def conversion(obj, *args, **kwargs):
        return (convert if find_lazy([obj]) else original)(obj, *args, **kwargs)
    return conversion


def _beside(make):
    """Wrap a creation function to use the device of the running function's operands."""
    @functools.wraps(make)
    def maker(*args, **kwargs):
        return beside(make(*args, **kwargs), _device.get())
    return maker


def _any(a, *args, **kwargs):
    """Return whether an error must be raised; assume not while there is no value."""
    found = find_lazy([a])
    return not (found and reads_traced(found)) and np.any(a, *args, **kwargs)


class _Converter:
    """Substitute for NumPy's `_array_converter`: converts operands to arrays, and results to the first one's class."""

    def __init__(self, *operands):
        self._arrays = tuple([lazy(obj) for obj in operands])
        self.scalar_input = tuple([not isinstance(obj, LazyArray | np.ndarray) for obj in operands])

    def __len__(self):
        return len(self._arrays)

    def __iter__(self):
        return iter(self._arrays)

    def __getitem__(self, index):
        return self._arrays[index]

    def as_arrays(self, subok=True, pyscalars="convert_if_no_array"):
        return self._arrays

    def wrap(self, array, /, to_scalar=None):
        return array


class _ArrayUFunc(UFunc):
    """A ufunc that supports `out=...`: it returns arrays, not scalars. NumPy does not pass it to `__array_ufunc__`."""

    def __call__(self, *args, **kwargs):
        if kwargs.get("out") is ... and find_lazy(args):
            return core.unscalar(self.ufunc(*args))
        return self.ufunc(*args, **kwargs)


class _Broadcast:
    """Substitute for `numpy.broadcast`, whose shape is known without values."""

    def __init__(self, *operands):
        self._operands = operands
        self.shape = np.broadcast_shapes(*map(np.shape, operands))
        self.ndim = len(self.shape)

    def __iter__(self):
        return iter(np.broadcast(*values(self._operands)))


_array_converter = np.lib._function_base_impl._array_converter  # type: ignore[attr-defined]
_linalg: Any = np.linalg._linalg
_SUBSTITUTES = {
    np.array: _keep_lazy(creation.array, np.array),
    np.asarray: _keep_lazy(creation.asarray, np.asarray),
    np.asanyarray: _keep_lazy(creation.asarray, np.asanyarray),
    np.ascontiguousarray: _keep_lazy(creation.ascontiguousarray, np.ascontiguousarray),
    np.empty: _beside(creation.empty),
    np.zeros: _beside(creation.zeros),
    np.ones: _beside(creation.ones),
    np.full: _beside(creation.full),
    np.ndarray: ndarray,
    np.broadcast: _Broadcast,
    np.any: _any,
    np.lib.stride_tricks.as_strided: layout.as_strided,
    _array_converter: _Converter,
    _linalg._makearray: lambda a: (lazy(a), lambda result: result),
    _linalg._multi_dot_matrix_chain_order: _linalg._multi_dot_matrix_chain_order,  # reads shapes only
    # np.block bypasses dispatch when it calls these.
    **{getattr(function, "__wrapped__", function): function for function in (np.concatenate, np.size, np.ndim)},
}


def _substitute(obj):
    if isinstance(obj, np.ufunc):
        return _ArrayUFunc(obj)
    if isinstance(obj, types.FunctionType) and obj.__globals__ is vars(np.polynomial.polyutils):
        return _namespace(obj.__globals__)[obj.__name__]  # shared steps, which convert to ndarrays
    try:
        return _SUBSTITUTES.get(obj, obj)
    except TypeError:  # unhashable
        return obj


class _Module:
    """A module of NumPy with substitutes."""

    def __init__(self, module):
        self._module = module

    def __getattr__(self, name):
        found = _substitute(getattr(self._module, name))
        setattr(self, name, found)
        return found


_namespaces = {}
_filling = threading.RLock()  # one thread fills a namespace while others wait


def _namespace(original):
    """Return a copy of a NumPy module's globals with substitutes, in which functions are rebound to the copy."""
    with _filling:
        bound = _namespaces.get(id(original))
        if bound is None:
            bound = _namespaces[id(original)] = {}
            for name, obj in original.items():
                if isinstance(obj, types.ModuleType) and obj.__name__.startswith("numpy"):
                    bound[name] = _Module(obj)
                elif isinstance(obj, types.FunctionType) and obj.__globals__ is original and obj not in _SUBSTITUTES:
                    bound[name] = _rebind(obj, bound)
                else:
                    bound[name] = _substitute(obj)
        return bound


def _rebind(function, namespace):
    bound = types.FunctionType(function.__code__, namespace, function.__name__, function.__defaults__,
                               function.__closure__)
    bound.__kwdefaults__ = function.__kwdefaults__
    return bound


def _snapshots(obj):
    """Convert the ndarrays in obj to LazyArrays, so that no write can change them while the result is pending."""
    return map_lazy(obj, lambda x: core.asarray_operand(x) if type(x) is np.ndarray else x, np.ndarray)


def _remembering(result, operands, name):
    """Convert the ndarrays in a result to LazyArrays that are connected to the operands."""
    def remembered(array):
        made = wrap(array)
        if isinstance(made, LazyArray):  # not a subclass of NumPy's array
            vjp.connect(made, operands, name)
        return made

    return map_lazy(result, remembered, np.ndarray)


def composed(function, constants=True):
    """Bind NumPy's function to the lazy namespace: lazy for LazyArrays, NumPy's own call for anything else.

    A result that is an ndarray is a constant, or was computed at once by some step.
    """
    implementation = getattr(function, "__wrapped__", function)
    bound = None

    def public(*args, **kwargs):
        nonlocal bound
        deferred = deferred_among((args, kwargs))
        if deferred is not None:  # beside LazyArrays, too
            return deferred.computed(f"numpy {numpy_name(function)}", function, *args, **kwargs)
        operands = find_lazy((args, kwargs))
        if not operands:
            return wrap(function(*args, **kwargs))
        if bound is None:
            bound = _rebind(implementation, _namespace(implementation.__globals__))
        outer = _device.set(device_number_of(operands))
        try:
            with vjp.recording() if function in _ITERATING else contextlib.nullcontext():
                made = bound(*_snapshots(args), **_snapshots(kwargs))
        except Foreign:
            return numpy_fallback.immediate(function)(*args, **kwargs)
        finally:
            _device.reset(outer)
        return wrap(made if constants else _remembering(made, operands, function.__name__))

    return mirror(public, function)


def _add_rows():
    for function in (names(*COMPOSED) + names(*COMPOSED_LINALG, module=np.linalg) +
                     names(*COMPOSED_FFT, module=np.fft) + (np.lib.stride_tricks.sliding_window_view,)):
        if find(function) is None:
            add(Op(numpy_name(function), composed(function), (function,), NATIVE,
                   doc="NumPy's own Python code, each operation of which is lazy."))


_add_rows()
numpy_fallback.RECORDED |= {function: composed(function) for function in names(*RECORDED)}
numpy_fallback.ON_DEVICES |= {function: where_there(composed(function)) for function in names(*ON_DEVICES)}
