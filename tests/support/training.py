"""A small model and its training, reproducible to the bit."""

import numpy as np

import lazyarr as la
from lazyarr import nn
from lazyarr.autodiff.trees import leaves

RNG = np.random.default_rng(0)
X = RNG.standard_normal((40, 3)).astype("f4")
Y = (X @ np.array([1, -2, 3], "f4") > 0).astype(int)


class Noisy(nn.Layer):
    """Two layers, with noise between them during training, and a buffer that counts its calls."""

    buffer_names = ("calls",)

    def __init__(self, rng=0):
        self.first, self.last = nn.Linear(3, 8, rng=1), nn.Linear(8, 2, rng=2)
        self.rng = np.random.default_rng(rng)
        self.calls = la.zeros((), int)

    def __call__(self, x):
        x = la.tanh(self.first(x))
        if self.training:
            self.calls += 1
            x = x * la.asarray(self.rng.random(x.shape, "f4") > 0.2)
        return self.last(x)


def loss(outputs, targets):
    logs = outputs - la.logsumexp(outputs, axis=-1, keepdims=True)
    return -(logs * nn.one_hot(targets, 2)).sum(-1).mean()


def loader(seed=3, **options):
    return nn.Loader((X, Y), 16, seed=seed, **{"prefetch": 2, **options})


def train(model, epochs, optimiser=None, data=None, **options):
    optimiser = nn.Momentum(nn.schedules.cosine(0.3, 20)) if optimiser is None else optimiser
    return nn.fit(model, loss, optimiser, loader() if data is None else data, epochs, progress=False, **options)


def values(model):
    return [x.numpy().copy() for x in leaves([model.parameters(), model.buffers()])]


def assert_same(a, b):
    for x, y in zip(a, b, strict=True):
        np.testing.assert_array_equal(x, y)
