"""Elementwise operations: fused chains over sizes and layouts. Single ufuncs are in `every_op`."""

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


class SmallSteps:
    """100 independent in-place Adam updates of about n elements each.

    Or 10 of them, and one of `larger` elements.
    """

    params = ((2_000, 5_000, 20_000), (0, 200_000))
    param_names = ("n", "larger")

    def setup(self, n, larger):
        rng = np.random.default_rng(0)
        sizes = [n + 8 * (k % 5) for k in range(10 if larger else 100)] + [larger] * (larger > 0)
        self.arrays = [[rng.random(size, "f4") for size in sizes] for _ in range(4)]
        self.lazy = [[la.array(array) for array in arrays] for arrays in self.arrays]
        for _ in range(3):
            self.time_lazyarr(n, larger)

    @staticmethod
    def update(xp, parameters, means, squares, gradients):
        for p, m, v, g in zip(parameters, means, squares, gradients, strict=True):
            m *= 0.9
            m += 0.1 * g
            v *= 0.999
            v += 0.001 * (g * g)
            p -= 0.001 * m / (xp.sqrt(v) + 1e-8)

    def time_lazyarr(self, n, larger):
        with la.config(budget_nodes=10_000):
            self.update(la, *self.lazy)
            la.evaluate(*[x for arrays in self.lazy[:3] for x in arrays])

    def time_numpy(self, n, larger):
        self.update(np, *self.arrays)


class Layout:
    """The chain `cheap` on a million elements, non-contiguous or broadcast."""

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


class Angle:
    """sin and cos of 100,000 float64 angles up to a size, on which libm's algorithm and its time depend."""

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


class Exponential:
    """exp and log of 100,000 float32 numbers, of which one in so many is too large, or 0."""

    params = (["exp", "log"], [None, 1000, 10])
    param_names = ("ufunc", "unusual")

    def setup(self, ufunc, unusual):
        self.function = getattr(np, ufunc)
        self.array = np.random.default_rng(0).uniform(0.1, 9, 100_000).astype("f4")
        if unusual:
            self.array[::unusual] = {"exp": 100.0, "log": 0.0}[ufunc]
        self.lazy = la.asarray(self.array)

    def time_lazyarr(self, ufunc, unusual):
        with np.errstate(all="ignore"):
            la.evaluate(self.function(self.lazy))

    def time_numpy(self, ufunc, unusual):
        with np.errstate(all="ignore"):
            self.function(self.array)


class Underflow:
    """exp(-d) * 2 + 1 for 100,000 distances, up to values with subnormal results."""

    params = (1.0, 1000.0)
    param_names = ("largest",)

    def setup(self, largest):
        self.array = np.random.default_rng(0).uniform(0, largest, 100_000)
        self.lazy = la.asarray(self.array)

    def time_lazyarr(self, largest):
        la.evaluate(np.exp(-self.lazy) * 2 + 1)

    def time_numpy(self, largest):
        np.exp(-self.array) * 2 + 1
