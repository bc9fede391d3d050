"""An `assert_type` that also checks the value at run time, and runs of type checkers."""

import subprocess
import sys
import types
import typing
from pathlib import Path

import numpy as np

from lazyarr import LazyArray

STUBS = Path(__file__).parents[2] / "lazyarr" / "stubs"


def assert_type(value, expected):
    """Return the value, after checking that it is an instance of the type that a checker infers."""
    assert matches(value, expected), f"a checker takes {value!r} for {expected}"
    return value


def matches(value, expected):
    """Return whether a value is of a type, including the dtypes of arrays."""
    origin, arguments = typing.get_origin(expected), typing.get_args(expected)
    if expected is typing.Any:
        return True
    if expected is None:
        return value is None
    if expected is LazyArray or origin is LazyArray:
        # 0-d results may be NumPy scalars, as `lazyarr.numpy` runs small work eagerly.
        return (isinstance(value, LazyArray | np.generic) or type(value) is LazyArray) \
            and (not arguments or _has_dtype(value, arguments[0]))
    if origin is np.ndarray:
        return type(value) is np.ndarray and _has_dtype(value, typing.get_args(arguments[1])[0])
    if origin is tuple:
        kinds = [arguments[0]] * len(value) if arguments[-1] is ... else arguments
        return isinstance(value, tuple) and len(kinds) == len(value) and all(map(matches, value, kinds))
    if origin in (list, dict):
        inner = value.values() if origin is dict else value
        return isinstance(value, origin) and all(matches(each, arguments[-1]) for each in inner)
    if origin in (types.UnionType, typing.Union):
        return any(matches(value, each) for each in arguments)
    return isinstance(value, origin or expected)


def _has_dtype(value, scalar):
    if scalar is typing.Any:
        return True
    return issubclass(value.dtype.type, typing.get_origin(scalar) or scalar)


def are_stubs_of_this_numpy():
    """Return whether the stubs were generated with the installed NumPy."""
    return f" with NumPy {np.__version__}:" in (STUBS / "names.pyi").read_text(encoding="utf-8")


def run(*command):
    """Return a checker's output as lines, and whether it found nothing."""
    # -P: the installed package, not one in the working directory.
    made = subprocess.run([sys.executable, "-P", "-m", *command], capture_output=True, text=True, check=False,
                          timeout=280)
    return (made.stdout + made.stderr).splitlines(), made.returncode == 0
