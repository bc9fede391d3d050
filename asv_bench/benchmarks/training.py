"""Training: steps of small networks that rebuild graph and derivative each time, and their surroundings."""

import numpy as np

import lazyarr as la
from lazyarr import nn

OPTIMISERS = {"SGD": nn.SGD, "Momentum": nn.Momentum, "Adam": nn.Adam, "LAMB": nn.LAMB}


def perceptron(rng):
    model = nn.Sequential(nn.Linear(64, 128, rng=rng), nn.relu, nn.Linear(128, 10, rng=rng))
    return model, rng.random((32, 64), "f4"), rng.integers(0, 10, 32)


def convolutional(rng):
    model = nn.Sequential(nn.Conv2d(1, 16, 3, padding="same", rng=rng), nn.relu, nn.MaxPool2d(2),
                          nn.Dropout(0.1, rng=rng), nn.Flatten(), nn.Linear(256, 10, rng=rng))
    return model, rng.random((32, 8, 8, 1), "f4"), rng.integers(0, 10, 32)


class Last(nn.Layer):
    """An LSTM and a readout of its last state."""

    def __init__(self, rng):
        self.lstm, self.scores = nn.LSTM(16, 32, rng=rng), nn.Linear(32, 10, rng=rng)

    def __call__(self, x):
        return self.scores(self.lstm(x)[0][:, -1])


def recurrent(rng):
    return Last(rng), rng.random((16, 20, 16), "f4"), rng.integers(0, 10, 16)


class Step:
    """A training step: loss, gradients and new parameters, all evaluated."""

    params = ([perceptron, convolutional, recurrent],)
    param_names = ("network",)

    def setup(self, network):
        model, x, y = network(np.random.default_rng(0))
        self.batch = la.asarray(x), la.asarray(y)
        self.step = nn.training_step(model, nn.cross_entropy, nn.Momentum(0.01))
        for _ in range(3):    # fills the plan cache
            self.step(*self.batch)

    def time_step(self, network):
        self.step(*self.batch)


class Update:
    """New values of four parameters with 100,000 elements each, evaluated."""

    params = (list(OPTIMISERS),)
    param_names = ("optimiser",)

    def setup(self, optimiser):
        rng = np.random.default_rng(0)
        self.parameters, self.gradients = ([la.asarray(rng.random(100_000, "f4")) for _ in range(4)] for _ in range(2))
        self.optimiser = OPTIMISERS[optimiser](1e-3)
        for _ in range(3):
            self.time_update(optimiser)

    def time_update(self, optimiser):
        self.optimiser.update(self.parameters, self.gradients)
        la.evaluate(*self.parameters, *self.optimiser.arrays())


class Loading:
    """An epoch of 50 shuffled batches of 32 rows of 64 numbers."""

    params = ([0, 2],)
    param_names = ("prefetch",)

    def setup(self, prefetch):
        self.loader = nn.Loader((np.ones((1600, 64), "f4"), np.ones(1600)), 32, prefetch=prefetch)

    def time_epoch(self, prefetch):
        for _ in self.loader:
            pass
