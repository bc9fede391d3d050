"""Repeat and tile, along one axis and along every axis of a 4-d float32 array."""

import numpy as np

import lazyarr as la

from .memory import repeat

CASES = {
    "repeat, all axes": repeat,
    "repeat, first axis": lambda xp, x: xp.repeat(x, 3, axis=0),
    "repeat, last axis": lambda xp, x: xp.repeat(x, 3, axis=3),
    "repeat, different numbers": lambda xp, x: xp.repeat(x, list(range(x.shape[1])), axis=1),
    "repeat, then add": lambda xp, x: xp.repeat(x[:, :1], x.shape[1], axis=1) + x,
    "repeat, then compare": lambda xp, x: xp.repeat(x, 3, axis=3) > 0.5,
    "tile, all axes": lambda xp, x: xp.tile(x, (2, 2, 2, 2)),
    "tile, last axis": lambda xp, x: xp.tile(x, 3),
}


class Spread:
    """A 4-d array with sides of this length, each repeated twice or three times."""

    params = (list(CASES), [10, 30])
    param_names = ("case", "extent")

    def setup(self, case, extent):
        self.function = CASES[case]
        self.array = np.random.default_rng(0).random((extent,) * 4).astype("float32")
        self.lazy = la.asarray(self.array)

    def time_lazyarr(self, case, extent):
        self.function(la, self.lazy).numpy()

    def time_numpy(self, case, extent):
        self.function(np, self.array)
