"""Programs whose operands are on devices give the same bits as on the host."""
import copy
import itertools
import pickle
import random
import re
import warnings

import numpy as np
import pytest

import lazyarr as la
import lazyarr.numpy as lnp
from lazyarr._core.api import LazyArray
from support import program_runner, sample_values
from support.eager_comparison import bits
from support.program_grammar import statements

DEVICE = "cpu:1"
NATIVE = "?bBhHiIlLqQefdgFDG"
CHECKED = "float64", "int32", "complex64", "bool"


def leaves(result):
    """Return the arrays of a result, possibly a tuple or a dict."""
    if isinstance(result, dict):
        result = tuple(result.values())
    if isinstance(result, tuple | list):
        return [leaf for part in result for leaf in leaves(part)]
    return [result]


def described(result):
    """Return what is compared of a result: shapes, dtypes, layout and bits of its arrays."""
    return [(np.asarray(x).dtype.str, np.shape(x), np.asarray(x).strides, bits(np.asarray(x))) for x in leaves(result)]


def outcome(program, operands):
    """Return a program's result or exception, and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = program(*operands)
            found = described(result)
        except Exception as error:
            found = type(error), str(error)
    return found, sorted((w.category.__name__, str(w.message)) for w in caught)


def placed(arrays, on):
    """Return fresh lazy arrays with these values, on the device where `on` is true."""
    return [(lnp.array(a, order="K") if not here else lnp.array(a, order="K").to_device(DEVICE))
            for a, here in zip(arrays, on, strict=True)]


def check(program, *arrays):
    """Compare all placements of a program's operands with the host."""
    want = outcome(program, placed(arrays, [False] * len(arrays)))
    for on in itertools.product([False, True], repeat=len(arrays)):
        got = outcome(program, placed(arrays, on))
        assert got == want, on
        got = outcome(lambda *xs: on_device(program(*xs)), placed(arrays, on)) if any(on) else got
        assert got == want, f"{on}, evaluated where it is"


def on_device(result):
    """Return a result, after evaluation on the device."""
    la.evaluate(*[x for x in leaves(result) if isinstance(x, LazyArray)])
    return result


def values(shape, dtype="float64", seed=0):
    return sample_values.make(dtype, shape, seed)


# Programs of two arrays x and y of the same shape, and a small one s.


def writes_through_views(x, y):
    x = x + 0
    x[::2] = y[::2]
    x[0] += y[1]
    x[:, 1:3] *= y[:, :2]
    x.T[2] = 1
    return x, x[::-1, 1:]


def views_see_writes_to_the_base(x, y):
    x = x + 0
    view = x[1:, ::2]
    la.evaluate(view)
    x += y
    x[2] = y[0]
    return view, view.sum(), x


def masks(x, y):
    x, m = x + 0, y > 1
    chosen = x[m]
    x[m] = 0
    x[~m] += 1
    return chosen, x, x[x > 0].sum(), np.count_nonzero(m)


def fancy(x, y):
    x, i = x + 0, lnp.asarray([3, 0, 2])
    found = x[i], x[:, i], x[i[:, None], i], x[[1, 1]], np.take(x, i, axis=1)
    x[i] = y[:3]
    x[[0, 1], [2, 3]] = 7
    np.put_along_axis(x, np.argsort(y, axis=1)[:, :1], 5, axis=1)
    return found, x, np.take_along_axis(y, np.argsort(x, axis=1), axis=1)


def ufunc_at(x, y):
    x = x + 0
    np.add.at(x, (lnp.asarray([0, 0, 2]), lnp.asarray([1, 1, 3])), y[0, :3])
    np.multiply.at(x, 1, 3)
    return x


def outs(x, y):
    x, kept = x + 0, np.zeros_like(x)
    np.add(x, y, out=kept)
    np.multiply(x, y, out=x, where=kept > 0)
    np.cumsum(x, axis=0, out=kept)
    return x, kept, np.add.reduce(y, axis=1, where=x > 0), np.divmod(x, 3, out=(kept, np.empty_like(x)))


def copies(x, y):
    z = x + y
    before = z.copy(), copy.copy(z), copy.deepcopy(z), np.array(z), z.astype("f4"), z.copy(order="F")
    z += 1
    return before, z, pickle.loads(pickle.dumps(z))


def scans(x, y):
    with np.errstate(over="ignore", invalid="ignore"):
        return (np.cumsum(x, axis=0), np.cumprod(y, axis=1), np.maximum.accumulate(x), np.diff(x, axis=0),
                np.add.reduceat(y, [0, 2], axis=0), np.cumsum(x))


PROGRAMS = {
    "elementwise": lambda x, y: (x + y, x * 2 - y, np.where(x > y, x, y), np.minimum(x, y), x == y, -(x * y)),
    "reductions": lambda x, y: (x.sum(), x.max(axis=0), y.min(axis=1), (x + 0).argmax(axis=1), np.any(y > 1), y.prod(),
                                np.ptp(x, axis=0), x.sum(axis=0, keepdims=True) + y),
    "views": lambda x, y: (x.T, x[1:, ::-2], x.reshape(-1)[3:], y[::-1] + x, x[..., None], x.ravel(), x[2, 3], x[-1],
                           np.broadcast_to(y[0], (3, 5)), y.reshape(5, 4), np.flip(x), np.swapaxes(x, 0, 1) + y.T),
    "writes through views": writes_through_views,
    "views see writes": views_see_writes_to_the_base,
    "masks": masks,
    "fancy": fancy,
    "ufunc.at": ufunc_at,
    "sorting": lambda x, y: (np.sort(x, axis=0), np.argsort(y, axis=1, kind="stable"), np.sort(y, axis=None)[::-1],
                             np.partition(x, 2, axis=1)[:, 2], np.searchsorted(np.sort(x[0]), y)),
    "joins": lambda x, y: (np.concatenate([x, y]), np.stack([x, y, x], axis=1), np.vstack([x, y[:1]]), np.split(x, 2),
                           np.pad(x, 1), np.tile(y, 2), np.repeat(x, 2, axis=0), np.roll(x, 1), np.block([[x, y]])),
    "several results": lambda x, y: (np.unique(x, return_counts=True), np.nonzero(y), np.unravel_index([1, 2], (4, 5)),
                                     np.histogram(x.astype("f8"), bins=4, range=(-4, 4))),
    "scans": scans,
    "shapes": lambda x, y: (x[:0], x[:0].sum(axis=0), x[:0] + y[:0], x[1, 1] + y, np.zeros((0, 5), x.dtype) + y[0],
                            x[()], y.sum()[()], lnp.asarray(3, x.dtype) + y[0, 0]),
    "copies": copies,
    "outer": lambda x, y: (np.multiply.outer(x[0], y[:, 0]), x[:, None] + y[None], np.einsum("ij,kj->ik", x, y)),
}


@pytest.mark.parametrize("dtype", CHECKED)
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name, dtype):
    check(PROGRAMS[name], values((4, 5), dtype), values((4, 5), dtype, 3))


@pytest.mark.parametrize("dtype", NATIVE)
def test_dtypes(dtype):
    def program(x, y):
        return x * y, x == y, np.where(y, x, y), x[::-1], np.sort(x, axis=1), x.max(axis=0), x.astype("D"), x[y != 0]

    check(program, values((3, 4), np.dtype(dtype)), values((3, 4), np.dtype(dtype), 3))


@pytest.mark.parametrize("lay", [
    np.asfortranarray, lambda a: a[::-1, ::-2], lambda a: a.T, lambda a: a[:, 1:3],
    lambda a: np.broadcast_to(a[0], a.shape), lambda a: a[:0], lambda a: a[:, None, ::-1], lambda a: a[1, 1]])
def test_layouts(lay):
    def program(x, y):
        x = lay(x) if lay is not np.asfortranarray else x.copy("F")
        return x, x + y.reshape(-1)[0], x.sum(), x.copy("K"), np.sqrt(np.abs(x)), x.reshape(-1), x.T

    check(program, values((4, 6)), values((4, 6), seed=3))
    if not isinstance(lay(values((4, 6))), np.float64):
        check(lambda x, y: (x + y, x.T, x.copy(), x.sum(axis=0)), lay(values((4, 6))), lay(values((4, 6), seed=3)))


def test_linear_algebra():
    a, b = np.arange(30.0).reshape(5, 6) % 7, np.arange(30.0).reshape(6, 5) % 5
    square = a @ b + 40 * np.eye(5)
    check(lambda x, y: (x @ y, np.dot(x, y), np.tensordot(x, y, 1), np.einsum("ij,jk", x, y), x[0] @ y, np.vdot(x, x),
                        np.inner(x, y.T)), a, b)
    check(lambda x, y: (np.linalg.svd(x), np.linalg.qr(x), np.linalg.solve(x, y[:5]), np.linalg.inv(x),
                        np.linalg.eigh(x + x.T), np.linalg.det(x), np.linalg.norm(x)), square, b)
    check(lambda x, y: (np.linalg.inv(x * 0), y + 1), square, b)


def test_small_views_of_large_arrays():
    large = np.arange(200_000.0).reshape(400, 500)
    check(lambda x, y: (x[:3] + y[0], x[5, 5] * y, x[::100, ::100], y[7] + x[:, 3:4], (x[:, 0] * 2).sum(),
                        x[3:5].T @ y[3:5]), large, large[::-1])


@pytest.mark.parametrize("state", ["warn", "raise", "ignore"])
@pytest.mark.parametrize("program", [
    lambda x, y: x / y, lambda x, y: np.sqrt(x) + y, lambda x, y: np.log(y) * x, lambda x, y: x * 1e308 * 1e10,
    lambda x, y: (x / y).sum(), lambda x, y: np.cumsum(x * 1e308), lambda x, y: (x // y).astype("i1"),
    lambda x, y: x.astype("i1") // y.astype("i1"), lambda x, y: np.divmod(y, x)[0]])
def test_floating_point_errors(state, program):
    def in_errstate(x, y):
        with np.errstate(all=state):
            return program(x, y)

    check(in_errstate, np.array([1.0, -1.0, 0.0, 4.0]), np.array([0.0, 2.0, 0.0, -1.0]))


def test_errors_at_the_line():
    for program in (lambda x, y: x + y[:, :3], lambda x, y: x.reshape(7), lambda x, y: x[9], lambda x, y: x @ y,
                    lambda x, y: np.concatenate([x, y[0]]), lambda x, y: x[:0].max(), lambda x, y: x << y):
        check(program, values((4, 5)), values((4, 5), seed=3))


# What is made of functions


def inner(x, y):
    return np.sin(x) * y + (x * x).sum()


TRANSFORMED = {
    "jit": lambda x, y: la.jit(inner)(x, y),
    "jit twice": lambda x, y: (lambda f: (f(x, y), f(x + 1, y), f(y, x)))(la.jit(inner)),
    "grad": lambda x, y: la.grad(lambda x, y: inner(x, y).sum(), (0, 1))(x, y),
    "value and grad": lambda x, y: la.value_and_grad(lambda x: (np.tanh(x) @ y.T).sum())(x),
    "jit of grad": lambda x, y: la.jit(la.grad(lambda x, y: inner(x, y).sum()))(x, y),
    "vmap": lambda x, y: la.vmap(inner)(x, y),
    "vmap of one": lambda x, y: la.vmap(lambda x: inner(x, y[0]))(x),
    "vmap of a mask": lambda x, y: la.vmap(lambda x, y: np.where(x > 0, x, y[::-1]))(x, y),
    "scan": lambda x, y: la.scan(lambda c, r: (c * 0.5 + r, c.sum()), y[0], x),
    "cond": lambda x, y: la.cond(x[0, 0] > y[0, 0], lambda a, b: a + b, lambda a, b: a - b, x, y),
    "while loop": lambda x, y: la.while_loop(lambda c: c.sum() < 100, lambda c: c + np.abs(y) + 1, x),
    "transfers inside jit": lambda x, y: la.jit(lambda x, y: x.to_device("cpu") + y.to_device("cpu") * 2)(x, y),
    "transfers inside grad": lambda x, y: la.grad(lambda x: (x.to_device(DEVICE) ** 2).sum().to_device("cpu"))(x),
    "transfers inside vmap": lambda x, y: la.vmap(lambda x, y: x.to_device(DEVICE) + y.to_device(DEVICE))(x, y),
    "transfers inside scan": lambda x, y: la.scan(
        lambda c, r: ((c + r).to_device(DEVICE).to_device("cpu"), c), y[0], x),
    "graph": lambda x, y: (lambda a, b: la.graph([a, b], inner(a, b), "f")(x, y))(la.var((4, 5)), la.var((4, 5))),
}


@pytest.mark.parametrize("name", TRANSFORMED)
def test_transformed_functions(name):
    check(TRANSFORMED[name], np.arange(20.0).reshape(4, 5) / 8, np.arange(20.0)[::-1].reshape(4, 5) / 4 - 1)


# Random programs


class Placing:
    """The namespace of lazyarr with functions that place arrays on the device or the host at random."""

    def __init__(self, seed):
        self._random = random.Random(seed)

    def __getattr__(self, name):
        function = getattr(la, name)
        if name not in ("array", "asarray", "zeros", "ones", "full", "arange"):
            return function

        def made(*args, **kwargs):
            x = function(*args, **kwargs)
            native = type(x) is LazyArray and x.dtype.isnative and x.dtype.kind in "biufc"
            return x.to_device(DEVICE) if native and x is not args[0] and self._random.random() < 0.5 else x

        return made


def evaluate(*arrays):
    la.evaluate(*[x for x in arrays if isinstance(x, LazyArray)])


def writes_to_lent_memory(line):
    """Return whether a line has an ndarray that shares an array's memory, which is read-only for device arrays."""
    return re.search(r"\bn\d", line)


def is_known_late(problem):
    """Return whether an index on a device is out of bounds, which is only detected on evaluation."""
    return problem is not None and "is out of bounds" in str(problem)


def test_numbers_that_are_a_view_of_dates():
    dates, x = la.arange("2020-01", "2020-09", dtype="M8[M]"), la.arange(8).to_device("cpu:1")
    np.testing.assert_array_equal(dates.view("i8") * x, np.arange(600, 608) * np.arange(8))


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("budget", [None, 5])
def test_random_programs(seed, budget):
    for number in range(40):
        lines = [line for line in statements.write(random.Random(1000 * seed + number), length=16)
                 if not writes_to_lent_memory(line)]
        settings = {} if budget is None else {"budget_nodes": budget}
        with warnings.catch_warnings(), np.errstate(all="warn"), la.config(**settings):
            warnings.simplefilter("ignore")
            problem = program_runner.disagrees(lines, Placing(number), evaluate, warn="subset")
        assert problem is None or is_known_late(problem), problem
