"""Arrays on a CUDA device: values, transfers, order, memory, failures and missing features."""
import gc
import os
import threading
import warnings

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core.runtime import plan_cache
from lazyarr.gpu.drivers import cuda, cuda_memory, driver, libcuda, nvrtc
from lazyarr.gpu.drivers.libcuda import CudaError
from lazyarr.gpu.generator.tile_kernels import Kernel
from support.cuda_device import (
    CUDA,
    DEVICE,
    DRIVER,
    NUMBER,
    another_driver,
    failing,
    filled,
    release_memory,
    same,
    there,
    trivial,
)

RNG = np.random.default_rng(7)
PIECE = cuda._PIECE


@pytest.fixture
def no_host_steps():
    yield
    assert not DRIVER.host_steps


# ---- values --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", "?bBhHiIlLefdFD")
@pytest.mark.usefixtures("no_host_steps")
def test_arithmetic_has_numpys_bits(dtype):
    a, b = (RNG.integers(1, 50, 3000).astype(dtype) for _ in range(2))
    with np.errstate(all="ignore"):
        same(there(a) * there(b) + there(a), a * b + a)
        same(np.where(there(a) > there(b), there(a), 7), np.where(a > b, a, 7))


@pytest.mark.usefixtures("no_host_steps")
def test_division_roots_and_products_are_rounded_once():
    for dtype in "fd":
        a, b = (RNG.standard_normal(20_000).astype(dtype) for _ in range(2))
        same(np.sqrt(abs(there(a))) / there(b) - there(a) * there(b), np.sqrt(abs(a)) / b - a * b)


@pytest.mark.usefixtures("no_host_steps")
def test_views_are_read_and_written_where_they_lie():
    a = RNG.random((40, 30))
    x = there(a.copy())
    for key in (np.s_[::-1], np.s_[3:30:2, ::-3], np.s_[:, 4], np.s_[..., :1]):
        same(x[key] + x.T[:1, :1], a[key] + a.T[:1, :1])
        x[key] *= 2
        a[key] *= 2
    same(x, a)


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 2)])
@pytest.mark.usefixtures("no_host_steps")
def test_folds(axis):
    a = RNG.integers(-3, 4, (11, 300, 13))
    for name in ("sum", "max", "min", "any", "all"):
        same(getattr(there(a), name)(axis=axis), getattr(a, name)(axis=axis))
    b = RNG.standard_normal((11, 300, 13))
    np.testing.assert_allclose((there(b) * 2).sum(axis=axis).numpy(), (b * 2).sum(axis=axis), rtol=1e-10, atol=1e-12)


@pytest.mark.usefixtures("no_host_steps")
def test_updates_run_in_place():
    a = RNG.random((300, 200))
    x = there(a.copy())
    la.evaluate(x)
    live = la.devices()[NUMBER].memory_stats()["live_bytes"]
    for _ in range(3):
        x += 1
        x[10:20, ::2] *= 2
        x[:, 3] -= x[:, 4]
        la.evaluate(x)
        a += 1
        a[10:20, ::2] *= 2
        a[:, 3] -= a[:, 4]
    assert la.devices()[NUMBER].memory_stats()["live_bytes"] == live
    same(x, a)


def test_an_update_of_what_others_read_is_made_on_a_copy():
    a = np.arange(1000.0)
    x = there(a)
    la.evaluate(x)
    y = x * 1
    before = x + 0
    x[1:] += x[:-1]
    same(x, np.concatenate([[0], a[1:] + a[:-1]]))
    same(y, a)
    same(before, a)


def test_flags_are_reported_as_on_the_host():
    x = there(np.array([1.0, 0.0, -1.0]))
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        la.evaluate(1 / x, np.sqrt(x))
    assert sorted(str(warning.message) for warning in seen) == [
        "divide by zero encountered in divide", "invalid value encountered in sqrt"]
    with np.errstate(all="raise"):
        y = 1 / x
    with pytest.raises(FloatingPointError, match="divide by zero encountered in divide"):
        y.numpy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the words were cleared
        with np.errstate(all="raise"):
            same(1 / (x + 3), 1 / np.array([4.0, 3, 2]))
        with np.errstate(all="ignore"):
            same(1 / x, np.array([1, np.inf, -1]))


def test_what_has_no_kernel_runs_on_the_host():
    DRIVER.host_steps.clear()
    a = RNG.random((20, 20))
    same(np.nanmedian(there(a) + 1, axis=0) * 2, np.nanmedian(a + 1, axis=0) * 2)
    assert {name for name, _ in DRIVER.host_steps} == {"nanmedian"}


# ---- copies and order ----------------------------------------------------------------------------------


@pytest.mark.parametrize("nbytes", [0, 1, 1 << 16, (1 << 16) + 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 5])
def test_copies_of_all_sizes(nbytes):
    a = RNG.integers(0, 256, nbytes, np.uint8)
    x = there(a)
    same(x, a)
    same(x[::-1] + 1, a[::-1] + np.uint8(1))


def test_windows_are_copied_from_where_they_lie():
    a = np.arange(2 * PIECE // 8 + 10.0)
    x = there(a) * 2
    la.evaluate(x)
    same(x[7:-3], a[7:-3] * 2)
    same(x[PIECE // 8 :: 2], a[PIECE // 8 :: 2] * 2)


def test_kernels_wait_for_copies_and_copies_for_kernels():
    for size in (100, 20_000):
        x, total = there(np.zeros(size)), np.zeros(size)
        for k in range(30):
            with np.errstate(all="ignore"):  # nothing waits for a kernel
                x = x * 0.5 + there(np.full(size, float(k)))
                la.evaluate(x)
            total = total * 0.5 + k
        same(x, total)


def test_memory_is_reused_after_what_used_it():
    a = np.arange(50_000.0)
    for k in range(20):
        with np.errstate(all="ignore"):
            x = there(a + k)
            y = x * 2
            la.evaluate(y)
            del x
            z = there(-a)
            same(y, (a + k) * 2)
        same(z, -a)


def test_any_thread_may_use_the_device():
    a = RNG.random(10_000)
    wrong = []

    def work(number):
        try:
            for k in range(10):
                x = there(a * number)
                np.testing.assert_array_equal((x * k + 1).numpy(), a * number * k + 1)
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_reads_and_writes_of_many_threads_share_pinned_memory():
    device = another_driver()
    wrong = []

    def work(number):
        for k in range(5):
            a = np.full(PIECE // 4 + 3, number * 100 + k, np.int64)
            b = np.empty_like(a)
            block = device.allocate(a.nbytes)
            device.write(block, 0, a.ctypes.data, a.nbytes)
            device.read(block, 0, b.ctypes.data, b.nbytes)
            if not (a == b).all():
                wrong.append((number, k))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


# ---- memory --------------------------------------------------------------------------------------------


def test_without_room_results_are_computed_on_the_host(monkeypatch):
    a = RNG.random(200_000)
    x = there(a)
    la.evaluate(x)
    with monkeypatch.context() as patched:
        patched.setattr(CUDA, "cuMemAllocAsync", failing(libcuda.OUT_OF_MEMORY))
        y = x + 1
        with pytest.warns(RuntimeWarning, match=rf"{DEVICE} has no room for 1,600,000 bytes"):
            la.evaluate(y)
        with pytest.raises(MemoryError, match=f"{DEVICE} has no room"):
            there(a + 1).numpy()
    np.testing.assert_array_equal(y.numpy(), a + 1)
    same(x * 2, a * 2)


def test_free_memory_is_given_back_before_there_is_no_room(monkeypatch):
    calls = []
    allocate, trim = CUDA.cuMemAllocAsync, CUDA.cuMemPoolTrimTo

    def full_once(*args):
        calls.append("allocate")
        if calls == ["allocate"]:
            raise CudaError(libcuda.OUT_OF_MEMORY, "cuMemAllocAsync")
        return allocate(*args)

    release_memory()
    monkeypatch.setattr(CUDA, "cuMemAllocAsync", full_once)
    monkeypatch.setattr(CUDA, "cuMemPoolTrimTo", lambda *args: calls.append("trim") or trim(*args))
    assert DRIVER.allocate(100).nbytes == 100
    assert calls == ["allocate", "trim", "allocate"]


def test_size_classes_waste_a_quarter_at_most():
    sizes = [cuda_memory._size_class(n) for n in (1, 511, 512, 513, 4095, 4097, 5000, 1 << 20, (1 << 20) + 1)]
    assert sizes == [512, 512, 512, 1024, 4096, 5120, 5120, 1 << 20, 5 << 18]
    for n in RNG.integers(2048, 1 << 30, 1000).tolist():
        assert n <= cuda_memory._size_class(n) < 1.25 * n + 1


def test_devices_without_pools_keep_blocks_by_size(monkeypatch):
    device = another_driver()
    supported = device._attribute
    monkeypatch.setattr(device, "_attribute", lambda number: supported(number) * (
        number != libcuda.MEMORY_POOLS_SUPPORTED))
    freed, free, allocate = [], CUDA.cuMemFree_v2, CUDA.cuMemAlloc_v2
    monkeypatch.setattr(CUDA, "cuMemFree_v2", lambda address: freed.append(address) or free(address))

    def full_until_freed(*args):
        if address not in freed:
            raise CudaError(libcuda.OUT_OF_MEMORY, "cuMemAlloc_v2")
        return allocate(*args)

    block, other = device.allocate(1000), device.allocate(1000)
    address = block.address
    assert other.address != address
    del block
    assert device.allocate(900).address == address
    assert freed == []
    monkeypatch.setattr(CUDA, "cuMemAlloc_v2", full_until_freed)
    assert device.allocate(1 << 20).nbytes == 1 << 20
    assert address in freed


@pytest.mark.parametrize("has_pools", [True, False])
def test_reused_blocks_have_what_was_written_last(monkeypatch, has_pools):
    device = another_driver()
    monkeypatch.setattr(device, "_attribute", lambda number: DRIVER._attribute(number) * (
        has_pools or number != libcuda.MEMORY_POOLS_SUPPORTED))
    found = np.empty(5000, np.int64)
    for k in range(40):
        source = np.full(5000, k)
        block, copy = device.allocate(source.nbytes), device.allocate(source.nbytes)
        device.write(block, 0, source.ctypes.data, source.nbytes)
        device.copy(copy, block, source.nbytes)
        del block
        assert filled(device, trivial(), k) == k
        device.read(copy, 0, found.ctypes.data, found.nbytes)
        assert (found == k).all()


def test_kernels_without_room_for_their_flags_run_on_the_host(monkeypatch):
    a = np.array([3.0, 0.0])
    x = there(a)
    la.evaluate(x)
    allocate = CUDA.cuMemAllocAsync

    def full_of_words(address, nbytes, stream):
        if nbytes == 4096:
            raise CudaError(libcuda.OUT_OF_MEMORY, "cuMemAllocAsync")
        return allocate(address, nbytes, stream)

    monkeypatch.setattr(DRIVER, "clear_status", [])
    release_memory()
    monkeypatch.setattr(CUDA, "cuMemAllocAsync", full_of_words)
    y = 5 / x - 0.125
    with pytest.warns(RuntimeWarning) as seen:
        la.evaluate(y)
    assert sorted(str(warning.message) for warning in seen) == [
        f"{DEVICE} has no room for 4,096 bytes: what has no room there is computed on the host",
        "divide by zero encountered in divide"]
    monkeypatch.undo()
    same(y, np.array([5 / 3 - 0.125, np.inf]))


def test_freed_blocks_follow_the_copies_to_them(monkeypatch):
    device = another_driver()
    a = np.arange(3.0)
    waits, wait = [], CUDA.cuStreamWaitEvent
    block = device.allocate(a.nbytes)
    device.write(block, 0, a.ctypes.data, a.nbytes)
    written = block.written
    with monkeypatch.context() as patched:
        patched.setattr(CUDA, "cuStreamWaitEvent", lambda *args: waits.append(args[:2]) or wait(*args))
        del block
    assert waits == [(device._resources.compute, written)]


# ---- kernels -------------------------------------------------------------------------------------------


def test_kernels_are_compiled_once_for_all_shapes_and_numbers():
    la.evaluate(there(np.arange(5.0)) * 3 + 1)
    before = len(DRIVER._built)
    for n in (7, 100):
        same(there(np.arange(float(n)))[1:] * 2.5 + n, np.arange(float(n))[1:] * 2.5 + n)
    assert len(DRIVER._built) == before


def test_kernels_are_unloaded_when_their_plans_are_gone(monkeypatch):
    unloaded, unload = [], CUDA.cuModuleUnload
    monkeypatch.setattr(CUDA, "cuModuleUnload", lambda module: unloaded.append(module) or unload(module))
    la.evaluate(there(np.arange(5.0)) * 3 + 1 - 7)
    assert len(DRIVER._built) > 0
    unloaded.clear()  # those of other tests
    plan_cache.clear()
    gc.collect()
    dead = list(DRIVER._dead)
    assert dead
    assert unloaded == []  # kernels may be under way
    la.evaluate(there(np.arange(5.0)) * 4 - 2)
    assert sorted(unloaded) == sorted(module for destroy in dead for module in destroy.args)


def test_compiled_kernels_are_kept_on_disk(monkeypatch, tmp_path):
    monkeypatch.setenv("LAZYARR_KERNELS", str(tmp_path / "kernels"))
    compiled, compile_cubin = [], nvrtc.compile_cubin

    def counted(*args):
        compiled.append(args)
        return compile_cubin(*args)

    monkeypatch.setattr(nvrtc, "compile_cubin", counted)
    assert filled(another_driver(), trivial(), 5) == 5
    file, = (tmp_path / "kernels").iterdir()
    whole = file.read_bytes()
    assert filled(another_driver(), trivial(), 6) == 6
    assert len(compiled) == 1
    for damaged in (b"", whole[:-1], whole[:-1] + b"?"):
        file.write_bytes(damaged)
        assert filled(another_driver(), trivial(), 7) == 7
        assert file.read_bytes()[:32] == whole[:32] or len(compiled) > 1
    assert len(compiled) == 4
    assert [path.name for path in file.parent.iterdir()] == [file.name]
    assert filled(another_driver(), trivial("other"), 8) == 8
    assert len(list(file.parent.iterdir())) == 2


@pytest.mark.skipif(os.name != "posix", reason="needs permissions")
def test_kernels_that_others_can_write_are_compiled_anew(monkeypatch, tmp_path):
    monkeypatch.setenv("LAZYARR_KERNELS", str(tmp_path / "kernels"))
    assert filled(another_driver(), trivial(), 1) == 1
    file, = (tmp_path / "kernels").iterdir()
    file.chmod(0o666)
    assert filled(another_driver(), trivial(), 1) == 1
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_folder_that_cannot_be_written_to_is_no_error(monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("LAZYARR_KERNELS", str(tmp_path / "file" / "kernels"))
    assert filled(another_driver(), trivial(), 2) == 2


def test_devices_that_the_compiler_does_not_know_get_ptx(monkeypatch):
    device = another_driver()
    least = min(nvrtc.architectures(device._compiler))
    monkeypatch.setattr(nvrtc, "architectures", lambda compiler: [least, 999])
    made, compile_ptx = [], nvrtc.compile_ptx
    monkeypatch.setattr(nvrtc, "compile_ptx", lambda text, *args: made.append(args[0]) or compile_ptx(text, *args))
    monkeypatch.setattr(nvrtc, "compile_cubin", None)
    assert filled(device, trivial(), 9) == 9
    assert made == [f"compute_{least}"]


def test_devices_older_than_the_compiler_are_refused(monkeypatch):
    monkeypatch.setattr(nvrtc, "architectures", lambda compiler: [999])
    with pytest.raises(RuntimeError, match=r"cuda:test \(.*\) is too old for NVRTC \d+: pip install nvidia-cuda-nvrtc"):
        another_driver().allocate(8)


def test_a_kernel_that_does_not_compile_is_an_error_that_names_the_device(monkeypatch):
    x = there(np.arange(12.0))
    with monkeypatch.context() as patched:
        patched.setattr(driver, "generate", lambda *form: Kernel("nonsense;", "broken", 0))
        message = rf"{DEVICE} \(.+\) cannot compile a kernel of lazyarr\. .*'cpu'(.|\n)*nonsense"
        with pytest.raises(RuntimeError, match=message):
            (np.hypot(x, 3) - x).numpy()
    same(x, np.arange(12.0))
