"""Losses against their definitions, and derivatives against differences."""

import numpy as np
import pytest
import scipy.special

import lazyarr as la
from lazyarr import nn
from support.finite_differences import check

RNG = np.random.default_rng(0)
SCORES = RNG.uniform(-3, 3, (2, 5, 4))
LOGITS = RNG.uniform(-3, 3, (5, 3))
CLASSES = np.array([0, 2, 1, 1, 2])
PROBABILITIES = scipy.special.softmax(RNG.uniform(-3, 3, (5, 3)), -1)
WEIGHT = np.array([0.5, 2.0, 3.0])


def smooth(x, y, beta):
    apart = np.abs(x - y)
    return np.where(apart < beta, apart**2 / (2 * beta), apart - beta / 2)


def from_probabilities(x, p, weight=1):
    return -(scipy.special.log_softmax(x, -1) * p * weight).sum(-1)


def smoothed(p, part):
    return p * (1 - part) + part / p.shape[-1]


def divergence(log_q, p):
    return scipy.special.rel_entr(p, np.exp(log_q)).sum(-1)


OTHER = RNG.uniform(-3, 3, SCORES.shape)
BETWEEN = RNG.uniform(0, 1, SCORES.shape)
HOT = np.eye(3)[CLASSES]
# For each loss: the function of predictions and a reduction, predictions, and each prediction's loss.
CASES = {
    "mse": (lambda x, r: nn.mse_loss(x, OTHER, reduction=r), SCORES, lambda x: (x - OTHER)**2),
    "l1": (lambda x, r: nn.l1_loss(x, OTHER, reduction=r), SCORES, lambda x: np.abs(x - OTHER)),
    "smooth_l1": (lambda x, r: nn.smooth_l1_loss(x, OTHER, beta=1.7, reduction=r), SCORES,
                  lambda x: smooth(x, OTHER, 1.7)),
    "binary": (lambda x, r: nn.binary_cross_entropy(x, BETWEEN, reduction=r), SCORES,
               lambda x: -(BETWEEN * np.log(scipy.special.expit(x))
                           + (1 - BETWEEN) * np.log(scipy.special.expit(-x)))),
    "classes": (lambda x, r: nn.cross_entropy(x, CLASSES, reduction=r), LOGITS, lambda x: from_probabilities(x, HOT)),
    "smoothed classes": (lambda x, r: nn.cross_entropy(x, CLASSES, label_smoothing=0.2, reduction=r), LOGITS,
                         lambda x: from_probabilities(x, smoothed(HOT, 0.2))),
    "probabilities": (lambda x, r: nn.cross_entropy(x, PROBABILITIES, reduction=r), LOGITS,
                      lambda x: from_probabilities(x, PROBABILITIES)),
    "smoothed probabilities": (
        lambda x, r: nn.cross_entropy(x, PROBABILITIES, weight=WEIGHT, label_smoothing=0.3, reduction=r), LOGITS,
        lambda x: from_probabilities(x, smoothed(PROBABILITIES, 0.3), WEIGHT)),
    "divergence": (lambda x, r: nn.kl_divergence(x, PROBABILITIES, reduction=r), LOGITS,
                   lambda x: divergence(x, PROBABILITIES)),
    "divergence of logarithms": (
        lambda x, r: nn.kl_divergence(x, np.log(PROBABILITIES), log_targets=True, reduction=r), LOGITS,
        lambda x: divergence(x, PROBABILITIES)),
}
REDUCTIONS = {"none": lambda x: x, "sum": np.sum, "mean": np.mean}


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("name", CASES)
def test_values_and_derivatives(name, reduction):
    f, x, definition = CASES[name]
    check(lambda x: f(x, reduction), [x], lambda x: REDUCTIONS[reduction](definition(x)), exact=False)


@pytest.mark.parametrize("name", CASES)
def test_single_precision_stays(name):
    f, x, definition = CASES[name]
    x = la.asarray(x.astype("float32"))
    for reduction in REDUCTIONS:
        assert f(x, reduction).dtype == np.float32
    value, found = la.value_and_grad(lambda x: f(x, "mean"))(x)
    np.testing.assert_allclose(value, definition(x.numpy().astype(float)).mean(), rtol=1e-5)
    assert found.dtype == np.float32


@pytest.mark.parametrize("smoothing", [0.0, 0.3])
def test_weighted_classes(smoothing):
    weights = WEIGHT[CLASSES]
    losses = -(scipy.special.log_softmax(LOGITS, -1) * smoothed(HOT, smoothing) * WEIGHT).sum(-1)

    def f(x, reduction="mean"):
        return nn.cross_entropy(x, CLASSES, weight=WEIGHT, label_smoothing=smoothing, reduction=reduction)

    np.testing.assert_allclose(f(LOGITS, "none"), losses)
    np.testing.assert_allclose(f(LOGITS, "sum"), losses.sum())
    np.testing.assert_allclose(f(LOGITS), losses.sum() / weights.sum())
    check(f, [LOGITS], exact=False)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_huge_logits(dtype):
    x = np.array([[1e4, 0, -1e4], [-1e4, -1e4, -1e4], [1e4, 1e4, 0]], dtype)
    value, found = la.value_and_grad(lambda x: nn.cross_entropy(x, la.array([2, 0, 1]), reduction="sum"))(la.asarray(x))
    third = 1 / 3
    np.testing.assert_allclose(value, 2e4 + np.log(3) + np.log(2), rtol=1e-6)
    np.testing.assert_allclose(found, [[1, 0, -1], [third - 1, third, third], [0.5, -0.5, 0]], atol=1e-7)
    x = np.array([1e4, -1e4, 1e4, -1e4, 0], dtype)
    y = np.array([1, 1, 0, 0, 1], dtype)
    losses = nn.binary_cross_entropy(la.asarray(x), y, reduction="none")
    np.testing.assert_allclose(losses, [0, 1e4, 1e4, 0, np.log(2)], rtol=1e-6)
    found = la.grad(lambda x: nn.binary_cross_entropy(x, y, reduction="sum"))(la.asarray(x))
    np.testing.assert_allclose(found, [0, -1, 1, 0, -0.5], atol=1e-7)


def test_far_predictions_do_not_overflow():
    x = la.array([1e30, -1e30, 0.1], "float32")
    with np.errstate(all="raise"):
        value, found = la.value_and_grad(lambda x: nn.smooth_l1_loss(x, np.zeros(3), reduction="sum"))(x)
        np.testing.assert_allclose(value, 2e30, rtol=1e-6)
        np.testing.assert_allclose(found, [1, -1, 0.1], rtol=1e-6)


def test_targets_without_probability_add_nothing():
    q = np.log([[0.2, 0.3, 0.5]])
    p = np.array([[0.0, 0.4, 0.6]])
    np.testing.assert_allclose(nn.kl_divergence(q, p), divergence(q, p)[0])
    gradients = la.grad(nn.kl_divergence, (0, 1))(la.asarray(q), la.asarray(p))
    np.testing.assert_allclose(gradients[0], -p)
    np.testing.assert_allclose(gradients[1], [[0, *(np.log(p[0, 1:]) - q[0, 1:] + 1)]])


@pytest.mark.parametrize("dtype", ["int8", "uint8", "uint64", "int64"])
def test_classes_of_any_integers(dtype):
    logits = np.random.default_rng(0).standard_normal((3, 300))
    classes = np.array([0, 100, 17], dtype)
    expected = -scipy.special.log_softmax(logits, -1)[np.arange(3), classes.astype(int)]
    np.testing.assert_allclose(nn.cross_entropy(logits, classes, reduction="none"), expected)


def test_no_predictions():
    with pytest.warns(RuntimeWarning, match="invalid value"):
        assert np.isnan(float(nn.cross_entropy(la.ones((0, 3)), np.zeros(0, int))))
    assert nn.cross_entropy(la.ones((0, 3)), np.zeros(0, int), reduction="sum") == 0


def test_nothing_is_evaluated():
    classes = la.asarray(CLASSES) + 0
    with la.no_evaluation():
        for f, x, _ in CASES.values():
            la.grad(lambda x, f=f: f(x, "mean"))(la.asarray(x))
        la.grad(lambda x: nn.cross_entropy(x, classes, weight=WEIGHT, label_smoothing=0.1))(la.asarray(LOGITS))


@pytest.mark.parametrize("call, error, words", [
    (lambda: nn.mse_loss(SCORES, LOGITS), ValueError,
     r"mse_loss: predictions of shape \(2, 5, 4\) and targets of shape \(5, 3\)"),
    (lambda: nn.l1_loss(SCORES, SCORES + 1j), TypeError, "l1_loss: targets must be of real numbers, got complex128"),
    (lambda: nn.mse_loss(SCORES, SCORES, reduction="average"), ValueError,
     "mse_loss: reduction must be 'mean', 'sum' or 'none', got 'average'"),
    (lambda: nn.smooth_l1_loss(SCORES, SCORES, beta=0), ValueError, "beta must be positive, got 0"),
    (lambda: nn.binary_cross_entropy(SCORES, LOGITS), ValueError,
     r"logits of shape \(2, 5, 4\) and targets of shape \(5, 3\)"),
    (lambda: nn.cross_entropy(LOGITS, CLASSES[:4]), ValueError,
     r"logits of shape \(5, 3\) and classes of shape \(4,\) do not fit: they must have shape \(5,\)"),
    (lambda: nn.cross_entropy(LOGITS, CLASSES.astype(float)), ValueError,
     r"logits of shape \(5, 3\) and probabilities of shape \(5,\)"),
    (lambda: nn.cross_entropy(LOGITS, CLASSES + 1), IndexError, "targets must be classes from 0 to 2"),
    (lambda: nn.cross_entropy(LOGITS, CLASSES - 1), IndexError, "targets must be classes from 0 to 2"),
    (lambda: nn.cross_entropy(LOGITS, CLASSES, weight=WEIGHT[:2]), ValueError, r"weight must have shape \(3,\)"),
    (lambda: nn.cross_entropy(LOGITS, CLASSES, label_smoothing=1.5), ValueError, "between 0 and 1, got 1.5"),
    (lambda: nn.cross_entropy(LOGITS, CLASSES, ignore_index=1.5), TypeError, "ignore_index must consist of integers"),
    (lambda: nn.cross_entropy(LOGITS + 0j, CLASSES), TypeError, "logits must be of real numbers"),
    (lambda: nn.cross_entropy(1.0, 1), ValueError, "logits must have an axis of classes"),
    (lambda: nn.kl_divergence(LOGITS, LOGITS[0]), ValueError, "do not fit"),
    (lambda: nn.cross_entropy(LOGITS, np.ma.array(CLASSES)), TypeError, "targets must be an array"),
])
def test_wrong_arguments(call, error, words):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize("ignored", [-100, 1, 7])
@pytest.mark.parametrize("weight", [None, WEIGHT])
@pytest.mark.parametrize("smoothing", [0.0, 0.2])
@pytest.mark.parametrize("logits", [LOGITS, LOGITS.astype("f4")], ids=["f8", "f4"])
def test_classes_that_are_ignored(ignored, weight, smoothing, logits):
    classes = np.where(np.arange(5) % 2 == 0, ignored, 2)
    kept = classes != ignored
    counted = dict(weight=weight, label_smoothing=smoothing)
    for reduction in ("mean", "sum", "none"):
        def loss(x, reduction=reduction):
            return nn.cross_entropy(x, classes, ignore_index=ignored, reduction=reduction, **counted)

        made = loss(la.asarray(logits))
        expected = nn.cross_entropy(logits[kept], classes[kept], reduction=reduction, **counted)
        if reduction == "none":
            assert made.shape == (5,)
            np.testing.assert_array_equal(made[~kept], np.zeros(3))
            made = made[kept]
        assert made.dtype == logits.dtype
        np.testing.assert_allclose(made, expected, rtol=1e-6)
        slopes = la.grad(lambda x, loss=loss: loss(x).sum())(la.asarray(logits))
        np.testing.assert_array_equal(slopes[~kept], np.zeros((3, 3)))
        check_kept = la.grad(lambda x, reduction=reduction: nn.cross_entropy(
            x, classes[kept], reduction=reduction, **counted).sum())(la.asarray(logits[kept]))
        np.testing.assert_allclose(slopes[kept], check_kept, rtol=1e-6, atol=1e-7)


def test_ignored_classes_may_have_any_logits_and_others_are_refused():
    logits = la.asarray(np.array([[np.nan, 0.0], [1.0, 1.0]]))
    assert nn.cross_entropy(logits, np.array([-1, 0]), ignore_index=-1) == pytest.approx(np.log(2))
    np.testing.assert_array_equal(la.grad(nn.cross_entropy)(logits, np.array([-1, 0]), ignore_index=-1),
                                  [[0, 0], [-0.5, 0.5]])
    with pytest.raises(IndexError, match="from 0 to 1 or -1"):
        nn.cross_entropy(logits, np.array([-2, 0]), ignore_index=-1)
    with pytest.raises(ValueError, match="targets are probabilities"):
        nn.cross_entropy(logits, np.ones((2, 2)), ignore_index=-1)
    with pytest.warns(RuntimeWarning, match="invalid"):
        assert np.isnan(nn.cross_entropy(logits, np.array([-1, -1]), ignore_index=-1))
    assert nn.cross_entropy(logits, np.array([-1, -1]), ignore_index=-1, reduction="sum") == 0


@pytest.mark.parametrize("name", CASES)
def test_half_precision_is_computed_in_single(name):
    f, x, definition = CASES[name]
    x = la.asarray(x.astype("float16"))
    for reduction, reduced in REDUCTIONS.items():
        made = f(x, reduction)
        assert made.dtype == np.float16
        np.testing.assert_allclose(made, reduced(definition(x.numpy().astype(float))), rtol=2e-3, atol=1e-6)
    assert la.grad(lambda x: f(x, "mean"))(x).dtype == np.float16


@pytest.mark.parametrize("loss", [nn.mse_loss, nn.l1_loss, nn.smooth_l1_loss, nn.binary_cross_entropy])
def test_means_of_more_numbers_than_half_precision_counts(loss):
    x = la.full(100_000, 3, "float16")
    wanted = loss(la.array([3.0]), la.zeros(1))
    np.testing.assert_allclose(loss(x, la.zeros(100_000)), wanted, rtol=1e-3)


def test_classes_of_more_predictions_than_half_precision_counts():
    x, y = la.zeros((100_000, 2), "float16"), np.zeros(100_000, int)
    np.testing.assert_allclose(nn.cross_entropy(x, y), np.log(2), rtol=1e-3)
    np.testing.assert_allclose(nn.cross_entropy(x, y, ignore_index=5), np.log(2), rtol=1e-3)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("dtype", [">f2", ">f4", ">f8"])
def test_predictions_of_the_other_byte_order(name, dtype):
    f, x, _ = CASES[name]
    x = x.astype(dtype)
    for reduction in REDUCTIONS:
        made, wanted = (f(la.asarray(y), reduction) for y in (x, x.astype(x.dtype.newbyteorder("="))))
        assert made.dtype == wanted.dtype == x.dtype.newbyteorder("=")
        np.testing.assert_array_equal(made, wanted)


def test_classes_and_indices_of_the_other_byte_order():
    classes = CLASSES.astype(">i8")
    np.testing.assert_array_equal(nn.cross_entropy(LOGITS, classes), nn.cross_entropy(LOGITS, CLASSES))
    vectors = nn.Embedding(3, 2)
    np.testing.assert_array_equal(vectors(classes), vectors(CLASSES))
