"""Streams, events, and asynchronous evaluation."""
import threading

import numpy as np
import pytest

import lazyarr as la
from lazyarr.runtime.streams import engine

SECONDS = 20.0      # longer than anything takes here


@pytest.fixture(autouse=True)
def drained():
    """Drain the engine before leaks are checked."""
    yield
    engine.wait_all()


def noted(order, name, go=None):
    """Return an array whose evaluation waits for `go` and records its name."""
    def call():
        assert go is None or go.wait(SECONDS)
        order.append(name)
        return np.ones(3)

    return la.delay(call, shape=(3,), dtype=float)


def test_a_stream_keeps_the_order_of_its_calls():
    order, stream = [], la.Stream()
    with stream:
        for name in range(5):
            noted(order, name).evaluate_async()
    stream.synchronize()
    assert order == [0, 1, 2, 3, 4]


def test_a_stream_waits_for_an_event():
    order, go = [], threading.Event()
    first, second = la.Stream(), la.Stream()
    with first:
        one = noted(order, "first", go).evaluate_async()
    second.wait(first.record())
    with second:
        two = noted(order, "second").evaluate_async()
    assert not two.done()
    go.set()
    two.result(SECONDS)
    assert order == ["first", "second"]
    assert one.done()


def test_an_event_is_a_place_in_a_stream():
    order, go, stream = [], threading.Event(), la.Stream()
    with stream:
        noted(order, "before").evaluate_async()
    event = stream.record()
    with stream:
        noted(order, "after", go).evaluate_async()
    event.synchronize()
    assert order == ["before"]
    go.set()
    stream.synchronize()
    assert order == ["before", "after"]


def test_a_stream_goes_on_while_another_one_copies():
    device = la.runtime.add_virtual_device(latency=0.3)
    order, first, second = [], la.Stream(), la.Stream()
    with first:
        slow = la.ones(1000).to_device(device).evaluate_async()
    slow.add_done_callback(lambda _: order.append("copy"))
    with second:
        noted(order, "function").evaluate_async()
    second.synchronize()
    slow.result(SECONDS)
    assert order == ["function", "copy"]


def test_blocks_nest():
    order, go = [], threading.Event()
    outer, inner = la.Stream(), la.Stream()
    with outer:
        with inner:
            noted(order, "inner", go).evaluate_async()
        x = noted(order, "outer")
        x = la.zeros(3) + 1
        x.evaluate_async()
    go.set()
    for stream in (outer, inner):
        stream.synchronize()
    assert order == ["inner"]
    np.testing.assert_array_equal(x, 1)
    assert repr(outer) != repr(inner)


def test_a_failed_evaluation_leaves_the_stream_usable():
    def fail():
        raise KeyError("no")

    stream = la.Stream()
    with stream:
        future = la.delay(fail, shape=(), dtype=float).evaluate_async()
        after = (la.arange(3) + 1).evaluate_async()
    with pytest.raises(KeyError, match="no"):
        future.result(SECONDS)
    np.testing.assert_array_equal(after.result(SECONDS), [1, 2, 3])


def test_evaluate_does_not_wait_if_it_is_asynchronous():
    order, go = [], threading.Event()
    x = noted(order, "x", go)
    with la.config(async_evaluation=True):
        la.evaluate(x)
    assert order == []
    go.set()
    np.testing.assert_array_equal(x, 1)
    assert order == ["x"]


def test_asynchronous_evaluation_uses_the_stream():
    order, stream = [], la.Stream()
    x, y = noted(order, "x"), noted(order, "y")
    with la.config(async_evaluation=True), stream:
        la.evaluate(x)
        la.evaluate(y)
    stream.synchronize()
    assert order == ["x", "y"]


def test_an_error_of_an_asynchronous_evaluation_is_raised_at_the_look():
    def fail():
        raise KeyError("no")

    x = la.delay(fail, shape=(), dtype=float)
    with la.config(async_evaluation=True):
        la.evaluate(x)
    with pytest.raises(KeyError, match="no"):
        x.numpy()


def test_inside_an_evaluation_evaluate_waits():
    inside = la.arange(4.0) * 2

    def call():
        with la.config(async_evaluation=True):
            la.evaluate(inside)
        return inside.numpy()

    np.testing.assert_array_equal(la.delay(call, shape=(4,), dtype=float), [0, 2, 4, 6])
