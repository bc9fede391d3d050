"""Generated CUDA C compiles, and rounds each operation once."""

import contextlib
import functools
import itertools

import pytest

from lazyarr._core import api
from lazyarr._core.ir.inner_loops import loop_number
from lazyarr._core.ir.tile_program import Fold, Instruction, TileProgram
from lazyarr.gpu.drivers import nvrtc
from lazyarr.gpu.generator import expressions
from lazyarr.gpu.generator.dialects import CUDA, TYPES
from lazyarr.gpu.generator.searches import SEARCHES
from lazyarr.gpu.generator.tile_kernels import Form, NoKernel, generate, generate_combine
from lazyarr.ops.ufunc_rows import UFUNCS
from support import kernel_texts
from support.cuda_texts import joined

pytestmark = [
    pytest.mark.skipif(nvrtc.library() is None, reason="needs nvidia-cuda-nvrtc"),
    pytest.mark.skipif(api.DEBUG, reason="debug builds generate the same"),     # Python writes the texts
]


def programs(name):
    """Return programs of one instruction, for each loop of a ufunc that has a kernel."""
    function = UFUNCS[name].function
    for types in dict.fromkeys(function.types) if function is not None else ():
        read, made = types.split("->")
        if set(read + made) <= TYPES.keys():
            operands = tuple(range(len(read + made)))
            instruction = Instruction(loop_number(name, read + made), 0, operands)
            yield TileProgram(0, operands[: len(read)], (), operands[len(read) :], (instruction,), ()), read + made


def named(kernels):
    """Return the kernels with unique names."""
    return [(kernel, f"{kernel.name}_{number}") for number, kernel in enumerate(kernels)]


def kernels_of(names, exact=True):
    """Return the kernels of all loops of operations, with their flags."""
    for name in names:
        for program, chars in programs(name):
            with contextlib.suppress(NoKernel):
                yield generate(program, Form(2, 0, (), (15,), (*chars,), exact), CUDA)


def casts():
    for source, target in itertools.permutations("?bBhHiIlLefdFD", 2):
        instruction = Instruction(loop_number("cast", source + target), 0, (0, 1))
        yield generate(TileProgram(0, (0,), (), (1,), (instruction,), ()),
                       Form(1, 0, (), (15,), (source, target)), CUDA)  # fmt: skip


def folds(names=("add", "maximum")):
    """Return folds of all dtypes, alone and after instructions, and their combining kernels."""
    for op, char in itertools.product(names, "?bBhHiIlLefdFD"):
        types = f"{char}l" if op in SEARCHES else 3 * char
        number = loop_number(op, types)
        with contextlib.suppress(NoKernel):
            if number >= 0:
                yield generate(TileProgram(0, (0,), (), (), (), (Fold(number, 0, 1),)),
                               Form(2, 1, (), (15,), (char,)), CUDA)  # fmt: skip
                yield generate_combine(op, f"{types[:-1]}->{types[-1]}", CUDA, reported_flags=15)
    add, multiply = loop_number("add", "ddd"), loop_number("multiply", "ddd")
    program = TileProgram(2, (0, 5), (8,), (2,), (Instruction(add, 1, (0, 1, 2)), Instruction(multiply, 2, (2, 2, 3))),
                          (Fold(add, 3, 3), Fold(loop_number("maximum", "ddd"), 3, 4)))  # fmt: skip
    yield generate(program, Form(2, 2, (1,), (15,) * 4, ("d", "d", "d")), CUDA)


ARCHITECTURES = ("80", "90", "100")
OPERATIONS = sorted(expressions.ROWS.keys() & UFUNCS.keys())
# Operations that may be folded in any order; a device has no other folds.
FOLDED = [*SEARCHES, "gcd", "lcm", *[name for name in OPERATIONS if "commutative" in UFUNCS[name].traits]]
FUNCTIONS = sorted(expressions.VENDOR.keys() & UFUNCS.keys())
# No text of an operation depends on the architecture, so each is compiled for only one, to save time.
BATCHES = [
    *[(f"folds {architecture}", folds, architecture) for architecture in ARCHITECTURES],
    ("casts", casts, "100"),
    *[(f"operations {part}", functools.partial(kernels_of, OPERATIONS[part::3]), architecture)
      for part, architecture in enumerate(ARCHITECTURES)],
    ("the device's functions", functools.partial(kernels_of, FUNCTIONS, False), "90"),
]  # fmt: skip


@pytest.mark.parametrize(("batch", "architecture"), [row[1:] for row in BATCHES], ids=[row[0] for row in BATCHES])
def test_kernels_compile(batch, architecture):
    """Compile to machine code, which has a symbol for each kernel."""
    kernels = named(batch())
    cubin = nvrtc.compile_cubin(joined(kernels), f"sm_{architecture}")
    assert cubin.startswith(b"\x7fELF")
    assert all(kernel.encode() in cubin for _, kernel in kernels)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_kernels_have_ptx(architecture):
    kernels = named(folds())
    ptx = nvrtc.compile_ptx(joined(kernels), f"compute_{architecture}")
    assert ptx.count(b".entry") == len(kernels)


def test_all_folds_have_ptx():
    kernels = named(folds(FOLDED))
    assert {*FOLDED} == {kernel.name[3:].removesuffix("_reduce") for kernel, _ in kernels} & {*FOLDED}
    assert nvrtc.compile_ptx(joined(kernels), "compute_80").count(b".entry") == len(kernels)


def test_products_and_sums_are_not_contracted():
    add, multiply = loop_number("add", "fff"), loop_number("multiply", "fff")
    instructions = (Instruction(multiply, 1, (0, 1, 2)), Instruction(add, 2, (2, 0, 3)))
    program = TileProgram(2, (0, 1), (4,), (2,), instructions, ())
    ptx = nvrtc.compile_ptx(generate(program, Form(1, 0, (), (0, 0), ("f", "f", "f")), CUDA).text, "compute_90")
    assert b"mul.rn.f32" in ptx or b"mul.f32" in ptx
    assert b"fma" not in ptx


def test_mistakes_are_reported():
    with pytest.raises(nvrtc.CompileError, match="mistake"):
        nvrtc.compile_ptx("mistake;", "compute_80")


def test_machine_code_is_made_for_the_architectures_that_the_compiler_knows():
    text = 'extern "C" __global__ void fill(double *to) { *to = 1; }'
    compiler = nvrtc.library()
    known = nvrtc.architectures(compiler)
    assert known == sorted(known)
    for number in (known[0], known[-1]):
        assert nvrtc.compile_cubin(text, f"sm_{number}", compiler)[:4] == b"\x7fELF"
    with pytest.raises(RuntimeError, match="NVRTC has failed: NVRTC_ERROR_INVALID_OPTION"):
        nvrtc.compile_cubin(text, "sm_1", compiler)


def test_compilers_newer_than_the_driver_are_not_used():
    newest = nvrtc.version(nvrtc.library())[0]
    assert nvrtc.version(nvrtc.library(newest)) == nvrtc.version(nvrtc.library())
    for older in range(10, newest):
        compiler = nvrtc.library(older)
        assert compiler is None or nvrtc.version(compiler)[0] <= older


def test_all_writers_of_kernels_are_known():
    """A new one needs arguments in `kernel_texts.CASES`."""
    assert kernel_texts.writers().keys() == kernel_texts.CASES.keys()


@pytest.mark.parametrize("name", kernel_texts.CASES)
def test_kernels_of_calls_compile(name):
    kernels = named(kernel_texts.kernels_of(name))
    assert kernels
    ptx = nvrtc.compile_ptx(joined(kernels), "compute_80")
    assert ptx.count(b".entry") == len(kernels)
