"""User functions in the graph."""
import threading

import numpy as np
import pytest

import lazyarr as la


class Counter:
    """A function that counts its calls, and adds their number to what it is given."""

    def __init__(self, error=None):
        self.calls, self.error = 0, error

    def __call__(self, *arrays):
        """The sum of the arguments and the number of the call."""
        self.calls += 1
        if self.error is not None:
            raise self.error("bad")
        return sum(arrays, np.zeros(3)) + self.calls

    def of(self, *arrays):
        """A call of it."""
        return la.delay(self, *arrays, shape=(3,), dtype=float)


@pytest.fixture
def counter():
    """A function that counts its calls."""
    return Counter()


# Calls


def test_it_is_called_when_a_value_is_needed(counter):
    y = counter.of(la.arange(3.0)) * 2
    assert y.shape == (3,)
    assert counter.calls == 0
    assert y.tolist() == [2, 4, 6]
    assert y.tolist() == [2, 4, 6]
    assert counter.calls == 1


def test_it_is_not_called_if_nobody_wants_the_value(counter):
    y = counter.of(la.arange(3.0))
    del y
    with la.config(budget_nodes=1):
        la.evaluate(la.ones(3) + 1)
        la.ones(3) + 2
    assert counter.calls == 0


def test_equal_calls_are_not_merged(counter):
    x = la.arange(3.0)
    a, b = counter.of(x), counter.of(x)
    assert sorted([a[0] + 0, b[0] + 0]) == [1, 2]
    assert counter.calls == 2
    total = counter.of(x) + counter.of(x)
    assert total.tolist() == [7, 9, 11]
    assert counter.calls == 4


def test_intermediate_values_are_computed_once(counter):
    with np.errstate(all="raise"):
        y = 1 / np.sort(counter.of(la.arange(3.0)) * 0)
    for _ in range(3):
        with pytest.raises(FloatingPointError):
            y.numpy()
    assert counter.calls == 1


@pytest.mark.parametrize("given", [
    lambda: np.arange(3.0), lambda: [0, 1, 2], lambda: (0.0, 1.0, 2.0), lambda: la.arange(3),
    lambda: la.arange(6.0)[::2] / 2,
])
def test_arguments_are_made_arrays(given, counter):
    assert counter.of(given()).tolist() == [1, 2, 3]


def test_no_arguments_and_scalars(counter):
    assert counter.of().tolist() == [1, 1, 1]
    assert counter.of(1.5, np.float32(2)).tolist() == [5.5] * 3


def test_arguments_are_as_they_were(counter):
    data, x = np.arange(3.0), la.arange(3.0)
    y = counter.of(data, x)
    data[:] = x[:] = 7
    assert y.tolist() == [1, 3, 5]


def test_arguments_are_read_only_ndarrays():
    def write(array):
        assert type(array) is np.ndarray
        array[0] = 1

    with pytest.raises(ValueError, match="read-only"):
        la.delay(write, la.arange(3.0) + 1, shape=(3,), dtype=float).numpy()


def test_arguments_may_be_kept():
    kept, x = [], la.asarray(np.linspace(0, 1, 100_000))

    def keep(array):
        kept.append((array, array.copy()))
        return array.sum()

    for k in range(4):
        la.delay(keep, (x * 2 + k).cumsum(), shape=(), dtype=float).numpy()
        np.sort(x * k).cumsum().numpy()
    assert all(np.array_equal(a, b) for a, b in kept)


def test_results_are_copied():
    """The function may write to what it has returned, or return what it was given."""
    buffer = np.zeros(3)

    def fill(number):
        buffer[:] = number
        return buffer

    made = [la.delay(fill, k, shape=3, dtype=float) for k in range(3)]
    la.evaluate(*made)
    buffer[:] = 9
    assert [x.tolist() for x in made] == [[0] * 3, [1] * 3, [2] * 3]
    x = la.arange(3.0)
    same = la.delay(lambda a: a, x, shape=(3,), dtype=float)
    la.evaluate(same)
    same[0] = 5
    assert x.tolist() == [0, 1, 2]
    assert same.tolist() == [5, 1, 2]


@pytest.mark.parametrize(("value", "shape", "dtype"), [
    (np.float32(2), (), np.float32), (3, (), int), (True, (), bool), (np.zeros((2, 0)), (2, 0), float),
    (np.asfortranarray(np.arange(6.0).reshape(2, 3)), [2, 3], float), (np.arange(3, dtype=">f8"), 3, ">f8"),
    (np.array(["a", "bc"]), 2, "U2"), ("text", (), object), (np.zeros(2, [("a", int)]), (2,), [("a", int)]),
    (np.ma.masked_array([1.0, 2.0]), 2, float), ([1, 2], 2, int),
])
def test_kinds_of_results(value, shape, dtype):
    x = la.delay(lambda: value, shape=shape, dtype=dtype)
    assert x.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(x.numpy(), np.asarray(value))


def test_a_lazy_array_as_the_result():
    assert la.delay(lambda a: la.asarray(a) + 1, la.arange(3.0), shape=(3,), dtype=float).tolist() == [1, 2, 3]


def test_several_results():
    calls = []
    low, count = la.delay(lambda a: calls.append(a) or (a[:2], a.size), la.arange(5.0), shape=[(2,), ()],
                          dtype=[float, int])
    assert low.tolist() == [0, 1]
    assert int(count) == 5
    assert len(calls) == 1
    one, = la.delay(lambda: [np.ones(2)], shape=[(2,)], dtype=["f8"])
    assert one.tolist() == [1, 1]


# Errors


def test_what_is_wrong_at_the_call():
    with pytest.raises(TypeError, match="3 is not callable"):
        la.delay(3, shape=(), dtype=float)
    with pytest.raises(ValueError, match="2 shapes need a list of as many dtypes"):
        la.delay(len, shape=[(), ()], dtype=[float])
    with pytest.raises(ValueError, match="2 shapes need a list of as many dtypes"):
        la.delay(len, shape=[(), ()], dtype=float)
    with pytest.raises(ValueError, match="shape must not be negative"):
        la.delay(len, shape=(-1,), dtype=float)
    with pytest.raises(ValueError, match="too big"):
        la.delay(len, shape=(2**40, 2**40), dtype=float)
    with pytest.raises(TypeError, match="shape must consist of integers"):
        la.delay(len, shape=(1.5,), dtype=float)
    with pytest.raises(TypeError, match="argument 1 must be an array, not MaskedArray"):
        la.delay(len, 1, np.ma.zeros(3), shape=(), dtype=int)
    for missing in ({"shape": ()}, {"dtype": int}):
        with pytest.raises(TypeError, match="missing 1 required keyword-only argument"):
            la.delay(len, **missing)


@pytest.mark.parametrize(("value", "kind", "text"), [
    (np.ones(2), ValueError, r"must return an array of shape \(3,\), got \(2,\)"),
    (np.ones(3, np.float32), TypeError, "must return float64, got float32"),
    (1, TypeError, "must return float64, got int, as an array int64"),
    (None, TypeError, "must return float64, got NoneType"),
])
def test_results_of_another_form(value, kind, text):
    def wrong():
        return value

    x = la.delay(wrong, shape=(3,), dtype=float)
    for look in (x + 1, x):
        with pytest.raises(kind, match=f"wrong {text}") as caught:
            look.numpy()
        assert caught.value.__notes__[0].startswith("lazyarr: in delay of wrong, created at ")
        assert "test_delayed.py" in caught.value.__notes__[0]


def test_another_number_of_results():
    for value, got in (((1.0,), "1"), (1.0, "float"), (None, "NoneType")):
        x, _ = la.delay(lambda value=value: value, shape=[(), ()], dtype=[float, float])
        with pytest.raises(ValueError, match=f"must return 2 results, got {got}"):
            x.numpy()


def test_errors_of_the_function():
    for kind, calls in ((ValueError, 1), (ZeroDivisionError, 1), (OSError, 2), (MemoryError, 2)):
        counter = Counter(kind)
        x = counter.of() + 1
        for _ in range(2):
            with pytest.raises(kind, match="bad") as caught:
                x.numpy()
            assert "delay of Counter" in caught.value.__notes__[0]
        assert counter.calls == calls


# Transforms


def test_there_is_no_derivative():
    with pytest.raises(la.NotDifferentiable, match="delay of sort has no derivative"):
        la.grad(lambda x: la.delay(np.sort, x, shape=(3,), dtype=float).sum())(la.arange(3.0))


def test_a_derivative_can_be_stated():
    @la.custom_vjp
    def sine(x):
        return la.delay(np.sin, x, shape=x.shape, dtype=x.dtype)

    sine.defvjp(lambda x: (sine(x), x), lambda x, g: (g * np.cos(x),))
    x = la.linspace(0, 1, 5)
    np.testing.assert_allclose(la.grad(lambda x: (sine(x) * 2).sum())(x), 2 * np.cos(x.numpy()))


def test_derivatives_beside_it_do_not_call_it_again(counter):
    def function(x):
        y = (counter.of(la.arange(3.0)) * x).sum()
        assert float(y) == 6
        return y

    assert la.grad(function)(la.ones(3)).tolist() == [1, 2, 3]
    assert counter.calls == 1


def test_traced_functions_call_it_each_time(counter):
    constant = la.jit(lambda x: counter.of() + x)
    assert [constant(la.arange(3.0)).tolist() for _ in range(2)] == [[1, 2, 3], [2, 3, 4]]
    varying = la.jit(lambda x: counter.of(x))
    assert [varying(la.arange(3.0)).tolist() for _ in range(2)] == [[3, 4, 5], [4, 5, 6]]
    unused = la.jit(lambda x: (counter.of(x), x + 1)[1])
    assert unused(la.arange(3.0)).tolist() == [1, 2, 3]
    assert counter.calls == 4


def test_loops_and_batches_call_it_each_time(counter):
    carried, _ = la.scan(lambda c, t: (counter.of(c), t), la.zeros(3), la.ones(4))
    assert carried.tolist() == [10, 10, 10]
    assert la.vmap(counter.of)(la.zeros((2, 3))).tolist() == [[5] * 3, [6] * 3]
    assert la.cond(carried[0] > 0, counter.of, lambda x: x, la.zeros(3)).tolist() == [7, 7, 7]


def test_graphs(counter, tmp_path):
    x = la.var((None,), float, "x")
    graph = la.graph(x, counter.of(x) * 2)
    assert graph(np.zeros(3)).tolist() == [2, 2, 2]
    assert graph(np.ones(3)).tolist() == [6, 6, 6]
    with pytest.raises(TypeError, match="which a file cannot hold"):
        graph.save(tmp_path / "graph")


# Where it runs


def test_it_may_use_arrays():
    x = la.arange(1000.0)

    def function(array):
        x[0] += 1
        later = (la.asarray(array) * 2).sum()
        return float(later) + float(later.evaluate_async().result()) + float((x + 1)[0])

    assert float(la.delay(function, x + 0, shape=(), dtype=float)) == 4 * 499500 + 2


def test_a_value_that_needs_itself():
    own = []
    own.append(la.delay(lambda: own[0].numpy(), shape=(3,), dtype=float))
    with pytest.raises(RecursionError, match="nested too deeply"):
        own[0].numpy()
    own.clear()


def test_threads(counter):
    x = counter.of(la.arange(3.0))
    seen = []
    threads = [threading.Thread(target=lambda: seen.append(x.tolist())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [[1, 2, 3]] * 8
    assert counter.calls == 1


@pytest.mark.host_only("where the device's operations run on the host, they are counted")
def test_reports_do_not_count_it_as_a_fallback(counter):
    counter.of(la.arange(3.0)).numpy()
    assert not any("delay" in row.name for row in la.report())
    assert "delay of Counter" in str(la.explain(counter.of(la.arange(3.0))))
