"""Texts of kernels: what they depend on, how operands are loaded and stored, and missing device features."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazyarr._core import api
from lazyarr._core.ir.inner_loops import loop_number
from lazyarr._core.ir.loop_table import describe
from lazyarr._core.ir.tile_program import Fold, Instruction, TileProgram
from lazyarr.gpu.generator.dialects import CUDA, OPENCL
from lazyarr.gpu.generator.tile_kernels import Form, NoKernel, generate
from support.examples import examples
from tests.support.opencl_kernels import built, program_of, random_values, run, same_bits

pytestmark = pytest.mark.skipif(api.DEBUG, reason="debug builds generate the same")

ADD, MULTIPLY, DIVIDE = (loop_number(op, "ddd") for op in ("add", "multiply", "divide"))
UNDER, FRONT = 1, 2


def sum_then_product(**keywords):
    """Return the program (n0 + n1) * n1, which uses a register."""
    instructions = (Instruction(ADD, 2, (0, 1, 2)), Instruction(MULTIPLY, 3, (2, 1, 3)))
    return TileProgram(3, (0, 1), (8,), (3,), instructions, (), **keywords)


@st.composite
def strided(draw, shape):
    """Draw an array of a shape within a larger one: reversed, with gaps, broadcast or transposed."""
    order = draw(st.permutations(range(len(shape))))
    steps = [draw(st.sampled_from([1, 2, -1, -3, 0])) for _ in shape]
    lengths = [max(1, extent * abs(step)) for extent, step in zip(shape, steps, strict=True)]
    rng = np.random.default_rng(draw(st.integers(0, 9)))
    base = rng.integers(-9, 9, [lengths[axis] for axis in order]).astype("d")
    moved = base.transpose(np.argsort(order))
    window = moved[tuple(slice(None, None, step or 1) for step in steps)]
    return np.broadcast_to(window[tuple(slice(0, extent if step else 1)
                                        for extent, step in zip(shape, steps, strict=True))], shape)  # fmt: skip


@examples(60)
@given(st.data())
def test_operands_lie_anyhow(data):
    shape = tuple(data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=4)))
    x, y = data.draw(strided(shape)), data.draw(strided(shape))
    whole = np.full([2 * extent for extent in shape], -1.0)
    out = whole[tuple(slice(-1, None, -2) for _ in shape)]
    run(sum_then_product(), [x, y], [out], items=16)
    assert (out == (x + y) * y).all()
    assert (whole == -1).sum() >= whole.size - out.size


@pytest.mark.parametrize("char", "?bBhHiIlLefdFD")
def test_constants_are_arguments(char):
    x, y = np.arange(5).astype(char), np.full(5, 3).astype(char)
    if char in "FD":
        y += np.complex64(2j)
    program = TileProgram(3, (0, 1), (), (3,), (Instruction(loop_number("add", 3 * char), 2, (0, 1, 2)),), ())
    out = np.zeros(5, char)
    for value in (y, y + y):
        run(program, [x, value], [out], constants=(1,))
        assert (out == x + value).all()


def test_one_text_serves_all_extents_and_constants():
    before = built.cache_info().misses
    for size in (1, 7, 1000):
        x, y, out = np.arange(size * 1.0), np.full(size, size / 3), np.zeros(size)
        run(sum_then_product(), [x, y], [out], constants=(1,))
        assert (out == (x + y) * y).all()
    assert built.cache_info().misses - before <= 1


def test_stores_may_overwrite_loads():
    x, y = np.arange(9.0), np.arange(9.0) + 1
    expected = (x + y) * y
    run(sum_then_product(updates=True), [x, y], [x])
    assert (x == expected).all()


def test_several_stores_are_written_after_all_loads():
    """Each store overwrites the other's load."""
    instructions = (Instruction(ADD, 2, (0, 1, 2)), Instruction(MULTIPLY, 3, (0, 1, 3)))
    program = TileProgram(3, (0, 1), (), (2, 3), instructions, ())
    x, y = np.arange(9.0), np.arange(9.0) + 1
    expected = x + y, x * y
    run(program, [x, y], [y, x])
    assert (y == expected[0]).all()
    assert (x == expected[1]).all()


def test_registers_are_used_again_for_other_dtypes():
    less, where = loop_number("less", "dd?"), loop_number("where", "?ddd")
    instructions = (Instruction(ADD, 2, (0, 1, 2)), Instruction(MULTIPLY, 3, (2, 1, 4)),
                    Instruction(less, 4, (4, 0, 2)), Instruction(where, 5, (2, 0, 4, 3)))  # fmt: skip
    program = TileProgram(3, (0, 1), (8,), (5, 3), instructions, ())
    x, y = np.linspace(-3, 3, 7), np.linspace(2, -1, 7)
    chosen, product = np.zeros(7), np.zeros(7)
    run(program, [x, y], [chosen, product])
    assert (product == (x + y) * y).all()
    assert (chosen == np.where(product < x, x, product)).all()


def test_under_a_mask_old_values_stay_and_raise_nothing():
    program = TileProgram(4, (0, 1, 2, 3), (), (4,), (Instruction(DIVIDE, 4, (0, 1, 2, 3, 4), UNDER),), ())
    x, y, mask, old = np.ones(4), np.array([2.0, 0, 4, 0]), np.array([True, False, True, False]), np.full(4, 9.0)
    out = np.zeros(4)
    assert run(program, [x, y, mask, old], [out], reported_flags=15) == [0]
    assert out.tolist() == [0.5, 9, 0.25, 9]
    assert run(program, [x, y, ~mask, old], [out], reported_flags=15) == [1]
    assert out.tolist() == [9, np.inf, 9, np.inf]


def test_bools_from_memory_may_be_any_byte():
    x = np.array([0, 1, 2, 255], np.uint8).view("?")
    out = np.zeros(4, "?")
    for op, expected in (("logical_not", [1, 0, 0, 0]), ("copy", [0, 1, 2, 255])):
        loop = loop_number(op, "??")
        run(TileProgram(1, (0,), (), (1,), (Instruction(loop, 1, (0, 1)),), ()), [x], [out])
        assert out.view(np.uint8).tolist() == expected


def test_flags_are_found_only_where_they_are_told():
    forms = [Form(1, 0, (), reported_flags, ("d",) * 3) for reported_flags in ((0, 0), (0, 8))]
    plain, telling = (generate(sum_then_product(), form, OPENCL) for form in forms)
    assert plain.nstatus == 0
    assert "status" not in plain.text
    assert telling.nstatus == 1
    assert "isinf" not in telling.text


def test_the_ninth_instruction_has_the_second_word():
    instructions = (*[Instruction(ADD, k, (0, 1, 2)) for k in range(8)], Instruction(DIVIDE, 8, (0, 1, 3)))
    program = TileProgram(3, (0, 1), (8,), (3,), instructions, ())
    assert run(program, [np.ones(3), np.zeros(3)], [np.zeros(3)], reported_flags=15) == [0] * 8 + [1]


def test_packed_operands_warn_under_their_mask_alone():
    compress, expand = loop_number("compress", "d?d"), loop_number("expand", "d?dd")
    instructions = (Instruction(compress, 4, (0, 2, 4)), Instruction(DIVIDE, 5, (4, 1, 2, 5), FRONT),
                    Instruction(expand, 6, (5, 2, 3, 6)))  # fmt: skip
    program = TileProgram(4, (0, 1, 2, 3), (8, 8), (6,), instructions, ())
    mask, out = np.array([True, False, True, False]), np.zeros(4)
    x, y, old = np.array([1.0, 5, 1, 5]), np.array([2.0, 0, 4, 0]), np.full(4, 9.0)
    assert run(program, [x, y, mask, old], [out], reported_flags=15) == [0, 0, 0]
    assert out.tolist() == [0.5, 9, 0.25, 9]
    assert run(program, [x, y, ~mask, old], [out], reported_flags=15) == [0, 1, 0]
    assert out.tolist() == [9, np.inf, 9, np.inf]


def test_loops_of_scalars_have_no_kernel():
    """They have the names of NumPy's, but report integer overflow."""
    numpys = loop_number("add", "iii")
    scalars = next(k for k in range(numpys - 3, numpys + 3) if k != numpys and describe(k) == ("add", "iii"))
    program = TileProgram(2, (0, 1), (), (2,), (Instruction(scalars, 2, (0, 1, 2)),), ())
    with pytest.raises(NoKernel, match="add ii->i"):
        generate(program, Form(1, 0, (), (15,), ("i",) * 3), OPENCL)


def test_devices_may_lack_float64_and_room_for_parameters():
    form = Form(1, 0, (), (0, 0), ("d",) * 3)
    with pytest.raises(NoKernel, match="float64"):
        generate(sum_then_product(), form, dataclasses.replace(OPENCL, has_double=False))
    with pytest.raises(NoKernel, match="parameters"):
        generate(sum_then_product(), form, dataclasses.replace(CUDA, parameter_bytes=100))
    single = TileProgram(2, (0, 1), (), (2,), (Instruction(loop_number("add", "fff"), 2, (0, 1, 2)),), ())
    kernel = generate(single, Form(1, 0, (), (15,), ("f",) * 3), dataclasses.replace(OPENCL, has_double=False))
    assert "double" not in kernel.text
    assert "f64" not in kernel.text


def generate_single(op, chars, dialect):
    """Generate the kernel of one operation."""
    return generate(program_of(op, chars[:-1], chars[-1]), Form(1, 0, (), (15,), (*chars,)), dialect)


@pytest.mark.parametrize(("op", "chars"), [("add", "fff"), ("multiply", "FFF"), ("less", "ff?"), ("sqrt", "ee"),
                                           ("cast", "fd"), ("cast", "ie")])  # fmt: skip
def test_devices_that_take_subnormal_numbers_for_0_do_not_compute_in_float32(op, chars):
    flushing = dataclasses.replace(OPENCL, has_float_denormals=False)
    with pytest.raises(NoKernel, match=f"{op} .*subnormal numbers of float32"):
        generate_single(op, chars, flushing)
    for fine in (("add", "ddd"), ("copy", "ff"), ("where", "?fff"), ("multiply", "lll"), ("cast", "dl")):
        generate_single(*fine, flushing)
    with pytest.raises(NoKernel, match="subnormal"):
        generate(TileProgram(0, (0,), (), (), (), (Fold(loop_number("add", "fff"), 0, 1),)),
                 Form(1, 1, (), (0,), ("f",)), flushing)  # fmt: skip


@pytest.mark.parametrize(("op", "chars"), [("divide", "fff"), ("sqrt", "ff"), ("reciprocal", "FF"), ("divide", "eee"),
                                           ("floor_divide", "fff"), ("absolute", "Ff"), ("exp", "ff")])  # fmt: skip
def test_devices_that_round_quotients_and_roots_elsewhere_leave_them_to_the_host(op, chars):
    careless = dataclasses.replace(OPENCL, rounds_float_division=False)
    with pytest.raises(NoKernel, match=f"{op} .*quotients and roots of float32"):
        generate_single(op, chars, careless)
    for fine in (("add", "fff"), ("divide", "ddd"), ("fmod", "fff"), ("floor_divide", "iii"), ("tanh", "ff")):
        generate_single(*fine, careless)


@pytest.mark.parametrize("dialect", [OPENCL, CUDA], ids=lambda dialect: dialect.name)
def test_texts_are_the_same_each_time(dialect):
    program = TileProgram(3, (0, 1), (8,), (3,), sum_then_product().instructions, (Fold(ADD, 2, 4),))
    form = Form(2, 1, (1,), (15, 15, 15), ("d",) * 3)
    assert generate(program, form, dialect) == generate(program, form, dialect)


INTEGERS, FLOATS = "bBhHiIlL", "efd"
CHAINED = [
    *[(op, 2 * char, char) for char in INTEGERS
      for op in ("add", "multiply", "subtract", "bitwise_xor", "floor_divide", "right_shift", "minimum")],
    *[(op, char, char) for char in INTEGERS for op in ("invert", "square", "negative", "sign")],
    *[(op, 2 * char, char) for char in FLOATS for op in ("add", "multiply", "divide", "fmax", "copysign")],
    *[("cast", source, target) for source in "?bHlefd" for target in "?BhiLefd" if source != target],
    *[("less", 2 * char, "?") for char in "?bHiLefd"],
    ("logical_xor", "??", "?"), ("where", "?ee", "e"), ("where", "?bb", "b"),
]  # fmt: skip
"""(operation, operands, result): what one makes another reads, in all the widths that C promotes."""


def called(op, result):
    """Return NumPy's function for an operation with results of a dtype."""
    if op == "cast":
        return lambda x: x.astype(result)
    return getattr(np, op)


@examples(60)
@given(st.data(), st.sampled_from([0, 15]), st.integers(0, 99))
def test_chains_of_operations_have_the_bits_of_single_ones(data, reported_flags, seed):
    values = [random_values(np.random.default_rng(seed), char, 64) for char in "?bHiLefd"]
    nload, instructions = len(values), []
    for number in range(data.draw(st.integers(1, 8))):
        chars = [value.dtype.char for value in values]
        op, read, result = data.draw(st.sampled_from([row for row in CHAINED if {*row[1]} <= {*chars}]))
        latest_first = [[k for k in reversed(range(len(values))) if chars[k] == char] for char in read]
        operands = tuple(data.draw(st.sampled_from(candidates)) for candidates in latest_first)
        with np.errstate(all="ignore"):
            values.append(called(op, result)(*[values[k] for k in operands]))
        instructions.append(Instruction(loop_number(op, read + result), number, (*operands, nload + number)))
    sizes = tuple(value.itemsize for value in values[nload:-1])
    program = TileProgram(99, tuple(range(nload)), sizes, (99,), tuple(instructions), ())
    result = np.zeros(64, values[-1].dtype)
    run(program, values[:nload], [result], reported_flags=reported_flags)
    assert same_bits(result, values[-1]).all()
