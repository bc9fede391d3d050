"""The overhead of laziness: building nodes, and looking up, binding and making plans."""

import timeit

import numpy as np

import lazyarr as la
from lazyarr._core.runtime import plan_cache

from .elementwise import cheap

BUILDERS = {
    "array + array": lambda x: x + x,
    "array + scalar": lambda x: x + 1.0,
    "sqrt(array)": la.sqrt,
    "np.sqrt(array)": np.sqrt,
    "np.add(..., out=array)": lambda x: np.add(x, x, out=x),
    "array[1:]": lambda x: x[1:],
    "array[1, 2]": lambda x: x[1, 2],
    "array[1, 2] = scalar": lambda x: x.__setitem__((1, 2), 1.0),
    "array.T": lambda x: x.T,
    "array.transpose(1, 0)": lambda x: x.transpose(1, 0),
    "array.reshape(-1)": lambda x: x.reshape(-1),
    "np.ravel(array)": np.ravel,
    "array.sum(axis=0)": lambda x: x.sum(axis=0),
    "array @ array": lambda x: x @ x,
    "np.dot(array, array)": lambda x: np.dot(x, x),
    "array.cumsum(axis=0)": lambda x: x.cumsum(axis=0),
    "np.concatenate([array, array])": lambda x: np.concatenate([x, x]),
    "np.sort(array)": np.sort,
    "array.take([1, 2])": lambda x: x.take([1, 2]),
}


class Build:
    """Building and dropping a node on a 30 by 30 array, in nanoseconds, without evaluation.

    The lambda around an operator, some 30 ns, is included. Operations that change the array change a fresh pending
    copy, whose update nodes are dropped every 100 calls.
    """

    params = tuple(BUILDERS)
    param_names = ("operation",)

    def setup(self, operation):
        self.ones = la.asarray(np.ones((30, 30)))
        self.build = BUILDERS[operation]

    def track_node(self, operation):
        with la.no_evaluation():
            best = min(timeit.repeat("build(x)", "x = ones.copy()", number=100, repeat=500, globals=vars(self)))
        return best / 100 * 1e9

    track_node.unit = "ns"


class Cached:
    """The 6 operations of `cheap`, on so few elements that the overhead shows, with the plan in the cache."""

    params = (10, 1_000)
    param_names = ("n",)

    def setup(self, n):
        rng = np.random.default_rng(0)
        self.arrays = [rng.random(n) + 0.1 for _ in range(3)]
        self.lazy = [la.asarray(array) for array in self.arrays]
        self.time_lazyarr(n)

    def time_lazyarr(self, n):
        cheap(la, *self.lazy).numpy()

    def time_numpy(self, n):
        cheap(np, *self.arrays)

    def time_build_only(self, n):
        cheap(la, *self.lazy)


class Missed:
    """The same with an empty plan cache: build, schedule and run once."""

    def setup(self):
        self.lazy = [la.asarray(np.ones(10)) for _ in range(3)]

    def time_lazyarr(self):
        plan_cache.clear()
        cheap(la, *self.lazy).numpy()


class LongGraph:
    """Build, evaluate and free a chain of 100,000 additions, without reading intermediate values."""

    def setup(self):
        self.x = la.asarray(np.ones(10))

    def time_lazyarr(self):
        y = self.x
        for _ in range(100_000):
            y = y + 1.0
        y.numpy()
