"""Derivatives where functions are not smooth, not finite, or NaN."""
import numpy as np
import pytest

import lazyarr as la

INF, NAN = np.inf, np.nan


def gradients(f, *args):
    """Return the derivatives by all arguments, as numbers."""
    with np.errstate(all="ignore"):
        return [float(g) for g in la.grad(f, tuple(range(len(args))))(*args)]


def second(f, *args):
    """Return the second derivatives as an array."""
    with np.errstate(all="ignore"):
        return np.array([[float(g) for g in row] for row in la.hessian(f, tuple(range(len(args))))(*args)])


@pytest.mark.parametrize("power", [la.power, la.float_power])
@pytest.mark.parametrize("x", [0.0, -0.0, 2.0, -2.0, INF, -INF, NAN])
def test_the_power_zero_is_flat(power, x):
    """As x ** 0 is 1, whatever x is."""
    assert gradients(lambda x: power(x, 0.0), x) == [0]
    assert gradients(lambda x, y: power(x, y), x, 0.0)[0] == 0
    assert gradients(lambda x: x ** 0, x) == [0]


@pytest.mark.parametrize("power", [la.power, la.float_power])
@pytest.mark.parametrize("x", [0.5, 2.0, 3.0])
def test_second_derivatives_of_the_power_zero(power, x):
    expected = [[0, 1 / x], [1 / x, np.log(x) ** 2]]
    np.testing.assert_allclose(second(power, x, 0.0), expected, rtol=1e-12)


@pytest.mark.parametrize("x, first, then", [
    (0.0, [1, 0, 0, 0], [0, 2, 0, 0]), (INF, [1, INF, INF, INF], [0, 2, INF, INF]),
])
def test_constant_powers_of_zero_and_infinity(x, first, then):
    for n in range(4):
        assert gradients(lambda x, n=n: x ** (n + 1), x) == [first[n]]
        assert second(lambda x, n=n: x ** (n + 1), x)[0, 0] == then[n]


@pytest.mark.parametrize("add", [la.logaddexp, la.logaddexp2])
@pytest.mark.parametrize("x, y, expected", [
    (INF, 1.0, [1, 0]), (1.0, INF, [0, 1]), (INF, INF, [0.5, 0.5]), (-INF, 1.0, [0, 1]), (1.0, -INF, [1, 0]),
    (-INF, -INF, [0.5, 0.5]), (INF, -INF, [1, 0]), (NAN, 1.0, [NAN, NAN]),
])
def test_sums_of_exponentials_that_are_not_finite(add, x, y, expected):
    np.testing.assert_array_equal(gradients(add, x, y), expected)
    np.testing.assert_array_equal(second(add, x, y), np.zeros((2, 2)) * np.array(expected)[0])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(la.grad(add.reduce)(la.array([x, y])), expected)


@pytest.mark.parametrize("x, low, high, expected", [
    (0.5, 0, 1, [1, 0, 0]), (-1, 0, 1, [0, 1, 0]), (2, 0, 1, [0, 0, 1]), (0, 0, 1, [1, 0, 0]), (1, 0, 1, [1, 0, 0]),
    (0, 1, 1, [0, 1, 0]), (1, 1, 1, [1, 0, 0]), (2, 1, 1, [0, 0, 1]),
    (0, 2, 1, [0, 0, 1]), (1, 2, 1, [0, 0, 1]), (1.5, 2, 1, [0, 0, 1]), (3, 2, 1, [0, 0, 1]),
])
def test_one_operand_of_clip_is_the_result(x, low, high, expected):
    """Bounds may be equal, and the upper one counts if they are in the wrong order."""
    assert gradients(la.clip, float(x), float(low), float(high)) == expected
    np.testing.assert_array_equal(second(la.clip, float(x), float(low), float(high)), np.zeros((3, 3)))


@pytest.mark.parametrize("x, expected", [(-1.0, [0, 0]), (-0.0, [0, 1]), (0.0, [0, 1]), (1.0, [0, 0])])
def test_a_step_has_a_value_at_zero(x, expected):
    assert gradients(la.heaviside, x, 0.5) == expected


def test_lengths_of_nothing():
    for f in (la.hypot, lambda x, y: la.abs(x + 1j * y)):
        assert gradients(f, 0.0, 0.0) == [0, 0]
        np.testing.assert_array_equal(second(f, 0.0, 0.0), np.zeros((2, 2)))


@pytest.mark.parametrize("fold", [
    la.max, la.min, la.median, lambda x: la.percentile(x, 30), lambda x: la.quantile(x, 0.8),
])
def test_folds_that_are_nan_have_derivatives_that_are(fold):
    """Zeros would look like a minimum."""
    with np.errstate(all="ignore"):
        assert np.isnan(la.grad(fold)(la.array([1.0, NAN, 2.0]))).any()
        both = np.asarray(la.vmap(la.grad(fold))(la.array([[1.0, NAN, 2.0], [1.0, 3.0, 2.0]])))
    assert np.isnan(both[0]).any()
    assert both[1].sum() == pytest.approx(1)


def test_folds_that_are_nan_where_they_are_not_chosen():
    x = la.array([[1.0, NAN, 2.0], [1.0, 3.0, 3.0]])
    with np.errstate(all="ignore"):
        found = la.grad(lambda x: la.where(la.isnan(x.max(1)), 0.0, x.max(1)).sum())(x)
    np.testing.assert_array_equal(found, [[0, 0, 0], [0, 0.5, 0.5]])


def test_forward_derivatives_of_folds_that_are_nan():
    x, t = la.array([[1.0, NAN], [1.0, 3.0]]), la.array([[1.0, 2.0], [3.0, 4.0]])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(la.jvp(lambda x: x.max(1), (x,), (t,))[1], [NAN, 4])


@pytest.mark.parametrize("copies", [lambda x: la.tile(x, 2), lambda x: la.repeat(x, 2)])
def test_copies_that_are_not_chosen(copies):
    x = la.array([0.0, 4.0, -1.0])
    with np.errstate(all="ignore"):
        found = la.grad(lambda x: la.where(copies(x) > 0, copies(la.sqrt(x)), 0.0).sum())(x)
    np.testing.assert_array_equal(found, [0, 0.5, 0])
