"""`loss.grad(w)` on arrays that exist already: the graph is the tape until it is evaluated."""

import numpy as np
import pytest

import lazyarr as la

FORGOTTEN = {
    "chain beyond the budget": lambda x: chain(x, 1000),
    "looked at": lambda x: (looked_at(x * 2) * x).sum(),
    "looked at twice": lambda x: (looked_at(np.sin(looked_at(x * 2))) + x).sum(),
    "number of an array": lambda x: (x[0] * x).sum(),
    "numbers of numbers": lambda x: (x[0] * x[1] * x).sum(),
    "inner product": lambda x: (x @ x * x).sum(),
    "function that looks": lambda x: np.average(x * 3, weights=x),
    "indexed": lambda x: (x[np.array([0, 2])].sum() * x).sum() * looked_at(x[np.array([1, 0])])[0],
    "selected": lambda x: (x * x).sum() + x[x > 0].sum(),
    "selected of what waits": lambda x: (x * x).sum() + ((x * 2)[x > 0] ** 2).sum(),
    "array of numbers": lambda x: (x * x).sum() + la.array([x[0], x[1]]).sum(),
    "array of rows": lambda x: (x * x).sum() + la.asarray([x * 2, [x[0], 1.0, 2.0]])[1].prod(),
    "list as an operand": lambda x: (x * [x[1], 2.0, x[0]]).sum(),
    "list as an element": lambda x: (x * x).sum() + la.where([True, False], [x[1], 2.0], 3.0).sum(),
    "written list": lambda x: (x * x).sum() + written(lambda y: y.__setitem__([0, 1], [x[1], x[2]])),
    "filled": lambda x: (x * x).sum() + written(lambda y: y.fill(x[1])),
    "written by position": lambda x: (x * x).sum() + written(lambda y: y.flat.__setitem__(1, x[1])),
    "positions": lambda x: (x * x).sum() + written(lambda y: y.flat.__setitem__(slice(None), x[:2] * 3)),
    "element": lambda x: (x * x).sum() + written(lambda y: y.__setitem__(1, x[1])),
    "added at places": lambda x: (x * x).sum() + written(lambda y: np.add.at(y, [0, 0], x[1:])),
    "put": lambda x: (x * x).sum() + written(lambda y: np.put(y, [0, 2], x[1:])),
    "put where": lambda x: (x * x).sum() + written(lambda y: np.putmask(y, [True, False, True], x[:2])),
    "put along": lambda x: (x * x).sum() + written(lambda y: np.put_along_axis(y, np.array([0, 1]), x[1:], 0)),
    "line": lambda x: (x * x).sum() + np.linspace(x[0], 5.0, 4).sum(),
}


def chain(x, length):
    y = x
    for _ in range(length):
        y = y * 1.0 + x
    return y.sum()


def written(write):
    """Sums of what is written to arrays that wait, have values, and take part in another one."""
    waiting, known, read = la.zeros(3), la.array(np.zeros(3)), looked_at(la.zeros(3) * 1)
    other = read + 1
    for made in (waiting, known, read):
        write(made)
    return waiting.sum() + known.prod() + read.max() + other.sum()


def looked_at(x):
    x.numpy()
    return x


@pytest.mark.parametrize("name", FORGOTTEN)
def test_what_is_forgotten_in_part_is_refused(name):
    """There is no part of a gradient."""
    x = la.array([1.0, 2.0, -1.5])
    with pytest.raises(ValueError, match=r"(it is forgotten what|nothing) leads from argument 0 to this number"):
        FORGOTTEN[name](x).grad(x)
    x = np.array([1.0, 2.0, -1.5])
    expected = [(FORGOTTEN[name](la.asarray(x + 1e-6 * step)) - FORGOTTEN[name](la.asarray(x - 1e-6 * step))) / 2e-6
                for step in np.eye(3)]
    np.testing.assert_allclose(la.grad(FORGOTTEN[name])(la.asarray(x)), expected, rtol=1e-6)


def test_what_was_evaluated_and_is_made_of_others_does_not_matter():
    rng = np.random.default_rng(0)
    images, labels = la.array(rng.random((40, 5))), la.array(rng.random(40))
    w, b = la.zeros(5), la.zeros(())
    mean, scale = images.mean(0), images.std(0)
    for step in range(30):
        batch = looked_at((images[step % 3::3] - mean) / scale)
        wanted = labels[step % 3::3]
        error = batch @ w + b - wanted
        gradients = (error**2).mean().grad(w, b)
        residual = np.asarray(batch) @ np.asarray(w) + float(b) - np.asarray(wanted)
        np.testing.assert_allclose(gradients[0], 2 * np.asarray(batch).T @ residual / len(residual), atol=1e-12)
        np.testing.assert_allclose(gradients[1], 2 * residual.mean(), atol=1e-12)
        w -= 0.1 * gradients[0]
        b -= 0.1 * gradients[1]
        checked = looked_at((images[-4:] - mean) * 1.0)
        assert np.isfinite((checked @ w).sum())


def test_two_players_by_turns():
    """How one of them changes depends on the other one: where that is a constant has to be told."""
    z = la.array(np.linspace(0.1, 1, 10))
    maker, judge = la.array(np.array([1.0, 0.5])), la.array(np.array([0.3, -0.2]))
    for step in range(300):
        made = looked_at(maker[0:1] * z + maker[1:2])
        if step:
            with pytest.raises(ValueError, match="it is forgotten what leads"):
                ((judge[0:1] * made + judge[1:2]) ** 2).mean().grad(judge)
        gradient = ((judge[0:1] * la.stop_gradient(made) + judge[1:2]) ** 2).mean().grad(judge)
        error = float(judge[0]) * np.asarray(made) + float(judge[1])
        np.testing.assert_allclose(gradient, [2 * (error * np.asarray(made)).mean(), 2 * error.mean()])
        judge -= 0.1 * gradient
        again = maker[0:1] * z + maker[1:2]
        maker -= 0.1 * ((judge[0:1] * again + judge[1:2]) ** 2).mean().grad(maker)


def test_a_constant_may_be_told():
    x = la.array([1.0, 2.0])
    for y in (la.stop_gradient(looked_at(x * 2)), looked_at(la.stop_gradient(x * 2))):
        np.testing.assert_array_equal((y * x).sum().grad(x), [2, 4])


def test_a_view_has_the_derivative_by_what_it_shows():
    w = la.array(np.arange(6.0)).reshape(2, 3)
    np.testing.assert_array_equal((w * w).sum().grad(w), 2 * np.arange(6.0).reshape(2, 3))
    part = w[1:, ::-1]
    np.testing.assert_array_equal((part * w).sum().grad(part), differences(w, part.shape))


def differences(w, shape):
    """Of (part * w).sum() by the elements of part, w[1:, ::-1], one after the other."""
    def value(w):
        return (w[1:, ::-1] * w).sum()

    found, base = np.empty(shape), np.array(w)
    for column in range(3):
        step = np.zeros((2, 3))
        step[1, 2 - column] = 1e-3
        found[0, column] = (value(base + step) - value(base - step)) / 2e-3
    return np.round(found, 9)


def test_a_derivative_of_zero():
    x, unused = la.array([1.0, 2.0]), la.array([1.0])
    np.testing.assert_array_equal(np.heaviside(x, 0.5).sum().grad(x), [0, 0])
    with pytest.raises(ValueError, match="nothing leads from argument 1"):
        x.sum().grad(x, unused)


@pytest.mark.parametrize("argument", [la.array([1, 2]), np.ones(2), 1.0, [1.0]])
def test_wrong_arguments(argument):
    x = la.array([1.0, 2.0])
    with pytest.raises(TypeError, match="grad: argument 1 must be a lazy array of floats, got"):
        (x * argument).sum().grad(x, argument)
