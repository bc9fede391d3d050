"""Folds of generated kernels: over axes, chunks and group sizes, against NumPy's reductions."""

import functools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazyarr._core import api
from lazyarr._core.ir.inner_loops import loop_number
from lazyarr._core.ir.tile_program import Fold, Instruction, TileProgram
from lazyarr.gpu.generator.dialects import CUDA, OPENCL
from lazyarr.gpu.generator.tile_kernels import Form, NoKernel, generate
from support.examples import examples
from tests.support.opencl_kernels import build_together, run, same_bits

pytestmark = pytest.mark.skipif(api.DEBUG, reason="debug builds generate the same")

on_each_dialect = pytest.mark.parametrize("dialect", [OPENCL, CUDA], ids=lambda dialect: dialect.name)

# Operations whose order affects no bit of a fold.
EXACT = [
    *[(op, char) for op in ("add", "multiply", "bitwise_or", "bitwise_and", "bitwise_xor", "maximum", "minimum", "gcd")
      for char in "bBhHiIlL"],
    *[(op, "?") for op in ("logical_or", "logical_and", "logical_xor", "add", "multiply", "maximum", "minimum")],
    *[(op, char) for op in ("add", "maximum", "minimum", "fmax", "fmin") for char in "efdFD"],
]  # fmt: skip


def fold_of(op, char):
    """Return a program that folds its load."""
    return TileProgram(0, (0,), (), (), (), (Fold(loop_number(op, 3 * char), 0, 1),))


def values_of(rng, char, shape):
    """Return small whole numbers, whose sums and products are exact in all dtypes."""
    values = rng.integers(0, 5, shape)
    if char in "FD":
        return (values + 1j * rng.integers(0, 5, shape)).astype(char)
    return values.astype(char) if char == "?" or char.isupper() else (values - 2).astype(char)


@functools.cache
def build_folds(dialect):
    """Compile the kernels of all folds of one axis at once."""
    build_together([generate(fold_of(op, char), Form(1, 1, (), (0,), (char,)), dialect) for op, char in EXACT], dialect)


def compare(dialect, op, char, shape, kept, chunks, groups, items, seed=0):
    """Compare a fold with NumPy's reduction of whole numbers."""
    x = values_of(np.random.default_rng(seed), char, shape)
    result = np.zeros(shape[:kept], char)
    run(fold_of(op, char), [x], [], [result], kept, chunks, groups, items, dialect=dialect)
    expected = getattr(np, op).reduce(x, axis=tuple(range(kept, len(shape))), dtype=char)
    assert same_bits(result + 0, expected + 0).all() if char in "efdFD" else (result == expected).all()


@on_each_dialect
@pytest.mark.parametrize(("op", "char"), EXACT)
def test_folds_are_reductions(op, char, dialect):
    build_folds(dialect)
    for shape in ((3, 50), (2, 5), (1, 1)):
        compare(dialect, op, char, shape, kept=1, chunks=1, groups=2, items=16)


@on_each_dialect
@pytest.mark.parametrize(("op", "char"), [("add", "d"), ("maximum", "f"), ("bitwise_xor", "h")])
@examples(20)
@given(
    kept=st.lists(st.integers(1, 4), min_size=1, max_size=3),
    folded=st.lists(st.integers(1, 40), min_size=1, max_size=2),
    chunks=st.integers(1, 5), groups=st.integers(1, 5), items=st.sampled_from([1, 16]), seed=st.integers(0, 99),
)  # fmt: skip
def test_folds_go_over_any_axes_in_any_chunks(dialect, op, char, kept, folded, chunks, groups, items, seed):
    chunks = min(chunks, int(np.prod(folded)))
    compare(dialect, op, char, (*kept, *folded), len(kept), chunks, groups, items, seed)


@on_each_dialect
@pytest.mark.parametrize("char", ["e", "f", "d", "F", "D"])
@pytest.mark.parametrize("chunks", [1, 7])
def test_sums_are_as_accurate_as_pairwise_ones(char, chunks, dialect):
    rng = np.random.default_rng(0)
    x = rng.random((1, 30_000)).astype(char)
    if char in "FD":
        x += 1j * rng.random(x.shape)
    x = np.ascontiguousarray(x[:, : 1000 if char == "e" else None])
    result = np.zeros(1, char)
    run(fold_of("add", char), [x], [], [result], kept=1, chunks=chunks, groups=2, items=2, dialect=dialect)
    precise = x.astype("G" if char in "FD" else "g").sum()
    epsilon = np.finfo(char).eps
    assert abs(result[0] - precise) <= 4 * epsilon * abs(precise)


@on_each_dialect
@pytest.mark.parametrize("chunks", [1, 2, 7])
def test_sums_of_float16_are_rounded_once(chunks, dialect):
    x = np.random.default_rng(0).standard_normal((3, 1400)).astype("e") * 40
    x[2] = 60_000
    x[2, 700:] *= -1        # of which chunks overflow
    result = np.zeros(3, "e")
    flags = run(fold_of("add", "e"), [x], [], [result], kept=1, chunks=chunks, reported_flags=15, dialect=dialect)
    assert flags == [0]
    np.testing.assert_array_equal(result, x.sum(1, "d").astype("e"))


@pytest.mark.parametrize("chunks", [1, 2])
@pytest.mark.parametrize("char", ["e", "f", "d"])
def test_sums_begin_with_zero(char, chunks):
    x = np.full((2, 5), -0.0, char)
    result = np.ones(2, char)
    run(fold_of("add", char), [x], [], [result], kept=1, chunks=chunks)
    assert not np.signbit(result).any()


@pytest.mark.parametrize("chunks", [1, 3])
def test_a_divisor_of_one_negative_number_is_positive(chunks):
    x = np.array([[-6, -6, -6], [-5, 5, 0]], "l")
    result = np.zeros(2, "l")
    run(fold_of("gcd", "l"), [x], [], [result], kept=1, chunks=chunks)
    assert result.tolist() == [6, 5]
    run(fold_of("gcd", "l"), [x[:, :1].copy()], [], [result], kept=1)
    assert result.tolist() == [6, 5]


def test_maxima_need_no_neutral_element():
    x = np.full((3, 2), -np.inf)
    result = np.zeros(3)
    run(fold_of("maximum", "d"), [x], [], [result], kept=1, items=64)
    assert (result == -np.inf).all()
    x[1, 1] = np.nan
    run(fold_of("maximum", "d"), [x], [], [result], kept=1, items=64)
    assert np.isnan(result).tolist() == [False, True, False]


@on_each_dialect
def test_folds_raise_flags(dialect):
    flags = functools.partial(run, fold_of("add", "d"), kept=1, dialect=dialect)
    big, result = np.full((1, 40), 1e308), np.zeros(1)
    assert flags([big], [], [result], reported_flags=15) == [2]
    assert flags([np.array([[np.inf, -np.inf]])], [], [result], reported_flags=15) == [8]
    assert flags([big], [], [result], reported_flags=8) == [0]


@on_each_dialect
def test_results_do_not_depend_on_how_many_groups_run(dialect):
    x = np.random.default_rng(0).standard_normal((4, 1000)).astype("f")
    results = [np.zeros(4, "f") for _ in range(3)]
    for groups, result in zip((1, 3, 20), results, strict=True):
        run(fold_of("add", "f"), [x], [], [result], kept=1, chunks=3, groups=groups, items=16, dialect=dialect)
    assert results[0].tobytes() == results[1].tobytes() == results[2].tobytes()


@on_each_dialect
def test_programs_store_and_fold_at_once(dialect):
    add, multiply = loop_number("add", "ddd"), loop_number("multiply", "ddd")
    instructions = (Instruction(add, 1, (0, 1, 2)), Instruction(multiply, 2, (2, 2, 3)))
    program = TileProgram(2, (0, 1), (8,), (2,), instructions,
                          (Fold(add, 3, 3), Fold(loop_number("maximum", "ddd"), 2, 4)))  # fmt: skip
    x, y = np.arange(24.0).reshape(2, 3, 4), np.arange(24.0)[::-1].reshape(2, 3, 4) * 3
    squares, total, largest = np.zeros_like(x), np.zeros(2), np.zeros(2)
    for chunks in (1, 5):
        run(program, [x, y], [squares], [total, largest], kept=1, chunks=chunks, dialect=dialect)
        assert (squares == (x + y) ** 2).all()
        assert (total == squares.sum((1, 2))).all()
        assert (largest == (x + y).max((1, 2))).all()


@pytest.mark.parametrize(("op", "chars"), [("less", "dd?"), ("hypot", "ddd"), ("add", "ggg")])
def test_folds_without_a_form_are_named(op, chars):
    program = TileProgram(0, (0,), (), (), (), (Fold(loop_number(op, chars), 0, 1),))
    with pytest.raises(NoKernel, match=op if chars[0] == "d" else "g"):
        generate(program, Form(1, 1, (), (0,), (chars[0],)), OPENCL)
