"""Every operation of the table and every one of lazyarr's own, on small and medium arrays.

The import fails if an operation has no example. The parameters come from the examples rather than from the table, so
that they are the same in two commits; asv leaves out what a commit lacks.
"""

import inspect

import numpy as np

import lazyarr as la
from lazyarr.numpy.ufuncs import UFunc
from lazyarr.ops.table import TABLE

from .examples import LINES, MEDIUM, OWN_LINES, SMALL, arguments, function


def is_own(function):
    """Return whether a function is an operation of lazyarr without a counterpart in NumPy."""
    return (inspect.isroutine(function) and function.__module__.startswith("lazyarr.ops.")) or type(function) is UFunc


# Functions without a counterpart in NumPy, by their public names.
OWN = {name for name in la.__all__ if is_own(getattr(la, name))}
# Functions of lazyarr.nn that are a single operation; composed ones are not timed here.
SINGLE = {f"lazyarr.nn.functional.{module}" for module in ("conv", "one_hot", "pooling")}
OWN |= {f"nn.{name}" for name in la.nn.__all__ if getattr(getattr(la.nn, name), "__module__", None) in SINGLE}
OWN |= {f"nn.grad.{name}" for name in la.nn.grad.__all__}

missing = sorted({*(TABLE.keys() - LINES.keys() - OWN), *(OWN - OWN_LINES.keys())})
if missing:
    raise ImportError(f"operations without a line in asv_bench/benchmarks/examples.py: {', '.join(missing)}")


def evaluate(result):
    """Evaluate all lazy arrays in a result, possibly a tuple or list."""
    results = result if isinstance(result, tuple | list) else [result]
    if lazy := [item for item in results if isinstance(item, la.LazyArray)]:
        la.evaluate(*lazy)


def lazy_arguments(variables):
    """Return the variables with ndarrays replaced by lazy arrays that share their memory."""
    return {name: la.asarray(x) if isinstance(x, np.ndarray) else x for name, x in variables.items()}


class Brief:
    """Few samples, because there are many operations; floating-point warnings are off."""

    repeat = (1, 5, 0.5)
    warmup_time = 0.05

    def silence(self):
        self.errors = np.seterr(all="ignore")

    def teardown(self, name, n):
        np.seterr(**self.errors)


class Op(Brief):
    """An operation of NumPy; its results are evaluated."""

    params = (sorted(LINES), [SMALL, MEDIUM])
    param_names = ("name", "n")

    def setup(self, name, n):
        if name not in TABLE:
            raise NotImplementedError(f"{name} is not in the table")
        self.silence()
        variables = arguments(name, n)
        self.numpy = function(LINES[name], np, variables)
        self.lazy = function(LINES[name], la, lazy_arguments(variables))

    def time_lazyarr(self, name, n):
        evaluate(self.lazy())

    def time_numpy(self, name, n):
        self.numpy()


class Own(Brief):
    """A function that NumPy lacks."""

    params = (sorted(OWN_LINES), [SMALL, MEDIUM])
    param_names = ("name", "n")

    def setup(self, name, n):
        if name not in OWN:
            raise NotImplementedError(f"lazyarr has no {name}")
        self.silence()
        self.lazy = function(OWN_LINES[name], la, lazy_arguments(arguments(name, n)))

    def time_lazyarr(self, name, n):
        evaluate(self.lazy())
