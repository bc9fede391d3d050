"""`config.device`: large arrays, and large results of small ones, are created there; small arrays stay on the host."""

import contextlib
import os
import signal
import threading

import numpy as np
import pytest

import lazyarr as la
import lazyarr.numpy as lnp

DEVICE = "cpu:1"
MANY = 20_000  # of float64, more than tuning's path.device_bytes, and than what is computed at once
HALF = 200     # the outer sum of two lines of this length is as large


@pytest.fixture(autouse=True)
def device():
    with la.config(device=DEVICE):
        yield


@pytest.mark.parametrize("face", [la, lnp], ids=["la", "numpy"])
@pytest.mark.parametrize("name", ["zeros", "ones", "empty", "arange"])
def test_arrays_are_made_where_their_size_says(face, name):
    make = getattr(face, name)
    assert make(3).device == "cpu"
    assert make(MANY).device == DEVICE


@pytest.mark.parametrize("face", [la, lnp], ids=["la", "numpy"])
def test_other_makers_too(face):
    large = [face.linspace(0, 1, MANY), face.full(MANY, 2.0), face.asarray(np.ones(MANY)), face.eye(HALF),
             face.array([[1.0] * HALF] * HALF)]
    assert [x.device for x in large] == [DEVICE] * 5
    small = [face.linspace(0, 1, 5), face.full(5, 2.0), face.asarray(np.ones(5)), face.eye(5), face.array([1.0, 2.0])]
    assert [x.device for x in small] == ["cpu"] * 5


def test_operations_on_small_arrays_stay_on_the_host_and_run_at_once():
    x = lnp.arange(4.0)
    la.evaluate(x)
    y = x * 2 + 1
    assert y.device == "cpu"
    with la.no_evaluation():
        np.testing.assert_array_equal(y, np.arange(4.0) * 2 + 1)


def test_a_large_result_of_small_arrays_is_computed_there():
    x = la.arange(float(HALF))
    table = np.add(x[:, None], x)
    assert table.device == DEVICE
    assert (table * 2).device == DEVICE
    assert np.where(x[:, None] > x, x, 0.0).device == DEVICE
    want = np.arange(float(HALF))
    np.testing.assert_array_equal(table, want[:, None] + want)
    np.testing.assert_array_equal((x[:, None] * x)[:3], (want[:, None] * want)[:3])    # which computes three rows


def test_what_generators_draw_follows_when_it_is_used():
    x = lnp.random.default_rng(0).random(MANY)
    y = np.sqrt(x)
    assert y.device == DEVICE
    np.testing.assert_array_equal(y, np.sqrt(np.random.default_rng(0).random(MANY)))


def test_blocks_decide_before_it():
    x = la.arange(float(HALF))
    with la.device("cpu"):
        assert lnp.zeros(MANY).device == "cpu"
        assert (x[:, None] + x).device == "cpu"
    with la.device(DEVICE):
        assert lnp.zeros(3).device == DEVICE
    assert (x[:, None] + x).device == DEVICE


def test_traced_functions_are_as_without():
    def f(x):
        return np.sin(x[:, None] + x).sum()

    x = la.arange(float(HALF))
    want = np.sin(np.arange(float(HALF))[:, None] + np.arange(float(HALF))).sum()
    np.testing.assert_allclose(la.jit(f)(x), want)
    assert la.grad(f)(x).device == "cpu"


def test_with_one_byte_all_arrays_are_there():
    with la.config.tuning({"path.device_bytes": 1}), la.config(device=DEVICE):
        x = lnp.arange(3.0)
        assert x.device == DEVICE
        assert (x + 1).device == DEVICE


def test_a_wrong_name_changes_nothing():
    with pytest.raises(ValueError, match="there is no device 'cuda:77'"):
        la.config.device = "cuda:77"
    assert la.config.device == DEVICE
    assert lnp.zeros(MANY).device == DEVICE


# Large results of small arrays, run eagerly

LINE = 1000     # whose outer sums are too large for the host, and small enough to be computed at once


def lines():
    x, y = lnp.arange(float(LINE)), lnp.arange(1.0, LINE + 1)
    la.evaluate(x, y)
    return x, y


@pytest.mark.parametrize("function", [
    lambda x, y: x[:, None] + y, lambda x, y: lnp.multiply(x[:, None], y), lambda x, y: lnp.multiply.outer(x, y),
    lambda x, y: lnp.outer(x, y), lambda x, y: lnp.kron(x[:100], y), lambda x, y: lnp.add(x[:, None], y, dtype="f4"),
    lambda x, y: lnp.add(np.arange(300.0)[:, None], y), lambda x, y: lnp.sqrt(lnp.broadcast_to(x, (100, LINE))),
    lambda x, y: x[:, None] < lnp.broadcast_to(y, (100, LINE))[0]])
def test_large_results_of_arrays_that_are_ready_are_computed_there(function):
    x, y = lines()
    z = function(x, y)
    assert z.device == DEVICE
    np.testing.assert_array_equal(z, function(np.arange(float(LINE)), np.arange(1.0, LINE + 1)))


def test_elementwise_functions_of_large_arrays_that_are_ready_run_there():
    x = lnp.random.default_rng(0).random(9_000)     # few enough to be computed at once
    la.evaluate(x)
    for function in (np.sqrt, lambda x: lnp.clip(x, 0.2, 0.5), lambda x: lnp.where(x > 0.5, x, 0.0), lnp.round,
                     lambda x: x * 2, lambda x: x.clip(0.2, 0.5)):
        assert function(x).device == DEVICE


def test_small_results_are_computed_at_once():
    x, y = lines()
    made = [x + y, x < y, lnp.sqrt(x), x[:90, None] * y[:90], lnp.outer(x[:90], y[:90]), lnp.dot(x, y), x.sum()]
    with la.no_evaluation():
        for z in made:
            lnp.array_repr(z)


def test_the_size_is_heeded_that_is_set_last():
    x, y = lines()
    with la.config.tuning({"path.device_bytes": 1 << 30}):
        assert (x[:, None] + y).device == "cpu"
        assert lnp.zeros(MANY).device == "cpu"
    with la.config.tuning({"path.device_bytes": 1}):
        assert lnp.arange(3.0).device == DEVICE
        assert (x + 1).device == DEVICE
    assert (x + 1).device == "cpu"


# Arrays moved to the host


@pytest.mark.parametrize("is_ready", [False, True])
def test_operations_follow_what_was_moved_to_the_host(is_ready):
    x = lnp.arange(float(MANY)).to_device("cpu")
    if is_ready:
        la.evaluate(x)
    y = x * 2 + 1
    assert x.device == y.device == np.sqrt(y).device == x[::2].device == (x[1:] - x[:-1]).device == "cpu"
    x += 1
    assert (x * 3).device == "cpu"
    x[...] = 5.0
    assert (x * 3).device == "cpu"
    assert (x + lnp.ones(MANY)).device == DEVICE
    assert y.to_device(DEVICE).device == (y.to_device(DEVICE) * 2).device == DEVICE
    np.testing.assert_array_equal(y, np.arange(float(MANY)) * 2 + 1)


def test_what_is_asked_for_on_the_host_stays_there():
    made = [lnp.zeros(MANY, device="cpu"), lnp.random.default_rng(0).random(MANY).to_device("cpu")]
    with la.device("cpu"):
        made += [lnp.ones(MANY), lnp.asarray(np.ones(MANY))]
    assert [(x + 1).device for x in made] == ["cpu"] * 4


# Blocks


def outer_device():
    """Return the device of a large result of small arrays, which blocks also affect."""
    x = la.arange(float(HALF))
    return (x[:, None] + x).device


def in_a_thread(function):
    found = []
    thread = threading.Thread(target=lambda: found.append(function()))
    thread.start()
    thread.join()
    return found[0]


def test_a_block_leaves_other_threads_alone():
    with la.device("cpu"):
        assert outer_device() == "cpu"
        assert in_a_thread(outer_device) == DEVICE
        assert in_a_thread(lambda: lnp.zeros(MANY).device) == DEVICE


def test_other_threads_compute_small_work_at_once():
    def compute():
        x = lnp.arange(4.0) + 1
        with la.no_evaluation():
            return lnp.array_repr(x)

    with la.device(DEVICE):
        assert in_a_thread(compute) == repr(np.arange(4.0) + 1)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_knows_no_block_of_another_thread():
    begun, over = threading.Event(), threading.Event()

    def wait():
        with la.device("cpu"):
            begun.set()
            over.wait()

    thread = threading.Thread(target=wait)
    thread.start()
    begun.wait()
    child = os.fork()
    if child == 0:
        os._exit(0 if outer_device() == DEVICE else 1)
    over.set()
    thread.join()
    assert os.waitpid(child, 0)[1] == 0


def test_suspended_generators_end_their_own_blocks():
    def generator():
        with la.device("cpu"):
            yield

    first, second = generator(), generator()
    next(first)
    next(second)
    with la.device(DEVICE):
        first.close()
        assert la.zeros(3).device == DEVICE
        second.close()
        assert la.zeros(3).device == DEVICE
    assert la.zeros(3).device == "cpu"
    assert outer_device() == DEVICE


def test_a_block_that_ends_in_another_context_ends_nothing_there():
    block = la.device("cpu")
    with la.device(DEVICE):
        in_a_thread(block.__enter__)
        block.__exit__(None, None, None)
        assert la.zeros(3).device == DEVICE


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer")
def test_handlers_of_signals_leave_no_block_behind():
    def alarm(number, frame):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, alarm)
    try:
        for k in range(200):
            with contextlib.suppress(TimeoutError):
                signal.setitimer(signal.ITIMER_REAL, 1e-4 + 1e-6 * (k % 50))
                while True:
                    with la.device("cpu"):
                        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert outer_device() == DEVICE
