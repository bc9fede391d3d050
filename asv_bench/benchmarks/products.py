"""Products of matrices, and convolutions of float32 images with their gradients."""

import numpy as np

import lazyarr as la


class Product:
    """a @ b for m, k, n."""

    params = (["float32", "float64"], [(64, 64, 64), (256, 256, 256), (32, 1024, 512), (4096, 64, 64)])
    param_names = ("dtype", "extents")

    def setup(self, dtype, extents):
        m, k, n = extents
        rng = np.random.default_rng(0)
        self.a, self.b = rng.random((m, k)).astype(dtype), rng.random((k, n)).astype(dtype)
        self.lazy = la.asarray(self.a), la.asarray(self.b)

    def time_lazyarr(self, dtype, extents):
        (self.lazy[0] @ self.lazy[1]).numpy()

    def time_numpy(self, dtype, extents):
        self.a @ self.b


class Convolution:
    """Forward, and back to the image and to the weights."""

    # batch, height and width, channels, columns, taps, stride
    params = ([(1, 56, 64, 64, 3, 1), (1, 7, 512, 512, 3, 1), (1, 56, 256, 64, 1, 1), (1, 224, 3, 64, 7, 2),
               (32, 14, 32, 64, 5, 1), (1, 8, 3, 8, 3, 1)],)
    param_names = ("case",)

    def setup(self, case):
        batch, extent, channels, columns, taps, stride = case
        rng = np.random.default_rng(0)
        self.shapes = (batch, extent, extent, channels), (taps, taps, channels, columns)
        self.x, self.w = (la.asarray(rng.random(shape, "float32")) for shape in self.shapes)
        self.options = {"stride": stride, "padding": taps // 2}
        self.g = la.nn.conv2d(self.x, self.w, **self.options)
        la.evaluate(self.g)

    def time_forward(self, case):
        la.nn.conv2d(self.x, self.w, **self.options).numpy()

    def time_exact(self, case):
        """Forward, without Winograd's method."""
        with la.config(exact=True):
            la.nn.conv2d(self.x, self.w, **self.options).numpy()

    def time_input_gradient(self, case):
        la.nn.grad.conv2d_input(self.shapes[0], self.w, self.g, **self.options).numpy()

    def time_weight_gradient(self, case):
        la.nn.grad.conv2d_weight(self.x, self.shapes[1], self.g, **self.options).numpy()
