"""Adapters for libraries that check for NumPy's type: under the runner and in notebooks they get ndarrays.

pandas takes any other array for a sequence of labels where it expects a mask as key, ignores the fields of records, and
takes a 0-d array for an array of its dtype; scipy.ndimage takes an output array for a dtype; SciPy's optimisers take a
Jacobian for an operator; scikit-learn checks types of parameters; Polars, and compiled code of SciPy, Numba, OpenCV and
PyTorch, accept no other type. The ndarrays share the memory of the LazyArrays.
"""

import functools
import importlib.machinery
import inspect
import os
import sys
from collections.abc import Callable
from types import BuiltinFunctionType, MethodDescriptorType, ModuleType
from typing import Any

import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.operands import LazyArray, find_lazy, map_lazy

_COMPARED = ("eq", "ne", "lt", "le", "gt", "ge")
_COMPUTED = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")
_OPERATORS = [f"__{name}__" for name in _COMPARED] + [
    f"__{kind}{name}__" for kind in ("", "r", "i") for name in (*_COMPUTED, "and", "or", "xor")]
_WRITTEN = {"output", "distances", "indices"}  # parameters of scipy.ndimage
# SciPy's functions that check for the type, by the module that defines them.
_SCIPY = {
    "linalg._linalg_pythran": "_funm_loops",
    "linalg.interpolative": "estimate_rank estimate_spectral_norm estimate_spectral_norm_diff id_to_svd interp_decomp "
                            "reconstruct_interp_matrix reconstruct_matrix_from_id reconstruct_skel_matrix svd",
    "optimize._group_columns": "group_dense group_sparse",
    "optimize._root_scalar": "root_scalar",
    "signal._peak_finding": "find_peaks",
    "sparse.linalg._eigen.arpack.arpack": "eigs eigsh",
    "sparse.linalg._interface": "aslinearoperator",
    "special._basic": "factorial factorial2 factorialk",
    "stats._mgc": "multiscale_graphcorr",
}
_HOLDERS = {LazyArray, list, tuple, dict}  # types of arguments in which LazyArrays are looked for


def adapt_libraries() -> None:
    """Adapt imported libraries now, and others once they are imported."""
    when_imported("pandas", adapt_pandas)
    when_imported("polars", adapt_polars)
    when_imported("numba", adapt_numba)
    when_imported("cv2", adapt_opencv)
    when_imported("torch", adapt_torch)
    for name, functions in _SCIPY.items():
        when_imported(f"scipy.{name}", functools.partial(_adapt_scipy, functions.split(), _given_ndarrays))
    when_imported("scipy.optimize._differentiable_functions", adapt_optimisers)
    when_imported("scipy.sparse", adapt_sparse)
    for name in "blas", "lapack":
        when_imported(f"scipy.linalg.{name}", adapt_f2py)
    when_imported("scipy.sparse.linalg._dsolve._superlu", adapt_superlu)
    if not follows_standard():  # otherwise its results are LazyArrays
        when_imported("scipy.ndimage", adapt_ndimage)
        when_imported("scipy._lib.array_api_compat.common._helpers", adapt_namespaces)
        when_imported("sklearn.utils._param_validation", adapt_validation)
        when_imported("sklearn.base", adapt_estimators)
        when_imported("sklearn.model_selection._search", adapt_grids)


def follows_standard() -> bool:
    """Return whether the environment makes SciPy and scikit-learn follow the array API standard."""
    return os.environ.get("SCIPY_ARRAY_API", "0") not in ("", "0", "false")


def adapt_pandas(pandas: Any) -> None:
    """Make pandas accept LazyArrays as keys, columns, records, groups and operands."""
    _adapt(pandas.DataFrame, "__init__", "groupby", "join", "merge", "pivot_table", "set_index",
           *_COMPARED, *_COMPUTED, *[f"r{n}" for n in _COMPUTED])
    _adapt(pandas.Series, "__init__", "groupby")
    for owner in pandas.DataFrame, pandas.Series, pandas.Index:
        _adapt(owner, *[name for name in _OPERATORS if hasattr(owner, name)])
    _adapt_defined([found for found in vars(pandas).values() if isinstance(found, type)
                    and issubclass(found, pandas.Index)], "__getitem__", "asof_locs", "delete")
    _adapt_defined([getattr(pandas.arrays, name) for name in pandas.arrays.__all__],
                   "__init__", "__getitem__", "__setitem__", *_OPERATORS)
    _adapt(pandas, "array", "factorize", "merge", "pivot_table", "unique")
    _adapt(pandas.api.extensions, "take")
    _adapt(pandas.api.indexers, "check_array_indexer")
    _adapt(pandas.util, "hash_array")
    _adapt(sys.modules["pandas.core.common"], "apply_if_callable")  # called for each key of `[]`, `loc` and `iloc`
    pandas.DataFrame.from_records = classmethod(_given_ndarrays(pandas.DataFrame.from_records.__func__))


def adapt_polars(polars: Any) -> None:
    """Make Polars accept LazyArrays as columns and keys."""
    _adapt(polars.DataFrame, "__init__", "__getitem__", "filter", "with_columns")
    _adapt(polars.Series, "__init__", "__getitem__", "__setitem__", "filter", "gather", "is_in")
    _adapt(polars, "from_numpy", "lit")


def adapt_numba(numba: Any) -> None:
    """Make compiled functions accept LazyArrays."""
    _adapt(sys.modules["numba.core.dispatcher"].Dispatcher, "__call__")


def adapt_opencv(cv2: Any) -> None:
    """Make OpenCV's functions and methods accept LazyArrays, also to draw on."""
    modules = [cv2, *[found for found in vars(cv2).values() if isinstance(found, ModuleType)
                      and found.__name__.startswith("cv2.")]]
    classes = [found for found in vars(cv2).values() if isinstance(found, type) and found.__module__.startswith("cv2")]
    for owner in modules + classes:
        _adapt(owner, *[name for name, found in vars(owner).items()
                        if isinstance(found, BuiltinFunctionType | MethodDescriptorType) and not name.startswith("_")])


def adapt_torch(torch: Any) -> None:
    """Make PyTorch create tensors from LazyArrays."""
    _adapt(torch, "from_numpy", "as_tensor", "asarray", "tensor")


def adapt_ndimage(ndimage: Any) -> None:
    """Make filters, measurements and distances write to LazyArrays."""
    _adapt(ndimage, *[name for name in ndimage.__all__ if callable(getattr(ndimage, name))
                      and not _WRITTEN.isdisjoint(inspect.signature(getattr(ndimage, name)).parameters)])


def adapt_optimisers(functions: Any) -> None:
    """Make values and derivatives that a program returns to an optimiser ndarrays."""
    for owner in functions.ScalarFunction, functions.VectorFunction:
        for name in _present(owner, "fun", "grad", "fun_and_grad", "jac", "hess"):
            setattr(owner, name, _returning_ndarrays(getattr(owner, name)))


def adapt_namespaces(helpers: Any) -> None:
    """Make NumPy the array API namespace of LazyArrays, which a program's functions return to SciPy's."""
    numpys = np.empty(0)

    def of_numpys(namespace: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(namespace)
        def public(*arrays, **options):
            return namespace(*map_lazy(arrays, lambda x: numpys), **options)

        return public

    _adapt_scipy(["array_namespace", "get_namespace"], of_numpys, helpers)


def adapt_sparse(sparse: Any) -> None:
    """Make sparse arrays accept LazyArrays as dense operands."""
    _adapt_defined([found for found in vars(sparse).values() if isinstance(found, type)],
                   "maximum", "minimum", "tensordot")


def adapt_f2py(functions: Any) -> None:
    """Give Fortran functions ndarrays: they overwrite any other array, in spite of `overwrite_x=0`."""
    _adapt(functions, *[name for name, found in vars(functions).items() if type(found).__name__ == "fortran"])


def adapt_superlu(superlu: Any) -> None:
    """Make factorizations of sparse matrices solve for LazyArrays."""
    factorize = superlu.gstrf
    superlu.gstrf = lambda *args, **kwargs: _Factors(factorize(*args, **kwargs))


class _Factors:
    """A factorization by SuperLU that accepts LazyArrays."""

    def __init__(self, factors: Any):
        self._factors = factors
        self.solve = _given_ndarrays(factors.solve)

    def __getattr__(self, name):
        return getattr(self._factors, name)

    def __repr__(self):
        return repr(self._factors)

    def __reduce_ex__(self, protocol):
        return self._factors.__reduce_ex__(protocol)

    @property  # type: ignore[misc]
    def __class__(self):
        return type(self._factors)


def adapt_validation(validation: Any) -> None:
    """Make scikit-learn's functions that check their arguments' types accept LazyArrays."""
    validate = validation.validate_params

    @functools.wraps(validate)
    def validate_params(*args, **kwargs):
        decorate = validate(*args, **kwargs)
        return lambda function: _given_ndarrays(decorate(function))

    validation.validate_params = validate_params


def adapt_estimators(base: Any) -> None:
    """Make estimators accept LazyArrays as parameters: those are ndarrays from the first `fit` on."""
    validate = base.BaseEstimator._validate_params

    @functools.wraps(validate)
    def _validate_params(self):
        parameters = self.get_params(deep=False)
        for name, value in parameters.items():
            if find_lazy([value]):
                setattr(self, name, _ndarrays(value))
        return validate(self)

    base.BaseEstimator._validate_params = _validate_params


def adapt_grids(search: Any) -> None:
    """Make searches accept LazyArrays as the values of a parameter."""
    for owner in search.ParameterGrid, search.ParameterSampler:
        _adapt(owner, "__init__")


def _adapt_scipy(names: list[str], adapted: Callable[..., Any], module: ModuleType) -> None:
    """Adapt functions of one of SciPy's modules, also where others have already imported them."""
    for name in _present(module, *names):
        original = getattr(module, name)
        replacement = adapted(original)
        for path, other in list(sys.modules.items()):
            if path.startswith("scipy.") and getattr(other, "__dict__", {}).get(name) is original:
                setattr(other, name, replacement)


def _present(owner: Any, *names: str) -> list[str]:
    """Return those of the names that the installed version has."""
    return [name for name in names if hasattr(owner, name)]


def _adapt_defined(classes: list[type], *names: str) -> None:
    """Adapt methods of a library's classes where these or their bases define them in Python."""
    for owner in {base for found in classes for base in found.__mro__}:
        if owner.__module__.startswith(("pandas", "scipy")) and not owner.__module__.startswith("pandas._libs"):
            _adapt(owner, *[name for name in names if name in vars(owner)])


def _adapt(owner: Any, *names: str) -> None:
    """Make functions of a module, or methods of a class, get ndarrays instead of LazyArrays."""
    for name in names:
        setattr(owner, name, _given_ndarrays(getattr(owner, name)))


def _given_ndarrays(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that passes ndarrays on the memory of LazyArrays to another one."""
    @functools.wraps(function)
    def public(*args, **kwargs):
        if not (_HOLDERS.isdisjoint(map(type, args)) and _HOLDERS.isdisjoint(map(type, kwargs.values()))):
            args, kwargs = _ndarrays((args, kwargs))
        return function(*args, **kwargs)

    return public


def _returning_ndarrays(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that returns ndarrays on the memory of the LazyArrays that another one returns."""
    @functools.wraps(function)
    def public(*args, **kwargs):
        return _ndarrays(function(*args, **kwargs))

    return public


def _ndarrays(obj: Any) -> Any:
    """Evaluate the LazyArrays in an object and replace them by ndarrays on their memory."""
    found = find_lazy([obj])
    if not found:
        return obj
    core.evaluate(*found)
    return map_lazy(obj, lambda x: x.numpy()[()] if x._scalar else np.asarray(x))


def when_imported(name: str, adapt: Callable[[ModuleType], None]) -> None:
    """Call `adapt` with a module, now or as soon as it is imported."""
    module = sys.modules.get(name)
    if module is None:
        sys.meta_path.insert(0, _Finder(name, adapt))
    else:
        adapt(module)


class _Finder:
    """A finder that calls `adapt` when a module is first imported."""

    def __init__(self, name: str, adapt: Callable[[ModuleType], None]):
        self._name = name
        self._adapt = adapt

    def find_spec(self, name, path=None, target=None):
        if name != self._name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                execute(module)
                self._adapt(module)

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec
