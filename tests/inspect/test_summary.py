"""What a summary says about an array, without evaluation."""

import gc
import weakref

import numpy as np
import pytest

import lazyarr as la


def leaf():
    return la.asarray(np.arange(6.0).reshape(2, 3))


def test_operations_are_counted_by_name():
    x = leaf()
    with la.no_evaluation():
        told = la.summary((np.sqrt(x * x + x) * 2).sum(axis=1))
    assert (told.shape, told.dtype, told.nbytes) == ((2,), np.dtype(float), 16)
    assert told.ops == {"add": 1, "multiply": 2, "sqrt": 1, "add.reduce": 1}
    assert (told.pending, told.inputs, told.input_bytes) == (5, 1, 48)


def test_what_is_shared_is_counted_once():
    x = leaf()
    y = x + 1
    assert la.summary(y * y - y).ops == {"add": 1, "multiply": 1, "subtract": 1}


def test_views_and_assignments():
    x = leaf()
    y = x + 1
    assert la.summary(y[0, ::2]).ops == {"add": 1}
    y[0] = x[1] * 2
    assert la.summary(y).ops == {"add": 1, "multiply": 1, "setitem": 1}
    assert la.summary(y.T).ops == la.summary(y).ops


def test_opaque_calls_have_their_names():
    x = leaf()
    assert la.summary(np.sort(x) + 1).ops == {"add": 1, "sort": 1}


def test_two_inputs():
    x = leaf()
    told = la.summary(x + la.asarray(np.ones(3, "f4")))
    assert (told.inputs, told.input_bytes) == (2, 60)


def test_nothing_is_pending_after_an_evaluation():
    x = leaf()
    y = x + 1
    before = la.summary(y)
    la.evaluate(y)
    told = la.summary(y)
    assert (told.pending, told.ops, told.inputs, told.input_bytes) == (0, {}, 0, 0)
    assert before.pending == 1
    assert str(told) == "shape    (2, 3)\ndtype    float64\nmemory   48 B\npending  nothing"


def test_it_prints_as_a_table():
    x = leaf()
    told = la.summary(np.exp(x[1:] * 2) * x)
    assert str(told) == repr(told) == (
        "shape    (2, 3)\ndtype    float64\nmemory   48 B\n"
        "pending  3 operations: 2 multiply, 1 exp\nreads    1 array, 48 B"
    )


def test_it_keeps_nothing_alive():
    x = leaf()
    y = x + 1
    told = la.summary(y)
    seen = weakref.ref(y)
    del y
    gc.collect()
    assert seen() is None
    assert told.pending == 1


def test_deep_graphs():
    x = leaf()
    with la.config(budget_nodes=10**6, budget_work=2**60):
        for _ in range(3000):
            x = x + 1
        assert la.summary(x).pending == 3000


@pytest.mark.parametrize("other", [np.ones(3), 1.0, None, "x"])
def test_anything_else_is_refused(other):
    with pytest.raises(TypeError, match=f"summary takes a LazyArray, got {type(other).__name__}"):
        la.summary(other)
