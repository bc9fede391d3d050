"""Scans of functions that depend only on their arguments are traced once per shapes and dtypes."""
import signal

import numpy as np
import pytest

import lazyarr as la
from lazyarr import nn
from lazyarr.control import cached_scan
from lazyarr.control.signature_cache import KEPT
from support.lazy_helpers import assert_same

called = []


def step(state, x, constants):
    called.append(x.shape)
    h = np.tanh(state[0] @ constants[0] + x)
    return (h,), h * 2


def arrays(size=3, dtype="f8", rounds=5):
    rng = np.random.default_rng(size)
    return [la.array(rng.standard_normal(shape).astype(dtype))
            for shape in ((2, size), (rounds, 2, size), (size, size))]


def walk(h, xs, weight, reverse=False):
    (h,), ys = cached_scan.walk(step, (h,), xs, (weight,), reverse)
    return h, ys


def scan(h, xs, weight, reverse=False):
    (h,), ys = la.scan(lambda state, x: step(state, x, (weight,)), (h,), xs, reverse=reverse)
    return h, ys


@pytest.fixture(autouse=True)
def nothing_is_cache():
    cached_scan._cache.clear()
    called.clear()


@pytest.mark.parametrize("reverse", [False, True])
def test_values_and_derivatives_are_those_of_a_scan(reverse):
    def loss(made):
        return lambda *given: sum((y ** 2).sum() for y in made(*given, reverse))

    def looked_at(results):
        la.evaluate(*results)
        return sum((y ** 2).sum() for y in results)

    for _ in range(3):
        given = arrays()
        for got, expected in zip(walk(*given, reverse), scan(*given, reverse), strict=True):
            assert_same(got, expected.numpy())
        found = la.grad(loss(walk), argnums=(0, 1, 2))(*given)
        for got, expected in zip(found, la.grad(loss(scan), argnums=(0, 1, 2))(*given), strict=True):
            assert_same(got, expected.numpy())
        found = la.grad(lambda *given: looked_at(walk(*given, reverse)), argnums=(0, 1, 2))(*given)
        for got, expected in zip(found, la.grad(lambda *given: looked_at(scan(*given, reverse)),
                                                argnums=(0, 1, 2))(*given), strict=True):
            assert_same(got, expected.numpy())


def test_the_function_is_called_once_for_each_form():
    for given in (arrays(), arrays(), arrays(4), arrays(dtype="f4"), arrays(rounds=6), arrays()):
        walk(*given)
    assert len(called) == 4
    with np.errstate(all="ignore"):
        walk(*arrays())
    assert len(called) == 5


def test_flags_are_told_of_in_the_line_and_the_errstate_of_each_call():
    def overflowing(state, x, _):
        return (state[0] * x,), x

    def of(x):
        return cached_scan.walk(overflowing, (x[0],), x, ())

    x = la.array([1e200, 1e200, 1.0])
    for mode in ("raise", "ignore", "raise"):
        with np.errstate(over=mode):
            made = of(x)
        if mode == "raise":
            with pytest.raises(FloatingPointError):
                la.evaluate(*made[0])
        else:
            la.evaluate(*made[0])
    for _ in range(2):
        made = of(x)
        with pytest.warns(RuntimeWarning, match="overflow encountered") as caught:
            la.evaluate(*made[0])
        assert caught[0].filename == __file__


def test_a_derivative_is_built_once():
    given = arrays()
    gradient = la.grad(lambda *given: walk(*given)[1].sum(), argnums=(0, 2))
    for _ in range(3):
        la.evaluate(*gradient(*given))
    (scan, _), = cached_scan._cache.values()
    assert len(scan.loop.transposes) == len(called) == 1


def test_nothing_is_kept_for_derivatives_that_nobody_asks_for():
    given = arrays()
    walk(*given)[1].sum().grad(given[0]).numpy()  # of a call that was not known to need one
    walk(*given)[1].numpy()
    assert not any(scan.loop.groups for scan, _ in cached_scan._cache.values())


def test_there_is_an_end_to_what_is_cache():
    for rounds in range(1, 2 * KEPT):
        walk(*arrays(rounds=rounds))
    assert len(cached_scan._cache) == KEPT


def test_second_derivatives_and_batches():
    given = arrays()

    def loss(made):
        return lambda *given: (made(*given)[1] ** 2).sum()

    for _ in range(2):
        found = [la.hvp(loss(made), given, given) for made in (walk, scan)]
        for got, expected in zip(*found, strict=True):
            np.testing.assert_allclose(got, expected, rtol=1e-12)
        batches = [np.stack([x, 2 * x]) for x in given]
        found = [la.vmap(la.grad(loss(made)))(*batches) for made in (walk, scan)]
        np.testing.assert_allclose(*found, rtol=1e-12)


def test_a_loop_that_is_pulled_back_twice_is_differentiated():
    """Both read one tape, whose cotangents are added up."""
    def twice(made):
        def function(*given):
            _, pull = la.vjp(lambda *given: made(*given)[1], *given)
            total = 0
            for factor in (1.0, 2.0):
                total = total + (pull(la.full((5, 2, 3), factor))[1] ** 2).sum()
            return total

        return la.grad(function, argnums=(0, 1, 2))

    def written_out(h, xs, weight, reverse=False):
        ys = []
        for x in xs:
            (h,), y = step((h,), x, (weight,))
            ys.append(y)
        return h, np.stack(ys)

    given = arrays()
    expected = twice(written_out)(*given)
    for made in (walk, scan):
        for got, wanted in zip(twice(made)(*given), expected, strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-10)


def test_a_layer_learns_the_same_traced_and_not():
    class Steps(nn.LSTM):
        def __call__(self, x):
            return super().__call__(x)[0]

    losses = []
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((4, 6, 3)).astype("f4"), rng.integers(0, 5, (4, 6))
    for traced in (False, True, False, True):
        step = nn.training_step(Steps(3, 5, rng=1), nn.cross_entropy, nn.SGD(0.1), traced=traced)
        losses.append([float(step(x, y)["loss"]) for _ in range(4)])
    assert losses[0] == losses[2]
    np.testing.assert_allclose(losses[1:], losses[:1] * 3, rtol=1e-6)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer")
def test_a_signal_handler_may_run_a_loop_that_is_running():
    count = la.jit(lambda x: la.fori_loop(0, 200_000, lambda i, total: total + x, x * 2) * x)
    assert count(la.array(1.0)).item() == 200_002
    found = []
    before = signal.signal(signal.SIGALRM, lambda *_: found.append(count(la.array(2.0)).item()))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.005)
        assert count(la.array(3.0)).item() == 1_800_018
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert found == [800_008]
