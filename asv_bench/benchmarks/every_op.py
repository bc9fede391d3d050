"""Every operation of the table and every one of lazyarr's own, on small and on middle-sized arrays.

The import fails if an operation has no example. The parameters come from the examples and not from the table, so that
two commits agree on them; what a commit does not have yet, asv leaves out.
"""

import inspect

import numpy as np

import lazyarr as la
from lazyarr.numpy.ufuncs import UFunc
from lazyarr.ops.table import TABLE

from .examples import LINES, MEDIUM, OWN_LINES, SMALL, arguments, function


def is_own(function):
    """Whether lazyarr has a function that is an operation and that NumPy has not."""
    return (inspect.isroutine(function) and function.__module__.startswith("lazyarr.ops.")) or type(function) is UFunc


# Functions without a counterpart in NumPy, by the name that users call them with.
OWN = {name for name in la.__all__ if is_own(getattr(la, name))}
# Of lazyarr.nn those that are one operation each; what is made of several is not timed here.
SINGLE = {f"lazyarr.nn.functional.{module}" for module in ("conv", "one_hot", "pooling")}
OWN |= {f"nn.{name}" for name in la.nn.__all__ if getattr(getattr(la.nn, name), "__module__", None) in SINGLE}
OWN |= {f"nn.grad.{name}" for name in la.nn.grad.__all__}

missing = sorted({*(TABLE.keys() - LINES.keys() - OWN), *(OWN - OWN_LINES.keys())})
if missing:
    raise ImportError(f"operations without a line in asv_bench/benchmarks/examples.py: {', '.join(missing)}")


def evaluate(result):
    """Evaluate all lazy arrays in a result, which may be a tuple or a list of results."""
    results = result if isinstance(result, tuple | list) else [result]
    if lazy := [item for item in results if isinstance(item, la.LazyArray)]:
        la.evaluate(*lazy)


def lazy_arguments(variables):
    """Return the same variables with lazy arrays in place of ndarrays, sharing their memory."""
    return {name: la.asarray(x) if isinstance(x, np.ndarray) else x for name, x in variables.items()}


class Brief:
    """Few samples, as there are many operations; floating-point warnings are off."""

    repeat = (1, 5, 0.5)
    warmup_time = 0.05

    def silence(self):
        self.errors = np.seterr(all="ignore")

    def teardown(self, name, n):
        np.seterr(**self.errors)


class Op(Brief):
    """An operation that NumPy has; what it returns is evaluated."""

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
    """A function that NumPy has not."""

    params = (sorted(OWN_LINES), [SMALL, MEDIUM])
    param_names = ("name", "n")

    def setup(self, name, n):
        if name not in OWN:
            raise NotImplementedError(f"lazyarr has no {name}")
        self.silence()
        self.lazy = function(OWN_LINES[name], la, lazy_arguments(arguments(name, n)))

    def time_lazyarr(self, name, n):
        evaluate(self.lazy())
