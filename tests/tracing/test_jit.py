"""Functions that run as graphs return the same, and are called once per shapes and dtypes of the arguments."""
import gc
import threading

import numpy as np
import pytest

import lazyarr as la
from support.jitted_functions import jitted


@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "uint16", "float16", "float32", "float64", "complex64"])
def test_results_are_those_of_the_function(dtype):
    counted, f = jitted(lambda x, y: (x + y, [x * y, {"n": (x == y).sum()}], x[..., ::-1].T))
    for shape in [(3, 4), (3, 4), (2, 5), (1, 1), (0, 3)]:
        x = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
        y = np.ones(shape[-1:], dtype)
        got, wanted = f(la.array(x), la.array(y)), (x + y, [x * y, {"n": (x == y).sum()}], x[..., ::-1].T)
        np.testing.assert_array_equal(got[0], wanted[0])
        np.testing.assert_array_equal(got[1][0], wanted[1][0])
        assert got[1][1]["n"] == wanted[1][1]["n"]
        np.testing.assert_array_equal(got[2], wanted[2])
        assert [got[0].dtype, got[1][0].dtype, got[2].dtype] == [x.dtype for x in (wanted[0], wanted[1][0], wanted[2])]
    assert counted.calls == 4


def test_results_are_lazy_and_evaluated_in_one_plan_with_what_is_around():
    f = la.jit(lambda x: x + 1)
    x = la.arange(3.0)
    f(x)
    with la.no_evaluation():
        y = f(x * 2) * 3
    assert y.tolist() == [3, 9, 15]


def test_a_new_shape_finds_the_plan_of_the_one_before():
    f = la.jit(lambda x: (x * 2 + 1).sum())
    f(la.ones(10)).numpy()
    with la.profile() as collected:
        f(la.ones(20)).numpy()
    assert collected.plans["misses"] == 0


@pytest.mark.parametrize(("first", "second", "said"), [
    (((2,), float), ((3,), float), "x is of shape (3,) of float64, was of shape (2,) of float64"),
    (((2,), float), ((2,), "f4"), "x is of shape (2,) of float32, was of shape (2,) of float64"),
    (((2,), float, 1), ((2,), float, 2), "k is 2, which is no array, was 1, which is no array"),
    (((2,), float, 1), ((2,), float, 1.0), "k is 1.0, which is no array, was 1, which is no array"),
    (((2,), float, 0.0), ((2,), float, -0.0), "k is -0.0, which is no array, was 0.0, which is no array"),
    (((2,), float, [1]), ((2,), float, 1), "the arguments have another structure"),
])
def test_a_miss_is_explained(first, second, said):
    @la.jit
    def f(x, k=1):
        return x * (k[0] if isinstance(k, list) else k)

    def call(shape, dtype, *others):
        f(la.ones(shape, dtype), *others)

    assert f.explain_miss() == "f has not been called"
    call(*first)
    assert f.explain_miss() == "f was traced: it had no graph yet"
    call(*second)
    assert f.explain_miss() == f"f was traced: {said}"
    call(*first)
    call(*second)
    assert f.stats() == {"calls": 4, "traces": 2, "graphs": 2}


def test_errstate_is_that_of_the_call():
    f = la.jit(lambda x: 1 / x)
    with np.errstate(divide="ignore"):
        f(la.zeros(2)).numpy()
    with np.errstate(divide="raise"):
        y = f(la.zeros(2))
        with pytest.raises(FloatingPointError, match="divide"):
            y.numpy()
    assert f.explain_miss().endswith("np.errstate differs")


def test_rules_that_change_bits_are_those_of_the_evaluation():
    def both(x, y):
        return (x + y) - y, la.fori_loop(0, 3, lambda i, c: (c + y) - y, x)

    x, y = la.var((), name="x"), la.var((), name="y")
    f, g = la.jit(both), la.graph([x, y], [(x + y) - y])
    for fast, wanted in [(False, 0.0), (True, 1.0), (False, 0.0)]:
        with la.config(fast_math=fast):
            assert [float(z) for z in (*f(la.array(1.0), la.array(1e20)), *g(1.0, 1e20))] == [wanted] * 3
    assert f.stats()["traces"] == 2
    made = f(la.array(1.0), la.array(1e20))
    with la.config(fast_math=True):
        assert [float(z) for z in made] == [1.0, 1.0]
        assert f(la.ones(2), la.ones(2))[0].tolist() == [1, 1]
    f(la.ones(2), la.ones(2))
    assert f.explain_miss().endswith("config.fast_math differs")


def test_a_function_that_looks_at_values_is_called_each_time():
    @la.jit
    def f(x):
        return x * 2 if x.sum() > 0 else x * 3

    assert f(la.ones(2)).tolist() == [2, 2]
    assert f(-la.ones(2)).tolist() == [-3, -3]
    assert f.explain_miss().startswith(f"f is called each time: it needs a value at {__file__}:")
    assert f.stats()["graphs"] == 0


def test_a_function_that_catches_the_error_of_its_look_is_called_each_time():
    @la.jit
    def f(x):
        try:
            return x * float(x.sum())
        except Exception:
            return x

    assert [f(la.ones(2) * k).tolist() for k in (1, 2)] == [[2, 2], [8, 8]]
    assert f.explain_miss() == "f is called each time: it needs a value, and goes on without one"


def test_random_numbers_are_drawn_by_each_call_in_the_order_of_the_program():
    lazy, plain = la.random.default_rng(7), np.random.default_rng(7)

    def draws(rng, x):
        unused = rng.exponential(size=2)  # noqa: F841 - it moves the generator on
        return x + rng.normal(size=3), rng.random() + rng.integers(0, 10, size=5000).sum()

    counted, f = jitted(lambda x: draws(lazy, x))
    for k in range(3):
        got, wanted = f(la.full(3, k)), draws(plain, np.full(3, k))
        np.testing.assert_array_equal(got[0], wanted[0])
        assert got[1] == wanted[1]
        np.testing.assert_array_equal(lazy.random(4), plain.random(4))
        np.testing.assert_array_equal(lazy.random(5000) * 2, plain.random(5000) * 2)
    assert counted.calls == 1


def test_training_as_a_graph():
    rng = np.random.default_rng(0)
    x, t = rng.random((20, 3), np.float32), rng.random((20, 1), np.float32)
    losses = []
    for wrap in (lambda f: f, la.jit):
        model = la.nn.Sequential(la.nn.Linear(3, 4, rng=0), la.nn.tanh, la.nn.BatchNorm(4), la.nn.Linear(4, 1, rng=1))
        differentiated = la.nn.value_and_grad(model, lambda x, t, model=model: la.nn.mse_loss(model(x), t))

        @wrap
        def step(x, t, model=model, differentiated=differentiated):
            loss, gradients = differentiated(x, t)
            for p, g in zip(*[la.autodiff.trees.leaves(tree) for tree in (model.parameters(), gradients)], strict=True):
                p -= 0.1 * g
            return loss

        losses.append([float(step(x, t)) for _ in range(5)])
    np.testing.assert_allclose(losses[0], losses[1], rtol=1e-6)
    assert losses[0][-1] < losses[0][0]


def test_derivatives():
    x = la.array([1.0, 2.0])
    assert la.jit(la.grad(lambda x: (x ** 3).sum()))(x).tolist() == [3, 12]
    assert la.grad(la.jit(lambda x: (x ** 3).sum()))(x).tolist() == [3, 12]
    w = la.array([1.0, 3.0])
    y = (la.jit(lambda x: x * w)(x) ** 2).sum()
    gx, gw = y.grad(x, w)
    assert (gx.tolist(), gw.tolist()) == ([2, 36], [2, 24])
    assert la.vmap(la.jit(la.sin))(la.arange(3.0)).tolist() == np.sin(np.arange(3.0)).tolist()


def test_a_derivative_through_draws_is_refused():
    rng = la.random.default_rng(0)
    x = la.ones(3)
    y = la.jit(lambda x: (x * rng.random(3)).sum())(x)
    with pytest.raises(ValueError, match="was evaluated"):
        y.grad(x)


def test_an_argument_may_have_any_name():
    x = la.var((2,), name="self")
    g = la.graph(x, x * 2)
    g.assign(self=la.ones(2))
    assert la.jit(lambda self: self.sum())(self=la.ones(2)) == 2
    assert g(self=la.ones(2)).tolist() == g.evaluate().tolist() == [2, 2]


@pytest.mark.parametrize("f", [lambda x: (x * k for k in (1, 2)), lambda x: map(np.add, [x], [x])])
def test_results_that_run_only_once(f):
    counted, jit = jitted(f)
    for _ in range(3):
        assert [*jit(la.ones(2))][-1].tolist() == [2, 2]
    assert counted.calls == 4
    assert "runs only once" in jit.explain_miss()


def test_loops_and_branches_inside():
    @la.jit
    def f(x, n):
        return la.fori_loop(0, 3, lambda i, s: s * 2 + i, x) + la.cond(x.sum() > n, lambda: 1.0, lambda: 0.0)

    assert f(la.ones(2), 1).tolist() == [13, 13]
    assert f(la.ones(2), 5).tolist() == [12, 12]


def test_methods_and_keywords():
    class Model:
        def __init__(self, w):
            self.w, self.calls = w, 0

        @la.jit
        def __call__(self, x, *, scale=1.0):
            self.calls += 1
            return x * self.w * scale

    one, other = Model(la.array(2.0)), Model(la.array(3.0))
    assert [one(la.ones(1)).item(), other(la.ones(1)).item(), one(la.ones(1), scale=2.0).item()] == [2, 3, 4]
    one.w += 1
    assert one(la.ones(1)).item() == 3
    assert (one.calls, other.calls) == (2, 1)


@pytest.mark.parametrize("argument", [np.array(["a"]), {1, 2}, np.ma.array([1.0])])
def test_arguments_that_no_graph_takes(argument):
    f = la.jit(lambda x: "called")
    assert f(argument) == "called"
    assert "called as it is" in f.explain_miss()


def test_errors_are_those_of_the_function_and_leave_everything_as_it_was():
    w = la.ones(2)

    def f(x):
        w[...] = 5
        return x @ la.ones(3)

    g = la.jit(f)
    with pytest.raises(ValueError, match="mismatch"):
        g(la.ones(2))
    assert w.tolist() == [1, 1]
    assert g(la.ones(3)) == 3
    assert w.tolist() == [5, 5]
    with pytest.raises(TypeError, match="jit takes a function, got int"):
        la.jit(3)


def test_an_error_at_evaluation_names_the_line():
    def f(x):
        return la.linalg.inv(x) + 1

    g = la.jit(f)
    y = g(la.zeros((2, 2)))
    with pytest.raises(np.linalg.LinAlgError):
        y.numpy()
    assert g(la.eye(2)).tolist() == [[2, 1], [1, 2]]


def test_only_so_many_graphs_are_kept():
    f = la.jit(lambda x, k: x + k)
    for k in range(100):
        assert f(la.ones(1), k).item() == 1 + k
    assert f.stats() == {"calls": 100, "traces": 100, "graphs": 64}


def test_threads_share_a_function():
    f, w = la.jit(lambda x: (x * 2).sum()), []

    def work(n):
        for k in range(20):
            w.append(float(f(la.full(n, float(k)))) == 2 * n * k)

    threads = [threading.Thread(target=work, args=(n,)) for n in (3, 5, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(w) == 60
    assert all(w)


def test_forms_may_be_forgotten_while_a_miss_is_explained():
    f, away = la.jit(lambda x: x * 2), []

    def forget(phase, info):
        if phase == "start" and away:
            f._cache.put(*away.pop())
        elif phase == "start":
            form = next(iter(f._cache))
            away.append((form, f._cache.take(form)))

    for n in range(1, 60):
        f(la.ones(n))
    held = [(n, n) for n in range(5000)]    # else pairs need no allocation
    thresholds = gc.get_threshold()
    gc.callbacks.append(forget)    # at any allocation, as other threads may
    gc.set_threshold(1)
    try:
        assert f(la.ones(70)).sum() == 140
    finally:
        gc.set_threshold(*thresholds)
        gc.callbacks.remove(forget)
    assert len(held) == 5000


def test_nothing_of_a_trace_stays_pending():
    before = la._core.ir.node.stats()["pending"]
    f = la.jit(lambda x: (x + 1, {"a": x * 2}))
    y = f(la.ones(3))
    la.evaluate(y[0], y[1]["a"])
    assert la._core.ir.node.stats()["pending"] == before


def test_what_a_function_leaves_behind_has_no_value():
    left = []

    def keeps(x):
        left.append(x * 2)
        return x + 1

    assert la.jit(keeps)(la.ones(3)).tolist() == [2, 2, 2]
    kept, = left
    for look in (repr, lambda y: (y + 1).numpy(), lambda y: float(y.sum()), lambda y: bool(y[0])):
        with pytest.raises(la.TracedValueError, match="must return it"):
            look(kept)
