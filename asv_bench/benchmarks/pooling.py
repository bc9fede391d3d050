"""Pooling of float32 images, channels last, and its gradients."""

import numpy as np

import lazyarr as la

# batch, height and width, channels, window, stride
CASES = [(1, 112, 64, 3, 2), (32, 28, 32, 2, 2), (8, 56, 128, 2, 2)]


class Pool:
    """Largest elements and means of windows, and what goes back to the image."""

    params = (["max_pool2d", "avg_pool2d"], CASES)
    param_names = ("function", "case")

    def setup(self, function, case):
        batch, extent, channels, self.window, self.stride = case
        x = np.random.default_rng(0).random((batch, extent, extent, channels), "float32")
        self.x = la.asarray(x)
        self.function, gradient = getattr(la.nn, function), getattr(la.nn.grad, function)
        self.g = self.function(self.x, self.window, stride=self.stride)
        la.evaluate(self.g)
        first = self.x if function == "max_pool2d" else x.shape
        self.gradient = lambda: gradient(first, self.g, self.window, stride=self.stride)

    def time_forward(self, function, case):
        self.function(self.x, self.window, stride=self.stride).numpy()

    def time_gradient(self, function, case):
        self.gradient().numpy()


class Upsample:
    """Twice as many pixels along two axes."""

    params = (["nearest", "linear"],)
    param_names = ("mode",)

    def setup(self, mode):
        self.x = la.asarray(np.random.default_rng(0).random((4, 64, 64, 32), "float32"))

    def time_upsample(self, mode):
        la.nn.upsample(self.x, 2, mode).numpy()
