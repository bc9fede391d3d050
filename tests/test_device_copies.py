"""A value has at most one copy per device: explicit and implicit transfers share it, and writes detach from it."""
import threading

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core.host import allocator
from support.devices import SIZE, copies, ramp

A = np.arange(float(SIZE))


@pytest.fixture(params=["cpu:1", "opencl:0"])
def device(request):
    if request.param not in la.devices():
        pytest.skip(f"there is no {request.param}")
    return request.param


def on(device):
    """Return an evaluated array on a device."""
    x = ramp().to_device(device) + 1
    la.evaluate(x)
    return x


def live(device):
    return la.devices()[la.devices().index(device)].memory_stats()["live_bytes"]


def same(x, wanted):
    np.testing.assert_array_equal(x.numpy(), wanted)


@pytest.mark.parametrize("is_first", [True, False])
def test_transfers_and_uses_in_one_evaluation_make_one_copy(device, is_first):
    there = on(device)
    x = ramp()
    y, z = x.to_device(device), x * there
    assert copies(lambda: la.evaluate(*((y, z) if is_first else (z, y))), device) == 1
    same(y, A)
    same(z, A * (A + 1))


def test_a_transfer_takes_the_copy_of_an_earlier_use(device):
    there = on(device)
    x = ramp()
    la.evaluate(x + there)
    before, y = live(device), x.to_device(device)
    assert copies(lambda: la.evaluate(y), device) == 0
    assert live(device) == before
    same(y, A)


def test_a_use_reads_an_earlier_transfer(device):
    there = on(device)
    x = ramp()
    y = x.to_device(device)
    la.evaluate(y)
    assert copies(lambda: la.evaluate(x + there), device) == 0
    del y           # what an operation has read stays
    assert copies(lambda: la.evaluate(x - there), device) == 0


def test_transfers_of_one_value_share_memory_until_a_write(device):
    x = ramp()
    arrays = [x.to_device(device) for _ in range(3)]
    assert copies(lambda: la.evaluate(*arrays), device) == 1
    arrays[0] += 1
    arrays[1][::2] = 0
    la.evaluate(*arrays)
    same(arrays[0], A + 1)
    same(arrays[1], np.where(A % 2 == 0, 0, A))
    same(arrays[2], A)
    same(x, A)


def test_a_copy_that_goes_to_and_fro_is_made_once(device):
    x = ramp()
    y = x.to_device(device)
    back = y.to_device("cpu")
    assert copies(lambda: la.evaluate(back), device) == 1     # there; the host has it
    assert copies(y.numpy, device) == 0
    assert copies(lambda: la.evaluate(y * 2, x.to_device(device)), device) == 0
    back += 1
    y -= 1
    same(back, A + 1)
    same(y, A - 1)
    same(x, A)


def test_an_array_whose_copy_was_written_to_is_copied_again(device):
    there = on(device)
    x = ramp()
    y = x.to_device(device)
    la.evaluate(y)
    before = live(device)
    y += 1
    la.evaluate(y)
    assert live(device) == before           # in place
    assert copies(lambda: same(x + there, 2 * A + 1), device) == 2
    same(y, A + 1)


@pytest.mark.parametrize("write", [
    lambda x: x.__iadd__(1), lambda x: x.__setitem__(slice(None, None, 2), 1), lambda x: np.add(x, 1, out=x),
    lambda x: x.fill(3), lambda x: np.put(x, [1], 9)])
def test_a_write_on_the_host_takes_no_second_array(device, write):
    x, wanted = ramp() * 1, A.copy()
    la.evaluate(x)
    y = x.to_device(device)
    la.evaluate(y)
    allocator.reset_peak()
    before = allocator.stats()["live_bytes"]
    write(x)
    la.evaluate(x)
    assert allocator.stats()["peak_bytes"] - before < 4 * SIZE
    write(wanted)
    same(y, A)
    same(x, wanted)
    z = x.to_device(device)
    assert copies(lambda: la.evaluate(z), device) == 1
    same(z, wanted)


def test_arrays_that_are_lent_are_not_overwritten(device):
    x = ramp()
    y = x.to_device(device)
    shown = np.asarray(y)       # the memory of x
    x += 1
    y *= 2
    la.evaluate(x, y)
    np.testing.assert_array_equal(shown, A)
    same(x, A + 1)
    same(y, A * 2)


def test_copies_go_with_the_last_array(device):
    before = live(device)
    x = ramp()
    y = x.to_device(device)
    la.evaluate(y)
    x = None
    same(y, A)
    y = None
    assert live(device) == before
    x = ramp()
    y = x.to_device(device)
    la.evaluate(y)
    y = None
    assert live(device) == before
    same(x, A)


def test_gradients_go_through_shared_copies(device):
    x = ramp(4)
    w = ramp(4).to_device(device)
    la.evaluate(x * w, x.to_device(device))
    same(la.grad(lambda x: (x * w).sum() + (x.to_device(device) ** 2).sum())(x), 3 * A[:4])
    with la.no_evaluation():
        y = x.to_device(device)
    same(la.grad(lambda y: (y * w).sum())(y), A[:4])


def test_threads_share_copies(device):
    there = on(device)
    x = ramp()
    la.evaluate(x + there)
    barrier, wrong = threading.Barrier(6), []

    def work(k):
        barrier.wait()
        for _ in range(5):
            y = x.to_device(device)
            z = y + there * k
            y += k
            if not (np.array_equal(y.numpy(), A + k) and np.array_equal(z.numpy(), A + (A + 1) * k)):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    same(x, A)
