"""The device's complex functions: NumPy's accuracy, special values and status flags."""

import numpy as np
import pytest

from lazyarr._core import api
from lazyarr._core.ir.inner_loops import loop_number
from lazyarr._core.ir.tile_program import Instruction, TileProgram
from lazyarr.gpu.generator import expressions
from lazyarr.gpu.generator.dialects import CUDA, OPENCL
from tests.support.opencl_kernels import function_of, on_host, program_of, run

pytestmark = pytest.mark.skipif(api.DEBUG, reason="debug builds generate the same")

BINARY = ("power", "float_power")
UNARY = sorted(name for name, row in expressions.VENDOR.items() if "c" in row and name not in BINARY)
BY_FORMULA = {"exp2", "expm1", "log1p", "power"}  # NumPy's, which lose places
REPORTED_FLAGS = 11  # all flags but that of underflow

on_each_dialect = pytest.mark.parametrize("dialect", [OPENCL, CUDA], ids=lambda dialect: dialect.name)
of_each_size = pytest.mark.parametrize("char", ["F", "D"])


def special_parts(char):
    info = np.finfo(char)
    return np.array([0, -0.0, 1, -1, 0.5, -2, np.inf, -np.inf, np.nan, info.tiny / 4, info.max / 2, -info.max, 1e3,
                     -1e3, 1e-20, 100, -30, 3e-3], info.dtype)  # fmt: skip


def combined(char, *parts):
    """Return complex numbers of all combinations of parts: one for each two sequences."""
    grid = [axis.ravel() for axis in np.meshgrid(*parts)]
    numbers = [np.empty(grid[0].size, char) for _ in grid[::2]]
    for x, re, im in zip(numbers, grid[::2], grid[1::2], strict=True):
        x.real, x.imag = re, im
    return numbers


def evaluated(names, operands, dialect):
    """Return the results of several functions of the same operands, by one kernel."""
    char, n = operands[0].dtype.char, len(operands)
    instructions = tuple(Instruction(loop_number(name, (n + 1) * char), k, (*range(n), n + k))
                         for k, name in enumerate(names))  # fmt: skip
    program = TileProgram(0, tuple(range(n)), (), tuple(range(n, n + len(names))), instructions, ())
    results = [np.zeros(operands[0].shape, char) for _ in names]
    run(program, operands, results, exact=False, dialect=dialect)
    return dict(zip(names, results, strict=True))


def on_host_silently(name, operands):
    with np.errstate(all="ignore"):
        return function_of(name)(*operands)


def kinds(parts):
    """Classify parts: NaNs as 3, infinities as 2, numbers as 1 and zeros as 0, with signs."""
    sizes = np.where(np.isinf(parts), 2, np.where(parts == 0, 0.5, 1))
    return np.where(np.isnan(parts), 3, np.copysign(sizes, parts))


@on_each_dialect
@of_each_size
@pytest.mark.parametrize("names", [UNARY, ["power"]], ids=["unary", "power"])
def test_special_values_are_those_of_numpy(char, names, dialect):
    parts = special_parts(char)
    few = parts[[0, 1, 2, 3, 4, 6, 7, 8, 14]]
    operands = combined(char, parts, parts) if names is UNARY else combined(char, few, few, few, few)
    for name, result in evaluated(names, operands, dialect).items():
        expected = on_host_silently(name, operands)
        for part in ("real", "imag"):
            wrong = np.flatnonzero(kinds(getattr(result, part)) != kinds(getattr(expected, part)))
            assert not wrong.size, [(name, *(x[i] for x in operands), result[i], expected[i]) for i in wrong[:5]]


@on_each_dialect
@of_each_size
@pytest.mark.parametrize("names", [UNARY, ["power"]], ids=["unary", "power"])
def test_parts_are_as_accurate_as_those_of_numpy(char, names, dialect):
    rng = np.random.default_rng(0)
    n, angle = 4000, rng.uniform(-4, 4, 1000)
    parts = rng.standard_normal((4, n)) * np.exp2(rng.uniform(-8, 3, n))
    parts[:2, :1000] = np.cos(angle), np.sin(angle)
    parts[:2, 1000:1500] = 1 + 1e-3 * parts[0, 1000:1500], 1e-3 * parts[1, 1000:1500]
    parts[2, 2000:], parts[3, 2000:] = rng.integers(-5, 6, 2000), 0  # whole exponents
    operands = [np.empty(n, char) for _ in range(1 if names is UNARY else 2)]
    for x, re, im in zip(operands, parts[::2], parts[1::2], strict=False):
        x.real, x.imag = re, im
    for name, result in evaluated(names, operands, dialect).items():
        precise, expected = on_host_silently(name, [x.astype("G") for x in operands]), on_host_silently(name, operands)
        for part in ("real", "imag"):
            size = np.maximum(abs(precise), 1) if name in BY_FORMULA else getattr(precise, part)
            unit = np.spacing(np.maximum(abs(size), np.finfo(char).tiny).astype(result.real.dtype))
            error, of_numpy = (abs(getattr(x, part).astype("g") - getattr(precise, part)) / unit
                               for x in (result, expected))  # fmt: skip
            allowed = max(8, (4 if name in BY_FORMULA else 1.5) * of_numpy.max())
            assert error.max() <= allowed, (name, operands[0][error.argmax()], error.max())


@of_each_size
@pytest.mark.parametrize("name", [*UNARY, "power"])
def test_flags_are_those_of_numpy(char, name):
    parts = special_parts(char)
    few = parts[[0, 2, 3, 4, 6, 8, 10]]
    operands = combined(char, parts, parts) if name != "power" else combined(char, few, few, few[:-1], few[1:-1])
    program, function = program_of(name, len(operands) * char, char), function_of(name)
    raised = np.array([on_host(function, [x[i : i + 1] for x in operands])[1] & REPORTED_FLAGS
                       for i in range(operands[0].size)])  # fmt: skip
    for flags in {*raised.tolist()}:
        some = [x[raised == flags] for x in operands]
        pieces = [slice(None)] if not flags else [slice(i, i + 1) for i in range(0, some[0].size, 7)]
        for piece in pieces:
            inputs = [x[piece].copy() for x in some]
            found = run(program, inputs, [np.zeros(inputs[0].size, char)], reported_flags=REPORTED_FLAGS, exact=False)
            assert found == [flags], ([x[:3] for x in inputs], found, flags)


def test_tiny_parts_underflow():
    values = {"exp": -1000 + 1j, "sinh": 1e-320 + 0.5j, "tanh": 400 + 1j, "arctanh": 0.5 + 1e308j,
              "sqrt": 1e308 + 1e-300j}  # fmt: skip
    for name, value in values.items():
        program = program_of(name, "D", "D")
        assert run(program, [np.array([value])], [np.zeros(1, "D")], reported_flags=15, exact=False) == [4]
