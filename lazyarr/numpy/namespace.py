"""Lazy counterparts of NumPy modules: every public name is a row of the table of operations, or NumPy's own object."""
import functools
import importlib
import importlib.util
import math
import sys
import types
import warnings

import numpy as np

import lazyarr.numpy.norms
import lazyarr.numpy.sinc_function  # noqa: F401 - with both all rows are in the table
from lazyarr._core import api as core
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr.numpy.private import is_in_c, private_module
from lazyarr.numpy.ufuncs import UFunc, UFuncOfArrays, waiting, without_scalars, wrapped
from lazyarr.ops import fourier
from lazyarr.ops.devices import MAKERS, placed
from lazyarr.ops.numpy_fallback import immediate
from lazyarr.ops.table import IMMEDIATE, OPAQUE, find, numpy_name

# Functions that neither take nor return LazyArrays: NumPy's own objects.
OWN = frozenset("""
    asmatrix broadcast_shapes get_bit_generator get_include get_printoptions get_state getbufsize geterr
    geterrcall isdtype issubdtype nested_iters printoptions seed set_bit_generator
    set_printoptions set_state setbufsize seterr seterrcall show_config show_runtime test typename
""".split())

# Functions for which NumPy's own is not called on small arrays: it would convert its argument to an ndarray, keep or
# lend its memory, return a read-only array, or call the program back with ndarrays.
_BUILDS_ITSELF = frozenset("""
    apply_along_axis apply_over_axes arange array as_strided asanyarray asarray asarray_chkfinite ascontiguousarray
    asfortranarray asmatrix bmat broadcast_arrays copy empty from_dlpack frombuffer fromfile fromfunction fromiter
    fromregex fromstring full genfromtxt imag load loadtxt mask_indices meshgrid nditer ones piecewise real require save
    savetxt savez savez_compressed sliding_window_view vectorize zeros
""".split())
# Functions that write to an argument, or have an option for it.
_WRITES = frozenset("""
    busday_count busday_offset copyto fill_diagonal is_busday median nan_to_num nanmedian nanpercentile nanquantile
    percentile place put put_along_axis putmask quantile
""".split())
# Functions whose results may be views of an argument.
_VIEWS = frozenset("""
    array_split as_strided asarray_chkfinite astype atleast_1d atleast_2d atleast_3d broadcast_arrays broadcast_to diag
    diagonal dsplit einsum expand_dims flip fliplr flipud hsplit imag ix_ linalg.diagonal linalg.matrix_transpose
    matrix_transpose meshgrid moveaxis nan_to_num permute_dims ravel real real_if_close reshape rollaxis rot90
    sliding_window_view split squeeze swapaxes transpose trim_zeros unstack vsplit
""".split())
# Functions that call the method of the same name with their positional arguments: it is called directly.
_BY_METHOD = frozenset("""
    argmax argmin argpartition argsort choose cumprod cumsum diagonal nonzero prod repeat searchsorted swapaxes take
    trace
""".split())
ROOM = 1_000_000  # elements of results computed at once
# Functions whose results may be much larger than their operands, or take much longer than reading these.
_GROWS = frozenset("""
    broadcast_arrays broadcast_to convolve correlate cross diag diagflat dot einsum eye geomspace
    histogram2d histogramdd identity indices inner kron linalg.matmul linalg.multi_dot linalg.tensordot linspace
    logspace pad polymul repeat resize tensordot tile tri vander
""".split())
# Those for which the argument at this position alone determines the size of the result.
_COUNTED = {"histogram2d": 2, "histogramdd": 1}
# Functions whose results a graph would fuse with their readers, and the limit for them.
_FUSED = frozenset({"linalg.outer", "outer"})
_FUSED_ROOM = 1 << 18

# Functions of several steps that a graph would not speed up, unless they read much more than LARGE.
_UNFUSED = frozenset("""
    argpartition array_equiv average block can_cast common_type corrcoef cov diag_indices_from ediff1d einsum_path
    fft.fftshift fft.ifftshift linalg.multi_dot may_share_memory nanmax nanmin partition polyadd polysub
    put_along_axis resize result_type row_stack shares_memory take take_along_axis tril_indices_from
    triu_indices_from
""".split())

# Functions that may call LAPACK, which finds errors in values; they are raised at the line of the call.
_BY_LAPACK = frozenset({"linalg.lstsq", "linalg.matrix_power", "linalg.tensorinv", "linalg.tensorsolve"})

# Functions that read values of their arguments at once, as part of the graph that computes these.
_LOOKS = frozenset({"allclose", "array_equal", "array_equiv"})

# Submodules whose counterparts are imported on first use.
_SUBMODULES = frozenset({"numpy.char", "numpy.ctypeslib", "numpy.fft", "numpy.lib", "numpy.lib.mixins",
                         "numpy.lib.recfunctions", "numpy.linalg", "numpy.polynomial", "numpy.random", "numpy.rec",
                         "numpy.testing"})


def lazy_counterpart(name, obj):
    """Return the counterpart in `lazyarr.numpy` of NumPy's `obj`."""
    if isinstance(obj, np.ufunc):
        return wrapped(obj)
    if isinstance(obj, types.ModuleType):
        return submodule(obj.__name__)
    op = find(obj) if callable(obj) else None
    if op is None and (isinstance(obj, type | types.ModuleType) or not callable(obj) or name in OWN):
        return obj
    return face_function(obj)


_face_functions = {}


def face_function(original):
    """Return the counterpart of a NumPy function, which runs at once on small arrays and otherwise makes a node.

    Types are returned as they are.
    """
    found = _face_functions.get(original)
    if found is None:
        op = find(original)
        lazily = immediate(original) if op is None else op.function
        if isinstance(lazily, type):
            return lazily
        name = numpy_name(original)
        lazily = placed(lazily, name)
        values = None if name in _BUILDS_ITSELF else getattr(original, "_implementation", original)
        room = ROOM if name in _GROWS else _FUSED_ROOM if name in _FUSED else 0
        by_lapack = (op is not None and op.kind == OPAQUE and name.startswith("linalg.")) or name in _BY_LAPACK
        evaluates = 2 if hasattr(lazily, "evaluates") or name in _LOOKS else int(by_lapack)
        kind = core.UnboundFunction if isinstance(original, types.BuiltinFunctionType) else core.Function
        found = kind(name, lazily, values, writes=name in _WRITES, room=room, out=place_of_out(lazily),
                     counted=_COUNTED.get(name, -1),
                     by_method=getattr(np.ndarray, name) if name in _BY_METHOD else None,
                     largest=math.inf if by_lapack else largest(name, op.kind if op else IMMEDIATE),
                     evaluates=evaluates, views=name in _VIEWS, makes=name in MAKERS,
                     multiplies=name in _FUSED or name == "kron")
        found.original, found.overridable = original, hasattr(original, "_implementation")
        place = name.rpartition(".")[0]
        core.named(found, lazily, f"lazyarr.numpy.{place}" if place else "lazyarr.numpy")
        found.__wrapped__ = getattr(original, "__wrapped__", original)
        _face_functions[original] = found
    return found


def largest(name, kind):
    """Return the maximum number of elements for which NumPy's function is called at once; 0 for the default."""
    if kind == IMMEDIATE:
        return math.inf
    if kind == OPAQUE and name.startswith("fft."):
        return fourier.LARGE - 1  # larger ones are SciPy's
    if name == "putmask":
        return 0  # a graph writes by operations of its own where it can
    return core.LARGE if kind == OPAQUE or name in _UNFUSED else 0


def place_of_out(function):
    """Return the position of the argument `out`; -1 if there is none."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    code = getattr(function, "__code__", None)
    names = () if code is None else code.co_varnames[:code.co_argcount]
    return names.index("out") if "out" in names else -1


class WaitingFace:
    """The names of a module, with functions that are lazy for arrays of any size.

    `place`, `lazyarr` say or `lazyarr.array_api`, has the names of `module`. With `arrays`, results are arrays where
    NumPy returns scalars.
    """

    def __init__(self, place, arrays=False, module="lazyarr.numpy"):
        self._place = place
        self._arrays = arrays
        self._module = module
        self._made = {}  # by function of `lazyarr.numpy`, which may have several names

    @api_boundary
    def __getattr__(self, name):
        module = importlib.import_module(self._module)
        if not hasattr(module, name):
            raise AttributeError(why_not(name, self._place), name=name, obj=sys.modules[self._place])
        found = self._waiting(getattr(module, name))
        setattr(self, name, found)
        return found

    def _waiting(self, obj):
        if type(obj) is UFunc:
            return waiting(obj, UFuncOfArrays if self._arrays else UFunc)
        if not isinstance(obj, core.Function):
            return obj
        found = self._made.get(obj)
        if found is None:
            lazily = _giving_arrays(obj.lazily) if self._arrays else obj.lazily
            found = self._made[obj] = core.named(core.Function("", lazily, waits=True), obj.lazily, self._place)
        return found


def _giving_arrays(function):
    @functools.wraps(function)
    def public(*args, **kwargs):
        return without_scalars(function(*args, **kwargs))

    return public


def public_names(module):
    """Return the public names of a NumPy module."""
    return [name for name in dir(module) if not name.startswith("_")]


def face(namespace, name):
    """Return `__getattr__`, for its first call, and `__dir__` of the counterpart of a NumPy module.

    Names that are already in its namespace are hand-written and stay.
    """
    return deferred(namespace, lambda: fill(namespace, importlib.import_module(name)))


def deferred(namespace, load):
    """Return `__getattr__` and `__dir__` of a module whose names `load` adds when the first one is accessed.

    `load` may be called more than once, by several threads.
    """
    def loaded():
        load()
        if namespace.get("__getattr__") is __getattr__:
            namespace.pop("__getattr__", None)  # unless another thread was faster

    @api_boundary
    def __getattr__(name):
        if not name.startswith("__") or name == "__all__":
            loaded()
            if name in namespace:
                return namespace[name]
            if "__getattr__" in namespace:
                return namespace["__getattr__"](name)
        raise AttributeError(f"module {namespace['__name__']!r} has no attribute {name!r}")

    def __dir__():
        if "__getattr__" in namespace:
            loaded()
        return sorted([name for name in namespace if not name.startswith("_")])

    return __getattr__, __dir__


def fill(namespace, module):
    """Add the missing names of NumPy's `module` to the namespace of its counterpart."""
    for name, obj in list(vars(module).items()):  # imports may add to it
        if name not in namespace and not name.startswith("__"):
            namespace[name] = lazy_counterpart(name, obj)
    if module is np:
        for name in dir(np):
            if name not in namespace and not name.startswith("__"):
                namespace[name] = _found_later(name)
    elif "__getattr__" in vars(module):
        namespace["__getattr__"] = api_boundary(lambda name: lazy_counterpart(name, getattr(module, name)))
    namespace.setdefault("__all__", vars(module).get("__all__") or public_names(module))


def _found_later(name):
    """Return the counterpart of a name that NumPy looks up lazily."""
    path = f"numpy.{name}"
    if path in _SUBMODULES:
        return submodule(path)
    if importlib.util.find_spec(path) is not None:
        return _twin(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings about upcoming removals
        return lazy_counterpart(name, getattr(np, name))


def submodule(path):
    """Return the counterpart of a NumPy module, or the module itself."""
    if path in _SUBMODULES:
        return importlib.import_module(f"lazyarr.{path}")
    module = importlib.import_module(path)
    is_private = module.__name__.startswith("numpy.") and ("._" in module.__name__ or is_in_c(module))
    return private_module(module) if is_private else module


def why_not(name, place="lazyarr.numpy"):
    """Return NumPy's message about a missing name; for a removed one, with its replacement."""
    try:
        getattr(np, name)
    except AttributeError as error:
        return str(error).replace("module 'numpy'", f"module {place!r}")
    return f"module {place!r} has no attribute {name!r}"


def _twin(path):
    """Return a module with NumPy's names that is imported when one of them is accessed."""
    twin = types.ModuleType(path)
    names = vars(twin)
    names["__getattr__"], names["__dir__"] = deferred(names, lambda: names.update(vars(importlib.import_module(path))))
    return twin
