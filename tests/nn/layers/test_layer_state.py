"""State and random draws of layers: running moments, dropout, integer vectors; and rejected input."""

import numpy as np
import pytest

import lazyarr as la
from lazyarr import nn
from lazyarr.nn.layers.base import mode

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_running_moments_follow_the_batches(dtype):
    norm = nn.BatchNorm(3, momentum=0.3, dtype=dtype)
    step = nn.value_and_grad(norm, lambda x: (norm(x)**2).sum())
    mean, variance = np.zeros(3), np.ones(3)
    for _ in range(3):
        x = RNG.uniform(-2, 5, (4, 5, 3)).astype(dtype)
        step(la.asarray(x))
        mean += 0.3 * (x.mean((0, 1)) - mean)
        variance += 0.3 * (x.var((0, 1), ddof=1) - variance)
    np.testing.assert_allclose(norm.mean, mean, rtol=1e-5)
    np.testing.assert_allclose(norm.variance, variance, rtol=1e-5)
    assert norm.mean.dtype == norm.variance.dtype == dtype
    norm.eval()(la.asarray(x))
    np.testing.assert_allclose(norm.mean, mean, rtol=1e-5)


def test_running_moments_are_constants():
    """Even if they are pending."""
    model = nn.Sequential(nn.Linear(2, 3, dtype=float), nn.BatchNorm(3, dtype=float))
    x = la.asarray(RNG.standard_normal((5, 2)))
    model(x)
    norm = model.eval().layers[1]
    _, found = nn.value_and_grad(model, lambda: (norm.mean * norm.variance).sum())()
    np.testing.assert_array_equal(found["layers"][0]["weight"], np.zeros((2, 3)))
    value, _ = nn.value_and_grad(model, lambda x: model(x).sum())(x)
    mean, variance = norm.mean.numpy(), norm.variance.numpy()
    y = x.numpy() @ model.layers[0].weight.numpy()
    np.testing.assert_allclose(value, ((y - mean) / np.sqrt(variance + 1e-5)).sum())


def test_training_reaches_layers_within():
    model = nn.Sequential(nn.Residual(nn.Dropout(0.9, rng=0)), nn.BatchNorm(2, dtype=float))
    x = la.asarray(RNG.standard_normal((50, 2)))
    assert not np.array_equal(model(x), model(x))
    model.eval()
    np.testing.assert_array_equal(model(x), model(x))
    model.train()
    assert not np.array_equal(model(x), model(x))


class OwnModes(nn.Layer):
    def __init__(self):
        self.inner, self.called = nn.Dropout(0.5, rng=0), []

    def train(self, training=True):
        super().train(training)
        self.called.append("train")
        if self.called.count("train") == 2:
            raise RuntimeError("no more training")
        return self

    def eval(self):
        self.called.append("eval")
        return super().train(False)


def test_a_mode_is_set_by_the_layers_own_methods():
    model = OwnModes()
    with mode(model, training=False):
        assert not model.inner.training
    with mode(model, training=True):
        assert model.inner.training
    assert model.called == ["eval", "train"]


def test_a_mode_that_cannot_be_set_changes_nothing():
    model = OwnModes()
    model.eval().train().eval()
    with pytest.raises(RuntimeError), mode(model, training=True):
        pass
    assert not model.training
    assert not model.inner.training


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_dropout(dtype):
    drop = nn.Dropout(0.25, rng=3)
    x = la.ones((100, 100), dtype)
    (first, g), second = la.value_and_grad(lambda x: (drop(x) * 2).sum())(x), drop(x).numpy()
    assert g.dtype == second.dtype == dtype
    assert set(np.unique(second)) == {0, np.ones(1, dtype)[0] * (1 / 0.75)}
    assert 0.7 < np.count_nonzero(second) / 1e4 < 0.8
    np.testing.assert_allclose(first, g.sum(), rtol=1e-5)  # of one draw; the second is another
    assert not np.array_equal(g.numpy() / 2, second)
    np.testing.assert_array_equal(drop(la.full((3,), np.nan))[:0], [])
    np.testing.assert_array_equal(nn.Dropout(0.25, rng=3)(x), g.numpy() / 2)
    assert drop.eval()(x) is x
    assert nn.Dropout(0)(x) is x
    rng = np.random.default_rng(0)
    assert nn.Dropout(0.5, rng=rng).rng is rng


def test_embedding():
    vectors = nn.Embedding(5, 3, rng=0, dtype=float)
    indices = np.array([[0, 4, 4], [2, 0, 4]])
    np.testing.assert_array_equal(vectors(indices), vectors.weight.numpy()[indices])
    weights = RNG.standard_normal((2, 3, 3))
    expected = np.zeros((5, 3))
    np.add.at(expected, indices, weights)
    with la.no_evaluation():
        _, found = nn.value_and_grad(vectors, lambda i: (vectors(i) * weights).sum())(la.asarray(indices) + 0)
    np.testing.assert_allclose(found["weight"], expected)
    assert nn.Embedding(5, 3)(indices).dtype == np.float32
    with pytest.raises(IndexError):
        vectors(la.asarray(indices) + 1).numpy()


@pytest.mark.parametrize("dtype", ["int8", "int64"])
def test_negative_indices_have_no_vectors_when_they_are_evaluated_either(dtype):
    vectors = nn.Embedding(200, 3)
    bad = la.array([0, 3, 1], dtype) - la.array([0, 4, 0], dtype)
    with pytest.raises(IndexError):
        vectors(bad).numpy()
    with pytest.raises(IndexError):
        la.jit(vectors)(la.array([0, -1, 1], dtype)).numpy()
    with pytest.raises(IndexError):
        la.vmap(vectors)(la.array([[0], [-1]], dtype)).numpy()
    np.testing.assert_array_equal(vectors(bad + 1), vectors.weight[[1, 0, 2]])


@pytest.mark.parametrize("call, error, words", [
    (lambda: nn.Embedding(5, 3)(la.array([5])), IndexError, "Embedding: indices must be from 0 to 4"),
    (lambda: nn.Embedding(5, 3)(la.array([-1])), IndexError, "Embedding: indices must be from 0 to 4"),
    (lambda: nn.Embedding(5, 3)(la.array([1.0])), TypeError, "indices must be integers, got dtype float64"),
    (lambda: nn.Embedding(5, 3)(np.ma.array([1])), TypeError, "Embedding: indices must be an array, not MaskedArray"),
    (lambda: nn.Flatten()(np.ma.ones(3)), TypeError, "Flatten: x must be an array, not MaskedArray"),
    (lambda: nn.Linear(3, 2)(np.array(["a"])), TypeError, "linear: x must be an array of numbers"),
    (lambda: nn.batch_norm(la.ones((2, 1)), 1j * la.ones(1), la.ones(1)), TypeError, "mean must be of real numbers"),
    (lambda: nn.Embedding(0, 3), ValueError, "count must be positive"),
    (lambda: nn.Linear(3, 2, dtype=int), TypeError, "weight must be of floats or complex numbers, got int64"),
    (lambda: nn.BatchNorm(3, affine=False, dtype=int), TypeError, "mean must be of floats or complex numbers"),
    (lambda: nn.GRU(3, 2, recurrent=np.eye(2)), TypeError, "recurrent must be an initialiser, .*; got ndarray"),
    (lambda: nn.Conv1d(3, 2, 3, bias=None), TypeError, "bias must be an initialiser, .*; got NoneType"),
    (lambda: nn.Embedding(5, 3, weight=lambda shape, rng, dtype: la.ones(3)), ValueError,
     r"weight must have shape \(5, 3\), the initialiser gives \(3,\)"),
    (lambda: nn.Dropout(1.0), ValueError, "rate must be at least 0 and less than 1, got 1.0"),
    (lambda: nn.Dropout(-0.1), ValueError, "got -0.1"),
    (lambda: nn.Dropout()(la.ones(3, complex)), TypeError, "Dropout: x must be of real numbers"),
    (lambda: nn.Conv2d(3, 4, 3, groups=2), ValueError, "2 groups do not divide 3 inputs and 4 outputs"),
    (lambda: nn.Conv2d(3, 4, (3, 3, 3)), ValueError, "window must be one number or one for each of 2 spatial axes"),
    (lambda: nn.Conv2d(3, 4, 3)(la.ones((1, 5, 5, 2))), ValueError,
     r"^x has 2 channels, its last axis, but w of shape \(3, 3, 3, 4\) takes 3$"),
    (lambda: nn.Conv1d(3, 4, 3, stride=0)(la.ones((1, 5, 3))), ValueError, "stride must be positive"),
    (lambda: nn.ConvTranspose1d(3, 4, 3)(la.ones((1, 5, 2))), ValueError, "^x has 2 channels"),
    (lambda: nn.MaxPool2d(0), ValueError, "window must be positive"),
    (lambda: nn.AvgPool1d(2.5), TypeError, "window must consist of integers"),
    (lambda: nn.Flatten()(1.0), ValueError, "x must have axes"),
    (lambda: nn.Sequential(nn.Flatten(), 3), TypeError, "Sequential: layers must be callable, got int"),
    (lambda: nn.Residual(None), TypeError, "Residual: layers must be callable"),
    (lambda: nn.Residual(nn.Linear(3, 1))(la.ones((4, 3))), ValueError,
     r"makes \(4, 1\) of \(4, 3\), which cannot be added to \(4, 3\)"),
    (lambda: nn.BatchNorm(3)(la.ones((4, 2))), ValueError, r"3 channels along its last axis, its shape is \(4, 2\)"),
    (lambda: nn.BatchNorm(3)(la.ones((1, 3))), ValueError, "more than one element of each channel"),
    (lambda: nn.BatchNorm(3, momentum=2), ValueError, "momentum must be between 0 and 1, got 2"),
    (lambda: nn.LayerNorm((2, 3))(la.ones((3, 2))), ValueError, r"must have shape \(2, 3\), its shape is \(3, 2\)"),
    (lambda: nn.LayerNorm(2.5), TypeError, "shape must consist of integers"),
    (lambda: nn.GroupNorm(2, 3), ValueError, "2 groups do not divide 3 channels"),
    (lambda: nn.GroupNorm(2, 4)(la.ones((1, 6))), ValueError, r"must have 4 channels .* shape is \(1, 6\)"),
    (lambda: nn.RMSNorm(4)(la.ones((1, 6))), ValueError, r"weight must have shape \(6,\) for x of shape \(1, 6\)"),
    (lambda: nn.layer_norm(la.ones((2, 3)), la.ones(2)), ValueError, r"weight must have shape \(3,\)"),
    (lambda: nn.layer_norm(la.array(1.0)), ValueError, r"x of shape \(\) has too few axes"),
    (lambda: nn.group_norm(la.ones((2, 6)), 4), ValueError, "4 groups do not divide the 6 channels"),
    (lambda: nn.batch_norm(la.ones((2, 6)), la.ones(6), la.ones(5)), ValueError, r"variance must have shape \(6,\)"),
    (lambda: nn.rms_norm(la.ones((2, 6)), 1j * la.ones(6)), TypeError, "weight or bias must be of real numbers"),
])
def test_wrong_arguments(call, error, words):
    with pytest.raises(error, match=words):
        call()
