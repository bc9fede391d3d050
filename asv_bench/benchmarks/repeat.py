"""Repeating elements and tiling, along every axis of a 4-d float32 array."""

import numpy as np

import lazyarr as la


class Spread:
    """Twice along each of four axes; NumPy repeats one axis after the other."""

    params = (["repeat", "tile"], [10, 30])
    param_names = ("function", "extent")

    def setup(self, function, extent):
        self.array = np.random.default_rng(0).random((extent,) * 4).astype("float32")
        self.lazy = la.asarray(self.array)

    def time_lazyarr(self, function, extent):
        if function == "tile":
            la.tile(self.lazy, (2, 2, 2, 2)).numpy()
        else:
            la.repeat(self.lazy, (2, 2, 2, 2), axis=(0, 1, 2, 3)).numpy()

    def time_numpy(self, function, extent):
        if function == "tile":
            np.tile(self.array, (2, 2, 2, 2))
        else:
            x = self.array
            for axis in range(4):
                x = np.repeat(x, 2, axis)
