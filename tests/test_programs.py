"""Random programs, and every ufunc over every dtype, run with NumPy and with lazyarr in lockstep."""

import itertools
import random
import types
import warnings

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import lazyarr as la
from support import program_runner, sample_values, strategies
from support.program_grammar import statements, writer

UFUNCS = {name: function for name, function in vars(np).items()
          if isinstance(function, np.ufunc) and function.signature is None and function.__name__ == name}
PYTHON_SCALARS = (True, 0, 2, -1, 300, 0.5, -2.0, float("nan"), 1e300, 1j)


def evaluate(*arrays):
    la.evaluate(*[array for array in arrays if isinstance(array, la.LazyArray)])


def check(lines, **options):
    """Check a program; if it fails, report the shortest one that still does."""
    def fails(lines):
        return program_runner.disagrees(lines, la, evaluate, **options)

    if (problem := fails(lines)) is not None:
        pytest.fail(fails(program_runner.minimise(lines, fails)) or problem, pytrace=False)


# Failing programs are minimised line by line, which is faster than Hypothesis's shrinking.
random_programs = settings(phases=(Phase.explicit, Phase.reuse, Phase.generate))


@random_programs
@given(strategies.programs())
def test_a_program_agrees_with_numpy(lines):
    with np.errstate(all="warn"):
        check(lines, warn="subset")


@pytest.mark.parametrize("seed", range(40))
def test_many_programs_agree_with_numpy(seed):
    for number in range(min(50, settings().max_examples)):
        lines = statements.write(random.Random(1000 * seed + number), length=16)
        with np.errstate(all="warn"):
            check(lines, warn="subset")


@random_programs
@given(strategies.programs(length=60))
def test_a_long_program_agrees_with_numpy(lines):
    with np.errstate(all="ignore"):
        check(lines)


@random_programs
@given(strategies.programs(length=40))
def test_small_budgets_change_nothing(lines):
    with np.errstate(all="ignore"), la.config(budget_nodes=5):
        check(lines)


@random_programs
@given(strategies.programs(kinds=statements.PURE_KINDS))
def test_warnings_are_numpys(lines):
    with np.errstate(all="warn"):
        check(lines, warn="equal")


@random_programs
@given(strategies.programs(kinds=statements.PURE_KINDS))
def test_floating_point_errors_are_numpys(lines):
    with np.errstate(all="raise"):
        check(lines, at_once=True)


@random_programs
@given(strategies.programs(kinds=("create", "operator", "view", "basic_read", "in_place", "assign", "overlap", "look")))
def test_views_and_in_place_updates_agree_with_numpy(lines):
    with np.errstate(all="ignore"):
        check(lines)


@random_programs
@given(strategies.programs(kinds=("create", "binary", "select", "reduction", "rounded_reduction", "accumulation")))
def test_reductions_agree_with_numpy(lines):
    with np.errstate(all="ignore"):
        check(lines)


# Every ufunc, with every combination of dtypes.

def outcome(function, operands):
    """Return a call's results, or the text of its exception, which is arbitrary for objects."""
    try:
        result = function(*operands)
    except Exception as error:
        return program_runner.error_text(error)
    return result if isinstance(result, tuple) else (result,)


def compare(name, operands, got):
    expected = outcome(UFUNCS[name], operands)
    if isinstance(expected, str) or isinstance(got, str):
        assert got == expected
        return
    assert len(got) == len(expected)
    for a, b in zip(expected, got, strict=True):
        problem = program_runner.value_difference(a, b)
        assert problem is None, f"np.{name} of {[getattr(x, 'dtype', x) for x in operands]}: {problem}"


def data(name, dtype, seed, size=37):
    array = sample_values.make(dtype, (size,), seed)
    if name in ("copysign", "signbit"):
        array = np.nan_to_num(array, copy=False)  # the sign of a NaN is an accident, which these would show
    if name in ("power", "pow", "ldexp") and array.dtype.kind == "i":
        array = np.abs(array) % 5  # an integer to a negative power is an error, and tested as such elsewhere
    return array


@pytest.mark.parametrize("name", sorted(UFUNCS))
def test_ufunc_over_all_dtypes(name):
    function = getattr(la, name)
    for number, dtypes in enumerate(itertools.product(sample_values.DTYPES, repeat=UFUNCS[name].nin)):
        operands = [data(name, dtype, number + k) for k, dtype in enumerate(dtypes)]
        with np.errstate(all="ignore"):
            compare(name, operands, outcome(function, [la.asarray(operand) for operand in operands]))


@pytest.mark.parametrize("name", sorted(name for name, function in UFUNCS.items() if function.nin == 2))
def test_ufunc_with_python_scalars(name):
    function = getattr(la, name)
    for (number, dtype), scalar in itertools.product(enumerate(sample_values.DTYPES), PYTHON_SCALARS):
        array = data(name, dtype, number)
        if name in ("power", "pow", "ldexp") and scalar == -1:
            continue
        with np.errstate(all="ignore"):
            compare(name, [array, scalar], outcome(function, [la.asarray(array), scalar]))
            compare(name, [scalar, array], outcome(function, [scalar, la.asarray(array)]))


def test_a_loop_that_numpy_has_remembered():
    # After an output of objects NumPy uses the object loop for these operands instead of raising TypeError.
    operands = [np.ones(3, "F"), np.ones(3, "F")]
    with pytest.raises(AttributeError):
        la.arctan2(*map(la.asarray, operands), out=np.empty(3, object))
    compare("arctan2", operands, outcome(la.arctan2, [la.asarray(operand) for operand in operands]))


@given(st.sampled_from(sorted(writer.EXACT & UFUNCS.keys())), strategies.broadcasting_pairs())
def test_layouts_and_broadcasting(name, pair):
    operands = [np.real(operand) if operand.dtype.kind == "c" else operand for operand in pair[:UFUNCS[name].nin]]
    with np.errstate(all="ignore"):
        compare(name, operands, outcome(getattr(la, name), [la.asarray(operand) for operand in operands]))


@given(strategies.layouts(), st.data())
def test_basic_keys(array, draw):
    key = draw.draw(strategies.basic_keys(array.shape))
    assert program_runner.value_difference(array[key], la.asarray(array)[key]) is None
    changed, lazy = array.copy(), la.array(array)
    changed[key] = 1
    lazy[key] = 1
    assert program_runner.value_difference(changed, lazy) is None


@given(strategies.layouts(), strategies.dtypes())
def test_casts(array, dtype):
    if array.dtype.kind in "fc" and np.dtype(dtype).kind in "iu":
        array = np.nan_to_num(array).clip(0, 100)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        assert program_runner.value_difference(array.astype(dtype), la.asarray(array).astype(dtype)) is None


# The checker itself must detect differences.

def altered(**functions):
    """Return NumPy with some of its functions replaced."""
    return types.SimpleNamespace(**{**vars(np), **functions})


@pytest.mark.parametrize("faulty, line", [
    (altered(add=lambda a, b: np.add(a, b) + 1), "v2 = xp.add(v1, v1)"),
    (altered(add=lambda a, b: np.add(a, b).astype("float32")), "v2 = xp.add(v1, v1)"),
    (altered(negative=lambda a: np.abs(a)), "v2 = xp.negative(v1 * 0)"),
    (altered(ravel=lambda a: a.copy().ravel()), "xp.ravel(v1)[0] = 9"),
    (altered(add=lambda a, b: np.add(a, b[0])), "v2 = xp.add(v1, v1[:2])"),
    (altered(ravel=lambda a: a.copy().ravel()), "v2 = xp.ravel(v1)"),
    (altered(array=lambda a: np.array(a)[:]), "v2 = xp.array(v1)"),
    (altered(flip=lambda a: a[::-1].copy()), "v2 = xp.flip(v1)"),
    (altered(asarray=lambda a: a[:]), "v2 = xp.asarray(v1)"),
    (altered(sum=lambda a: np.sum(a, keepdims=True).reshape(())), "v2 = xp.sum(v1 * 0)"),
    (altered(shares_memory=lambda a, b: False), "v2 = v1[:1]"),
    (altered(sum=lambda a: np.sum(a) + 1e-9), "v2 = xp.sum(v1)"),
    (altered(sum=lambda a: np.sum(a) + 1e-3), "t2 = xp.sum(v1)"),
    (altered(exp=lambda a: np.exp(np.abs(a))), "show(repr(xp.exp(-1 - v1 * v1)))"),
])
def test_the_checker_notices(faulty, line):
    lines = ["v1 = xp.array(make('float64', (3,), 0))", line]
    assert program_runner.disagrees(lines, np, lambda *arrays: None) is None
    assert program_runner.disagrees(lines, faulty, lambda *arrays: None) is not None


def test_the_checker_notices_warnings():
    quiet = altered(log=lambda a: np.log(np.abs(a)))
    lines = ["v1 = xp.log(xp.array([0.0]) - 1)", "v1 = xp.array(0)"]
    with np.errstate(all="warn"):
        assert program_runner.disagrees(lines, np, lambda *arrays: None, warn="equal") is None
        assert "NumPy warns of {'invalid" in program_runner.disagrees(lines, quiet, lambda *arrays: None, warn="equal")


def test_minimise_keeps_what_matters():
    lines = [f"v{k} = xp.array({k})" for k in range(20)]
    wanted = {lines[3], lines[11]}
    assert set(program_runner.minimise(lines, lambda left: wanted <= set(left))) == wanted


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("source", [name for name in sample_values.DTYPES if np.dtype(name).kind in "fc"])
@pytest.mark.parametrize("target", [name for name in sample_values.DTYPES if np.dtype(name).kind in "fc"])
def test_casts_round_as_often_as_numpys(source, target):
    # values near the midpoints of two float16, float32 and float64, to detect double rounding
    steps = np.arange(1, 64)
    middles = np.concatenate([1 + np.longdouble(2) ** -bits * (2 * steps + 1) for bits in (11, 24, 53)])
    nudges = np.longdouble(2) ** -np.arange(12, 63)
    x = np.concatenate([np.outer(middles, 1 + nudges), np.outer(middles, 1 - nudges)]).astype(source)
    np.testing.assert_array_equal(la.array(x).astype(target), x.astype(target))


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_casts_of_complex_numbers_look_at_the_real_part_alone():
    x = np.zeros(9, "c8")
    x.imag = [np.nan, np.inf, 3e38, -np.inf, 1e20, np.nan, 1, 2, 3]
    for target in ("i1", "u2", "i4", "i8", "f2"):
        with np.errstate(all="raise"):
            np.testing.assert_array_equal(la.array(x).astype(target), np.zeros(9, target))
