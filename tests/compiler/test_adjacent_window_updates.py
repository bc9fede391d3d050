"""Adjacent windows of one storage: parts that are computed and joined, and gradients of parts of an array."""

import itertools

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core import api
from lazyarr._core.runtime import slice_update as native


def steps(*arrays):
    """How many steps it takes to evaluate arrays."""
    with la.profile() as profile:
        la.evaluate(*arrays)
    return profile.steps


@pytest.mark.parametrize("n", [3, 1000, 300_000])
@pytest.mark.parametrize("axis", [0, 1])
def test_parts_of_one_shape_are_computed_in_one_step(n, axis):
    x = np.linspace(-2, 2, 2 * n).reshape(2, n)
    lazy = la.asarray(x)
    before = native.copies()
    with api.one_plan():
        got = np.concatenate([np.sin(lazy), -lazy, np.sin(lazy) * lazy], axis)
    assert steps(got) == 2  # memory is a step
    assert native.copies() == before
    np.testing.assert_array_equal(got, np.concatenate([np.sin(x), -x, np.sin(x) * x], axis))


def test_orders_and_kinds_of_parts():
    x = np.arange(12.0).reshape(3, 4)
    lazy = la.asarray(x)

    def parts(x):
        y = x * 2
        return [y, x, y + 1, x[:2] - 1, x.T.reshape(3, 4) + y, y]

    for order in itertools.permutations(range(6)):
        expected = np.concatenate([parts(x)[k] for k in order])
        np.testing.assert_array_equal(np.concatenate([parts(lazy)[k] for k in order]), expected)


def test_parts_that_are_seen_in_between():
    x = la.asarray(np.arange(4.0))
    joined = np.concatenate([x + 1, x * 2])
    half = joined[:4]
    joined[4:] = joined[:4] * half
    np.testing.assert_array_equal(joined, [1, 2, 3, 4, 1, 4, 9, 16])
    np.testing.assert_array_equal(half, [1, 2, 3, 4])
    into = la.zeros(8)
    np.concatenate([x + 1, x + 2], out=into)
    np.testing.assert_array_equal(into, [1, 2, 3, 4, 2, 3, 4, 5])


@pytest.mark.parametrize("n", [4, 100_000])
def test_an_error_in_one_part(n):
    x = np.arange(float(n))
    joined = np.concatenate([la.asarray(x) + 1, 1 / la.asarray(x)])
    with np.errstate(divide="raise"):
        again = np.concatenate([la.asarray(x) + 1, 1 / la.asarray(x)])
    for _ in range(2):
        with pytest.raises(FloatingPointError, match="divide by zero"):
            again.numpy()
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in divide"):
        got = joined.numpy()
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(got, np.concatenate([x + 1, 1 / x]))


def test_the_gradient_of_parts_is_one_step():
    x = la.asarray(np.arange(12.0).reshape(3, 4))
    with api.one_plan():
        g = la.grad(lambda x: (np.sin(x[:, :2]) * x[:, 2:]).sum())(x)
    assert steps(g) == 2
    np.testing.assert_array_equal(g, np.hstack([np.cos(x[:, :2]) * x[:, 2:], np.sin(x[:, :2])]))


def test_flushes_between_the_parts():
    x = np.arange(6.0)
    for budget in range(1, 8):
        with la.config(budget_nodes=budget):
            lazy = la.asarray(x)
            got = np.concatenate([lazy + k for k in range(5)])
            np.testing.assert_array_equal(got, np.concatenate([x + k for k in range(5)]))
