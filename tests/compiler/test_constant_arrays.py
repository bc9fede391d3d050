"""Rules for constants also apply to arrays filled with one constant."""
import operator

import numpy as np
import pytest

import lazyarr as la

X = np.arange(-12, 12).reshape(4, 6)


def rules(array):
    return dict(la.explain(array).rewrites)


def steps(array):
    return [name for step in la.explain(array).steps for name in step.operations]


@pytest.mark.parametrize("make", [
    lambda x: x + la.zeros((4, 6), int),
    lambda x: la.zeros((4, 6), int) + x,
    lambda x: x - la.zeros(6, int),
    lambda x: x * la.ones((4, 6), int),
    lambda x: x | la.zeros((1, 6), int),
    lambda x: x + la.zeros_like(x),
    lambda x: x + la.zeros(24, int).reshape(4, 6),
    lambda x: x + la.full((4, 6), 0),
    lambda x: x + la.zeros((6, 4), int).T,
    lambda x: x + la.broadcast_to(la.zeros(6, int), (4, 6)),
    lambda x: x * la.ones((8, 6), int)[::2],
])
def test_identities(make):
    x = la.asarray(X)
    found = make(x)
    assert set(steps(found)) <= {"add", "subtract", "multiply", "bitwise_or", "copy"}
    assert rules(found)
    np.testing.assert_array_equal(found, X)
    assert found.dtype == X.dtype


def test_the_operation_is_not_made():
    x = la.asarray(X)
    for operation, made in ((operator.add, la.zeros), (operator.mul, la.ones)):
        y = operation(x, made(X.shape, int)) + 3
        np.testing.assert_array_equal(y, X + 3)
        plan = str(la.explain(operation(la.asarray(X), made(X.shape, int)) + 3).plan)
        assert plan.count("add ") == 1
        assert "multiply" not in plan


@pytest.mark.parametrize("make", [
    lambda x: x[0] + la.zeros((4, 6), int),             # the result is larger
    lambda x: x + la.zeros((2, 1, 1), int),
    lambda x: x + la.zeros((4, 6)),                     # floats: -0.0 + 0.0 is 0.0
    lambda x: x.astype(float) * la.ones((4, 6)),
    lambda x: x + la.ones((4, 6), int),
])
def test_what_is_none(make):
    found = make(la.asarray(X))
    expected = make(la.asarray(X)).numpy()
    assert not any("zero added" in name or "times one" in name for name in rules(found))
    np.testing.assert_array_equal(found, expected)


def test_floats_under_fast_math():
    x = la.asarray(X * 0.5)
    with la.config(fast_math=True):
        found = x * la.ones((4, 6)) + la.zeros((4, 6))
        assert len(rules(found)) >= 2
        np.testing.assert_array_equal(found, X * 0.5)


def test_written_arrays_are_no_constants():
    x, z = la.asarray(X), la.zeros((4, 6), int)
    z[1, 2] = 5
    view = la.zeros((4, 6), int)
    row = view[2]
    row += 1
    np.testing.assert_array_equal(x + z, X + z.numpy())
    np.testing.assert_array_equal(x + view, X + view.numpy())


def test_an_array_of_zeros_that_is_wanted_stays_one():
    x, z = la.asarray(X), la.zeros((4, 6), int)
    total = x + z
    la.evaluate(total, z)
    np.testing.assert_array_equal(total, X)
    np.testing.assert_array_equal(z, 0)
    z += 1
    np.testing.assert_array_equal(total, X)


def test_plans_do_not_serve_other_constants():
    for value in (0, 1, 2, 0, 1):
        np.testing.assert_array_equal(la.asarray(X) + la.full((4, 6), value), X + value)
        np.testing.assert_array_equal(la.asarray(X) * la.full((4, 6), value), X * value)


def test_windows_of_another_dtype_are_no_constants():
    ones = la.ones((4, 6), np.int64).view(np.int32)
    np.testing.assert_array_equal(la.asarray(np.ones((4, 12), np.int32)) * ones, np.tile([1, 0], (4, 6)))


def test_powers():
    x = la.asarray(X * 0.5)
    found = x ** la.full((4, 6), 2.0)
    assert any("power" in name for name in rules(found))
    np.testing.assert_array_equal(found, (X * 0.5) ** 2)
    np.testing.assert_array_equal(x[0] ** la.full((4, 6), 2.0), (X[0] * 0.5) ** np.full((4, 6), 2.0))
