"""Elementwise operations: fused chains over the sizes, every ufunc by itself, and the memory that a chain takes."""

import sys

import numpy as np

import lazyarr as la


def cheap(xp, a, b, c):
    return a * b + c * 2.0 - a / (b + 1.5)


def trans(xp, a, b, c):
    return xp.sin(a) ** 2 + xp.exp(-b) * xp.sqrt(c + 1.0)


def heavy(xp, a, b, c):
    return xp.tanh((xp.log(a / b + 1.0) + 0.5 * c) / xp.sqrt(c + 0.1)) * a - b * xp.exp(-c)


CHAINS = {function.__name__: function for function in (cheap, trans, heavy)}


class Chain:
    """A chain of fused operations on three arrays of n elements."""

    params = (list(CHAINS), ["float32", "float64"], [1_000, 100_000, 10_000_000])
    param_names = ("chain", "dtype", "n")

    def setup(self, chain, dtype, n):
        rng = np.random.default_rng(0)
        self.function = CHAINS[chain]
        self.arrays = [(rng.random(n) + 0.1).astype(dtype) for _ in range(3)]
        self.lazy = [la.asarray(array) for array in self.arrays]

    def time_lazyarr(self, chain, dtype, n):
        self.function(la, *self.lazy).numpy()

    def time_numpy(self, chain, dtype, n):
        self.function(np, *self.arrays)


class Layout:
    """The chain `cheap` on a million elements that are not contiguous, or that broadcast."""

    params = ("transposed", "every second column", "row and column", "rows of 5")
    param_names = ("layout",)

    def setup(self, layout):
        full = np.random.default_rng(0).random((1000, 1000)) + 0.1
        self.arrays = {
            "transposed": (full.T, full, full.T),
            "every second column": (np.repeat(full, 2, axis=1)[:, ::2],) * 3,
            "row and column": (full, full[:1], full[:, :1]),
            "rows of 5": (np.ascontiguousarray(np.repeat(full, 2, axis=1).reshape(-1, 10))[:, :5],) * 3,
        }[layout]
        self.lazy = [la.asarray(array) for array in self.arrays]

    def time_lazyarr(self, layout):
        cheap(la, *self.lazy).numpy()

    def time_numpy(self, layout):
        cheap(np, *self.arrays)


def elementwise_ufuncs():
    """Every elementwise ufunc of NumPy under its own name, so that none can be forgotten."""
    found = (getattr(np, name) for name in dir(np))
    return sorted({ufunc.__name__ for ufunc in found if isinstance(ufunc, np.ufunc) and ufunc.signature is None})


def operands(ufunc, n):
    """Arrays of the first of float64, int64, bool and timedelta64 that the ufunc has a loop for."""
    loop = next(loop for kind in "dl?m" for loop in ufunc.types if loop.startswith(kind))
    values = np.linspace(0.1, 0.9, n)
    make = {"d": values.astype, "?": lambda dtype: values > 0.5, "m": lambda dtype: np.arange(n).astype("m8[s]")}
    return [make.get(code, lambda dtype: np.arange(n).astype(dtype) % 60 + 1)(code) for code in loop[: ufunc.nin]]


class Ufunc:
    """One ufunc on 100,000 elements: nothing to fuse, so this is tiling and threads alone."""

    params = elementwise_ufuncs()
    param_names = ("ufunc",)

    def setup(self, ufunc):
        self.function = getattr(np, ufunc)
        self.arrays = operands(self.function, 100_000)
        self.lazy = [la.asarray(array) for array in self.arrays]

    def time_lazyarr(self, ufunc):
        with np.errstate(all="ignore"):
            results = self.function(*self.lazy)
            la.evaluate(*results) if isinstance(results, tuple) else la.evaluate(results)

    def time_numpy(self, ufunc):
        with np.errstate(all="ignore"):
            self.function(*self.arrays)


class Angle:
    """sin and cos of 100,000 float64 angles up to a size: libm's way, and so its time, depends on it."""

    params = (["sin", "cos"], [1.0, 10.0, 1e5, 1e9])
    param_names = ("ufunc", "largest")

    def setup(self, ufunc, largest):
        self.function = getattr(np, ufunc)
        self.array = np.random.default_rng(0).uniform(-largest, largest, 100_000)
        self.lazy = la.asarray(self.array)

    def time_lazyarr(self, ufunc, largest):
        la.evaluate(self.function(self.lazy))

    def time_numpy(self, ufunc, largest):
        self.function(self.array)


def twenty(xp, x):
    for _ in range(5):
        x = xp.tanh(xp.sqrt(xp.exp(x) + 1.0))
    return x


class ChainMemory:
    """Peak resident memory of a chain of 20 ufuncs on ten million float64, above the input, in outputs of 80 MB."""

    def setup(self):
        self.array = np.ones(10_000_000)

    def track_lazyarr(self):
        return self.growth(lambda: twenty(la, la.asarray(self.array)).numpy())

    def track_numpy(self):
        return self.growth(lambda: twenty(np, self.array))

    track_lazyarr.unit = track_numpy.unit = "outputs"

    def growth(self, function):
        try:
            import resource
        except ImportError as error:  # Windows
            raise NotImplementedError from error  # asv skips the benchmark
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        function()
        unit = 1 if sys.platform == "darwin" else 1024
        return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * unit / self.array.nbytes
