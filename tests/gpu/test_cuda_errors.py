"""Failures on a CUDA device, and messages where there is none."""

import ctypes
import importlib
import subprocess

import numpy as np
import pytest

import lazyarr as la
from lazyarr.gpu.drivers import cuda, libcuda, nvrtc
from lazyarr.gpu.drivers.libcuda import CudaError
from support import cuda_mock
from support.cuda_device import CUDA, DEVICE, NUMBER, another_driver, failing, same, there, trivial


def test_an_error_names_the_device_and_says_what_to_do(monkeypatch):
    x = there(np.arange(12.0))
    la.evaluate(x)
    y = x + 1
    with monkeypatch.context() as patched:
        patched.setattr(CUDA, "cuLaunchKernel", failing(209, "cuLaunchKernel"))
        with pytest.raises(RuntimeError, match=rf"{DEVICE} \(.+\) has failed: CUDA_ERROR_NO_BINARY_FOR_GPU: .*"
                                               r"nvidia-cuda-nvrtc-cu12\), in cuLaunchKernel"):
            y.numpy()
    same(y, np.arange(12.0) + 1)


@pytest.mark.parametrize("code", [700, 719, 214])
def test_a_lost_device_fails_with_its_first_error_from_then_on(monkeypatch, code):
    device = another_driver()
    block, value = device.allocate(8), ctypes.c_int64()
    with monkeypatch.context() as patched:
        patched.setattr(CUDA, "cuStreamWaitEvent", failing(code, "cuStreamWaitEvent"))
        with pytest.raises(RuntimeError, match=r"cuda:test .* has failed: CUDA_ERROR_") as first:
            device.read(block, 0, ctypes.addressof(value), 8)
    for call in (lambda: device.read(block, 0, ctypes.addressof(value), 8), lambda: device.allocate(8),
                 lambda: device._build(trivial())):
        with pytest.raises(RuntimeError) as later:
            call()
        assert str(later.value) == str(first.value)
    block = None  # nor does it fail to free it


@pytest.mark.parametrize("call", [
    np.add, np.matmul, np.arctan2, lambda x, y: np.concatenate([x, y]), lambda x, y: np.where(x > 1, x, y),
    lambda x, y: x.__iadd__(y)])
def test_operands_on_two_devices_are_an_error_that_names_both(call):
    other = importlib.import_module("support.opencl_device")
    x, y = there(np.arange(4.0)), other.there(np.arange(4.0))
    message = rf"operands are on ({DEVICE} and {other.DEVICE}|{other.DEVICE} and {DEVICE}); move one"
    with pytest.raises(ValueError, match=message):
        call(x, y)
    x[1:] = y[1:]   # what is written is copied
    same(x + y.to_device(DEVICE), np.arange(4.0) * 2)


def test_errors_of_one_call_do_not_lose_the_device(monkeypatch):
    device = another_driver()
    with monkeypatch.context() as patched:
        patched.setattr(CUDA, "cuMemAllocAsync", failing(1, "cuMemAllocAsync"))
        with pytest.raises(RuntimeError, match="CUDA_ERROR_INVALID_VALUE"):
            device.allocate(8)
    assert device.allocate(8).nbytes == 8


@pytest.mark.parametrize("name", ["cuLaunchKernel", "cuModuleLoadDataEx"])
def test_values_leave_the_device_for_a_kernel(monkeypatch, name):
    a, function = np.arange(50_000.0), getattr(CUDA, name)
    x, kept = there(a), there(a) + 1
    la.evaluate(x, kept)

    def full(*arguments):
        if not has_left or la.devices()[NUMBER].memory_stats()["live_bytes"] >= 2 * a.nbytes:
            raise CudaError(libcuda.OUT_OF_MEMORY, name)
        return function(*arguments)

    monkeypatch.setattr(CUDA, name, full)
    for has_left in (True, False):
        y = x - (2.5 if has_left else x // 2.5)
        if has_left:
            la.evaluate(y)
        else:
            with pytest.warns(RuntimeWarning, match=f"{DEVICE} has no room for a kernel: .* computed on the host"):
                la.evaluate(y)
    monkeypatch.undo()
    same(y, a - a // 2.5)
    same(kept, a + 1)
    same(x, a)


@pytest.mark.parametrize("dtype", "ld")
def test_an_interrupt_after_a_launch_loses_no_update(monkeypatch, dtype):
    launch = CUDA.cuLaunchKernel

    def interrupted(*args):
        launch(*args)
        raise KeyboardInterrupt

    x = there(np.arange(12).astype(dtype))
    la.evaluate(x)
    x += 1
    with monkeypatch.context() as patched:
        patched.setattr(CUDA, "cuLaunchKernel", interrupted)
        with pytest.raises(KeyboardInterrupt):
            la.evaluate(x)
    same(x, np.arange(1, 13).astype(dtype))


def test_a_signal_handler_may_launch_the_same_kernel(monkeypatch):
    launch = CUDA.cuLaunchKernel
    x, y = there([0.0, 1.0]), there([7.0, 8.0])
    la.evaluate(x, y)
    seen = []

    def interrupted(*args):
        monkeypatch.setattr(CUDA, "cuLaunchKernel", launch)
        seen.append((y * 2 + 1).numpy())
        return launch(*args)

    monkeypatch.setattr(CUDA, "cuLaunchKernel", interrupted)
    same(x * 2 + 1, np.array([1.0, 3]))
    np.testing.assert_array_equal(seen[0], [15, 17])


def test_the_first_use_of_a_device_may_be_interrupted(monkeypatch):
    device = another_driver()
    retain = CUDA.cuDevicePrimaryCtxRetain

    def interrupted(*args):
        monkeypatch.setattr(CUDA, "cuDevicePrimaryCtxRetain", retain)
        blocks.append(device.allocate(100))
        return retain(*args)

    blocks = []
    monkeypatch.setattr(CUDA, "cuDevicePrimaryCtxRetain", interrupted)
    pool = device.allocate(100) and device._resources.pool
    assert len(blocks) == 1
    assert device._resources.pool is pool


@pytest.mark.parametrize(("code", "advice"), [(100, "nvidia-smi"), (803, "restart the system"), (34, "stub")])
def test_a_driver_that_cannot_be_used_is_no_device(monkeypatch, code, advice):
    monkeypatch.setattr(CUDA, "cuInit", failing(code, "cuInit"))
    with pytest.raises(libcuda.Unavailable, match=f"NVIDIA's driver cannot be used: .*{advice}"):
        cuda.find()


def test_an_old_driver_is_refused(monkeypatch):
    monkeypatch.setattr(libcuda, "LEAST_VERSION", 99020)
    with pytest.raises(libcuda.Unavailable, match=r"too old: it is for CUDA 1\d\.\d, and must be for CUDA 99.2"):
        cuda.find()


@pytest.fixture
def driver_of(monkeypatch, tmp_path):
    """Return a function that replaces the driver's library by one compiled from C++ text."""
    def find(text):
        place = tmp_path / "libcuda.so.1"
        if text:
            command = [cuda_mock.COMPILER, "-shared", "-fPIC", "-x", "c++", "-", "-o", place]
            subprocess.run(command, input=text, text=True, check=True)
        monkeypatch.setenv(libcuda.VARIABLE, str(place))
        return libcuda.library.__wrapped__()

    return find


@pytest.mark.skipif(cuda_mock.COMPILER is None, reason="needs a C++ compiler")
@pytest.mark.parametrize(("text", "message"), [
    ("", r"NVIDIA's driver is not installed: .*libcuda\.so\.1"),
    ('extern "C" int cuInit(unsigned) { return 0; }', "NVIDIA's driver is too old: it has no cu"),
], ids=["no driver", "a driver without functions"])
def test_a_driver_that_is_missing_or_lacks_functions_is_named(driver_of, text, message):
    with pytest.raises(libcuda.Unavailable, match=message):
        driver_of(text)


def test_without_a_compiler_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr(nvrtc, "library", lambda newest: None)
    with pytest.raises(libcuda.Unavailable, match=r"NVRTC for CUDA 1\d or older is not installed: pip install '"):
        cuda.find()
