"""`assert_type` that holds what a type checker was told against the value, and runs of the checkers themselves."""

import subprocess
import sys
import types
import typing
from pathlib import Path

import numpy as np

from lazyarr import LazyArray

STUBS = Path(__file__).parents[2] / "lazyarr" / "stubs"


def assert_type(value, expected):
    """The value, which at run time is an instance of a type that a checker infers for it."""
    assert matches(value, expected), f"a checker takes {value!r} for {expected}"
    return value


def matches(value, expected):
    """Whether a value is of a type, down to the dtypes of arrays."""
    origin, arguments = typing.get_origin(expected), typing.get_args(expected)
    if expected is typing.Any:
        return True
    if expected is None:
        return value is None
    if expected is LazyArray or origin is LazyArray:
        # What has no axes may be a scalar of NumPy's, as `lazyarr.numpy` computes small work at once.
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
    """Whether the stubs were written with the NumPy that is there."""
    return f" with NumPy {np.__version__}:" in (STUBS / "names.pyi").read_text(encoding="utf-8")


def run(*command):
    """What a checker prints, line by line, and whether it found nothing."""
    # -P: the installed package, and not what lies in the folder that the tests are run from.
    made = subprocess.run([sys.executable, "-P", "-m", *command], capture_output=True, text=True, check=False,
                          timeout=280)
    return (made.stdout + made.stderr).splitlines(), made.returncode == 0
