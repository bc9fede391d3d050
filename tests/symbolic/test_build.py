"""Built graphs: ahead-of-time compilation, and backends of their own."""
import copy
import pickle
import threading

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core.runtime import plan_cache, reference

SQUARE = np.arange(9.0).reshape(3, 3) + 4 * np.eye(3)


class Spy:
    """A backend of `linalg.inv` that keeps what `look` gives whenever it runs."""

    def __init__(self):
        self.seen, self.look = [], lambda a: a.shape

    def __call__(self, a):
        self.seen.append(self.look(a))
        return np.linalg.inv(a)


@pytest.fixture
def spy():
    made = Spy()
    la.backends.register("linalg.inv", "mine", made)
    yield made
    if "mine" in [row.name for row in la.backends.known("linalg.inv")]:
        la.backends.unregister("linalg.inv", "mine")


def inverse():
    x = la.var((None, 3), name="x")
    return la.graph(x, np.linalg.inv(x.T @ x) + 1, "inverse")


def operations(explanation):
    return [name for step in explanation.steps for name in step.operations]


def test_evaluations_are_by_its_backend(spy):
    g = inverse()
    y = g.build(backend="mine")(SQUARE)
    assert spy.seen == []
    assert np.array_equal(y, np.linalg.inv(SQUARE.T @ SQUARE) + 1)
    assert spy.seen == [(3, 3)]
    g(SQUARE).numpy()
    assert spy.seen == [(3, 3)]
    assert la.config.backend is None


def test_what_is_asked_for_outside_holds_outside_alone(spy):
    g, x = inverse(), la.asarray(SQUARE)
    fixed, free = g.build(backend="scipy"), g.build(backend={})
    with la.backend("mine"):
        la.evaluate(fixed(SQUARE), free(SQUARE))
        assert spy.seen == []
        la.evaluate(np.linalg.inv(x), fixed(SQUARE))
        assert spy.seen == [(3, 3)]
        with la.backend("numpy"):
            la.evaluate(g.build(backend="mine")(SQUARE), np.linalg.inv(x + 1))
            assert la.config.backend == "numpy"
        assert len(spy.seen) == 2
        assert la.config.backend == "mine"


def test_a_mapping_names_operations(spy):
    g = inverse().build(backend={"matmul": "numpy"})
    with la.backend("mine"):
        assert operations(g.explain()) == operations(inverse().build(backend={}).explain())
    x = la.var((2, 3), name="x")
    product = la.graph(x, np.linalg.inv(x @ np.ones((3, 2)) + np.eye(2)))
    with la.backend("mine"):
        assert operations(product.explain()) == ["matmul", "add", "linalg.inv [mine]"]
        built = product.build(backend={"matmul": "numpy", "linalg.inv": "scipy"})
        assert operations(built.explain()) == ["matmul [numpy]", "add", "linalg.inv [scipy]"]


def test_it_is_compiled_before_it_is_called():
    x, z = la.var((None, 3), name="x"), la.var((7, 3), name="z")
    la.graph(z, z * 3)(np.ones((7, 3))).numpy()  # whose call has the same plan
    g = la.graph(x, np.tanh(x) / 3 - np.arctan(x) * np.cbrt(x))
    for backend in (None, "numpy", "reference"):
        built = g.build([np.ones((7, 3))], backend=backend)
        misses = plan_cache.stats()["misses"]
        assert np.allclose(built(np.ones((7, 3))), np.tanh(1) / 3 - np.pi / 4)
        assert plan_cache.stats()["misses"] == misses
    h = la.graph(x, np.tanh(x) / 5 + np.arctan(x) ** np.cbrt(x)).build()  # of the declared form
    misses = plan_cache.stats()["misses"]
    assert np.allclose(h(np.ones((7, 3))), np.tanh(1) / 5 + np.pi / 4)
    assert plan_cache.stats()["misses"] == misses


def test_what_is_assigned_is_kept_and_counts_as_given(spy):
    x, y = la.var((2, 2), name="x"), la.var((2, 2), name="y")
    g = la.graph([x, y], {"inverse": np.linalg.inv(x), "both": np.linalg.inv(x) @ y})
    g.assign(x=2 * np.eye(2))
    built = g.build({"y": np.ones((2, 2))}, backend="mine")
    built.assign(y=np.ones((2, 2)))
    with la.backend("numpy"):
        for value in (1.0, 2.0, 3.0, 4.0):
            built.assign(y=np.full((2, 2), value))
            assert np.array_equal(built.evaluate()["both"], np.full((2, 2), value / 2))
        assert len(spy.seen) == 2  # it is computed to be kept when y has changed first, and not again
        built.assign(x=4 * np.eye(2))
        assert np.array_equal(built.evaluate()["inverse"], np.eye(2) / 4)
        assert len(spy.seen) == 3


def test_copies_and_files_keep_it(spy, tmp_path):
    w = la.asarray(np.eye(3))
    x = la.var((3, 3), name="x")
    g = la.graph(x, np.linalg.inv(x + w), "g").build(backend={"linalg.inv": "mine", "*": "numpy"})
    g.save(tmp_path / "g")
    frozen = copy.copy(g)
    frozen.freeze()
    made = [copy.copy(g), copy.deepcopy(g), pickle.loads(pickle.dumps(g)), la.load_graph(tmp_path / "g"), g.build(),
            frozen]
    for h in made:
        assert h.backend == g.backend == {"linalg.inv": "mine", "*": "numpy"}
        assert repr(h) == "<graph g(x: float64[3, 3]), backend {'linalg.inv': 'mine', '*': 'numpy'}>"
        assert np.array_equal(h(SQUARE), np.linalg.inv(SQUARE + np.eye(3)))
    assert len(spy.seen) == len(made)
    assert inverse().backend is None
    assert g.build(backend="scipy").backend == "scipy"
    la.backends.unregister("linalg.inv", "mine")
    with pytest.raises(ValueError, match="there is no backend 'mine'"):
        la.load_graph(tmp_path / "g")
    assert np.array_equal(g(SQUARE), np.linalg.inv(SQUARE + np.eye(3)))  # as a block whose backend is removed


def test_plans_are_made_or_not_as_the_graph_says(spy):
    spy.look = lambda a: reference.is_enabled()
    g = inverse()
    with la.backend("reference"):
        g.build(backend="mine")(SQUARE).numpy()
        assert reference.is_enabled()
    x = la.var((3, 3), name="x")
    inner = g.build(backend="mine")
    outer = la.graph(x, np.exp(x)).build(backend="reference")
    assert np.allclose(inner(outer(SQUARE / 9)), np.linalg.inv(np.exp(SQUARE / 9).T @ np.exp(SQUARE / 9)) + 1)
    assert spy.seen == [False, False]
    assert not reference.is_enabled()


def test_a_graph_in_another_keeps_its_own(spy):
    built = inverse().build([SQUARE], backend="mine")  # one graph is traced at a time
    twice = la.jit(lambda a: np.linalg.inv(built(a)))
    expected = np.linalg.inv(np.linalg.inv(SQUARE.T @ SQUARE) + 1)
    with la.backend("numpy"):
        assert np.allclose(twice(la.asarray(SQUARE)), expected)
    assert len(spy.seen) == 1


def test_an_error_puts_back_what_held_before(spy):
    def fail(a):
        raise OverflowError("not today")

    spy.look = fail
    g = inverse().build(backend="mine")
    for _ in range(2):
        with pytest.raises(OverflowError, match="not today"):
            g(SQUARE).numpy()
    assert np.isfinite(np.linalg.inv(la.asarray(SQUARE))).all()


def test_measuring_leaves_alone_what_is_asked_for(spy):
    g = inverse()
    try:
        assert [call.partition("(")[0] for call in g.build(backend={"linalg.inv": "mine"}).autotune(
            [np.ones((4, 3)) + np.eye(4, 3)], 0, save=False)] == []
        assert len(spy.seen) == 1
        assert "linalg.inv" in [call.partition("(")[0] for call in g.autotune(
            [np.ones((4, 3)) + np.eye(4, 3)], 0, save=False)]
    finally:
        la.backends.forget()


def test_threads_see_what_is_asked_for_in_all_of_the_process(spy):
    began, go_on = threading.Event(), threading.Event()

    def look(a):
        began.set()
        go_on.wait(10)

    spy.look = look
    g, failed = inverse(), []
    thread = threading.Thread(target=g.build(backend="mine")(SQUARE).numpy)
    thread.start()
    began.wait(10)
    seen = la.config.backend
    go_on.set()
    thread.join()
    assert seen is None

    def work(graph, calls):
        for _ in range(100):
            before = len(spy.seen)
            graph(SQUARE).numpy()
            if calls is not None and len(spy.seen) - before != calls:
                failed.append(calls)

    spy.look = lambda a: a.shape
    spy.seen.clear()
    threads = [threading.Thread(target=work, args=(graph, calls))
               for graph, calls in ((g.build(backend="mine"), 1), (g.build(backend="scipy"), None))]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        with la.backend("numpy"):
            g(SQUARE).numpy()
    for thread in threads:
        thread.join()
    assert not failed
    assert len(spy.seen) == 100


@pytest.mark.parametrize(("inputs", "backend", "error", "what"), [
    ((), "nmpy", ValueError, "there is no backend 'nmpy'; there are"),
    ((), {"matmull": "numpy"}, ValueError, "did you mean 'matmul'"),
    ((), 3, TypeError, "backend must be a name, a mapping"),
    ([np.ones((2, 4))], "numpy", ValueError, r"input 'x' has shape \(None, 3\), got \(2, 4\)"),
    ({"y": np.ones(3)}, "numpy", TypeError, "there is no input 'y'"),
])
def test_wrong_input(inputs, backend, error, what):
    g = inverse()
    with pytest.raises(error, match=what):
        g.build(inputs, backend=backend)
    assert g.backend is None
