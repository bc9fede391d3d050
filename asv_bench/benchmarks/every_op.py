"""Every operation of the table and every function of `la.nn`, on small and on middle-sized arrays.

The import fails if an operation has no example. The parameters come from the examples and not from the table, so that
two commits agree on them; what a commit does not have yet, asv leaves out.
"""

import numpy as np

import lazyarr as la
from lazyarr.ops.registry import TABLE

from .examples import LINES, MEDIUM, NN_LINES, SMALL, arguments, function, nn_operands

NN = {*la.nn.__all__, *(f"grad.{name}" for name in la.nn.grad.__all__)} - {"grad"}

missing = sorted({*(TABLE.keys() - LINES.keys()), *(f"nn.{name}" for name in NN - NN_LINES.keys())})
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
        self.silence()
        if name not in TABLE:
            raise NotImplementedError(f"{name} is not in the table")
        variables = arguments(name, n)
        self.numpy = function(LINES[name], np, variables)
        self.lazy = function(LINES[name], la, lazy_arguments(variables))

    def time_lazyarr(self, name, n):
        evaluate(self.lazy())

    def time_numpy(self, name, n):
        self.numpy()


class NeuralNetwork(Brief):
    """A function of `la.nn`."""

    params = (sorted(NN_LINES), [SMALL, MEDIUM])
    param_names = ("name", "n")

    def setup(self, name, n):
        self.silence()
        if name not in NN:
            raise NotImplementedError(f"la.nn has no {name}")
        self.lazy = function(NN_LINES[name], la, lazy_arguments(nn_operands(n)))

    def time_lazyarr(self, name, n):
        evaluate(self.lazy())
