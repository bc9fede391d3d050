"""Generated CUDA C compiles, and rounds each operation once."""

import re

import pytest

from lazyarr._core.ir.inner_loops import loop_number
from lazyarr._core.ir.tile_program import Fold, Instruction, TileProgram
from lazyarr.gpu import expressions, nvrtc
from lazyarr.gpu.dialects import CUDA, TYPES
from lazyarr.gpu.generator import Form, NoKernel, generate, generate_combine
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


@pytest.mark.parametrize(("name", "exact"), [
    *[(name, True) for name in sorted(expressions.ROWS.keys() & UFUNCS.keys())],
    *[(name, False) for name in sorted(expressions.VENDOR.keys() & UFUNCS.keys())],
])
def test_operations_compile(name, exact):
    """All loops of an operation in one text, each in a namespace of its own."""
    texts = []
    for program, chars in programs(name):
        try:
            kernel = generate(program, Form(2, 0, (), (15,), (*chars,), exact), CUDA)
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
