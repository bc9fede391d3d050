"""The reference backend: graphs computed node by node with NumPy give the same results as plans."""

import itertools
import operator
import random
import threading
import warnings

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core import api
from lazyarr._core.runtime import plan_cache, reference
from lazyarr.autodiff.trees import leaves
from support import numpy_comparison, program_runner, sample_values
from support.example_lines import basic, counting, products_and_methods, reductions
from support.feature_switches import switched
from support.lazy_helpers import pending
from support.program_grammar import statements

DTYPES = "?bBhHiIlLqQefdgFDG"
EXACT = basic.ELEMENTWISE | basic.LAYOUT | basic.INDEXING | basic.SORTING | basic.CREATION | counting.EXACT
NEAR = products_and_methods.CONTRACTION | products_and_methods.STATISTICS | counting.NEAR | reductions.REDUCTIONS \
    | reductions.SPECIAL | products_and_methods.METHODS
rng = np.random.default_rng(5)
X, Y, SQUARE = rng.standard_normal((3, 4)), rng.standard_normal((4, 3)), rng.standard_normal((4, 4)) + 3 * np.eye(4)
IMAGE, WEIGHTS = rng.standard_normal((2, 7, 6, 4)), rng.standard_normal((3, 2, 4, 6))


@pytest.fixture
def by_nodes():
    """Compute node by node during a test."""
    with switched(reference, True):
        yield


def evaluated(make):
    """Return the arrays of make() as ndarrays with their strides, and the warnings with their lines."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with api.one_plan():
            results = leaves(make())
            la.evaluate(*[x for x in results if isinstance(x, la.LazyArray)])
        arrays = [np.asarray(x) for x in results]
    return arrays, sorted((str(w.message), w.lineno) for w in caught)


def assert_alike(make, near=False, warned=True):
    """Compare plans with the reference: values, layouts and warnings."""
    expected, told = evaluated(make)
    with switched(reference, True):
        got, told_by_nodes = evaluated(make)
    same = sample_values.near_values if near else sample_values.same_values
    for a, b in zip(expected, got, strict=True):
        assert (a.dtype, a.shape, a.strides) == (b.dtype, b.shape, b.strides)
        assert np.all(same(a, b)), (a, b)
    if warned:
        assert told == told_by_nodes


# ---- single operations ---------------------------------------------------------------------------------


def as_numpy(result):
    """Return what NumPy would have returned."""
    if isinstance(result, la.LazyArray):
        return result.numpy()[()] if result._scalar else result.numpy()
    if isinstance(result, tuple | list):
        return getattr(result, "_make", type(result))(map(as_numpy, result))
    return result


@pytest.mark.parametrize("name", EXACT | NEAR)
def test_example_lines(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for line in (EXACT | NEAR)[name]:
            line = line.removeprefix("@")
            if "empty" in line and "like" in line:
                continue
            expected = as_numpy(numpy_comparison.run(line, la, numpy_comparison.lazy_operands()))
            with switched(reference, True):
                got = numpy_comparison.run(line, la, numpy_comparison.lazy_operands())
                problem = numpy_comparison.difference(expected, got, name in NEAR)
            assert problem is None, f"{line} gives {problem}"


UFUNCS = sorted({u for u in vars(np).values() if isinstance(u, np.ufunc) and u.signature is None and u.nin < 3},
                key=lambda u: u.__name__)


@pytest.mark.parametrize("u", UFUNCS, ids=lambda u: u.__name__)
def test_ufuncs(u):
    for chars, seed in itertools.product({types.partition("->")[0] for types in u.types}, range(3)):
        if not set(chars) <= set(DTYPES):
            continue
        operands = [sample_values.make(np.dtype(char), (5, 6), seed + 3 * i) for i, char in enumerate(chars)]
        for order in "C", "F":
            assert_alike(lambda: call(u, [np.asarray(x, order=order) for x in operands]))  # noqa: B023
        assert_alike(lambda: call(u, [x[::2, ::-1] for x in operands]))  # noqa: B023
        assert_alike(lambda: call(u, [operands[0], *[x[0] for x in operands[1:]]]))  # noqa: B023


def call(u, operands):
    if u is np.power and operands[0].dtype.kind in "iu":
        operands = [operands[0], np.abs(operands[1])]  # integers have no negative powers
    with np.errstate(all="warn"):
        return u(*map(pending, operands))


@pytest.mark.parametrize("source", DTYPES)
def test_casts(source):
    for target, seed in itertools.product(DTYPES, range(3)):
        x = sample_values.make(np.dtype(source), (4, 5), seed)
        if x.dtype.kind in "fc" and np.dtype(target).kind in "iu":  # C leaves open what other numbers become
            is_open = ~(np.abs(x) < 100) | (x.real < 0 if np.dtype(target).kind == "u" else False)
            x = np.where(is_open, x.dtype.type(1), x)
        with np.errstate(all="warn"):
            assert_alike(lambda: [pending(x).astype(target), pending(x.T).astype(target)])  # noqa: B023


@pytest.mark.parametrize("dtype", ["int8", "int64", "float16", "float64"])
@pytest.mark.parametrize("operate", [
    operator.mul, operator.floordiv, operator.mod, lambda a, b: list(divmod(a, b)), operator.add, operator.lt,
    operator.truediv])
def test_scalars(operate, dtype):
    def make():
        with np.errstate(all="warn"):
            return [operate(la.array([a], dtype)[0] * 1, la.array([b], dtype)[0] * 1)
                    for a, b in ((100, 100), (0, 0), (7, 2))]

    assert_alike(make)


# ---- several nodes -------------------------------------------------------------------------------------


def masked(x):
    x = pending(x)
    mask = x > 0
    x[mask] = np.sqrt(x[mask]) * 2 + 1
    x[~mask] -= 3
    np.add(x, 10, out=x, where=mask)
    return x, np.divide(1, x, where=mask, out=la.zeros(x.shape) * 2), np.where(mask, x, -x)


def selected(x):
    chosen = pending(x)[pending(x) > 0]
    return chosen * 2, np.exp(chosen).sum()


def updated(x):
    x = pending(x)
    before = x + 0
    x[1:, ::2] = x[:-1, 1::2]
    x.T[0] += x[:, 1]
    x[0] = 7
    x.reshape(-1)[3:8] *= 2
    return before, x, x[::-1], x.T.copy()


def viewed_as(x):
    x = pending(x) * (1 + 1j)
    x.real[1] = 5
    x.imag += 1
    y = x.copy()
    y.view("f8")[..., ::2] = 0
    return x, y


def several(x):
    x = pending(x)
    return *np.divmod(x, 0.7), *np.frexp(x), *np.modf(x), np.divmod(x, 2)[1]


def fancy(x):
    x, places = pending(x), la.array([2, 0, 2]) + 0
    x[places, 1] += 2
    x[:, [0, 3]] = x[:, [3, 0]]
    np.add.at(x, (places, 2), 1.5)
    np.put_along_axis(x, la.array([[0], [1], [3]]), 9, 1)
    return x, x[places], x[places][:, places], np.take(x, places, 1), x[x.argmax(0), np.arange(4)]


def sorted_lines(x):
    x = np.round(pending(x), 1)
    return (np.sort(x, 0), np.argsort(x, 1, kind="stable"), np.partition(x, 2, 1), np.argpartition(x, 1, 0),
            np.sort(x, None), np.median(x, 0), np.searchsorted(np.sort(x, None), x))


def repeated(x):
    x = pending(x)
    return (la.repeat(x, 2, 0), la.repeat(x, (2, 3), (0, 1)) + 1, la.tile(x, (2, 1, 2)), la.repeat(x, [1, 0, 2], 0),
            la.repeat(x, 3)[1:])


def folded(x):
    x = pending(x)
    x3 = np.stack([x, x * 2])
    return (x3.argmin(), x3.argmax(1), x3.argmax(-1, keepdims=True), x3.max((0, 2)), x.T.min(1), (x > 0).any(0),
            np.logical_and.reduce(x, 1), np.fmax.reduce(x3, (0, 1)), np.maximum.accumulate(x, 1),
            np.bitwise_or.reduce(x.astype(int), 0), x3.astype("i1").cumsum(), np.cumprod(np.round(x), 1))


def predicates(x):
    x = pending(x)
    product = x @ x.T
    both = la.array(product + product.T)
    return (la.is_symmetric(both), la.is_symmetric(x @ x.T + np.arange(3)), la.is_triangular(np.triu(x)),
            la.is_triangular(x, lower=True), la.is_hermitian(both * 1j))


MOVES = [masked, selected, updated, viewed_as, several, fancy, sorted_lines, repeated, folded, predicates]


@pytest.mark.parametrize("make", MOVES)
def test_moves_have_the_same_bits(make):
    with np.errstate(invalid="ignore"):
        assert_alike(lambda: make(X))


def pooled(x):
    pool = la.nn.max_pool2d(x, (3, 2), stride=(2, 1), padding=1), la.nn.avg_pool2d(x, 2, padding=1)
    return sum((y * y).sum() for y in (*pool, la.nn.adaptive_avg_pool2d(x, (3, 2)), la.nn.upsample(x, 1.5),
                                       la.nn.upsample(x, 2, mode="linear"), la.nn.max_pool2d(x, 2, dilation=2)))


def convolved(x, w):
    y = la.nn.conv2d(x, w, stride=(1, 2), padding=((1, 0), (2, 1)), dilation=(2, 1))
    z = la.nn.conv2d(x, w[..., :1, :4], groups=4, padding="same")
    return (y * y).sum() + (z ** 3).sum() + (la.nn.conv_transpose2d(y, w, stride=2) ** 2).sum()


def loop_of_products(x):
    def body(carry, row):
        carry = np.tanh(carry @ SQUARE) + row
        return carry, la.cond(carry.sum() > 0, lambda c: c * 2, lambda c: c - 1, carry)

    return la.scan(body, la.zeros((3, 4)), np.stack([x] * 40))


def chained(x, y):
    x, y = pending(x), pending(y)
    return (x @ y, x @ y[:, 0], x[0] @ y, np.stack([x, x + 1]) @ y, (x @ y) @ (x @ y) + 1, np.dot(x, y) * 2,
            np.einsum("ij,jk->k", x, y), np.einsum("ij,jk,ki->", x, y, x @ y), np.outer(x, y), np.tensordot(x, y, 1),
            (x * 1j) @ y, np.vdot(x, x), np.matvec(x, y[:, 0]) if hasattr(np, "matvec") else x)


SUMS = {
    "products": lambda: chained(X, Y),
    "integer products": lambda: chained((X * 9).astype(int), (Y * 9).astype(int)),
    "linalg": lambda: [np.linalg.inv(pending(SQUARE)), np.linalg.solve(pending(SQUARE), Y), np.linalg.det(SQUARE),
                       *np.linalg.qr(pending(SQUARE)), *np.linalg.slogdet(pending(SQUARE)),
                       np.linalg.svd(pending(X))[1], np.linalg.norm(pending(X), axis=0)],
    "fft": lambda: [np.fft.fft(pending(X)), np.fft.rfft2(pending(X)), np.fft.irfft(np.fft.rfft(pending(X)))],
    "statistics": lambda: [pending(X).var(0), pending(X).mean(), np.cov(pending(X)), np.percentile(pending(X), 30)],
    "pooling": lambda: la.value_and_grad(pooled)(pending(IMAGE)),
    "pooling twice": lambda: la.grad(lambda x: (la.grad(pooled)(x) ** 2).sum())(pending(IMAGE[:1, :5])),
    "pooling of integers": lambda: [la.nn.max_pool2d((IMAGE * 9).astype(int), 2),
                                    la.nn.avg_pool2d((IMAGE * 9).astype(int), 2)],
    "convolutions": lambda: [la.value_and_grad(convolved)(pending(IMAGE), pending(WEIGHTS)),
                             la.grad(convolved, 1)(pending(IMAGE), pending(WEIGHTS))],
    "convolutions of integers": lambda: la.nn.conv2d((IMAGE * 9).astype("i2"), (WEIGHTS * 9).astype("i2")),
    "convolutions of complex numbers": lambda: la.nn.conv2d(IMAGE * 1j, WEIGHTS + 1j),
    "gradients through indices": lambda: la.grad(lambda x: (fancy(x)[1] ** 2).sum())(pending(X)),
    "gradients through masks": lambda: la.grad(lambda x: masked(x)[0].sum())(pending(X)),
    "gradients through updates": lambda: la.grad(lambda x: (updated(x)[1] ** 2).sum())(pending(X)),
    "gradients through products": lambda: la.grad(lambda x: np.tanh(x @ Y).sum())(pending(X)),
    "loops": lambda: loop_of_products(pending(X)),
    "gradients through loops": lambda: la.grad(lambda x: loop_of_products(x)[1].sum())(pending(X)),
    "while": lambda: la.while_loop(lambda c: c.sum() < 1000, lambda c: c * c + 1, pending(X)),
    "vmap": lambda: la.vmap(lambda x: (x @ Y, np.sort(x), la.repeat(x, 2), x[la.array([1, 0])]))(pending(X)),
    "softmax": lambda: [la.nn.softmax(pending(X)), la.nn.layer_norm(pending(X))],
}


@pytest.mark.parametrize("name", SUMS)
def test_sums_are_close(name):
    assert_alike(SUMS[name], near=True, warned=False)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of what is flushed between programs
@pytest.mark.parametrize("seed", range(300))
def test_random_programs(seed, by_nodes):
    source = random.Random(seed)
    lines = statements.write(source, source.choice((8, 16, 32)), None, False)
    face = source.choice((la, la.numpy))
    with np.errstate(all="warn"), la.config(small_work="wait"):
        problem = program_runner.disagrees(
            lines, face, lambda *arrays: la.evaluate(*[x for x in arrays if isinstance(x, la.LazyArray)]),
            warn="subset")
    assert not problem, problem


# ---- the mode itself -----------------------------------------------------------------------------------


def families(kernel):
    for family in kernel.__subclasses__():
        yield from families(family) if family.__subclasses__() else [family]


def test_every_kernel_has_a_reference():
    import lazyarr.nn  # noqa: F401

    known = [family for family in families(api.Kernel) if family.__module__.startswith("lazyarr.")]
    assert len(known) >= 9
    for family in known:
        assert family.reference is not api.Kernel.reference, family


def test_no_plan_is_made(by_nodes):
    plan_cache.clear()
    before = plan_cache.stats()["misses"]
    np.asarray(pending(X) * 2 + 1)
    assert plan_cache.stats()["misses"] == before


def test_what_is_not_wanted_has_no_values(by_nodes):
    x = pending(X)
    y = (x * 2).sum()
    float(y)
    assert api.is_pending(x) is False
    z = np.sqrt(x * x)
    np.asarray(z + 1)
    assert not api.is_pending(z)  # a handle holds it


def test_old_values_that_are_wanted_stay(by_nodes):
    x = la.array(X)
    before, view = x * 1, x[0]
    kept = x + 0
    x[0] = 5
    np.testing.assert_array_equal(kept, X)
    np.testing.assert_array_equal(before, X)
    np.testing.assert_array_equal(view, [5] * 4)


def test_a_singular_matrix_fails_and_nothing_else(by_nodes):
    x = la.array(np.ones((3, 3)))
    before = x * 2
    broken = np.linalg.inv(x * 1) + 1
    after = before + 1
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        la.evaluate(after, broken)
    np.testing.assert_array_equal(after, np.full((3, 3), 3.0))
    for _ in range(2):
        with pytest.raises(np.linalg.LinAlgError, match="Singular"):
            np.asarray(broken * 2)
    x[0] = 4
    np.testing.assert_array_equal(x.sum(0), [6, 6, 6])


def test_a_floating_point_error_leaves_arrays_usable(by_nodes):
    x = la.array([1.0, 0.0])
    with np.errstate(divide="raise"):
        y = 1 / x
    x += 1
    z = x * 2
    with pytest.raises(FloatingPointError, match="divide by zero encountered in divide") as raised:
        la.evaluate(z, y)
    assert any("test_reference.py" in note for note in raised.value.__notes__)
    with pytest.raises(FloatingPointError):
        y.numpy()
    np.testing.assert_array_equal(z, [4, 2])
    np.testing.assert_array_equal(x, [2, 1])


@pytest.mark.parametrize("mode", ["ignore", "warn", "raise", "call", "print", "log"])
def test_errstates(mode, capsys):
    def outcome():
        log = []
        log_of = type("Log", (), {"write": lambda self, text: log.append(text), "__call__": lambda self, *what:
                                  log.append(what)})()
        with np.errstate(all=mode, call=log_of):
            made = [np.exp(pending(X) * 1000), pending(X) / 0, np.sqrt(-pending(np.abs(X))), pending(X)[0, 0] * 1e308]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                for x in made:
                    np.asarray(x)
            except FloatingPointError as error:
                log.append(str(error))
        return log, [(str(w.message), w.lineno, w.filename) for w in caught], capsys.readouterr()

    expected = outcome()
    with switched(reference, True):
        assert outcome() == expected


def test_calls_that_evaluate(by_nodes):
    """A nested evaluation computes part of what the outer one still has to compute."""
    x = pending(X)
    part, calls = x * 3, []

    def function(a):
        calls.append(1)
        return a + np.asarray(part * 1)[0, 0]

    called = la.delay(function, pending(Y), shape=Y.shape, dtype=float)
    result = called.sum() + part.sum()
    np.testing.assert_allclose(result, (Y + 3 * X[0, 0]).sum() + 3 * X.sum())
    assert calls == [1]


def test_a_call_with_several_results_is_made_once(by_nodes):
    calls = []

    def function(a):
        calls.append(1)
        return a + 1, a - 1

    more, less = la.delay(function, pending(X), shape=[X.shape] * 2, dtype=[float] * 2)
    np.testing.assert_array_equal(more * 1, X + 1)
    np.testing.assert_array_equal(less * 1, X - 1)
    assert calls == [1]


def test_switching_between_graphs_that_share_values():
    x = pending(X)
    y = x @ Y
    la.evaluate(y)
    with switched(reference, True):
        z = np.asarray(y * 2 + x.sum())
    np.testing.assert_allclose(z, 2 * (X @ Y) + X.sum())
    np.testing.assert_allclose(y + 1, X @ Y + 1)


def test_threads(by_nodes):
    results = []

    def work():
        results.append(np.asarray(np.tanh(pending(X) @ Y)))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 3
    assert all(np.array_equal(x, results[0]) for x in results)


def test_observers_hear_of_evaluations(by_nodes):
    records = []
    with la.config(on_evaluate=records.append):
        np.asarray(np.sort(la.array(X) * 2))
    [record] = records
    assert (record["hit"], record["steps"], record["kinds"]) == (False, 2, ["tile", "opaque"])
    assert [label for label, *_ in record["timeline"]] == ["multiply", "sort"]
