"""Futures of evaluations in forked children, at process exit, and on first use."""
import os

import pytest

FORK = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

# `wait` blocks an evaluation until `go` is set, but not in a child.
HELD_UP = """
        import asyncio, os, threading, numpy as np, lazyarr as la
        begun, go = threading.Event(), threading.Event()
        parent = os.getpid()
        def wait(a):
            begun.set()
            if os.getpid() == parent:
                go.wait()
            return a"""


@FORK
@pytest.mark.parametrize("where", ["waiting", "running", "done", "cancelled"])
def test_futures_in_a_forked_child(where, run_python):
    assert run_python(HELD_UP + f"""
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
    assert run_python(HELD_UP + """
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
