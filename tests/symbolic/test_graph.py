"""Graphs declared on variables: what they compute and what they reject."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.symbolic.recorder import HINT
from support.lazy_helpers import assert_same

A = np.arange(6.0).reshape(2, 3) / 10
W = np.linspace(-1, 1, 6).reshape(3, 2)


def network():
    x, w = la.var((None, 3), name="x"), la.var((3, 2), name="w")
    h = np.tanh(x @ w)
    loss = (h ** 2).mean()
    return la.graph([x, w], {"loss": loss, "slope": loss.grad(w), "h": [h, h[1:].sum(axis=0)]}, "network")


def computed(a, w):
    h = np.tanh(a @ w)
    return (h ** 2).mean(), h, h[1:].sum(axis=0)


@pytest.mark.filterwarnings("ignore:Mean of empty slice")
@pytest.mark.parametrize("rows", [2, 1, 7, 0])
def test_extents_that_are_not_known(rows):
    g, a = network(), np.ones((rows, 3)) * 0.3
    with np.errstate(invalid="ignore"):
        found, (loss, h, tail) = g(x=a, w=W), computed(a, W) if rows else (np.nan, np.zeros((0, 2)), np.zeros(2))
        np.testing.assert_allclose(found["loss"], loss, rtol=1e-12)
        np.testing.assert_allclose(found["h"][0], h, rtol=1e-12)
        np.testing.assert_allclose(found["h"][1], tail, rtol=1e-12)


def test_derivatives():
    wanted = la.grad(lambda w: (la.tanh(la.array(A) @ w) ** 2).mean())(la.array(W))
    np.testing.assert_allclose(network()(A, W)["slope"], wanted, rtol=1e-12)
    x = la.var((), name="x")
    y = x ** 3
    first = y.grad(x)
    assert la.graph(x, [first, first.grad(x)])(2.0)[0] == 12
    assert la.graph(x, first.grad(x))(2.0) == 12
    with pytest.raises(TypeError, match="one real number"):
        la.var((2,), name="x").grad(x)
    with pytest.raises(TypeError, match="symbols of floats"):
        y.grad(la.var((), "int64", "n"))
    with pytest.raises(ValueError, match="does not depend on <var 'z'"):
        y.grad(la.var((), name="z"))


def test_results_are_lazy():
    x = la.var((3,), name="x")
    g = la.graph(x, np.exp(x))
    with la.no_evaluation():
        y = g(np.zeros(3)) + 1
    assert y.tolist() == [2, 2, 2]


def test_forms_of_symbols():
    x = la.var((None, 3), "float32", "x")
    assert (x.shape, x.ndim, x.dtype, x.size) == ((None, 3), 2, np.float32, None)
    assert la.var((2, 3), "int8", "y").size == 6
    assert repr(x) == "<var 'x': of shape (None, 3), float32>"
    assert repr(x.T) == "<symbol of shape (3, None), float32>"
    assert np.concatenate([x, x]).shape == (None, 3)
    assert (x[0].shape, x[1:].shape, x.sum(1).shape, x.mean().shape) == ((3,), (None, 3), (None,), ())
    assert (x.astype(int) + 1).dtype == np.int64
    assert (x > 0).dtype == bool
    assert len(la.var((4,), name="z")) == 4
    assert x.reshape(x.shape[0], 3, 1).shape == (None, 3, 1)
    assert [part.shape for part in np.split(la.var((4,), name="z"), 2)] == [(2,), (2,)]
    assert [part.shape for part in la.var((2, 3), name="z")] == [(3,), (3,)]


@pytest.mark.parametrize("look", [
    float, int, bool, np.asarray, len, list, complex, lambda x: x.numpy(), lambda x: x.tolist(),
    lambda x: 1.0 in x, lambda x: x.item(),
])
def test_symbols_have_no_values(look):
    with pytest.raises(TypeError, match=r"no value|not known"):
        look(la.var((None,), name="x"))


def test_errors_come_where_operations_are_written():
    x = la.var((None, 3), name="x")
    with pytest.raises(ValueError, match="mismatch"):
        x @ x
    with pytest.raises(ValueError, match="broadcast") as caught:
        x + np.ones(4)
    assert "not known" in caught.value.__notes__[0]
    with pytest.raises(TypeError, match="not known"):
        np.shape(x)
    with pytest.raises(TypeError, match=r"unsupported operand type\(s\) for /: 'Symbol' and 'NoneType'"):
        x.sum() / x.shape[0]
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        x.nonsense
    with pytest.raises(IndexError):
        x[:, 5]


def test_views_and_writing_are_those_of_arrays():
    def program(x):
        y = x * 1
        z = y[1:3]
        z[...] = 7
        y += 1
        y[:2] *= z[0]
        np.add(y, 1, out=y)
        y.sort()
        w = y.reshape(-1, 1)
        w[0] = -5
        return [y, z, w, x.sum()]

    x = la.var((None,), name="x")
    g = la.graph(x, program(x))
    for n in (4, 9):
        data = np.linspace(0, 1, n)
        for got, wanted in zip(g(data), program(data.copy()), strict=True):
            np.testing.assert_array_equal(got, wanted)


def test_assigning_to_attributes():
    x = la.var((2, 2), "complex128", "x")
    y = x * 1
    y.real = 5
    y.T[0] = 2j
    z = abs(x)
    z.flat = [1, 2, 3, 4]
    got = la.graph(x, [y, z])(np.ones((2, 2), complex) * 1j)
    assert [part.tolist() for part in got] == [[[2j, 5 + 1j], [2j, 5 + 1j]], [[1, 2], [3, 4]]]
    for name in ("shape", "dtype", "strides", "nonsense"):
        with pytest.raises(AttributeError, match=name):
            setattr(y, name, (4,))
    with pytest.raises(AttributeError, match="flags"):
        y.flags


def test_symbols_are_not_written_to_arrays():
    x, w = la.var((2,), name="x"), la.zeros(2)
    with pytest.raises(TypeError, match="cannot be written to an array"):
        np.add(x, 1, out=w)
    with pytest.raises(TypeError, match="no value"):
        w[0] = x[0]
    assert w.tolist() == [0, 0]


def test_slices_that_are_empty_where_they_are_traced():
    x = la.var((None,), name="x")
    y = x * 1
    y[-3:3] = 9
    y[HINT:] += 1
    data = np.zeros(4)
    wanted = data * 1
    wanted[-3:3] = 9
    assert la.graph(x, y)(data).tolist() == wanted.tolist()


def test_calls_of_our_own_functions_are_noted_once():
    x, w = la.var((3,), "int8", "x"), la.array([1, 2, 3], "int8")
    la.cumsum(x, axis=0, out=x)
    both = la.concatenate([x, w])
    g = la.graph(x, both)
    assert g(np.array([1, 1, 1], "int8")).tolist() == [1, 2, 3, 1, 2, 3]
    w += 1
    assert g(np.array([1, 1, 1], "int8")).tolist() == [1, 2, 3, 2, 3, 4]
    y = np.add(w, w, out=la.zeros_like(x))
    assert la.graph(x, y)(np.zeros(3, "int8")).tolist() == [4, 6, 8]


def test_what_is_written_to_a_variable_stays_inside():
    x = la.var((3,), name="x")
    x[0] = 5
    x += 1
    g, data = la.graph(x, x * 1), la.zeros(3)
    assert g(data).tolist() == [6, 1, 1]
    assert data.tolist() == [0, 0, 0]


UNARY = (np.negative, np.tanh, np.square, np.sum, np.cumsum, np.flip, np.ravel, np.transpose, np.sort, np.abs)
BINARY = (np.add, np.multiply, np.maximum, np.subtract)


@given(st.lists(st.tuples(st.integers(0, 13), st.integers(0, 5), st.integers(0, 5)), max_size=12), st.integers(1, 4))
def test_random_programs(program, rows):
    def run(x, y):
        values = [x, y]
        for number, i, j in program:
            a, b = values[i % len(values)], values[j % len(values)]
            if number < len(UNARY):
                values.append(UNARY[number](a))
            elif a.ndim == b.ndim:
                values.append(BINARY[number - len(UNARY)](a, b) if a.ndim < 2 or a.shape[1:] == b.shape[1:] else a)
        return values[2:] or [x + y]

    x, y = la.var((None, 3), name="x"), la.var((None, 3), name="y")
    a, b = np.arange(3.0 * rows).reshape(rows, 3) / 7, np.ones((rows, 3))
    try:
        wanted = run(a, b)
    except ValueError:
        return
    try:
        outputs = run(x, y)
    except ValueError:  # where extents that happen to be equal here need not be
        return
    for got, expected in zip(la.graph([x, y], outputs)(a, b), wanted, strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-12)


# ---- what is given ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("given", "error", "said"), [
    (lambda g: g(A), TypeError, "network: nothing is assigned to 'w'"),
    (lambda g: g(), TypeError, "nothing is assigned to 'x', 'w'"),
    (lambda g: g(A, W, A), TypeError, "takes 2 arrays, got 3"),
    (lambda g: g(A, W, q=A), TypeError, "there is no input 'q'; the inputs are x, w"),
    (lambda g: g(A, x=A), TypeError, "input 'x' is given twice"),
    (lambda g: g(A.astype("f4"), W), TypeError, "input 'x' has dtype float64, got float32"),
    (lambda g: g(la.array(A.astype(int)), W), TypeError, "input 'x' has dtype float64, got int64"),
    (lambda g: g([[1j, 0, 0]], W), TypeError, "input 'x' has dtype float64, got complex128"),
    (lambda g: g([[1], [2, 3]], W), ValueError, "input 'x' is no array: .* inhomogeneous"),
    (lambda g: g(A, la.var((3, 2), name="w")), TypeError, "input 'w' is no array: <var 'w': .*> has no value"),
    (lambda g: g(np.ma.array(A), W), TypeError, "input 'x' is an array of another kind, MaskedArray"),
    (lambda g: g(A[0], W), ValueError, r"input 'x' has shape \(None, 3\), got \(3,\)"),
    (lambda g: g(A, W.T), ValueError, r"input 'w' has shape \(3, 2\), got \(2, 3\)"),
    (lambda g: g.assign(w=A), ValueError, r"input 'w' has shape \(3, 2\), got \(2, 3\)"),
    (lambda g: g.assign(q=A), TypeError, "no input 'q'"),
    (lambda g: g.evaluate(), TypeError, "nothing is assigned to 'x', 'w'"),
])
def test_wrong_arrays(given, error, said):
    g = network()
    with pytest.raises(error, match=said):
        given(g)
    assert g(A, W)["h"][0].shape == (2, 2)


def test_numbers_and_lists_are_converted():
    x = la.var((None,), "float32", "x")
    g = la.graph(x, x * 2)
    assert g([1, 2]).dtype == np.float32
    assert g([0.5]).tolist() == [1.0]


def test_nothing_is_assigned_if_something_does_not_fit():
    g = network()
    g.assign(A, W)
    with pytest.raises(ValueError, match="input 'w'"):
        g.assign(x=A * 2, w=A)
    np.testing.assert_array_equal(g.evaluate()["h"][0], g(A, W)["h"][0])


@pytest.mark.parametrize(("declare", "error", "said"), [
    (lambda x, w: la.graph([x], x @ w), ValueError, r"depend on <var 'w': .*>, which is not among the inputs"),
    (lambda x, w: la.graph([x, x], x * 1), ValueError, "two inputs have the name 'x'"),
    (lambda x, w: la.graph([x @ w], x), TypeError, "inputs must be variables"),
    (lambda x, w: la.graph([np.ones(2)], x), TypeError, "inputs must be variables"),
    (lambda x, w: la.graph(x, np.ones(2)), TypeError, "output 0 must be a symbol, got ndarray"),
    (lambda x, w: la.graph(x, [x * 1, la.ones(2)]), TypeError, "output 1 must be a symbol, got LazyArray"),
    (lambda x, w: la.graph([x], []), ValueError, "no outputs"),
    (lambda x, w: la.var((2, -1), "f4", "v"), ValueError, "negative dimensions"),
    (lambda x, w: la.var((2,), "U5", "v"), TypeError, "numbers or booleans"),
    (lambda x, w: la.var((2,), "f4", 5), TypeError, "name must be a string, got int"),
    (lambda x, w: la.var(("n",), "f4", "v"), TypeError, "integers and None"),
    (lambda x, w: la.var((1,) * 65, "f4", "v"), ValueError, "maximum supported dimension .* 64, found 65"),
])
def test_wrong_declarations(declare, error, said):
    with pytest.raises(error, match=said):
        declare(la.var((None, 3), name="x"), la.var((3, 2), name="w"))


def test_an_output_that_depends_on_no_variable():
    x = la.var((3,), name="x")
    constant = np.zeros_like(x)
    constant[...] = 1
    assert la.graph(x, constant)(np.ones(3)).tolist() == [1, 1, 1]  # of x's form, at least


def test_variance_is_still_numpys():
    for args, kwargs in [(([1.0, 2.0],), {}), ((A, 0), {}), ((A,), {"axis": 1, "ddof": 1}), (((2, 3),), {}),
                         ((A,), {"dtype": "f4"})]:
        np.testing.assert_array_equal(la.var(*args, **kwargs), np.var(*args, **kwargs))
    x = la.var((None,), name="x")
    assert la.graph(x, la.var(x))([1.0, 3.0]) == 1


# ---- layers -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("make", "shape"), [
    (lambda: la.nn.Linear(3, 2), (None, 3)),
    (lambda: la.nn.Sequential(la.nn.Linear(3, 4), la.nn.relu, la.nn.LayerNorm(4), la.nn.Linear(4, 2)), (None, 3)),
    (lambda: la.nn.Sequential(la.nn.Conv2d(1, 2, 3), la.nn.MaxPool2d(2), la.nn.Flatten()), (None, 8, 8, 1)),
    (lambda: la.nn.BatchNorm(3).eval(), (None, 3)),
    (lambda: la.nn.LSTM(3, 4), (None, 5, 3)),
    (lambda: la.nn.MultiHeadAttention(4, 2), (None, 5, 4)),
    (lambda: la.nn.Residual(la.nn.Linear(3, 3)), (None, 3)),
    (lambda: la.nn.Upsample(2), (None, 4, 4, 1)),
])
def test_layers_take_symbols(make, shape):
    layer = make()
    x = la.var(shape, "float32", "x")
    g = la.graph(x, layer(x))
    for rows in (2, 5):
        data = np.random.default_rng(0).random((rows, *shape[1:]), np.float32)
        for got, wanted in zip(la.autodiff.trees.leaves(g(data)), la.autodiff.trees.leaves(layer(la.array(data))),
                               strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6)


def test_a_layer_in_training_keeps_its_state():
    one, other = la.nn.BatchNorm(3), la.nn.BatchNorm(3)
    x = la.var((None, 3), "float32", "x")
    g = la.graph(x, one(x))
    data = np.random.default_rng(0).random((4, 3), np.float32)
    for _ in range(2):
        np.testing.assert_allclose(g(data), other(la.array(data)), rtol=1e-6)
        np.testing.assert_allclose(one.mean, other.mean, rtol=1e-6)


def test_parameters_are_those_of_the_moment():
    layer, x = la.nn.Linear(1, 1, weight=la.nn.initialisers.ones), la.var((None, 1), "float32", "x")
    g = la.graph(x, layer(x))
    assert g([[2]]).item() == 2
    layer.update({"weight": la.array([[3.0]], "float32"), "bias": la.array([1.0], "float32")})
    assert g([[2]]).item() == 7


def test_symbols_in_every_kind_of_argument():
    x, i, n = la.var((4,), name="x"), la.var((2,), "int64", "i"), la.var((), "int64", "n")
    data, places = np.arange(4.0), np.array([3, 1])
    table = la.arange(10.0)
    outputs = [x[i], table[i], np.where(x > 1, x, 0), np.stack([x, x * 2]), la.logsumexp(x), 2 - x, 10 // (x + 1),
               divmod(x, 2)[1], divmod(5, x + 1)[0], abs(-x), x.mean(),
               np.einsum("i,i", x, x), x @ x, np.linalg.norm(x), x.clip(max=2),
               ~(x > 1), la.array(x), la.asarray(x), x.copy(), x.round(), n + 1]
    got = la.graph([x, i, n], outputs)(data, places, 5)
    wanted = [data[places], np.arange(10.0)[places], np.where(data > 1, data, 0), np.stack([data, data * 2]),
              np.log(np.exp(data).sum()), 2 - data, 10 // (data + 1), data % 2, 5 // (data + 1), data, data.mean(),
              data @ data, data @ data, np.linalg.norm(data), data.clip(max=2), ~(data > 1), data, data, data,
              data.round(), 6]
    for one, other in zip(got, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


BESIDE_ARRAYS = {
    "append": lambda a, b: la.append(a, b),
    "average": lambda a, b: la.average(a, weights=b),
    "block": lambda a, b: la.block([a, b]),
    "column_stack": lambda a, b: la.column_stack([a, b]),
    "cross": lambda a, b: la.cross(a, b),
    "diff": lambda a, b: la.diff(a, prepend=b),
    "insert": lambda a, b: la.insert(a, 0, b),
    "kron": lambda a, b: la.kron(a, b),
    "multi_dot": lambda a, b: la.linalg.multi_dot([a, la.outer(b, b), a]),
    "pad": lambda a, b: la.pad(a, 1, constant_values=b[0]),
    "polyval": lambda a, b: la.polyval(a, b),
    "select": lambda a, b: la.select([a > 1], [b], 0.0),
    "tensordot": lambda a, b: la.tensordot(a, b, 1),
}


@pytest.mark.parametrize("call", BESIDE_ARRAYS.values(), ids=BESIDE_ARRAYS)
def test_functions_of_symbols_and_arrays(call, tmp_path):
    x, array, values = la.var((3,), "float64", "x"), la.array([0.5, 2.0, 1.0]), np.array([1.0, 2.0, 4.0])
    for first in (True, False):
        g = la.graph(x, call(x, array) if first else call(array, x))
        expected = call(la.array(values), array) if first else call(array, la.array(values))
        assert_same(g(values), np.asarray(expected))
        g.save(tmp_path / "graph")
        assert_same(la.load_graph(tmp_path / "graph")(values), np.asarray(expected))


def test_arrays_of_the_shape_of_a_symbol(tmp_path):
    x = la.var((None, 2), name="x")
    g = la.graph(x, [la.zeros(x.shape) + x, la.full(x.shape, 3.0, "f4"), la.ones(x.shape[1:])[None] * x,
                     la.broadcast_to([1.0, 2.0], x.shape)])
    g.save(tmp_path / "shapes.graph")
    for made in (g, la.load_graph(tmp_path / "shapes.graph")):
        for rows in (1, 3):
            x = np.arange(2.0 * rows).reshape(rows, 2)
            for got, wanted in zip(made(x), [x, np.full(x.shape, 3), x, np.broadcast_to([1, 2], x.shape)], strict=True):
                np.testing.assert_array_equal(got, wanted)


def test_parts_of_what_may_be_short_have_no_known_extent():
    x = la.var((None, 4), name="x")
    head, tail = x[:50], x[-20:, 1:3]
    assert [y.shape for y in (head, tail, head * 2, tail.T, x[5])] == [(None, 4), (None, 2), (None, 4), (2, None), (4,)]
    g = la.graph(x, [head.mean(axis=0), tail, x[5:].max(axis=0)])
    for rows in (7, 80):
        data = np.arange(4.0 * rows).reshape(rows, 4)
        wanted = data[:50].mean(axis=0), data[-20:, 1:3], data[5:].max(axis=0)
        for got, expected in zip(g(data), wanted, strict=True):
            np.testing.assert_array_equal(got, expected)


def test_extents_that_must_be_long_or_divisible():
    x = la.var((None, 2), name="x")
    rows, halves, late = x.reshape(-1, 4), np.split(x, 2), x[100]
    assert (rows.shape, [y.shape for y in halves], late.shape) == ((None, 4), [(None, 2)] * 2, (2,))
    with pytest.raises(IndexError, match="out of bounds") as caught:
        x[HINT]
    assert "not known" in caught.value.__notes__[0]
    data = np.arange(400.0).reshape(200, 2)
    found = la.graph(x, [rows, *halves, late])(data)
    for got, wanted in zip(found, [data.reshape(-1, 4), *np.split(data, 2), data[100]], strict=True):
        np.testing.assert_array_equal(got, wanted)


def test_shapes_are_known_of_what_takes_long_arrays():
    x = la.var((None, 4), name="x")
    y, z = x[:50], x[:50] + x[70]
    assert (y.shape, y.mean(axis=0).shape, y.size) == ((None, 4), (4,), None)
    assert (z.shape, np.size(z)) == ((50, 4), 200)  # as there are more than 70 rows
    with pytest.raises(TypeError, match="depends on extents that are not known"):
        np.size(y)


def test_shapes_while_something_is_traced():
    x = la.var((None, 3), name="x")
    y, seen = x * 2, []
    la.checkpoint(lambda v: seen.append(y.shape) or v)(x)
    assert (seen[0], y.shape) == ((None, None), (None, 3))
    g = la.graph(x, x[:, 0] * 2 + np.ones(HINT))
    assert g(np.ones((1, 3))).shape == (HINT,)
    with pytest.raises(ValueError, match="broadcast") as caught:
        g(np.ones((2, 3)))
    assert caught.value.__notes__[0] == "in add(<symbol of shape (None,), float64>)"


@pytest.mark.parametrize("squeeze", [np.squeeze, la.squeeze, lambda x: x.squeeze(), lambda x: np.squeeze(x, None)])
def test_extents_that_are_not_known_are_not_squeezed(squeeze):
    x = la.var((1, None, 3, 1), name="x")
    y = squeeze(x)
    assert y.shape == (None, 3)
    g = la.graph(x, [y, y[:1] * 2])
    for rows in (1, 4):
        data = np.arange(3.0 * rows).reshape(1, rows, 3, 1)
        made, first = g(data)
        np.testing.assert_array_equal(made, data[0, ..., 0])
        np.testing.assert_array_equal(first, data[0, :1, :, 0] * 2)
