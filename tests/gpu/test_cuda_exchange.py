"""Exchange of CUDA arrays with other libraries: memory, streams, lifetimes, rejections."""
import copy
import ctypes
import gc
import pickle
import threading
import weakref

import numpy as np
import pytest

import lazyarr as la
from support import cuda_library
from support.cuda_device import DEVICE, DRIVER, ENVIRONMENT, NUMBER, same, there
from support.cuda_library import Taken, WithDLPack, WithInterface, new_stream, read, write

VERSION = (1, 0)


def values_at(x):
    """Return the values that an array's interface exposes."""
    known = x.__cuda_array_interface__
    return read(known["data"][0], known["shape"], np.dtype(known["typestr"]), known["strides"])


def live_bytes():
    return la.devices()[NUMBER].memory_stats()["live_bytes"]


@pytest.fixture
def mock():
    if not ENVIRONMENT:
        pytest.skip("needs the mock of a device")
    library = ctypes.CDLL(ENVIRONMENT["LAZYARR_CUDA"])
    library.mock_hold.argtypes = ctypes.c_void_p, ctypes.c_int
    yield library
    library.mock_hold(DRIVER.stream, False)


# ---- export --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", "?bBhHiIlLefdFD")
def test_dlpack_lends_the_memory_of_the_device(dtype):
    a = np.arange(12).reshape(3, 4).astype(dtype)
    x = there(a)
    assert x.__dlpack_device__() == (2, 0)
    taken = Taken(x, max_version=VERSION)
    np.testing.assert_array_equal(taken.values(), a, strict=True)
    assert taken.tensor.is_read_only
    assert Taken(x, max_version=VERSION).tensor.address == taken.tensor.address
    assert Taken(x.T[1:], max_version=VERSION).tensor.address == taken.tensor.address + a.itemsize
    np.testing.assert_array_equal(Taken(x.T[1:, ::2], max_version=VERSION).values(), a.T[1:, ::2], strict=True)


def test_pending_arrays_are_evaluated_on_the_device():
    x = there(np.arange(5.0)) * 2
    with la.no_evaluation():
        assert x.__dlpack_device__() == (2, 0)
        with pytest.raises(la.EvaluationForbidden):
            x.__dlpack__()
    np.testing.assert_array_equal(Taken(x, max_version=VERSION).values(), np.arange(5.0) * 2)
    np.testing.assert_array_equal(values_at(there(np.arange(5)) + 1), np.arange(1, 6))
    assert float(Taken((x + 1).sum(), max_version=VERSION).values()) == 25.0
    assert values_at(x[1]) == 2.0


def test_what_dlpack_has_lent_is_not_written_to():
    x = there(np.arange(4.0))
    taken = Taken(x, max_version=VERSION)
    x += 1
    x[0] = 9
    la.evaluate(x)
    np.testing.assert_array_equal(taken.values(), np.arange(4.0))
    del x
    gc.collect()
    np.testing.assert_array_equal(taken.values(), np.arange(4.0))


def test_libraries_that_know_no_read_only_memory_get_a_copy_or_share():
    x = there(np.arange(4.0))
    taken, shared = Taken(x), Taken(x, copy=False)
    assert taken.tensor.address != shared.tensor.address
    write(shared.tensor.address, np.array([7.0]))
    x[1:] *= 2
    same(x, np.array([7.0, 2, 4, 6]))
    np.testing.assert_array_equal(shared.values(), x.numpy())
    np.testing.assert_array_equal(taken.values(), np.arange(4.0))
    asked = Taken(x, copy=True, max_version=VERSION)
    assert not asked.tensor.is_read_only
    assert asked.tensor.address != shared.tensor.address


def test_a_copy_on_the_host():
    a = np.arange(6.0).reshape(2, 3)
    x = there(a)
    np.testing.assert_array_equal(np.from_dlpack(x, device="cpu"), a)
    assert np.from_dlpack(x, device="cpu", copy=True).flags.writeable
    with pytest.raises(BufferError, match="on cuda:0: on the host there can be a copy"):
        np.from_dlpack(x, device="cpu", copy=False)
    with pytest.raises(BufferError, match=r"on cuda:0, .* not on DLPack's device \(2, 7\)"):
        x.__dlpack__(dl_device=(2, 7))
    assert Taken(x, dl_device=(2, 0), max_version=VERSION).values().tolist() == a.tolist()
    assert np.asarray(x).tolist() == a.tolist()


@pytest.mark.parametrize("stream", [0, -2, "1", True, 1.0])
def test_streams_that_there_are_not(stream):
    x = there(np.arange(3.0)) + 1
    with la.no_evaluation(), pytest.raises(ValueError, match=f"there is no stream {stream!r}: 1 is CUDA's default one"):
        x.__dlpack__(stream=stream)


def test_what_dlpack_cannot_say_is_refused():
    x = there(np.zeros(4, [("a", "i4"), ("b", "i8")]).view("i4").copy())
    odd = la.numpy.lib.stride_tricks.as_strided(x.view("i8"), (2,), (12,))
    with pytest.raises(BufferError, match="counts strides in elements"):
        odd.__dlpack__(max_version=VERSION)
    y = there(np.zeros(3))
    y.flags.writeable = False
    with pytest.raises(BufferError, match="readonly"):
        y.__dlpack__(copy=False)


def test_the_interface_shares_memory_for_good():
    a = np.arange(12).reshape(3, 4)
    x = there(a.copy())
    known = x.__cuda_array_interface__
    assert (known["shape"], known["typestr"], known["strides"], known["version"]) == ((3, 4), "<i8", None, 3)
    assert known["data"][1] is False
    y = x * 1
    write(known["data"][0], np.array([-5]))
    a[0, 0] = -5
    same(x, a)
    x += 1
    x[1:, ::2] *= 3
    x[:, 1] = x[:, 2]
    a += 1
    a[1:, ::2] *= 3
    a[:, 1] = a[:, 2]
    assert x.__cuda_array_interface__ == known
    np.testing.assert_array_equal(values_at(x), a)
    assert y[0, 0] == 0
    x[x > 20] = 0
    x.sort(axis=0)
    a[a > 20] = 0
    a.sort(axis=0)
    np.testing.assert_array_equal(values_at(x), a)
    same(x.T[1:] + 1, a.T[1:] + 1)
    assert [int(i) for i in x[0]] == a[0].tolist()


def rows(xp, x):
    for row in x:
        row += 1


WRITES = [
    rows,
    lambda xp, x: xp.put(x, [0, 3], [9, 8]),
    lambda xp, x: xp.copyto(x[1], 4),
    lambda xp, x: [xp.add(x, 1, out=x), xp.multiply(x[0], 2, out=x[1])],
    lambda xp, x: xp.multiply(x, 2, out=x, where=x > 5),
    lambda xp, x: [x.fill(3), x[:, 1].fill(4)],
    lambda xp, x: x.__setitem__(slice(None), np.arange(6.0)),
    lambda xp, x: [x.flat.__setitem__(3, 7), x.ravel().__setitem__(5, 8)],
    lambda xp, x: xp.add.at(x, ([0, 0, 1], [1, 1, 2]), 10),
    lambda xp, x: xp.cumsum(x, axis=0, out=x),
    lambda xp, x: xp.matmul(x[:, :4], x[:4, :4], out=x[:, :4]),
    lambda xp, x: x.view(np.int64).__setitem__((0, 0), 3),
    lambda xp, x: x.__setitem__(slice(None, None, -1), x),
    lambda xp, x: x[::2].sort(axis=1),
    lambda xp, x: x.__setitem__([1, 2], x[[2, 1]] + 1),
    lambda xp, x: xp.fill_diagonal(x, 0),
    lambda xp, x: x.__setitem__(Ellipsis, x.T.reshape(4, 6)),
]


@pytest.mark.parametrize("window", [np.s_[1:5, 2:8], np.s_[4:0:-1, 7:1:-1]], ids=str)
@pytest.mark.parametrize("write_", WRITES)
def test_others_see_all_kinds_of_writes(write_, window):
    a = np.arange(54.0).reshape(6, 9)
    x, given = there(a.copy()), WithDLPack(a.copy(), lambda a: a[window])
    address = x.__cuda_array_interface__["data"][0]
    write_(np, a[window])
    write_(la.numpy, x[window])
    write_(la.numpy, la.numpy.asarray(given))
    np.testing.assert_array_equal(read(address, (6, 9), np.float64), a)
    np.testing.assert_array_equal(given.values(), a)


def test_views_and_read_only_arrays_have_an_interface():
    a = np.arange(12.0).reshape(3, 4)
    x = there(a.copy())
    y = x[1:, ::2]
    np.testing.assert_array_equal(values_at(y), a[1:, ::2])
    assert y.__cuda_array_interface__["strides"] == a[1:, ::2].strides
    assert y.__cuda_array_interface__["data"][0] == x.__cuda_array_interface__["data"][0] + 32
    x.flags.writeable = False
    assert x.__cuda_array_interface__["data"][1] is True
    assert there(np.zeros((0, 3))).__cuda_array_interface__["data"] == (0, False)


def test_memory_that_others_refer_to_is_copied_before_it_is_shared():
    x = there(np.arange(4.0))
    la.evaluate(x)
    y, z = x + 0, la.copy(x)
    taken = Taken(x, max_version=VERSION)
    write(x.__cuda_array_interface__["data"][0], np.full(4, 7.0))
    same(x, np.full(4, 7.0))
    for other in (y, z):
        same(other, np.arange(4.0))
    np.testing.assert_array_equal(taken.values(), np.arange(4.0))


def test_fetched_values_are_forgotten_when_others_may_write():
    x = there(np.arange(4.0))
    assert x.tolist() == [0, 1, 2, 3]
    address = x.__cuda_array_interface__["data"][0]
    assert x.tolist() == [0, 1, 2, 3]
    write(address, np.array([9.0]))
    assert x.tolist() == [9, 1, 2, 3]
    assert float(x[0]) == 9


def test_copies_of_values_that_the_host_has_are_forgotten_when_others_may_write():
    a = la.arange(4.0) + 0
    la.evaluate(a)
    x = a.to_device(DEVICE)
    la.evaluate(x)
    write(x.__cuda_array_interface__["data"][0], np.array([9.0]))
    assert x.tolist() == [9, 1, 2, 3]
    same(a.to_device(DEVICE), np.arange(4.0))
    same(a + x, np.array([9.0, 2, 4, 6]))
    y = a.to_device(DEVICE)
    taken = Taken(y, max_version=VERSION)
    y += 1
    same(y, np.arange(1.0, 5))
    np.testing.assert_array_equal(taken.values(), np.arange(4.0))


@pytest.mark.parametrize("device", ["cpu", "cpu:1"])
def test_arrays_in_the_memory_of_the_host_have_no_interface(device):
    x = la.arange(3.0).to_device(device)
    with la.no_evaluation():
        assert not hasattr(x + 1, "__cuda_array_interface__")
        assert x.__dlpack_device__() == (1, 0)
    np.testing.assert_array_equal(np.from_dlpack(x), np.arange(3.0))


def test_arrays_that_derivatives_may_be_taken_of_are_not_written_to_by_others():
    x = there(np.arange(3.0))

    def function(y):
        with pytest.raises(BufferError, match="derivatives may be taken: pass on a copy"):
            x.__cuda_array_interface__
        np.testing.assert_array_equal(Taken(x, max_version=VERSION).values(), np.arange(3.0))
        return (x * y).sum()

    same(la.grad(function)(there(np.ones(3))), np.arange(3.0))


# ---- streams -------------------------------------------------------------------------------------------


def later(mock, stream):
    """Release a held stream at a time when the host is likely to wait for it."""
    threading.Timer(0.1, mock.mock_hold, (stream, False)).start()


def held(mock):
    """Return an array whose kernel waits in lazyarr's stream, and which has other bytes until then."""
    x = there(np.arange(1000))
    with np.errstate(all="ignore"):     # or launches are waited for
        la.evaluate(x, x + 1)           # which compiles the kernel
        mock.mock_hold(DRIVER.stream, True)
        y = x + 1
        la.evaluate(y)
    return y


@pytest.mark.parametrize("stream", [None, 1, 2, new_stream()])
def test_the_stream_of_a_consumer_waits(mock, stream):
    y, memory = held(mock), cuda_library.Memory(np.zeros(1000, int))
    taken, free = Taken(y, stream, max_version=VERSION), new_stream()
    Taken(y, -1, max_version=VERSION)
    assert cuda_library.is_idle(free)
    cuda_library.copy(memory.address, taken.tensor.address, 8000, stream)
    assert not cuda_library.is_idle(stream)
    mock.mock_hold(DRIVER.stream, False)
    np.testing.assert_array_equal(read(memory.address, (1000,), np.int64, stream=stream), np.arange(1, 1001))


@pytest.mark.parametrize(("kind", "take"), [
    (WithInterface, la.asarray), (WithInterface, la.numpy.asarray), (WithDLPack, la.asarray),
    (WithDLPack, la.from_dlpack),
])
def test_what_a_producer_writes_is_waited_for(mock, kind, take):
    stream = new_stream()
    given = kind(np.zeros(1000), stream=stream)
    mock.mock_hold(stream, True)
    given.write(np.ones(1000))
    later(mock, stream)
    same(take(given), np.ones(1000))


def test_for_an_interface_without_a_stream_all_are_waited_for(mock):
    class Old(WithInterface):
        version = 2

    stream = new_stream()
    given = Old(np.zeros(1000), stream=stream)
    mock.mock_hold(stream, True)
    given.write(np.ones(1000))
    later(mock, stream)
    same(la.asarray(given), np.ones(1000))


# ---- lifetimes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [WithInterface, WithDLPack])
@pytest.mark.parametrize("take", [la.asarray, la.numpy.asarray])
def test_a_producer_lives_as_long_as_its_memory_is_used(kind, take):
    given = kind(np.arange(1000.0))
    alive, before = weakref.ref(given.memory), live_bytes()
    x = take(given)
    y = x[10:] * 2
    del given
    gc.collect()
    same(x, np.arange(1000.0))
    del x
    same(y, np.arange(10.0, 1000) * 2)
    del y
    la.evaluate(there(np.zeros(3)))
    gc.collect()
    assert alive() is None
    assert live_bytes() <= before


def test_memory_is_given_back_after_what_was_launched_on_it(mock):
    idle = []

    class Pooled(WithInterface):
        def __del__(self):
            idle.append(cuda_library.is_idle(DRIVER.stream))

    x = la.asarray(Pooled(np.arange(1000)))
    with np.errstate(all="ignore"):
        la.evaluate(x + 1)
        mock.mock_hold(DRIVER.stream, True)
        y = x + 1
        la.evaluate(y)
    later(mock, DRIVER.stream)
    assert idle == []
    del x
    gc.collect()
    assert idle == [True]
    same(y, np.arange(1, 1001))


def test_memory_lives_as_long_as_a_consumer_holds_it():
    before = live_bytes()
    x = there(np.arange(1000.0))
    la.evaluate(x)
    taken = Taken(x, max_version=VERSION)
    capsule, memory = x.__dlpack__(max_version=VERSION), weakref.ref(x)
    del x, capsule
    gc.collect()
    assert memory() is None
    others = [there(np.zeros(1000)) + k for k in range(5)]
    la.evaluate(*others)
    np.testing.assert_array_equal(taken.values(), np.arange(1000.0))
    del taken, others
    gc.collect()
    assert live_bytes() <= before


def test_memory_is_freed_after_what_consumers_have_launched(mock):
    stream, target = new_stream(), cuda_library.Memory(np.zeros(1000, int))
    x = there(np.arange(1000))
    taken = Taken(x, stream, max_version=VERSION)
    for _ in range(50):
        cuda_library.copy(target.address, taken.tensor.address, 8000, stream)
    del x, taken
    gc.collect()
    assert cuda_library.is_idle(stream)
    np.testing.assert_array_equal(read(target.address, (1000,), np.int64), np.arange(1000))


# ---- what fails ----------------------------------------------------------------------------------------


def test_without_room_nothing_is_written(mock):
    with pytest.raises(MemoryError):
        DRIVER.workspace(1 << 40)   # for which all values leave that may
    x = la.numpy.asarray(WithInterface(np.arange(100_000.0)))
    mock.mock_set_memory(ctypes.c_size_t(mock.mock_count(b"bytes") + 100_000))
    for write_ in (lambda: x.__iadd__(1), lambda: x[::2].fill(3), lambda: x.sort()):
        with pytest.raises(MemoryError, match="cuda:0 has no room"):
            write_()
    mock.mock_set_memory(ctypes.c_size_t(1 << 30))
    same(x, np.arange(100_000.0))


def test_a_stream_of_nobody_is_an_error():
    x = there(np.arange(3.0))
    with pytest.raises(RuntimeError, match=r"cuda:0 .* has failed: CUDA_ERROR_INVALID_HANDLE"):
        x.__dlpack__(stream=3, max_version=VERSION)
    same(x + 1, np.arange(1.0, 4))


# ---- copies, pickles, the namespace --------------------------------------------------------------------


def test_copies_stay_on_the_device_and_pickles_come_to_the_host():
    for x in (there(np.arange(3.0)), la.numpy.asarray(WithInterface(np.arange(3.0)))):
        for made in (copy.copy(x), copy.deepcopy(x), x.copy()):
            same(made, np.arange(3.0))
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            loaded = pickle.loads(pickle.dumps(x + 0, protocol))
            assert loaded.device == "cpu"
            assert loaded.tolist() == [0, 1, 2]


def test_the_namespace_lists_devices():
    for namespace in (la, la.numpy, la.array_api):
        info = namespace.__array_namespace_info__()
        assert info.devices() == la.devices()
        assert info.default_device() == "cpu"
        assert info.dtypes(device=DEVICE) == info.dtypes()
        assert info.default_dtypes(device=DEVICE) == info.default_dtypes()
    with la.device(DEVICE):
        assert info.default_device() == DEVICE
    x = there(np.arange(3.0))
    assert x.to_device(x.device) is x
