"""Graphs of large arrays run in stages to save memory, with the same results."""

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core.ir.graph_ir import Graph, NodeInfo
from lazyarr._core.runtime import plan_cache
from lazyarr.compiler.schedule import EMPTY, ESCAPES, LEAF, MAP, OPAQUE, REDUCE, UPDATE, schedule
from lazyarr.compiler.verify import verify
from support.lazy_helpers import pending

MIB = 1 << 20


def planned(array):
    return la.explain(array).memory.planned


def joined(xp, arrays):
    """A sum over rounds, each of which joins two arrays."""
    total = 0
    for x in arrays:
        total = total + xp.sum(xp.dstack((x, x - 1)) * 0.5, 2)
    return total


def corners(xp, rounds, extent):
    """Noise of octaves: elements of small tables at each point's corners, weighted by where in its cell it lies."""
    noise, rng = 0, np.random.default_rng(0)
    ys, xs = (xp.asarray(x) for x in np.meshgrid(np.arange(extent), np.arange(extent), indexing="ij"))
    for k in range(rounds):
        cell = extent // 10 >> k % 3
        table = xp.asarray(rng.random((extent // cell + 3, extent // cell + 3)))
        i, j = ys // cell, xs // cell
        fy, fx = ys / cell - i, xs / cell - j
        upper = table[i, j] * (1 - fx) + table[i, j + 1] * fx
        lower = table[i + 1, j] * (1 - fx) + table[i + 1, j + 1] * fx
        noise = noise + (upper * (1 - fy) + lower * fy) / 2**k
    return noise


@pytest.mark.parametrize("rounds", [5, 10, 40])
def test_rounds_take_the_memory_of_one(rounds):
    result = joined(la, (pending(np.full((600, 700), float(k))) for k in range(rounds)))
    assert planned(result) <= 7 * result.nbytes
    np.testing.assert_array_equal(result, joined(np, [np.full((600, 700), float(k)) for k in range(rounds)]))


@pytest.mark.parametrize("rounds", [3, 6])
def test_octaves_take_the_memory_of_one(rounds):
    with la.config(budget_nodes=10_000, budget_bytes=1 << 40):
        one, result = corners(la, 1, 900), corners(la, rounds, 900)
        assert planned(result) <= 2.1 * planned(one)
    np.testing.assert_array_equal(result, corners(np, rounds, 900))


def test_random_numbers_are_drawn_when_they_are_used():
    import lazyarr.numpy as lazy

    rng, result = lazy.random.default_rng(0), 0
    for _ in range(10):
        x = rng.random((700, 800))
        result = result + lazy.sum(lazy.dstack((x, x - 1)), 2)
    assert planned(result) <= 7.1 * result.nbytes


def test_small_arrays_and_what_takes_no_more_together_are_not_cut():
    for extent, most in ((30, 200), (900, 200)):
        x = y = pending(np.ones((extent, extent)))
        for _ in range(20):
            y = np.sqrt(y) * 0.5 + x
        assert len(la.explain(y).steps) == 1
        assert planned(y) <= 2 * x.nbytes + most
    small = joined(la, (pending(np.ones((10, 10))) for _ in range(10)))
    assert la.explain(small).steps[-1].operations.count("add") == 10


@pytest.mark.usefixtures("settled")
def test_small_arrays_have_one_plan_and_large_ones_another():
    def plans(extent):
        with la.config(budget_nodes=10_000, budget_bytes=1 << 40), la.profile() as profile:
            joined(la, [pending(np.ones((extent, extent))) for _ in range(10)]).numpy()
        return profile.plans["misses"]

    plan_cache.clear()
    plans(20), plans(20)
    assert (plans(25), plans(30), plans(500), plans(20), plans(600)) == (0, 0, 1, 0, 0)


def test_an_array_is_overwritten_behind_its_readers():
    base = pending(np.zeros((1000, 1000)))
    parts = []
    for k in range(6):
        parts.append(np.dstack((base, base + k)).sum(2))
        base[k] = k
    result = sum(parts)
    expected, a = 0, np.zeros((1000, 1000))
    for k in range(6):
        expected = expected + np.dstack((a, a + k)).sum(2)
        a[k] = k
    np.testing.assert_array_equal(result, expected)
    np.testing.assert_array_equal(base, a)


def test_folds_round_alike_whatever_runs_before_them():
    rng = np.random.default_rng(0)
    arrays = [rng.random((600, 700)) for _ in range(10)]
    alone = [((la.asarray(x) * 0.1 + 0.7).sum(), (la.asarray(x) * 0.1 + 0.7).mean(0).max()) for x in arrays]
    both = [pending(x) for x in arrays]
    folds = [((x * 0.1 + 0.7).sum(), (x * 0.1 + 0.7).mean(0).max()) for x in both]
    la.evaluate(joined(la, both), *[fold for pair in folds for fold in pair])
    np.testing.assert_allclose(np.array(folds), np.array(alone), rtol=1e-15)


def large_graph(rng, size):
    """A random graph of large arrays, made in another order than it is walked."""
    graph = [NodeInfo(LEAF, (), 0, 8, 0, 0, (), 0, nbytes=MIB) for _ in range(3)]
    while len(graph) < size:
        i, j = (int(k) for k in rng.integers(max(0, len(graph) - 12), len(graph), 2))
        kind = rng.choice([MAP, MAP, MAP, OPAQUE, REDUCE, EMPTY, UPDATE])
        flags = int(rng.choice([0, 0, 0, ESCAPES]))
        inputs = {MAP: (i, j), OPAQUE: (i, j), REDUCE: (i,), EMPTY: (), UPDATE: (i, j)}[kind]
        attr = 1 if kind == REDUCE else 0
        loop = 3 if kind == REDUCE else 0
        outs = (8,) if kind == MAP else ()
        graph.append(NodeInfo(kind, inputs, 0, 8, flags, loop, outs, attr, nbytes=4 * MIB,
                              serial=int(rng.integers(2 * size))))
    return Graph(graph)


@pytest.mark.parametrize("seed", range(100))
def test_random_graphs_obey_the_grammar(seed):
    rng = np.random.default_rng(seed)
    graph = large_graph(rng, int(rng.integers(20, 150)))
    verify(graph, schedule(graph))
