"""Operands for tests of kernel epilogues, and counts of their units."""
import numpy as np

import lazyarr as la
from lazyarr._core.tile import epilogue


def units(results):
    """Evaluate; return the number of units of epilogues, and how many of them were handed over."""
    before = epilogue.counts()
    la.evaluate(*results)
    return tuple(np.subtract(epilogue.counts(), before))


def draw(rng, shape, dtype):
    x = rng.standard_normal(shape) * 3
    return (x + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)
