"""Equal expressions are computed once, also of equal windows and constants, and folds; each reports its own errors."""

import numpy as np
import pytest

import lazyarr as la


def operations(*arrays):
    return [name for step in la.explain(*arrays).steps for name in step.operations]


def given(n=1000):
    return la.asarray(np.linspace(0.5, 2, n))


@pytest.mark.parametrize(("f", "expected"), [
    (lambda x: np.sin(x * 2.0) + np.cos(np.sin(x * 2.0)), ["multiply", "sin", "cos", "add"]),
    (lambda x: np.sin(x[1:]) * x[1:] - np.sin(x[1:]), ["sin", "multiply", "subtract"]),
    (lambda x: np.sin(x[1:]) - np.sin(x[:-1]), ["sin", "sin", "subtract"]),
    (lambda x: np.exp(x * 2) - np.exp(x * np.float64(2)), ["multiply", "exp", "subtract"]),
    (lambda x: (x * 0.0) / (x * -0.0), ["multiply", "multiply", "divide"]),
    (lambda x: x / (x.sum() + x.sum()), ["add.reduce", "add", "divide"]),
    (lambda x: x.max() - x.min(), ["maximum.reduce", "minimum.reduce", "subtract"]),
    (lambda x: x.reshape(10, -1).sum(0)[:10] - x.reshape(10, -1).sum(1),
     ["add.reduce", "add.reduce", "subtract"]),
])
def test_what_is_computed(f, expected):
    x = given()
    assert sorted(operations(f(x))) == sorted(expected)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(f(x), f(x.numpy()), rtol=1e-13)


def test_one_plan_does_for_other_values_that_differ_alike():
    x = given()
    with la.profile() as profile:
        for k in range(5):
            (x * (2.0 + k) + (3.0 + 2 * k)).numpy()
            (x[k + 1:] - x[:-k - 1]).numpy()
    assert profile.plans["misses"] <= 2


def test_values_that_become_equal():
    x = given()
    for a, b in [(2.0, 3.0), (2.0, 2.0), (3.0, 2.0)]:
        np.testing.assert_array_equal(np.exp(x * a) - np.exp(x * b), np.exp(x.numpy() * a) - np.exp(x.numpy() * b))
    for i, j in [(0, 1), (1, 1), (1, 0)]:
        got = np.exp(x[i:i + 10]) - np.exp(x[j:j + 10])
        np.testing.assert_array_equal(got, np.exp(x.numpy()[i:i + 10]) - np.exp(x.numpy()[j:j + 10]))


@pytest.mark.parametrize("dtype", ["f2", "f4", "c8", "G", "i1", "M8[s]", ">f8"])
def test_constants_of_every_dtype(dtype):
    x = np.arange(1, 7).astype(dtype)
    y = la.asarray(x)
    for a, b in [(x[0], x[0]), (x[0], x[1])]:
        np.testing.assert_array_equal(np.maximum(y, a) == np.maximum(y, b), np.maximum(x, a) == np.maximum(x, b))


def test_windows_of_storage_that_is_written_to():
    x = np.arange(10.0)
    y = la.array(x)
    before = np.sin(y[2:5])
    y[2:5] = 7
    x_before = np.sin(x[2:5])
    x[2:5] = 7
    np.testing.assert_array_equal(before + np.sin(y[2:5]), x_before + np.sin(x[2:5]))


def test_equal_folds_report_their_errors_each():
    x = la.asarray(np.full(4, 1e308))
    total = x.sum()
    with np.errstate(over="ignore"):
        again = x.sum()
    with pytest.warns(RuntimeWarning, match="overflow encountered in reduce") as caught:
        (total + again).numpy()
    assert len(caught) == 1
    with np.errstate(over="raise"):
        raising = x.sum()
    with pytest.raises(FloatingPointError, match="overflow encountered in reduce"), np.errstate(over="ignore"):
        (x.sum() - raising).numpy()
