"""Repeated evaluation of graphs: only what depends on a change is computed, and results belong to the caller."""
import numpy as np
import pytest

import lazyarr as la


def counting(counts, name):
    """An operation that counts how often it runs."""
    def run(x):
        counts[name] = counts.get(name, 0) + 1
        return np.asarray(x) + 0

    return lambda x: la._core.api.opaque(name, run, [x], x.shape, x.dtype)


def test_only_what_depends_on_a_change_is_computed_again():
    counts = {}
    left, right, both = [counting(counts, name) for name in ("left", "right", "both")]
    x, y = la.var((3,), name="x"), la.var((3,), name="y")

    def outputs(x, y):
        return x.computed(None, lambda a, b: both(left(a * 2) * right(b + 1)), x, y)

    g = la.graph([x, y], outputs(x, y))
    g.assign(x=[1, 2, 3], y=[0, 1, 2])
    assert g.evaluate().tolist() == [2, 8, 18]
    assert counts == {"left": 1, "right": 1, "both": 1}
    assert g.evaluate().tolist() == [2, 8, 18]
    assert counts == {"left": 1, "right": 1, "both": 1}
    g.assign(y=[1, 1, 1])
    assert g.evaluate().tolist() == [4, 8, 12]  # what does not depend on y is computed once more, to be kept
    before = dict(counts)
    for k in range(3):
        g.assign(y=[k, k, k])
        assert g.evaluate().tolist() == [2 * (k + 1), 4 * (k + 1), 6 * (k + 1)]
    assert counts == {"left": before["left"], "right": before["right"] + 3, "both": before["both"] + 3}
    g.assign(x=[0, 0, 1])
    assert g.evaluate().tolist() == [0, 0, 6]
    g.assign(y=[0, 0, 0])
    assert g.evaluate().tolist() == [0, 0, 2]


def test_operands_that_change_by_turns():
    counts = {}
    only_x, only_y, neither = [counting(counts, name) for name in ("x", "y", "z")]
    x, y, z = [la.var((3,), name=name) for name in "xyz"]

    def outputs(x, y, z):
        return x.computed(None, lambda a, b, c: only_x(np.exp(a)).sum() * only_y(b * 2) + neither(c + 1), x, y, z)

    g = la.graph([x, y, z], outputs(x, y, z))
    given = {"x": np.zeros(3), "y": np.ones(3), "z": np.ones(3)}
    g.assign(**given)
    g.evaluate()
    for k, name in enumerate("xyxyxyzyxzy"):
        before = dict(counts)
        given[name] = np.full(3, float(k))
        g.assign(**{name: given[name]})
        wanted = np.exp(given["x"]).sum() * (given["y"] * 2) + given["z"] + 1
        np.testing.assert_allclose(g.evaluate(), wanted, rtol=1e-15)
        if k > 1:
            assert [other for other in "xyz" if counts[other] > before[other]] == [name]


def test_results_of_an_evaluation_are_the_callers():
    x = la.var((3,), name="x")
    g = la.graph(x, [x * 2, x])
    g.assign(np.ones(3))
    first = g.evaluate()
    first[0][...] = 9
    first[1][0] = 9
    assert [y.tolist() for y in g.evaluate()] == [[2, 2, 2], [1, 1, 1]]


def test_what_is_kept_lies_in_memory_as_it_did():
    x, y = la.var((2, None, 4), name="x"), la.var((None,), name="y")

    def outputs(x, y):
        turned = np.exp(x.transpose(1, 2, 0))
        return turned, turned[::-1].T * 2, np.stack([turned[..., 0], turned[..., 1]]) + y[0]

    g = la.graph([x, y], outputs(x, y))
    x = np.arange(24.0).reshape(2, 3, 4) / 10
    g.assign(x=x)
    for k in range(4):
        g.assign(y=np.full(3, float(k)))
        for got, wanted in zip(g.evaluate(), outputs(x, [k]), strict=True):
            np.testing.assert_array_equal(got, wanted)


def test_arrays_from_outside_count_as_changed():
    w, x, y = la.ones(2), la.var((2,), name="x"), la.var((2,), name="y")
    g = la.graph([x, y], np.exp(x) * w + y)
    g.assign([0, 0], [1, 1])
    assert g.evaluate().tolist() == [2, 2]
    w[0] = 5
    assert g.evaluate().tolist() == [6, 2]
    g.assign(y=[2, 2])
    assert g.evaluate().tolist() == [7, 3]
    data = la.zeros(2)
    g.assign(x=data)
    data += 1  # what was assigned is what it was
    assert g.evaluate().tolist() == [7, 3]
    g.assign(x=data)
    np.testing.assert_allclose(g.evaluate(), np.exp([1, 1]) * w.numpy() + 2)


def test_frozen_arrays_keep_their_values():
    w, x = la.ones(2), la.var((2,), name="x")
    g = la.graph(x, x * w)
    g.freeze()
    w += 5
    assert g([1, 2]).tolist() == [1, 2]
    total = la.zeros(2)
    h = la.graph(x, x.computed(None, lambda a: np.add(total, a, out=total), x))
    with pytest.raises(ValueError, match="frozen"):
        h.freeze()
    assert h([1, 1]).tolist() == [1, 1]
    assert h([1, 1]).tolist() == [2, 2]


def test_random_numbers_are_drawn_anew():
    x = la.var((None,), name="x")
    rng, plain = la.random.default_rng(0), np.random.default_rng(0)
    g = la.graph(x, x.computed(None, lambda a: a + rng.normal(size=a.shape), x))
    assert g(np.zeros(4)).tolist() == plain.normal(size=4).tolist()
    assert g(np.zeros(2)).tolist() == plain.normal(size=2).tolist()
    g.assign(np.zeros(3))
    assert g.evaluate().tolist() == plain.normal(size=3).tolist()
    assert g.evaluate().tolist() == plain.normal(size=3).tolist()
    assert g.evaluate().tolist() == plain.normal(size=3).tolist()


@pytest.mark.parametrize("extent", [None, 4])
def test_generators_are_told_the_shape_of_a_symbol(extent):
    x = la.var((extent,), name="x")
    rng, plain = la.random.default_rng(0), np.random.default_rng(0)
    g = la.graph(x, x * rng.normal(size=x.shape) + rng.uniform(0, 1, x.shape))
    for _ in range(3):
        assert g(np.full(4, 2.0)).tolist() == (2 * plain.normal(size=4) + plain.uniform(0, 1, 4)).tolist()
    with pytest.raises(TypeError):
        g.save("nowhere")
