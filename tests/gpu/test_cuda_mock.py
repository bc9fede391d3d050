"""The CUDA driver mock behaves like the driver (order, errors, limits) and detects mistakes that a device would not."""

import ctypes
import signal
import subprocess
import sys
import textwrap
from ctypes import byref

import numpy as np
import pytest

from lazyarr.gpu.drivers import nvrtc
from lazyarr.gpu.drivers.libcuda import ADDRESS, HANDLE
from support import cuda_mock

pytestmark = pytest.mark.skipif(cuda_mock.COMPILER is None, reason="needs a C++ compiler")

OUT_OF_MEMORY, INVALID_CONTEXT, NO_BINARY, LOST, INVALID_HANDLE = 2, 201, 209, 214, 400
INVALID_VALUE, NOT_FOUND, NOT_READY, ILLEGAL_ADDRESS, LAUNCH_FAILED = 1, 500, 600, 700, 719

TEXT = """
struct numbers { long long v[3]; };

extern "C" __global__ void add_to(const struct numbers n, char *at)
{
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n.v[0]) ((int *)at)[i] += (int)n.v[1];
}

extern "C" __global__ void reverse(const struct numbers n, char *at)
{
    __shared__ int block[64];
    int *const x = (int *)at + blockIdx.x * blockDim.x;
    block[threadIdx.x] = x[threadIdx.x];
    if (n.v[0]) __syncthreads();
    x[threadIdx.x] = block[blockDim.x - 1 - threadIdx.x];
}

extern "C" __global__ void half_waits(const struct numbers n, char *at)
{
    if (threadIdx.x % 2) __syncthreads();
}
"""


@pytest.fixture
def cuda():
    """The library with a current context; its state is restored afterwards."""
    library, context = cuda_mock.libcuda(), HANDLE()
    library.cuInit(0)
    library.mock_reset()
    library.cuDevicePrimaryCtxRetain(byref(context), 0)
    library.cuCtxPushCurrent_v2(context)
    yield library
    library.cuCtxPopCurrent_v2(None)
    library.mock_reset()


@pytest.fixture
def stream(cuda):
    handle = HANDLE()
    cuda.cuStreamCreate(byref(handle), 1)
    return handle


def fails(result):
    return pytest.raises(cuda_mock.CudaFailure, match=rf"^{result}$")


def module_of(cuda, text=TEXT, architecture="sm_90"):
    handle = HANDLE()
    compile_text = nvrtc.compile_cubin if architecture.startswith("sm") else nvrtc.compile_ptx
    image = compile_text(text, architecture, cuda_mock.libnvrtc())
    cuda.cuModuleLoadDataEx(byref(handle), image, 0, None, None)
    return handle


def function_of(cuda, name, **options):
    handle = HANDLE()
    cuda.cuModuleGetFunction(byref(handle), module_of(cuda, **options), name.encode())
    return handle


def launch(cuda, function, numbers, address, stream, groups=1, threads=64):
    arguments = (ctypes.c_int64 * 3)(*numbers), ADDRESS(getattr(address, "value", address))
    places = (ctypes.c_void_p * 2)(*map(ctypes.addressof, arguments))
    cuda.cuLaunchKernel(function, groups, 1, 1, threads, 1, 1, 0, stream, places, None)


def on_device(cuda, array, stream):
    address = ADDRESS()
    cuda.cuMemAllocAsync(byref(address), array.nbytes, stream)
    cuda.cuMemcpyHtoDAsync_v2(address, array.ctypes.data, array.nbytes, stream)
    return address


def fetch(cuda, array, address, stream):
    cuda.cuMemcpyDtoHAsync_v2(array.ctypes.data, address, array.nbytes, stream)
    return array


def test_a_stream_runs_in_order(cuda, stream):
    x = np.zeros(1000, np.int32)
    address, add = on_device(cuda, x, stream), function_of(cuda, "add_to")
    for number in range(20):
        launch(cuda, add, (1000, number, 0), address, stream, groups=16)
    assert (fetch(cuda, x, address, stream) == sum(range(20))).all()
    cuda.cuMemFreeAsync(address, stream)
    cuda.cuStreamSynchronize(stream)
    assert (cuda.mock_count(b"kernel"), cuda.mock_count(b"copy")) == (20, 2)


def test_streams_wait_for_events(cuda, stream):
    other, event, add = HANDLE(), HANDLE(), function_of(cuda, "add_to")
    cuda.cuStreamCreate(byref(other), 1)
    cuda.cuEventCreate(byref(event), 2)
    cuda.cuEventQuery(event)  # never recorded: nothing to wait for
    x = np.zeros(64, np.int32)
    address = on_device(cuda, x, stream)
    for _ in range(50):
        launch(cuda, add, (64, 1, 0), address, stream)
    cuda.cuEventRecord(event, stream)
    cuda.cuStreamWaitEvent(other, event, 0)
    assert (fetch(cuda, x, address, other) == 50).all()
    cuda.cuEventSynchronize(event)
    cuda.cuEventQuery(event)


def test_streams_do_not_wait_for_each_other(cuda, stream):
    event = HANDLE()
    cuda.cuEventCreate(byref(event), 2)
    cuda.mock_hold(stream, True)
    cuda.cuEventRecord(event, stream)
    with fails(NOT_READY):
        cuda.cuEventQuery(event)
    other = HANDLE()
    cuda.cuStreamCreate(byref(other), 1)
    cuda.cuStreamSynchronize(other)
    cuda.mock_hold(stream, False)
    cuda.cuEventSynchronize(event)


def test_blocks_wait_at_barriers(cuda, stream):
    x = np.arange(256, dtype=np.int32)
    address, reverse = on_device(cuda, x, stream), function_of(cuda, "reverse")
    for _ in range(3):
        launch(cuda, reverse, (1, 0, 0), address, stream, groups=4)
    assert (fetch(cuda, x, address, stream) == np.arange(256).reshape(4, 64)[:, ::-1].ravel()).all()


def test_a_missing_barrier_shows(cuda, stream, monkeypatch):
    monkeypatch.setenv("LAZYARR_MOCK_RACES", "0")
    x = np.arange(64, dtype=np.int32)
    address, reverse = on_device(cuda, x, stream), function_of(cuda, "reverse")
    launch(cuda, reverse, (0, 0, 0), address, stream)
    assert (fetch(cuda, x, address, stream) != np.arange(64)[::-1]).any()


def test_a_barrier_that_some_threads_miss_is_a_failure(cuda, stream):
    address = on_device(cuda, np.zeros(64, np.int32), stream)
    launch(cuda, function_of(cuda, "half_waits"), (0, 0, 0), address, stream)
    with fails(LAUNCH_FAILED):
        cuda.cuStreamSynchronize(stream)
    with fails(LAUNCH_FAILED):  # for good
        cuda.cuMemAlloc_v2(byref(ADDRESS()), 8)


def test_kernels_get_only_memory_that_is_theirs(cuda, stream):
    add, x = function_of(cuda, "add_to"), np.zeros(64, np.int32)
    address = on_device(cuda, x, stream)
    cuda.cuMemFreeAsync(address, stream)
    for wrong in (address.value, x.ctypes.data):
        launch(cuda, add, (64, 1, 0), wrong, stream)
        with fails(ILLEGAL_ADDRESS):
            cuda.cuStreamSynchronize(stream)
        cuda.mock_reset()


def test_memory_is_there_when_its_stream_has_come_to_its_allocation(cuda, stream):
    other, address, add = HANDLE(), ADDRESS(), function_of(cuda, "add_to")
    cuda.cuStreamCreate(byref(other), 1)
    cuda.mock_hold(stream, True)
    cuda.cuMemAllocAsync(byref(address), 256, stream)
    launch(cuda, add, (64, 1, 0), address, other)
    with fails(ILLEGAL_ADDRESS):
        cuda.cuStreamSynchronize(other)
    cuda.mock_hold(stream, False)


def in_child(program):
    """Run a program in a child process, with the library as `cuda`."""
    head = f"import ctypes, os\ncuda = ctypes.CDLL({str(cuda_mock.build() / 'libcuda.so')!r})\n"
    return subprocess.run([sys.executable, "-c", head + textwrap.dedent(program)], capture_output=True, text=True)


def test_the_host_cannot_touch_memory_of_the_device():
    found = in_child("""
        context, address = ctypes.c_void_p(), ctypes.c_uint64()
        cuda.cuInit(0), cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0), cuda.cuCtxPushCurrent_v2(context)
        assert cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(64)) == 0
        print("allocated", flush=True)
        ctypes.string_at(address.value, 1)
    """)
    assert found.stdout == "allocated\n"
    assert found.returncode == -signal.SIGSEGV


def test_memory_has_a_limit(cuda, stream):
    before = cuda.mock_count(b"allocations"), cuda.mock_count(b"bytes")
    cuda.mock_set_memory(before[1] + 1000)
    address, other = ADDRESS(), ADDRESS()
    cuda.cuMemAlloc_v2(byref(address), 600)
    for allocate in (cuda.cuMemAlloc_v2, lambda *given: cuda.cuMemAllocAsync(*given, stream)):
        with fails(OUT_OF_MEMORY):
            allocate(byref(other), 600)
    cuda.cuMemFreeAsync(address, stream)
    cuda.cuMemAllocAsync(byref(other), 1000, stream)
    with fails(INVALID_VALUE):  # freed before
        cuda.cuMemFreeAsync(address, stream)
    cuda.cuMemFree_v2(other)
    assert (cuda.mock_count(b"allocations"), cuda.mock_count(b"bytes")) == before


def test_copies_of_pinned_memory_read_it_later(cuda, stream):
    address, place = ADDRESS(), ctypes.c_void_p()
    cuda.cuMemHostAlloc(byref(place), 4096, 1)
    piece = np.ctypeslib.as_array((ctypes.c_int32 * 64).from_address(place.value))
    cuda.cuMemAllocAsync(byref(address), 256, stream)
    for source, expected in ((piece, 2), (np.zeros(64, np.int32), 1)):
        source[:] = 1
        cuda.mock_hold(stream, True)
        cuda.cuMemcpyHtoDAsync_v2(address, source.ctypes.data, 256, stream)
        source[:] = 2
        cuda.mock_hold(stream, False)
        assert (fetch(cuda, np.zeros(64, np.int32), address, stream) == expected).all()


def test_calls_need_a_context_and_handles(cuda, stream):
    with fails(INVALID_HANDLE):
        cuda.cuEventRecord(HANDLE(1), stream)
    with fails(INVALID_HANDLE):
        cuda.cuStreamSynchronize(HANDLE(3))
    with fails(NOT_FOUND):
        function_of(cuda, "unknown")
    with fails(INVALID_VALUE):
        launch(cuda, function_of(cuda, "add_to"), (0, 0, 0), 0, stream, threads=2000)
    context = HANDLE()
    cuda.cuCtxPopCurrent_v2(byref(context))
    with fails(INVALID_CONTEXT):
        cuda.cuMemAlloc_v2(byref(ADDRESS()), 8)
    cuda.cuCtxPushCurrent_v2(context)


def test_failures_can_be_asked_for(cuda, stream):
    address = ADDRESS()
    cuda.mock_fail(b"cuMemAlloc_v2", 1, OUT_OF_MEMORY)
    cuda.cuMemAlloc_v2(byref(address), 8)
    with fails(OUT_OF_MEMORY):
        cuda.cuMemAlloc_v2(byref(ADDRESS()), 8)
    cuda.cuMemFree_v2(address)
    cuda.mock_fail(b"copy", 0, LAUNCH_FAILED)
    with fails(LAUNCH_FAILED):
        fetch(cuda, np.zeros(8, np.int8), on_device(cuda, np.zeros(8, np.int8), stream), stream)
    cuda.mock_reset()
    cuda.mock_lose_device()
    for call in (cuda.cuStreamSynchronize, cuda.cuStreamSynchronize):
        with fails(LOST):
            call(stream)


def test_kernels_are_for_architectures(cuda, stream):
    cuda.mock_set_capability(100)
    with fails(NO_BINARY):
        module_of(cuda, architecture="sm_90")
    module_of(cuda, architecture="compute_90")
    cuda.mock_set_capability(80)
    with fails(NO_BINARY):
        module_of(cuda, architecture="compute_90")
    x = np.zeros(64, np.int32)
    address = on_device(cuda, x, stream)
    launch(cuda, function_of(cuda, "add_to", architecture="compute_80"), (64, 3, 0), address, stream)
    assert (fetch(cuda, x, address, stream) == 3).all()


def test_mistakes_and_options_of_texts_are_reported():
    compiler = cuda_mock.libnvrtc()
    with pytest.raises(nvrtc.CompileError, match=r"kernel\.cu:2.*mistake"):
        nvrtc.compile_cubin("\nmistake;", "sm_90", compiler)
    with pytest.raises(RuntimeError, match="INVALID_OPTION"):
        nvrtc.compile_cubin("", "sm_91", compiler)


def test_modules_are_unloaded(cuda):
    before = cuda.mock_count(b"modules")
    module = module_of(cuda)
    assert cuda.mock_count(b"modules") == before + 1
    cuda.cuModuleUnload(module)
    assert cuda.mock_count(b"modules") == before
    with fails(INVALID_HANDLE):
        cuda.cuModuleUnload(module)


def test_a_forked_child_cannot_use_the_library():
    found = in_child("""
        number = ctypes.c_int()
        assert cuda.cuDeviceGetCount(ctypes.byref(number)) == 3
        cuda.cuInit(0)
        assert cuda.cuDeviceGetCount(ctypes.byref(number)) == 0 and number.value == 1
        child = os.fork()
        if not child:
            os._exit(cuda.cuDeviceGetCount(ctypes.byref(number)))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """)
    assert (found.stdout, found.stderr) == ("3\n", "")
