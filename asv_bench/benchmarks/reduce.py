"""Reductions: over each axis, of fused expressions, multi-step and cumulative ones."""

import numpy as np

import lazyarr as la


class Axes:
    """A 4-d array with sides of this length, reduced over some of its axes."""

    params = (["sum", "max"], ["float32", "float64"], [20, 60], [0, 1, 3, (0, 2), (1, 3), (1, 2), (0, 1, 2, 3)])
    param_names = ("function", "dtype", "extent", "axis")

    def setup(self, function, dtype, extent, axis):
        self.array = np.random.default_rng(0).random((extent,) * 4).astype(dtype)
        self.lazy = la.asarray(self.array)

    def time_lazyarr(self, function, dtype, extent, axis):
        getattr(self.lazy, function)(axis=axis).numpy()

    def time_numpy(self, function, dtype, extent, axis):
        getattr(self.array, function)(axis=axis)


class Fused:
    """sum((a - b) * (a - b) * c): each input is read once, and only the sum is written."""

    params = (["float32", "float64"], [1_000, 100_000, 10_000_000])
    param_names = ("dtype", "n")

    def setup(self, dtype, n):
        rng = np.random.default_rng(0)
        self.arrays = [rng.random(n).astype(dtype) for _ in range(3)]
        self.lazy = [la.asarray(array) for array in self.arrays]

    def run(self, xp, a, b, c):
        return xp.sum((a - b) * (a - b) * c)

    def time_lazyarr(self, dtype, n):
        self.run(la, *self.lazy).numpy()

    def time_numpy(self, dtype, n):
        self.run(np, *self.arrays)


class Rows:
    """Functions of rows, in several steps over the same rows: arrays larger than the caches are processed in blocks."""

    params = (["softmax", "logsumexp", "layer_norm", "norm"], [(4096, 1024), (1024, 4096), (16384, 4096)])
    param_names = ("function", "shape")

    def setup(self, function, shape):
        self.array = np.random.default_rng(0).random(shape, np.float32)
        self.lazy = la.asarray(self.array)

    def run(self, function, x):
        if function == "layer_norm":
            return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * x[0] + x[1]
        if function == "norm":
            return x / np.linalg.norm(x, axis=-1, keepdims=True)
        largest = x.max(-1, keepdims=True)
        e = np.exp(x - largest)
        return e / e.sum(-1, keepdims=True) if function == "softmax" else largest + np.log(e.sum(-1, keepdims=True))

    def time_lazyarr(self, function, shape):
        self.run(function, self.lazy).numpy()

    def time_numpy(self, function, shape):
        self.run(function, self.array)


class Moments:
    """Differences from a mean, and their squares, read by several folds and the result, with a thousand per row."""

    params = (["float32", "float64"], [1_000, 10_000])
    param_names = ("dtype", "rows")

    def setup(self, dtype, rows):
        self.array = np.random.default_rng(0).random((rows, 1_000)).astype(dtype)
        self.lazy = la.asarray(self.array)

    def run(self, x):
        difference = x - x.mean(0)
        square = difference * difference
        return difference * (square * difference / np.sqrt(square.mean(0))).mean(0)

    def time_lazyarr(self, dtype, rows):
        self.run(self.lazy).numpy()

    def time_numpy(self, dtype, rows):
        self.run(self.array)

    def track_planned(self, dtype, rows):
        return la.explain(self.run(self.lazy)).memory.planned

    track_planned.unit = "bytes"


STATISTICS = """
    mean var std ptp median argmax argmin prod any all count_nonzero
    nansum nanmean nanvar nanmax nanargmax cumsum cumprod
""".split()


class Statistics:
    """Reductions of a million float64 that need several loops, keep an index or skip NaN; cumulative ones."""

    params = (STATISTICS, [None, 0, 1])
    param_names = ("function", "axis")

    def setup(self, function, axis):
        self.array = np.random.default_rng(0).random((1000, 1000)) * 1e-3 + 1.0  # keeps products finite and normal
        self.lazy = la.asarray(self.array)

    def time_lazyarr(self, function, axis):
        getattr(la, function)(self.lazy, axis=axis).numpy()

    def time_numpy(self, function, axis):
        getattr(np, function)(self.array, axis=axis)


TOGETHER = {
    "min, max": lambda x: (x.min(), x.max()),
    "sum, sum of squares": lambda x: (x.sum(), (x * x).sum()),
    "sin, cos": lambda x: (np.sin(x), np.cos(x)),
}


class Together:
    """Several results from one array, evaluated in one plan and separately."""

    params = (sorted(TOGETHER), [10_000, 1_000_000, 20_000_000], ["together", "one by one"])
    param_names = ("results", "n", "how")

    def setup(self, results, n, how):
        self.x = la.array(np.random.default_rng(0).random(n, "f4"))
        self.function = TOGETHER[results]
        self.time_evaluate(results, n, how)

    def time_evaluate(self, results, n, how):
        made = self.function(self.x)
        if how == "together":
            la.evaluate(*made)
        else:
            for x in made:
                la.evaluate(x)
