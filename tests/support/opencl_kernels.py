"""Runs kernels of `lazyarr.gpu`: OpenCL through pyopencl, CUDA through the mock of its driver."""

import functools

import numpy as np
import pytest

from lazyarr._core.ir.inner_loops import loop_number
from lazyarr._core.ir.own_ufuncs import OWN
from lazyarr._core.ir.tile_program import Instruction, TileProgram
from lazyarr.gpu.generator.dialects import OPENCL
from lazyarr.gpu.generator.folds import part_char
from lazyarr.gpu.generator.tile_kernels import Form, generate, generate_combine

MODULES = {"opencl": "support.opencl_machine", "cuda": "support.cuda_machine"}


@functools.cache
def _machine(name):
    """Return the machine that runs kernels of a dialect; skip the test if there is none."""
    return pytest.importorskip(MODULES[name]).Machine()


@functools.lru_cache(64)  # a compiled kernel takes megabytes
def built(kernel, dialect=OPENCL):
    """Compile a kernel."""
    return _machine(dialect.name).built(kernel)


def build_together(kernels, dialect):
    """Compile kernels for later use, together where that is faster."""
    _machine(dialect.name).build_together(kernels)


class Memory:
    """Device memory of arrays; views of one array share it.

    Parameters
    ----------
    machine : Machine
    arrays : sequence of ndarray
    """

    def __init__(self, machine, arrays):
        self.machine, self.owners = machine, {}
        for array in arrays:
            owner = _owner(array)
            if id(owner) not in self.owners:
                content = np.frombuffer(owner.tobytes() or b"\0", np.uint8)
                self.owners[id(owner)] = owner, machine.buffer(content)

    def buffer(self, array):
        return self.owners[id(_owner(array))][1]

    def fetch(self):
        """Copy all memory back into the arrays."""
        for owner, buffer in self.owners.values():
            if owner.nbytes:
                self.machine.fetch(owner.reshape(-1).view(np.uint8), buffer)


def _owner(array):
    while array.base is not None:
        array = array.base
    return array


def _place(array):
    """Return the offset of the first element in bytes."""
    return array.__array_interface__["data"][0] - _owner(array).__array_interface__["data"][0]


def _launch(dialect, kernel, words, buffers, groups, items):
    """Launch a kernel; return its status words."""
    machine = _machine(dialect.name)
    status = np.zeros(max(kernel.nstatus, 1), np.uint32)
    arguments = [np.array(words, np.int64).tobytes(), *buffers]
    if kernel.nstatus:
        arguments.append(machine.buffer(status))
    machine.launch(built(kernel, dialect), arguments, groups, items)
    if kernel.nstatus:
        machine.fetch(status, arguments[-1])
    return status


def run(program, loads, stores, results=(), kept=None, chunks=1, groups=3, items=8, constants=(), reported_flags=0,
        dialect=OPENCL, exact=True):  # fmt: skip
    """Run a program on arrays; return the status flags of its instructions and folds.

    Parameters
    ----------
    program : TileProgram
    loads, stores : sequence of ndarray
        All of the iteration shape: kept axes, then folded ones.
    results : sequence of ndarray
        Results of the folds.
    kept : int, optional
        Number of kept axes; all by default.
    chunks, groups, items : int
        Chunks per result, groups launched, and work-items per group.
    constants : sequence of int
        Indices of loads passed by value, as their first element.
    reported_flags : int
        Flags to detect.
    dialect : Dialect
    exact : bool
        Whether results must match NumPy bit for bit.
    """
    shape = (*loads, *stores)[0].shape
    kept = len(shape) if kept is None else kept
    number = len(program.instructions) + len(program.folds)
    form = Form(kept, len(shape) - kept, tuple(constants), (reported_flags,) * number,
                tuple(array.dtype.char for array in (*loads, *stores)), exact)  # fmt: skip
    kernel = generate(program, form, dialect)
    pointers = [array for k, array in enumerate(loads) if k not in constants] + list(stores)
    machine = _machine(dialect.name)
    memory = Memory(machine, [*pointers, *results])
    count = int(np.prod(shape[:kept]))
    words = [count, int(np.prod(shape[kept:])), chunks, *shape]
    for array in pointers:
        words += [_place(array), *array.strides]
    buffers = [memory.buffer(array) for array in pointers]
    parts = [np.dtype(part_char(fold.op, array.dtype.char)) for fold, array in zip(program.folds, results, strict=True)]
    partials = [machine.buffer(np.zeros(count * chunks, part)) for part in parts]
    for array, partial in zip(results, partials, strict=True):
        words += [_place(array), *array.strides] if chunks == 1 else [0] * (1 + kept)
        buffers.append(memory.buffer(array) if chunks == 1 else partial)
    for k in constants:
        value = loads[k].ravel()[:1].tobytes()
        words += np.frombuffer(value.ljust(16, b"\0"), np.int64).tolist()
    status = _launch(dialect, kernel, words, buffers, groups, items)
    if chunks > 1:
        for fold, array, part, partial in zip(program.folds, results, parts, partials, strict=True):
            combine = generate_combine(fold.op, fold.dtypes, dialect, kept)
            dense = np.empty((*shape[:kept], chunks), part).strides
            words = [count, chunks, 1, *shape[:kept], chunks, 0, *dense, _place(array), *array.strides]
            _launch(dialect, combine, words, [partial, memory.buffer(array)], groups, items)
    memory.fetch()
    return [int(status[k // 8]) >> 4 * (k % 8) & 15 for k in range(number)] if kernel.nstatus else [0] * number


def same_bits(a, b):
    """Return where elements are identical, counting all NaNs as one."""
    if a.dtype.kind == "c":
        return same_bits(a.real, b.real) & same_bits(a.imag, b.imag)
    if a.dtype.kind != "f":
        return a == b
    bits_of_a, bits_of_b = (np.ascontiguousarray(x).view(f"u{x.dtype.itemsize}") for x in (a, b))
    return (bits_of_a == bits_of_b) | (np.isnan(a) & np.isnan(b))


def random_values(rng, char, n):
    """Return random bits, with many floats near 1 and many small integers."""
    dtype = np.dtype(char)
    if char == "?":
        return rng.integers(0, 2, n).astype(bool)
    if dtype.kind == "c":
        values = np.empty(n, char)
        values.real, values.imag = (random_values(rng, char.lower(), n) for _ in range(2))
        return values
    bits = rng.integers(0, 256, n * dtype.itemsize, np.uint8).view(dtype)
    if dtype.kind == "f":
        bits[np.isnan(bits)] = np.nan  # quiet NaNs
    usual = rng.standard_normal(n) if dtype.kind == "f" else rng.integers(0, 20, n)
    return np.where(rng.random(n) < 0.5, bits, usual.astype(char))


def function_of(name):
    """Return the ufunc of a name, including NumPy's private ones."""
    return np._core.umath.clip if name == "clip" else OWN.get(name) or getattr(np, name, None)


def program_of(name, read, made):
    """Return a program of one instruction."""
    n, operands = len(read), tuple(range(len(read) + len(made)))
    instruction = Instruction(loop_number(name, read + made), 9, operands)
    return TileProgram(9, operands[:n], (), operands[n:], (instruction,), ())


def on_host(function, operands):
    """Return a function's results and the flags that it raises."""
    raised = []
    with np.errstate(all="call", call=lambda kind, flags: raised.append(flags)):
        results = function(*operands)
    return results if isinstance(results, tuple) else (results,), functools.reduce(int.__or__, raised, 0)
