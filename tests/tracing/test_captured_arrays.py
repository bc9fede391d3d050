"""Arrays that a traced function reads and writes, local or captured: values and memory are NumPy's."""

import numpy as np
import pytest

import lazyarr as la
from support.jitted_functions import jitted


def test_arrays_from_outside_have_their_values_at_the_call():
    w, small = la.arange(3.0), la.array(2.0)
    counted, f = jitted(lambda x: x * w + small + w[1:].sum())
    for _ in range(3):
        assert f(la.ones(3)).tolist() == (np.ones(3) * w.numpy() + float(small) + w.numpy()[1:].sum()).tolist()
        w *= 2
        w[0] = 5
        small += 1
    assert counted.calls == 1


def test_what_is_written_to_arrays_from_outside_is_written_at_each_call():
    state, untouched = la.zeros(3), la.ones(3)
    view = state[1:]

    def step(x):
        state[...] = state + x * untouched
        state[0] = -1
        return state.sum()

    counted, f = jitted(step)
    expected = np.zeros(3)
    for k in range(4):
        expected += k
        expected[0] = -1
        assert f(la.full(3, float(k))) == expected.sum()
        assert state.tolist() == expected.tolist()
        assert view.tolist() == expected[1:].tolist()
    assert counted.calls == 1


@pytest.mark.parametrize("make", [
    lambda: la.arange(6.0), lambda: la.arange(12.0)[::2], lambda: la.asarray(np.asfortranarray(np.ones((2, 3)))).T[1],
])
def test_what_is_written_to_arguments_reaches_the_caller(make):
    def f(x):
        x += 1
        x[0] = 7
        return x * 2

    counted, g = jitted(f)
    for _ in range(2):
        x, y = make(), make().numpy().copy()
        got, wanted = g(x), f(y)
        np.testing.assert_array_equal(got, wanted)
        np.testing.assert_array_equal(x, y)
    assert counted.calls == 1


def test_arguments_that_share_memory_with_what_is_written():
    def f(x, y):
        x += y
        return y * 1

    g = la.jit(f)
    for a in (la.arange(6.0), la.arange(6.0)):
        b = a.numpy().copy()
        np.testing.assert_array_equal(g(a[1:], a[:-1]), f(b[1:], b[:-1]))
        np.testing.assert_array_equal(a, b)
    assert "shares" in g.explain_miss()


def test_arrays_of_numpy_are_written_to_by_the_function():
    def f(x):
        x += 1
        return x.sum()

    g, x = la.jit(f), np.zeros(2)
    for k in range(1, 3):
        assert g(x) == 2 * k
        assert x.tolist() == [k, k]
    assert g.explain_miss() == "f was called as it is: it writes to an argument that is no lazy array"


def test_arrays_that_are_given_another_shape():
    w = la.zeros(4)

    def f(x):
        x.shape = (2, -1)
        w.shape = (4, 1)
        x[...] = x[::-1]
        return x * 2

    g, x = la.jit(f), la.arange(6.0)
    assert g(x).tolist() == [[6, 8, 10], [0, 2, 4]]
    assert (x.tolist(), w.shape) == ([[3, 4, 5], [0, 1, 2]], (4, 1))
    assert "is called each time" in g.explain_miss()


def test_a_result_that_is_an_argument_is_the_argument():
    x = la.ones(2)
    assert la.jit(lambda x: x)(x) is x
    y = la.jit(lambda x: x[:])(x)
    y[0] = 5
    assert x.tolist() == [1, 1]


def test_arrays_of_numpy_among_the_results_are_the_callers():
    f = la.jit(lambda x: (x, np.ones(2)))
    for _ in range(3):
        y = f(la.ones(2))[1]
        assert y.tolist() == [1, 1]
        y += 1


PLACES, MORE_PLACES, LABELS = la.asarray(np.array([0, 2])), la.asarray(np.array([[1, 0]])), la.asarray(np.array([1, 0]))


def changed(x, change):
    y = x * 1
    change(y)
    return y


@pytest.mark.parametrize("function", [
    lambda x: x[PLACES], lambda x: np.take(x, PLACES), lambda x: np.outer(x, x)[PLACES, MORE_PLACES],
    lambda x: np.take_along_axis(x, PLACES, 0), lambda x: changed(x, lambda y: np.add.at(y, PLACES, x[:2])),
    lambda x: changed(x, lambda y: np.put(y, PLACES, 7.0)), lambda x: changed(x, lambda y: y.__setitem__(PLACES, 0.0)),
    lambda x: la.nn.cross_entropy(np.outer(x, x)[:2], LABELS), lambda x: la.nn.one_hot(LABELS, 3) * x,
    lambda x: np.digitize(x, LABELS[::-1]), lambda x: la.fori_loop(0, PLACES[1], lambda i, y: y + i, x),
    lambda x: np.interp(x, PLACES * 1.0, LABELS), lambda x: x[np.array([True, False, True])] * 2,
    lambda x: np.stack([b * a for a, b, _ in [x]]),
    lambda x: sum(a * b for a, b in zip(x, MORE_PLACES[0], strict=False)),
    lambda x: np.stack(np.unravel_index(np.argmax(x), (1, 3))) * x[np.unravel_index(np.argmin(x), (3,))],
    lambda x: np.polyval(x, 3.0)], ids=range(17))
def test_what_is_read_from_outside_is_not_looked_at(function):
    x = la.asarray(np.array([1.0, 3.0, 2.0]))
    compiled = la.jit(function)
    for _ in range(2):
        np.testing.assert_array_equal(compiled(x), function(x))
    assert compiled.stats() == {"calls": 2, "traces": 1, "graphs": 1}


def test_places_from_outside_are_those_of_the_moment():
    places = la.array([0, 1])
    compiled = la.jit(lambda x: np.take(x, places))
    x = la.asarray(np.array([1.0, 3.0, 2.0]))
    np.testing.assert_array_equal(compiled(x), [1.0, 3.0])
    places[...] = [2, 2]
    np.testing.assert_array_equal(compiled(x), [2.0, 2.0])
    places[0] = 3
    with pytest.raises(IndexError, match="out of bounds"):
        compiled(x).numpy()


def test_elements_under_a_known_mask_may_be_those_of_a_view_of_what_was_written_to():
    def f():
        x = la.array(np.array([10, 20, 30, 40], "u1"))
        x[1:3] %= 7
        square = x.reshape(2, 2)
        return square[square > 1], x

    g = la.jit(f)
    for _ in range(3):
        assert [made.tolist() for made in g()] == [[10, 6, 2, 40], [10, 6, 2, 40]]
