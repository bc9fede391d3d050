"""Devices: which there are, where arrays are, what is transferred, and memory use."""
import copy
import pickle
import re
import threading

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core.host import allocator
from lazyarr.runtime import add_virtual_device

DEVICE = "cpu:1"
SIZE = 100_000


def on_device(n=10):
    """Return 0, 1, 2 ... on the device, evaluated."""
    x = la.array(np.arange(float(n))).to_device(DEVICE)
    la.evaluate(x)
    return x


def ready(n=10):
    """Return the same on the host."""
    x = la.array(np.arange(float(n)))
    la.evaluate(x)
    return x


def counts():
    return la.devices()[1].memory_stats()


def change(before):
    """Return the changes of the device's counters."""
    return {name: value - before[name] for name, value in counts().items()}


# Which devices there are


def test_devices_have_names():
    host, first = la.devices()[:2]
    assert host == "cpu"
    assert first == DEVICE
    assert repr(first) == "Device('cpu:1')"
    assert la.devices()[1] == first
    assert {first: 1}[DEVICE] == 1
    assert pickle.loads(pickle.dumps(first)) == copy.deepcopy(first) == first


def test_added_devices_come_last():
    before = sum(name.startswith("cpu") for name in la.devices())
    device = add_virtual_device(latency=0.001, bandwidth=1e9)
    assert device == f"cpu:{before}"
    assert la.devices()[-1] == device
    np.testing.assert_array_equal(la.arange(3).to_device(device) + 1, [1, 2, 3])
    assert device.memory_stats()["copies"] == 2


@pytest.mark.parametrize("options", [
    {"latency": -1}, {"latency": float("nan")}, {"bandwidth": 0}, {"bandwidth": -5.0}, {"bandwidth": float("nan")}])
def test_impossible_devices(options):
    before = len(la.devices())
    with pytest.raises(ValueError, match="a device has a latency of 0 or more and a positive bandwidth"):
        add_virtual_device(**options)
    assert len(la.devices()) == before


def test_there_is_room_for_32_devices(run_python):
    assert run_python("""
        import lazyarr as la
        from lazyarr.runtime import add_virtual_device
        for _ in range(30):
            last = add_virtual_device()
        try:
            add_virtual_device()
        except ValueError as error:
            print(error)
        print(last, (la.ones(3).to_device(last) + 1).device, float((la.ones(3).to_device(last) + 1).sum()))
    """).splitlines() == ["there can be 32 devices, the host among them", "cpu:31 cpu:31 6.0"]


def test_threads_may_ask_for_devices_at_once(run_python):
    missing = "there is no device 'slow:2'; there are 'cpu', 'cpu:1', 'slow:0', 'slow:1'; no others; " \
              "did you mean 'slow:1'?"
    assert run_python("""
        import threading, time
        import lazyarr as la
        from lazyarr._core import api
        from lazyarr.gpu import discovery

        def slowly():
            time.sleep(0.2)
            api.device_table.add_accelerator("slow:0", object())
            time.sleep(0.2)
            api.device_table.add_accelerator("slow:1", object())
            return "; no others"

        discovery._add_opencl, discovery._add_cuda = slowly, str
        barrier, found = threading.Barrier(8), []

        def ask(name):
            barrier.wait()
            try:
                found.append(str(la.ones(3).to_device(name).device))
            except ValueError as error:
                found.append(str(error))

        threads = [threading.Thread(target=ask, args=(f"slow:{k % 3}",)) for k in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(sorted(found))
    """) == f"{['slow:0'] * 3 + ['slow:1'] * 3 + [missing] * 2}\n"


def test_a_search_for_devices_that_was_interrupted_goes_on(run_python):
    assert run_python("""
        import lazyarr as la
        from lazyarr._core import api
        from lazyarr.gpu import discovery

        def interrupted():
            api.device_table.add_accelerator("slow:0", object())
            api.device_table.add_accelerator("slow:1", object())
            discovery._add_opencl = again
            raise KeyboardInterrupt

        def again():
            api.device_table.add_accelerator("slow:0", object())
            api.device_table.add_accelerator("slow:1", object())
            return ""

        discovery._add_opencl, discovery._add_cuda = interrupted, str
        try:
            la.devices()
        except KeyboardInterrupt:
            print(la.devices())
    """) == "[Device('cpu'), Device('cpu:1'), Device('slow:0'), Device('slow:1')]\n"


@pytest.mark.parametrize("name", ["gpu", "cpu:99", "cpu:-1", "CPU:1", "", 1, None, 1.5, ["cpu"]])
def test_what_is_no_device(name):
    with pytest.raises((ValueError, TypeError)):
        la.ones(3).to_device(name)
    with pytest.raises(ValueError, match=re.escape(f"there is no device {name!r}; there are 'cpu', 'cpu:1'")), \
            la.device(name):
        pass
    if name is not None:
        with pytest.raises((ValueError, TypeError)):
            la.zeros(3, device=name)
    assert la.zeros(3).device == "cpu"


@pytest.mark.parametrize("name", ["cpu", "cpu:0"])
def test_names_of_the_host(name):
    x = la.arange(3.0)
    assert x.to_device(name) is x
    assert type(x.device) is str
    assert x.to_device(DEVICE).to_device(name).device == "cpu"
    assert la.zeros(2, device=name).device == "cpu"
    with la.device(name):
        assert la.zeros(2).device == "cpu"


# Where arrays are


def test_to_device_copies_when_it_is_needed():
    x, before = ready(), counts()
    y = x.to_device(DEVICE)
    assert (y.device, x.device) == (DEVICE, "cpu")
    assert change(before)["copies"] == 0
    la.evaluate(y)
    assert change(before)["copied_in"] == 80
    assert y.to_device(DEVICE) is y
    assert y.to_device(la.devices()[1]) is y
    y[0] = 5
    assert float(x[0]) == 0
    x[1] = 7
    assert float(y[1]) == 1


def test_to_device_takes_no_stream():
    with pytest.raises(ValueError, match="stream"):
        la.ones(3).to_device(DEVICE, stream=1)
    with pytest.raises(TypeError):
        la.ones(3).to_device()


def test_operations_run_where_their_operands_are():
    x, y, host = on_device(), on_device(), ready()
    for z in (x + y, x + host, host * x, x + 1, np.sin(x), x.sum(), x[2:5], x.reshape(2, 5).T, np.where(host > 2, x, 0),
              np.concatenate([host, x]), np.stack([x, y]), np.sort(x), x.copy(), x.astype("f4"), x @ host, x[host > 3],
              host[x > 3], x[[0, 1]], x.reshape(2, 5).ravel("F"), np.diag(x), np.zeros_like(x), np.empty_like(x),
              np.full_like(x, 3), np.linalg.qr(x.reshape(5, 2))[0], np.divmod(x, 3)[1], copy.copy(x), copy.deepcopy(x),
              np.linalg.svd(x.reshape(5, 2)).S, np.cumsum(x), np.append(x, 3), x[3], +x, x.round()):
        assert z.device == DEVICE
        la.evaluate(z)
        assert z.device == DEVICE
        z.numpy()
        assert z.device == DEVICE
        assert (z + 1).device == DEVICE


def test_writes_stay_with_the_storage():
    x, host = on_device(), ready()
    host[2:4] = x[:2]
    host += x
    np.add(x, x, out=host)
    assert host.device == "cpu"
    np.testing.assert_array_equal(host, np.arange(10.0) * 2)
    x[2:4] = ready(2) + 5
    x *= ready()
    assert x.device == DEVICE
    np.testing.assert_array_equal(x, np.arange(10.0) * [0, 1, 5, 6, 4, 5, 6, 7, 8, 9])


def test_writes_at_once_change_the_copy_on_the_device_too():
    def flat(x):
        x.flat[[1]] = 9

    def looked(write):
        x = on_device()
        str(x)
        write(x)
        assert x.device == DEVICE
        np.testing.assert_array_equal(x.numpy(), (x + 0).numpy())
        assert not np.array_equal(x.numpy(), np.arange(10.0))
        return x

    for write in (flat, lambda x: np.put(x, [1], 9), lambda x: x.put([1], 9), lambda x: x.setfield(3.0, "f4"),
                  lambda x: la.random.default_rng(0).shuffle(x), lambda x: la.random.default_rng(0).random(out=x),
                  lambda x: x.byteswap(True), lambda x: np.place(x, x > 3, [7]), lambda x: x.fill(5),
                  lambda x: x.__setitem__(3, 7), lambda x: np.add.at(x, [0, 0], 1), lambda x: x[2:].__iadd__(1)):
        looked(write)


def test_layouts_change_in_place():
    x = on_device(6)
    str(x)
    x.shape = 2, 3
    np.testing.assert_array_equal(x + 0, [[0, 1, 2], [3, 4, 5]])
    x = on_device(6)
    str(x)
    x.dtype = "i8"
    np.testing.assert_array_equal(x + 0, np.arange(6.0).view("i8"))
    assert x.device == DEVICE


def test_operands_on_two_devices_are_refused_at_the_line():
    second = add_virtual_device()
    x, y = on_device(4), on_device(4).to_device(second)
    for call in (lambda: x + y, lambda: np.where(x > 0, x, y), lambda: np.concatenate([x, y]), lambda: x @ y,
                 lambda: x[y > 1], lambda: np.add(x, y, out=la.zeros(4)), lambda: np.stack([y, x])):
        with pytest.raises(ValueError, match=f"operands are on (cpu:1 and {second}|{second} and cpu:1); move one"):
            call()
    x[:] = y                        # what is written goes where the storage is
    x += y.to_device(DEVICE)
    np.testing.assert_array_equal(x, np.arange(4.0) * 2)
    np.testing.assert_array_equal(x.to_device(second) + y, np.arange(4.0) * 3)


@pytest.mark.parametrize("values", [
    [1, None], ["a", "b"], [b"x"], np.array([(1, 2.0)], "i4,f8"), np.array(["2020"], "M8[D]"), np.ones(2, ">f8"),
    np.array(["x"], np.dtypes.StringDType())], ids=lambda values: str(np.array(values).dtype))
def test_what_devices_have_no_types_for(values):
    x = la.array(values, object) if isinstance(values, list) and None in values else la.array(values)
    with pytest.raises(TypeError, match=re.escape(f"arrays of {x.dtype} cannot be on cpu:1")):
        x.to_device(DEVICE)
    assert x.to_device("cpu") is x
    assert x.device == "cpu"
    with la.device(DEVICE):
        assert la.array(values, x.dtype).device == "cpu"    # what a block does not name


def test_results_of_other_types_are_on_the_host():
    x = on_device(3)
    for y in (x.astype(object), x.astype("U8"), x.astype(">f8"), np.full_like(x, 3, "U3")):
        assert y.device == "cpu"
    np.testing.assert_array_equal(x.astype(object) + x, np.arange(3.0) * 2)
    np.testing.assert_array_equal(x.astype(">f8") * x, np.arange(3.0) ** 2)


# Looks


def test_looks_copy_once_and_keep_both():
    x, before = on_device() * 2, counts()
    la.evaluate(x)
    assert change(before)["copied_out"] == 0
    for look in (str, repr, la.ndarray.numpy, np.asarray, lambda x: float(x[3]), lambda x: x.tolist(), list, bytes,
                 lambda x: pickle.loads(pickle.dumps(x)), lambda x: x.max().item(), lambda x: bool((x >= 0).all())):
        look(x)
    assert change(before)["copied_out"] <= 80 + 8 + 8 + 1
    assert change(before)["copied_in"] == 0
    la.evaluate(x + 1)
    assert change(before)["copied_in"] == 0
    assert x.device == DEVICE


def test_lent_memory_is_read_only():
    x = on_device()
    for view in (np.asarray(x), x.numpy(), np.asarray(x[2:])):
        assert not view.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            view[0] = 1
    kept = np.asarray(x)
    x += 1
    np.testing.assert_array_equal(kept, np.arange(10.0))
    np.testing.assert_array_equal(x, np.arange(1.0, 11))


def test_pickles_are_of_the_host():
    x = on_device() + 1
    assert pickle.loads(pickle.dumps(x)).device == "cpu"
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(x)), np.arange(1.0, 11))


# The block


def test_a_block_makes_arrays_on_a_device():
    host = ready()
    with la.device(DEVICE) as found:
        made = [la.zeros(3), la.arange(3), la.array([1, 2]), la.asarray(np.ones(4)), la.eye(3), la.linspace(0, 1, 5),
                la.full(3, 2.5), la.empty(3), la.identity(2), la.indices((2, 3)), la.tri(3)]
        like, same = la.zeros_like(host), la.asarray(host)
    assert found == DEVICE
    assert [x.device for x in made] == [DEVICE] * len(made)
    assert like.device == same.device == "cpu"
    assert la.zeros(3).device == "cpu"
    np.testing.assert_array_equal(made[1] + made[6], [2.5, 3.5, 4.5])
    np.testing.assert_array_equal(made[3], np.ones(4))


def test_device_arguments_go_before_the_block():
    with la.device(DEVICE):
        assert la.zeros(3, device="cpu").device == "cpu"
    assert la.zeros(3, device=DEVICE).device == DEVICE
    assert la.asarray([1, 2], device=la.devices()[1]).device == DEVICE
    assert la.ones_like(ready(), device=DEVICE).device == DEVICE
    assert la.ones_like(on_device(), device="cpu").device == "cpu"
    assert la.asarray(on_device(), device="cpu").device == "cpu"


def test_blocks_nest_and_end_with_errors():
    second = add_virtual_device()
    with la.device(DEVICE):
        with la.device(second), pytest.raises(KeyError), la.device("cpu"):
            {}[la.zeros(3).device]
        with la.device(second):
            assert la.zeros(3).device == second
        assert la.zeros(3).device == DEVICE
    assert la.zeros(3).device == "cpu"


def test_a_block_holds_for_its_thread():
    seen = []
    with la.device(DEVICE):
        thread = threading.Thread(target=lambda: seen.append(la.zeros(3).device))
        thread.start()
        thread.join()
    assert seen == ["cpu"]


# Memory


def test_memory_is_given_back():
    la.evaluate(on_device() + 1)
    before = counts()["live_bytes"]
    x = on_device(SIZE)
    assert counts()["live_bytes"] - before == 8 * SIZE
    y = x * 2 + 1
    view = y[::2]
    la.evaluate(y, view.sum())
    assert counts()["live_bytes"] - before == 2 * 8 * SIZE
    str(x)
    del x, y
    assert counts()["live_bytes"] - before == 8 * SIZE
    del view
    assert counts()["live_bytes"] == before


@pytest.mark.parametrize("write", [
    lambda x: x.__iadd__(1), lambda x: x.__setitem__(slice(10, 20), 3), lambda x: x[::2].__imul__(2),
    lambda x: np.add.at(x, [1, 1], 1), lambda x: x.__setitem__(x > 5, 0),
    lambda x: np.add(x, 1, out=x), lambda x: x.__setitem__([1, 2], 7)])
def test_updates_take_no_second_array(write):
    x = on_device(SIZE)
    la.evaluate(x)
    allocator.reset_peak()
    live, before = allocator.stats()["live_bytes"], counts()
    write(x)
    la.evaluate(x)
    assert change(before)["live_bytes"] == change(before)["copied_out"] == 0
    assert change(before)["copied_in"] <= 24    # an index, a scalar
    assert allocator.stats()["peak_bytes"] - live < 4 * SIZE


def test_updates_raise_no_peak(run_python):
    assert run_python("""
        import numpy as np, lazyarr as la
        x = la.array(np.arange(100_000.0)).to_device("cpu:1")
        la.evaluate(x)
        x += 1
        la.evaluate(x)
        x[10:20] = 3
        la.evaluate(x)
        x[::2] *= 2
        la.evaluate(x)
        stats = la.devices()[1].memory_stats()
        del x
        print(stats["live_bytes"], stats["peak_bytes"], la.devices()[1].memory_stats()["live_bytes"])
    """) == "800000 800000 0\n"
