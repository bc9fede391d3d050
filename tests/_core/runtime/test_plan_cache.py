"""The plan cache: the same statements hit it with any numbers, and it stays bounded."""

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core.host import allocator
from lazyarr._core.ir import node
from lazyarr._core.runtime import plan_cache

ITERATIONS = 10_000


def loop_misses(body, iterations=ITERATIONS):
    """Run ``body(k)`` for k = 0, 1, ...; return the numbers of misses and evaluations."""
    plan_cache.reset_stats()
    before = plan_cache.stats()
    for k in range(iterations):
        body(k)
    after = plan_cache.stats()
    return after["misses"] - before["misses"], after["evaluations"] - before["evaluations"]


class Loops:
    """Bodies of loops, each on its own arrays; all evaluate something in each iteration."""

    def __init__(self):
        self.x = la.array(np.linspace(0, 1, 64))
        self.square = la.array(np.linspace(0, 1, 64).reshape(8, 8))
        self.table = np.linspace(0, 1, 400)
        self.state = la.zeros(16)

    def same(self, k):
        (self.x * 2 + 1).numpy()

    def scalar(self, k):
        (self.x * (k + 0.5) - k).numpy()

    def numpy_scalar(self, k):
        (self.x * np.float64(k) + np.float32(k)).numpy()

    def lazy_scalar(self, k):
        (self.x * self.x.sum() + k).numpy()

    def slice_bound(self, k):
        (self.x[k % 60 + 1:] * 2).numpy()

    def two_slice_bounds(self, k):
        i = k % 30
        (self.x[i:i + 20] + self.x[i + 10:i + 30]).numpy()

    def slice_to_the_end(self, k):
        i = k % 6
        (self.square[i + 1:, i] / 2).numpy()

    def outer_update(self, k):
        i = k % 5
        self.square[i + 1:, i + 1:] -= self.square[i + 1:, i, None] * self.square[i, i + 1:]
        self.square.numpy()

    def index(self, k):
        float((self.square[k % 8, (k // 8) % 8] + self.x).max())

    def row(self, k):
        self.square[k % 8].sum().numpy()

    def element_assignment(self, k):
        self.x[k % 64] = k
        (self.x + 1).numpy()

    def slice_assignment(self, k):
        i = k % 50
        self.x[i:i + 5] = self.x[i + 5:i + 10] * 0.5
        self.x.numpy()

    def batch_size(self, k):
        n = 2 + k % 300
        (la.asarray(self.table[:n]) * 2 + 1).sum().numpy()

    def shape(self, k):
        m, n = 2 + k % 7, 2 + k % 11
        (la.asarray(self.table[:m * n].reshape(m, n)) + la.asarray(self.table[:n])).numpy()

    def learning_rate(self, k):
        self.state -= 0.1 / (k + 1) * (self.state - 1)
        self.state.numpy()

    def power(self, k):
        (self.x ** (k % 100 + 3.5)).numpy()

    def mask(self, k):
        self.x[self.x > k] = k
        self.x.numpy()

    def where(self, k):
        la.where(self.x > k / ITERATIONS, self.x, k).numpy()

    def reduction(self, k):
        (self.square * k).sum(axis=0).max().numpy()

    def creation(self, k):
        (la.full(16, k) + la.arange(16) + la.zeros(16)).numpy()

    def index_array(self, k):
        self.x[[k % 64, 3, 5]].numpy()

    def printing(self, k):
        str(self.x[:3] + k)

    def new_ndarray(self, k):
        (self.x + np.full(64, float(k))).numpy()

    def several_roots(self, k):
        la.evaluate(self.x + k, self.x * k)


LOOPS = [name for name in vars(Loops) if not name.startswith("_")]


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_hits_the_cache(name):
    misses, evaluations = loop_misses(getattr(Loops(), name))
    assert evaluations >= ITERATIONS
    assert misses <= ITERATIONS // 1000


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_keeps_its_memory(name):
    body = getattr(Loops(), name)
    for k in range(1000):
        body(k)
    before = plan_cache.stats()["cached_bytes"], allocator.stats()["live_bytes"], node.stats()["live"]
    for k in range(1000, 2000):
        body(k)
    after = plan_cache.stats()["cached_bytes"], allocator.stats()["live_bytes"], node.stats()["live"]
    assert after <= before


def heat(u, k):
    u[1:-1, 1:-1] += 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])
    u[0] = u[1]
    u[:, -1] = k
    return u


def momentum(u, k):
    v = u * 0.9 + k
    u -= v / (k + 1)
    return u


def rebinding(u, k):
    return (u + k) * 0.5


def alternating(u, k):
    return la.sin(u) if k % 2 else u * 2


@pytest.mark.parametrize("step", [heat, momentum, rebinding, alternating])
def test_a_loop_that_never_looks_hits_the_cache(step):
    """The budget splits such a loop, in places where plans repeat."""
    u = la.array(np.linspace(0, 1, 100).reshape(10, 10))

    def body(k):
        nonlocal u
        u = step(u, k)

    misses, evaluations = loop_misses(body)
    assert evaluations > 10
    assert misses <= ITERATIONS // 1000


def test_different_statements_miss():
    x = la.array([1.0, 2.0])
    plan_cache.reset_stats()
    for function in (np.sin, np.cos, np.tan):
        function(x).numpy()
    (x[:, None] + x).numpy()
    (x.astype("float32") + 1).numpy()
    assert plan_cache.stats()["misses"] == 5
    np.sin(x).numpy()
    assert plan_cache.stats()["misses"] == 5


def expressions(count):
    """Yield `count` results of different structure: the binary digits of k choose the operations."""
    x = la.array([1.0, 2.0])
    for k in range(count):
        y = x
        for digit in f"{k:012b}":
            y = y + 1.5 if digit == "1" else y * 0.5
        yield y


def test_the_cache_is_bounded():
    plan_cache.clear()
    with la.config(cache_limit=200_000):
        for y in expressions(1000):
            y.numpy()
            assert plan_cache.stats()["cached_bytes"] <= 200_000
        assert plan_cache.stats()["evictions"] > 0
        assert 0 < plan_cache.stats()["plans"] < 1000
        # The latest are still cached, the first are not.
        plan_cache.reset_stats()
        y.numpy()
        for number, z in enumerate(expressions(1000)):
            if number in (0, 999):
                z.numpy()
        assert (plan_cache.stats()["hits"], plan_cache.stats()["misses"]) == (1, 1)


def test_the_least_recently_used_plan_goes_first():
    plan_cache.clear()
    x = la.array([1.0, 2.0])
    with la.config(cache_limit=200_000):
        for y in expressions(500):
            y.numpy()
            np.sin(x).numpy()
        plan_cache.reset_stats()
        np.sin(x).numpy()
        assert plan_cache.stats()["misses"] == 0


def test_without_a_cache_results_are_the_same():
    with la.config(cache_limit=0):
        for k, y in enumerate(expressions(50)):
            expected = np.array([1.0, 2.0])
            for digit in f"{k:012b}":
                expected = expected + 1.5 if digit == "1" else expected * 0.5
            assert y.tolist() == expected.tolist()
        assert plan_cache.stats()["cached_bytes"] == 0


def test_clearing_the_cache():
    (la.array([1.0]) + 1).numpy()
    assert plan_cache.stats()["plans"] > 0
    plan_cache.clear()
    assert (plan_cache.stats()["plans"], plan_cache.stats()["cached_bytes"]) == (0, 0)


def test_a_hit_gives_the_numbers_of_its_own_leaves():
    for size in (3, 1000, 100_000):
        for k in (0, 1, 2.5, -1, float("nan"), float("inf")):
            data = np.linspace(k, 1, size)
            with np.errstate(all="ignore"):
                got = (la.asarray(data) * k + la.asarray(data[::-1]) ** 2).numpy()
                np.testing.assert_array_equal(got, data * k + data[::-1] ** 2)
