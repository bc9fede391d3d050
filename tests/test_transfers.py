"""Transfers between devices that fail or are interrupted, and that threads, forked processes and futures wait for."""
import os
import signal
import threading
import time
import warnings

import numpy as np
import pytest

import lazyarr as la
from lazyarr.runtime import add_virtual_device
from lazyarr.runtime.streams import engine
from support.devices import DEVICE, SIZE, copies, ramp

SECONDS = 20.0      # longer than anything takes here
FORK = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@pytest.fixture(autouse=True)
def drained():
    """Drain the engine before leaks are checked."""
    yield
    engine.wait_all()


@pytest.fixture(scope="module")
def slow():
    """A device with slow transfers."""
    return add_virtual_device(latency=0.25)


# Failures


def test_memory_that_runs_out():
    x, y = ramp(1_000_000), ramp(10)
    z = x.to_device(DEVICE) * 2 + 1
    with la.config(memory_limit=4_000_000):
        for _ in range(3):
            with pytest.raises(MemoryError):
                la.evaluate(z)
        np.testing.assert_array_equal(y.to_device(DEVICE) + y, np.arange(10.0) * 2)
    la.evaluate(z)
    with la.config(memory_limit=1_000_000), pytest.raises(MemoryError):
        z.numpy()
    np.testing.assert_array_equal(z, np.arange(1e6) * 2 + 1)
    assert z.device == DEVICE


def interrupted(call, after=0.05):
    """Call something that is interrupted meanwhile, as by Ctrl-C."""
    timer = threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            call()
    finally:
        timer.join()


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_waits_for_copies_can_be_interrupted(slow):
    x = ramp()
    y = x.to_device(slow) + 1
    began = time.perf_counter()
    interrupted(lambda: la.evaluate(y))
    assert time.perf_counter() - began < 0.24
    assert copies(lambda: la.evaluate(y), slow) == 0    # the copy has begun
    interrupted(lambda: y.numpy())
    np.testing.assert_array_equal(y, np.arange(1.0, SIZE + 1))
    assert y.device == slow


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_what_an_interrupted_copy_was_for_may_go(slow):
    live = slow.memory_stats()["live_bytes"]
    x = ramp()
    arrays = [x.to_device(slow) + 1]
    interrupted(lambda: la.evaluate(*arrays))
    arrays.clear()
    x += 1
    np.testing.assert_array_equal(x.to_device(slow), np.arange(1.0, SIZE + 1))
    assert slow.memory_stats()["live_bytes"] == live


def failing(x):
    """Return an operation on a device that raises."""
    def fail(array):
        raise KeyError("no")

    return la.delay(fail, x, shape=x.shape, dtype=x.dtype)


def test_an_operation_that_fails_does_so_again():
    x = ramp(100).to_device(DEVICE)
    bad = failing(x + 1)
    after, home, good = bad * 2, (bad + 1).to_device("cpu"), (x * 3).to_device("cpu") + 1
    for wanted in (bad, after, home, home + 1, after):
        assert wanted.device in (DEVICE, "cpu")
        with pytest.raises(KeyError, match="no"):
            la.evaluate(wanted, good)
        with pytest.raises(KeyError, match="no"):
            wanted.numpy()
    np.testing.assert_array_equal(good, np.arange(100.0) * 3 + 1)
    np.testing.assert_array_equal(x, np.arange(100.0))


def test_floating_point_errors_are_those_of_the_host():
    x = la.array([1.0, 0.0, -1.0])

    def caught(x):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            (1 / x).numpy(), np.sqrt(x).to_device("cpu").numpy(), (np.log(x) + x.to_device("cpu")).numpy()
        return [str(w.message) for w in found]

    assert caught(x) == caught(x.to_device(DEVICE))
    assert len(caught(x)) == 4
    with np.errstate(divide="raise"):
        y = 1 / x.to_device(DEVICE)
        z = x.to_device(DEVICE) * 2
    for _ in range(2):
        with pytest.raises(FloatingPointError, match="divide by zero encountered in divide"):
            la.evaluate(y)
    np.testing.assert_array_equal(z, [2, 0, -2])


def test_index_errors_come_with_the_evaluation():
    x, i = ramp(5).to_device(DEVICE), la.array([1, 7]).to_device(DEVICE)
    y = x[i]
    for _ in range(2):
        with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 5"):
            y.numpy()
    np.testing.assert_array_equal(x[i - 3], [3, 4])


def test_debugging_names_the_operation():
    with la.config(debug_nans=True), np.errstate(invalid="ignore"):
        y = np.sqrt(la.array([1.0, -1.0]).to_device(DEVICE)) + 1
        with pytest.raises(FloatingPointError, match="sqrt"):
            y.numpy()


def test_the_reference_backend():
    with la.config(backend="reference"):
        x = ramp(1000).to_device(DEVICE)
        y = np.sort(np.sin(x) + ramp(1000))[::-1]
        x[2:5] = y[:3]
        total = (x * 2).sum()
        la.evaluate(y, total)
        assert y.device == total.device == DEVICE
    a = np.arange(1000.0)
    b = np.sort(np.sin(a) + a)[::-1]
    a[2:5] = b[:3]
    np.testing.assert_allclose(y, b, rtol=1e-14)
    np.testing.assert_allclose(total, (a * 2).sum(), rtol=1e-14)


def test_no_evaluation_means_no_copy():
    x = ramp(10).to_device(DEVICE)
    with la.no_evaluation():
        y = x + 1
        for look in (y.numpy, lambda: la.evaluate(y), lambda: float(y[0]), y.evaluate_async):
            with pytest.raises(la.EvaluationForbidden):
                look()
    la.evaluate(y)
    with la.no_evaluation():
        la.evaluate(y)              # it is there
        with pytest.raises(la.EvaluationForbidden):
            y.numpy()
    np.testing.assert_array_equal(y, np.arange(1.0, 11))


# Threads, processes, futures


def test_threads_evaluate_one_graph(slow):
    def graph(device):
        x = ramp()
        y = np.sqrt(x.to_device(device)) + x
        return y, (y.sum().to_device("cpu") + x).to_device(device) * y

    def together(look):
        threads = [threading.Thread(target=look) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(SECONDS)

    for device in (slow, DEVICE):
        y, z = graph(device)
        alone = copies(lambda: (z.numpy(), y.numpy()), device)  # noqa: B023
        y, z = graph(device)
        found, barrier = [], threading.Barrier(8)

        def look():
            barrier.wait()      # noqa: B023
            found.append((z.numpy(), y.numpy()))        # noqa: B023

        assert copies(lambda: together(look), device) == alone
        roots = np.sqrt(np.arange(float(SIZE))) + np.arange(float(SIZE))
        assert len(found) == 8
        for of_z, of_y in found:
            np.testing.assert_array_equal(of_y, roots)
            np.testing.assert_allclose(of_z, (roots.sum() + np.arange(float(SIZE))) * roots, rtol=1e-12)


def test_futures(slow):
    x = ramp()
    y = x.to_device(slow) * 2
    future = y.evaluate_async()
    assert not future.done()
    assert future.result(SECONDS) is y
    assert copies(lambda: la.evaluate(y), slow) == 0
    both = la.evaluate_async(y + 1, (y + 2).to_device("cpu")).result(SECONDS)
    assert [z.device for z in both] == [slow, "cpu"]
    np.testing.assert_array_equal(both[1] - both[0], 1)


def test_functions_get_the_values():
    seen = []

    def twice(a, b):
        seen.append((type(a), a.flags.writeable))
        return a + b

    x = ramp(5).to_device(DEVICE)
    y = la.delay(twice, x, ramp(5), shape=(5,), dtype=float)
    assert y.device == DEVICE
    np.testing.assert_array_equal(y + x, np.arange(5.0) * 3)
    assert seen == [(np.ndarray, False)]


def test_functions_may_evaluate_on_devices():
    inside = ramp(5).to_device(DEVICE) + 1

    def call(a):
        return a + (inside * 2).numpy() + ramp(5).to_device(DEVICE).numpy()

    for x in (ramp(5), ramp(5).to_device(DEVICE)):
        np.testing.assert_array_equal(la.delay(call, x, shape=(5,), dtype=float), np.arange(5.0) * 4 + 2)


@FORK
def test_forks_during_copies(run_python):
    assert run_python("""
        import os, numpy as np, lazyarr as la
        from lazyarr.runtime import add_virtual_device
        slow = add_virtual_device(latency=0.3)
        x = la.array(np.arange(100_000.0))
        y = x.to_device(slow) + 1
        begun = y.evaluate_async()
        while not slow.memory_stats()["copies"]:
            pass
        child = os.fork()
        if child == 0:
            try:
                print(float(y.to_device("cpu")[-1]), flush=True)
            except RuntimeError as error:
                print(error, flush=True)
            print(float((x.to_device(slow) * 2).sum()), float((x.to_device("cpu:1") + 1)[5]), flush=True)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        begun.result()
        print(float(y[-1]))
    """).splitlines()[1:] == ["9999900000.0 6.0", "100000.0"]


@FORK
def test_children_use_devices(run_python):
    assert run_python("""
        import os, numpy as np, lazyarr as la
        from lazyarr.runtime import add_virtual_device
        slow = add_virtual_device(latency=0.05)
        x = la.array(np.arange(100_000.0))
        y, z = x.to_device(slow) + 1, x.to_device(slow)
        la.evaluate(y)
        child = os.fork()
        if child == 0:
            print(float((y + z).sum()), float(y[3]), flush=True)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        print(float((y + z).sum()))
    """).splitlines() == ["10000000000.0 4.0", "10000000000.0"]


def test_copies_at_the_end_of_the_process(run_python):
    assert run_python("""
        import atexit, numpy as np, lazyarr as la
        from lazyarr.runtime import add_virtual_device
        slow = add_virtual_device(latency=0.1)
        x = la.array(np.arange(100_000.0)).to_device(slow) + 1
        atexit.register(lambda: print(float(x[3])))
        (x * 2).evaluate_async()
        la.arange(5).to_device(slow)
    """) == "4.0\n"
