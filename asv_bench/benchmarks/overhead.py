"""What laziness itself costs: building nodes, looking up a plan, binding it, and making one."""

import timeit

import numpy as np

import lazyarr as la
from lazyarr._core import plan

from .elementwise import cheap

BUILDERS = {
    "array + array": lambda x: x + x,
    "array + scalar": lambda x: x + 1.0,
    "sqrt(array)": la.sqrt,
    "np.sqrt(array)": np.sqrt,
    "array[1:]": lambda x: x[1:],
}


class Build:
    """Building a node and dropping it again, in nanoseconds; nothing is evaluated.

    The call of the lambda around an operator, some 30 ns, is included.
    """

    params = tuple(BUILDERS)
    param_names = ("operation",)

    def setup(self, operation):
        self.x = la.asarray(np.ones(1000))
        self.build = BUILDERS[operation]

    def track_node(self, operation):
        with la.no_evaluation():
            return min(timeit.repeat(lambda: self.build(self.x), number=10_000, repeat=20)) / 10_000 * 1e9

    track_node.unit = "ns"


class Cached:
    """The 6 operations of `cheap` on so few elements that the overhead shows; the plan is in the cache."""

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
    """The same with an empty plan cache: building, scheduling, running once."""

    def setup(self):
        self.lazy = [la.asarray(np.ones(10)) for _ in range(3)]

    def time_lazyarr(self):
        plan.clear()
        cheap(la, *self.lazy).numpy()


class LongGraph:
    """Building, evaluating and freeing a chain of 100,000 additions, without a look at the values in between."""

    def setup(self):
        self.x = la.asarray(np.ones(10))

    def time_lazyarr(self):
        y = self.x
        for _ in range(100_000):
            y = y + 1.0
        y.numpy()
