"""config.debug_nans names the operation that produces the first NaN, and its source line."""

import numpy as np
import pytest

import lazyarr as la
from lazyarr import nn


@pytest.fixture(autouse=True)
def watched():
    with la.config(debug_nans=True), np.errstate(all="ignore"):
        yield


def raised(x):
    with pytest.raises(FloatingPointError, match="made the first NaN") as error:
        x.numpy()
    return str(error.value), "\n".join(getattr(error.value, "__notes__", []))


@pytest.mark.parametrize(("make", "name"), [
    (lambda x: np.log(x) * 2 + 1, "log"),
    (lambda x: (x / x) * 2, "divide"),
    (lambda x: np.sqrt(x - 10).sum(), "sqrt"),
    (lambda x: (x * np.inf).sum(), "multiply"),
    (lambda x: np.add(np.inf, np.where(x < 0, -np.inf, x)), "add"),
    (lambda x: np.concatenate([x, np.sqrt(x)]).reshape(2, -1), "sqrt"),
    (lambda x: np.sqrt(x.astype(np.float32)), "sqrt"),
])
def test_the_operation_is_named(make, name):
    message, notes = raised(make(la.array([-1.0, 0.0])))
    assert message == f"{name} made the first NaN"
    assert __file__ in notes


def test_nan_that_was_given_is_nobodys_fault():
    x = la.array([np.nan, 1.0])
    assert np.isnan((x * 2 + np.log(x)).numpy()).tolist() == [True, False]
    assert np.isfinite(np.nan_to_num(np.log(la.array([1.0, 2.0]))).numpy()).all()


def test_writing_in_place_and_masks():
    x = la.ones(4)
    x[1:3] = np.sqrt(la.array([-1.0, 1.0]))
    assert "sqrt" in raised(x)[0]
    y = la.array([-1.0, 4.0])
    y[y > 0] = np.sqrt(y[y > 0])
    assert y.tolist() == [-1, 2]


def test_inside_loops_and_branches():
    assert "log" in raised(la.fori_loop(0, 5, lambda i, x: np.log(x), la.ones(3)))[0]
    assert "sqrt" in raised(la.cond(la.array(True), lambda x: np.sqrt(-x), lambda x: x, la.ones(3)))[0]
    assert la.fori_loop(0, 5, lambda i, x: x * 2, la.ones(3)).tolist() == [32, 32, 32]


def test_losses():
    weight = la.array([[1e200, 2.0], [3.0, 4.0]])
    loss = nn.mse_loss(la.ones((1, 2)) @ weight, la.zeros((1, 2)))
    assert np.isinf(loss.numpy())
    assert "subtract" in raised(loss * 2 - loss * 2)[0]


def test_values_are_there_after_the_error():
    x = np.log(la.array([-1.0, 1.0]))
    y = x + 1
    raised(y)
    assert np.isnan(x.numpy()).tolist() == [True, False]
