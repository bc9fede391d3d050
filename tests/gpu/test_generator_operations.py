"""Each operation in a generated kernel: NumPy's bits and status flags, or no kernel."""

import functools

import numpy as np
import pytest

from lazyarr._core import api
from lazyarr.gpu.generator.agreement import DIGESTS, agrees
from lazyarr.gpu.generator.dialects import CUDA, OPENCL, TYPES
from lazyarr.gpu.generator.tile_kernels import Form, NoKernel, generate
from lazyarr.ops.ufunc_rows import UFUNCS
from tests.support.opencl_kernels import build_together, function_of, on_host, program_of, random_values, run, same_bits
from tests.support.sample_values import special_values

pytestmark = pytest.mark.skipif(api.DEBUG, reason="debug builds generate the same")

CHARS = "?bBhHiIlLefdFD"
RANDOM = 500
on_each_dialect = pytest.mark.parametrize("dialect", [OPENCL, CUDA], ids=lambda dialect: dialect.name)

# Operations on the host: NumPy uses its own or the C library's algorithms, or raises Python errors.
ON_HOST = {
    **dict.fromkeys(
        ("arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "cbrt", "cosh", "exp2",
         "expm1", "hypot", "log10", "log1p", "log2", "logaddexp", "logaddexp2", "sinh", "tan"), CHARS),
    **dict.fromkeys(("cos", "sin", "tanh", "sign", "sqrt"), "FD"),
    **dict.fromkeys(("exp", "float_power", "power"), "FD"), "log": "eFD",
}  # fmt: skip
for op, chars in DIGESTS:
    if not agrees(op, chars):
        ON_HOST[op] = ON_HOST.get(op, "") + chars[0]


def loops_of(name):
    """Return (characters of operands, of results) of a ufunc's loops for native dtypes except long double."""
    function = function_of(name)
    if function is None or function.signature:
        return []
    pairs = [tuple(types.split("->")) for types in dict.fromkeys(function.types)]
    return [(read, made) for read, made in pairs if set(read + made) <= TYPES.keys()]


@functools.cache
def one_operand(char):
    """Return special values of a dtype, including some that round to the smallest normal number of a dtype."""
    values = special_values(char)
    if np.dtype(char).kind == "f":
        with np.errstate(all="ignore"):
            more = [1.5 * 2.0**-126, 2.0**-126 * (1 - 2.0**-26), 2.0**-14 * (1 - 2.0**-12), 65519.9, 65520, 3e-8, 9e-8,
                    100.5, 2.0**63, -(2.0**31) - 1, 3e9, 1e300, 1e-300]  # fmt: skip
            values = np.concatenate([values, np.array(more).astype(char)])
    return values


def operands_of(read):
    """Return all combinations of special values, and random ones."""
    specials = [one_operand(char) for char in read]
    if len(read) == 3 or (len(read) == 2 and read[0] in "FD"):
        specials = [values[:: 1 + len(values) // 12] for values in specials]
    rng = np.random.default_rng(len(read))
    grid = [axis.ravel() for axis in np.meshgrid(*specials, indexing="ij")]
    return [np.concatenate([axis, random_values(rng, char, RANDOM)]) for axis, char in zip(grid, read, strict=True)]


def compare(name, read, made, function, operands, dialect):
    """Compare the kernel of an operation with the host; flags are compared per group of elements that raise the same.
    """
    program = program_of(name, read, made)
    results = [np.zeros(operands[0].size, char) for char in made]
    run(program, operands, results, dialect=dialect)
    expected, _ = on_host(function, operands)
    for result, wanted in zip(results, expected, strict=True):
        wrong = np.flatnonzero(~same_bits(result, wanted) & ~zeros(name, result, wanted))
        assert not wrong.size, [(*(x[i] for x in operands), result[i], wanted[i]) for i in wrong[:5]]
    if not may_raise(read, made):
        return
    raised = np.array([on_host(function, [x[i : i + 1] for x in operands])[1] for i in range(operands[0].size)])
    for flags in {*raised.tolist()}:
        some = [x[raised == flags] for x in operands]
        single = [slice(i, i + 1) for i in range(min(6, some[0].size))] if flags else []
        for part in (slice(None), *single):
            inputs = [x[part].copy() for x in some]
            outputs = [np.zeros(inputs[0].size, char) for char in made]
            found = run(program, inputs, outputs, reported_flags=15, dialect=dialect)
            assert found == [flags], ([x[:3] for x in inputs], found, flags)


def may_raise(read, made):
    return set(read + made) & set("efdFD") or len(read) == 2


def zeros(name, result, wanted):
    """Return where NumPy's zeros may have either sign, depending on the memory layout."""
    is_choice = name in UFUNCS and "extremum" in UFUNCS[name].traits
    return (result == 0) & (wanted == 0) if is_choice else np.zeros(result.shape, bool)


def build_loops(loops, dialect):
    """Compile the kernels that `compare` runs at once: (name, characters of operands, of results)."""
    build_together([generate(program_of(*loop), Form(1, 0, (), (flags,), (*loop[1], *loop[2])), dialect)
                    for loop in loops for flags in ((0, 15) if may_raise(*loop[1:]) else (0,))], dialect)  # fmt: skip


@on_each_dialect
@pytest.mark.parametrize("name", [name for name in UFUNCS if loops_of(name) and ON_HOST.get(name) != CHARS])
def test_operations_have_the_bits_and_flags_of_the_host(name, dialect):
    loops = [(read, made) for read, made in loops_of(name) if read[0] not in ON_HOST.get(name, "")]
    build_loops([(name, *loop) for loop in loops], dialect)
    for read, made in loops:
        operands = operands_of(read)
        if name == "power" and made not in "efd":  # no kernel gets negative exponents of integers
            operands = [x[operands[1] >= 0] for x in operands]
        compare(name, read, made, function_of(name), operands, dialect)


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@on_each_dialect
@pytest.mark.parametrize("source", CHARS)
def test_casts_have_the_bits_and_flags_of_the_host(source, dialect):
    build_loops([("cast", source, target) for target in CHARS.replace(source, "")], dialect)
    for target in CHARS.replace(source, ""):
        (x,) = operands_of(source)
        if target == "I" and source in "fdFD":  # NumPy's differ by where an element lies
            x = x[(x.real >= -(2.0**31)) & (x.real < 2.0**32)]
        compare("cast", source, target, lambda x, target=target: x.astype(target), [x], dialect)


@on_each_dialect
@pytest.mark.parametrize("char", "efd")
def test_constant_limits_keep_the_sign_of_zeros_as_numpys(char, dialect):
    x = one_operand(char)
    result = np.zeros_like(x)
    for limits in ([0, 1], [-0.0, 0], [-1, -0.0], [2, 1], [np.nan, 1], [0, np.nan]):
        low, high = (np.full_like(x, limit) for limit in limits)
        run(program_of("clip", 3 * char, char), [x, low, high], [result], constants=(1, 2), dialect=dialect)
        assert same_bits(result, np.clip(x, low[0], high[0])).all(), limits


@pytest.mark.parametrize(("name", "char"), [("power", "e"), ("power", "f"), ("power", "d"), ("float_power", "d")])
def test_powers_to_a_number_are_squares_where_those_of_numpy_are(name, char):
    if not agrees(name, 2 * char):
        pytest.skip("NumPy computes them by another algorithm here")
    x = np.random.default_rng(0).uniform(0.1, 10, 20_000).astype(char)
    result, square = np.zeros_like(x), np.array(2, char)
    run(program_of(name, 2 * char, char), [x, np.full_like(x, 2)], [result], constants=(1,))
    assert same_bits(result, function_of(name)(x, square)).all()


@on_each_dialect
@pytest.mark.parametrize("char", CHARS)
def test_choices_and_copies_move_bits(char, dialect):
    rng = np.random.default_rng(0)
    mask, x, y = (random_values(rng, c, 100) for c in ("?", char, char))
    for name, read, operands, expected in (("where", "?" + 2 * char, [mask, x, y], np.where(mask, x, y)),
                                           ("copy", char, [x], x)):  # fmt: skip
        result = np.zeros(100, char)
        run(program_of(name, read, char), operands, [result], dialect=dialect)
        assert result.tobytes() == expected.tobytes()


def test_every_loop_has_a_kernel_or_runs_on_the_host():
    without = {}
    for name in UFUNCS:
        for read, made in loops_of(name):
            form = Form(1, 0, (), (15,), (*read, *made))
            try:
                generate(program_of(name, read, made), form, OPENCL)
            except NoKernel:
                without.setdefault(name, []).append(read[0])
    print("on the host:", {name: "".join(chars) for name, chars in without.items()})
    known = {name: [read[0] for read, _ in loops_of(name) if read[0] in chars] for name, chars in ON_HOST.items()}
    assert without == {name: chars for name, chars in known.items() if chars}


ELSEWHERE = {
    "isnat": "is of datetimes and timedeltas alone, which stay on the host",
    **dict.fromkeys(("matmul", "vecdot", "matvec", "vecmat"), "is a product, whose kernels `lazyarr.gpu.calls` has"),
}


def test_every_ufunc_of_numpy_has_kernels_of_all_dtypes_unless_bits_matter():
    for name in dir(np):
        if isinstance(getattr(np, name), np.ufunc) and name not in ELSEWHERE:
            loops = loops_of(getattr(np, name).__name__)
            assert loops, name
            for read, made in loops:
                generate(program_of(getattr(np, name).__name__, read, made),
                         Form(1, 0, (), (15,), (*read, *made), exact=False), OPENCL)  # fmt: skip
    assert all(not loops_of(name) for name in ELSEWHERE)


@pytest.mark.parametrize(("name", "chars", "message"), [
    ("add", "ggg", "dtype g"), ("tan", "dd", "tan d->d .* config.exact"),
    ("exp", "FF", "exp F->F .* config.exact"),
])  # fmt: skip
def test_what_has_no_kernel_is_named(name, chars, message):
    with pytest.raises(NoKernel, match=message):
        generate(program_of(name, chars[:-1], chars[-1]), Form(1, 0, (), (0,), (*chars,)), OPENCL)
