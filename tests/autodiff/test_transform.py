"""The functions that differentiate: arguments, trees, orders, what they refuse."""

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


@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_jacobian(mode):
    a = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(la.jacobian(lambda x: a @ x, mode=mode)(la.ones(3)), a)
    x = la.asarray(np.arange(1.0, 5).reshape(2, 2))
    expected = np.zeros((2, 2, 2, 2))
    for i in np.ndindex(2, 2):
        expected[i + i] = 2 * x.numpy()[i]
    np.testing.assert_array_equal(la.jacobian(lambda x: x * x, mode=mode)(x), expected)


@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_jacobians_trace_once_and_may_be_empty(mode):
    calls = []

    def f(x):
        calls.append(1)
        return x[1:] * x[:-1]

    assert la.jacobian(f, mode=mode)(la.arange(4.0)).shape == (3, 4)
    assert calls == [1]
    assert la.jacobian(lambda x: x[:0], mode=mode)(la.ones(3)).shape == (0, 3)
    assert la.jacobian(lambda x: x.sum(), mode=mode)(la.ones(0)).shape == (0,)


@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_jacobians_of_several_arguments_and_of_trees(mode):
    x, y = np.array([1.0, 2.0, 3.0]), np.array([2.0, 5.0])
    f = la.jacobian(lambda x, n, y: {"a": x * y[0] * n, "b": [x.sum()]}, [0, -1], mode)
    made = f(la.asarray(x), 3, la.asarray(y))
    np.testing.assert_array_equal(made["a"][0], 6 * np.eye(3))
    np.testing.assert_array_equal(made["a"][1], np.stack([3 * x, 0 * x], axis=1))
    np.testing.assert_array_equal(made["b"][0][0], np.ones(3))
    np.testing.assert_array_equal(made["b"][0][1], np.zeros(2))
    made = la.jacobian(lambda p: p["w"] * p["b"], mode=mode)({"w": la.asarray(x), "b": 2.0})
    np.testing.assert_array_equal(made["w"], 2 * np.eye(3))
    np.testing.assert_array_equal(made["b"], x)
    np.testing.assert_array_equal(la.jacobian(lambda x, y: x * y, -1, mode)(la.asarray(x), la.ones(3)), np.diag(x))
    np.testing.assert_array_equal(la.jacobian(lambda x, y: x * y, mode=mode)(la.ones(3), y=la.asarray(x)), np.diag(x))
    with pytest.raises(TypeError, match="jacobian: there is no argument 2 to differentiate by, only 1 were given"):
        la.jacobian(np.sin, 2, mode)(la.ones(3))


@pytest.mark.parametrize("mode", ["reverse", "forward"])
@pytest.mark.parametrize("write", [
    lambda y: y.__setitem__([0, 2], y[1]), lambda y: np.put(y, [0, 2], y[1]),
    lambda y: np.multiply.at(y, [0, 0, 2], 3.0), lambda y: np.add.at(y, [0, 2], y[1]),
])
def test_jacobians_of_arrays_that_were_written_to(write, mode):
    """The cotangent of the result comes from outside of what is called for a batch of them."""
    def f(x):
        y = x.copy()
        write(y)
        return y

    expected = np.stack([np.asarray(f(la.array(column))) for column in np.eye(3)], 1)
    np.testing.assert_array_equal(la.jacobian(f, mode=mode)(la.ones(3)), expected)


def test_hessians_of_several_arguments():
    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    (xx, xy), (yx, yy) = la.hessian(lambda x, y: (x ** 2 * y).sum(), (0, 1))(la.asarray(x), la.asarray(y))
    np.testing.assert_array_equal(xx, np.diag(2 * y))
    np.testing.assert_array_equal(xy, np.diag(2 * x))
    np.testing.assert_array_equal(yx, np.diag(2 * x))
    np.testing.assert_array_equal(yy, np.zeros((2, 2)))


def test_what_is_written_to_a_result_leaves_its_derivative():
    y, pull = la.vjp(lambda x: x * x, la.array([2.0, 3.0]))
    y[0] = 7
    np.testing.assert_array_equal(pull(la.ones(2))[0], [4, 6])


def test_hessian_and_its_products():
    def f(x):
        return (x[0] ** 2 * x[1] + la.exp(x[2])) * x[3]

    x = np.array([1.0, 2, 0.5, 3])
    h = la.hessian(f)(la.asarray(x)).numpy()
    np.testing.assert_allclose(h, h.T)
    np.testing.assert_allclose(h[:2, :2], [[12, 6], [6, 0]])
    v = np.array([1.0, -1, 2, 0])
    np.testing.assert_allclose(la.hvp(f, (la.asarray(x),), (v,))[0], h @ v)
    np.testing.assert_allclose(la.laplacian(f)(la.asarray(x)), np.trace(h))


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
     r"jacobian: argument 1\['n'\] must be of floats"),
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


@pytest.mark.parametrize("other", [[1.0, 2.0], [0.0, 0.0]])
def test_products_of_polynomials_that_are_zero(other):
    """NumPy leaves out zeros in front, but for one."""
    x = la.zeros(2)
    assert la.value_and_grad(lambda x: la.polymul(x, other).sum())(x)[0] == np.polymul([0, 0], other).sum()
    np.testing.assert_array_equal(la.grad(lambda x: la.polymul(x, other).sum())(x), [0, np.sum(other)])


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


def differences_twice(f, x, step=1e-3):
    """Second derivatives of a polynomial of low degree, by differences."""
    moves = np.eye(x.size).reshape(-1, *x.shape) * step
    return np.reshape([(f(x + a + b) - f(x + a - b) - f(x - a + b) + f(x - a - b)) / (4 * step**2)
                       for a in moves for b in moves], x.shape * 2)


@pytest.mark.parametrize("x", [[1.0, 0, 2, 0, 3], [0, 0, 2, 1, 3], [1, 2, 3, 4, 5], [0, 1, 2, 3, 4], [2, 1, 1, 3, 0],
                               [0] * 5])
@pytest.mark.parametrize("f", [
    lambda x: (np.cumprod(x) * np.arange(1, 6)).sum(), np.prod, lambda x: np.prod(x[1:]) * x[0] + np.prod(x[:3]),
    lambda x: np.prod(np.outer(x[:3], x[:2]) + 1, axis=0).sum()], ids=range(4))
def test_second_derivatives_of_products_with_zeros(f, x):
    x = np.array(x, float)
    made = la.hessian(f)(la.asarray(x))
    np.testing.assert_allclose(made, differences_twice(f, x), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(la.vmap(la.hessian(f))(la.asarray([x, x[::-1]]))[0], made, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(la.hvp(f, (la.asarray(x),), (la.ones(5),))[0], made.sum(0), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("axes", [None, 0, 1, (0, 2), (2, 0, 1)])
def test_second_derivatives_of_products_along_axes(axes):
    x = np.arange(12.0).reshape(2, 3, 2) % 5 - 1

    def f(x):
        return (np.prod(x, axis=axes) ** 2).sum() + np.prod(x, axis=axes, keepdims=True)[..., 0].sum()

    def g(x):
        return (np.cumprod(x, axis=axes if isinstance(axes, int) else None) ** 2).sum()

    for function in (f, g):
        made = la.hessian(function)(la.asarray(x))
        np.testing.assert_allclose(made, np.swapaxes(made.reshape(12, 12), 0, 1).reshape(made.shape))
        expected = la.jacobian(la.grad(function), mode="forward")(la.asarray(x))
        np.testing.assert_allclose(made, expected, rtol=1e-9)
        slopes = [(la.grad(function)(la.asarray(x + d)) - la.grad(function)(la.asarray(x - d))) / 2e-4
                  for d in 1e-4 * np.eye(12).reshape(12, 2, 3, 2)]
        np.testing.assert_allclose(made, np.stack(slopes).reshape(made.shape), rtol=1e-4, atol=1e-2)


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


@pytest.mark.parametrize("x", [[1e-200, 1e-200], [1e-200, 0.0, 1e-200], [1e200, 1e200, 1e-250], [3.0, 1e-310, 2.0]])
def test_products_that_are_no_ordinary_numbers(x):
    """The products of the others are."""
    def without_each(x):
        return [np.prod(np.delete(x, k)) for k in range(len(x))]

    x, zeros = np.array(x), np.eye(len(x))[0]
    with np.errstate(all="ignore"):
        others = without_each(x)
        running = [sum(np.prod(np.delete(x[:n], k)) for n in range(k + 1, len(x) + 1)) for k in range(len(x))]
        np.testing.assert_allclose(la.grad(np.prod)(la.asarray(x)), others, rtol=1e-14)
        np.testing.assert_allclose(la.grad(lambda x: np.cumprod(x).sum())(la.asarray(x)), running, rtol=1e-14)
        both = la.vmap(la.grad(np.prod))(la.asarray([x, zeros]))
    np.testing.assert_allclose(both, [others, without_each(zeros)], rtol=1e-14)


@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("n, rank", [(1, 0), (1, 1), (2, 0), (2, 1), (3, 1), (3, 2), (3, 3), (5, 4)])
def test_determinants_of_singular_matrices(n, rank, dtype):
    a = np.random.default_rng(n).standard_normal((n, 2 * n)).view(complex).astype(dtype, copy=False) \
        if dtype is complex else np.random.default_rng(n).standard_normal((n, n))
    u, s, v = np.linalg.svd(a)
    a = (u[:, :rank] * s[:rank]) @ v[:rank]
    minors = [[np.linalg.det(np.delete(np.delete(a, i, 0), j, 1)) for j in range(n)] for i in range(n)]
    cofactors = np.array(minors) * (-1) ** np.add.outer(np.arange(n), np.arange(n))
    pull = la.vjp(np.linalg.det, la.asarray(a))[1]
    np.testing.assert_allclose(pull(la.ones((), dtype))[0], cofactors, rtol=1e-9, atol=1e-9)
    stacked = la.asarray(np.stack([a, np.eye(n, dtype=dtype)]))
    np.testing.assert_allclose(la.vjp(np.linalg.det, stacked)[1](la.ones(2, dtype))[0], [cofactors, np.eye(n)],
                               rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("n, rank", [(1, 0), (2, 0), (2, 1), (3, 1), (3, 2), (3, 3), (5, 3), (5, 4)])
def test_second_derivatives_of_determinants_of_singular_matrices(n, rank, dtype):
    """By differences, which are exact but for rounding: along two directions a determinant is a polynomial."""
    rng = np.random.default_rng(n)
    a, d, e = [rng.standard_normal((n, 2 * n)).view(complex) for _ in range(3)] if dtype is complex else \
        [rng.standard_normal((n, n)) for _ in range(3)]
    u, s, v = np.linalg.svd(a)
    a = (u[:, :rank] * s[:rank]) @ v[:rank]
    h = 1e-3
    expected = sum(i * k * np.linalg.det(a + i * h * d + k * h * e) for i in (1, -1) for k in (1, -1)) / (4 * h * h)

    def along(x):
        return (la.vjp(np.linalg.det, x)[1](la.ones((), dtype))[0] * e).sum()

    forward = la.jvp(along, (la.asarray(a),), (la.asarray(d),))[1]
    np.testing.assert_allclose(forward, expected, rtol=1e-4, atol=1e-4)
    backward = (la.vjp(along, la.asarray(a))[1](la.ones((), dtype))[0] * d).sum()
    np.testing.assert_allclose(backward, forward, rtol=1e-9, atol=1e-9)
    both = la.vmap(lambda x: la.jvp(along, (x,), (la.asarray(d),))[1])(la.asarray(np.stack([a, a + np.eye(n)])))
    np.testing.assert_allclose(both[0], forward, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8"])
def test_least_squares_of_any_precision(dtype):
    a, b = la.ones((3, 2), dtype) + la.eye(3, 2, dtype=dtype), la.arange(3, dtype=dtype)
    found = la.grad(lambda a: np.linalg.lstsq(a, b)[0].sum().real)(a)
    expected = la.grad(lambda a: np.linalg.solve(a.T @ a, a.T @ b).sum().real)(a)
    np.testing.assert_allclose(found, expected, rtol=2e-5)


def test_derivatives_of_the_cardinal_sine_near_zero():
    """By its series: pi**2k (-1)**k / (2k + 1) are its even derivatives at zero."""
    def slope(order):
        f = np.sinc
        for _ in range(order):
            f = la.grad(f)
        return f

    even = [(-1) ** k * np.pi ** (2 * k) / (2 * k + 1) for k in range(4)]
    for x in (0.0, -1e-9, 1e-5):
        np.testing.assert_allclose([slope(2 * k)(x) for k in range(4)], even, rtol=1e-8)
        np.testing.assert_allclose([slope(2 * k - 1)(x) for k in range(1, 4)], np.array(even[1:]) * x, rtol=1e-8)
    for x in (0.0954, 0.0956):  # on both sides of where the series ends
        expected = (np.sinc(x + 1e-4) - 2 * np.sinc(x) + np.sinc(x - 1e-4)) / 1e-8
        np.testing.assert_allclose(slope(2)(x), expected, rtol=1e-6)


@pytest.mark.parametrize("subscripts", [",", ",->"])
def test_products_without_subscripts_are_differentiated_twice(subscripts):
    s = la.array(3.0)
    assert la.hessian(lambda s: np.einsum(subscripts, s, s))(s) == 2
    assert la.hessian(lambda s: np.einsum("->", s) ** 2)(s) == 2
    assert la.jvp(lambda s: np.einsum(subscripts, s, s), (s,), (s,))[1] == 18
