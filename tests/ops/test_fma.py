"""The fused multiply-add against exact arithmetic, and as a regular operation."""

import itertools
import pickle
import warnings
from fractions import Fraction

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core.ir.own_ufuncs import FMA_WIDEST, fma, make_fma
from support.call_outcomes import warned
from support.finite_differences import check
from support.lazy_helpers import compile_line, pending

FLOATS = ["f2", "f4", "f8"]
WIDTHS = range(FMA_WIDEST + 1)
INF, NAN = np.inf, np.nan
# Numbers of a block of four vectors of 512 bits, of one more, and of those that are left over.
SIZES = [1, 3, 63, 64, 65, 200]


@pytest.fixture(scope="module", params=WIDTHS)
def each_fma(request):
    """The ufunc with loops of each width that this processor has."""
    return make_fma(request.param)


def rounded(exact, dtype):
    """Return a Fraction other than 0 as the nearest float, of two the one with an even last bit."""
    info = np.finfo(dtype)
    exponent = abs(exact).numerator.bit_length() - exact.denominator.bit_length()
    exponent -= abs(exact) < Fraction(2) ** exponent
    unit = Fraction(2) ** (max(exponent, int(info.minexp)) - int(info.nmant))
    nearest = round(exact / unit) * unit
    if abs(nearest) > Fraction(float(info.max)):
        return np.dtype(dtype).type(INF if exact > 0 else -INF)
    return np.dtype(dtype).type(float(nearest) if nearest else -0.0 if exact < 0 else 0.0)


def expected_of(x, y, z):
    """Return x * y + z, rounded once, of three floats of one dtype."""
    if not np.isfinite([x, y]).all():
        return x * y + z
    if not np.isfinite(z):
        return z
    exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
    if exact:
        return rounded(exact, x.dtype)
    product_is_negative = np.signbit(x) != np.signbit(y)
    both = x == 0 or y == 0  # else the product is -z: their sum is +0
    return x.dtype.type(-0.0 if both and product_is_negative and np.signbit(z) else 0.0)


def expected(*operands):
    """Return the same of arrays."""
    with np.errstate(all="ignore"):
        return np.array([expected_of(*each) for each in zip(*operands, strict=True)], operands[0].dtype)


def assert_same_bits(got, wanted):
    """Compare bits, those of NaN left out."""
    got = np.asarray(got)
    assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
    kind = f"u{got.dtype.itemsize}"
    both_nan = np.isnan(got) & np.isnan(wanted)
    differ = np.flatnonzero(~both_nan & (got.view(kind) != wanted.view(kind)))
    assert differ.size == 0, [(i, got[i], wanted[i]) for i in differ[:5]]


def drawn(dtype, n, seed=0):
    """Return operands of random bits, and some for which most digits cancel or the sum lies between two floats."""
    rng = np.random.default_rng(seed)
    kind = np.dtype(f"u{np.dtype(dtype).itemsize}")
    x, y, z = rng.integers(0, np.iinfo(kind).max, (3, n), kind, endpoint=True).view(dtype)
    close = slice(0, n // 2)
    x[close], y[close] = (rng.uniform(0.5, 2, (2, x[close].size)) * [[1], [-1]]).astype(dtype)
    with np.errstate(all="ignore"):
        z[close] = -(x[close] * y[close])
        z[:n // 4] *= rng.choice([0.0, 0.5, 2, 3, 2.0 ** np.finfo(dtype).nmant, 2.0 ** -np.finfo(dtype).nmant], n // 4)
    return x, y, z


def special(dtype):
    """Return all triples of numbers at which something changes."""
    info = np.finfo(dtype)
    numbers = [0.0, -0.0, 1.0, -1.0, 1 + info.eps, info.max, -info.max, info.tiny, -info.tiny, info.smallest_subnormal,
               -info.smallest_subnormal, INF, -INF, NAN, 0.5]
    return np.array([*itertools.product(numbers, repeat=3)], dtype).T.copy()


@pytest.mark.parametrize("dtype", FLOATS)
def test_random_bits(each_fma, dtype):
    operands = drawn(dtype, 6000)
    with np.errstate(all="ignore"):
        assert_same_bits(each_fma(*operands), expected(*operands))


@pytest.mark.parametrize("dtype", FLOATS)
def test_special_values(each_fma, dtype):
    operands = special(dtype)
    with np.errstate(all="ignore"):
        assert_same_bits(each_fma(*operands), expected(*operands))


def test_the_product_is_not_rounded():
    x = 1 + 2.0 ** -30
    assert float(la.fma(la.array([x]), x, -1 - 2.0 ** -29)[0]) == 2.0 ** -60
    assert float(la.fma(la.array([1e300]), 1e10, -INF)[0]) == -INF
    assert float(la.fma(la.array([1e200]), 1e200, [-INF])[0]) == -INF
    assert la.fma(la.array([1e308]), 2.0, -1e308).tolist() == [1e308]


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_numbers_in_place_of_arrays(each_fma, dtype, n):
    operands = drawn(dtype, n, seed=n)
    for chosen in itertools.product([False, True], repeat=3):
        given = [x[:1] if is_number else x for x, is_number in zip(operands, chosen, strict=True)]
        wanted = expected(*[np.broadcast_to(x, n) for x in given])
        with np.errstate(all="ignore"):
            got = each_fma(*given)
            assert_same_bits(got if got.size == n else np.repeat(got, n), wanted)


@pytest.mark.parametrize("dtype", [*FLOATS, "g", "i1", "u8", "?", "i4"])
@pytest.mark.parametrize("layout", [slice(None, None, 2), slice(None, None, -1), slice(3, None, -3)])
def test_strides(each_fma, dtype, layout):
    rng = np.random.default_rng(0)
    x, y, z = drawn(dtype, 400) if dtype in FLOATS else rng.integers(0, 100, (3, 400)).astype(dtype)
    with np.errstate(all="ignore"):
        wanted = each_fma(x, y, z)[layout]
        one_by_one = np.array([each_fma(*each) for each in zip(x[layout], y[layout], z[layout], strict=True)])
        for got in (each_fma(x[layout], y[layout], z[layout]), one_by_one,
                    la.fma(la.asarray(x)[layout], y[layout], pending(z)[layout])):
            np.testing.assert_array_equal(got, wanted, strict=True)
            if dtype in FLOATS:
                assert np.asarray(got).tobytes() == wanted.tobytes()


def test_broadcasting():
    x, y, z = np.arange(3.0), np.arange(4.0)[:, None], np.arange(2.0)[:, None, None]
    got = la.fma(la.asarray(x), y, z)
    assert got.shape == (2, 4, 3)
    np.testing.assert_array_equal(got, x * y + z)
    np.testing.assert_array_equal(la.fma(la.asarray(x), y, z.T.copy().T[..., ::-1]), x * y + z)


@pytest.mark.parametrize("dtype", "bBhHiIlLqQ")
def test_integers_wrap_around(dtype):
    bits = np.random.default_rng(0).integers(0, 256, (3, 800), np.uint8)
    x, y, z = bits.view(dtype)
    got = la.fma(la.asarray(x), y, z)
    assert got.dtype == dtype
    np.testing.assert_array_equal(got, x * y + z)
    np.testing.assert_array_equal(la.fma(la.asarray(x)[::2], y[::-2], z[:1]), x[::2] * y[::-2] + z[:1])


def test_bools():
    operands = np.array([*itertools.product([False, True], repeat=3)]).T
    got = la.fma(*operands)
    assert got.dtype == bool
    np.testing.assert_array_equal(got, operands[0] & operands[1] | operands[2])


@pytest.mark.parametrize("dtypes", [*itertools.combinations_with_replacement("?bBiIlefdg", 3)])
def test_promotion(dtypes):
    operands = [np.ones(2, dtype) for dtype in dtypes]
    wanted = np.result_type(*operands)
    assert la.fma(*map(la.asarray, operands)).dtype == wanted
    assert la.fma(*map(pending, operands[::-1])).dtype == wanted


@pytest.mark.parametrize("dtype", "blefdg")
def test_python_scalars_are_weak(dtype):
    x = la.ones(2, dtype)
    assert la.fma(x, 2, 3).dtype == dtype
    assert la.fma(2, 3, x).dtype == dtype
    assert la.fma(1, x, 1.5).dtype == (dtype if dtype in "efdg" else "d")
    assert la.fma(x, np.float64(1), 1).dtype == np.result_type(dtype, "d")


def test_scalars():
    assert type(la.fma(2.0, 3, 1)) is np.float64
    assert type(la.fma(2, 3, True)) is np.int64
    made = la.fma(la.array([2.0])[0], 3, 1)
    assert made.shape == ()
    assert isinstance(made, float)
    assert la.fma([1.0, 2.0], 2, (1, 1)).tolist() == [3.0, 5.0]


def test_wrong_operands():
    x = la.ones(3)
    for call in (lambda f, x: f(x, x, np.ones(3, complex)), lambda f, x: f(x, x), lambda f, x: f(x, x, x, x, x),
                 lambda f, x: f(x, x, np.ones(2)), lambda f, x: f(x, "a", x), lambda f, x: f(x, x, np.ones(3, object)),
                 lambda f, x: f(np.ones(3, "i1"), 1000, 1), lambda f, x: f(x, x, np.ones(3, "m8[s]"))):
        with pytest.raises((TypeError, ValueError, OverflowError)) as numpys:
            call(fma, np.ones(3))
        with pytest.raises(numpys.type) as ours:
            call(la.fma, x)
        assert str(ours.value) == str(numpys.value)


# ---- floating-point errors -----------------------------------------------------------------------------

ERRORS = {
    "overflow encountered in fma": lambda f, x: f(x, 1e308, x * 1e308),
    "underflow encountered in fma": lambda f, x: f(x * 1e-300, 1e-20, 0.0),
    "invalid value encountered in fma": lambda f, x: f(x - x, INF, x),
}


@pytest.mark.parametrize("size", [2, 3000, 100_000])
@pytest.mark.parametrize("message", ERRORS)
def test_errors_are_numpys(message, size):
    data = np.linspace(1, 2, size)
    with np.errstate(all="warn"):
        wanted = warned(lambda: ERRORS[message](fma, data))
        assert message in wanted
        assert warned(lambda: ERRORS[message](la.fma, pending(data)).numpy()) == wanted


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("n", [1, 5, 200])
def test_errors_are_those_of_the_elements(each_fma, dtype, n):
    info = np.finfo(dtype)
    one, big, small = np.ones(n, dtype), np.full(n, info.max), np.full(n, info.tiny)
    for operands, told in [
        ((one, one, one), set()), ((big, one, -big), set()), ((big, 2 * one, -big), set()),
        ((one, small, small), set()),
        ((big, one, big), {"overflow"}), ((one * 3, big, one), {"overflow"}), ((big, -big, one), {"overflow"}),
        ((small, small, 0 * one), {"underflow"}), ((0 * one, one * np.array(INF, dtype), one), {"invalid value"}),
        ((one * np.array(INF, dtype), one, one * np.array(-INF, dtype)), {"invalid value"}),
        ((one * np.array(NAN, dtype), one, one), set()), ((one * np.array(INF, dtype), one, one), set()),
    ]:
        found = set()
        with np.errstate(all="call", call=lambda name, flag, found=found: found.add(name)):
            each_fma(*operands)
        assert found == told, operands


def test_an_error_names_its_line():
    with np.errstate(over="raise"):
        x = compile_line("made = fma(x, 1e308, x)", fma=la.fma, x=la.full(4, 10.0))["made"]
    with pytest.raises(FloatingPointError, match="overflow encountered in fma") as error:
        x.numpy()
    assert "user_script.py" in str(error.value) + "".join(getattr(error.value, "__notes__", []))
    with np.errstate(over="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert la.fma(la.full(4, 10.0), 1e308, 0.0).tolist() == 4 * [INF]


# ---- as an operation of the graph ----------------------------------------------------------------------


def test_it_is_fused():
    x = la.asarray(np.linspace(0, 1, 1000))
    with la.no_evaluation():
        y = la.fma(la.sqrt(x), 3.0, x - 1) * 2
    plan = str(la.explain(y).plan)
    assert "fma ddd->d" in plan
    assert plan.count("tile") == 1
    np.testing.assert_array_equal(y, fma(np.sqrt(x.numpy()), 3.0, x.numpy() - 1) * 2)
    np.testing.assert_allclose(la.fma(x, x, x).sum(), (x * x + x).sum(), rtol=1e-14)


@pytest.mark.parametrize("n", [5, 100_000, 1_000_003])
def test_several_threads_give_the_same_bits(n):
    x, y, z = np.random.default_rng(0).standard_normal((3, n))
    with la.config(num_threads=3):
        assert la.fma(la.asarray(x), y, z).numpy().tobytes() == fma(x, y, z).tobytes()


@pytest.mark.parametrize("small_work", ["wait", "auto", "now"])
@pytest.mark.parametrize("face", [la, la.numpy])
def test_small_arrays(face, small_work):
    with la.config(small_work=small_work):
        x = face.array([1.0, 2.0]) + 1
        made = la.fma(x, x, 0.5)
        assert type(made) is la.LazyArray
        assert made.tolist() == [4.5, 9.5]
        np.testing.assert_array_equal(fma(x, x, 0.5), [4.5, 9.5])


def test_a_rule_puts_it_in_place_of_two_operations():
    x, y, z = np.random.default_rng(0).random((3, 500))
    a, b, c = map(la.asarray, (x, y, z))
    la.evaluate(a, b, c)  # on a device, in one plan with what follows
    rule = la.rules.add("add(multiply(x, y), z)", "fma(x, y, z)", fast=["f", "d"])
    try:
        with la.config(fast_math=True):
            got = np.asarray(a * b + c)
            also = np.asarray(c - 0.5 + a * b)
    finally:
        la.rules.remove(rule.name)
    np.testing.assert_array_equal(got, fma(x, y, z))
    np.testing.assert_array_equal(also, fma(x, y, z - 0.5))
    np.testing.assert_array_equal(la.asarray(x) * y + z, x * y + z)


def test_keywords_of_ufuncs():
    x, out = la.arange(4.0), la.zeros(4)
    assert la.fma(x, 2, 1, out=out) is out
    assert la.fma(x, x, x, out, where=[True, False, True, False]) is out
    assert out.tolist() == [0, 3, 6, 7]
    assert la.fma(x, x, x, dtype="f4").dtype == "f4"
    assert (la.fma.nin, la.fma.nout) == (3, 1)
    x[1:] = la.fma(x[:-1], 10, x[1:])
    assert x.tolist() == [0, 1, 12, 23]
    with pytest.raises(ValueError, match="binary"):
        la.fma.reduce(x)


def test_pickles():
    assert pickle.loads(pickle.dumps(la.fma)) is la.fma
    assert pickle.loads(pickle.dumps(fma)) is fma


def test_derivatives():
    rng = np.random.default_rng(0)
    x, y, z = rng.random((3, 4)), rng.random(4), rng.random((2, 1, 1))
    check(la.fma, [x, y, z], fma)
    check(lambda x, y: la.fma(x, x, la.sin(y)) * la.fma(y, 2.0, 1), [x, y])
    gradient = la.grad(lambda *operands: la.fma(*operands).sum(), (0, 1, 2))(*map(la.asarray, (x, y, z)))
    for got, wanted in zip(gradient, (np.broadcast_to(2 * y, x.shape), 2 * x.sum(0), np.full(z.shape, 12.0)),
                           strict=True):
        np.testing.assert_allclose(got, wanted)
    assert float(la.grad(la.grad(lambda x: la.fma(x * x, x, x)))(la.array(2.0))) == 12


def test_vmap_and_jit_and_loops():
    x = np.arange(12.0).reshape(3, 4)
    batched = la.vmap(la.fma, (0, None, 0))(la.asarray(x), la.asarray(x[0]), la.asarray(x[:, 0]))
    np.testing.assert_array_equal(batched, x * x[0] + x[:, :1])
    np.testing.assert_array_equal(la.jit(lambda x: la.fma(x, 2, 1) - x)(la.asarray(x)), x + 1)
    looped = la.fori_loop(0, 3, lambda i, v: la.fma(v, 2.0, i), la.ones(2))
    np.testing.assert_array_equal(looped, [12, 12])
    carry, _ = la.scan(lambda carry, row: (la.fma(carry, 0.5, row), carry), la.zeros(4), la.asarray(x))
    np.testing.assert_array_equal(carry, x[0] / 4 + x[1] / 2 + x[2])


def test_stored_graph(tmp_path):
    x = la.var((None, 2), name="x")
    g = la.graph(x, la.fma(x, 3.0, la.fma(x, x, -1)))
    g.save(tmp_path / "fma.graph")
    data = np.arange(6.0).reshape(3, 2)
    for made in (g, la.load_graph(tmp_path / "fma.graph")):
        np.testing.assert_array_equal(made(data), data * 3 + data * data - 1)
