"""Counts global memory accesses of call kernels, on the mock of CUDA's driver.

The kernel's text is instrumented to record each access through a pointer: its work-item, its iteration and its address.
A warp access consists of the accesses of 32 neighbours at the same place in the text and in the same iteration.
"""

import re
from collections import defaultdict
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from lazyarr._core.runtime.device_call import Operand
from lazyarr.gpu.generator.dialects import CUDA
from lazyarr.gpu.generator.helpers import needed
from lazyarr.gpu.generator.tile_kernels import Kernel
from support.cuda_machine import Machine

LINE, WARP, MOST = 128, 32, 1 << 18
_NOTED = f"""
static __device__ UNSEEN char *noted(unsigned long long *trace, unsigned site, const char *at)
{{
    const unsigned long long k = trace[0]++;
    if (k >= {MOST}) return (char *)at;
    trace[3 * k + 1] = site;
    trace[3 * k + 2] = (unsigned long long)blockIdx.x << 32 | threadIdx.x;
    trace[3 * k + 3] = (unsigned long long)at;
    return (char *)at;
}}
"""


class Traffic(NamedTuple):
    """Reads or writes of a kernel: their number and bytes, and the 128-byte lines that warps access for them."""

    count: int
    nbytes: int
    lines: int


def _changed(text):
    """Return an instrumented text, and for each access whether it writes, and its type."""
    sites = []
    out, rest = "", text
    while match := re.search(r"\*\(GLOBAL (?:const )?(\w+) \*\)", rest):
        end = match.end()
        depth = 0
        for stop in range(end, len(rest)):
            depth += {"(": 1, ")": -1}.get(rest[stop], 0)
            if depth < 0 or (depth == 0 and rest[stop] in ");"):
                break
        stop += rest[stop] == ")" and depth == 0
        is_write = re.match(r" = ", rest[stop:]) is not None
        out += f"{rest[:end]}noted(trace, {len(sites)}, {rest[end:stop]})"
        sites.append((is_write, match[1]))
        rest = rest[stop:]
    whole = re.sub(r"(KERNEL \w+\([^)]*)\)", r"\1, GLOBAL u64 *trace)", out + rest)
    helpers = needed(whole)
    return "\n".join([CUDA.spellings(helpers + whole), _NOTED, helpers, whole]), sites


_BYTES = {"bool8": 1, "i8": 1, "u8": 1, "i16": 2, "u16": 2, "f16": 2, "i32": 4, "u32": 4, "f32": 4, "c128": 16}


def _count(trace, sites):
    """Return the reads and writes of a trace."""
    site, worker, address = trace.T
    found = []
    for is_write in (False, True):
        of_kind = np.isin(site, [k for k, (writes, _) in enumerate(sites) if writes == is_write])
        seen = defaultdict(int)
        lines = set()
        nbytes = 0
        for s, w, at in zip(site[of_kind].tolist(), worker[of_kind].tolist(), address[of_kind].tolist(), strict=True):
            seen[s, w] += 1
            lines.add((s, w // WARP, seen[s, w], at // LINE))
            nbytes += _BYTES.get(sites[s][1], 8)
        found.append(Traffic(int(of_kind.sum()), nbytes, len(lines)))
    return tuple(found)


class _Driver:
    """Compiles and caches the texts of calls, like a driver."""

    def __init__(self):
        self.machine, self.sites = Machine(), {}

    def workspace(self, nbytes):
        return self.machine.buffer(np.zeros(nbytes, np.uint8))

    def kernel_of_text(self, text, name, nstatus=0, parameter_bytes=0):
        changed, sites = _changed(text)
        kernel = Kernel(changed, name, 0)
        self.sites[kernel] = sites
        return kernel


def traffic(run, name, function, operand, result):
    """Run a call; return the reads and writes of each of its launches, by kernel name.

    Parameters
    ----------
    run : callable
        The `run` function of the call's row.
    name : str
        Name of the call.
    function : object
        Host function of the call.
    operand, result : ndarray
        C or Fortran-contiguous; the result is filled.
    """
    driver, launches = _Driver(), []
    machine = driver.machine

    def launch(driver, kernel, groups, threads, numbers, blocks, changes=False):
        trace = np.zeros(1 + 3 * MOST, np.uint64)
        buffer = machine.buffer(trace)
        arguments = [np.array(numbers, np.int64).tobytes(), *blocks, buffer]
        machine.launch(machine.built(kernel), arguments, groups, threads)
        machine.fetch(trace, buffer)
        count = int(trace[0])
        assert count < MOST
        launches.append((kernel.name, *_count(trace[1 : 1 + 3 * count].reshape(-1, 3), driver.sites[kernel])))

    def placed(array):
        memory = array.ravel("K")
        block = machine.buffer(memory.view(np.uint8))
        return Operand(block, 0, array.shape, array.strides, array.dtype), memory

    (x, _), (out, memory) = placed(operand), placed(result)
    call = SimpleNamespace(name=name, function=function, operands=[x], result=out, reported_flags=0, launch=launch)
    run(driver, call)
    machine.fetch(memory.view(np.uint8), out.block)
    result[...] = memory.reshape(result.shape, order="C" if result.flags.c_contiguous else "F")
    return launches
