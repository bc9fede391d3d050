"""Random numbers in functions that run as graphs: each call draws new ones."""
import numpy as np
import pytest

import lazyarr as la


@pytest.mark.parametrize("budget", [10, 30, 10**6])
def test_random_numbers_of_graphs_beyond_the_budget_are_drawn_by_each_call(budget):
    lazy, plain = la.random.default_rng(7), np.random.default_rng(7)
    last = la.zeros(3)

    @la.jit
    def follow(x):
        y = lazy.random(3)
        for _ in range(20):
            y = np.sin(y + x) + la.zeros(3) * 1
        last[...] = y
        return y

    with la.config(budget_nodes=budget):
        for _ in range(3):
            wanted = plain.random(3)
            for _ in range(20):
                wanted = np.sin(wanted)
            np.testing.assert_array_equal(follow(la.zeros(3)), wanted)
            np.testing.assert_array_equal(last, wanted)
    assert lazy.random() == plain.random()


def test_draws_that_no_graph_can_repeat_are_made_by_the_function():
    rng, plain = la.random.default_rng(1), np.random.default_rng(1)
    f = la.jit(lambda x: x + rng.permutation(3))
    for _ in range(2):
        assert f(la.zeros(3)).tolist() == plain.permutation(3).tolist()
    assert "is called each time" in f.explain_miss()


def test_generators_that_a_function_makes_begin_anew():
    def f(x, random):
        one, other = random.default_rng(3), random.default_rng(4)
        return x * one.random(3) + one.normal(size=3) * other.random(3)

    g = la.jit(lambda x: f(x, la.random))
    for _ in range(3):
        assert g(la.ones(3)).tolist() == f(np.ones(3), np.random).tolist()
    fresh = la.jit(lambda x: x + la.random.default_rng().random(3))
    assert fresh(la.ones(3)).tolist() != fresh(la.ones(3)).tolist()
    assert g.stats()["traces"] == fresh.stats()["traces"] == 1


@pytest.mark.parametrize("f", [
    lambda x, rng: x + rng.spawn(1)[0].random(3), lambda x, rng: x + rng.bit_generator.random_raw() % 7,
])
def test_what_is_asked_of_generators_is_asked_at_each_call(f):
    rng, plain = la.random.default_rng(1), np.random.default_rng(1)
    g = la.jit(lambda x: f(x, rng))
    for _ in range(3):
        assert g(la.ones(3)).tolist() == f(np.ones(3), plain).tolist()


@pytest.mark.parametrize("f", [
    lambda x, rng: x + float(rng.random(4).sum()),
    lambda x, rng: np.where(rng.random(3) + x > 0.5, 1.0, 0.0) + (1.0 if rng.normal(x).sum() > 0 else 0.0),
    lambda x, rng: rng.poisson(rng.random(3)) * x if float(x.sum() + rng.random()) > 3.5 else x,
])
def test_draws_that_are_looked_at_are_made_by_the_function(f):
    rng, plain = la.random.default_rng(1), np.random.default_rng(1)
    g = la.jit(lambda x: f(x, rng))
    for _ in range(4):
        assert g(la.ones(3)).tolist() == f(np.ones(3), plain).tolist()
    assert "it needs a value" in g.explain_miss()
    assert rng.random() == plain.random()


@pytest.mark.parametrize("random", [np.random, la.random])
def test_dropout_drops_other_elements_each_time(random):
    layer = la.nn.Dropout(0.5, rng=random.default_rng(3))
    f, same = la.jit(layer), la.nn.Dropout(0.5, rng=3)
    x = la.ones(1000, "float32")
    for _ in range(3):
        np.testing.assert_array_equal(f(x), same(x))
