"""Generated CUDA C compiles, and rounds each operation once."""

import contextlib
import functools
import itertools

import pytest

from lazyarr._core.ir.inner_loops import loop_number
from lazyarr._core.ir.tile_program import Fold, Instruction, TileProgram
from lazyarr.gpu.calls import contraction_kernels as contractions
from lazyarr.gpu.calls import pooling
from lazyarr.gpu.calls.contraction_kernels import DOT, LARGE, SMALL, TALL, WIDE
from lazyarr.gpu.drivers import nvrtc
from lazyarr.gpu.generator import expressions
from lazyarr.gpu.generator.dialects import CUDA, TYPES
from lazyarr.gpu.generator.helpers import needed
from lazyarr.gpu.generator.tile_kernels import Form, NoKernel, generate, generate_combine
from lazyarr.ops.ufunc_rows import UFUNCS
from support.cuda_texts import joined

pytestmark = pytest.mark.skipif(nvrtc.library() is None, reason="needs nvidia-cuda-nvrtc")


def programs(name):
    """Programs of one instruction, of each loop of a ufunc that has a kernel."""
    function = UFUNCS[name].function
    for types in dict.fromkeys(function.types) if function is not None else ():
        read, made = types.split("->")
        if set(read + made) <= TYPES.keys():
            operands = tuple(range(len(read + made)))
            instruction = Instruction(loop_number(name, read + made), 0, operands)
            yield TileProgram(0, operands[: len(read)], (), operands[len(read) :], (instruction,), ()), read + made


def named(kernels):
    """Each kernel, with a name of its own."""
    return [(kernel, f"{kernel.name}_{number}") for number, kernel in enumerate(kernels)]


def kernels_of(names, exact=True):
    """The kernels of all loops of operations, with their flags."""
    for name in names:
        for program, chars in programs(name):
            with contextlib.suppress(NoKernel):
                yield generate(program, Form(2, 0, (), (15,), (*chars,), exact), CUDA)


def casts():
    for source, target in itertools.permutations("?bBhHiIlLefdFD", 2):
        instruction = Instruction(loop_number("cast", source + target), 0, (0, 1))
        yield generate(TileProgram(0, (0,), (), (1,), (instruction,), ()),
                       Form(1, 0, (), (15,), (source, target)), CUDA)  # fmt: skip


def folds():
    """Folds of all dtypes, alone and behind instructions, and those of their parts."""
    for char in "?bBhHiIlLefdFD":
        for op in ("add", "maximum"):
            program = TileProgram(0, (0,), (), (), (), (Fold(loop_number(op, 3 * char), 0, 1),))
            yield generate(program, Form(2, 1, (), (15,), (char,)), CUDA)
            yield generate_combine(op, f"{char}{char}->{char}", CUDA)
    add, multiply = loop_number("add", "ddd"), loop_number("multiply", "ddd")
    program = TileProgram(2, (0, 5), (8,), (2,), (Instruction(add, 1, (0, 1, 2)), Instruction(multiply, 2, (2, 2, 3))),
                          (Fold(add, 3, 3), Fold(loop_number("maximum", "ddd"), 3, 4)))  # fmt: skip
    yield generate(program, Form(2, 2, (1,), (15,) * 4, ("d", "d", "d")), CUDA)


ARCHITECTURES = ("80", "90", "100")
OPERATIONS = sorted(expressions.ROWS.keys() & UFUNCS.keys())
FUNCTIONS = sorted(expressions.VENDOR.keys() & UFUNCS.keys())
# Nothing in the texts of operations depends on the architecture: each is compiled for one, as that takes a while.
BATCHES = [
    *[(f"folds {architecture}", folds, architecture) for architecture in ARCHITECTURES],
    ("casts", casts, "100"),
    *[(f"operations {part}", functools.partial(kernels_of, OPERATIONS[part::3]), architecture)
      for part, architecture in enumerate(ARCHITECTURES)],
    ("the device's functions", functools.partial(kernels_of, FUNCTIONS, False), "90"),
]  # fmt: skip


@pytest.mark.parametrize(("batch", "architecture"), [row[1:] for row in BATCHES], ids=[row[0] for row in BATCHES])
def test_kernels_compile(batch, architecture):
    """To machine code, which has a symbol for each kernel."""
    kernels = named(batch())
    cubin = nvrtc.compile_cubin(joined(kernels), f"sm_{architecture}")
    assert cubin.startswith(b"\x7fELF")
    assert all(kernel.encode() in cubin for _, kernel in kernels)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_kernels_have_ptx(architecture):
    kernels = named(folds())
    ptx = nvrtc.compile_ptx(joined(kernels), f"compute_{architecture}")
    assert ptx.count(b".entry") == len(kernels)


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
def compile_call(text, architecture):
    """Compile the kernel of a call; return PTX."""
    helpers = needed(text.text)
    return nvrtc.compile_ptx("\n".join([CUDA.spellings(helpers + text.text), helpers, text.text]), architecture)


@pytest.mark.parametrize("chars", ["fff", "ddd", "eee", "lil", "???", "FFF", "fDD", "HHH"])
def test_products_compile(chars):
    told = 10 if chars[2] in "efdFD" else 0
    for tile in (LARGE, SMALL, TALL, WIDE, DOT):
        for windows, is_partial, conjugates in ((0, False, False), (2, True, chars[2] in "FD")):
            form = contractions.Form((*chars,), tile, (1, 2, 1, 3), windows, conjugates, told, is_partial)
            assert b".entry" in compile_call(contractions.generate_contraction(form), "compute_80")
    form = contractions.CombineForm(chars[2], 2, told)
    assert b".entry" in compile_call(contractions.generate_combine(form), "compute_80")


@pytest.mark.parametrize("line", ["max", "places", "give back", "mean", "mix"])
def test_pooling_compiles(line):
    for char in "fd" if line in ("give back", "mean", "mix") else "fdbHl?":
        form = pooling.Form(line, char, "i" if line == "places" else char, "b" if line == "give back" else "", 2)
        assert b".entry" in compile_call(pooling.generate(form), "compute_90")
