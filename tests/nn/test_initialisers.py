"""Initial values of parameters: their moments and bounds."""

import math

import numpy as np
import pytest

import lazyarr as la
from lazyarr import nn
from lazyarr.nn import initialisers

SHAPE = (3, 3, 40, 60)
FAN_IN, FAN_OUT = 9 * 40, 9 * 60
VARIANCES = {"glorot": 2 / (FAN_IN + FAN_OUT), "xavier": 2 / (FAN_IN + FAN_OUT), "he": 2 / FAN_IN,
             "kaiming": 2 / FAN_IN, "lecun": 1 / FAN_IN}


@pytest.mark.parametrize("distribution", ["uniform", "normal"])
@pytest.mark.parametrize("family", VARIANCES)
def test_variances_by_fans(family, distribution):
    w = getattr(initialisers, f"{family}_{distribution}")(SHAPE, 0)
    assert isinstance(w, la.LazyArray)
    assert (w.shape, w.dtype) == (SHAPE, np.float32)
    w = w.numpy().astype(float)
    variance = VARIANCES[family]
    assert abs(w.mean()) < 5 * math.sqrt(variance / w.size)
    assert w.var() == pytest.approx(variance, rel=0.05)
    bound = math.sqrt(3 * variance)
    if distribution == "uniform":
        assert 0.99 * bound < np.abs(w).max() <= bound * (1 + 1e-6)
    else:
        assert np.abs(w).max() > 1.5 * bound


def test_plain_distributions():
    w = initialisers.uniform((1000,), 0, float, low=2, high=3).numpy()
    assert 2 <= w.min() < 2.01 < 2.99 < w.max() <= 3
    w = initialisers.normal((10000,), 0, float, mean=2, deviation=0.1).numpy()
    assert (w.mean(), w.std()) == (pytest.approx(2, abs=0.01), pytest.approx(0.1, rel=0.05))
    w = initialisers.truncated_normal((10000,), 0, float, mean=2, deviation=0.1).numpy()
    assert 1.8 <= w.min() < 1.81
    assert 2.19 < w.max() <= 2.2
    assert w.std() == pytest.approx(0.088, rel=0.05)
    np.testing.assert_array_equal(initialisers.zeros((2,)), [0, 0])
    np.testing.assert_array_equal(initialisers.ones((2,)), [1, 1])
    np.testing.assert_array_equal(initialisers.constant((2,), value=3), [3, 3])


@pytest.mark.parametrize("shape", [(4, 4), (6, 3), (3, 6), (2, 3, 4)])
def test_orthogonal(shape):
    w = initialisers.orthogonal(shape, 0, float, gain=2.0).numpy().reshape(-1, shape[-1])
    w = w if w.shape[0] >= w.shape[1] else w.T
    np.testing.assert_allclose(w.T @ w, 4 * np.eye(w.shape[1]), atol=1e-12)


@pytest.mark.parametrize("name", initialisers.__all__)
def test_every_initialiser_takes_shape_generator_and_dtype(name):
    f = getattr(initialisers, name)
    for dtype in (np.float32, np.float64):
        w = f((2, 3), np.random.default_rng(0), dtype)
        assert (w.shape, w.dtype) == ((2, 3), dtype)
        np.testing.assert_array_equal(w, f((2, 3), 0, dtype))
        w[0, 0] = 7  # it is a new array, that can be written to
    if name != "orthogonal":
        for shape in ((), (0,), (5,)):
            assert f(shape, 0).shape == shape


def test_orthogonal_wants_a_matrix():
    with pytest.raises(ValueError, match=r"shape must have two axes or more, got \(3,\)"):
        initialisers.orthogonal((3,))


def test_an_initialiser_may_give_an_ndarray():
    given = np.ones((3, 2), "float32")
    model = nn.Linear(3, 2, weight=lambda shape, rng, dtype: given)
    assert list(model.parameters()) == ["weight", "bias"]
    nn.SGD(0.5).update(model, model.parameters())
    assert (model.weight.sum(), given.sum()) == (3, 6)
