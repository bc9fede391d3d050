"""Asynchronous launches: status flags are read once per evaluation, and still equal the host's."""

import gc
import importlib
import signal
import warnings

import numpy as np
import pytest

import lazyarr as la

LONG = 300  # kernels, more than there are in a block of status words


@pytest.fixture(params=["support.opencl_device", "support.cuda_device"], ids=["opencl", "cuda"])
def device(request):
    return importlib.import_module(request.param)


@pytest.fixture
def waits(device, monkeypatch):
    """Record the host's waits: the sizes of transfers from the device."""
    sizes, read = [], type(device.DRIVER).read

    def counted(self, block, offset, address, nbytes):
        sizes.append(nbytes)
        return read(self, block, offset, address, nbytes)

    monkeypatch.setattr(type(device.DRIVER), "read", counted)
    return sizes


def warned(function, *arrays):
    """Return a function's result, and its warnings with their lines."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        made = function(*arrays)
        la.evaluate(*made)
    return made, [(str(warning.message), warning.lineno) for warning in seen]


def same_as_on_the_host(device, function, *arrays):
    """Compare results and warnings; return them."""
    made, seen = warned(function, *[device.there(array) for array in arrays])
    wanted, expected = warned(function, *[la.asarray(array) for array in arrays])
    assert seen == expected
    for x, y in zip(made, wanted, strict=True):
        device.same(x, y.numpy()) if hasattr(device, "same") else np.testing.assert_array_equal(x.numpy(), y.numpy())
    return expected


def many_kernels(x):
    total = x.max()
    for _ in range(20):
        x = x * 0.5 + total
        total = x.max()
    return x, total


def test_an_evaluation_waits_once(device, waits):
    x = device.there(np.arange(5000.0))
    la.evaluate(x)
    waits.clear()
    device.DRIVER.host_steps.clear()
    la.evaluate(*many_kernels(x))
    assert len(waits) == 1
    assert device.DRIVER.host_steps == {}


def test_without_flags_to_look_for_it_does_not_wait(device, waits):
    x = device.there(np.arange(5000.0))
    la.evaluate(x)
    waits.clear()
    with np.errstate(all="ignore"):
        la.evaluate(*many_kernels(x))
    assert waits == []


def test_flags_that_may_raise_are_waited_for_at_once(device, waits):
    x = device.there(np.arange(4.0))
    y = device.there(np.arange(4.0))
    la.evaluate(x, y)
    waits.clear()
    with np.errstate(all="raise"):
        quotient = 1 / x
        y += quotient
    with pytest.raises(FloatingPointError, match="divide by zero encountered in divide"):
        la.evaluate(y)
    assert len(waits) == 1
    np.testing.assert_array_equal(x.numpy(), np.arange(4.0))


def test_flags_are_those_of_their_operations_in_the_order_of_the_program(device):
    def function(x):
        first = np.sqrt(x)
        second = np.partition(1 / x, 1)  # on the host
        third = np.log(x.sum() - x.sum() * 2) + second.max()
        fourth = np.cumsum(x * 1e308)
        return first, second, third, fourth

    seen = same_as_on_the_host(device, function, np.array([4.0, 0.0, -1.0, 9.0]))
    assert [message.split(" encountered")[0] for message, _ in seen] == [
        "invalid value", "divide by zero", "invalid value", "overflow"]


def test_equal_operations_are_reported_each(device):
    def function(x):
        return 1 / x, x + 1, 1 / x, np.cumsum(x * 1e308), np.cumsum(x * 1e308)

    assert len(same_as_on_the_host(device, function, np.array([4.0, 0.0, 9.0]))) > 3


def test_flags_of_parts_of_a_fold_are_those_of_the_fold(device):
    def function(x):
        return x.sum(), (x * 0.5).sum(axis=0)

    x = np.full((5000, 3), 4e304)
    x[:, 1] = 1
    assert same_as_on_the_host(device, function, x)


@pytest.mark.parametrize("flagged", [0, LONG - 1])
def test_evaluations_may_have_more_kernels_than_a_block_has_words(device, waits, flagged):
    def function(x):
        total = x.max()
        for k in range(LONG):
            total = (1 / (x + total - total)).max() if k == flagged else (1 / (x + total)).min() + 1
        return (total,)

    with la.config(budget_nodes=10 * LONG):
        waits.clear()
        seen = same_as_on_the_host(device, function, np.array([1.0, 0.0]))
    assert [message for message, _ in seen] == ["divide by zero encountered in divide"]
    blocks = [nbytes for nbytes in waits if nbytes > 8]
    assert len(blocks) > 1


def test_the_next_evaluation_does_not_see_flags_of_the_one_before(device):
    x = device.there(np.array([0.0, 2.0]))
    for shift, count in ((0, 1), (1, 0), (0, 1), (1, 0)):
        assert len(warned(lambda x, shift=shift: (1 / (x + shift),), x)[1]) == count


def interrupting(device, monkeypatch, at, function):
    """Call a function before the launch with a given number."""
    launch, made = type(device.DRIVER).launch, []

    def counted(self, *args):
        made.append(None)
        if len(made) == at:
            function()
        return launch(self, *args)

    monkeypatch.setattr(type(device.DRIVER), "launch", counted)


def test_an_evaluation_in_between_has_words_of_its_own(device, monkeypatch):
    y = device.there(np.array([1.0, 0.0]))
    la.evaluate(y)
    inner = []

    def evaluate():
        inner.append(warned(lambda y: (np.log(y - 2), 3 / y), y))

    def function(x):
        total = (1 / x).max()
        return (np.sqrt(x - 1) + total).min(), total

    interrupting(device, monkeypatch, 2, evaluate)
    same_as_on_the_host(device, function, np.array([0.0, 5.0]))
    (_, seen), = inner
    assert [message for message, _ in seen] == [
        "invalid value encountered in log", "divide by zero encountered in divide"]


def test_an_exception_between_launches_loses_nothing(device, monkeypatch):
    def interrupt():
        raise KeyboardInterrupt

    x = device.there(np.array([0.0, 5.0]))
    la.evaluate(x)
    total = (1 / x).max()
    y = (x * 2 + total).min()
    x += 1
    with monkeypatch.context() as patched, warnings.catch_warnings():
        warnings.simplefilter("error")
        interrupting(device, patched, 2, interrupt)
        with pytest.raises(KeyboardInterrupt):
            la.evaluate(y, x)
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in divide"):    # what was met before
        found = y.numpy()
    assert found == np.inf
    np.testing.assert_array_equal(x.numpy(), [1, 6])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal((1 / x).numpy(), 1 / np.array([1.0, 6]))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer")
def test_ctrl_c_ends_the_wait_and_loses_no_result(device, monkeypatch):
    def alarm(number, frame):
        raise KeyboardInterrupt

    x = device.there(np.array([1.0, 5.0]))
    la.evaluate(x)
    y = x * 2 + x.max()
    x += 1
    monkeypatch.setattr(type(device.DRIVER), "has_ended", lambda self: False)
    before = signal.signal(signal.SIGALRM, alarm)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(KeyboardInterrupt):
            la.evaluate(y, x)
    finally:
        signal.signal(signal.SIGALRM, before)
    monkeypatch.undo()
    np.testing.assert_array_equal(y.numpy(), [7, 15])
    np.testing.assert_array_equal(x.numpy(), [2, 6])


def test_what_kernels_met_is_reported_after_an_interrupted_wait(device, monkeypatch):
    def interrupt(self):
        raise KeyboardInterrupt

    x = device.there(np.array([0.0, 5.0]))
    la.evaluate(x)
    y = 1 / x
    with monkeypatch.context() as patched:
        patched.setattr(type(device.DRIVER), "has_ended", interrupt)
        with pytest.raises(KeyboardInterrupt):
            la.evaluate(y)
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in divide"):
        found = y.numpy()
    np.testing.assert_array_equal(found, [np.inf, 0.2])
    np.testing.assert_array_equal(x + 1, [1, 6])    # which tells nothing again


@pytest.mark.parametrize("errors", ["ignore", "warn"])
def test_observed_steps_take_as_long_as_their_kernels(device, monkeypatch, errors):
    driver, seen = type(device.DRIVER), []
    launch, has_ended = driver.launch, driver.has_ended

    def launched(self, *args):
        seen.append("launch")
        return launch(self, *args)

    def ended(self):
        found = has_ended(self)
        seen.extend(["end"] * found)
        return found

    x = device.there(np.arange(100_000.0))
    la.evaluate(x)
    monkeypatch.setattr(driver, "launch", launched)
    monkeypatch.setattr(driver, "has_ended", ended)
    with np.errstate(all=errors), la.profile():
        total = x.max(keepdims=True)
        for _ in range(5):
            total = (x * 0.5 + total).max(keepdims=True)
        la.evaluate(total)
    assert seen[:18] == ["launch", "launch", "end"] * 6  # of a fold there are two


def test_what_the_host_does_over_again_is_reported_once(device, monkeypatch):
    """A product on the device whose epilogue does not fit there."""
    def full(self, nbytes):
        if self.allocations == 1:
            raise MemoryError("no room")
        self.allocations -= 1
        return allocate(self, nbytes)

    a = np.full((3, 3), 1e200)
    x = device.there(a)
    la.evaluate(x)
    driver = type(device.DRIVER)
    allocate = driver.allocate
    for room in range(1, 6):
        with monkeypatch.context() as patched:
            patched.setattr(driver, "allocations", room, raising=False)
            patched.setattr(driver, "allocate", full)
            (made,), seen = warned(lambda x: ((x @ x) + 1,), x)
            gc.collect()
        messages = [message for message, _ in seen if "no room" not in message]
        assert messages == ["overflow encountered in matmul"]
        np.testing.assert_array_equal(made.numpy(), np.full((3, 3), np.inf))
