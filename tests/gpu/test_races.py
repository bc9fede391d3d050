"""The CUDA driver mock detects data races between threads."""

import ctypes
import re

import numpy as np
import pytest

from lazyarr.gpu.drivers import nvrtc
from lazyarr.gpu.drivers.libcuda import HANDLE
from support import cuda_mock
from support.cuda_machine import Machine

LAUNCH_FAILED = 719
THREADS = 8

HEAD = """
struct numbers { long long v[1]; };
typedef struct { double x, y; } pair;

extern "C" __global__ void planted(const struct numbers n, char *at)
{
    __shared__ int tile[64];
    __shared__ unsigned count;
    const unsigned i = threadIdx.x, last = blockDim.x - 1;
    int *const x = (int *)at;
    unsigned *const u = (unsigned *)at;
"""


@pytest.fixture
def machine(monkeypatch):
    """A device whose kernels report accesses."""
    monkeypatch.setenv("LAZYARR_MOCK_RACES", "1")
    return Machine()


def launch(machine, body, groups=1):
    """Run a kernel on zeros; return the races found."""
    module, function = HANDLE(), HANDLE()
    image = nvrtc.compile_cubin(HEAD + body + "\n}\n", "sm_90", cuda_mock.libnvrtc())
    machine.call("cuModuleLoadDataEx", ctypes.byref(module), image, 0, None, None)
    machine.call("cuModuleGetFunction", ctypes.byref(function), module, b"planted")
    memory = machine.buffer(np.zeros(1024, np.uint8))
    machine.launch(function, [bytes(8), memory], groups, THREADS)
    failure = None
    try:
        machine.call("cuStreamSynchronize", None)
    except cuda_mock.CudaFailure as error:
        (failure,) = error.args
        machine.cuda.mock_reset()
    race = machine.cuda.mock_race().decode()
    assert failure == (LAUNCH_FAILED if race else None)
    return race


RACES = {
    "reads before the barrier": "tile[i] = 1; x[i] = tile[last - i];",
    "writes after reads": "tile[i] = 1; __syncthreads(); x[i] = tile[last - i]; tile[i] = 2;",
    "writes in the next round": """
        for (int k = 0; k < 2; k++) {
            tile[i] = k;
            __syncthreads();
            x[i] += tile[last - i];
        }""",
    "two writes": "tile[0] = i; __syncthreads(); x[i] = tile[0];",
    "two writes of one value": "tile[0] = 1; __syncthreads(); x[i] = tile[0];",
    "parts of an element": "if (i == 0) *(double *)tile = 1; if (i == 1) x[0] = *((char *)tile + 7); __syncthreads();",
    "a pair": "if (i == 0) *(pair *)tile = pair{1, 2}; if (i == 1) x[0] = tile[3]; __syncthreads();",
    "a read beside atomic operations": "atomicAdd(&count, 1); x[i] = count; __syncthreads();",
    "a write beside atomic operations": "if (i == 1) count = 0; atomicAdd(&count, 1); __syncthreads();",
    "two writes to global memory": "x[0] = i;",
    "reads of global memory": "x[i] = x[last - i];",
    "global memory written before a barrier": "x[i] = 1; __syncthreads(); x[i + 8] = x[last - i];",
    "global memory of other blocks": "tile[i] = x[i]; __syncthreads(); x[last - i] = tile[i];",
    "global memory across blocks": "if (i == 0) x[0] = blockIdx.x;",
}


@pytest.mark.parametrize("name", RACES)
def test_races_are_found(machine, name):
    body = RACES[name]
    memory = "global" if "global" in name else "shared"
    assert re.match(rf"a race in planted: .* byte \d+ of {memory} memory,", launch(machine, body, groups=2))


ORDERED = {
    "barriers": "tile[i] = 1; __syncthreads(); x[i + 8 * blockIdx.x] = tile[last - i]; __syncthreads(); tile[i] = 2;",
    "rounds": """
        int sum = 0;
        for (int k = 0; k < 2; k++) {
            tile[i] = k;
            __syncthreads();
            sum += tile[last - i];
            __syncthreads();
        }
        x[i + 8 * blockIdx.x] = sum;""",
    "threads of their own elements": "tile[i] = 1; tile[i] += 2; x[i + 8 * blockIdx.x] = tile[i]; __syncthreads();",
    "one that all read": "if (i == 0) tile[0] = 1; __syncthreads(); x[i + 8 * blockIdx.x] = tile[0];",
    "neighbouring bytes": "at[i + 8 * blockIdx.x] = 1;",
    "atomic operations": "atomicAdd(u, 1); atomicOr(u + 1, 1u << i); atomicMax(u + 2, i);",
    "reads of global memory before a barrier": """
        int *const own = x + 8 * blockIdx.x;
        tile[i] = own[i] + own[last];
        __syncthreads();
        own[last - i] = tile[i];""",
    "blocks that read the same": "x[i + 8 * blockIdx.x + 16] = x[0];",
    "no memory of its own": "int mine[4] = {0, 1, 2, 3}; x[i + 8 * blockIdx.x] = mine[(i + x[64]) % 4];",
}


@pytest.mark.parametrize("body", ORDERED.values(), ids=ORDERED)
def test_what_is_in_order_is_no_race(machine, body):
    for _ in range(3):      # the next launch comes after the one before
        assert launch(machine, body, groups=2) == ""


def test_reports_name_the_kernel_the_threads_and_the_line(machine, capfd):
    found = launch(machine, "\n    x[3] = 5;\n    // not this line")
    assert found in capfd.readouterr().err
    assert found == ("a race in planted: thread 1 of block 0 writes byte 12 of global memory, "
                     "which thread 0 of block 0 has written; x[3] = 5;")


def test_kernels_report_nothing_unless_they_are_to(machine, monkeypatch):
    monkeypatch.delenv("LAZYARR_MOCK_RACES")
    assert launch(machine, RACES["two writes"]) == ""
