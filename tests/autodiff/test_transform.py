"""The differentiating functions: arguments, trees, orders, and rejected input."""

import collections

import numpy as np
import pytest

import lazyarr as la
from support.lazy_helpers import pending


def test_argnums_and_aux():
    def f(a, b, c):
        return (a * b).sum() + c, {"kept": a + 1}

    value, gradients = la.value_and_grad(f, (0, 2), has_aux=True)(la.ones(3), np.arange(3.0), 2.0)
    assert float(value[0]) == 5
    np.testing.assert_array_equal(value[1]["kept"], [2, 2, 2])
    np.testing.assert_array_equal(gradients[0], [0, 1, 2])
    assert float(gradients[1]) == 1
    gradient, aux = la.grad(f, -2, has_aux=True)(la.ones(3), np.arange(3.0), 2.0)
    np.testing.assert_array_equal(gradient, [1, 1, 1])
    np.testing.assert_array_equal(aux["kept"], [2, 2, 2])


def test_trees():
    tree = {"w": [la.ones((2, 3)), (la.arange(3.0),)], "b": {"c": np.float32(2)}, "none": None}
    gradient = la.grad(lambda p, x: ((p["w"][0] * x + p["w"][1][0]) * p["b"]["c"]).sum())(tree, 3.0)
    assert gradient["none"] is None
    np.testing.assert_array_equal(gradient["w"][0], np.full((2, 3), 6.0))
    np.testing.assert_array_equal(gradient["w"][1][0], np.full(3, 4.0))
    assert gradient["b"]["c"].dtype == np.float32
    assert list(gradient) == list(tree)


def test_orders():
    f = la.sin
    for expected in (np.cos, lambda x: -np.sin(x), lambda x: -np.cos(x), np.sin):
        f = la.grad(f)
        assert abs(float(f(0.7)) - expected(0.7)) < 1e-15


def test_what_is_written_to_a_result_leaves_its_derivative():
    y, pull = la.vjp(lambda x: x * x, la.array([2.0, 3.0]))
    y[0] = 7
    np.testing.assert_array_equal(pull(la.ones(2))[0], [4, 6])


def test_the_graph_is_the_tape():
    w, b = la.asarray(np.arange(3.0)), la.ones(3)
    loss = ((w * 2 + b) ** 2).sum()
    gw, gb = loss.grad(w, b)
    np.testing.assert_array_equal(gw, 4 * (2 * np.arange(3.0) + 1))
    np.testing.assert_array_equal(gb, 2 * (2 * np.arange(3.0) + 1))
    np.testing.assert_array_equal(((w * 3).sum()).grad(w), [3, 3, 3])
    loss.numpy()
    with pytest.raises(ValueError, match="argument 0"):
        loss.grad(w)


def test_values_may_be_looked_at_on_the_way():
    def f(x):
        y = x * x
        seen.append(float(y.sum()))
        if y[0] > 0:
            y = y * 3
        for _ in range(int(y[1])):
            y = y + x
        y.numpy()
        return y.sum()

    seen = []
    np.testing.assert_array_equal(la.grad(f)(la.array([1.0, 1.0])), [9, 9])
    assert seen == [2.0]


def test_results_may_be_looked_at_before_they_are_pulled_back():
    y, pull = la.vjp(lambda x: la.exp(x * 2), la.zeros(2))
    y.numpy()
    np.testing.assert_array_equal(pull(la.ones(2))[0], [2, 2])
    np.testing.assert_array_equal(pull(la.full(2, 3.0))[0], [6, 6])


def test_nothing_is_evaluated():
    x = la.ones((3, 3))
    with la.no_evaluation():
        g = la.grad(lambda x: la.tanh(x @ x).sum())(x)
        h = la.grad(lambda x: (la.grad(lambda x: (x ** 3).sum())(x) * 2).sum())(x)
    np.testing.assert_array_equal(h, np.full((3, 3), 12.0))
    assert g.shape == (3, 3)


def test_arguments_are_not_changed():
    x = la.ones(3)

    def f(x):
        x *= 2
        x[0] = 5
        return x.sum()

    np.testing.assert_array_equal(la.grad(f)(x), [0, 2, 2])
    np.testing.assert_array_equal(x, [1, 1, 1])


def test_gradients_are_arrays_of_their_own():
    g = la.grad(lambda x: x.sum())(la.ones(3))
    g[0] = 7
    g += 1
    np.testing.assert_array_equal(g, [8, 2, 2])


def test_constants():
    np.testing.assert_array_equal(la.grad(lambda x: (x * la.stop_gradient(x)).sum())(la.array([2.0, 3])), [2, 3])
    np.testing.assert_array_equal(la.grad(lambda x: la.ones(2).sum())(la.array([2.0, 3])), [0, 0])
    np.testing.assert_array_equal(la.grad(lambda x: (x.astype(int) * x).sum())(la.array([2.0, 3])), [2, 3])
    np.testing.assert_array_equal(la.grad(lambda x: la.floor(x).sum())(la.array([2.5, 3])), [0, 0])


def test_dtypes_are_kept():
    for dtype in ("float16", "float32", "float64", "longdouble", "complex64"):
        x = la.ones(3, dtype)
        assert la.grad(lambda x: (x * 2.0).real.sum())(x).dtype == dtype
    mixed = la.grad(lambda x: (x * np.arange(3.0)).sum())(la.ones(3, "float32"))
    assert mixed.dtype == np.float32
    np.testing.assert_array_equal(mixed, [0, 1, 2])


@pytest.mark.parametrize("call, message", [
    (lambda: la.grad(lambda x: x)(la.ones(3)), r"one real number, got shape \(3,\)"),
    (lambda: la.grad(lambda x: x.sum())(la.arange(3)), "argument 0 must be of floats or complex numbers, got int64"),
    (lambda: la.grad(lambda x: x.sum(), 1)(la.ones(3)), "no argument 1"),
    (lambda: la.grad(lambda x: np.ones(()))(la.ones(3)), "must return a lazy array, got ndarray"),
    (lambda: la.grad(lambda x: la.argmax(x))(la.ones(3)), "must return floats or complex numbers, got int64"),
    (lambda: la.grad(lambda x: x.sum() * 1j)(la.ones(3)), "one real number"),
    (lambda: la.grad(lambda x: la.linalg.svd(x)[0].sum())(la.ones((2, 3))), r"svd of \(2, 3\) with full_matrices"),
    (lambda: la.grad(lambda x: la.unique(x).sum())(la.ones(3)), "unique, which was computed at once, has"),
    (lambda: la.grad(lambda x: la.nextafter(x, x).sum())(la.ones(3)), "nextafter has no derivative"),
    (lambda: la.ones(3).grad(la.ones(3)), "only one real number"),
    (lambda: la.vjp(la.sin, la.arange(3)), "vjp: argument 0 must be of floats or complex numbers, got int64"),
    (lambda: la.jvp(la.add, (1.0, la.arange(3)), (1.0, 1.0)), "jvp: argument 1 must be of floats"),
    (lambda: la.jacobian(la.add, 1)(1.0, la.arange(3)), "jacobian: argument 1 must be of floats"),
    (lambda: la.hessian(lambda x, y: (x * y["n"]).sum(), (0, 1))(la.ones(3), {"n": la.arange(3)}),
     r"hessian: argument 1\['n'\] must be of floats"),
    (lambda: la.vjp(lambda x: (x, la.argsort(x)), la.ones(3)), "vjp: result 1: the function must return floats"),
    (lambda: la.grad(lambda x: la.histogram(x, 3)[1].sum())(la.ones(3)), "histogram has no derivative"),
    (lambda: la.grad(lambda x: la.r_[x, 1.0].sum())(la.ones(3)), "r_, which was computed at once, has no derivative"),
    (lambda: la.grad(lambda x: la.frombuffer(x).sum())(la.ones(3)), "frombuffer, which was computed at once, has"),
    (lambda: la.grad(lambda x: la.polynomial.legendre.leg2poly(x).sum())(la.ones(3)), "leg2poly, which was computed"),
    (lambda: la.grad(lambda x: la.linalg.qr(x, "raw")[0].sum())(la.ones((3, 2))), r"linalg.qr of \(3, 2\)"),
    (lambda: la.grad(lambda x: la.nextafter.reduceat(x, [0, 1]).sum())(la.ones(3)), "nextafter.reduceat"),
    (lambda: la.grad(la.sum)(np.ma.ones(3)), "grad: argument 0 must be an array, not MaskedArray"),
    (lambda: la.jvp(la.sin, (1.0,), (np.ma.ones(()),)), "the tangent of argument 0 must be an array, not MaskedArray"),
    (lambda: la.vmap(la.sin)(np.ma.ones(3)), "vmap: argument 0 must be an array, not MaskedArray"),
    (lambda: la.grad(lambda x: x.astype(object).astype(float).sum())(la.ones(3)), "astype, which"),
])
def test_what_is_refused(call, message):
    with pytest.raises(TypeError, match=message):
        call()


def test_shapes_that_do_not_fit():
    with pytest.raises(ValueError, match=r"the tangent of argument 0 must have shape \(3,\), got \(2,\)"):
        la.jvp(la.sin, (la.ones(3),), (la.ones(2),))
    with pytest.raises(ValueError, match=r"the cotangent must have shape \(3,\), got \(2,\)"):
        la.vjp(la.sin, la.ones(3))[1](la.ones(2))
    x = la.ones(3)
    with pytest.raises(ValueError, match=r"the tangent of argument 0\['b'\] must have shape \(3,\), got \(2,\)"):
        la.jvp(lambda p: p["a"] * p["b"], ({"a": x, "b": x},), ({"a": x, "b": x[1:]},))
    with pytest.raises(ValueError, match=r"the cotangent\[1\] must have shape \(3,\), got \(\)"):
        la.vjp(lambda x: (x, x * x), x)[1]((x, 1.0))
    with pytest.raises(TypeError, match="the cotangent must be of float64, got complex128"):
        la.vjp(la.sin, x)[1](1j * x)
    with pytest.raises(TypeError, match=r"argument 0\['n'\]\[1\] must be of floats or complex numbers, got int64"):
        la.grad(lambda p: p["a"].sum())({"a": x, "n": [x, 3]})
    with pytest.raises(ValueError, match="mode"):
        la.jacobian(la.sin, mode="sideways")


@pytest.mark.parametrize("subscripts, shape", [
    ("i->", (0,)), ("i...->...", (0, 3)), ("ij->i", (3, 0)), ("ii->", (0, 0)),
])
def test_gradients_by_nothing_have_its_shape(subscripts, shape):
    assert la.grad(lambda x: la.einsum(subscripts, x).sum())(la.ones(shape)).shape == shape


def test_what_is_computed_at_once_is_no_constant():
    """Nested sequences, single elements, flat iterators and evaluated factors keep their derivatives."""
    x = la.array([1.0, 2.0, 3.0])
    for f, expected in (
        (lambda x: sum(a * a for a in x), [2, 4, 6]),
        (lambda x: la.array([x[0] * x[1], 5.0]).sum(), [2, 1, 0]),
        (lambda x: (la.ones(2) * [x[0], x[2]]).sum(), [1, 0, 1]),
        (lambda x: sum(a * a for a in x.flat), [2, 4, 6]),
        (lambda x: la.sum(la.ones(2), initial=x[1]), [0, 1, 0]),
        (lambda x: la.quantile(x, x[0] / 4), [1, 0.5, 0]),
    ):
        np.testing.assert_allclose(la.grad(f)(x), expected)


@pytest.mark.parametrize("order", [(0, 1), (1, 0), (0,), (1,), ()])
def test_several_results_may_be_looked_at_in_any_order(order):
    a = np.array([[2.0, 1], [1, 5]])
    weights = [np.array([1.0, 2]), np.array([[1.0, 2], [3, 4]])]
    _, expected = la.vjp(la.linalg.eigh, la.array(a))
    expected = expected(weights)[0].numpy()
    made, pull = la.vjp(la.linalg.eigh, la.array(a))
    for which in order:
        made[which].numpy()
    np.testing.assert_allclose(pull(weights)[0], expected)

    def looked_at(x):
        made = la.linalg.eigh(x)
        for which in order:
            made[which].numpy()
        return (made[0] * weights[0]).sum() + (made[1] * weights[1]).sum()

    np.testing.assert_allclose(la.grad(looked_at)(la.array(a)), expected)


def test_writes_at_once_are_noticed():
    def f(x):
        y = x * 1
        with la.nditer(y, op_flags=["readwrite"]) as iterator:
            for element in iterator:
                element[...] = 2 * element
        return y.sum()

    with pytest.raises(la.NotDifferentiable, match="done at once"):
        la.grad(f)(la.ones(3))


def test_a_long_chain_needs_no_recursion():
    def f(x):
        for _ in range(30_000):
            x = x + 1
        return x

    assert float(la.grad(f)(1.0)) == 1


def test_flushes_on_the_way_change_nothing():
    def f(x):
        y = la.zeros(x.shape)
        for i in range(len(x)):
            y[i] = x[i] * (y[i - 1] if i else 1)
        return y

    x, weights = np.arange(1.0, 5), np.array([1.0, 10, 100, 1000])
    for looked_at in (False, True):
        for _ in range(4):  # until a statement that writes twice has all that is pending evaluated
            with la.config(budget_nodes=3):
                y = z = pending(np.linspace(-1, 1, 10_000))
                for _ in range(20):
                    y = y + z
                    y[0] = 5
        np.testing.assert_array_equal(la.vjp(f, la.asarray(x))[1](weights)[0], expected(x))
        out, pull = la.vjp(f, la.asarray(x))
        if looked_at:
            out.numpy()
        for _ in range(2):
            np.testing.assert_array_equal(pull(weights)[0], expected(x))


def expected(x):
    """Return the gradient of [1, 10, 100, 1000] times the running products of x."""
    products = np.cumprod(x) * [1, 10, 100, 1000]
    return np.array([products[i:].sum() / x[i] for i in range(len(x))])


def test_dicts_of_all_kinds():
    parameters = collections.defaultdict(list, {"w": la.ones(2), "b": [la.asarray(2.0)]})
    found = la.grad(lambda p: (p["w"] * p["b"][0]).sum() + len(p["none"]))(parameters)
    assert type(found) is collections.defaultdict
    assert [*found] == ["w", "b"]
    assert found["b"][0] == 2
    ordered = collections.OrderedDict(z=la.ones(2), a=la.ones(2))
    assert [*la.grad(lambda p: (p["z"] * p["a"]).sum())(ordered)] == ["z", "a"]


@pytest.mark.parametrize("dtype", [">f4", ">f8", ">c16"])
def test_arrays_in_the_other_byte_order(dtype):
    x = np.arange(1, 5).astype(dtype)
    for f in (lambda x: (x * x).real.sum(), lambda x: np.vander(x).real.sum(),
              lambda x: np.cov(np.stack([x, x ** 2])).real.sum()):
        made, expected = la.grad(f)(la.asarray(x)), la.grad(f)(la.asarray(x.astype(x.dtype.newbyteorder("="))))
        assert made.dtype == expected.dtype
        np.testing.assert_array_equal(made, expected)
    np.testing.assert_array_equal(la.jvp(np.sin, (la.asarray(x),), (la.ones(4, x.dtype),))[1], np.cos(x))
    for mode in ("reverse", "forward"):
        np.testing.assert_array_equal(la.jacobian(lambda x: x * x, mode=mode)(la.asarray(x)), np.diag(2 * x))
    assert la.laplacian(lambda x: (x * x).real.sum())(la.asarray(x)).item() == 8


def test_what_is_stopped_may_be_a_tree_and_of_any_dtype():
    kept = la.stop_gradient({"a": la.asarray([1.0, 2.0]), "b": (3, np.arange(2), None)})
    assert [*kept] == ["a", "b"]
    np.testing.assert_array_equal(kept["b"][1], [0, 1])
    slope = la.grad(lambda p: (p["a"] * la.stop_gradient(p)["a"]).sum())({"a": la.asarray([1.0, 2.0])})
    np.testing.assert_array_equal(slope["a"], [1, 2])
    for x in (np.array([1, "a"], object), np.array(["a", "b"]), np.array(["2020"], "M8[Y]"), np.ones(2, ">f8"),
              np.zeros(2, [("a", float)])):
        np.testing.assert_array_equal(la.stop_gradient(x), x)


def test_directions_of_another_form_are_refused():
    x = la.ones(3)
    with pytest.raises(TypeError, match="jvp: tangents must have the form of the primals: they are 2 arrays, the prim"):
        la.jvp(np.sin, (x,), (x, x))
    with pytest.raises(TypeError, match="jvp: primals must be a tuple, one for each argument, got LazyArray"):
        la.jvp(np.sin, x, x)
    with pytest.raises(TypeError, match="vjp: cotangents must have the form of the result: they are 1 arrays, the re"):
        la.vjp(lambda x: (x, x * 2), x)[1](x)
    with pytest.raises(TypeError, match=r"they are 2 arrays at \['b'\], \['c'\], the result 2 at \['a'\], \['b'\]"):
        la.vjp(lambda x: {"a": x * 2, "b": x * 3}, x)[1]({"b": x, "c": x})


@pytest.mark.parametrize("argnums", [0.0, "x", None, (0, 1.5)])
def test_numbers_of_arguments_are_integers(argnums):
    with pytest.raises(TypeError, match="argnums must be an integer or several, got"):
        la.grad(np.sum, argnums)


@pytest.mark.parametrize("f, got", [(np.sum, "LazyArray"), (lambda x: (x.sum(), 1, 2), "3 results")])
def test_aux_comes_in_a_pair(f, got):
    with pytest.raises(TypeError, match=f"with has_aux the function must return a pair, of the number .*, got {got}"):
        la.value_and_grad(f, has_aux=True)(la.ones(3))


@pytest.mark.parametrize("subscripts", [",", ",->"])
def test_products_without_subscripts_are_differentiated_twice(subscripts):
    s = la.array(3.0)
    assert la.hessian(lambda s: np.einsum(subscripts, s, s))(s) == 2
    assert la.hessian(lambda s: np.einsum("->", s) ** 2)(s) == 2
    assert la.jvp(lambda s: np.einsum(subscripts, s, s), (s,), (s,))[1] == 18
