"""Eager execution of small operations in lazyarr.numpy: NumPy's results, errors, warnings and memory."""

import copy
import itertools
import pickle
import random
import threading
import warnings

import numpy as np
import pytest

import lazyarr as la
import lazyarr.numpy as xp
from lazyarr._core.frontend import native_forms
from support import sample_values
from support.eager_comparison import LAYOUTS, bits, difference, operands, problems, run
from support.example_lines import eager

CLIP = np._core.umath.clip  # a ufunc of three operands
THIN = 3    # of the pairs of dtypes and layouts each line sees one in so many; 1 for all


def test_every_native_form_has_lines():
    assert set(native_forms.names()) - {"evaluate"} == set(eager.LINES)  # which is no function of NumPy's


@pytest.mark.parametrize("name", eager.LINES)
def test_native_form(name):
    """All spellings of a call, over dtypes and layouts: NumPy's bits, type, layout, errors, warnings and memory."""
    found = {}
    for k, (dtype, layout) in enumerate(itertools.product(sample_values.DTYPES, LAYOUTS)):
        make = operands(dtype, layout)
        for line in eager.LINES[name][k % THIN::THIN]:
            if (problem := problems(line, make)) is not None:
                found[f"{line} of {dtype}, {layout}"] = problem
    assert not found


def equal(a, b):
    """Return whether elements are equal, including NaNs of any sign, which depends on NumPy's order of operands."""
    return np.all(sample_values.same_values(np.asarray(a), np.asarray(b)))


def ufunc_problem(line, dtypes, layouts):
    """Return the differences of a line of ufuncs or operators with arrays of these kinds."""
    results = []
    for namespace in (np, xp):
        (x, _), (y, _) = (operands(*kind)(namespace) for kind in zip(dtypes, layouts, strict=True))
        result, warned = run(line, namespace, x, None, y=y)
        results.append((result, warned, x, y))
    (want, warned, *changed), (got, noticed, *lazy) = results
    if isinstance(want, Exception):
        return difference(want, got)  # how far NumPy came before it failed is its affair
    found = difference(want, got, equal) or (None if warned == noticed else f"warns {noticed}, expected {warned}")
    return found or next(filter(None, (difference(a, b, equal) for a, b in zip(changed, lazy, strict=True))), None)


UFUNCS = [u for u in {id(u): u for u in vars(np).values() if isinstance(u, np.ufunc)}.values()
          if u.signature is None and u.nin <= 2]


@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda ufunc: ufunc.__name__)
def test_ufunc(ufunc):
    """Calls in all spellings have NumPy's results, errors and warnings at the call."""
    lines = eager.UNARY if ufunc.nin == 1 else eager.BINARY
    assert not wrong_lines([line.replace("np.f(", f"np.{ufunc.__name__}(") for line in lines], ufunc.__name__)


ORDERS = "< <= == != > >=".split()


@pytest.mark.parametrize("operator", [*"+ - * / // % ** & | ^ << >>".split(), *ORDERS])
def test_operator(operator):
    lines = [line for line in eager.OPERATORS if "o=" not in line or operator not in ORDERS]
    assert not wrong_lines([line.replace(" o", f" {operator}") for line in lines], operator)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("name", ["sum", "prod", "mean", "var", "std", "cumsum", "cumprod"])
@np.errstate(all="ignore")
def test_numbers_are_added_in_the_order_of_numpy(name, dtype):
    draw = np.random.default_rng(5)
    for shape in (7,), (8,), (38,), (129,), (1000,), (5000,), (38, 1), (1, 38), (300, 2), (100, 30), (5, 4, 6):
        plain = draw.standard_normal(shape)
        plain = (plain + 1j * plain[::-1] if dtype.startswith("c") else plain).astype(dtype)
        mine = xp.array(plain)
        for arguments in [(), *((axis,) for axis in range(plain.ndim))]:
            assert bits(getattr(mine, name)(*arguments)) == bits(getattr(plain, name)(*arguments)), (shape, arguments)
        for view in (lambda x: x[::-1], lambda x: x[::2], lambda x: x.T):
            assert bits(getattr(view(mine), name)()) == bits(getattr(view(plain), name)()), shape


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8", "?"])
@pytest.mark.parametrize("name", ["mean", "var", "std"])
@pytest.mark.parametrize("size", [8191, 8193, 20_000, 65_536])
def test_moments_of_more_than_numpy_casts_at_once(size, name, dtype):
    plain = (100 * np.random.default_rng(size).standard_normal(size)).astype(dtype)
    mine = xp.array(plain)
    assert bits(getattr(mine, name)()) == bits(getattr(plain, name)())
    if dtype.startswith("f"):
        for axis in 0, 1:
            assert bits(getattr(mine[:8190].reshape(-1, 9), name)(axis)) == \
                bits(getattr(plain[:8190].reshape(-1, 9), name)(axis))


def wrong_lines(lines, seed):
    """Return the lines that differ from NumPy for some pairs of dtypes and layouts, with the differences."""
    source = random.Random(seed)
    found = {}
    for line in lines:
        for _ in range(25):
            dtypes, layouts = source.choices(sample_values.DTYPES, k=2), source.choices([*LAYOUTS], k=2)
            if source.random() < 0.6:
                layouts[1] = layouts[0]
            if (problem := ufunc_problem(line, dtypes, layouts)) is not None:
                found[f"{line} of {dtypes}, {layouts}"] = problem
    return found


# ---- memory --------------------------------------------------------------------------------------------


def six(namespace):
    """Return two arrays of six elements, one with a NaN."""
    return namespace.array([1.5, np.nan, -3.0, 0.25, 9.0, -0.0]), namespace.array([2.0, 3.0, 4.0, 5.0, 7.0, 6.0])


@pytest.mark.parametrize("show_first", [False, True], ids=["fresh", "shown"])
@pytest.mark.parametrize("line", eager.WRITES)
def test_write_leaves_snapshots_alone(line, show_first):
    x, a = six(np)
    exec(line, {"np": np, "x": x, "a": a})
    lazy, b = six(xp)
    if show_first:
        xp.unique(lazy)  # the ndarray that NumPy's functions got
    base, view = lazy, lazy[1:4]
    snapshots = [lazy.numpy(), view.numpy(), lazy.copy(), la.asarray(lazy.numpy())]
    kept = [bits(snapshot) for snapshot in snapshots]
    pending = [la.array(lazy) * 2, la.multiply(lazy, 2)]
    doubled = bits(six(np)[0] * 2)
    exec(line, {"np": xp, "x": lazy, "a": b})
    assert bits(lazy) == bits(x)
    assert base is lazy
    assert bits(view) == bits(x[1:4])
    assert [bits(snapshot) for snapshot in snapshots] == kept
    assert [bits(product) for product in pending] == [doubled, doubled]


@pytest.mark.parametrize("line", eager.WRITES)
def test_write_to_array_that_lends_its_memory(line):
    """Neither an ndarray that an array shares memory with, nor a read-only one, is written to."""
    x, a = six(np)
    x.flags.writeable = False
    kept = bits(x)
    lazy = xp.asarray(la.asarray(x))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(line, {"np": xp, "x": lazy, "a": xp.asarray(a)})
    assert bits(x) == kept


@pytest.mark.parametrize("line", eager.WRITES)
def test_read_only_array_is_not_written_to(line):
    def outcome(namespace):
        x, a = six(namespace)
        namespace.unique(x)
        x.flags.writeable = False
        try:
            exec(line, {"np": namespace, "x": x, "a": a})
        except Exception as error:
            return type(error), str(error), bits(x)
        return bits(x)

    assert outcome(xp) == outcome(np)


@pytest.mark.parametrize("view", ["x", "x[::2]", "x.reshape(3, 2)", "x.reshape(3, 2).T", "x.reshape(1, 6)[:, 1:]",
                                  "x[0]"])
@pytest.mark.parametrize("key", [
    "[0]", "[-1, 0]", "[0, 0, 0]", "[0, 9]", "[0, -9]", "[True, False]", "[0, True]", "[0, np.int64(0)]", "[0.0]", "[]",
    "[[0, 0]]", "[2**70]", "[None]", "['a']", "([0, -1],)", "([0], 0)", "[x.size and 0]"])
def test_lists_as_keys(view, key):
    def outcome(namespace):
        x = six(namespace)[0]
        try:
            made = eval(f"({view})[{key}]", {"np": namespace, "x": x})
            return np.shape(made), bits(made)
        except Exception as error:
            return type(error), str(error)

    assert outcome(xp) == outcome(np)


def test_array_that_was_shown_takes_another_shape():
    x, y = np.zeros(6), xp.zeros(6)
    for namespace, array in ((np, x), (xp, y)):
        namespace.unique(array)
        array.shape = 2, 3
    assert difference(x[[1, 0, 1]], y[[1, 0, 1]]) is None
    assert difference(np.unique(x, axis=0), xp.unique(y, axis=0)) is None
    x.dtype = y.dtype = "i4"
    assert difference(np.median(x, axis=1), xp.median(y, axis=1)) is None


@pytest.mark.parametrize("line", [
    "np.broadcast_to(np.linspace(0, 1, 3), (2, 3))", "np.broadcast_to(x, (2, 6))", "np.broadcast_to(1.5, (2, 3))",
    "np.diagonal(x.reshape(2, 3))", "np.linspace(0, 1, 3)", "np.real(x)", "np.imag(x + 0j)", "np.atleast_2d(1.0)",
    "np.broadcast_arrays(x, x.reshape(6, 1))[0][np.array([0])]", "np.split(np.linspace(0, 1, 4), 2)",
    "x[:0].reshape(0, 2)",
    "(lambda b: b >> b[0])(np.broadcast_arrays((x > 0).reshape(3, 2).T[:, None], np.ones((2, 2, 3)))[0])"])
def test_flags_of_views(line):
    want, got = (eval(line, {"np": namespace, "x": six(namespace)[0]}) for namespace in (np, xp))
    assert difference(want, got) is None


def test_view_of_foreign_ndarray_owns_no_memory():
    assert not xp.flip(np.arange(3)).flags.owndata


# ---- grids ---------------------------------------------------------------------------------------------

GRIDS = """
    [0:3, 0:4] [:3, 1:4] [0:3] [0:3,] [0:7:2, -1:5:3] [5:0:-1, 0:2] [0:1:3j, 0:2] [0:3.0, 0:2] [0:0, 0:2] [3:1, 0:2]
    [0:2, 0:1, 0:3] [0:600, 0:600] [0:2, 1] [0:, 0:2] [0:2:0, 0:2] [-2**31:-2**31+2, 0:2] [0:True, 0:2]
""".replace(", ", ",").split()


@pytest.mark.parametrize("line", [f"np.{name}{key}" for name in ("mgrid", "ogrid") for key in GRIDS])
def test_grid(line):
    (want, warned), (got, noticed) = (run(line, namespace, None, None) for namespace in (np, xp))
    assert difference(want, got) is None
    assert warned == noticed


# ---- values --------------------------------------------------------------------------------------------


def test_loop_is_not_called_for_no_elements():
    """NumPy checks for negative exponents only if there are elements."""
    assert difference(np.zeros(0, int) ** -1, xp.zeros(0, int) ** -1) is None
    x = xp.zeros(0, int)
    assert xp.power(x, -1, x) is x
    with pytest.raises(ValueError, match="negative integer powers"):
        xp.ones(1, int) ** -1


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "nansum", "average", "trapezoid"])
@pytest.mark.parametrize("step", [1, -1, 2, -2])
def test_order_in_which_a_line_is_folded(name, step):
    data = np.random.default_rng(0).standard_normal((50, 14))
    for row in data:
        assert getattr(np, name)(row[::step]) == getattr(xp, name)(xp.array(row)[::step])


class Index:
    """An integer-like class."""

    def __index__(self):
        return -1


@pytest.mark.parametrize("name", [*eager.FOLDS, "ptp", "nanmean", "nanstd", "median"])
def test_axis_of_any_integer_class(name):
    data = sample_values.make("float64", (2, 3), 0)
    for namespace in (la, xp):
        assert np.array_equal(getattr(namespace, name)(namespace.array(data), axis=Index()),
                              getattr(np, name)(data, axis=Index()))


class Counted(Index):
    """An integer that counts its reads."""

    reads = 0

    def __index__(self):
        self.reads += 1
        return super().__index__()


@pytest.mark.parametrize("size", [6, 1 << 18])
@pytest.mark.parametrize("columns", [4, 2])
@pytest.mark.parametrize("namespace", [la, xp])
def test_extent_is_read_once(size, columns, namespace):
    extent = Counted()
    assert namespace.zeros((size, 4))[:, :columns].reshape(columns, extent).shape == (columns, size)
    assert extent.reads == 1


def test_extents_of_classes_of_integers():
    x = xp.arange(6.0)
    assert x.reshape(np.int8(2), np.uint64(3)).shape == x.reshape((np.int64(2), -1)).shape == (2, 3)
    for wrong in (2.0, np.bool_(True), True, "2"):
        with pytest.raises((TypeError, ValueError)):
            x.reshape(wrong, 3)


@pytest.mark.parametrize("k", [2, -1, 1 << 20, -(1 << 20), (1 << 30) - 1])
def test_diagonals_far_away(k):
    x = np.arange(12.0).reshape(3, 4)
    want, got = np.diag(x, k), xp.diag(xp.asarray(x), k)
    assert got.shape == want.shape
    np.testing.assert_array_equal(got, want)
    want, got = np.diag(np.zeros((1, 1 << 20)), k), xp.diag(xp.zeros((1, 1 << 20)), k)
    assert got.shape == want.shape


@pytest.mark.parametrize("ufunc, n", [(np.add, 0), (np.add, 1), (np.negative, 0), (CLIP, 1), (CLIP, 2)])
def test_protocol_with_too_few_operands(ufunc, n):
    x = xp.array([1.0, 2])
    with pytest.raises(TypeError) as want:
        np.ones(2).__array_ufunc__(ufunc, "__call__", *[np.ones(2)] * n)
    with pytest.raises(TypeError) as got:
        x.__array_ufunc__(ufunc, "__call__", *[x] * n)
    assert str(got.value) == str(want.value)


@pytest.mark.parametrize("first", [np.float64(3), None])
def test_protocol_with_a_result_in_the_place_of_an_operand(first):
    x, y = xp.array([1.0, 2]), xp.array([0.0, 0])
    x.__array_ufunc__(np.negative, "__call__", x if first is None else first, y)
    assert y.tolist() == ([-1, -2] if first is None else [-3, -3])


@pytest.mark.parametrize("name", ["inv", "det", "cholesky", "eigvals", "eigvalsh"])
@pytest.mark.parametrize("shape", [(2, 3), (0, 0), (3,), (2, 2, 3)])
def test_what_is_no_square_matrix(name, shape):
    x = np.ones(shape, int)
    results = []
    for a, linalg in ((x, np.linalg), (xp.asarray(x), xp.linalg)):
        try:
            results.append(np.asarray(getattr(linalg, name)(a)).tolist())
        except np.linalg.LinAlgError as error:
            results.append(str(error))
    assert results[0] == results[1]


@pytest.mark.parametrize("name", ["mean", "var", "std", "median", "average"])
@pytest.mark.parametrize("small_work", ["auto", "now", "wait"])
@pytest.mark.parametrize("dtype", ["f2", "f4", "g", "c8"])
def test_statistic_of_which_parts_are_flushed(name, small_work, dtype):
    """If pending parts of a statistic are evaluated midway, it goes on as it began."""
    with la.config(budget_nodes=1, small_work=small_work):
        for face in (la, xp):
            for shape in ((), (3,), (1, 1, 4)):
                x = face.ones(shape, dtype)
                for y in (x, x[x > 0], face.sqrt(x)):
                    assert getattr(face, name)(y, axis=None) == getattr(np, name)(np.ones(3, dtype), axis=None)


# ---- tracing, settings, threads, libraries -------------------------------------------------------------

SETTINGS = ["auto", "now", "wait"]


@pytest.mark.parametrize("small_work", SETTINGS)
@pytest.mark.parametrize(("line", "gradient"), [
    ("(w * w).sum()", [2, 4, 6]),
    ("np.sum(w * x)", [1, 2, 3]),
    ("np.dot(w, x)", [1, 2, 3]),
    ("w[0] * w[1]", [2, 1, 0]),
    ("np.maximum(np.sum(w), 0)", [1, 1, 1]),
    ("np.negative(w[1])", [0, -1, 0]),
    ("np.frexp(np.sum(w))[0] * w[0]", [0.875, 0.125, 0.125]),
    ("np.where(w > 1, w, 0.0).sum()", [0, 1, 1]),
    ("np.concatenate([w, w]).sum()", [2, 2, 2]),
    ("np.cumsum(w).sum()", [3, 2, 1]),
    ("np.cumsum(w, 0, None, np.zeros(3)).sum()", [3, 2, 1]),
    ("np.add(w, w, np.zeros(3)).sum()", [2, 2, 2]),
    ("(w + [1, 2, 3]).sum()", [1, 1, 1]),
    ("z = np.zeros(3); z[0] = w[1]; r = (z * w).sum()", [2, 1, 0]),
    ("z = np.zeros(3); z += w; r = (z * w).sum()", [2, 4, 6]),
    ("(np.sort(w) * x).sum()", [1, 2, 3]),
    ("np.roll(w, 1)[0]", [0, 0, 1])])
def test_gradient(line, gradient, small_work):
    with la.config(small_work=small_work):
        x = xp.array([1.0, 2.0, 3.0])

        def loss(w):
            result, _ = run(line, xp, x, None, w=w)
            if isinstance(result, Exception):
                raise result
            return result

        assert np.array_equal(la.grad(loss)(x), gradient)


@pytest.mark.parametrize("small_work", SETTINGS)
@pytest.mark.parametrize("face", [la, xp])
def test_gradient_by_a_number(face, small_work):
    """A traced scalar has a value, but operations on it are not eager."""
    with la.config(small_work=small_work):
        assert la.grad(lambda y: face.maximum(y, 0))(2.0) == 1
        assert la.grad(lambda y: face.square(y))(2.0) == 4


@pytest.mark.parametrize("small_work", SETTINGS)
def test_transforms(small_work):
    with la.config(small_work=small_work):
        x = xp.arange(12.0).reshape(3, 4)
        assert np.array_equal(la.vmap(lambda row: xp.sum(row))(x), np.sum(x.numpy(), 1))
        doubled = la.jit(lambda a: xp.sum(a * 2) + a[0, 1])
        assert [float(doubled(x)), float(doubled(x + 1))] == [133.0, 158.0]


def test_gradient_of_what_was_done_at_once_is_refused():
    """No chain leads from a result to its inputs: an error, not a gradient of zeros."""
    w, waiting = xp.array([1.0, 2.0]), la.array([3.0, 4.0])
    loss = (w * w * waiting).sum()
    with pytest.raises(ValueError, match="some of what lies between was evaluated"):
        loss.grad(w)
    with la.config(small_work="wait"):
        assert np.array_equal((w * w).sum().grad(w), [2, 4])


def test_small_work_is_no_evaluation():
    with la.no_evaluation():
        x = xp.arange(6.0) + 1
        x[0], x[x > 3] = 9, 2
        kinds = xp.sum(x), x[0], xp.unique(x), xp.linalg.norm(x), x.reshape(2, 3) @ x.reshape(3, 2), repr(x)
    assert [type(kind) for kind in kinds] == [np.float64, np.float64, la.LazyArray, np.float64, la.LazyArray, str]


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_are_independent(copied):
    x = xp.arange(6.0).reshape(2, 3)[:, ::-1]
    xp.unique(x)
    y = copied(x)
    x[0, 0] = 7
    assert np.array_equal(y, np.arange(6.0).reshape(2, 3)[:, ::-1])
    y += 1
    assert x[1, 1] == 4


def test_array_is_written_by_several_threads():
    """Each thread writes to its own part, by other means; snapshots do not change."""
    x, failures = xp.zeros(40), []

    def work(start):
        try:
            mine = x[start:start + 10]
            for i in range(1, 400):
                mine += 1
                seen = mine.numpy()
                x[start] = i
                mine[xp.array([1, 2])] = i
                xp.clip(mine, 0, i, mine)
                assert seen[3] == i
                assert xp.max(mine) == i
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(10 * k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert np.array_equal(x, np.full(40, 399.0))


def test_errstate_is_that_of_the_line():
    x = xp.array([1.0, 0.0])
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError, match="divide by zero encountered in divide"):
        1 / x
    with np.errstate(divide="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (1 / x)[1] == np.inf
    seen = []
    with np.errstate(divide="call", call=lambda kind, flag: seen.append((kind, flag))):
        xp.log(x)
    assert seen == [("divide by zero", 1)]
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in divide") as caught:
        x /= x[::-1]
    assert caught[0].filename == __file__
