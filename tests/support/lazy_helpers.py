"""Lazy arrays for tests, and their comparison."""

import numpy as np

import lazyarr as la
from support import program_runner, sample_values


def pending(data):
    """Return an unevaluated lazy array with these values."""
    data = np.array(data)
    return la.asarray(data) * np.ones((), data.dtype)


def both(shape=(4, 5), dtype="float64", seed=0):
    """Return the same array twice: as an ndarray, and as an unevaluated lazy array."""
    data = sample_values.make(dtype, shape, seed)
    return data, pending(data)


def assert_same(lazy, expected):
    """Compare shape, dtype and bits."""
    problem = program_runner.value_difference(np.asarray(expected), lazy)
    assert problem is None, problem


def compile_line(line, **variables):
    """Execute a line as line 3 of a separate file, user_script.py, and return its variables."""
    exec(compile("\n\n" + line, "user_script.py", "exec"), variables)
    return variables
