"""Derivatives: building their graphs, and evaluating them next to the function itself."""

import numpy as np

import lazyarr as la

ROUNDS = 333    # of three operations each


def long_chain(x):
    y = x
    for _ in range(ROUNDS):
        y = la.sin(y) * x + y
    return y.sum()


class Building:
    """Graphs of a thousand operations, not evaluated."""

    def setup(self):
        self.x = la.asarray(np.linspace(0, 1, 10))
        self.gradient = la.grad(long_chain)

    def time_function(self):
        long_chain(self.x)

    def time_gradient(self):
        self.gradient(self.x)


def regression(w, x, y):
    """Logistic loss of a linear model."""
    return la.log1p(la.exp(-y * (x @ w))).mean()


def perceptron(w, x, y):
    """Squared error after two layers."""
    return ((la.tanh(la.tanh(x @ w) @ w) - y) ** 2).mean()


def smoothness(w, x, y):
    """Squared differences of neighbours, by slices."""
    return ((w[1:] - w[:-1]) ** 2).sum() + ((w[:, 1:] - w[:, :-1]) ** 2).sum()


class Evaluation:
    """Losses of 256 by 256 parameters, and their gradients."""

    params = ([regression, perceptron, smoothness],)
    param_names = ("loss",)

    def setup(self, loss):
        rng = np.random.default_rng(0)
        self.arrays = [la.asarray(rng.standard_normal((256, 256))) for _ in range(3)]
        self.gradient = la.grad(loss)

    def time_loss(self, loss):
        loss(*self.arrays).numpy()

    def time_gradient(self, loss):
        self.gradient(*self.arrays).numpy()


def energy(x):
    """A small function of one point: elementwise operations, a view, a fold, a product."""
    return (la.sin(x) * x[::-1]).sum() + x @ x


class Batches:
    """A small function and its gradient on a batch of points: by vmap, and in a loop."""

    params = (["function", "gradient"], [10, 1000])
    param_names = ("what", "points")

    def setup(self, what, points):
        self.f = energy if what == "function" else la.grad(energy)
        self.batched = la.vmap(self.f)
        self.points = la.asarray(np.linspace(0, 1, points * 10).reshape(points, 10))

    def time_vmap(self, what, points):
        self.batched(self.points).numpy()

    def time_loop(self, what, points):
        np.stack([np.asarray(self.f(x)) for x in self.points])


class BuildingBatches:
    """The graph of a thousand operations on a batch, not evaluated."""

    def setup(self):
        self.x = la.asarray(np.linspace(0, 1, 100).reshape(10, 10))
        self.batched = la.vmap(long_chain)

    def time_vmap(self):
        self.batched(self.x)


class Jacobians:
    """All derivatives of a hundred numbers with respect to a hundred."""

    params = (["reverse", "forward"],)
    param_names = ("mode",)

    def setup(self, mode):
        weights = la.asarray(np.random.default_rng(0).standard_normal((100, 100)))
        self.x = la.asarray(np.linspace(0, 1, 100))
        self.jacobian = la.jacobian(lambda x: la.tanh(la.sin(weights @ x) * x), mode=mode)

    def time_jacobian(self, mode):
        self.jacobian(self.x).numpy()
