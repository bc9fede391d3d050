"""The device's own functions, used if `config.exact` is off: accurate to a few ulps, with status flags."""

import numpy as np
import pytest

from lazyarr._core import api
from lazyarr._core.ir.inner_loops import loop_number
from lazyarr._core.ir.tile_program import Instruction, TileProgram
from lazyarr.gpu.generator import expressions
from tests.support.opencl_kernels import function_of, on_host, run

pytestmark = pytest.mark.skipif(api.DEBUG, reason="debug builds generate the same")

BINARY = ("arctan2", "hypot", "power", "float_power", "logaddexp", "logaddexp2")
UNARY = sorted(name for name, row in expressions.VENDOR.items() if "f" in row and name not in BINARY)
CHARS = {"float_power": "d"}
PLACES = 16  # OpenCL allows that many units of the last place to pow of float32, and less to all others
DIVIDE, OVERFLOW, UNDERFLOW, INVALID = 1, 2, 4, 8


def evaluated(names, operands, reported_flags=0):
    """Return results and flags of several functions of the same operands, by one kernel."""
    char, n = operands[0].dtype.char, len(operands)
    instructions = tuple(Instruction(loop_number(name, (n + 1) * char), k, (*range(n), n + k))
                         for k, name in enumerate(names))  # fmt: skip
    program = TileProgram(0, tuple(range(n)), (), tuple(range(n, n + len(names))), instructions, ())
    results = [np.zeros(operands[0].shape, char) for _ in names]
    raised = run(program, operands, results, reported_flags=reported_flags, exact=False)
    return dict(zip(names, results, strict=True)), dict(zip(names, raised, strict=True))


def places(result, precise, least):
    """Return errors in ulps; where either is not finite, 0 if they are the same and infinity if not.

    Numbers below `least` have the unit of that.
    """
    rounded = precise.astype(result.dtype)
    unit = np.spacing(np.maximum(np.abs(rounded), least).astype(result.dtype))
    error = np.abs(result.astype("g") - precise) / unit
    same = (result == rounded) | (np.isnan(result) & np.isnan(rounded))
    return np.where(same, 0, np.where(np.isfinite(result) & np.isfinite(rounded), error, np.inf))


@pytest.mark.parametrize("char", ["e", "f", "d"])
@pytest.mark.parametrize("names", [UNARY, BINARY], ids=["unary", "binary"])
def test_functions_are_accurate(char, names):
    rng = np.random.default_rng(0)
    names = [name for name in names if char in CHARS.get(name, "efd")]
    special = np.array([0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 0.5, 2, -2.5], char)
    operands = [(rng.standard_normal(2000) * np.exp2(rng.uniform(-8, 4, 2000))).astype(char) for _ in range(2)]
    pairs = np.meshgrid(special, special)
    operands = [np.concatenate([x, grid.ravel()]) for x, grid in zip(operands, pairs, strict=True)]
    operands = operands[: 1 if names[0] in UNARY else 2]
    results, _ = evaluated(names, operands)
    with np.errstate(all="ignore"):
        for name, result in results.items():
            precise = function_of(name)(*[x.astype("g") for x in operands])
            least = 1 if "logaddexp" in name else np.finfo(char).tiny  # it adds numbers of that size
            error = places(result, precise, least)
            assert error.max() <= PLACES, (name, [x[error.argmax()] for x in operands], result[error.argmax()])


@pytest.mark.parametrize("char", ["f", "d"])
@pytest.mark.parametrize(("names", "values", "flag"), [
    (("sin", "cos", "tan"), [np.inf], INVALID),
    (("arcsin", "arccos", "arctanh"), [2], INVALID),
    (("log", "log2", "log10"), [-1], INVALID),
    (("log", "log2", "log10"), [0], DIVIDE),
    (("arctanh",), [-1], DIVIDE),
    (("log1p",), [-1], DIVIDE),
    (("exp", "exp2", "sinh", "cosh", "expm1"), [2000], OVERFLOW),
    (("power", "hypot"), [3e38, 3e38], None),
    (("power",), [0, -2], DIVIDE),
    (("power",), [-2, 0.5], INVALID),
    (("power", "logaddexp", "hypot", "arctan2"), [2, 0.5], 0),
    (("power",), [1e-30, 400], UNDERFLOW),
    (("exp", "exp2"), [-2000], UNDERFLOW),
    ((*UNARY[:5], "sin", "tan", "exp", "log"), [np.nan], 0),
])  # fmt: skip
def test_functions_raise_flags(char, names, values, flag):
    operands = [np.array([value], char) for value in values]
    for name, raised in evaluated(names, operands, reported_flags=15)[1].items():
        assert raised == (on_host(function_of(name), operands)[1] if flag is None else flag), name
