"""Slices of pending arrays: only the elements read are computed, with no other difference."""

import contextlib
import sys
import warnings

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import lazyarr as la
from lazyarr._core.host import allocator
from lazyarr._core.ir import fingerprint
from lazyarr._core.runtime import plan_cache
from lazyarr.ops.table import TABLE
from support import sample_values, strategies
from support.lazy_helpers import assert_same

SHAPE = 6, 5, 4
LARGE = 100_000


@contextlib.contextmanager
def cutting(elements):
    """Push slices that drop at least this many elements."""
    before = fingerprint.set_least_cut(elements)
    try:
        yield
    finally:
        fingerprint.set_least_cut(before)


def written(*arrays):
    """Return the numbers of elements that evaluating arrays writes to memory, step by step."""
    itemsize = max(x.dtype.itemsize for x in arrays)
    return [step.written // itemsize for step in la.explain(*arrays).steps]


def whole(function):
    """Return a function's result, evaluated without pushing slices."""
    with cutting(sys.maxsize):
        return np.asarray(function())


def integers(seed=0, size=LARGE):
    return la.array(np.random.default_rng(seed).integers(1, 1000, size))


# ---- values --------------------------------------------------------------------------------------------

CHAINS = {
    "of integers": lambda xp, i, j, f: (i + j) * 3 - i,
    "with broadcast operands": lambda xp, i, j, f: i * j[:1, :, :1] + j[0, 0] - j[2, 1, 3],
    "with a 0-d array": lambda xp, i, j, f: xp.abs(i - j.max()) ^ i,
    "of comparisons": lambda xp, i, j, f: ((i > 3) & (f < 0.5)) | (j == i),
    "of choices": lambda xp, i, j, f: xp.where(i > j, -f, xp.copysign(f, -1.0)),
    "of casts": lambda xp, i, j, f: (i + j).astype("float64").astype("complex128"),
    "that may warn": lambda xp, i, j, f: i // j + (i - 1),
    "of floats": lambda xp, i, j, f: (f / (f - f[0]) + i) * f,
    "that warns below": lambda xp, i, j, f: xp.where(i > 2, f / j, -f),
    "of transcendental functions": lambda xp, i, j, f: xp.exp(f) - xp.sqrt(f),
    "with a sum below": lambda xp, i, j, f: i - i.sum(axis=1, keepdims=True) + j,
    "of permuted axes": lambda xp, i, j, f: (i.transpose(2, 0, 1) + j.transpose(2, 0, 1)) * 2,
    "of windows": lambda xp, i, j, f: (i[::-1] + j)[:, ::-1] * 2 - j[:, 1:2],
    "of one operand twice": lambda xp, i, j, f: (i + 1) * (i + 1) - (i ^ 1),
}
READERS = {
    "itself": lambda xp, y: y,
    "another operation": lambda xp, y: y * 2,
    "the same slice twice": lambda xp, y: y * y,
    "a sum": lambda xp, y: y.sum(),
    "sums": lambda xp, y: y.sum(axis=0) if y.ndim else y,
    "a call": lambda xp, y: xp.sort(y, axis=None),
    "an assignment": lambda xp, y: assigned(xp, y),
}


def assigned(xp, y):
    made = xp.ones(y.shape, y.dtype)
    made[...] = y
    return made


def told(function):
    """Return a function's result or exception, and the warnings with their lines."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            made = function()
        except FloatingPointError as error:
            made = str(error)
    return made, [(str(warning.message), warning.filename, warning.lineno) for warning in caught]


@given(chain=st.sampled_from([*CHAINS]), reader=st.sampled_from([*READERS]), seed=strategies.SEEDS,
       mode=st.sampled_from(["warn", "ignore", "raise"]), int_name=st.sampled_from(["int8", "int64", "uint16"]),
       float_name=st.sampled_from(["float16", "float32", "float64"]), data=st.data())
def test_slices_have_the_values_and_the_errors_of_numpy(chain, reader, seed, mode, int_name, float_name, data):
    arrays = [sample_values.make(name, SHAPE, seed + k) for k, name in enumerate((int_name, int_name, float_name))]
    shape = SHAPE if chain != "of permuted axes" else (4, 6, 5)
    key = data.draw(strategies.basic_keys(shape))

    def run(xp, operands):
        with np.errstate(all=mode):
            made = READERS[reader](xp, CHAINS[chain](xp, *operands)[key])
            return made, np.asarray(made)

    (expected, messages) = told(lambda: run(np, arrays))
    with cutting(1):
        (got, lazily) = told(lambda: run(la, [la.array(x) for x in arrays]))
    if isinstance(expected, str):
        assert got == expected
        return
    assert {text for text, *_ in lazily} == {text for text, *_ in messages}
    assert_same(got[1], expected[1])
    assert got[0].strides == np.asarray(expected[0]).strides


@given(data=st.data(), seed=strategies.SEEDS)
def test_slices_of_slices(data, seed):
    x = sample_values.make("int64", SHAPE, seed)
    first = data.draw(strategies.basic_keys(SHAPE))
    second = data.draw(strategies.basic_keys(x[first].shape))
    with np.errstate(over="ignore"), cutting(1):
        expected = (((x + 1)[first] * 2)[second] - 3).T
        assert_same((((la.array(x) + 1)[first] * 2)[second] - 3).T, expected)


@pytest.mark.parametrize("read", [
    lambda xp, m: m.sum(), lambda xp, m: m.sum(axis=1), lambda xp, m: (m * 3 - 1).sum(axis=0), lambda xp, m: m.max(),
    lambda xp, m: m.cumsum(axis=0), lambda xp, m: m.ravel("K"), lambda xp, m: xp.linalg.norm(m), lambda xp, m: m @ m.T,
    lambda xp, m: (m > 0).sum(axis=0), lambda xp, m: xp.sort(m, axis=0),
])
@pytest.mark.parametrize("key", [np.s_[:, :70], np.s_[:150:2], np.s_[100:, ::-3]])
def test_reductions_and_calls_round_as_of_the_whole(read, key):
    m = np.random.default_rng(0).standard_normal((300, 200)).astype("float32")
    with np.errstate(all="ignore"):
        for x in (la.array(m), la.array(m).T.copy().T):
            assert_same(read(la, (x + x[0, 0])[key]), whole(lambda x=x: read(la, (x + x[0, 0])[key])))


def test_functions_see_the_strides_of_the_window():
    m = integers().reshape(1000, -1)
    seen = la.delay(lambda x: np.array(x.strides), (m + 1)[:10, ::-3], shape=(2,), dtype=int)
    assert written(seen)[0] == 340
    assert seen.numpy().tolist() == [800, -24]


def test_sums_of_floats_read_the_whole():
    x = np.abs(la.array(np.linspace(-1, 1, LARGE)))
    assert LARGE in written((x[:100] * 2).sum())


def test_different_windows_of_one_result():
    a = np.arange(LARGE)

    def run(a):
        y = a + 1
        return y[:100] * y[:100] + y[50:150]

    assert_same(run(la.array(a)), run(a))


def test_layouts_that_numpy_gives():
    x = np.arange(2 * LARGE).reshape(1000, -1)
    lazy = la.array(x)
    for key in (np.s_[:10], np.s_[:, :3], np.s_[::7, ::-2], np.s_[5], np.s_[::-1, 4], np.s_[3, None, 2:9]):
        got, expected = (lazy + 1)[key], (x + 1)[key]
        la.evaluate(got)
        assert (got.strides, got.flags.c_contiguous, got.flags.owndata, got.base is None) == (
            expected.strides, expected.flags.c_contiguous, expected.flags.owndata, expected.base is None)
        assert_same(got, expected)


# ---- how much is computed ------------------------------------------------------------------------------


@pytest.mark.parametrize(("make", "count"), [
    (lambda a, b, m: (a + b)[:100], 100),
    (lambda a, b, m: ((a + b) * 2 - a)[50:20:-3] + 1, 10),
    (lambda a, b, m: (a + b)[7], 1),
    (lambda a, b, m: np.where(a > b, a, -b)[::1000], 100),
    (lambda a, b, m: (a > b).astype(float)[-10:], 10),
    (lambda a, b, m: (m * 2 + m[0] - m[:, :1])[:3, None, 5:20], 45),
    (lambda a, b, m: (m.T ^ m.T)[4:8].T, 4000),
    (lambda a, b, m: ((a + b)[1000:] * 2)[:100], 100),
    (lambda a, b, m: (a + b)[:100] + (a - b)[100:200], 100),
    (lambda a, b, m: (lambda y: y * y)((a + b)[:100]), 100),
])
def test_only_the_window_is_computed(make, count):
    a, b = integers(1), integers(2)
    m = a.reshape(1000, -1)
    x = make(a, b, m)
    explained = la.explain(x)
    assert [step.written for step in explained.steps] == [count * x.dtype.itemsize]
    assert explained.steps[0].read < 100 * count * x.dtype.itemsize
    assert_same(x, make(np.asarray(a), np.asarray(b), np.asarray(m)))


def test_memory_is_taken_for_the_window_alone():
    a, b = integers(1), integers(2)
    x = (a + b)[:100]
    before = allocator.stats()["live_bytes"]
    allocator.reset_peak()
    la.evaluate(x)
    assert allocator.stats()["peak_bytes"] - before < 10_000


def test_errors_that_are_ignored_keep_nothing():
    x = la.array(np.linspace(0, 1, LARGE))
    with np.errstate(all="ignore"):
        y = (x / 3 + x)[:100]
    assert written(y) == [100]
    with np.errstate(under="ignore"):
        y = (x / 3 + x)[:100]
    assert written(y) == [LARGE]


def test_operands_that_others_read_are_sliced_if_they_are_leaves():
    a = integers()
    x, y = (a + 1)[:100], a * 2
    assert sorted(written(x, y)) == [100, LARGE]
    assert_same(x, np.asarray(a)[:100] + 1)


def test_a_pending_operand_that_is_computed_anyway_is_computed_once():
    a = integers()
    shared = a + 1
    x = (shared * 2)[:100]
    names = [name for step in la.explain(x, shared).steps for name in step.operations]
    assert names.count("add") == 1
    assert sum(written(x, shared)) == LARGE + 100
    assert_same(x, (np.asarray(a)[:100] + 1) * 2)
    assert la.explain(shared).steps == []


def test_what_is_below_an_operation_that_may_warn_stays_in_one_pass():
    a = integers()
    x = np.where(a > 5, 10 // a, a)[:100]
    assert written(x) == [LARGE]
    x = np.where(a > 5, 10 // a, a)[:100] + 1
    assert written(x) == [LARGE, 100]


@pytest.mark.parametrize("make", [
    lambda a: a // 7,
    lambda a: a.astype("float64") * 1.5,
    lambda a: a.astype("float64").astype("int32"),
    lambda a: np.cumsum(a),
    lambda a: np.sort(a),
])
def test_the_whole_is_computed_where_more_than_a_part_of_it_counts(make):
    assert max(written(make(integers())[:100])) == LARGE


# ---- who else sees the rest ----------------------------------------------------------------------------


def test_a_handle_that_lives_keeps_the_whole():
    a = integers()
    y = a + 1
    z = y[:100]
    assert written(z) == [LARGE]
    la.evaluate(z)
    assert_same(y, np.asarray(a) + 1)


def test_another_view_keeps_the_whole():
    a = integers()
    y = a + 1
    z, others = y[:100], y[50:]
    del y
    la.evaluate(z)
    others[0] = -1
    assert z[50] == -1
    assert others[1] == a[51] + 1


def test_another_reader_keeps_the_whole():
    a = integers()
    y = a + 1
    x, total = y[:100] * 2, y.sum()
    del y
    assert sum(written(x, total)) == LARGE + 101
    assert (total, x[3]) == (np.asarray(a + 1).sum(), (a[3] + 1) * 2)


def test_writes_in_place_and_slices():
    a = np.arange(LARGE)
    for xp in (np, la):
        y = xp.array(a) + 1
        z = y[:100]
        y += 1
        y[50:150] *= 2
        w = (y * 2)[:100]
        w += z
        seen = [np.asarray(v) for v in (w, z, y)]
        if xp is np:
            expected = seen
    for got, wanted in zip(seen, expected, strict=True):
        assert_same(got, wanted)


def test_a_slice_that_was_computed_alone_is_an_array_as_any():
    a = np.arange(LARGE)
    z = (la.array(a) + 1)[200:100:-2]
    la.evaluate(z)
    part = z[10:20]
    part += 1000
    z *= 2
    expected = a[200:100:-2] + 1
    expected[10:20] += 1000
    assert_same(z, expected * 2)
    assert part.base is z.base
    assert np.shares_memory(z, part)


def test_derivatives_are_those_of_the_whole():
    x = la.array(np.linspace(1, 2, LARGE))
    with np.errstate(all="ignore"):
        expected = whole(lambda: la.grad(lambda x: (x * x + x)[:100].sum())(x))
        assert_same(la.grad(lambda x: (x * x + x)[:100].sum())(x), expected)


@pytest.mark.parametrize(("make", "plain"), [
    (lambda: la.jit(lambda x: (x + 1)[10:20] * 2), lambda x: (x + 1)[10:20] * 2),
    (lambda: lambda x: la.fori_loop(0, 3, lambda k, y: (x + k)[10:20] + y, x[:10]),
     lambda x: 3 * x[10:20] + x[:10] + 3),
])
def test_bodies_of_functions_and_loops(make, plain):
    a, f = np.arange(LARGE), make()
    for k in range(3):
        x = la.array(a + k)
        before = allocator.stats()["live_bytes"]
        allocator.reset_peak()
        assert_same(f(x), plain(a + k))
        assert allocator.stats()["peak_bytes"] - before < a.nbytes // 2


def test_nans_are_looked_for_in_the_whole():
    x = np.ones(LARGE)
    x[-1] = 0
    with np.errstate(all="ignore"), la.config(debug_nans=True), pytest.raises(FloatingPointError, match="first NaN"):
        (la.array(x) * 0 / la.array(x))[:10].numpy()


def test_the_reference_computes_the_same():
    a = np.arange(LARGE)
    with la.config(backend="reference"):
        assert_same((la.array(a) * 2)[5:10], a[5:10] * 2)


# ---- plans ---------------------------------------------------------------------------------------------


def test_one_plan_serves_all_bounds():
    a, m = integers(), integers().reshape(100, -1)
    for k in range(20):
        misses = plan_cache.stats()["misses"]
        x = (a * a - a)[k + 1:100 * (k + 2):k + 1]
        y = (m + 1)[k:2 * k + 5, 3:20 + k] - 1
        assert_same(x, (np.asarray(a) * np.asarray(a) - np.asarray(a))[k + 1:100 * (k + 2):k + 1])
        assert_same(y, np.asarray(m)[k:2 * k + 5, 3:20 + k])
        assert k < 2 or plan_cache.stats()["misses"] == misses


def test_few_elements_are_not_worth_a_look():
    a = integers(size=100)
    assert written((a + 1)[:10]) == [100]


# ---- properties in the rows of ufuncs ------------------------------------------------------------------


def quiet_types():
    """Return the ufuncs whose rows say that they report no errors, with the operand types for which they say so."""
    for op in TABLE.values():
        chars = "?bBhHiIlLqQ" * bool(op.traits & {"quiet", "quiet_of_integers"}) + "efdg" * ("quiet" in op.traits)
        for types in op.function.types if chars else ():
            if set(types.partition("->")[0]) <= {*chars}:
                yield op.function, types


def signalling_nans(dtype):
    """Return NaNs of a float dtype that most operations report."""
    bits = {"e": ("<u2", 0x7d00), "f": ("<u4", 0x7fa00000), "d": ("<u8", 0x7ff4000000000000)}.get(dtype.char)
    return np.empty(0, dtype) if bits is None else np.array([bits[1]], bits[0]).view(dtype)


@pytest.mark.parametrize(("ufunc", "types"), [*quiet_types()])
def test_what_is_called_quiet_reports_no_errors(ufunc, types):
    values = []
    for char in types.partition("->")[0]:
        dtype = np.dtype(char)
        special = sample_values.special_values(dtype)
        values.append(np.concatenate([special, signalling_nans(dtype) if dtype.kind == "f" else special]))
    operands = values if len(values) == 1 else [values[0][:, None].copy(), values[1][None].copy()]
    with np.errstate(all="raise"):
        for x in (operands, [np.repeat(x, 40, axis=-1) for x in operands if x.ndim == 1] or operands):
            ufunc(*x, signature=types)


@pytest.mark.parametrize("target", "fdgFDG")
@pytest.mark.parametrize("source", sample_values.INTEGERS)
def test_casts_of_integers_report_no_errors(source, target):
    with np.errstate(all="raise"):
        sample_values.special_values(source).astype(target)


def test_as_strided_stays_inside_what_was_computed():
    y = la.arange(100_000) + 1
    v = y[100:200]
    del y
    la.evaluate(v)
    as_strided = la.lib.stride_tricks.as_strided
    np.testing.assert_array_equal(as_strided(v, (4, 25), (200, 8)), np.arange(101, 201).reshape(4, 25))
    np.testing.assert_array_equal(as_strided(v[::-1], (3,), (-16,)), [200, 198, 196])
    for shape, strides in (((101,), (8,)), ((2,), (-8,)), ((3,), (800,))):
        with pytest.raises(ValueError, match="evaluated as a slice alone"):
            as_strided(v, shape, strides)
