"""Plans as data: descriptions of instructions, folds, programs and steps, and what they reject."""

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core.ir.inner_loops import loop_number
from lazyarr._core.ir.step import Step
from lazyarr._core.ir.tile_program import Fold, Instruction, TileProgram

ADD = loop_number("add", "ddd")


@pytest.mark.parametrize("name, chars", [("add", "ddd"), ("less", "ff?"), ("modf", "ddd"), ("cast", "fd"),
                                         ("ldexp", "did"), ("copy", "ii"), ("where", "?DDD")])
def test_an_instruction_names_its_operation_and_dtypes(name, chars):
    outputs = 2 if name == "modf" else 1
    instruction = Instruction(loop_number(name, chars), 5, tuple(range(len(chars))))
    assert (instruction.op, instruction.dtypes) == (name, f"{chars[:-outputs]}->{chars[-outputs:]}")


def test_a_loop_that_does_not_exist_is_refused():
    for loop in (-1, 1 << 30):
        with pytest.raises(IndexError, match=f"no inner loop {loop}"):
            Instruction(loop, 0, (0, 1, 2))
        with pytest.raises(IndexError, match=f"no inner loop {loop}"):
            Fold(loop, 0, 1)


@pytest.mark.parametrize("operands", [(), tuple(range(11))])
def test_an_instruction_has_the_operands_of_a_loop(operands):
    with pytest.raises(ValueError, match="1 to 10 operands"):
        Instruction(ADD, 0, operands)


def test_a_program_refuses_operands_it_does_not_have():
    for operand in (-1, 3):
        with pytest.raises(IndexError, match=f"no operand {operand}"):
            TileProgram(1, (0,), (8,), (1,), (Instruction(ADD, 1, (0, operand, 2)),), ())
        with pytest.raises(IndexError, match=f"no operand {operand}"):
            TileProgram(1, (0,), (8,), (1,), (), (Fold(ADD, operand, 2),))
    with pytest.raises(ValueError, match="at most 512 operands"):
        TileProgram(1, tuple(range(513)), (), (), (), ())
    with pytest.raises(TypeError, match="Instruction"):
        TileProgram(1, (0,), (), (1,), ((ADD, 1, (0, 0, 1)),), ())


def test_programs_and_steps_are_immutable():
    program = TileProgram(1, (0,), (), (1,), (Instruction(ADD, 1, (0, 0, 1)),), ())
    with pytest.raises(TypeError, match="immutable"):
        program.__init__(1, (), (), (), (), ())
    with pytest.raises(AttributeError):
        program.loads = ()
    step = Step("tile", 1, program)
    with pytest.raises(AttributeError):
        step.node = 2
    changed = step.replace(donors=((0, 0),), rows=3)
    assert (step.donors, step.rows, changed.donors, changed.rows, changed.program) == ((), 1, ((0, 0),), 3, program)


def test_a_printed_plan_has_every_operation_and_operand():
    x, y = la.asarray(np.arange(6.0).reshape(2, 3)), la.asarray(np.ones(3, "f4"))
    z = x * 1.0
    z[0] = np.sqrt(y)
    plan = str(la.explain((z @ np.ones((3, 2)) + 1).max(), z).plan)
    assert plan == """\
1: tile, over n2
    n2 = multiply dd->d (n0, n1)
2: tile, over n4, frees n2, in place n6
    r0 = sqrt f->f (n3)
    n6 = cast f->d (r0)
3: opaque n8
4: tile, over n9, frees n8
    r0 = add dd->d (n8, n1)
    n10 = maximum.reduce dd->d (r0)"""


def test_masks_show():
    x = la.asarray(np.arange(6.0))
    packed = la.explain((x * 2)[x > 2] + 1).plan
    assert "packed" in str(packed)
    assert "compress d?->d" in str(packed)
    where = la.explain(np.sqrt(x, where=x > 2, out=la.zeros(6))).plan
    assert "under a mask" in str(where)
