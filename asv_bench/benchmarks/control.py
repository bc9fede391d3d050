"""Loops in the graph: the cost of an iteration, and a loop's derivative next to the loop."""

import numpy as np

import lazyarr as la
from lazyarr._core.control import scan_parallel

ROUNDS = 10_000


def two_operations(x):
    return la.fori_loop(0, ROUNDS, lambda i, x: x * 0.5 + 1, x)


def until(x):
    return la.while_loop(lambda s: s[0] < ROUNDS, lambda s: (s[0] + 1, s[1] * 0.5 + 1), (0, x))[1]


def running(x):
    return la.scan(lambda total, row: (total + row, total), x, la.ones((ROUNDS, 4)))[1]


def writing(x):
    def body(i, x):
        x[i % 4] = x[(i + 1) % 4] * 0.5
        return x

    return la.fori_loop(0, ROUNDS, body, x)


def recurrent(x):
    weights = la.asarray(np.eye(4) * 0.5)
    return la.scan(lambda h, _: (np.tanh(weights @ h + x), None), x, length=ROUNDS)[0]


class Rounds:
    """Ten thousand iterations on four elements."""

    params = ([two_operations, until, running, writing, recurrent],)
    param_names = ("loop",)

    def setup(self, loop):
        self.x = la.ones(4)
        self.gradient = la.grad(lambda x: loop(x).sum())

    def time_loop(self, loop):
        loop(self.x).numpy()

    def time_gradient(self, loop):
        self.gradient(self.x).numpy()


class Building:
    """The cost of tracing a loop's body, which each call does."""

    def setup(self):
        self.x = la.ones(4)

    def time_building(self):
        two_operations(self.x)

    def time_building_the_gradient(self):
        la.grad(lambda x: two_operations(x).sum())(self.x)


class OnRows:
    """A hundred iterations of a recurrent layer, with threads that run rows through all of them, and one by one."""

    params = ([2, 16, 64], [True, False])
    param_names = ("rows", "on rows")

    def setup(self, rows, on_rows):
        rng = np.random.default_rng(0)
        xs = la.asarray(rng.standard_normal((100, rows, 64)).astype("f4"))
        weights = la.asarray(rng.standard_normal((64, 64)).astype("f4") / 64)
        self.walk = la.jit(lambda: la.scan(lambda h, x: (np.tanh(h @ weights + x), h), xs[0], xs)[1])
        self.before = scan_parallel.set_enabled(on_rows)

    def teardown(self, rows, on_rows):
        scan_parallel.set_enabled(*self.before)

    def time_walk(self, rows, on_rows):
        self.walk().numpy()
