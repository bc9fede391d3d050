"""Handwritten signatures for tests/generate_stubs.py, where NumPy's stubs are incomplete or specific to ndarrays."""

_FOLD = ["axis: Axis = None", "dtype: None = None", "out: None = None", "keepdims: bool = ...",
         "initial: Operand = ...", "where: Operand = ..."]
_FOLD_TYPED = ["axis: Axis = None", "*", "dtype: _DTypeLike[ScalarT]", "out: None = None", "keepdims: bool = ...",
               "initial: Operand = ...", "where: Operand = ..."]
_FOLD_OUT = ["axis: Axis = None", "dtype: DType = None", "*", "out: OutT", "keepdims: bool = ...",
             "initial: Operand = ...", "where: Operand = ..."]
_FOLD_ANY = ["axis: Axis = None", "dtype: DType = None", "out: None = None", *_FOLD[3:]]


def _folds(parameters, typed, out, other):
    """Return the overloads of sums: integers widen to the pointer size, floats keep their dtype."""
    return [(["a: _ArrayLike[InexactT]", *parameters], "LazyArray[InexactT]"),
            (["a: _ArrayLike[np.bool | np.signedinteger]", *parameters], "LazyArray[np.intp]"),
            (["a: _ArrayLike[np.unsignedinteger]", *parameters], "LazyArray[np.uintp]"),
            (["a: Operand", *typed], "LazyArray[ScalarT]"), (["a: Operand", *out], "OutT"),
            (["a: Operand", *other], "LazyArray")]


_SCAN = ["axis: OneAxis = None", "dtype: None = None", "out: None = None"]
_SCANS = _folds(_SCAN, ["axis: OneAxis = None", "*", "dtype: _DTypeLike[ScalarT]", "out: None = None"],
                ["axis: OneAxis = None", "dtype: DType = None", "*", "out: OutT"],
                ["axis: OneAxis = None", "dtype: DType = None", "out: None = None"])
_FOLDS = _folds(_FOLD, _FOLD_TYPED, _FOLD_OUT, _FOLD_ANY)
_SPREAD = ["ddof: float = 0", "keepdims: bool = ...", "*", "where: Operand = ...", "mean: Operand = ...",
           "correction: float = ..."]
_KEYWORDS = [part for part in _SPREAD if part != "*"]
_SPREADS = [*[([f"a: _ArrayLike[{of}]", "axis: Axis = None", "dtype: None = None", "out: None = None", *_SPREAD],
               f"LazyArray[{to}]")
              for of, to in [("FloatingT", "FloatingT"), ("np.bool | np.integer", "np.float64"),
                             ("np.complex128", "np.float64"), ("np.complex64", "np.float32")]],
            (["a: Operand", "axis: Axis = None", "*", "dtype: _DTypeLike[ScalarT]", "out: None = None", *_KEYWORDS],
             "LazyArray[ScalarT]"),
            (["a: Operand", "axis: Axis = None", "dtype: DType = None", "*", "out: OutT", *_KEYWORDS], "OutT"),
            (["a: Operand", "axis: Axis = None", "dtype: DType = None", "out: None = None", *_SPREAD], "LazyArray")]
_MEAN = ["keepdims: bool = ...", "*", "where: Operand = ..."]
_MEANS = [*[([f"a: {of}", "axis: Axis = None", "dtype: None = None", "out: None = None", *_MEAN], to)
            for of, to in [("_ArrayLike[InexactT]", "LazyArray[InexactT]"),
                           ("_ArrayLike[np.bool | np.integer]", "LazyArray[np.float64]"),
                           ("_ArrayLike[np.timedelta64]", "LazyArray[np.timedelta64]")]],
          (["a: Operand", "axis: Axis = None", "*", "dtype: _DTypeLike[ScalarT]", "out: None = None",
            "keepdims: bool = ...", "where: Operand = ..."], "LazyArray[ScalarT]"),
          (["a: Operand", "axis: Axis = None", "dtype: DType = None", "*", "out: OutT", "keepdims: bool = ...",
            "where: Operand = ..."], "OutT"),
          (["a: Operand", "axis: Axis = None", "dtype: DType = None", "out: None = None", *_MEAN], "LazyArray")]

_PYTHON = [("bool", "np.bool"), ("int", "np.intp"), ("float", "np.float64"), ("complex", "np.complex128")]


def _listed(kind):
    return f"{kind} | Sequence[{kind}] | Sequence[Sequence[{kind}]]"


_COPY = ["*", "copy: bool | None = None", "order: Order = 'K'", "subok: bool = False", "ndmin: int = 0",
         "ndmax: int = 0", "like: _SupportsArrayFunc | None = None"]
_LIKE = ["*", "device: str | None = None", "like: _SupportsArrayFunc | None = None"]
_SHARE = ["order: Order = None", "*", "device: str | None = None", "copy: bool | None = None",
          "like: _SupportsArrayFunc | None = None"]
_SINGLE = "_ArrayLike[np.float16 | np.float32 | np.complex64]"
_LINE = ["n: int | None = None", "axis: int = -1", "norm: Literal[None, 'backward', 'ortho', 'forward'] = None",
         "out: Array[Any] | None = None"]
_GRID = ["s: Sequence[int] | None = None", "axes: Sequence[int] | None = None",
         "norm: Literal[None, 'backward', 'ortho', 'forward'] = None", "out: Array[Any] | None = None"]


def _transform(parameters, single, double):
    """Return the overloads of a Fourier transform, which keeps single precision."""
    return [([f"a: {_SINGLE}", *parameters],
                                                                   f"LazyArray[{single}]"),
            (["a: _ArrayLikeNumber_co", *parameters], f"LazyArray[{double}]")]


_COMPLEX, _REAL = ("np.complex64", "np.complex128"), ("np.float32", "np.float64")

# Overloads before NumPy's: for Python numbers, and for lists, which mypy does not accept as nested sequences.
MORE = {
    "array": [([f"object: {_listed(of)}", "dtype: None = None", *_COPY], f"LazyArray[{to}]") for of, to in _PYTHON],
    **{name: [([f"a: {_listed(of)}", "dtype: None = None", *_SHARE], f"LazyArray[{to}]") for of, to in _PYTHON]
       for name in ("asarray", "asanyarray")},
    **{name: [(["arrays: Sequence[_ArrayLike[ScalarT]]", "/", "axis: SupportsIndex | None = 0", "out: None = None", "*",
                "dtype: None = None", "casting: Casting = 'same_kind'"], "LazyArray[ScalarT]")]
       for name in ("concatenate", "concat")},
    "full": [(["shape: ShapeLike", f"fill_value: {of}", "dtype: None = None", "order: Literal['C', 'F'] = 'C'", *_LIKE],
              f"LazyArray[{to}]") for of, to in _PYTHON],
}
OVERRIDES = {
    **{name: _transform(_LINE, *_COMPLEX) for name in ("fft", "ifft", "rfft", "ihfft")},
    **{name: _transform(_LINE, *_REAL) for name in ("irfft", "hfft")},
    **{name: _transform(_GRID, *_COMPLEX) for name in ("fft2", "ifft2", "rfft2", "fftn", "ifftn", "rfftn")},
    **{name: _transform(_GRID, *_REAL) for name in ("irfft2", "irfftn")},
    "sum": _FOLDS, "prod": _FOLDS, "nansum": _FOLDS, "nanprod": _FOLDS,
    "cumsum": _SCANS, "cumprod": _SCANS, "nancumsum": _SCANS, "nancumprod": _SCANS,
    "mean": _MEANS, "nanmean": _MEANS,
    "var": _SPREADS, "std": _SPREADS, "nanvar": _SPREADS, "nanstd": _SPREADS,
    "where": [
        (["condition: Operand", "/"], "tuple[LazyArray[np.intp], ...]"),
        (["condition: Operand", "x: _ArrayLike[SameScalarT]", "y: _ArrayLike[SameScalarT]", "/"],
         "LazyArray[SameScalarT]"),
        (["condition: Operand", "x: _ArrayLike[NumberT]", "y: int", "/"], "LazyArray[NumberT]"),
        (["condition: Operand", "x: int", "y: _ArrayLike[NumberT]", "/"], "LazyArray[NumberT]"),
        (["condition: Operand", "x: _ArrayLike[InexactT]", "y: float", "/"], "LazyArray[InexactT]"),
        (["condition: Operand", "x: float", "y: _ArrayLike[InexactT]", "/"], "LazyArray[InexactT]"),
        (["condition: Operand", "x: _ArrayLikeFloat64_co", "y: _ArrayLike[np.float64]", "/"], "LazyArray[np.float64]"),
        (["condition: Operand", "x: _ArrayLike[np.float64]", "y: _ArrayLikeFloat64_co", "/"], "LazyArray[np.float64]"),
        (["condition: Operand", "x: Operand", "y: Operand", "/"], "LazyArray")],
    "meshgrid": [
        (["*xi: _ArrayLike[ScalarT]", "copy: bool = True", "sparse: bool = False",
          "indexing: Literal['ij', 'xy'] = 'xy'"], "tuple[LazyArray[ScalarT], ...]"),
        (["*xi: Operand", "copy: bool = True", "sparse: bool = False", "indexing: Literal['ij', 'xy'] = 'xy'"],
         "tuple[LazyArray, ...]")],
    "bmat": [(["obj: str | Sequence[Operand]", "ldict: Mapping[str, Any] | None = None",
               "gdict: Mapping[str, Any] | None = None"], "np.matrix[Any, Any]")],
    "repeat": [(["a: _ArrayLike[ScalarT]", "repeats: Operand", "axis: Axis = None"], "LazyArray[ScalarT]"),
               (["a: Operand", "repeats: Operand", "axis: Axis = None"], "LazyArray")],
    "linalg.tensordot": [
        (["x1: _ArrayLike[SameNumberT]", "x2: _ArrayLike[SameNumberT]", "/", "*",
          "axes: int | tuple[ShapeLike, ShapeLike] = 2"], "LazyArray[SameNumberT]"),
        (["x1: Operand", "x2: Operand", "/", "*", "axes: int | tuple[ShapeLike, ShapeLike] = 2"], "LazyArray")],
    "shape": [(["a: Operand"], "tuple[int, ...]")],
    "vecdot": [
        (["x1: _ArrayLike[SameNumberT]", "x2: _ArrayLike[SameNumberT]", "/", "*", "axis: SupportsIndex = -1"],
         "LazyArray[SameNumberT]"),
        (["x1: Operand", "x2: Operand", "/", "*", "axis: SupportsIndex = -1"], "LazyArray")],
    "load": [(["file: Any", "mmap_mode: Literal['r', 'r+', 'w+', 'c'] | None = None", "allow_pickle: bool = False",
               "fix_imports: bool = True", "encoding: Literal['ASCII', 'latin1', 'bytes'] = 'ASCII'", "*",
               "max_header_size: int = 10000"], "Any")],
}

RANDOM = '''
from builtins import bytes as _bytes
from numpy.random import BitGenerator as _BitGenerator, Generator as _Generator, RandomState as _RandomState
from numpy.random import SeedSequence as _SeedSequence

def default_rng(
    seed: int | _ArrayLikeInt_co | _SeedSequence | _BitGenerator | _Generator | _RandomState | None = None
) -> Generator: ...
def get_bit_generator() -> _BitGenerator: ...
def set_bit_generator(bitgen: _BitGenerator) -> None: ...
'''

MODULE = '''
from lazyarr.numpy.namespace_info import ArrayNamespaceInfo as _ArrayNamespaceInfo
from numpy import __version__ as __version__

__array_api_version__: str
__array_namespace_info__: type[_ArrayNamespaceInfo]
'''

# lazyarr's objects under names of NumPy that are not functions.
EXTRA = '''
from typing import Any as _Any, Literal as _Literal
import numpy as _np
from lazyarr._core.frontend.lazy_array import LazyArray as _LazyArray
from lazyarr.stubs.ufuncs import AnyUfunc as _AnyUfunc

from lazyarr._core.frontend.lazy_array import LazyArray as ndarray
from lazyarr.stubs.ufuncs import Ufunc as ufunc

class _Joiner:
    def __getitem__(self, key: _Any) -> _LazyArray: ...
    def __len__(self) -> _Literal[0]: ...

class _OpenGrid:
    def __getitem__(self, key: _Any) -> tuple[_LazyArray, ...]: ...

c_: _Joiner
r_: _Joiner
mgrid: _Joiner
ogrid: _OpenGrid
index_exp: _np.lib._index_tricks_impl.IndexExpression[_Literal[True]]
s_: _np.lib._index_tricks_impl.IndexExpression[_Literal[False]]

def frompyfunc(func: _Any, /, nin: int, nout: int, **kwargs: _Any) -> _AnyUfunc: ...

'''
