"""Evaluation on a background thread, and the futures of it."""
import asyncio
import concurrent.futures
import contextvars
import gc
import os
import signal
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import lazyarr as la
from lazyarr.runtime.evaluation_future import EvaluationFuture

SIZE = 100_000
SECONDS = 20.0      # longer than anything takes here


class Gate:
    """An operation that waits in the middle of an evaluation until it is let go on."""

    def __init__(self):
        self.begun, self.go, self.calls = threading.Event(), threading.Event(), 0

    def __call__(self, array):
        """The same values."""
        self.calls += 1
        self.begun.set()
        assert self.go.wait(SECONDS)
        return array

    def of(self, x):
        """An array with the values of x that waits."""
        return la.delay(self, x, shape=x.shape, dtype=x.dtype)


@pytest.fixture
def gate():
    """A gate, opened at the end."""
    made = Gate()
    yield made
    made.go.set()
    la.ones(1).evaluate_async().result(SECONDS)
    drain()


def drain():
    """Wait for the evaluations that are under way."""
    la.evaluate(la.ones(2) + 1)
    (la.ones(2) + 1).evaluate_async().result(SECONDS)


def ramp(n=SIZE):
    return la.array(np.arange(float(n)))


# Futures


def test_result_is_the_array():
    x = ramp() * 2
    future = x.evaluate_async()
    assert isinstance(future, concurrent.futures.Future) and isinstance(future, EvaluationFuture)
    assert future.result() is x
    assert future.done() and not future.running() and not future.cancelled() and future.exception() is None
    np.testing.assert_array_equal(x.numpy(), np.arange(float(SIZE)) * 2)


def test_several_arrays_share_a_plan(evaluations):
    x = ramp()
    low, high = (x + 1).min(), (x + 1).max()
    found = la.evaluate_async(low, high).result(SECONDS)
    assert found[0] is low and found[1] is high
    assert len(evaluations) == 1 and float(high - low) == SIZE - 1


def test_no_arrays_and_values_that_are_there():
    assert la.evaluate_async().done() and la.evaluate_async().result() == ()
    x = la.ones(3)
    la.evaluate(x)
    assert x.evaluate_async().done() and x.evaluate_async().result() is x


def test_views_selections_and_scalars():
    x = ramp(1000) + 1
    view, chosen, total = x[10:20], x[x > 990], x.sum()
    found = la.evaluate_async(view, chosen, total).result(SECONDS)
    assert found[0] is view and found[1] is chosen and found[2] is total
    np.testing.assert_array_equal(chosen.numpy(), np.arange(991.0, 1001))
    assert float(total) == 500500 and float(view[0]) == 11


@pytest.mark.parametrize("bad", [3, np.ones(2), None, "x", [1]])
def test_bad_arguments_raise_at_the_call(bad):
    with pytest.raises(TypeError, match="evaluate_async takes LazyArrays, got"):
        la.evaluate_async(la.ones(2) + 1, bad)


def test_done_and_timeout(gate):
    future = gate.of(ramp(3)).evaluate_async()
    assert gate.begun.wait(SECONDS)
    assert not future.done() and future.running() and not future.cancel()
    for wait in (future.result, future.exception):
        with pytest.raises(TimeoutError):
            wait(0.01)
    gate.go.set()
    assert future.result(SECONDS).tolist() == [0, 1, 2]


def test_cancel_before_it_has_begun(gate):
    first, x = gate.of(ramp(3)).evaluate_async(), ramp(3) + 1
    assert gate.begun.wait(SECONDS)
    future = x.evaluate_async()
    assert future.cancel() and future.cancelled() and future.done()
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
    assert done.wait(SECONDS) and seen == [x]
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
    assert x.shape == (3,) and not future.done()


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


# Values are those at the time of the call


@pytest.mark.parametrize("write", [
    lambda x: x.__setitem__(0, -1), lambda x: x.__iadd__(5), lambda x: x[10:].__setitem__(slice(None), 7),
    lambda x: np.multiply(x, 3, out=x), lambda x: x.fill(2), lambda x: np.copyto(x, 4), lambda x: x.sort(),
    lambda x: np.asarray(x).__setitem__(slice(None), 9), lambda x: np.put(x, [3], 8), lambda x: x.__setitem__(x > 5, 0),
    lambda x: x[::2].__imul__(2), lambda x: x.reshape(2, -1)[1].__setitem__(0, -8),
])
@pytest.mark.parametrize("size", [64, SIZE])
def test_writes_after_the_call(write, size):
    """Writes to an operand and to the array itself are neither seen nor lost."""
    start = np.arange(float(size))[::-1].copy()
    for k in range(24):
        x = la.array(start) if k % 2 else la.array(start) + 0
        y = np.sqrt(x * 2 + k).cumsum() + x[::-1]
        z = x[1:] * 3
        kept = y.copy()
        futures = [la.evaluate_async(y, z), kept.evaluate_async()]
        write(x)
        write(y)
        values = start * 1
        write(values)
        seen = np.sqrt(start * 2 + k).cumsum() + start[::-1]
        np.testing.assert_array_equal(futures[1].result(SECONDS).numpy(), seen)
        np.testing.assert_array_equal(x.numpy(), values)
        write(seen)
        assert futures[0].result(SECONDS)[0] is y
        np.testing.assert_array_equal(y.numpy(), seen)
        np.testing.assert_array_equal(z.numpy(), start[1:] * 3)


@pytest.mark.parametrize("size", [64, SIZE])
def test_writes_through_lent_memory(size):
    for k in range(24):
        x = la.array(np.arange(float(size)))
        lent = np.asarray(x)
        y = x * 2 + k
        future = y.evaluate_async()
        lent[:] = -1
        again = (x + 1).evaluate_async()
        lent[0] = 5
        np.testing.assert_array_equal(future.result(SECONDS).numpy(), np.arange(float(size)) * 2 + k)
        np.testing.assert_array_equal(again.result(SECONDS).numpy(), np.zeros(size))
        assert float(x[0]) == 5


def test_memory_lent_while_it_is_evaluated():
    for k in range(40):
        x = ramp() + k
        la.evaluate(x)
        future = np.sqrt(x * x).evaluate_async()
        np.asarray(x)[:] = -1
        np.testing.assert_array_equal(future.result(SECONDS).numpy(), np.arange(float(SIZE)) + k)


def test_a_chain_of_evaluations_and_writes():
    switch = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        x, known, futures = ramp(1000), np.arange(1000.0), []
        for k in range(300):
            x += k
            known += k
            futures.append((x.sum().evaluate_async(), known.sum()))
            x[k] = -k
            known[k] = -k
        for future, value in futures:
            assert float(future.result(SECONDS)) == value
        np.testing.assert_array_equal(x.numpy(), known)
    finally:
        sys.setswitchinterval(switch)


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
    drain()
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
    lambda f: la.scan(lambda c, t: (f(c), t), la.ones(3), la.ones(2)), lambda f: la.fori_loop(0, 3, lambda k, c: f(c), la.ones(3)),
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
    assert raised and raised[0][0].startswith("an array that stands for an argument has no value")
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


# Nothing waits for itself


def test_result_inside_an_evaluation():
    """Of a future whose evaluation would have to wait for this one, on both threads."""
    for look in (lambda y: y.numpy(), lambda y: y.evaluate_async().result(SECONDS)):
        x = ramp(3) + 1
        future = x.evaluate_async()
        other = (ramp(3) + 2).evaluate_async
        y = la.delay(lambda: other().result().numpy() + future.result().numpy(), shape=(3,), dtype=float)
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
            drain()
    assert seen and set(seen) == {6.0}


def test_result_in_a_done_callback():
    seen, done = [], threading.Event()
    gate = Gate()
    first, x = gate.of(ramp(3)).evaluate_async(), ramp(3) + 1
    second = x.evaluate_async()
    first.add_done_callback(lambda f: (seen.append((f.result(), second.result(), second.exception())), done.set()))
    gate.go.set()
    assert done.wait(SECONDS)
    assert seen[0][1] is x and seen[0][2] is None
    assert second.result(SECONDS).tolist() == [1, 2, 3]


def test_a_gradient_waits_for_a_running_evaluation(gate):
    """What lies between is not taken from it half-way."""
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


# Signals, forks, the end of the process


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


FORK = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@FORK
@pytest.mark.parametrize("where", ["waiting", "running", "done", "cancelled"])
def test_futures_in_a_forked_child(where, run_python):
    assert run_python(f"""
        import asyncio, os, threading, numpy as np, lazyarr as la
        begun, go = threading.Event(), threading.Event()
        parent = os.getpid()
        def wait(a):
            begun.set()
            if os.getpid() == parent:
                go.wait()
            return a
        x = la.delay(wait, la.arange(3.0), shape=(3,), dtype=float)
        y = la.arange(3.0) + 1
        running, waiting, cancelled = x.evaluate_async(), y.evaluate_async(), (la.arange(3.0) + 2).evaluate_async()
        done = la.evaluate_async()
        cancelled.cancel()
        begun.wait()
        child = os.fork()
        if child == 0:
            future = {where}
            async def ask():
                return await future
            try:
                print(future.result(), future.done(), asyncio.run(ask()), flush=True)
            except BaseException as error:
                print(type(error).__name__, flush=True)
            print((la.arange(2) + 1).evaluate_async().result(), flush=True)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        go.set()
        print(running.result(), waiting.result())
    """).splitlines() == [
        {"waiting": "[1. 2. 3.] True [1. 2. 3.]", "running": "[0. 1. 2.] True [0. 1. 2.]", "done": "() True ()",
         "cancelled": "CancelledError"}[where], "[1 2]", "[0. 1. 2.] [1. 2. 3.]"]


@FORK
def test_what_a_fork_interrupts_fails_in_the_child(run_python):
    """Memory that the other thread was writing to is not taken for values."""
    assert run_python("""
        import os, threading, numpy as np, lazyarr as la
        begun, go = threading.Event(), threading.Event()
        parent = os.getpid()
        def wait(a):
            begun.set()
            if os.getpid() == parent:
                go.wait()
            return a
        x = la.array(np.arange(300_000.0))
        x[0] = 1
        la.evaluate(x)
        inner = x * 2 + 1   # in the memory of x
        del x
        y = la.delay(wait, inner, shape=(300_000,), dtype=float).sum()
        del inner
        future = y.evaluate_async()
        begun.wait()
        child = os.fork()
        if child == 0:
            for look in (future.result, lambda: float(y)):
                try:
                    print(look(), flush=True)
                except RuntimeError as error:
                    print(error, flush=True)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        go.set()
        print(future.result() == (np.arange(300_000.0) * 2 + 1).sum() + 2)
    """).splitlines() == 2 * ["another thread was computing this array when the process was forked"] + ["True"]


@FORK
def test_forks_during_evaluations(run_python):
    assert run_python("""
        import os, numpy as np, lazyarr as la
        for k in range(12):
            x = (np.sin(la.asarray(np.linspace(0, 1, 200_000))) + 1).cumsum() * 2
            y = np.sort(x)[::-1] + k
            futures = [x.sum().evaluate_async(), y.evaluate_async()]
            child = os.fork()
            if child == 0:
                for future in futures:
                    try:
                        future.result()
                    except RuntimeError as error:
                        assert "forked" in str(error)
                assert (la.ones(200_000) + 1).sum().evaluate_async().result() == 400_000
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
            values = (np.sin(np.linspace(0, 1, 200_000)) + 1).cumsum() * 2
            np.testing.assert_array_equal(futures[1].result(), np.sort(values)[::-1] + k)
        print("done")
    """) == "done\n"


def test_the_end_of_the_process_waits(run_python):
    assert run_python("""
        import time, numpy as np, lazyarr as la
        def slow(a):
            time.sleep(0.3)
            print("done", flush=True)
            return a
        la.delay(slow, la.arange(3.0), shape=(3,), dtype=float).evaluate_async()
    """) == "done\n"


def test_futures_at_the_end_of_the_process(run_python):
    assert run_python("""
        import atexit, lazyarr as la
        atexit.register(lambda: print((la.arange(3) + 1).evaluate_async().result()))
        (la.arange(3) + 2).evaluate_async()
        atexit.register(lambda: print((la.arange(3) + 3).evaluate_async().result()))
    """).splitlines() == ["[3 4 5]", "[1 2 3]"]


def test_imports_come_with_the_first_use(run_python):
    assert run_python("""
        import sys, lazyarr as la
        la.evaluate(la.ones(3) + 1)
        print("concurrent.futures" in sys.modules, "lazyarr.runtime" in sys.modules)
        la.ones(3).evaluate_async()
        print("asyncio" in sys.modules, "concurrent.futures" in sys.modules)
    """).split() == ["False", "False", "False", "True"]
