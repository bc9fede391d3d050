"""Devices in derivatives, and device blocks in threads, tasks and generators."""
import asyncio
import gc
import threading

import numpy as np
import pytest

import lazyarr as la
from lazyarr.runtime.streams import engine

DEVICE = "cpu:1"


@pytest.fixture(autouse=True)
def drained():
    """Drain the engine before leaks are checked."""
    yield
    engine.wait_all()


def test_gradients_are_where_their_variables_are():
    x, h = la.arange(3.0).to_device(DEVICE), la.arange(3.0) + 1
    for function in (lambda a, b: (a * b).sum(), lambda a, b: (np.sin(a) * b).sum()):
        found = la.grad(function, argnums=(0, 1))(x, h)
        assert [g.device for g in found] == [DEVICE, "cpu"]
        expected = la.grad(function, argnums=(0, 1))(la.arange(3.0), h)
        for g, e in zip(found, expected, strict=True):
            np.testing.assert_array_equal(g, e)


def test_derivatives_of_loops():
    def total(v):
        return la.scan(lambda carry, x: (carry + x, carry * x), np.float64(0), v)[1].sum()

    x = np.arange(1.0, 7.0)
    np.testing.assert_array_equal(la.grad(total)(la.asarray(x).to_device(DEVICE)), la.grad(total)(la.asarray(x)))


def test_gradients_leave_nothing_on_the_device():
    w = la.ones(10_000).to_device(DEVICE)
    la.evaluate(w)

    def gradient(k):
        h = la.arange(10_000.0) + k
        la.evaluate(h)

        def loss(v):
            y = v * h
            assert float(y[0]) == k
            return (y * y).sum()

        la.evaluate(la.grad(loss)(w))

    gradient(0)
    gc.collect()
    before = la.devices()[1].memory_stats()["live_bytes"]
    for k in range(20):
        gradient(k)
    gc.collect()
    assert la.devices()[1].memory_stats()["live_bytes"] <= before


def test_blocks_can_be_entered_again():
    block = la.device(DEVICE)
    with block:
        with block:
            assert la.zeros(2).device == DEVICE
        with la.device("cpu:0"):
            assert la.zeros(2).device == "cpu"
        assert la.zeros(2).device == DEVICE
    assert la.zeros(2).device == "cpu"
    with pytest.raises(ValueError, match="there is no device 'gpu'"):
        la.device("gpu")


def test_a_block_holds_for_its_thread_and_its_task():
    found = {}

    async def task(name, device):
        with la.device(device):
            await asyncio.sleep(0)
            found[name] = la.zeros(2).device

    async def both():
        await asyncio.gather(task("a", DEVICE), task("b", "cpu"))

    asyncio.run(both())
    with la.device(DEVICE):
        thread = threading.Thread(target=lambda: found.update(c=la.zeros(2).device))
        thread.start()
        thread.join()
    assert found == {"a": DEVICE, "b": "cpu", "c": "cpu"}


def test_a_stream_serves_several_threads():
    stream, failed = la.Stream(), []

    def work(k):
        try:
            with stream:
                np.testing.assert_array_equal((la.ones(3) * k).evaluate_async().result(20), k)
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def test_streams_are_not_waited_for_inside_an_evaluation():
    stream = la.Stream()
    event = stream.record()
    for wait in (stream.synchronize, event.synchronize):
        x = la.delay(lambda wait=wait: wait() or np.ones(2), shape=(2,), dtype=float)
        with pytest.raises(RuntimeError, match="inside an evaluation"):
            x.numpy()


def test_many_transfers():
    values = [la.asarray(np.full(10, float(k))).to_device(DEVICE) + 1 for k in range(70)]
    la.evaluate(*values)
    assert [float(x[0]) for x in values] == [k + 1 for k in range(70)]
