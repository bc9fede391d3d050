"""Libraries that ask whether an array is of NumPy's type: under the runner and in notebooks they get ndarrays.

pandas takes an array of any other type for a sequence of labels where it expects a mask as key, and does not see the
fields of records; compiled code of Numba, OpenCV and PyTorch takes no other type. What they get here is on the memory
of the LazyArray.
"""

import functools
import importlib.machinery
import sys
from collections.abc import Callable
from types import BuiltinFunctionType, MethodDescriptorType, ModuleType
from typing import Any

import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.operands import find_lazy, map_lazy

_COMPARED = ("eq", "ne", "lt", "le", "gt", "ge")
_COMPUTED = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")


def adapt_libraries() -> None:
    """Adapt those that are imported already, and the others as soon as they are."""
    when_imported("pandas", adapt_pandas)
    when_imported("numba", adapt_numba)
    when_imported("cv2", adapt_opencv)
    when_imported("torch", adapt_torch)


def adapt_pandas(pandas: Any) -> None:
    """Have pandas take LazyArrays as keys, columns, records and groups as it takes ndarrays."""
    frame, series, common = pandas.DataFrame, pandas.Series, sys.modules["pandas.core.common"]
    methods = ("__init__", "groupby", "set_index", *_COMPARED, *_COMPUTED, *[f"r{name}" for name in _COMPUTED])
    for owner, names in ((frame, methods), (series, ("__init__", "groupby")), (pandas, ("unique", "factorize")),
                         (common, ("apply_if_callable",))):  # which goes over each key of `[]`, `loc` and `iloc`
        for name in names:
            setattr(owner, name, _given_ndarrays(getattr(owner, name)))
    frame.from_records = classmethod(_given_ndarrays(frame.from_records.__func__))


def adapt_numba(numba: Any) -> None:
    """Have compiled functions take LazyArrays."""
    dispatcher = sys.modules["numba.core.dispatcher"].Dispatcher
    dispatcher.__call__ = _given_ndarrays(dispatcher.__call__)


def adapt_opencv(cv2: Any) -> None:
    """Have the functions of OpenCV and the methods of its objects take LazyArrays, also as what they draw on."""
    modules = [cv2, *[found for found in vars(cv2).values() if isinstance(found, ModuleType)
                      and found.__name__.startswith("cv2.")]]
    classes = [found for found in vars(cv2).values() if isinstance(found, type) and found.__module__.startswith("cv2")]
    for owner in modules + classes:
        for name, found in list(vars(owner).items()):
            if isinstance(found, BuiltinFunctionType | MethodDescriptorType) and not name.startswith("_"):
                setattr(owner, name, _given_ndarrays(found))


def adapt_torch(torch: Any) -> None:
    """Have PyTorch make tensors of LazyArrays."""
    for name in ("from_numpy", "as_tensor", "asarray", "tensor"):
        setattr(torch, name, _given_ndarrays(getattr(torch, name)))


def _given_ndarrays(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, called with ndarrays on the memory of LazyArrays."""
    @functools.wraps(function)
    def public(*args, **kwargs):
        found = find_lazy((args, kwargs))
        if found:
            core.evaluate(*found)
            args, kwargs = map_lazy((args, kwargs), lambda x: x.numpy()[()] if x._scalar else np.asarray(x))
        return function(*args, **kwargs)

    return public


def when_imported(name: str, adapt: Callable[[ModuleType], None]) -> None:
    """Call `adapt` with a module: now if it is imported already, else as soon as it is."""
    module = sys.modules.get(name)
    if module is None:
        sys.meta_path.insert(0, _Finder(name, adapt))
    else:
        adapt(module)


class _Finder:
    """Finds one module when it is first imported."""

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
