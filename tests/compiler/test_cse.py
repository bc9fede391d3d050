"""Equal expressions, including windows, constants and folds, are computed once; each reports its own errors."""

import gc
import time

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


# ---- calls ---------------------------------------------------------------------------------------------


def square(n=30):
    return la.asarray(np.random.default_rng(1).random((n, n)))


def calls(*arrays):
    """The names of the functions and kernels that are called."""
    return [step.operations[0] for step in la.explain(*arrays).steps if step.kind in ("opaque", "epilogue")]


KERNEL, PLACES = la.asarray(np.ones((3, 3, 1, 1))), la.asarray(np.array([3, 1, 2]))
CALLS = {
    "product": lambda x: x @ x,
    "product of a view": lambda x: x.T @ x,
    "product of what is computed": lambda x: (x + 1) @ x,
    "product with a vector": lambda x: x @ x[0],
    "stacks": lambda x: np.matmul(x.reshape(3, 10, 30), x.T),
    "einsum": lambda x: np.einsum("ij,kj->ik", x, x),
    "convolution": lambda x: la.nn.conv2d(x.reshape(1, 30, 30, 1), KERNEL),
    "pooling": lambda x: la.nn.max_pool2d(x.reshape(1, 30, 30, 1), 2),
    "sort": lambda x: np.sort(x, axis=0),
    "argsort": lambda x: np.argsort(x),
    "gather": lambda x: x[PLACES],
    "take": lambda x: np.take(x, PLACES, axis=1),
    "inverse": lambda x: np.linalg.inv(x),
    "solution": lambda x: np.linalg.solve(x, x + 1),
    "call in a call": lambda x: np.linalg.inv(x @ x),
    "transform": lambda x: np.fft.fft(x, 40),
    "real transform": lambda x: np.fft.irfft(np.fft.rfft(x)),
    "convolve": lambda x: np.convolve(x[0], x[1]),
    "quantile": lambda x: np.quantile(x, [0.25, 0.5], axis=0),
    "polynomial": lambda x: np.polyint(x[0]),
    "packed": lambda x: np.packbits(x > 0.5, axis=0),
    "options": lambda x: np.matmul(x, x, axes=[(0, 1), (1, 0), (0, 1)]),
}


@pytest.mark.parametrize("name", CALLS)
def test_equal_calls_are_made_once(name):
    f, x = CALLS[name], square()
    once = calls(f(x))
    assert once
    assert calls(f(x) * 2 + f(x)) == once
    np.testing.assert_array_equal(f(x) - f(x), np.zeros(f(x).shape))


@pytest.mark.parametrize("name", CALLS)
def test_equal_calls_whose_results_are_all_wanted(name):
    f, x = CALLS[name], square()
    expected = f(x).numpy().copy()
    first, second, changed = f(x), f(x), f(x)
    once = calls(f(x))
    assert calls(first, second) == once
    changed *= 3
    la.evaluate(first, changed, second)
    np.testing.assert_array_equal(first, expected)
    np.testing.assert_array_equal(changed, expected * 3)
    second[...] = 7
    np.testing.assert_array_equal(first, expected)


@pytest.mark.parametrize(("f", "g"), [
    (lambda x: np.sort(x, axis=0), lambda x: np.sort(x, axis=1)),
    (lambda x: x[[1, 2]], lambda x: x[[2, 1]]),
    (lambda x: x[[1, 2], 1:], lambda x: x[[1, 2], :-1]),
    (lambda x: np.fft.fft(x, norm="ortho"), lambda x: np.fft.fft(x)),
    (lambda x: np.quantile(x, 0.5, axis=0), lambda x: np.quantile(x, 0.25, axis=0)),
    (lambda x: np.nan_to_num(np.linalg.pinv(x, 0.0)), lambda x: np.nan_to_num(np.linalg.pinv(x, 0.5))),
    (lambda x: np.matmul(x, x.T), lambda x: np.matmul(x.T, x)),
    (lambda x: np.convolve(x[0], x[1], "same"), lambda x: np.convolve(x[0], x[2], "same")),
    (lambda x: np.linalg.inv(x + 1), lambda x: np.linalg.inv(x + 2)),
    (lambda x: la.nn.max_pool2d(x.reshape(1, 30, 30, 1), 2), lambda x: la.nn.avg_pool2d(x.reshape(1, 30, 30, 1), 2)),
])
def test_calls_that_differ_are_made_each(f, g):
    x = square()
    expected = f(x).numpy(), g(x).numpy()
    la.evaluate(one := f(x), other := g(x))
    np.testing.assert_array_equal(one, expected[0])
    np.testing.assert_array_equal(other, expected[1])
    assert len(calls(f(x) + 1, g(x) + 1)) == len(calls(f(x))) + len(calls(g(x)))


def test_several_results_of_equal_calls():
    x = square()
    expected = np.linalg.svd(x.numpy())
    for wanted in ((0, 1), (2, 0), (1, 1), (0, 0)):
        one, other = np.linalg.svd(x), np.linalg.svd(x)
        pair = one[wanted[0]] + 0, other[wanted[1]]
        assert calls(*pair) == ["linalg.svd"]
        la.evaluate(*pair)
        for k, got in zip(wanted, pair, strict=True):
            np.testing.assert_array_equal(got, expected[k])
        other[wanted[1]][0] = 0  # the others are what they were, evaluated or not
        for results in one, other:
            for k, got in enumerate(results):
                if results is one or k != wanted[1]:
                    np.testing.assert_array_equal(got, expected[k])


def test_equal_calls_under_other_errstates_report_each():
    x = la.asarray(np.full((4, 4), 1e200))
    with np.errstate(over="ignore"):
        ignored = x @ x
    with np.errstate(over="raise"):
        raising = x @ x
    one = x @ x
    other = x @ x
    with pytest.warns(RuntimeWarning, match="overflow encountered in matmul") as caught:
        la.evaluate(one, other, ignored)
    assert len({warning.lineno for warning in caught}) == 2
    with pytest.raises(FloatingPointError, match="overflow encountered in matmul"):
        raising.numpy()


def test_equal_calls_that_fail_do_so_each():
    x = la.zeros((3, 3))
    one, other = np.linalg.inv(x), np.linalg.inv(x)
    for _ in range(2):
        for failing in one, other, one + other:
            with pytest.raises(np.linalg.LinAlgError):
                failing.numpy()


def test_draws_are_made_each():
    rng = la.numpy.random.default_rng(0)

    @la.jit
    def drawn(x):
        return x + rng.normal(size=3), x + rng.normal(size=3)

    one, other = drawn(la.zeros(3))
    assert not np.array_equal(one, other)


def test_equal_calls_in_loops_graphs_and_gradients():
    x = square(6)
    body = la.jit(lambda x: np.linalg.inv(x) @ x + np.sort(x) * np.sort(x) - np.linalg.inv(x))
    expected = np.linalg.inv(x.numpy()) @ x.numpy() + np.sort(x.numpy()) ** 2 - np.linalg.inv(x.numpy())
    np.testing.assert_allclose(body(x), expected, rtol=1e-10)
    total = la.fori_loop(0, 3, lambda i, y: np.sort(y) + np.sort(y) @ np.sort(y) * 0.01, x)
    found = x.numpy()
    for _ in range(3):
        found = np.sort(found) + np.sort(found) @ np.sort(found) * 0.01
    np.testing.assert_allclose(total, found, rtol=1e-12)
    gradient = la.grad(lambda x: (x @ x).sum() + ((x @ x) * (x @ x)).sum())(x)
    y = x.numpy() @ x.numpy()
    g = 1 + 2 * y
    np.testing.assert_allclose(gradient, g @ x.numpy().T + x.numpy().T @ g, rtol=1e-12)
    watched = x @ x
    loss = (watched * (x @ x)).sum()
    np.testing.assert_allclose(loss.grad(watched), y)  # the other product is another value


def test_one_plan_serves_calls_that_are_equal_and_one_those_that_are_not():
    x = square()
    with la.profile() as profile:
        for k in range(4):
            (x[[k, 1]] * x[[k, 1]]).numpy()
            (x[[k, 1]] * x[[k, 2]]).numpy()
    assert profile.plans["misses"] <= 2


def test_a_finalizer_that_evaluates_does_not_disturb_the_comparison():
    class Cycle:
        def __init__(self):
            self.itself, self.y = self, la.ones(1000) + 1

        def __del__(self):
            self.y.numpy()

    x, qs = square(), [k / 30 for k in range(30)]
    expected = sum(np.quantile(x.numpy() * 2, q, axis=0) for q in qs)
    before = gc.get_threshold()
    try:
        for k in range(60):
            total = sum(np.quantile(x * 2, q, axis=0) for q in qs)
            gc.collect()
            gc.disable()
            Cycle()
            gc.set_threshold(1 + 3 * k)
            gc.enable()
            np.testing.assert_allclose(total, expected)
            gc.set_threshold(*before)
    finally:
        gc.set_threshold(*before)


def test_what_is_compared_is_bounded():
    x, columns = square(), la.asarray(np.arange(30))

    def seconds(count):
        rows = [x[k % 30, columns] + k for k in range(count)]
        began = time.perf_counter()
        la.evaluate(*rows)
        return time.perf_counter() - began

    with la.config(budget_nodes=10**6):
        assert min(seconds(1600) for _ in range(3)) < 100 * min(seconds(100) for _ in range(3))  # 256 if all are


def test_a_copy_that_nobody_reads_reports_once():
    x = la.asarray(np.full((4, 4), 1e200))
    total = np.sort(x @ x)
    total = total + np.sort(x @ x)
    with pytest.warns(RuntimeWarning, match="overflow encountered in matmul") as caught:
        total.numpy()
    assert len(caught) == 2


def test_results_of_a_call_that_is_left_out_are_kept_for_later():
    made = []

    def operand(x):
        made.append(1)
        return x

    y = la.delay(operand, square(), shape=(30, 30), dtype=float) @ square()
    one, other = np.linalg.qr(y), np.linalg.qr(y)
    del y
    la.evaluate(one[0], other[0])
    la.evaluate(one[1], other[1])
    assert len(made) == 1
    np.testing.assert_array_equal(one[1], other[1])
    np.testing.assert_allclose(one[0] @ one[1], square().numpy() @ square().numpy())
