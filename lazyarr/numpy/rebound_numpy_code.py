"""NumPy's own Python code, run on lazy operands.

Many of NumPy's functions are short Python programs over its other functions: `np.pad` makes an empty array and
assigns slices, `np.gradient` subtracts views. Called with a LazyArray, such a program would stay lazy, since what
it calls dispatches through `__array_function__`, but for the few calls that turn their argument into an ndarray.
So the same code objects are bound here to a namespace in which just these names differ. The result follows the
installed NumPy to the letter: its algorithm, its dtypes, its error messages.

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
from lazyarr.ops.devices import beside, device_number_of
from lazyarr.ops.operands import LazyArray, find_lazy, lazy, map_lazy, values, wrap
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
# These read values. They are called at once, unless history is kept.
RECORDED = "apply_along_axis extract poly polydiv polyfit polyint real_if_close roots trim_zeros".split()
# The number of the device that the operands of the running function are on, where it makes new arrays, too.
_device = contextvars.ContextVar("lazyarr.composed", default=0)
# These read values of arrays on devices, and the rest of their steps is done there.
ON_DEVICES = """
    intersect1d setdiff1d setxor1d union1d unique_all unique_counts unique_inverse unique_values
""".split()
# These iterate over elements, which are to stay arrays that know where they come from.
_ITERATING = {np.polyval}


def _keep_lazy(convert, original):
    """`convert` for LazyArrays and what holds them, NumPy's function for all else (index arithmetic stays cheap)."""
    def conversion(obj, *args, **kwargs):
        return (convert if find_lazy([obj]) else original)(obj, *args, **kwargs)
    return conversion


def _beside(make):
    """`make` with its array on the device of the running function's operands."""
    @functools.wraps(make)
    def maker(*args, **kwargs):
        return beside(make(*args, **kwargs), _device.get())
    return maker


def _any(a, *args, **kwargs):
    """Whether there is something to raise an error for; unknown if there is no value yet."""
    found = find_lazy([a])
    return not (found and reads_traced(found)) and np.any(a, *args, **kwargs)


class _Converter:
    """Stands for NumPy's `_array_converter`: operands as arrays, and the result in the class of the first."""

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
    """A ufunc that obeys `out=...` for LazyArrays: an array in any case. NumPy keeps that from their protocol."""

    def __call__(self, *args, **kwargs):
        if kwargs.get("out") is ... and find_lazy(args):
            return core.unscalar(self.ufunc(*args))
        return self.ufunc(*args, **kwargs)


class _Broadcast:
    """Stands for `numpy.broadcast`: its shape is known without values."""

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
    _linalg._multi_dot_matrix_chain_order: _linalg._multi_dot_matrix_chain_order,  # computes with shapes alone
    # np.block calls these past the dispatch.
    **{getattr(function, "__wrapped__", function): function for function in (np.concatenate, np.size, np.ndim)},
}


def _substitute(obj):
    if isinstance(obj, np.ufunc):
        return _ArrayUFunc(obj)
    if isinstance(obj, types.FunctionType) and obj.__globals__ is vars(np.polynomial.polyutils):
        return _namespace(obj.__globals__)[obj.__name__]  # the steps of several functions, which turn all into ndarrays
    try:
        return _SUBSTITUTES.get(obj, obj)
    except TypeError:  # unhashable
        return obj


class _Module:
    """A module of NumPy with the substitutes in place."""

    def __init__(self, module):
        self._module = module

    def __getattr__(self, name):
        found = _substitute(getattr(self._module, name))
        setattr(self, name, found)
        return found


_namespaces = {}
_filling = threading.RLock()  # other threads wait for a namespace that one thread fills


def _namespace(original):
    """A copy of a NumPy module's globals in which conversions keep LazyArrays, and functions see this copy."""
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
    """obj with the ndarrays in it as LazyArrays, so that no write can change them while the result is pending."""
    return map_lazy(obj, lambda x: core.asarray_operand(x) if type(x) is np.ndarray else x, np.ndarray)


def _remembering(result, operands, name):
    """The result with its ndarrays as LazyArrays that know what they were computed from."""
    def remembered(array):
        made = wrap(array)
        if isinstance(made, LazyArray):  # no array of a class derived from NumPy's
            vjp.connect(made, operands, name)
        return made

    return map_lazy(result, remembered, np.ndarray)


def composed(function, constants=True):
    """NumPy's function bound to the lazy namespace: lazy for LazyArrays, NumPy's own call for anything else.

    Its results are constants where they are ndarrays; or else some steps have computed them at once.
    """
    implementation = getattr(function, "__wrapped__", function)
    bound = None

    def public(*args, **kwargs):
        nonlocal bound
        operands = find_lazy((args, kwargs))
        if not operands:
            return wrap(function(*args, **kwargs))
        if bound is None:
            bound = _rebind(implementation, _namespace(implementation.__globals__))
        outer = _device.set(device_number_of(operands))
        try:
            with vjp.recording() if function in _ITERATING else contextlib.nullcontext():
                made = bound(*_snapshots(args), **_snapshots(kwargs))
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
