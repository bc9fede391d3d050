"""Deterministic counts: nodes, steps, buffers and bytes of well-known expressions, and plan cache hits."""

import time

import numpy as np

import lazyarr as la
from lazyarr._core.host import allocator
from lazyarr._core.runtime import plan_cache

from .aliasing import LOOPS, start
from .elementwise import CHAINS


def chain(function):
    return lambda x: function(la, x, x + 1.0, x + 2.0)


def softmax(x):
    e = la.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def normalised(x):
    """Layer normalisation."""
    d = x - x.mean(axis=1, keepdims=True)
    return d / la.sqrt((d * d).mean(axis=1, keepdims=True) + 1e-5)


def distances(x):
    """Squared distances between all rows."""
    squares = (x * x).sum(axis=1)
    return squares[:, None] + squares - 2.0 * (x @ x.T)


def stencil(x):
    return x[1:-1, 1:-1] + 0.2 * (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] - 4.0 * x[1:-1, 1:-1])


def layer(x):
    return la.maximum(la.nn.conv2d(x.reshape(1, 8, 8, 64), x[:9].reshape(3, 3, 64, 1)) + 1.0, 0.0)


# Functions of a 64 by 64 array.
EXPRESSIONS = {
    **{name: chain(function) for name, function in CHAINS.items()},
    "equal parts": lambda x: la.exp(x) * 2.0 + la.sqrt(la.exp(x) + 1.0),
    "sum of squares": lambda x: (x * x).sum(),
    "variance": lambda x: ((x - x.mean()) ** 2).mean(),
    "var": lambda x: x.var(axis=0),
    "softmax": softmax,
    "layer normalisation": normalised,
    "distances": distances,
    "stencil": stencil,
    "product, bias, tanh": lambda x: la.tanh(x @ x + x[0]),
    "convolution, bias, maximum": layer,
    "repeat, then add": lambda x: la.repeat(x[:1], 64, axis=0) + x,
    "concatenate, then sum": lambda x: la.concatenate([x, x + 1.0]).sum(axis=0),
    "where": lambda x: la.where(x > 0.5, la.log(x), -x),
}


class Expression:
    """One evaluation, with its plan in the cache."""

    params = tuple(EXPRESSIONS)
    param_names = ("expression",)

    def setup(self, expression):
        array = np.random.default_rng(0).random((64, 64)) + 0.1
        self.x = la.asarray(array)
        self.function = EXPRESSIONS[expression]
        self.function(self.x).numpy()

    def profile(self):
        with la.profile() as profile:
            self.function(self.x).numpy()
        return profile

    def track_nodes(self, expression):
        return self.profile().ops

    def track_steps(self, expression):
        return self.profile().steps

    def track_fused(self, expression):
        return self.profile().fused

    def track_opaque_calls(self, expression):
        return self.profile().opaque.total()

    def track_plan_misses(self, expression):
        return self.profile().plans["misses"]

    def track_buffers(self, expression):
        pool = self.profile().pool
        return pool["hits"] + pool["misses"]

    def track_peak_bytes(self, expression):
        """Peak bytes of live buffers, including the result."""
        before = allocator.stats()["live_bytes"]
        allocator.reset_peak()
        self.function(self.x).numpy()
        return allocator.stats()["peak_bytes"] - before

    track_peak_bytes.unit = "bytes"


class Loop:
    """The loops of `aliasing` from an empty plan cache: plans made, steps run, buffers taken."""

    params = tuple(LOOPS)
    param_names = ("loop",)
    timeout = 300

    def setup(self, loop):
        self.function, shape, self.iterations = LOOPS[loop]
        self.array = start(shape)

    def profile(self):
        plan_cache.clear()
        with la.profile() as profile:
            x = la.array(self.array)
            self.function(x, self.iterations)
            x.numpy()
        return profile

    def track_plan_misses(self, loop):
        return self.profile().plans["misses"]

    def track_steps(self, loop):
        return self.profile().steps

    def track_buffers(self, loop):
        pool = self.profile().pool
        return pool["hits"] + pool["misses"]


class PlanCache:
    """The hit rate of the plan cache in percent, over 10,000 iterations that each read the result."""

    params = ("same", "scalar", "slice bound", "index", "extent")
    param_names = ("changing",)
    timeout = 300

    def setup(self, changing):
        self.x = la.asarray(np.random.default_rng(0).random((200, 200)))

    def track_hits(self, changing):
        x = self.x
        step = {
            "same": lambda i: x[:50] * 2.0 + 1.0,
            "scalar": lambda i: x[:50] * (2.0 + i) + 1.0,
            "slice bound": lambda i: x[i % 100 : i % 100 + 50] * 2.0 + 1.0,
            "index": lambda i: x[i % 200] * 2.0 + 1.0,
            "extent": lambda i: x[: 50 + i % 100] * 2.0 + 1.0,
        }[changing]
        with la.profile() as profile:
            for i in range(10_000):
                step(i).numpy()
        return 100 * profile.plans["hits"] / (profile.plans["hits"] + profile.plans["misses"])

    track_hits.unit = "%"


def mixture(n):
    """About n operations of all kinds on eight arrays of 64 numbers."""
    rng = np.random.default_rng(n)
    arrays = [la.asarray(rng.standard_normal(64)) for _ in range(8)]
    matrix = la.asarray(np.eye(8))
    for i in range(n):
        a, b = (arrays[k] for k in rng.integers(8, size=2))
        y = (np.minimum, np.maximum, np.subtract, np.arctan2)[i % 4](a, b)
        if i % 50 == 0:
            y = y - y.mean()
        if i % 100 == 0:
            y = (y.reshape(8, 8) @ matrix).reshape(64)
        arrays[rng.integers(8)] = y
    return arrays


class Miss:
    """The extra cost of a plan cache miss, in microseconds per node."""

    params = (100, 1_000, 10_000, 100_000)
    param_names = ("operations",)
    timeout = 300

    def track_node(self, operations):
        with la.config(budget_nodes=10**6):
            taken = [self.evaluated(operations, fresh) for fresh in (True, False, True, False, True, False)]
        nodes = taken[0][1]
        return (min(seconds for seconds, _ in taken[::2]) - min(seconds for seconds, _ in taken[1::2])) / nodes * 1e6

    def evaluated(self, operations, fresh):
        """Return the seconds of an evaluation, and the number of nodes."""
        arrays = mixture(operations)
        if fresh:
            plan_cache.clear()
        with la.profile() as profile:
            began = time.perf_counter()
            la.evaluate(*arrays)
            seconds = time.perf_counter() - began
        return seconds, profile.ops

    track_node.unit = "us"


def gates(x, w, b):
    """A function of many small operations: a few steps of an LSTM cell."""
    h = c = x * 0.0
    for _ in range(8):
        y = (x + h) @ w + b
        i, f, o, g = (y[:, k * 16 : (k + 1) * 16] for k in range(4))
        c = la.nn.sigmoid(f) * c + la.nn.sigmoid(i) * np.tanh(g)
        h = la.nn.sigmoid(o) * np.tanh(c)
    return h


class Again:
    """A function called directly, as a traced graph, and as a symbolic graph; and the cost of tracing."""

    params = ("as it is", "jit", "graph", "learning")
    param_names = ("way",)

    def setup(self, way):
        rng = np.random.default_rng(0)
        self.arrays = [la.array(rng.standard_normal(shape)) for shape in ((8, 16), (16, 64), (64,))]
        if way == "as it is":
            self.call = gates
        elif way == "learning":
            self.call = lambda *arrays: la.jit(gates)(*arrays)
        else:
            inputs = [la.var(x.shape, float, name) for x, name in zip(self.arrays, "xwb", strict=True)]
            self.call = la.jit(gates) if way == "jit" else la.graph(inputs, gates(*inputs))
        self.call(*self.arrays).numpy()

    def time_call(self, way):
        self.call(*self.arrays).numpy()


class Incremental:
    """A graph of two inputs, one of which changes, evaluated in full and incrementally."""

    params = ("whole", "in part")
    param_names = ("evaluation",)

    def setup(self, evaluation):
        x, y = la.var((1000, 1000), name="x"), la.var((1000, 1000), name="y")
        self.graph = la.graph([x, y], np.linalg.norm(np.exp(np.sin(x)) @ x, axis=0) + y)
        rng = np.random.default_rng(0)
        self.x, self.ys = la.array(rng.random((1000, 1000))), [la.array(rng.random((1000, 1000))) for _ in range(2)]
        self.graph.assign(x=self.x)
        for _ in range(3):
            self.time_evaluate(evaluation)

    def time_evaluate(self, evaluation):
        self.ys.reverse()
        if evaluation == "whole":
            self.graph(self.x, self.ys[0]).numpy()
        else:
            self.graph.assign(y=self.ys[0])
            self.graph.evaluate()
