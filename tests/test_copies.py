"""Numbers of transfers between devices."""
import numpy as np
import pytest

import lazyarr as la
from lazyarr.runtime import add_virtual_device
from support.devices import DEVICE, SIZE, copies, ramp


def test_a_value_is_copied_once_in_an_evaluation():
    x, y = ramp(), ramp().to_device(DEVICE)
    z = sum((x * k + y for k in range(5)), y)
    whole = x[::2] + y[::2] + x[1::2]
    assert copies(lambda: la.evaluate(z, whole)) <= 7   # x, y and five products
    np.testing.assert_array_equal(z, np.arange(float(SIZE)) * 16)


def test_a_value_is_copied_once_in_several_evaluations():
    x, y = ramp(), ramp().to_device(DEVICE)
    la.evaluate(y)
    assert copies(lambda: [la.evaluate(y + x, np.sqrt(y) * x) for _ in range(10)]) == 1
    assert copies(lambda: la.evaluate(x + 1)) == 0


def test_views_of_one_array_share_its_copy():
    x, y = ramp(), ramp().to_device(DEVICE)
    la.evaluate(y)
    z = y[2:] + x[2:] + x[1:-1] + x[::-1][2:] + x.reshape(2, -1).T.ravel()[2:]
    assert copies(lambda: la.evaluate(z)) <= 2          # the array, and what ravel copies
    a = np.arange(float(SIZE))
    np.testing.assert_array_equal(z, a[2:] + a[2:] + a[1:-1] + a[::-1][2:] + a.reshape(2, -1).T.ravel()[2:])


def test_small_views_are_copied_alone():
    x, y, before = ramp(), la.ones(10).to_device(DEVICE), la.devices()[1].memory_stats()["copied_in"]
    la.evaluate(y + x[20:30])
    assert la.devices()[1].memory_stats()["copied_in"] - before == 160


def test_temporary_views_are_all_copied():
    """Addresses of replaced operands are reused."""
    hosts = [ramp(1000) for _ in range(20)]
    y = la.zeros(500).to_device(DEVICE)
    for x in hosts:
        y = y + x[10:510]
    assert copies(lambda: la.evaluate(y)) == 21
    np.testing.assert_array_equal(y, np.arange(10.0, 510) * 20)


def test_a_look_fetches_once():
    x = ramp().to_device(DEVICE) * 2
    la.evaluate(x)
    assert copies(lambda: (x.numpy(), str(x), np.asarray(x[3:]), float(x[5]))) == 1
    assert copies(lambda: la.evaluate(x + 1)) == 0


def test_nothing_is_copied_that_nobody_needs():
    x = ramp()

    def unused():
        y = x.to_device(DEVICE)
        y + 1
        y.to_device("cpu") * 2
        y.shape, y.dtype, y.strides, y.device, len(y), y[3:].T.shape

    assert copies(unused) == 0
    y = x.to_device(DEVICE)
    assert copies(lambda: la.evaluate(x + 1)) == 0
    assert copies(lambda: la.evaluate(y[:0] + 1)) <= 1


def test_chains_of_copies():
    second = add_virtual_device()
    x = ramp(20)
    y = x.to_device(DEVICE).to_device("cpu").to_device(second)
    z = (y + 1).to_device(DEVICE) * x.to_device(DEVICE).to_device(DEVICE)
    assert (y.device, z.device) == (second, DEVICE)
    np.testing.assert_array_equal(z, (np.arange(20.0) + 1) * np.arange(20.0))
    w = x
    for k in range(40):
        w = w.to_device((DEVICE, second, "cpu")[k % 3])
    np.testing.assert_array_equal(w.to_device(second), np.arange(20.0))
    for k in range(30):
        w = (w + 1).to_device((DEVICE, second, "cpu")[k % 3])
    np.testing.assert_array_equal(w, np.arange(20.0) + 30)


def test_sources_may_change_and_go():
    x = ramp()
    y = x.to_device(DEVICE)
    x += 1
    z = x.to_device(DEVICE)
    x[:] = 0
    del x
    np.testing.assert_array_equal(z - y, 1)
    np.testing.assert_array_equal(y, np.arange(float(SIZE)))


def test_arrays_that_numpy_may_write_to():
    a = np.arange(10.0)
    x = la.asarray(a)
    y = x.to_device(DEVICE) + x
    np.testing.assert_array_equal(y, np.arange(10.0) * 2)
    a[0] = 5
    assert float((x.to_device(DEVICE) + 0)[0]) == float(x[0])


def test_writes_to_what_waits_to_be_copied_are_found():
    with la.config(check_views=True):
        a = np.arange(10.0)
        y = la.asarray(a).to_device(DEVICE) + 1
        a[0] = 7
        for _ in range(2):
            with pytest.raises(RuntimeError, match="was written to before the arrays made from it were evaluated"):
                y.numpy()
        a[0] = 0
        np.testing.assert_array_equal(y, np.arange(1.0, 11))


def test_hundreds_of_copies():
    blocks = [ramp(20) + k for k in range(400)]
    la.evaluate(*blocks)
    with la.config(budget_nodes=100_000):
        total = sum((x.to_device(DEVICE) * 2).sum().to_device("cpu") for x in blocks)
        assert copies(lambda: la.evaluate(total)) == 800
    assert float(total) == sum(2 * (190 + 20 * k) for k in range(400))
