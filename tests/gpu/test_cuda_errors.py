"""What fails on a CUDA device, what is missing where there is none, and how processes end."""

import ctypes
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import lazyarr as la
from lazyarr.gpu.drivers import cuda, libcuda, nvrtc
from support.cuda_device import CUDA, DEVICE, ENVIRONMENT, another_driver, failing, same, there, trivial


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


def test_errors_of_one_call_do_not_lose_the_device(monkeypatch):
    device = another_driver()
    with monkeypatch.context() as patched:
        patched.setattr(CUDA, "cuMemAllocAsync", failing(1, "cuMemAllocAsync"))
        with pytest.raises(RuntimeError, match="CUDA_ERROR_INVALID_VALUE"):
            device.allocate(8)
    assert device.allocate(8).nbytes == 8


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


def test_without_a_compiler_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr(nvrtc, "library", lambda newest: None)
    with pytest.raises(libcuda.Unavailable, match=r"NVRTC for CUDA 1\d or older is not installed: pip install '"):
        cuda.find()


def run(program, *options, **variables):
    command = [sys.executable, "-P", "-W", "ignore", *(options or ["-"])]
    return subprocess.run(command, input=textwrap.dedent(program), capture_output=True, text=True, timeout=120,
                          check=False, env={**os.environ, **ENVIRONMENT, **variables})


def test_without_a_driver_the_error_says_so():
    ended = run("import lazyarr as la; la.ones(3).to_device('cuda:0')", LAZYARR_CUDA="/none/libcuda.so.1")
    assert "there is no device 'cuda:0'" in ended.stderr
    assert "there are no CUDA devices: NVIDIA's driver is not installed: /none/libcuda.so.1" in ended.stderr


def test_without_a_driver_arrays_of_other_libraries_cannot_be_taken():
    ended = run("""
        import lazyarr as la

        class Array:
            def __dlpack_device__(self):
                return 2, 0

        la.from_dlpack(Array())
    """, LAZYARR_CUDA="/none/libcuda.so.1")
    assert "there is no device 'cuda:0'" in ended.stderr
    assert "there are no CUDA devices: NVIDIA's driver is not installed: /none/libcuda.so.1" in ended.stderr


def test_libraries_are_not_opened_before_a_device_is_asked_for():
    ended = run("""
        import sys
        import lazyarr as la
        print(la.ones(3).to_device("cpu:1") + 1, [name for name in sys.modules if name.startswith("lazyarr.gpu")])
    """)
    assert ended.stdout == "[2. 2. 2.] []\n"


def test_programs_end_with_arrays_on_the_device():
    ended = run("""
        import lazyarr as la
        x = la.arange(4.0).to_device("cuda:0")
        y = x + 1
        print(y)
    """)
    assert (ended.stdout, ended.stderr) == ("[1. 2. 3. 4.]\n", "")


def test_unchanged_programs_run_there(tmp_path):
    script = tmp_path / "program.py"
    script.write_text("import numpy as np\na = np.linspace(0, 1, 10_000)\na[3:5] = 7\n"
                      "print(np.sqrt(a)[:6], a.device)\n")
    ended = run("", "-m", "lazyarr", "--device", DEVICE, str(script))
    assert ended.stdout == run("", "-m", "lazyarr", str(script)).stdout.replace("cpu", DEVICE)
    assert DEVICE in ended.stdout


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_forked_children_cannot_use_the_device():
    ended = run("""
        import os
        import lazyarr as la
        x = la.arange(4.0).to_device("cuda:0")
        la.evaluate(x)
        child = os.fork()
        if child == 0:
            try:
                print((x + 1).numpy())
            except RuntimeError as error:
                print(error, flush=True)
            os._exit(0)
        os.waitpid(child, 0)
        print(x + 1)
    """)
    assert ended.stdout == "cuda:0 cannot be used in a forked child: start processes by 'spawn'\n[1. 2. 3. 4.]\n"
