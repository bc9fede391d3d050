"""Lazy random draws: NumPy's numbers in program order, whichever is read first."""

import copy
import pickle
import threading

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import lazyarr as la
from lazyarr._core import api as core
from lazyarr._core.host import allocator
from lazyarr.numpy import lazy_random
from support.lazy_helpers import compile_line, pending
from support.numpy_comparison import difference

MANY = lazy_random.LARGE
ARGUMENTS = {
    "beta": "2, 3", "binomial": "10, .3", "chisquare": "3", "choice": "9", "f": "3, 4", "gamma": "2", "geometric": ".2",
    "hypergeometric": "5, 6, 7", "integers": "-3, 1000", "logseries": ".5", "negative_binomial": "5, .5",
    "noncentral_chisquare": "3, 2", "noncentral_f": "3, 4, 1", "pareto": "3", "power": "3", "standard_gamma": "2",
    "standard_t": "4", "triangular": "0, 1, 2", "vonmises": "0, 2", "wald": "1, 2", "weibull": "2", "zipf": "3",
}
MORE = [
    "random(size=(9, 64_000), dtype='f4')", "standard_normal((8, 64_000), np.float32)",
    "integers(5, size=400_000, dtype='u1')", "integers(0, 5, 400_000, endpoint=True)",
    "normal(scale=2.5, size=400_000)", "standard_exponential(400_000, method='inv')",
    "uniform(-1, size=np.int64(400_000))",
    "choice(9, 400_000, shuffle=False)", "standard_gamma(2, 400_000, np.float32)",
]


@pytest.mark.parametrize("call", [f"{name}({ARGUMENTS.get(name, '')})".replace("()", f"(size={MANY})").replace(
    ")", f", size={MANY})" if name in ARGUMENTS else ")") for name in lazy_random.DISTRIBUTIONS] + MORE)
def test_large_draws_wait(call):
    a, b = np.random.default_rng(5), la.random.default_rng(5)
    want = eval(f"rng.{call}", {"rng": a, "np": np})
    with la.no_evaluation():
        got = eval(f"rng.{call}", {"rng": b, "np": np})
    assert core.is_pending(got)
    assert difference(want, got) is None
    assert a.bit_generator.state == b.bit_generator.state


WRONG = [
    "normal(0, -1, {})", "exponential(-1, {})", "gamma(-1, size={})", "beta(0, 1, {})", "integers(5, 5, {})",
    "integers(1e300, size={})", "integers(300, size={}, dtype='u1')", "integers(3, size={}, dtype=float)",
    "poisson(-1, {})", "binomial(5, 1.5, {})", "choice(0, {})", "choice(2, {}, False)", "choice(3, {}, p=[1, 2])",
    "random({}, dtype='i4')", "uniform(0, np.inf, {})", "normal('a', 1, {})", "normal(0, 1, {}.5)", "normal(0, 1, -{})",
    "normal(0, 1, {}, 3)", "normal([0, 1], 1, {})", "normal(nonsense={})", "zipf(1, {})", "triangular(2, 1, 0, {})",
    "hypergeometric(5, 6, 70, {})", "power(0, {})",
]


@pytest.mark.parametrize("size", [3, MANY])
@pytest.mark.parametrize("call", WRONG)
def test_mistakes_are_raised_at_the_call(call, size):
    a, b = np.random.default_rng(5), la.random.default_rng(5)
    with pytest.raises((TypeError, ValueError, OverflowError)) as want:
        eval(f"rng.{call.format(size)}", {"rng": a, "np": np})
    with pytest.raises(want.type) as got:
        eval(f"rng.{call.format(size)}", {"rng": b, "np": np})
    assert str(got.value) == str(want.value)
    np.testing.assert_array_equal(a.random(5), b.random(5))


DRAWS = ["random({})", "normal(1, 2, {})", "integers(9, size={})", "poisson(3., {})", "choice(7, {})", "random()",
         "permutation(5)", "normal(x, abs(x), x.shape)", "exponential(x * x)", "normal(x.mean(), 1, {})", "bytes(3)",
         "standard_normal({}, dtype='f4')", "shuffle(y)", "choice(x, 3)", "multinomial(5, [.5, .5])"]


@given(data=st.data())
def test_numbers_come_in_the_order_of_the_program(data):
    lines = data.draw(st.lists(st.tuples(st.sampled_from(DRAWS), st.sampled_from([3, MANY, (2, MANY)])), max_size=8))
    x = np.random.default_rng(0).random(50)

    def run(rng, x, y):
        return [eval(f"rng.{call.format(size)}", {"rng": rng, "x": x, "y": y}) for call, size in lines], y

    want, y = run(np.random.default_rng(1), x.copy(), np.arange(9))
    got, lazy_y = run(la.random.default_rng(1), pending(x), la.arange(9) * 1)
    for k in data.draw(st.permutations(range(len(lines)))):
        if data.draw(st.booleans()):
            assert difference(want[k], got[k]) is None
        else:
            got[k] = None  # never looked at
    np.testing.assert_array_equal(lazy_y, y)


def test_a_look_at_the_state_draws_what_waits():
    def states(random):
        for look in (lambda rng: rng.bit_generator.state["state"], lambda rng: rng.bytes(4),
                     lambda rng: pickle.loads(pickle.dumps(rng)).random(), lambda rng: copy.copy(rng).random(),
                     lambda rng: copy.deepcopy(rng).random(), lambda rng: rng.bit_generator.random_raw(),
                     lambda rng: rng.spawn(2)[1].normal(size=MANY).max(), lambda rng: rng.random()):
            rng = random.default_rng(3)
            rng.normal(size=MANY)
            yield look(rng)
            rng.random(MANY)
            yield look(rng)

    for want, got in zip(states(np.random), states(la.random), strict=True):
        assert got == want


def test_bits_that_somebody_else_draws_from_are_drawn_at_once():
    bits = np.random.PCG64(1)
    for rng in (la.random.Generator(bits), la.random.default_rng(bits)):
        assert not core.is_pending(rng.random(MANY))
    rng = la.random.default_rng(1)
    first = rng.random(MANY)
    other = np.random.Generator(rng.bit_generator)
    want = np.random.default_rng(1)
    np.testing.assert_array_equal(first, want.random(MANY))
    assert [other.random(), float(rng.random(MANY)[0])] == [want.random(), want.random(MANY)[0]]


def test_children_draw_lazily_too():
    child, want = la.random.default_rng(1).spawn(1)[0], np.random.default_rng(1).spawn(1)[0]
    got = child.random(MANY)
    assert core.is_pending(got)
    np.testing.assert_array_equal(got, want.random(MANY))


def test_arguments_that_wait_are_not_evaluated():
    scale = np.linspace(0.5, 2, 60).reshape(3, 20)
    a, b = np.random.default_rng(2), la.random.default_rng(2)
    x = pending(scale)
    with la.no_evaluation():
        got = [b.normal(0, x), b.normal(x.mean(), x, (4, 3, 20)), b.poisson(x.mean(), 5), b.integers(x.shape[0], 9 + x)]
        x += 1  # no later
    want = [a.normal(0, scale), a.normal(scale.mean(), scale, (4, 3, 20)), a.poisson(scale.mean(), 5),
            a.integers(3, 9 + scale)]
    for w, g in zip(want[::-1], got[::-1], strict=True):
        assert difference(w, g) is None


def test_wrong_values_of_arguments_are_raised_by_the_evaluation_and_stop_no_other_draw():
    a, b = np.random.default_rng(2), la.random.default_rng(2)
    scale = pending(np.array([1.0, -1.0]))
    wrong = compile_line("y = rng.normal(0, scale)", rng=b, scale=scale)["y"]
    after = b.random(MANY)
    for _ in range(2):
        with pytest.raises(ValueError, match="scale < 0") as error:
            wrong.numpy()
        assert "created at user_script.py:3" in error.value.__notes__[0]
    np.testing.assert_array_equal(after, a.random(MANY))


def test_numbers_are_the_same_when_an_evaluation_is_repeated():
    a, b = np.random.default_rng(2), la.random.default_rng(2)
    a.random(MANY)
    b.random(MANY)
    failures = [OSError("once")]

    def flaky(x):
        if failures:
            raise failures.pop()
        return x * 2

    y = core.opaque("flaky", flaky, [b.random(MANY) + b.random(MANY)], (MANY,), np.dtype(float))
    with pytest.raises(OSError, match="once"):
        y.numpy()
    last = b.random(MANY)
    want = (a.random(MANY) + a.random(MANY)) * 2
    np.testing.assert_array_equal(last, a.random(MANY))
    np.testing.assert_array_equal(y, want)
    assert a.random() == b.random()


def test_draws_that_nobody_looks_at_take_no_memory():
    rng = la.random.default_rng(0)
    total = 0
    before = allocator.stats()["live_bytes"]
    for _ in range(20):
        rng.normal(size=MANY)
        total += rng.random(MANY).sum()
    assert allocator.stats()["live_bytes"] - before < MANY * 8
    want = np.random.default_rng(0)
    expected = 0
    for _ in range(20):
        want.normal(size=MANY)
        expected += want.random(MANY).sum()
    assert np.isclose(float(total), expected, rtol=1e-12)
    assert rng.random() == want.random()


def test_threads_share_a_generator():
    rng = la.random.default_rng(0)
    drawn = []

    def draw():
        for _ in range(20):
            drawn.append(rng.random(MANY))

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    want = np.random.default_rng(0).random((80, MANY))
    np.testing.assert_array_equal(np.sort([float(x[0]) for x in drawn]), np.sort(want[:, 0]))
