"""User-defined derivatives, custom_vjp and custom_jvp, and recomputation: checkpoint."""

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core.host import allocator
from support.finite_differences import check


def test_a_stated_rule_is_used_and_the_function_itself_is_not_differentiated():
    @la.custom_vjp
    def rounded(x):
        return np.round(x)

    x = la.array([0.4, 1.6])
    assert la.grad(lambda x: (rounded(x) * x).sum())(x).tolist() == [0, 2]
    rounded.defvjp(lambda x: (np.round(x), None), lambda _, g: (g,))  # straight through
    assert la.grad(lambda x: (rounded(x) * x).sum())(x).tolist() == [0.4, 3.6]
    assert (rounded(x) * x).sum().grad(x).tolist() == [0.4, 3.6]
    assert rounded(x).tolist() == [0, 2]
    assert rounded.__name__ == "rounded"


def test_residuals_trees_and_constants():
    @la.custom_vjp
    def scaled(pair, power, flag):
        raise AssertionError("the forward rule is called in its place")

    def forward(pair, power, flag):
        assert flag == "on"
        a, b = pair["a"], pair["b"]
        return (a * b, a + power), {"a": a, "kept": [b, power]}

    def backward(residuals, g):
        b, power = residuals["kept"]
        assert power == 3
        return {"a": g[0] * b * 10, "b": None if False else g[0] * residuals["a"]}, None, None

    scaled.defvjp(forward, backward)

    def loss(pair):
        y, z = scaled(pair, 3, "on")
        return (y + 2 * z).sum()

    gradient = la.grad(loss)({"a": la.arange(3.0), "b": la.ones(3) * 2})
    assert gradient["a"].tolist() == [20, 20, 20]
    assert gradient["b"].tolist() == [0, 1, 2]


def test_stated_rules_in_second_derivatives():
    @la.custom_vjp
    def cube(x):
        return x ** 3

    cube.defvjp(lambda x: (x ** 3, x), lambda x, g: (g * 3 * x ** 2,))
    assert float(la.grad(la.grad(cube))(2.0)) == 12
    assert float(la.grad(la.grad(la.grad(cube)))(2.0)) == 6
    np.testing.assert_allclose(la.hessian(lambda x: cube(x).sum())(la.arange(3.0)), np.diag([0.0, 6, 12]))


def test_tangents():
    @la.custom_jvp
    def f(x, y):
        return np.sin(x) * y

    f.defjvp(lambda primals, tangents: (
        f(*primals), np.cos(primals[0]) * primals[1] * tangents[0] + np.sin(primals[0]) * tangents[1] * 7))
    x, y = la.array([0.3, 0.5]), la.array([2.0, 3.0])
    gx, gy = la.grad(lambda x, y: f(x, y).sum(), (0, 1))(x, y)
    np.testing.assert_allclose(gx, np.cos(x.numpy()) * y.numpy())
    np.testing.assert_allclose(gy, np.sin(x.numpy()) * 7)
    _, moved = la.jvp(f, (x, y), (la.ones(2), la.ones(2)))
    np.testing.assert_allclose(moved, gx + gy)


def test_rules_inside_loops():
    @la.custom_vjp
    def double(x):
        return x * 2

    double.defvjp(lambda x: (x * 2, None), lambda _, g: (g * 3,))
    assert float(la.grad(lambda x: la.fori_loop(0, 4, lambda i, x: double(x), x))(1.0)) == 81
    assert float(la.grad(lambda x: la.fori_loop(0, 4, lambda i, x: la.checkpoint(lambda x: x * 2)(x), x))(1.0)) == 16


def test_rules_that_do_not_fit():
    @la.custom_vjp
    def f(x, y):
        return x * y

    f.defvjp(lambda x, y: (x * y, None), lambda _, g: (g,))
    with pytest.raises(TypeError, match="custom_vjp of f: the rule must give a tuple of 2 cotangents"):
        la.grad(lambda x: f(x, 2.0))(1.0)
    f.defvjp(lambda x, y: (x * y, None), lambda _, g: (g[None], None))
    with pytest.raises(ValueError, match=r"cotangent of argument 0 has shape \(1,\), the argument \(\)"):
        la.grad(lambda x: f(x, 2.0))(1.0)
    f.defvjp(lambda x, y: (x * y, None), lambda _, g: ([g], None))
    with pytest.raises(TypeError, match="cotangent of argument 0 must have the form"):
        la.grad(lambda x: f(x, 2.0))(1.0)


# ---- checkpoint ----------------------------------------------------------------------------------------


def test_checkpoints_change_no_derivative():
    rng = np.random.default_rng(0)
    a, x = rng.standard_normal((4, 4)), rng.standard_normal(4)

    def block(x, a):
        x = np.tanh(a @ x)
        x[1:] *= 2
        return x, {"sum": x.sum()}

    def loss(block):
        def f(a, x):
            total = 0
            for _ in range(3):
                x, more = block(x, a.T)
                total = total + more["sum"]
            return (x * total).sum()

        return f

    check(loss(la.checkpoint(block)), [a, x], exact=False)
    for f in (la.grad, la.hessian):
        np.testing.assert_allclose(f(loss(la.checkpoint(block)))(la.asarray(a), la.asarray(x)),
                                   f(loss(block))(la.asarray(a), la.asarray(x)), rtol=1e-12)


def test_results_of_one_call_may_be_looked_at_one_after_the_other():
    a = la.asarray(np.eye(3) * 2 + np.arange(3.0))
    a = a + a.T

    def loss(looked_at):
        def f(a):
            values, vectors = np.linalg.eigh(a)
            for which in looked_at:
                (values, vectors)[which].numpy()
            return (vectors[:, 0] * values).sum()

        return f

    expected = la.grad(loss(()))(a).numpy()
    for looked_at in ((0,), (1,), (0, 1), (1, 0)):
        np.testing.assert_array_equal(la.grad(loss(looked_at))(a), expected)


def test_what_a_checkpoint_captures_has_its_derivative():
    w = la.array([2.0, 3.0])
    assert la.grad(lambda w: la.checkpoint(lambda x: x * w[::-1])(la.ones(2)).sum())(w).tolist() == [1, 1]


def test_a_checkpoint_computes_again_and_holds_less_memory():
    size, depth = 1 << 20, 8

    def block(x):
        for _ in range(4):
            x = np.sin(np.sort(x))  # sorting ends what is fused, so that each result would be stored
        return x

    def peak(block):
        def loss(x):
            for _ in range(depth):
                x = block(x)
            return x.sum()

        x = la.ones(size)
        allocator.reset_peak()
        value, gradient = la.value_and_grad(loss)(x)
        la.evaluate(value, gradient)
        return allocator.stats()["peak_bytes"], gradient.numpy()

    plain, expected = peak(block)
    less, got = peak(la.checkpoint(block))
    np.testing.assert_array_equal(got, expected)
    assert less < 0.6 * plain


def test_checkpoints_on_batches():
    block = la.checkpoint(lambda x: np.tanh(x * 2))
    x = la.asarray(np.linspace(0, 1, 4))
    for f in (lambda x: block(block(x)), la.grad(lambda x: block(block(x)).sum())):
        _, pull = la.vjp(f, x)
        expected = np.stack([pull(row)[0].numpy() for row in np.eye(4)])
        np.testing.assert_allclose(la.vmap(lambda g, pull=pull: pull(g)[0])(la.eye(4)), expected, rtol=1e-12)


def test_checkpointed_functions_cannot_look_at_values():
    with pytest.raises(la.TracedValueError):
        la.checkpoint(lambda x: x if x > 0 else -x)(1.0)


def test_the_way_forward_may_call_the_function():
    @la.custom_vjp
    def f(x, y):
        return la.sin(x) * y

    f.defvjp(lambda x, y: (f(x, y), (la.cos(x), la.sin(x), y)),
             lambda kept, g: (2 * kept[0] * g * kept[2], kept[1] * g))
    x = la.asarray([0.3, -1.2])
    np.testing.assert_allclose(f(x, 2.0), np.sin(np.asarray(x)) * 2)
    by_x, by_y = la.grad(lambda x, y: f(x, y).sum(), (0, 1))(x, x * 2)
    np.testing.assert_allclose(by_x, 4 * np.cos(np.asarray(x)) * np.asarray(x))
    np.testing.assert_allclose(by_y, np.sin(np.asarray(x)))
    twice = la.vmap(la.grad(lambda x: f(f(x, 1.0), 3.0)))(x)
    np.testing.assert_allclose(twice, 12 * np.cos(np.sin(x)) * np.cos(x))
    np.testing.assert_array_equal(la.jit(la.vmap(la.grad(lambda x: f(f(x, 1.0), 3.0))))(x), twice)


def test_a_way_forward_that_fails():
    @la.custom_vjp
    def f(x):
        return x * 1

    f.defvjp(lambda x: (f(x) / None, None), lambda kept, g: (g * 5,))
    with pytest.raises(TypeError):
        f(la.asarray(1.0))
    f.defvjp(lambda x: (f(x), None), lambda kept, g: (g * 5,))
    assert la.grad(f)(la.asarray(1.0)) == 5


def test_arguments_by_name_come_by_their_places():
    @la.custom_vjp
    def scaled(x, scale=2.0):
        return x * scale

    scaled.defvjp(lambda x, scale: (scaled(x, scale), scale), lambda scale, g: (g * scale * 10, None))
    assert float(scaled(x=3.0)) == float(scaled(3.0)) == 6
    assert float(la.grad(scaled)(1.0)) == 20
    assert float(la.grad(lambda x: scaled(scale=3.0, x=x))(1.0)) == 30

    @la.custom_jvp
    def shifted(x, by=1.0):
        return x + by

    shifted.defjvp(lambda primals, tangents: (shifted(*primals), tangents[0] * 7))
    assert float(la.grad(lambda x: shifted(x, by=2.0))(1.0)) == 7
    with pytest.raises(TypeError, match="unexpected keyword"):
        scaled(1.0, of=2)


def test_arguments_without_a_place():
    @la.custom_vjp
    def scaled(x, *, scale=2.0):
        return x * scale

    scaled.defvjp(lambda x: (scaled(x), None), lambda _, g: (g * 10,))
    assert float(la.grad(scaled)(1.0)) == 10
    with pytest.raises(TypeError, match="scale has none"):
        scaled(1.0, scale=3.0)


@pytest.mark.parametrize("rule, error, message", [
    (lambda p, t: t[0], TypeError, "the rule must give a pair, of the result and its tangent, got LazyArray"),
    (lambda p, t: (p[0], t[0].sum()), ValueError, r"the tangent has shape \(\), the result \(3,\)"),
    (lambda p, t: (p[0], (t[0], t[0])), TypeError, "the form of the result: it is 2 arrays, the result 1"),
])
def test_tangents_that_do_not_fit(rule, error, message):
    doubled = la.custom_jvp(lambda x: x * 2)
    doubled.defjvp(rule)
    with pytest.raises(error, match=message):
        la.grad(lambda x: doubled(x).sum())(la.ones(3))


def test_forward_functions_give_pairs():
    doubled = la.custom_vjp(lambda x: x * 2)
    doubled.defvjp(lambda x: x * 2, lambda residuals, g: (g * 2,))
    with pytest.raises(TypeError, match="forward must give a pair, of the result and what the rule needs, got LazyArr"):
        la.grad(lambda x: doubled(x).sum())(la.ones(3))
