"""Optional implementations that can be disabled, as results do not depend on them."""

import contextlib

import numpy as np

import lazyarr as la
from lazyarr._core import api
from lazyarr._core.host import tunables
from lazyarr._core.kernels import gemm, pooling
from lazyarr.autodiff.trees import leaves


@contextlib.contextmanager
def switched(way, *states):
    """Enable or disable an implementation, given by its module."""
    before = way.set_enabled(*states)
    try:
        yield
    finally:
        way.set_enabled(*(before if isinstance(before, tuple) else (before,)))


@contextlib.contextmanager
def machine(team, width):
    """Split even the smallest step among `team` threads, and use vectors of this width."""
    limits = {name: tunables.declared()[name].get() for name in ("threads.worthwhile_ns", "threads.worth_waking_ns")}
    before = gemm.set_width(width), pooling.set_width(width + 1)
    try:
        for name in limits:
            tunables.declared()[name].set(1.0)
        with la.config(num_threads=team):
            yield
    finally:
        for name, limit in limits.items():
            tunables.declared()[name].set(limit)
        gemm.set_width(before[0])
        pooling.set_width(before[1])


def evaluated(make):
    """Return the arrays of make(), evaluated as one graph."""
    with api.one_plan():
        results = leaves(make())
        la.evaluate(*results)
    return results


def assert_same_bits(results, others):
    """Compare dtypes, shapes, strides and bits; for long doubles values, as their padding is arbitrary."""
    for got, expected in zip(results, others, strict=True):
        assert (got.dtype, got.shape, got.strides) == (expected.dtype, expected.shape, expected.strides)
        if expected.dtype.char in "gG":
            np.testing.assert_array_equal(got, expected)
        else:
            assert np.asarray(got).tobytes() == np.asarray(expected).tobytes()
