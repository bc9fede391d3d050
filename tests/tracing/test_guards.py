"""What makes a traced function be traced again: other objects, shapes, dtypes or layouts."""
import functools

import numpy as np
import pytest

import lazyarr as la
from lazyarr.autodiff.trees import leaves


def test_an_array_from_outside_that_changes_its_form_is_traced_again():
    holder = {"w": la.ones(2)}
    w = holder["w"]
    f = la.jit(lambda x: x.sum() + w.sum())
    assert f(la.ones(1)) == 3
    w.shape = (2, 1)
    assert f(la.ones(1)) == 3
    assert "besides its arguments" in f.explain_miss()


def test_values_from_outside_are_no_constants():
    scale = la.array(2.0)
    f = la.jit(lambda x: x * float(scale))
    assert f(la.ones(1)).tolist() == [2]
    scale += 1
    assert f(la.ones(1)).tolist() == [3]


def test_names_that_come_to_stand_for_other_objects():
    w, factor = la.ones(2), 3.0

    def inner(x):
        return x * factor

    counted = []

    @la.jit
    def f(x):
        counted.append(1)
        return sum(inner(x + w) for _ in range(1))

    assert f(la.ones(2)).tolist() == [6, 6]
    w = w - 1.0
    assert f(la.ones(2)).tolist() == [3, 3]
    assert f.explain_miss() == "f was traced: w, which it refers to, is another object"
    factor = 5.0
    assert f(la.ones(2)).tolist() == [5, 5]
    assert f(la.ones(2)).tolist() == [5, 5]
    assert len(counted) == 3


def test_names_that_are_bound_after_tracing_and_deleted():
    def outer():
        @la.jit
        def f(x):
            try:
                return x + late
            except NameError:
                return x
        assert f(la.ones(1)).tolist() == [1]
        late = 2
        assert f(la.ones(1)).tolist() == [3]
        del late
        assert f(la.ones(1)).tolist() == [1]
        return f.stats()["traces"]

    assert outer() == 3
    namespace = {"la": la, "factor": 2.0}
    exec("@la.jit\ndef f(x):\n    return x * factor", namespace)
    f = namespace["f"]
    assert f(la.ones(1)).tolist() == [2]
    del namespace["factor"]
    with pytest.raises(NameError, match="factor"):
        f(la.ones(1))


def test_each_errstate_has_a_graph():
    f = la.jit(lambda x: 1 / x)
    zero = la.zeros(1)
    with np.errstate(divide="ignore"):
        assert f(zero).tolist() == [np.inf]
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        f(zero).tolist()
    with np.errstate(divide="ignore"):
        assert f(zero).tolist() == [np.inf]
    assert f.stats()["traces"] == 2


def test_other_objects_in_functions_that_are_arguments():
    factor = 3.0

    def inner(x):
        return x * factor

    f = la.jit(lambda functions, x: functions[0](x))
    assert f([inner], la.ones(2)).tolist() == [3, 3]
    factor = 5.0
    assert f([inner], la.ones(2)).tolist() == [5, 5]
    assert f.explain_miss().endswith("factor, which it refers to, is another object")


def test_the_order_of_keys_is_a_form():
    @la.jit
    def f(given, **more):
        first, second = given.values()
        return first - 2 * second, [*more], sum(more.values())

    x, y = la.array([1.0]), la.array([10.0])
    for _ in range(2):
        assert f({"x": x, "y": y}, a=x, b=y)[:2] == (-19, ["a", "b"])
        assert f({"y": y, "x": x}, b=y, a=x)[:2] == (8, ["b", "a"])
    assert f.stats()["traces"] == 2


@pytest.mark.parametrize("made", [
    la.grad, la.value_and_grad, la.checkpoint, la.jacobian, la.jit, functools.partial, lambda f: la.grad(la.jit(f)),
    lambda f: la.vmap(lambda x: f(x) + x),
])
def test_other_objects_in_functions_that_are_wrapped(made):
    w = la.array([1.0, 2.0])

    def function(x):
        return (x * x * w).sum()

    f = la.jit(made(function))
    x = la.array([3.0, 4.0])
    for factor in (1, 10):
        w = la.array([1.0, 2.0]) * factor
        for got, expected in zip(leaves(f(x)), leaves(made(function)(x)), strict=True):
            np.testing.assert_array_equal(got, expected)
