"""Windows over float32 images, channels last: convolutions, pooling and upsampling with gradients, patches."""

import numpy as np

import lazyarr as la


class Convolution:
    """The convolution, and its gradients of the image and of the weights."""

    # batch, height and width, channels, columns, taps, stride
    params = ([
        (1, 56, 64, 64, 3, 1),
        (1, 7, 512, 512, 3, 1),
        (1, 56, 256, 64, 1, 1),
        (1, 224, 3, 64, 7, 2),
        (32, 14, 32, 64, 5, 1),
    ],)
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
        """The convolution without Winograd's method."""
        with la.config(exact=True):
            la.nn.conv2d(self.x, self.w, **self.options).numpy()

    def time_input_gradient(self, case):
        la.nn.grad.conv2d_input(self.shapes[0], self.w, self.g, **self.options).numpy()

    def time_weight_gradient(self, case):
        la.nn.grad.conv2d_weight(self.x, self.shapes[1], self.g, **self.options).numpy()


# kind: (function, shape of the input, shape of the weights, options)
KINDS = {
    "1-d": ("conv1d", (8, 1024, 32), (5, 32, 32), {"padding": "same"}),
    "3-d": ("conv3d", (1, 16, 16, 16, 16), (3, 3, 3, 16, 32), {"padding": "same"}),
    "depthwise": ("conv2d", (1, 56, 56, 64), (3, 3, 1, 64), {"padding": "same", "groups": 64}),
    "grouped": ("conv2d", (1, 56, 56, 64), (3, 3, 16, 64), {"padding": "same", "groups": 4}),
    "dilated": ("conv2d", (1, 56, 56, 64), (3, 3, 64, 64), {"padding": "same", "dilation": 2}),
    "transposed": ("conv_transpose2d", (1, 28, 28, 64), (3, 3, 32, 64), {"stride": 2, "padding": 1}),
    "bias and activation": ("layer", (1, 56, 56, 64), (3, 3, 64, 64), {"padding": "same"}),
}


def layer(x, w, **options):
    return la.maximum(la.nn.conv2d(x, w, **options) + w[0, 0, 0], 0)


class ConvolutionKind:
    """Convolutions other than plain ones of images."""

    params = tuple(KINDS)
    param_names = ("kind",)

    def setup(self, kind):
        name, *shapes, self.options = KINDS[kind]
        rng = np.random.default_rng(0)
        self.function = layer if name == "layer" else getattr(la.nn, name)
        self.x, self.w = (la.asarray(rng.random(shape, "float32")) for shape in shapes)

    def time_forward(self, kind):
        self.function(self.x, self.w, **self.options).numpy()


class Pool:
    """Maxima and means of windows, and their gradients."""

    # batch, height and width, channels, window, stride
    params = (["max_pool2d", "avg_pool2d"], [(1, 112, 64, 3, 2), (32, 28, 32, 2, 2), (8, 56, 128, 2, 2)])
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
    """Upsample by two along two axes."""

    params = (["nearest", "linear"],)
    param_names = ("mode",)

    def setup(self, mode):
        self.x = la.asarray(np.random.default_rng(0).random((4, 64, 64, 32), "float32"))

    def time_upsample(self, mode):
        la.nn.upsample(self.x, 2, mode).numpy()


class Patches:
    """Patches of 3 by 3 pixels as rows of a matrix, and their sum back into an image."""

    shape = (1, 56, 56, 64)

    def setup(self):
        self.x = la.asarray(np.random.default_rng(0).random(self.shape, "float32"))
        self.cols = la.nn.im2col(self.x, (3, 3), padding=1)
        la.evaluate(self.cols)

    def time_im2col(self):
        la.nn.im2col(self.x, (3, 3), padding=1).numpy()

    def time_col2im(self):
        la.nn.col2im(self.cols, self.shape, (3, 3), padding=1).numpy()


class Sliding:
    """Means of 9 neighbours through NumPy's sliding window view."""

    def setup(self):
        self.array = np.random.default_rng(0).random(100_000)
        self.lazy = la.asarray(self.array)

    def time_lazyarr(self):
        la.lib.stride_tricks.sliding_window_view(self.lazy, 9).mean(axis=1).numpy()

    def time_numpy(self):
        np.lib.stride_tricks.sliding_window_view(self.array, 9).mean(axis=1)
