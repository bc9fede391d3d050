"""Concurrent calls: which run together, their values, and the state after errors and signals."""
import signal
import time

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core.runtime import concurrent_calls
from lazyarr.ops import blas_threads

RNG = np.random.default_rng(3)
MATRICES = [RNG.random((30, 30)) + 4 * np.eye(30) for _ in range(6)]
WORDS = "inv det svd eigh qr solve cholesky pinv".split()


@pytest.fixture
def always():
    """Run calls concurrently even if that does not pay."""
    before = concurrent_calls.set_enabled(True, True)
    with la.config(num_threads=3):
        yield
    concurrent_calls.set_enabled(*before)


@pytest.fixture
def made(always):
    """Count the groups of calls, and the calls, that ran concurrently."""
    before = concurrent_calls.counts()
    return lambda: tuple(now - then for now, then in zip(concurrent_calls.counts(), before, strict=True))


def flat(results):
    return [np.asarray(part) for r in results for part in (r if isinstance(r, tuple) else (r,))]


def of(module, a):
    """Return calls of several functions, with one result and with several."""
    s = a @ a.T
    return [module.linalg.inv(a), module.linalg.det(a), module.linalg.svd(a), module.linalg.eigh(s),
            module.linalg.qr(a), module.linalg.solve(a, s), module.linalg.cholesky(s), module.sort(a, 0),
            module.fft.fft(a), module.argsort(a)]


def test_values(made):
    found = of(la, la.asarray(MATRICES[0]))
    la.evaluate(*[part for r in found for part in (r if isinstance(r, tuple) else (r,))])
    assert made()[1] >= 8
    for x, y in zip(flat(found), flat(of(np, MATRICES[0])), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-9)


def test_calls_that_wait_for_others_come_later(made):
    a, b = la.asarray(MATRICES[0]), la.asarray(MATRICES[1])
    once = [la.linalg.inv(a), la.linalg.inv(b)]
    twice = [la.linalg.inv(x) for x in once]
    singular = la.linalg.svd(once[0])[1]
    la.evaluate(*twice, singular)
    assert made()[1] >= 2
    np.testing.assert_allclose(twice[0], MATRICES[0])
    np.testing.assert_allclose(twice[1], MATRICES[1])
    np.testing.assert_allclose(singular, np.linalg.svd(np.linalg.inv(MATRICES[0]))[1])


def test_small_calls_are_made_one_by_one():
    before = concurrent_calls.counts()
    la.evaluate(*[la.linalg.inv(la.asarray(a)) for a in MATRICES])
    assert concurrent_calls.counts() == before


def test_large_calls_are_made_at_the_same_time():
    before = concurrent_calls.counts()
    a = RNG.random((300, 300))
    with la.config(num_threads=2):
        values = [la.linalg.svd(la.asarray(a + k))[1] for k in range(2)]
        la.evaluate(*values)
    assert concurrent_calls.counts() == (before[0] + 1, before[1] + 2)
    for k in range(2):
        np.testing.assert_allclose(values[k], np.linalg.svd(a + k)[1])


def test_sorts_share_their_own_threads():
    before = concurrent_calls.counts()
    with la.config(num_threads=2):
        la.evaluate(*[la.sort(la.asarray(RNG.random(300_000))) for _ in range(2)])
    assert concurrent_calls.counts() == before


def test_threads_of_blas_are_put_back(always):
    before = blas_threads.limit(None)
    la.evaluate(*[la.linalg.inv(la.asarray(a)) for a in MATRICES])
    assert blas_threads.limit(None) == before


def test_an_error_leaves_the_others_their_values(made):
    good, bad, other = (la.linalg.inv(la.asarray(a)) for a in (MATRICES[0], np.zeros((3, 3)), MATRICES[1]))
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        la.evaluate(good, bad, other)
    assert made() == (0, 0)
    for _ in range(2):
        with pytest.raises(np.linalg.LinAlgError, match="Singular"):
            bad.numpy()
    np.testing.assert_allclose(good, np.linalg.inv(MATRICES[0]))
    np.testing.assert_allclose(other, np.linalg.inv(MATRICES[1]))


def test_errstate_and_errors_are_those_of_the_operation(always):
    a = np.zeros((3, 3))
    with np.errstate(all="ignore"):
        x = la.linalg.inv(la.asarray(a))
    y = la.linalg.inv(la.asarray(MATRICES[0]))
    with pytest.raises(np.linalg.LinAlgError) as caught:
        la.evaluate(y, x)
    assert any("linalg.inv" in note for note in caught.value.__notes__)


def test_a_signal_handler_may_evaluate(always):
    """What it evaluates is part of the running evaluation."""
    values = [la.linalg.svd(la.asarray(RNG.random((200, 200)) + k))[1] for k in range(4)]
    seen = []
    before = signal.signal(signal.SIGALRM, lambda *_: seen.append(values[3].numpy()[0]))
    try:
        for _ in range(5):
            signal.setitimer(signal.ITIMER_REAL, 0.004)
            la.evaluate(*values)
            time.sleep(0.01)
            signal.setitimer(signal.ITIMER_REAL, 0)
            assert all(values[k].numpy()[0] > 50 for k in range(4))
            values = [la.linalg.svd(la.asarray(RNG.random((200, 200)) + k))[1] for k in range(4)]
    finally:
        signal.signal(signal.SIGALRM, before)
    assert seen


def test_a_signal_handler_sees_whole_values(always):
    """A thread fills the values that the handler reads; it sorts them in place."""
    data = RNG.random(1_000_000)
    wanted = np.sort(data)
    seen = []
    before = signal.signal(signal.SIGALRM, lambda *_: seen.extend(np.array_equal(y, wanted) for y in values))
    try:
        for _ in range(4):
            values = [la.sort(la.asarray(data.copy())) for _ in range(2)]
            signal.setitimer(signal.ITIMER_REAL, 0.02)
            la.evaluate(*values)
            time.sleep(0.03)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert len(seen) == 8
    assert all(seen)


def test_without_threads_calls_are_made_by_the_one_that_evaluates(made, monkeypatch):
    class Closed:
        """An engine after the interpreter's shutdown."""

        def __init__(self, engine):
            self.new_variable, self.wait = engine.new_variable, engine.wait

        def push(self, *args, **kwargs):
            raise RuntimeError("the engine is closed")

    closed = Closed(concurrent_calls.shared_engine())
    monkeypatch.setattr(concurrent_calls, "shared_engine", lambda: closed)
    values = [la.linalg.inv(la.asarray(a)) for a in MATRICES]
    la.evaluate(*values)
    assert made() == (1, 6)
    for x, a in zip(values, MATRICES, strict=True):
        np.testing.assert_allclose(x, np.linalg.inv(a), rtol=1e-9)


def test_an_interrupt_waits_for_the_threads(always):
    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    values = []

    def evaluate_for_ever():
        while True:
            values[:] = [la.linalg.svd(la.asarray(RNG.random((300, 300)) + k))[1] for k in range(4)]
            la.evaluate(*values)

    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        with pytest.raises(KeyboardInterrupt):
            evaluate_for_ever()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert all(np.isfinite(x.numpy()).all() for x in values)


def test_profiles_say_which_thread_made_a_call(always):
    values = [la.linalg.svd(la.asarray(RNG.random((200, 200))))[1] for _ in range(4)]
    with la.profile(trace=True) as collected:
        la.evaluate(*values)
    events = [event for event in collected.trace if event["name"] == "linalg.svd"]
    assert len(events) == 4
    assert len({event["tid"] for event in events}) > 1


def test_intermediate_values_are_not_overwritten(made):
    """Values in the arena live until all calls of a group have finished."""
    sources = [RNG.random((150, 150)) + 4 * np.eye(150) for _ in range(6)]
    results = [la.linalg.inv(np.exp(la.asarray(a)) + 2) * 3 + 1 for a in sources]
    la.evaluate(*results)
    assert made()[1] >= 2
    for x, a in zip(results, sources, strict=True):
        np.testing.assert_allclose(x, np.linalg.inv(np.exp(a) + 2) * 3 + 1, rtol=1e-7)


def test_gradients_through_calls(always):
    def loss(module, a, b):
        return module.linalg.inv(a).sum() + module.linalg.det(b)

    a, b = MATRICES[0][:4, :4], MATRICES[1][:4, :4]
    found = la.grad(lambda a, b: loss(np, a, b), argnums=(0, 1))(la.asarray(a), la.asarray(b))
    la.evaluate(*found)
    inverse = np.linalg.inv(a)
    np.testing.assert_allclose(found[0], -inverse.T @ np.ones((4, 4)) @ inverse.T, rtol=1e-9)
    np.testing.assert_allclose(found[1], np.linalg.det(b) * np.linalg.inv(b).T, rtol=1e-9)


@pytest.mark.parametrize("backend", [None, "numpy"])
def test_graphs_with_the_name_of_a_call_run_one_after_the_other(made, backend):
    x = la.var((30, 30), name="x")
    graphs = [la.graph(x, np.linalg.inv(x) + k, "linalg.inv").build(backend=backend) for k in range(3)]
    found = [graph(a) for graph, a in zip(graphs, MATRICES, strict=False)]
    la.evaluate(*found)
    assert made() == (0, 0)  # each is an evaluation of its own
    for k, y in enumerate(found):
        np.testing.assert_allclose(y, np.linalg.inv(MATRICES[k]) + k)
