"""Peak resident memory of a process that creates its inputs and, in two of three cases, evaluates an expression.

An expression takes the difference to `peakmem_inputs`, which does everything else. Inputs are written to, so that they
are resident in all three.
"""

import numpy as np

import lazyarr as la


def chain(xp, x):
    for _ in range(10):
        x = xp.sqrt(x * x + 1.0)
    return x


def repeat(xp, x):
    """Repeat along each of four axes; NumPy takes one axis at a time."""
    if xp is la:
        return la.repeat(x, (2, 2, 2, 2), axis=(0, 1, 2, 3))
    for axis in range(4):
        x = np.repeat(x, 2, axis)
    return x


def stencil(xp, x):
    for _ in range(10):
        x[1:-1] = 0.5 * (x[:-2] + x[2:])
    return x


def convolution(xp, x, w):
    """Convolve; NumPy adds up matrix products of shifted images."""
    if xp is la:
        return la.nn.conv2d(x, w)
    height, width = x.shape[1] - 2, x.shape[2] - 2
    return sum(x[:, i : i + height, j : j + width] @ w[i, j] for i in range(3) for j in range(3))


def shrinking(xp, x):
    """Compute values of decreasing size, of which only two are live at a time."""
    for _ in range(6):
        x = xp.sort(x[: len(x) * 3 // 4])
    return x.sum()


# case: (function, dtype, shapes of the inputs)
CASES = {
    "chain of 30 operations": (chain, "float64", [(4_000_000,)]),
    "chain, then sum": (lambda xp, x: chain(xp, x).sum(), "float64", [(4_000_000,)]),
    "sum over (0, 2)": (lambda xp, x: x.sum((0, 2)), "float64", [(40, 40, 40, 40)]),
    "mean of squares over 1": (lambda xp, x: (x * x).mean(1), "float64", [(40, 40, 40, 40)]),
    "repeat along four axes": (repeat, "float32", [(30, 30, 30, 30)]),
    "transposed copy": (lambda xp, x: xp.ascontiguousarray(x.T), "float64", [(2000, 2000)]),
    "matrix product": (lambda xp, x: x @ x, "float32", [(2000, 2000)]),
    "shrinking arrays": (shrinking, "float64", [(4_000_000,)]),
    "update in place": (stencil, "float64", [(4_000_000,)]),
    "convolution": (convolution, "float32", [(1, 256, 256, 64), (3, 3, 64, 64)]),
}


class Peak:
    """Inputs of 3 to 32 MB."""

    params = tuple(CASES)
    param_names = ("case",)

    def setup(self, case):
        self.function, dtype, shapes = CASES[case]
        self.arrays = [np.ones(shape, dtype) for shape in shapes]

    def peakmem_inputs(self, case):
        pass

    def peakmem_lazyarr(self, case):
        self.function(la, *[la.asarray(array) for array in self.arrays]).numpy()

    def peakmem_numpy(self, case):
        self.function(np, *self.arrays)
