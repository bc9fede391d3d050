"""Derivatives of products, determinants and solutions at zeros and singular matrices."""

import numpy as np
import pytest

import lazyarr as la


@pytest.mark.parametrize("other", [[1.0, 2.0], [0.0, 0.0]])
def test_products_of_polynomials_that_are_zero(other):
    """NumPy leaves out zeros in front, but for one."""
    x = la.zeros(2)
    assert la.value_and_grad(lambda x: la.polymul(x, other).sum())(x)[0] == np.polymul([0, 0], other).sum()
    np.testing.assert_array_equal(la.grad(lambda x: la.polymul(x, other).sum())(x), [0, np.sum(other)])


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


@pytest.mark.parametrize("shape", [(2, 2), (3, 3), (2, 2, 2)])
@pytest.mark.parametrize("size", [2, 4, 9])     # 4 and 9 are the numbers of elements of the matrices
def test_second_derivatives_of_batches_of_determinants(size, shape):
    matrices = np.random.default_rng(0).standard_normal((size, *shape))
    matrices[1] = 1.0
    hessian = la.hessian(lambda x: np.linalg.det(x).sum())
    np.testing.assert_allclose(la.vmap(hessian)(matrices), [hessian(x) for x in matrices], atol=1e-13)


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


@pytest.mark.parametrize("f, x, slope", [
    (lambda x: la.sqrt(x).sum(), [0.0], np.inf), (la.std, [1.0, 1.0], np.nan), (la.linalg.norm, [0.0, 0.0], np.nan),
    (lambda x: abs(x).sum(), [0.0], 0.0), (la.max, [2.0, 2.0], 0.5)], ids=["sqrt", "std", "norm", "abs", "max"])
def test_gradients_where_there_is_no_unique_derivative(f, x, slope):
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(la.grad(f)(la.array(x)), np.full(len(x), slope))
