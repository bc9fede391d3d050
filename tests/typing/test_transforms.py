"""Derivatives, jit and loops preserve the types of the given functions."""

import numpy as np

import lazyarr as la
from support.typed_arrays import F32, assert_type

x = la.linspace(0.5, 0.9, 3).astype(np.float32)
la.evaluate(x)  # whose values would count as left by the first test


def energy(x: F32, scale: float = 1.0) -> F32:
    return scale * (x * x).sum()


def root(x: F32) -> F32:
    return la.sqrt(x)


def layer(parameters: dict[str, F32], x: F32) -> F32:
    return (parameters["w"] * x).sum()


def test_gradients() -> None:
    assert_type(la.grad(energy)(x), F32)
    assert_type(la.grad(energy)(x, scale=2.0), F32)
    assert_type(la.value_and_grad(energy)(x, 3.0), tuple[F32, F32])
    assert_type(la.grad(layer)({"w": x}, x), dict[str, F32])
    assert_type(la.hessian(energy)(x), F32)
    assert_type(la.jacobian(energy)(x), F32)
    assert_type(la.stop_gradient(x), F32)


def with_rest(x: F32) -> tuple[F32, int]:
    return (x * x).sum(), 3


def test_what_comes_beside() -> None:
    assert_type(la.grad(with_rest, has_aux=True)(x), tuple[F32, int])


def test_products_with_jacobians() -> None:
    def f(a: F32, b: F32) -> F32:
        return a * b

    value, pull_back = la.vjp(f, x, x)
    assert_type(value, F32)
    assert_type(pull_back(value), tuple[F32, F32])
    assert_type(la.jvp(f, (x, x), (x, x)), tuple[F32, F32])


def test_jit() -> None:
    compiled = la.jit(energy)
    assert_type(compiled(x, scale=2.0), F32)
    assert_type(compiled.stats(), dict[str, int])
    assert_type(la.checkpoint(energy)(x), F32)
    assert_type(la.vmap(root)(x), F32)


def test_methods() -> None:
    class Model:
        @la.jit
        def run(self, x: F32) -> F32:
            return x * 2

    assert_type(Model().run(x), F32)


@la.custom_vjp
def clipped(x: F32) -> F32:
    return x


def forward(x: F32) -> tuple[F32, None]:
    return x, None


def backward(residuals: None, g: F32) -> tuple[F32]:
    return (la.clip(g, -1, 1),)


clipped.defvjp(forward, backward)


def test_custom_rules() -> None:
    assert_type(clipped(x), F32)


def test_loops() -> None:
    assert_type(la.fori_loop(0, 3, lambda i, y: y + 1, x), F32)
    assert_type(la.while_loop(lambda y: y.sum() < 10, lambda y: y * 2, x), F32)
    assert_type(la.cond(x.sum() > 0, lambda y: y, lambda y: -y, x), F32)

    def add(carry: F32, one: F32) -> tuple[F32, F32]:
        return carry + one, carry

    assert_type(la.scan(add, la.zeros((), np.float32), x), tuple[F32, F32])
