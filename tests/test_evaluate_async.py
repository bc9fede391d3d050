"""Evaluation on a background thread, and its futures."""
import asyncio
import concurrent.futures
import contextvars
import gc
import signal
import threading
import time
import warnings

import numpy as np
import pytest

import lazyarr as la
from lazyarr.runtime.evaluation_future import EvaluationFuture
from lazyarr.runtime.streams import engine as _engine

SIZE = 100_000
SECONDS = 20.0      # longer than anything takes here


class Gate:
    """An operation that blocks in the middle of an evaluation until it is released."""

    def __init__(self):
        self.begun, self.go, self.calls = threading.Event(), threading.Event(), 0

    def __call__(self, array):
        """Return the values unchanged."""
        self.calls += 1
        self.begun.set()
        assert self.go.wait(SECONDS)
        return array

    def of(self, x):
        """Return a pending array with the values of x."""
        return la.delay(self, x, shape=x.shape, dtype=x.dtype)


@pytest.fixture(autouse=True)
def drained():
    """Drain the engine before leaks are checked."""
    yield
    _engine.wait_all()


@pytest.fixture
def gate():
    """A gate that is opened at the end."""
    made = Gate()
    yield made
    made.go.set()


def ramp(n=SIZE):
    return la.array(np.arange(float(n)))


# Futures


def test_result_is_the_array():
    x = ramp() * 2
    future = x.evaluate_async()
    assert isinstance(future, concurrent.futures.Future)
    assert isinstance(future, EvaluationFuture)
    assert future.result() is x
    assert future.done()
    assert not future.running()
    assert not future.cancelled()
    assert future.exception() is None
    np.testing.assert_array_equal(x.numpy(), np.arange(float(SIZE)) * 2)


def test_several_arrays_share_a_plan(evaluations):
    x = ramp()
    low, high = (x + 1).min(), (x + 1).max()
    found = la.evaluate_async(low, high).result(SECONDS)
    assert found[0] is low
    assert found[1] is high
    assert len(evaluations) == 1
    assert float(high - low) == SIZE - 1


def test_no_arrays_and_values_that_are_there():
    assert la.evaluate_async().done()
    assert la.evaluate_async().result() == ()
    x = la.ones(3)
    la.evaluate(x)
    assert x.evaluate_async().done()
    assert x.evaluate_async().result() is x


def test_views_selections_and_scalars():
    x = ramp(1000) + 1
    view, chosen, total = x[10:20], x[x > 990], x.sum()
    found = la.evaluate_async(view, chosen, total).result(SECONDS)
    assert found[0] is view
    assert found[1] is chosen
    assert found[2] is total
    np.testing.assert_array_equal(chosen.numpy(), np.arange(991.0, 1001))
    assert float(total) == 500500
    assert float(view[0]) == 11


@pytest.mark.parametrize("bad", [3, np.ones(2), None, "x", [1]])
def test_bad_arguments_raise_at_the_call(bad):
    with pytest.raises(TypeError, match="evaluate_async takes LazyArrays, got"):
        la.evaluate_async(la.ones(2) + 1, bad)


def test_done_and_timeout(gate):
    future = gate.of(ramp(3)).evaluate_async()
    assert gate.begun.wait(SECONDS)
    assert not future.done()
    assert future.running()
    assert not future.cancel()
    for wait in (future.result, future.exception):
        with pytest.raises(TimeoutError):
            wait(0.01)
    gate.go.set()
    assert future.result(SECONDS).tolist() == [0, 1, 2]


def test_cancel_before_it_has_begun(gate):
    first, x = gate.of(ramp(3)).evaluate_async(), ramp(3) + 1
    assert gate.begun.wait(SECONDS)
    future = x.evaluate_async()
    assert future.cancel()
    assert future.cancelled()
    assert future.done()
    with pytest.raises(concurrent.futures.CancelledError):
        future.result()
    gate.go.set()
    first.result(SECONDS)
    assert x.tolist() == [1, 2, 3]


def test_callbacks():
    seen, done = [], threading.Event()
    x = ramp(3) + 1
    future = x.evaluate_async()
    future.add_done_callback(lambda f: (seen.append(f.result()), done.set()))
    assert done.wait(SECONDS)
    assert seen == [x]
    future.add_done_callback(lambda f: seen.append(f))
    assert seen == [x, future]


def test_the_modules_functions_take_it():
    futures = [(ramp(3) + k).evaluate_async() for k in range(4)]
    assert concurrent.futures.wait(futures, SECONDS).not_done == set()
    assert sorted(float(f.result()[0]) for f in concurrent.futures.as_completed(futures)) == [0, 1, 2, 3]


def test_asyncio():
    async def of(k):
        x = ramp(1000) + k
        assert await x.evaluate_async() is x
        return float(x.sum())

    async def main():
        with pytest.raises(ValueError, match="bad"):
            await failing().evaluate_async()
        return await asyncio.gather(*[of(k) for k in range(8)])

    assert asyncio.run(main()) == [499500.0 + 1000 * k for k in range(8)]


def test_evaluations_run_in_order(gate):
    order = []

    def note(k):
        return la.delay(lambda: order.append(k) or np.ones(()), shape=(), dtype=float)

    futures = [gate.of(ramp(2)).evaluate_async(), *[note(k).evaluate_async() for k in range(20)]]
    gate.go.set()
    concurrent.futures.wait(futures, SECONDS)
    assert order == list(range(20))


def test_the_program_goes_on(gate):
    future = gate.of(ramp(3)).evaluate_async()
    assert gate.begun.wait(SECONDS)
    x = ramp(3) + 1     # builds graphs
    assert x.shape == (3,)
    assert not future.done()


def test_a_dropped_future_is_evaluated(gate):
    x = gate.of(ramp(3))
    x.evaluate_async()
    del x
    gc.collect()
    assert gate.begun.wait(SECONDS)
    gate.go.set()


def test_a_look_waits_for_the_value(gate):
    x = gate.of(ramp(3))
    x.evaluate_async()
    assert gate.begun.wait(SECONDS)
    threading.Timer(0.05, gate.go.set).start()
    assert repr(x) == "array([0., 1., 2.])"
    assert gate.calls == 1


# Errors and settings


def failing(kind=ValueError):
    def fail(array):
        raise kind("bad")

    return la.delay(fail, ramp(3), shape=(3,), dtype=float) + 1


def test_an_error_is_the_futures():
    x = failing()
    future = x.evaluate_async()
    assert isinstance(future.exception(SECONDS), ValueError)
    for look in (future.result, x.numpy, future.result):
        with pytest.raises(ValueError, match="bad") as caught:
            look()
        assert "test_evaluate_async.py" in caught.value.__notes__[0]


def test_an_exception_of_any_kind_is_the_futures():
    future = failing(SystemExit).evaluate_async()
    with pytest.raises(SystemExit):
        future.result(SECONDS)
    assert (ramp(3) + 1).evaluate_async().result(SECONDS).tolist() == [1, 2, 3]


def test_nobody_is_told_of_an_error(capfd):
    failing().evaluate_async()
    _engine.wait_all()
    assert capfd.readouterr() == ("", "")


def test_errstate_is_that_of_the_operations():
    x = ramp(3)
    with np.errstate(divide="raise"):
        raising = 1 / x
    with np.errstate(divide="ignore"):
        silent = 1 / x
        future = raising.evaluate_async()
    with pytest.raises(FloatingPointError, match="divide by zero"):
        future.result(SECONDS)
    with np.errstate(all="raise"), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert silent.evaluate_async().result(SECONDS)[0] == np.inf


def test_warnings_are_the_programs():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        (1 / ramp(3)).evaluate_async().result(SECONDS)
    assert [str(w.message) for w in caught] == ["divide by zero encountered in divide"]
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = 1 / ramp(3)
        with pytest.raises(RuntimeWarning, match="divide by zero"):
            x.evaluate_async().result(SECONDS)
        assert x[1] == 1


def test_context_variables_are_those_of_the_call():
    variable, seen = contextvars.ContextVar("variable", default=0), []
    x = la.delay(lambda: seen.append(variable.get()) or np.ones(()), shape=(), dtype=float)
    token = variable.set(7)
    future = x.evaluate_async()
    variable.reset(token)
    future.result(SECONDS)
    assert seen == [7]


def test_no_evaluation_refuses_at_the_call(gate):
    first, x = gate.of(ramp(3)).evaluate_async(), ramp(3) + 1
    before = x.evaluate_async()
    y = ramp(3) + 2
    with la.no_evaluation():
        with pytest.raises(la.EvaluationForbidden):
            y.evaluate_async()
        assert la.evaluate_async().done()
        gate.go.set()
        assert before.result(SECONDS) is x  # which was called before
    first.result(SECONDS)
    assert y.tolist() == [2, 3, 4]


@pytest.mark.parametrize("transform", [
    lambda f: la.jit(f)(la.ones(3)), lambda f: la.vmap(la.jit(f))(la.ones((2, 3))),
    lambda f: la.scan(lambda c, t: (f(c), t), la.ones(3), la.ones(2)),
    lambda f: la.fori_loop(0, 3, lambda k, c: f(c), la.ones(3)),
    lambda f: la.while_loop(lambda c: c.sum() < 5, f, la.ones(3)),
])
@pytest.mark.parametrize("call", ["evaluate", "evaluate_async"])
def test_traced_functions_refuse_at_the_call(transform, call):
    raised = []

    def function(x):
        y = x * 2 + 1
        try:
            getattr(la, call)(y)
        except la.TracedValueError as error:
            raised.append((str(error), error.__notes__))
        return y

    transform(function)
    assert raised
    assert raised[0][0].startswith("an array that stands for an argument has no value")
    assert raised[0][1] == ["lazyarr: in a traced argument"]


def test_functions_that_are_differentiated_may_evaluate():
    def function(x):
        y = (x * x).sum()
        assert float(y.evaluate_async().result(SECONDS)) == 5
        return y * 2

    assert la.grad(function)(la.arange(3.0)).tolist() == [0, 4, 8]


def test_a_symbol_has_no_value():
    with pytest.raises(TypeError, match="has no value"):
        la.var((3,), float, "v").evaluate_async()


# No deadlocks with itself


@pytest.mark.parametrize("look", [lambda y: y.numpy(), lambda y: y.evaluate_async().result(SECONDS)])
def test_result_inside_an_evaluation(look):
    """The future's evaluation would have to wait for this one, on either thread."""
    future = (ramp(3) + 1).evaluate_async()

    def ask():
        return (ramp(3) + 2).evaluate_async().result().numpy() + future.result().numpy()

    y = la.delay(ask, shape=(3,), dtype=float)
    look(y)
    assert y.tolist() == [3, 5, 7]


def test_errors_inside_an_evaluation():
    def ask():
        future = failing().evaluate_async()
        assert isinstance(future.exception(), ValueError)
        return future.result().numpy()

    x = la.delay(ask, shape=(3,), dtype=float)
    with pytest.raises(ValueError, match="bad"):
        x.evaluate_async().result(SECONDS)


def test_result_in_a_warnings_handler(monkeypatch):
    seen, futures = [], []

    def handler(*_, **__):
        seen.append(futures[0].result()[1] + float((ramp(3) + 5).evaluate_async().result()[0]))

    for run in (lambda: futures[0].result(SECONDS), lambda: la.evaluate(1 / ramp(3))):
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            monkeypatch.setattr(warnings, "showwarning", handler)
            x = 1 / ramp(3)
            gate = Gate()
            futures[:] = [gate.of(x).evaluate_async()]
            gate.go.set()
            run()
            _engine.wait_all()
    assert seen
    assert set(seen) == {6.0}


def test_result_in_a_done_callback():
    seen, done = [], threading.Event()
    gate = Gate()
    first, x = gate.of(ramp(3)).evaluate_async(), ramp(3) + 1
    second = x.evaluate_async()
    first.add_done_callback(lambda f: (seen.append((f.result(), second.result(), second.exception())), done.set()))
    gate.go.set()
    assert done.wait(SECONDS)
    assert seen[0][1] is x
    assert seen[0][2] is None
    assert second.result(SECONDS).tolist() == [1, 2, 3]


def test_a_gradient_waits_for_a_running_evaluation(gate):
    """The nodes in between are not taken from it half-way."""
    w, data = la.array(np.linspace(0.1, 1, SIZE)), la.array(np.linspace(0, 1, SIZE))
    data[:5] = 3
    la.evaluate(w, data)
    inner = data * 2.0 + 1
    del data
    loss = gate.of(inner).sum() * w.sum()
    del inner
    future = loss.evaluate_async()
    assert gate.begun.wait(SECONDS)
    threading.Timer(0.05, gate.go.set).start()
    with pytest.raises(ValueError, match="take the gradient earlier"):
        loss.grad(w)
    future.result(SECONDS)
    assert gate.calls == 1


def test_many_threads():
    errors = []

    def work(k):
        try:
            for n in range(30):
                x = ramp(1000) * k + n
                future = la.evaluate_async(x, x.sum())
                x += 1
                total = future.result(SECONDS)[1]
                assert float(total) == 499500.0 * k + 1000 * n
                assert float(x.sum()) == 499500.0 * k + 1000 * (n + 1)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(3 * SECONDS)
    assert not errors


# Signals


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="sends signals to threads")
@pytest.mark.parametrize("wait", [lambda x, future: x.numpy(), lambda x, future: future.result()])
def test_an_interrupt_ends_the_wait(gate, wait):
    x = gate.of(ramp(3))
    future = x.evaluate_async()
    assert gate.begun.wait(SECONDS)
    threading.Timer(0.1, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT)).start()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        wait(x, future)
    assert time.monotonic() - started < SECONDS / 2
    gate.go.set()
    assert future.result(SECONDS).tolist() == x.tolist() == [0, 1, 2]
