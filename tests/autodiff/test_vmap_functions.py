"""vmap over NumPy's functions: the example lines of each row of the table, on batches of their operands."""
import re
import warnings

import numpy as np
import pytest

import lazyarr as la
from lazyarr.ops.table import IMMEDIATE, TABLE
from support import sample_values
from support.example_lines import basic, counting, products_and_methods, reductions
from support.numpy_comparison import operands

EXACT = basic.ELEMENTWISE | basic.LAYOUT | basic.INDEXING | basic.SORTING | basic.CREATION | \
    counting.EXACT | products_and_methods.IMMEDIATE
NEAR = products_and_methods.CONTRACTION | products_and_methods.STATISTICS | counting.NEAR | \
    products_and_methods.IMMEDIATE_NEAR | reductions.REDUCTIONS
# Of real matrices complex in any case, as nobody knows the values; see `test_what_looks_at_values_elsewhere`.
COMPLEX = ("linalg.eig", "linalg.eigvals")
# The order in memory of one element of a batch is no subject here.
ORDERED = re.compile(r"""order=|flatten\(|ravel\(|strides|flags|F\b""")


class NoArrays(Exception):
    """The result of a line is not made of arrays."""


def batches(line):
    """Return the operands that a line names, three of each: as they are, turned round, as they are."""
    return {name: np.ascontiguousarray(np.stack([x, x[..., ::-1] if x.ndim else x + 1, x]))
            for name, x in operands().items() if re.search(rf"\b{name}\b", line) and x.dtype.isnative}


def as_function(line, names):
    """Return a line as a function of these operands that gives a list of arrays."""
    others = {name: la.array(x) for name, x in operands().items() if name not in names}

    def f(*args):
        variables = {**others, **dict(zip(names, args, strict=True)), "np": la}
        if ";" in line:
            exec(line, variables)
            made = variables["r"]
        else:
            made = eval(line, variables)
        found = flattened(made)
        if not found or not all(isinstance(x, la.LazyArray | np.ndarray | np.generic) for x in found):
            raise NoArrays
        return list(map(la.asarray, found))

    return f


def flattened(made):
    return [x for part in made for x in flattened(part)] if isinstance(made, tuple | list) else [made]


def elements(given, i):
    return [la.array(x[i]) if x.ndim > 1 else la.array(x)[i] for x in given.values()]


def stacked(f, given):
    """Return f for each element, side by side; None where that is no array, or the line is wrong."""
    try:
        found = [[y.numpy() for y in f(*elements(given, i))] for i in range(3)]
        return [np.stack(several) for several in zip(*found, strict=True)]
    except Exception:
        return None


def check(line, may_look, same=sample_values.same_values):
    """Fail unless a line gives on a batch what it gives for each element, or looks at values and may do so."""
    given = batches(line)
    if not given or ORDERED.search(line):
        return
    f = as_function(line, list(given))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        expected = stacked(f, given)
        if expected is None:
            return
        try:
            found = la.vmap(f)(*map(la.array, given.values()))
        except la.TracedValueError:
            assert may_look, f"{line} looks at values"
            return
        for got, wanted in zip([y.numpy() for y in found], expected, strict=True):
            assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype), line
            assert np.all(same(wanted, got)), line


@pytest.mark.parametrize("name", [name for name in EXACT | NEAR if name not in COMPLEX])
def test_function(name):
    same = sample_values.near_values if name in NEAR else sample_values.same_values
    for line in (EXACT | NEAR)[name]:
        check(line.removeprefix("@"), line.startswith("@") or TABLE[name].kind == IMMEDIATE, same)


@pytest.mark.parametrize("key", products_and_methods.KEYS)
@pytest.mark.parametrize("statement", [
    "r = m[{}]",
    "r = m.copy(); r[{}] = 7",
    "r = m.copy(); r[{}] = m[0, 0]",
    "r = i.copy(); r[{}] = 2.7",
    "r = np.zeros((3, 4)); r[{0}] = m[{0}]",
    "r = np.zeros((3, 4)); r[{0}] = m[{0}][None]",
    "r = i.copy(); r[{}] += 1",
    "x = m.copy(); x[:, ::-1][{}] = 7; r = x",
])
def test_index_arrays(key, statement):
    check(statement.format(key), key in products_and_methods.MASKS)


@pytest.mark.parametrize("statement", [
    "x = np.zeros((3, 4)); x[idx] = m; r = x", "x = np.zeros((3, 4)); x[idx, idx] = m[:, 0]; r = x",
    "x = np.zeros((3, 4)); x[idx, 1:3] = m[:, :2]; r = x", "x = np.zeros((3, 4)); x[idx, 1] = m[:, 1]; r = x",
    "x = np.zeros((3, 4)); x[1:, idx] = m[1:, :3]; r = x", "x = np.zeros((3, 4)); x[idx] = m[0]; r = x",
    "x = np.zeros((3, 4)); x[idx - idx] = m; r = x", "x = m.T; x[idx] = 1; r = m", "np.add.at(m, idx - idx, 1); r = m",
])
def test_writing_what_is_batched(statement):
    check(statement, False)


def test_places_of_single_elements():
    m = np.array([[[1, 5, 2], [7, 0, 3]], [[9, 5, 2], [7, 0, 3]], [[1, 5, 2], [7, 0, 8]]])
    rows, columns = la.vmap(lambda x: np.unravel_index(np.argmax(x), x.shape))(la.asarray(m))
    np.testing.assert_array_equal(rows, [1, 0, 1])
    np.testing.assert_array_equal(columns, [0, 0, 2])
    largest = la.vmap(la.grad(lambda x: x[np.unravel_index(np.argmax(x), x.shape)] ** 2))(la.asarray(m * 1.0))
    np.testing.assert_array_equal(largest, np.where(m == m.max((1, 2), keepdims=True), 2.0 * m, 0))


@pytest.mark.parametrize("write", [
    lambda r, x: r.__setitem__([1, 1, 0], x[0] ** 3), lambda r, x: np.subtract.at(r, [1, 1], x[0] ** 3),
    lambda r, x: np.add.at(r, np.array([[1, 1], [0, 2]]), x[:2] ** 2), lambda r, x: np.put(r, [0, 2], x[1] ** 2),
])
def test_derivatives_of_values_that_are_written_to_several_places(write):
    """What a value gets from all places is summed for each element, not over the batch."""
    def f(x):
        r = x * 1.0
        write(r, x)
        return (r ** 2).sum()

    x = la.array([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]])
    expected = np.stack([np.asarray(la.grad(f)(row)) for row in x])
    np.testing.assert_allclose(la.grad(lambda x: la.vmap(f)(x).sum())(x), expected, rtol=1e-14)
    np.testing.assert_allclose(la.vmap(la.grad(f))(x), expected, rtol=1e-14)


STACKS, LINES, SQUARES = [np.random.default_rng(5).uniform(0.5, 2.0, shape) for shape in ((3, 4, 2), (3, 4), (3, 3, 3))]
LEVELS = np.array([[0.2, 0.7], [0.4, 0.9], [0.0, 1.0]])


@pytest.mark.parametrize("f, arrays", [
    (lambda x, w: np.average(x, weights=w), (LINES, LINES[::-1])),
    (lambda x, w: np.average(x, axis=0, weights=w, returned=True)[0], (STACKS, LINES)),
    (lambda x, q: np.quantile(x, q), (LINES, LEVELS)),
    (lambda x, q: np.quantile(x, [q[0], q[1] / 2]), (LINES, LEVELS)),
    (lambda x, q: np.percentile(x, 100 * q, axis=0, keepdims=True), (STACKS, LEVELS)),
    (lambda x, q: np.nanquantile(x, q[0]), (LINES, LEVELS)),
    (lambda q: np.quantile(LINES[0], q), (LEVELS,)),
    (lambda a, b: np.linalg.lstsq(a, b)[0], (STACKS, LINES)),
    (lambda a, b: np.linalg.lstsq(a, b)[1], (STACKS, LINES)),
    (lambda a, b: np.linalg.lstsq(a, np.stack([b, b * b], 1))[3], (STACKS, LINES)),
    (lambda a: np.linalg.eigvals(a @ a.T).real, (SQUARES,)),
    (lambda a: np.linalg.eig(a @ a.T)[0].real, (SQUARES,)),
])
@pytest.mark.parametrize("through", [lambda f: f, la.checkpoint])
def test_what_looks_at_values_elsewhere(f, arrays, through):
    """Levels, weights and matrices that have no values yet: the same values and derivatives as one by one."""
    def both(*args):
        return la.value_and_grad(lambda *args: (through(f)(*args) ** 2).sum(), tuple(range(len(arrays))))(*args)

    value, gradients = la.vmap(both)(*map(la.asarray, arrays))
    for k in range(3):
        alone, expected = both(*[la.asarray(x[k]) for x in arrays])
        np.testing.assert_allclose(value[k], alone, rtol=1e-12)
        for made, known in zip(gradients, expected, strict=True):
            np.testing.assert_allclose(made[k], known, rtol=1e-9, atol=1e-12)


def test_residuals_of_matrices_without_full_rank():
    a = np.ones((2, 4, 2)) * np.arange(1.0, 3.0)[:, None, None]
    found = la.vmap(lambda a, b: np.linalg.lstsq(a, b)[1])(la.asarray(a), la.asarray(LINES[:2]))
    np.testing.assert_allclose(found[:, 0], ((LINES[:2] - LINES[:2].mean(1, keepdims=True)) ** 2).sum(1), rtol=1e-12)


def test_levels_that_are_the_same_for_all():
    q = la.array([0.3, 0.8])
    np.testing.assert_allclose(la.vmap(lambda x: np.quantile(x, q))(la.asarray(LINES)), np.quantile(LINES, q, 1).T)
