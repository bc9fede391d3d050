"""Derivatives of other than elementwise operations: views, in-place writes, folds, products, kernels."""

import math
import threading
from collections import Counter

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core.host import allocator
from lazyarr._core.transforms import vjp
from support.finite_differences import check

RNG = np.random.default_rng(0)
M, V, S = RNG.uniform(0.2, 2, (4, 6)), RNG.uniform(0.2, 2, 7), RNG.uniform(0.2, 2, (2, 3, 4))
MATRIX = RNG.uniform(-1, 1, (4, 4)) + 3 * np.eye(4)


def in_place(np, x):
    y = x * 1
    y[1:] *= y[:-1]
    y[0] = y[2] * 2
    y[-1] += 3
    return y


def through_views(np, x):
    y = x * 1
    row, part = y[1], y[:, 1:3].T
    row += part[0, 0]
    part *= 2
    y.T[0] -= row[0]
    return y * row


def under_masks(np, x):
    y = x * 1
    y[x > 1] = np.sqrt(x)[x > 1] * 2
    y[y < 0.5] *= 3
    np.multiply(y, x, out=y, where=x > 0.8)
    return y


def loop(np, x):
    y = np.zeros(x.shape)
    for i in range(3):
        y[i] = x[i] * (y[i - 1] if i else 1)
    return y.cumsum()


CASES = {
    "slices": (lambda np, x: x[1:, ::2] * x[:-1, 1::2], M),
    "negative steps": (lambda np, x: x[::-1, ::-2] ** 2, M),
    "element": (lambda np, x: x[0, 1] * x[2, 3] + x[0, 1], M),
    "transposed": (lambda np, x: x.T * np.arange(4.0), M),
    "axes": (lambda np, x: np.moveaxis(x, 0, 1).swapaxes(0, 2) * 2, S),
    "reshape": (lambda np, x: x.reshape(3, 8) * x.reshape(3, 8)[::-1], M),
    "reshape of a transpose": (lambda np, x: x.T.reshape(3, 8) ** 2, M),
    "ravel": (lambda np, x: np.ravel(x) * np.ravel(x.T), M),
    "new axes": (lambda np, x: x[:, None, :] * x[None, :, :], M),
    "broadcast_to": (lambda np, x: np.broadcast_to(x[:, :1], (4, 6)) * x, M),
    "flip and roll": (lambda np, x: np.flip(x, 1) * np.roll(x, 2, 0), M),
    "diagonal": (lambda np, x: np.diagonal(x) ** 2, MATRIX),
    "trace": (lambda np, x: np.trace(x @ x), MATRIX),
    "windows": (lambda np, x: np.lib.stride_tricks.sliding_window_view(x, 3) * np.arange(3.0), V),
    "parts of complex numbers": (lambda np, x: ((x + 2j * x) ** 2).imag + (x * 1j + x).real, V),
    "concatenate": (lambda np, x: np.concatenate([x, x[1:] * 2]) ** 2, M),
    "stack": (lambda np, x: np.stack([x, x * x], 1), M),
    "split": (lambda np, x: np.split(x, 2)[1] * 2, M),
    "pad": (lambda np, x: np.pad(x, 1) ** 2, M),
    "tile": (lambda np, x: np.tile(x, (2, 1)) * np.arange(6.0), M),
    "repeat": (lambda np, x: np.repeat(x, 3, 1) ** 2, M),
    "triangle": (lambda np, x: np.tril(x) ** 2, MATRIX),
    "in place": (in_place, V),
    "through views": (through_views, MATRIX),
    "under masks": (under_masks, M),
    "loop": (loop, V[:3]),
    "copyto": (lambda np, x: [y := x * 1, np.copyto(y, x ** 2, where=x > 1)][0], M),
    "sum": (lambda np, x: x.sum(0) * x.sum(1, keepdims=True) + x.sum(), M),
    "sum of two axes": (lambda np, x: x.sum((0, 2)) ** 2, S),
    "mean": (lambda np, x: x.mean(1) * x.mean(), M),
    "variance": (lambda np, x: x.var(0, ddof=1) + x.std(), M),
    "product": (lambda np, x: np.prod(x, 1) + np.prod(x), M),
    "extrema": (lambda np, x: x.max(0) * x.min(1)[0] + np.ptp(x), M),
    "cumulative sums": (lambda np, x: np.cumsum(x, 1) * np.cumsum(x, 0) + np.cumsum(x).reshape(4, 6), M),
    "nan functions": (lambda np, x: np.nansum(x, 0) + np.nanmean(x), M),
    "norms": (lambda np, x: np.linalg.norm(x) + np.linalg.norm(x, axis=1), M),
    "average": (lambda np, x: np.average(x, 0, weights=np.arange(1.0, 5)), M),
    "softmax": (lambda np, x: np.exp(x - x.max(1, keepdims=True)) / np.exp(x - x.max(1, keepdims=True)).sum(1)[:, None],
                M),
    "matrices": (lambda np, x: (x @ x.T) @ x, M),
    "stacked matrices": (lambda np, x: x @ x.swapaxes(-1, -2) @ x[0], S),
    "matrix and vector": (lambda np, x: x @ x[0] + x[:, 0] @ x[:, :4], M),
    "vectors": (lambda np, x: x @ x + np.dot(x, x[::-1]), V),
    "outer": (lambda np, x: np.outer(x, x * 2), V),
    "differences": (lambda np, x: np.diff(x, axis=1) ** 2, M),
    "gather": (lambda np, x: x[[0, 2, 2]] * x[:3, [1, 1, 0, 2, 3, 4]], M),
    "gather pairs": (lambda np, x: x[[0, 1, 1], [2, 3, 3]] ** 2, M),
    "take": (lambda np, x: np.take(x, [[0, 1], [1, 1]], 1) ** 2, M),
    "take_along_axis": (lambda np, x: np.take_along_axis(x, np.array([[0, 1, 1], [2, 2, 2]] * 2), 1) ** 2, M),
    "sort": (lambda np, x: np.sort(x, 1) * np.arange(6.0) + np.sort(x, 0) ** 2, M),
    "elements under a mask": (lambda np, x: x[x > 1] ** 2, M),
    "clip": (lambda np, x: np.clip(x, 0.5, 1.5) * x, M),
    "where": (lambda np, x: np.where(x > 1, x * x, -x), M),
    "inverse": (lambda np, x: np.linalg.inv(x), MATRIX),
    "solve": (lambda np, x: np.linalg.solve(x, x[:, :2] * 2), MATRIX),
    "solutions for one vector": (lambda np, x: np.linalg.solve(np.stack([x, x * 2 + x.T]), x[0]), MATRIX),
    "determinant": (lambda np, x: np.linalg.det(x), MATRIX),
    "logarithm of a determinant": (lambda np, x: np.linalg.slogdet(x)[1], MATRIX),
    "lower triangle of Cholesky": (lambda np, x: np.linalg.cholesky(x @ x.T), MATRIX),
    "eigenvalues": (lambda np, x: np.linalg.eigh(x + x.T)[0], MATRIX),
    "eigenvectors": (lambda np, x: np.linalg.eigh(x + x.T)[1] ** 2, MATRIX),
    "one triangle": (lambda np, x: np.linalg.cholesky(x @ x.T + np.triu(x, 1)) + np.linalg.eigh(x)[0], MATRIX),
    "the other": (lambda np, x: np.linalg.cholesky(x @ x.T + np.tril(x, -1), upper=True) + np.linalg.eigh(x, "U")[0],
                  MATRIX),
}


@pytest.mark.parametrize("name", CASES)
def test_against_differences(name):
    f, x = CASES[name]
    check(lambda x: f(la, x), [x], lambda x: f(np, x), exact=False)


@pytest.mark.parametrize("name", sorted(set(CASES) - {"elements under a mask"}))
def test_second_order(name):
    f, x = CASES[name]
    weights = np.random.default_rng(1).standard_normal(np.shape(f(np, x)))
    turned = np.random.default_rng(2).standard_normal(x.shape)

    def first(x):
        return (la.grad(lambda x: (f(la, x) ** 2 * weights).sum())(x) * turned).sum()

    check(first, [x], exact=False, tolerance=1e-3)


def test_products_with_zeros():
    for x in ([0.0, 2, 3], [0.0, 0, 3], [1.0, 2, 3], [0.0]):
        x = np.array(x)
        expected = [math.prod(np.delete(x, i)) for i in range(len(x))]
        np.testing.assert_array_equal(la.grad(lambda x: la.prod(x))(la.asarray(x)), expected)


def test_ties_share():
    np.testing.assert_array_equal(la.grad(lambda x: x.max())(la.array([1.0, 3, 3])), [0, 0.5, 0.5])


CONVOLUTIONS = [
    (1, (2, 9, 4), (3, 4, 2), dict(stride=2, padding=1)),
    (2, (2, 6, 5, 4), (3, 2, 2, 6), dict(groups=2, padding="same")),
    (2, (1, 8, 8, 2), (3, 3, 2, 3), dict(dilation=2, padding=1)), (3, (1, 4, 5, 4, 2), (2, 2, 2, 2, 3), {}),
]


@pytest.mark.parametrize("ndim, shape, taps, options", CONVOLUTIONS)
def test_convolutions(ndim, shape, taps, options):
    x, w = RNG.standard_normal(shape), RNG.standard_normal(taps)
    conv = getattr(la.nn, f"conv{ndim}d")
    check(lambda x, w: conv(x, w, **options), [x, w], lambda x, w: conv(x, w, **options).numpy(), exact=False)
    twice = lambda x, w: (la.grad(lambda x, w: (conv(x, w, **options) ** 2).sum(), 1)(x, w) ** 2).sum()  # noqa: E731
    check(twice, [x, w], lambda x, w: twice(la.asarray(x), la.asarray(w)).numpy(), exact=False, tolerance=1e-3)


@pytest.mark.parametrize("f", [
    lambda x, w: la.nn.conv_transpose2d(x, w, stride=2),
    lambda x, w: la.nn.grad.conv2d_input((2, 6, 6, 3), w, x[:, :4, :4]),
])
def test_transposed_convolutions(f):
    x, w = RNG.standard_normal((2, 5, 5, 4)), RNG.standard_normal((3, 3, 3, 4))
    check(f, [x, w], lambda x, w: f(x, w).numpy(), exact=False)


@pytest.mark.parametrize("f", [
    lambda x: la.nn.max_pool2d(x, 2), lambda x: la.nn.max_pool2d(x, 3, stride=1, padding=1),
    lambda x: la.nn.avg_pool2d(x, 2), lambda x: la.nn.avg_pool2d(x, 3, stride=2, padding=1),
    lambda x: la.nn.adaptive_avg_pool2d(x, 2), lambda x: la.nn.upsample(x, 2, mode="linear"),
    lambda x: la.nn.upsample(x, 2, mode="nearest"), lambda x: la.nn.upsample(x, 1.5, mode="nearest"),
])
def test_pooling(f):
    x = RNG.standard_normal((2, 6, 6, 3))
    check(f, [x], lambda x: f(x).numpy(), exact=False)


@pytest.mark.parametrize("shown", [
    lambda y: y.reshape(6, 4), lambda y: y.reshape(-1), lambda y: y.reshape(2, 3, 4), lambda y: y.T,
    lambda y: y.transpose(2, 0, 1), lambda y: y[:, None].swapaxes(0, 3), lambda y: y.transpose(1, 2, 0)[..., None],
])
def test_what_shows_all_elements_has_its_derivative_without_a_copy(shown):
    weights = RNG.standard_normal(shown(S).shape)
    check(lambda x: shown(x * 2) * weights, [S], lambda x: shown(x * 2) * weights)
    check(lambda x: shown(x * 2) * weights + (x * 2).sum(), [S], lambda x: shown(x * 2) * weights + (x * 2).sum())
    weights = la.asarray(weights)
    with la.profile() as collected:
        gradient = la.grad(lambda x: (shown(la.exp(x)) * weights).sum())(la.asarray(S))
        gradient.numpy()
    assert collected.steps == 2  # the weights for each result, and the product


@pytest.mark.parametrize("joined", [
    pytest.param(lambda parts: la.concatenate(parts), id="concatenate"),
    pytest.param(lambda parts: la.stack(parts), id="stack"),
])
def test_what_is_joined_of_many_parts_takes_a_few_arrays_of_its_size(joined):
    count, size = 40, 4096

    def f(x):
        parts = [x]
        for _ in range(count - 1):
            parts.append(parts[-1] * 0.5 + x)
        return (joined(parts) ** 2).sum()

    x = la.ones(size)
    la.evaluate(x)
    with la.config(budget_nodes=10**6):
        gradient = la.grad(f)(x)
        allocator.reset_peak()
        before = allocator.stats()["live_bytes"]
        la.evaluate(gradient)
    assert allocator.stats()["peak_bytes"] - before < 6 * count * size * 8


def is_remembered():
    """Whether what is evaluated knows how it was made."""
    x = la.array([1.0, 2.0])
    y = x * 2
    y.numpy()
    try:
        return (y * y).sum().grad(x).tolist() == [8, 16]
    except ValueError:
        return False


def test_history_is_kept_no_longer_than_the_last_block_in_any_thread():
    def some(inside, go_on):
        with vjp.recording():
            inside.set()
            go_on.wait(60)

    events = [(threading.Event(), threading.Event()) for _ in range(2)]
    threads = [threading.Thread(target=some, args=pair) for pair in events]
    for thread, (inside, _) in zip(threads, events, strict=True):  # one begins before the other, and ends before it
        thread.start()
        inside.wait()
    for thread, (_, go_on) in zip(threads, events, strict=True):
        assert is_remembered()
        assert not vjp.is_history_kept()  # what this thread does needs no derivatives
        go_on.set()
        thread.join()
    assert not is_remembered()


def names(*arrays):
    """What a look at the arrays computes, and of what: names of nodes."""
    return Counter(node.name for node in la.explain(*arrays).nodes)


def test_a_step_reads_each_parameter_and_each_number_once():
    w, x = la.array(np.ones((3, 2))), la.array(np.ones((5, 3)))
    loss, gradient = la.value_and_grad(lambda w: np.where(x @ w > 0.0, x @ w * 0.1, 0.0).mean())(w)
    found = names(loss, w - 0.1 * gradient)
    assert found["array"] == 2
    assert found["constant"] == len({0.0, 0.1, 10, 0.01})  # 10 are the elements, 0.01 is 0.1 / 10


def test_numbers_that_a_cotangent_begins_with_are_computed_at_once():
    x = la.array(np.ones(4))
    gradient = la.grad(lambda x: -(x * x).mean() / 2)(x)
    assert names(gradient)["divide"] == names(gradient)["negative"] == 0
    assert gradient.tolist() == [-0.25] * 4


def test_where_branches_lead_to_is_not_summed_up_for_what_is_made_of_nothing_else():
    x, b = la.array(np.arange(12.0).reshape(4, 3) - 5), la.array(np.zeros(3))
    gradient = la.grad(lambda b: np.where(x + b > 0, x + b, 0).sum())(b)
    assert names(gradient)["add.reduce"] == 1
    assert gradient.tolist() == (x.numpy() > 0).sum(0).tolist()
    # but for what is made of more, whose own derivative may be infinite
    c = la.array(np.array([0.0, 0.0, 4.0]))
    gradient = la.grad(lambda c: np.where(x[:1] > -3.5, np.sqrt(c), 0).sum())(c)
    assert gradient.tolist() == [0, 0, 0.25]


def test_equal_numbers_that_are_held_are_not_one():
    a = la.array(np.array([3.0, 1.0]))
    x = a[0]
    loss = (a * x * 3.0).sum()
    assert loss.grad(x) == 12
    g = la.grad(lambda x: 3.0 * x)(la.array(2.0))
    assert g == 3
    assert (a * g * 3.0).sum().grad(g) == 12
