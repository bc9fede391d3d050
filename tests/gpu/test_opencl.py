"""Arrays on an OpenCL device: values, writes, warnings, host fallbacks and failures."""
import warnings

import numpy as np
import pytest

import lazyarr as la
from lazyarr.gpu.drivers import driver
from lazyarr.gpu.generator.dialects import OPENCL
from support.opencl_device import DEVICE, DRIVER, NUMBER, host_steps, same, there

RNG = np.random.default_rng(5)


@pytest.mark.parametrize("dtype", "?bBhHiIlLefdFD")
def test_arithmetic_has_numpys_bits(dtype):
    a, b = (RNG.integers(1, 50, 1000).astype(dtype) for _ in range(2))
    with np.errstate(all="ignore"):
        same(there(a) + there(b), a + b)
        same(there(a) * there(b) + there(a), a * b + a)
        same(there(a) != there(b), a != b)
    assert host_steps() == []


@pytest.mark.parametrize("shape", [(), (1,), (7,), (3, 5), (2, 3, 4), (1, 4, 1), (0, 3)])
def test_shapes_and_broadcasting(shape):
    a = RNG.random(shape)
    same(there(a) * 2 + there(np.arange(2.0).reshape((2,) + (1,) * len(shape))), a * 2 + np.arange(2.0).reshape(
        (2,) + (1,) * len(shape)))


def test_views_are_read_where_they_lie():
    a = RNG.random((40, 30))
    x = there(a)
    la.evaluate(x)
    for key in (np.s_[::-1], np.s_[3:30:2, ::-3], np.s_[:, 4], np.s_[None, 5:7], np.s_[..., :1]):
        same(x[key] + 1, a[key] + 1)
    same(x.T - x[::-1].T, a.T - a[::-1].T)
    assert host_steps() == []


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_numbers_may_begin_at_the_imaginary_part_of_others(dtype):
    parts = RNG.integers(-9, 9, 1001).astype(np.dtype(dtype).char.lower())
    x, a = there(parts)[1:].view(dtype), parts[1:].view(dtype)
    la.evaluate(x)
    same(x * 2 + 1, a * 2 + 1)
    same(x[::-3].sum(), a[::-3].sum())
    same(x @ x, a @ a)
    same(x[np.arange(5, 9)], a[5:9])
    x[3:9] += 5
    a[3:9] += 5
    same(x, a)
    assert host_steps() == []


def test_elements_that_are_not_aligned_are_moved_by_the_host():
    data = np.arange(100, dtype="uint8")
    x, a = there(data), data.copy()
    same(x[1:33].view(float) * 2, a[1:33].view(float) * 2)
    same(np.sort(x[3:51].view("int32")), np.sort(a[3:51].view("int32")))
    y, b = x[5:45].view("int64"), a[5:45].view("int64")
    y[1:3] = 7
    b[1:3] = 7
    same(x, a)
    assert host_steps() == ["align"]


@pytest.mark.parametrize("axis", [None, 0, 1, 2, (0, 2), (1, 2), (0, 1)])
@pytest.mark.parametrize("name", ["sum", "max", "min", "prod", "any", "all"])
def test_folds_of_integers(name, axis):
    a = RNG.integers(-3, 4, (11, 12, 13))
    same(getattr(there(a), name)(axis=axis), getattr(a, name)(axis=axis))
    assert host_steps() == []


@pytest.mark.parametrize("shape", [(1_000_000,), (3, 200_000), (200_000, 3), (70, 80, 90)])
def test_folds_of_floats_are_as_accurate_as_numpys(shape):
    a = RNG.standard_normal(shape)
    for axis in (None, *range(len(shape))):
        exact = a.astype(np.longdouble).sum(axis=axis)
        error = np.abs(there(a).sum(axis=axis).numpy() - exact).max()
        assert error <= 4 * np.abs(a.sum(axis=axis) - exact).max() + 1e-12


def test_folds_do_not_depend_on_what_ran_before():
    a = RNG.standard_normal(300_000).astype("f")
    assert len({float(there(a).sum()) for _ in range(5)}) == 1


def test_writes_run_in_place():
    a = RNG.random((300, 200))
    x = there(a.copy())
    la.evaluate(x)
    copies = la.devices()[NUMBER].memory_stats()["copies"]
    peak = la.devices()[NUMBER].memory_stats()["live_bytes"]
    y = x[10:20, ::2]
    x += 1
    x[5] = 3
    y *= 2
    x[:, 3] -= x[:, 4]
    la.evaluate(x)
    assert la.devices()[NUMBER].memory_stats()["copies"] == copies
    assert la.devices()[NUMBER].memory_stats()["live_bytes"] <= peak
    a += 1
    a[5] = 3
    a[10:20, ::2] *= 2
    a[:, 3] -= a[:, 4]
    same(x, a)
    same(y, a[10:20, ::2])
    assert host_steps() == []


def test_a_write_that_reads_other_elements_of_its_array_sees_the_old_ones():
    a = np.arange(1000.0)
    x = there(a.copy())
    x[1:] += x[:-1]
    a[1:] += a[:-1].copy()
    same(x, a)
    x[::-1] = x * 2
    a[::-1] = a.copy() * 2
    same(x, a)


def test_one_kernel_may_fill_several_windows():
    a = np.arange(4.0).reshape(2, 1, 1, 2)
    x = there(a)
    y = np.fabs(-x) + 2
    same(np.hstack([y, y[::1], y]), np.hstack([a + 2] * 3))
    same(np.concatenate([y, y * 2, y], axis=3, dtype="f"), np.concatenate([a + 2, a * 2 + 4, a + 2], 3).astype("f"))


def test_a_number_of_the_device_is_written_to_dates():
    dates = la.zeros(3, "M8[s]")
    dates.view("int64")[...] = there(np.arange(3)).sum()
    assert dates.tolist() == np.full(3, 3, "M8[s]").tolist()


def test_values_that_were_read_before_a_write_stay():
    x = there(np.arange(10.0))
    y = x * 1.0
    before = x + 0
    x[2:4] = 7
    same(y, np.arange(10.0))
    same(before, np.arange(10.0))


def test_warnings_name_the_operation_and_its_line():
    x = there(np.array([1.0, 0.0, -1.0]))
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        y = 1 / x
        z = np.sqrt(x)
        la.evaluate(y, z)
    assert sorted((str(w.message), w.lineno - seen[0].lineno) for w in seen) == [
        ("divide by zero encountered in divide", 0), ("invalid value encountered in sqrt", 1)]
    assert all(w.filename == __file__ for w in seen)


def test_errstate_holds_where_an_operation_was_written():
    x = there(np.array([1.0, 0.0]))
    with np.errstate(all="raise"):
        y = 1 / x
    with np.errstate(all="ignore"):
        z = x / 0
    with pytest.raises(FloatingPointError, match="divide by zero encountered in divide"):
        y.numpy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(z.numpy(), [np.inf, np.nan])


def test_an_update_that_raises_leaves_its_array():
    x = there(np.array([1.0, 0.0]))
    la.evaluate(x)
    with np.errstate(all="raise"):
        y = x + 0
        y /= 0
        with pytest.raises(FloatingPointError):
            y.numpy()
    same(x, np.array([1.0, 0.0]))


def test_what_has_no_kernel_runs_on_the_host_and_is_reported():
    la.report().clear()
    a = RNG.random((20, 20))
    x = there(a)
    y = np.nanmedian(x + 1, axis=0) * 2
    same(y, np.nanmedian(a + 1, axis=0) * 2)
    row, = (row for row in la.report() if row.name == "nanmedian" and DEVICE in row.reason)
    assert (row.calls, row.reason) == (1, f"not on {DEVICE}")
    assert host_steps() == ["nanmedian"]
    la.report().clear()
    assert not host_steps()


def test_host_and_device_take_turns():
    a = RNG.random((30, 30)) + 4 * np.eye(30)
    x = there(a)
    y = np.linalg.inv(x * 2) @ x
    y[y < 1e-9] = 0
    y += np.cumsum(x, axis=1)
    wanted = np.linalg.inv(a * 2) @ a
    wanted[wanted < 1e-9] = 0
    wanted += np.cumsum(a, axis=1)
    assert y.device == DEVICE
    np.testing.assert_allclose(y.numpy(), wanted, rtol=1e-12)


def test_derivatives():
    a = RNG.random(50)
    got = la.grad(lambda x: (np.sqrt(x) * x).sum())(there(a))
    assert got.device == DEVICE
    np.testing.assert_allclose(got.numpy(), 1.5 * np.sqrt(a))


def test_loops_and_traced_functions():
    a = RNG.random(50)

    @la.jit
    def step(x):
        return x * 0.5 + 1

    x = there(a)
    for _ in range(3):
        x, a = step(x), a * 0.5 + 1
    np.testing.assert_array_equal(x.numpy(), a)


def test_kernels_are_made_once_for_all_shapes_and_numbers():
    def programs():
        return len(DRIVER._built)

    la.evaluate(there(np.arange(5.0)) * 3 + 1)
    before = programs()
    for n in (7, 100, 1000):
        for factor in (2.5, -1.0):
            same(there(np.arange(float(n)))[1:] * factor + n, np.arange(float(n))[1:] * factor + n)
    assert programs() == before


def test_new_arrays_are_made_where_config_says():
    with la.config.tuning({"path.device_bytes": 1}), la.config(device=DEVICE):
        x = np.ones_like(la.ones(4)) + la.arange(4)
        small = la.numpy.zeros(3)
        assert repr(la.config.device) == f"Device('{DEVICE}')"
    same(x, np.ones(4) + np.arange(4))
    assert small.device == DEVICE
    assert la.ones(3).device == "cpu"


def test_without_room_results_are_computed_on_the_host(monkeypatch):
    def full(self, nbytes):
        raise MemoryError(f"{self.name} has no room for {nbytes:,} bytes")

    a = RNG.random(1000)
    x = there(a)
    la.evaluate(x)
    with monkeypatch.context() as patched:
        patched.setattr(type(DRIVER), "allocate", full)
        y = (x + 1) * np.sort(x)
        z = np.concatenate([x, y])
        z[3:5] = 7
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            la.evaluate(y, z)
    assert all(w.category is RuntimeWarning for w in seen)
    assert str(seen[0].message).startswith(f"{DEVICE} has no room for ")
    wanted = (a + 1) * np.sort(a)
    np.testing.assert_array_equal(y.numpy(), wanted)
    same(y + x, wanted + a)
    wanted = np.concatenate([a, wanted])
    wanted[3:5] = 7
    np.testing.assert_array_equal(z.numpy(), wanted)
    assert y.device == z.device == (z * 1).device == "cpu"
    same(z + there(wanted), wanted * 2)


def test_an_update_without_room_keeps_old_values(monkeypatch):
    def full(self, nbytes):
        raise MemoryError("no room")

    x = there(np.arange(10.0))
    y = x * 1.0
    la.evaluate(x, y)
    with monkeypatch.context() as patched:
        patched.setattr(type(DRIVER), "allocate", full)
        x[2:5] += y[2:5] + np.sort(x)[2:5]
        with pytest.warns(RuntimeWarning, match="no room"):
            la.evaluate(x)
    wanted = np.arange(10.0)
    wanted[2:5] *= 3
    np.testing.assert_array_equal(x.numpy(), wanted)
    np.testing.assert_array_equal(y.numpy(), np.arange(10.0))


def test_a_kernel_that_does_not_compile_is_an_error_that_names_the_device(monkeypatch):
    from lazyarr.gpu.generator.tile_kernels import Kernel

    x = there(np.arange(12.0))
    monkeypatch.setattr(driver, "generate", lambda *form: Kernel("__kernel void broken() { nonsense; }", "broken", 0))
    y = np.hypot(x, 3) - x
    with pytest.raises(RuntimeError, match=rf"{DEVICE} \(.+\) cannot compile a kernel of lazyarr\. .*'cpu'"):
        y.numpy()
    monkeypatch.undo()
    np.testing.assert_array_equal(x.numpy(), np.arange(12.0))


def test_a_device_that_fails_is_an_error_that_names_it(monkeypatch):
    import pyopencl as cl

    def lost(*args, **kwargs):
        raise cl.LogicError("enqueue", -36, "the queue is gone")

    x = there(np.arange(12.0))
    la.evaluate(x)
    y = x + 1
    with monkeypatch.context() as patched:
        patched.setattr(cl, "enqueue_nd_range_kernel", lost)
        with pytest.raises(RuntimeError, match=f"{DEVICE} .* has failed"):
            y.numpy()
    same(y, np.arange(12.0) + 1)


@pytest.mark.parametrize("dtype", "ld")
def test_an_interrupt_after_a_launch_loses_no_update(monkeypatch, dtype):
    import pyopencl as cl

    launch = cl.enqueue_nd_range_kernel

    def interrupted(*args):
        launch(*args)
        raise KeyboardInterrupt

    x = there(np.arange(12).astype(dtype))
    la.evaluate(x)
    x += 1
    with monkeypatch.context() as patched:
        patched.setattr(cl, "enqueue_nd_range_kernel", interrupted)
        with pytest.raises(KeyboardInterrupt):
            la.evaluate(x)
    same(x, np.arange(1, 13).astype(dtype))


def test_calls_on_the_host_may_look_at_what_they_read():
    """It is copied to the host for that long."""
    a = np.arange(5.0)
    x = there(a) * 1
    la.evaluate(x)
    y = la.delay(lambda v: v + x.numpy(), x, shape=(5,), dtype="f8")
    same(y, 2 * a)
    same(x, a)
    x = there(a) * 1
    la.evaluate(x)

    def write(v):
        x[2] = 50
        return v + x.numpy()

    same(la.delay(write, x, shape=(5,), dtype="f8"), np.array([0, 2, 52.0, 6, 8]))
    same(x * 1, np.array([0, 1, 50.0, 3, 4]))


def test_a_signal_handler_may_launch_the_same_kernel(monkeypatch):
    import pyopencl as cl

    launch = cl.enqueue_nd_range_kernel
    x, y, z = there([0.0, 1.0]), there([7.0, 8.0]), there([1.0, 0.0])
    la.evaluate(x, y, z)
    seen = []

    def interrupted(*args):
        monkeypatch.setattr(cl, "enqueue_nd_range_kernel", launch)
        with np.errstate(divide="ignore"):
            seen.append((1 / (y - 7) * 2 + 1).numpy())
        return launch(*args)

    with np.errstate(divide="ignore"):
        la.evaluate(1 / (z - 7) * 2 + 1)
    monkeypatch.setattr(cl, "enqueue_nd_range_kernel", interrupted)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(1 / (z - 7) * 2 + 1, 1 / (np.array([1.0, 0.0]) - 7) * 2 + 1)
    np.testing.assert_array_equal(seen[0], [np.inf, 3])


def test_the_first_use_of_a_device_may_be_interrupted(monkeypatch):
    import pyopencl as cl

    from lazyarr.gpu.drivers import opencl

    driver = opencl.Driver("opencl:test", DRIVER._device)
    make = cl.Context

    def interrupted(devices):
        monkeypatch.setattr(cl, "Context", make)
        driver.allocate(100)
        return make(devices)

    monkeypatch.setattr(cl, "Context", interrupted)
    assert driver.allocate(100).buffer.context == driver._resources.context


@pytest.mark.parametrize("name", ["all", "any", "min", "max"])
def test_bools_may_have_any_bytes(name):
    b = np.array([2, 2, 4, 0, 8], "u1").view("?")
    for x in (b[:3], b, b[3:4], b[3:]):
        same(getattr(there(x), name)(), getattr(x, name)())


def test_products_of_floats_go_in_numpys_order():
    a = np.array([0] + [1e30] * 600, "f")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(there(a).prod(), a.prod())
    assert host_steps() == []


def test_least_integers():
    a, b = np.array([31, 62, -128, -128, 0], "i1"), np.array([-128, -128, -128, 3, -128], "i1")
    same(np.gcd(there(a), there(b)), np.gcd(a, b))
    same(np.lcm(there(a), there(b)), np.lcm(a, b))


def test_two_devices_in_one_operation():
    with pytest.raises(ValueError, match=r"cpu:1.*opencl:0|opencl:0.*cpu:1"):
        la.ones(3).to_device("cpu:1") + there(np.ones(3))
    same(la.ones(3).to_device("cpu:1").to_device(DEVICE) + 1, np.full(3, 2.0))


def test_unknown_devices_are_refused_with_those_that_there_are():
    with pytest.raises(ValueError, match=f"there is no device 'opencl:99'; there are 'cpu', 'cpu:1', .*'{DEVICE}'"):
        la.ones(3).to_device("opencl:99")


def test_kernels_are_freed_with_their_plans():
    from lazyarr._core.runtime import plan_cache

    la.evaluate(there(np.arange(5.0)) * 3 + 1 - 7)
    assert len(DRIVER._built) > 0
    plan_cache.clear()
    kept = DRIVER._of_text.cache_info().currsize + DRIVER._of_fold.cache_info().currsize
    assert len(DRIVER._built) <= kept


def test_kernels_of_calls_are_kept_that_were_used_last():
    compiled = []

    class Counting(driver.Driver):
        library_error = OSError

        def _compile(self, kernel):
            compiled.append(kernel.text.splitlines()[-1])
            return driver.Compiled(list)

    counting = Counting("test:0", "a device that compiles nothing", OPENCL)
    texts = [f"/* {k} */" for k in range(driver.MOST_KERNELS)]
    for text in [*texts, "/* used again */", *texts[1:], texts[0], texts[-1]]:
        counting.kernel_of_text(text, "k")
        assert len(counting._built) <= driver.MOST_KERNELS
    assert compiled == [*texts, "/* used again */", texts[0]]


def test_other_libraries_get_copies_on_the_host():
    x = there(np.arange(3.0)) + 1
    assert x.__dlpack_device__() == (1, 0)
    assert not hasattr(x, "__cuda_array_interface__")
    assert np.from_dlpack(x).tolist() == [1, 2, 3]
