"""Generated CUDA C compiles, and rounds each operation once."""

import re

import pytest

from lazyarr._core.ir.inner_loops import loop_number
from lazyarr._core.ir.tile_program import Fold, Instruction, TileProgram
from lazyarr.gpu import contraction_kernels as contractions
from lazyarr.gpu import expressions, nvrtc, pooling
from lazyarr.gpu.contraction_kernels import DOT, LARGE, SMALL, TALL, WIDE
from lazyarr.gpu.dialects import CUDA, TYPES
from lazyarr.gpu.generator import Form, NoKernel, generate, generate_combine
from lazyarr.gpu.helpers import needed
from lazyarr.ops.ufunc_rows import UFUNCS

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


@pytest.mark.parametrize("name", sorted(expressions.ROWS.keys() & UFUNCS.keys()))
def test_operations_compile(name):
    """All loops of an operation in one text, each in a namespace of its own."""
    texts = []
    for program, chars in programs(name):
        try:
            kernel = generate(program, Form(2, 0, (), (15,), (*chars,)), CUDA)
        except NoKernel:
            continue
        defines = re.findall(r"#define (\w+)", kernel.text)
        body = kernel.text.replace(kernel.name, f"{kernel.name}_{len(texts)}")
        texts.append(f"namespace n{len(texts)} {{\n{body}}}\n" + "".join(f"#undef {name}\n" for name in defines))
    if texts:
        for architecture in ("compute_80", "compute_90"):
            assert b".entry" in nvrtc.compile_ptx("\n".join(texts), architecture)


def test_folds_compile():
    add, multiply = loop_number("add", "ddd"), loop_number("multiply", "ddd")
    program = TileProgram(2, (0, 5), (8,), (2,), (Instruction(add, 1, (0, 1, 2)), Instruction(multiply, 2, (2, 2, 3))),
                          (Fold(add, 3, 3), Fold(loop_number("maximum", "ddd"), 3, 4)))  # fmt: skip
    for text in (generate(program, Form(2, 2, (1,), (15,) * 4, ("d", "d", "d")), CUDA).text,
                 generate_combine("add", "ee->e", CUDA).text):  # fmt: skip
        assert b".entry" in nvrtc.compile_ptx(text, "compute_80")


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
