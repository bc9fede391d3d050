"""Graphs, calls that wait, devices and settings."""

from typing import TYPE_CHECKING

import numpy as np

import lazyarr as la
from lazyarr.runtime.devices import Device
from lazyarr.symbolic import Graph, Symbol

if TYPE_CHECKING:
    from typing import assert_type
else:
    from support.static_checks import assert_type

F64 = la.LazyArray[np.float64]

x = la.linspace(0.5, 0.9, 3)
la.evaluate(x)  # whose values would count as left by the first test


def test_graphs() -> None:
    a = la.var((None,), "float64", "a")
    assert_type(a, Symbol)
    assert_type(la.graph(a, a), Graph)


def test_calls_that_wait() -> None:
    assert_type(la.delay(np.cumsum, x, shape=3, dtype=np.float64), F64)
    future = la.evaluate_async(x + 1)
    assert_type(future.result(), F64)
    assert_type((x + 1).evaluate_async().result(), F64)


def test_settings() -> None:
    assert_type(la.config.num_threads, int)
    assert_type(la.config.exact, bool)
    with la.config(num_threads=1, exact=True), la.backend("numpy", "fft.fft"), la.device("cpu"):
        assert_type(la.sqrt(x), F64)
    assert_type(la.devices()[0], Device)
