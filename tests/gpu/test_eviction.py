"""Arrays that do not fit on a device together: which are evicted, that they return, and failures."""
import threading
import warnings

import numpy as np
import pytest

import lazyarr as la
from support.devices import copies
from support.full_device import Full
from support.opencl_device import DEVICE, DRIVER, there

N = 20_000
BYTES = 8 * N
WORDS = BYTES // 2      # for flags, and operands that are constant
A = np.arange(float(N))


@pytest.fixture
def full(monkeypatch):
    """A device with room for four arrays and some small ones."""
    device = Full(DRIVER, 4 * BYTES + WORDS)
    monkeypatch.setattr(DRIVER, "allocate", device.allocate)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield device


def live():
    return la.devices()[la.devices().index(DEVICE)].memory_stats()["live_bytes"]


def on_device(k):
    """Return an array that is only on the device."""
    x = there(A) + k
    la.evaluate(x)
    return x


def same(x, wanted):
    assert x.device == DEVICE
    np.testing.assert_array_equal(x.numpy(), wanted)


def test_three_times_as_much_as_fits(full):
    arrays = [on_device(k) for k in range(12)]
    assert full.failures > 0
    assert live() <= 4 * BYTES
    for _ in range(2):
        arrays = [x * 2 - A for x in arrays]
        for x in arrays:
            la.evaluate(x)
            assert x.device == DEVICE
    for k, x in enumerate(arrays):
        same(x, A + 4 * k)
    arrays.clear()
    del x
    assert full.room >= 4 * BYTES


def test_one_evaluation_of_three_times_as_much_as_fits(full):
    sums = [np.sin(there(A + k)).sum() for k in range(12)]
    la.evaluate(*sums)
    np.testing.assert_allclose([float(s) for s in sums], [np.sin(A + k).sum() for k in range(12)], atol=1e-9)
    scaled = [there(A + k) * 2 for k in range(12)]
    la.evaluate(*scaled)
    for k, x in enumerate(scaled):
        same(x, (A + k) * 2)
    del sums, scaled, x
    assert full.room >= 4 * BYTES


def test_what_has_left_comes_back_when_it_is_used(full):
    x = on_device(1)
    others = [on_device(k) for k in range(4)]
    assert copies(x.numpy, DEVICE) == 0         # it was copied to the host
    assert copies(lambda: la.evaluate(x * 2), DEVICE) >= 1
    others.clear()
    assert copies(lambda: la.evaluate(x * 3), DEVICE) == 0
    same(x, A + 1)


def test_the_least_recently_used_leaves_first(full):
    x, y, z = on_device(1), on_device(2), on_device(3)
    la.evaluate(x.sum(), (z * x)[:3].sum())
    more = on_device(4), on_device(5)           # for which y leaves
    assert copies(y.numpy, DEVICE) == 0
    assert copies(x.numpy, DEVICE) == 1
    del more
    same(z, A + 3)


def test_what_the_host_has_is_dropped_first(full):
    x, y = on_device(1), la.array(A) * 1
    la.evaluate(y)
    w = y.to_device(DEVICE)
    la.evaluate(w, (x + y).sum())
    x.sum().numpy(), w.sum().numpy()
    before = copies_out()
    more = [on_device(k) for k in range(2)]
    assert full.failures
    assert copies_out() == before
    assert copies(w.numpy, DEVICE) == 0
    y += 1
    w *= 2
    same(w, A * 2)
    np.testing.assert_array_equal(y, A + 1)
    same(x, A + 1)
    assert len(more) == 2


def copies_out():
    return la.devices()[la.devices().index(DEVICE)].memory_stats()["copied_out"]


def test_views_and_writes_after_eviction(full):
    x, wanted = on_device(0), A.copy()
    view, back = x[100:200], x[::-1]
    others = [on_device(k) for k in range(6)]
    view += 1
    wanted[100:200] += 1
    same(x, wanted)
    others += [on_device(k) for k in range(6)]
    x += back
    wanted += wanted[::-1].copy()
    same(view, wanted[100:200])
    same(back, wanted[::-1])
    others += [on_device(k) for k in range(6)]
    x[::2][3:50] = 7
    wanted[::2][3:50] = 7
    la.evaluate(x)
    same(back[-200:], wanted[:200][::-1])
    for k, y in enumerate(others):
        same(y, A + k % 6)


def test_transfers_that_share_memory_leave_together(full):
    x = la.array(A) * 1
    la.evaluate(x)
    y, z = x.to_device(DEVICE), x.to_device(DEVICE)
    la.evaluate(y, z)
    del x
    others = [on_device(k) for k in range(6)]
    y += 1
    same(z, A)
    same(y, A + 1)
    for k, other in enumerate(others):
        same(other, A + k)


def test_what_waits_may_read_what_has_left(full):
    x = on_device(1)
    y = x * 2 + there(A)        # waits
    others = [on_device(k) for k in range(6)]
    same(y, 3 * A + 2)
    assert len(others) == 6


def test_a_step_that_does_not_fit_runs_on_the_host(full):
    arrays = [on_device(k) for k in range(4)]
    with pytest.warns(RuntimeWarning, match=f"{DEVICE} has no room for {5 * BYTES:,} bytes"):
        la.evaluate(np.concatenate([*arrays, arrays[0]]))
    for k, x in enumerate(arrays):
        same(x, A + k)


def test_operands_that_do_not_fit_stay_on_the_host(full):
    x = there(np.arange(3.0))
    large = np.arange(5.0 * N).reshape(-1, 1)
    with pytest.warns(RuntimeWarning, match="has no room for .* stays on the host"):
        got = (x * la.array(large)).sum(axis=0).numpy()
    np.testing.assert_allclose(got, (np.arange(3.0) * large).sum(axis=0))
    with pytest.raises(MemoryError, match=f"{DEVICE} has no room"):     # the program asks for it
        there(large).numpy()
    same(x, np.arange(3.0))


def test_without_room_anywhere_arrays_stay_as_they_are(full):
    arrays = [on_device(k) for k in range(4)]
    warnings.simplefilter("ignore")
    with la.config(memory_limit=1000):
        for _ in range(2):
            with pytest.raises(MemoryError):
                la.evaluate(arrays[0] * 2)
    same(arrays[0] * 2, A * 2)
    for k, x in enumerate(arrays):
        same(x, A + k)


def test_threads_share_a_full_device(full):
    wrong, barrier = [], threading.Barrier(4)

    def work(seed):
        x = [on_device(seed + k) for k in range(3)]
        barrier.wait()
        for _ in range(5):
            x = [y + x[0] - A - seed for y in x]
            la.evaluate(*x)
        wrong.extend(k for k in range(3) if not np.array_equal(x[k].numpy(), A + seed + k))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")     # what all use at once may not fit
        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


def test_an_evaluation_inside_another_may_need_room(full):
    kept = [on_device(k) for k in range(3)]

    def inside(x):
        more = [on_device(k) for k in range(8)]
        return x + sum(y.numpy() for y in more)

    x = on_device(9)
    y = la.delay(inside, x, shape=(N,), dtype=float) + x
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        same(y, (A + 9) * 2 + 8 * A + 28)
    for k, z in enumerate(kept):
        same(z, A + k)
