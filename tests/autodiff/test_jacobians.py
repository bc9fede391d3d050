"""Jacobians and Hessians: trees, several arguments, arrays written in place."""

import numpy as np
import pytest

import lazyarr as la


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
    with pytest.raises(TypeError, match="no argument 2 to differentiate by, the call has 1 argument"):
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
