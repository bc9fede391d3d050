"""Loops whose threads run rows through all iterations: same bits, warnings, errors and memory as one by one."""

import gc
import signal
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr import nn
from lazyarr._core import api
from lazyarr._core.control import scan_parallel
from lazyarr._core.host import allocator
from lazyarr.autodiff.trees import leaves
from support.feature_switches import assert_same_bits, evaluated, switched

ROUNDS = 9


@pytest.fixture(params=[1, 2, 3], ids=["1 thread", "2 threads", "3 threads"])
def threads(request):
    """The number of threads for any loop with independent rows."""
    with switched(scan_parallel, True, True), la.config(num_threads=request.param, budget_nodes=10**6):
        yield request.param


def round_by_round(make):
    """Evaluate make() with all threads working step by step."""
    with switched(scan_parallel, False):
        return evaluated(make)


def on_rows(make):
    """What make() gives, with the bits of round by round, and how many rounds ran on rows, each on all threads.

    Those that only one thread could run do not count.
    """
    before = scan_parallel.counts()
    results = evaluated(make)
    counted = [now - then for now, then in zip(scan_parallel.counts(), before, strict=True)][la.config.num_threads > 1]
    assert_same_bits(results, round_by_round(make))
    return results, counted


def drawn(*shape, dtype="f4", seed=0):
    x = la.array((np.random.default_rng(seed).standard_normal(shape) / np.sqrt(shape[-1])).astype(dtype))
    la.evaluate(x)
    return x


# ---- layers --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("rows", [4, 16, 37, 64])
@pytest.mark.parametrize("kind", [nn.RNN, nn.GRU, nn.LSTM])
def test_recurrent_layers_and_their_gradients(kind, rows, dtype, threads):
    layer = kind(7, 32, rng=0, dtype=dtype)
    x = drawn(rows, ROUNDS, 7, dtype=dtype)

    def loss(parameters, x):
        layer.update(parameters)
        return (layer(x)[0] ** 2).sum()

    _, counted = on_rows(lambda: layer(x)[0])
    assert counted == ROUNDS
    parameters = layer.parameters()
    _, counted = on_rows(lambda: la.value_and_grad(loss, (0, 1))(parameters, x))
    layer.update(parameters)
    assert counted == 2 * ROUNDS


def test_many_rounds_run_some_at_a_time(threads):
    w, x = drawn(64, 64), drawn(600, 16, 64)

    def made():
        def f(state, x):
            h, old = state
            new = np.tanh(h @ w + x)
            return (new, h), (old, new * 2)

        def loss(w, x):
            state, ys = la.scan(f, (x[0], x[1]), x)
            return sum((y * y).sum() for y in leaves((state, ys)))

        return la.scan(f, (x[0], x[1]), x, reverse=True), la.grad(loss, (0, 1))(w, x)

    w_seen = w

    def f(state, x):
        return np.tanh(state @ w_seen + x), state

    _, counted = on_rows(lambda: la.scan(f, x[0], x))
    assert counted == 600
    _, counted = on_rows(lambda: la.scan(f, x[0], x, reverse=True))
    assert counted == 600
    _, counted = on_rows(lambda: la.grad(lambda h: la.scan(f, h, x)[1].sum())(x[0]))
    assert counted == 1200
    on_rows(made)


def test_the_index(threads):
    x = drawn(16, 8, dtype="f8")
    for lower in (0, -3, 4):
        _, counted = on_rows(lambda lower=lower: la.fori_loop(lower, lower + 300, lambda i, h: h * 0.5 + x * i, x))
        assert counted == 300


def test_products_of_several_rows_each(threads):
    w, x = drawn(128, 128), drawn(ROUNDS, 16, 8, 128)

    def f(h, x):
        flat = h.reshape(128, 128)
        return np.tanh(flat @ w).reshape(h.shape) + x, flat @ w.T

    _, counted = on_rows(lambda: la.scan(f, x[0], x))
    assert counted == ROUNDS


def test_what_is_carried_unchanged(threads):
    x = drawn(ROUNDS, 16, 8)
    _, counted = on_rows(lambda: la.scan(lambda s, x: ((s[0] * x + s[1], s[1]), s[0]), (x[0], x[1]), x))
    assert counted == ROUNDS


def test_what_is_handed_on(threads):
    x = drawn(300, 16, 64)

    def f(s, x):
        a, b, c, d, e = s
        return (b, c, a * 0.5 + x, e, d), (a, c + d)

    def walk(x):
        return la.scan(f, (x[0], x[1], x[2], x[3], x[4]), x)

    _, counted = on_rows(lambda: walk(x))
    assert counted == 300
    on_rows(lambda: la.grad(lambda x: sum((y * y).sum() for y in leaves(walk(x))))(x))


@pytest.mark.parametrize("end", [0, 3, 8, 9, 23, 24, 25, 700])
def test_rounds_that_a_test_ends(end, threads):
    x, last = drawn(16, 8, dtype="f8"), la.array(end)

    def walk(x):
        return la.while_loop(lambda s: s[0] < last, lambda s: (s[0] + 1, np.sin(s[1] * 0.9) + x[:1]), (0, x))

    before = scan_parallel.counts()[0]
    number, _ = on_rows(lambda: walk(x))[0]
    assert int(number) == end
    assert scan_parallel.counts()[0] - before == max(end - 8, 0)
    on_rows(lambda: la.grad(lambda x: (walk(x)[1] ** 2).sum())(x))


def test_tests_of_other_kinds(threads):
    x = la.array([0.0, 1.0])
    on_rows(lambda: la.while_loop(lambda s: s[1], lambda s: (s[0] + 1, (s[0] < 40).all()), (x, True)))
    on_rows(lambda: la.while_loop(lambda s: ~s[1], lambda s: (s[0] + 1, (s[0] > 40).all()), (x, la.array(False))))
    on_rows(lambda: la.while_loop(lambda s: np.sqrt((s * s).sum()) < 300, lambda s: s + 1, x))
    on_rows(lambda: la.while_loop(lambda s: (s < 30).any(), lambda s: s[::-1] + 1, x))
    on_rows(lambda: la.while_loop(lambda s: len({*"ab"}) == 3, lambda s: s + 1, x))
    limit = la.array([50.0])
    on_rows(lambda: la.while_loop(lambda s: (s < limit).all(), lambda s: s + 1, x))
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in divide"):
        la.evaluate(la.while_loop(lambda s: (1 / (20 - s) > 0).all(), lambda s: s + 1, x))


def test_columns_that_are_written_one_by_one(threads):
    def f(h, x):
        made = np.empty_like(h)
        made[:, :3] = h[:, 5:] + x[:, :3]
        made[:, 3:] = np.tanh(h[:, :5] * x[:, 3:])
        return made, made

    x = drawn(ROUNDS, 16, 8)
    _, counted = on_rows(lambda: la.scan(f, x[0], x))
    assert counted == ROUNDS


def test_final_values_do_not_hold_on_to_those_of_all_rounds():
    x = drawn(300, 64, 64)
    with la.config(num_threads=2):
        with api.one_plan():
            state, ys = la.scan(lambda h, x: (np.tanh(h + x), h), x[0], x)
            la.evaluate(state, ys)
        la.evaluate(state)
        before = allocator.stats()["live_bytes"]
        with api.one_plan():
            state, ys = la.scan(lambda h, x: ((new := np.tanh(h + x)), new), x[0], x)
            la.evaluate(state, ys)
        del ys
        gc.collect()
        assert allocator.stats()["live_bytes"] - before < 300 * 64 * 64 * 4 / 2


@pytest.mark.parametrize("enabled", [True, False])
def test_rounds_use_the_same_scratch(enabled):
    w, x, large = drawn(128, 128, dtype="f8"), drawn(64, 128, dtype="f8"), drawn(500, 128, dtype="f8")

    def made():
        a = large @ w
        b = np.tanh(a) @ w
        c = (b @ w).T @ a
        walked = la.fori_loop(0, 1000, lambda i, h: np.tanh(h @ w) + x, x * c[:64])
        return ((walked @ c) @ w @ c).sum() + b.sum()

    with switched(scan_parallel, enabled):
        made().numpy()  # from now on it is known how much scratch it takes
        allocator.reset_peak()
        made().numpy()
    assert allocator.stats()["peak_bytes"] - allocator.stats()["live_bytes"] < 2**23


# ---- rows that depend on each other --------------------------------------------------------------------

MIXED = {
    "turned": lambda h, x: h[::-1] * 0.5 + x,
    "moved": lambda h, x: np.concatenate([h[1:], h[:1]]) + x,
    "one for all": lambda h, x: h * 0.5 + x * h[2],
    "transposed": lambda h, x: h.T * 0.5 + x,
    "their products": lambda h, x: (h @ h.T) @ x * 0.01,
    "a matrix that is carried": lambda h, x: x @ h * 0.1,
    "their mean": lambda h, x: h - h.mean(0) + x,
    "their largest": lambda h, x: h / (1 + np.abs(h).max()) + x,
    "reshaped": lambda h, x: h.reshape(-1)[::-1].reshape(16, 16) + x,
    "pairs": lambda h, x: h.reshape(8, 32)[:, ::-1].reshape(16, 16) + x,
}


@pytest.mark.parametrize("f", MIXED.values(), ids=MIXED)
def test_rows_that_depend_on_others(f, threads):
    x = drawn(ROUNDS, 16, 16)
    _, counted = on_rows(lambda: la.scan(lambda h, x: ((new := f(h, x)), new), x[0], x))
    assert counted == 0 or threads == 1


def take(s, a, b, x, w):
    s[a] = s[b] * 0.5 + x


def nonlinear(s, a, b, x, w):
    s[a] = np.tanh(s[a] * s[b])


def product(s, a, b, x, w):
    s[a] = s[b] @ w


def product_and_more(s, a, b, x, w):
    s[a] = np.maximum(s[b] @ w.T + x, s[a])


def columns(s, a, b, x, w):
    s[a] = np.concatenate([s[a][:, 3:] * 2, s[b][:, :3]], 1)


def write_columns(s, a, b, x, w):
    s[a][:, ::2] = s[b][:, 1::2] * x[:, ::2]


def turned_columns(s, a, b, x, w):
    s[a] = s[b][:, ::-1] - 1


def write_rows(s, a, b, x, w):
    s[a][1:] = s[b][:-1]


def turned(s, a, b, x, w):
    s[a] = s[b][::-1] + x


def row_for_all(s, a, b, x, w):
    s[a] = s[b][0] - s[a]


def weights(s, a, b, x, w):
    s[a] = s[b] * w[0]


def repeated(s, a, b, x, w):
    s[a] = np.repeat(s[b][:, :3], 2, axis=1) * x


def repeated_rows(s, a, b, x, w):
    s[a] = np.repeat(s[b], 2, axis=0)[:len(x)] - x


def scaled(s, a, b, x, w):
    s[a] = s[a] - s[b].sum(1, keepdims=True) * 0.1


def mean_of_all(s, a, b, x, w):
    s[a] = s[a] - s[b].mean() * x


def normalised(s, a, b, x, w):
    s[a] = (s[b] - s[b].mean(1, keepdims=True)) / (s[b].std(1, keepdims=True) + 1)


def softmax(s, a, b, x, w):
    e = np.exp(s[a] - s[a].max(-1, keepdims=True))
    s[a] = e / e.sum(-1, keepdims=True) + s[b]


def exchange(s, a, b, x, w):
    s[a], s[b] = s[b], s[a]


def restart(s, a, b, x, w):
    s[a] = x


def transposed(s, a, b, x, w):
    s[a] = (s[b].reshape(len(w), -1).T.reshape(s[a].shape)) + x


ROWWISE = [take, nonlinear, product, product_and_more, columns, write_columns, turned_columns, weights, exchange,
           restart, repeated, scaled, normalised, softmax]
STEPS = [*ROWWISE, write_rows, turned, row_for_all, transposed, repeated_rows, mean_of_all]


@st.composite
def bodies(draw):
    chosen = draw(st.sampled_from([ROWWISE, STEPS]))
    steps = [(draw(st.sampled_from(chosen)), *draw(st.sampled_from([(0, 1), (1, 0), (0, 0), (1, 1)])))
             for _ in range(draw(st.integers(1, 5)))]
    return steps, draw(st.sampled_from([0, 1, "both", "old"]))


ran = []


@settings(deadline=None)
@given(bodies(), st.integers(2, 40), st.sampled_from(["f4", "f8"]), st.booleans(), st.integers(1, 3), st.booleans())
def _random(body, rows, dtype, reverse, threads, derived):
    steps, collected = body
    x, w = drawn(ROUNDS, rows, 6, dtype=dtype), drawn(6, 6, dtype=dtype, seed=1)

    def f(state, x):
        s = [y.copy() for y in state]
        for step, a, b in steps:
            step(s, a, b, x, w)
        return tuple(s), {"both": tuple(s), "old": state}.get(collected) or s[collected]

    def walk(x):
        return la.scan(f, (x[0], x[1]), x, reverse=reverse)

    def made():
        return la.grad(lambda x: sum((y * y).sum() for y in leaves(walk(x))))(x) if derived else walk(x)

    with la.config(num_threads=threads), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ran.append(on_rows(made)[1] > 0)


def test_random_bodies():
    del ran[:]
    _random()
    assert any(ran)


# ---- what may go wrong ---------------------------------------------------------------------------------


def test_warnings_name_the_operation(threads):
    x = drawn(ROUNDS, 16, 8)
    with pytest.warns(RuntimeWarning, match="overflow encountered in exp") as caught:
        la.evaluate(*leaves(la.scan(lambda h, x: (np.exp(h + 40), h), x[0], x)))
    assert caught[0].filename == __file__
    w, made = drawn(64, 64) * 1e30, drawn(ROUNDS, 16, 64)
    with pytest.warns(RuntimeWarning, match="overflow encountered in matmul"):
        la.evaluate(*leaves(la.scan(lambda h, x: (h @ w, h), made[0], made)))


def test_errors_are_those_of_the_first_round_that_has_one():
    x = drawn(ROUNDS, 16, 8)
    with np.errstate(over="raise"):
        state, ys = la.scan(lambda h, x: (np.exp(h + 40), h), x[0], x)
        before = scan_parallel.counts()[0]
        with pytest.raises(FloatingPointError, match="overflow encountered in exp"):
            la.evaluate(state, ys)
    assert scan_parallel.counts()[0] == before


def test_first_nans_are_found():
    x = drawn(ROUNDS, 16, 8)
    with la.config(debug_nans=True), pytest.raises(FloatingPointError, match="log made the first NaN"):
        la.scan(lambda h, x: (np.log(h), h), x[0] - 5, x)[0].numpy()


def test_signals_end_it(threads):
    class Interrupted(Exception):
        pass

    def stop(*_):
        raise Interrupted

    x = drawn(64, 64)
    before = signal.signal(signal.SIGALRM, stop)
    loop = la.jit(lambda x, n=10**6: la.fori_loop(0, n, lambda i, h: np.sin(h) + x, x))
    short = la.jit(lambda x: la.fori_loop(0, 20, lambda i, h: np.sin(h) + x, x))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(Interrupted):
            loop(x).numpy()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    on_rows(lambda: short(x))


def test_handlers_may_run_the_same_loop():
    x = drawn(64, 64)
    inner = []
    loop = la.jit(lambda x: la.fori_loop(0, 3000, lambda i, h: np.sin(h) + x, x))
    expected = loop(x).numpy()

    def evaluate(*_):
        inner.append(loop(x).numpy())

    before = signal.signal(signal.SIGALRM, evaluate)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        while not inner:
            np.testing.assert_array_equal(loop(x), expected)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    np.testing.assert_array_equal(inner[0], expected)
