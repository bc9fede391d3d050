"""Fallbacks to NumPy, counted by name, time and reason."""

from types import SimpleNamespace

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core import api
from lazyarr.inspect import fallbacks
from lazyarr.inspect.fallback_report import Fallback
from lazyarr.ops.numpy_fallback import SHAPE_UNKNOWN


@pytest.fixture(autouse=True)
def count_from_zero():
    la.report().clear()
    yield
    la.report().clear()


def doubled(times=1):
    x = la.asarray(np.arange(3.0))
    for _ in range(times):
        x = api.opaque("double", lambda values: values * 2, [x], (3,), np.dtype(float))
    return x


def test_nothing_fell_back():
    (la.array([1.0, 2.0]) + 1).numpy()
    assert list(la.report()) == []
    assert len(la.report()) == 0
    assert str(la.report()) == repr(la.report()) == "Nothing fell back to NumPy."


def test_lazily_counts_where_the_call_joins_the_graph():
    x = doubled()
    assert list(la.report()) == [Fallback("double", 1, True, fallbacks.NOT_LOWERED)]
    x.numpy()
    assert [row.calls for row in la.report()] == [1]


def test_at_once():
    la.array([3, 0, 4]).nonzero()
    assert list(la.report()) == [Fallback("nonzero", 1, False, SHAPE_UNKNOWN)]


def test_numpy_called_with_lazy_arrays_counts_too():
    np.unique(la.array([3, 0, 3]))
    assert list(la.report()) == [Fallback("unique", 1, False, SHAPE_UNKNOWN)]


def test_most_frequent_first():
    doubled(times=1200)
    la.array([3, 0, 4]).nonzero()
    assert str(la.report()).splitlines() == [
        "Fell back to NumPy: 1,201 calls",
        "operation  calls  when     why",
        "double     1,200  lazily   no native lowering",
        "nonzero        1  at once  the shape of the result depends on the values",
    ]


def test_names_of_programs_are_shortened(monkeypatch):
    driver = SimpleNamespace(name="opencl:0", host_steps={("add, " * 9 + "exp", "too many operands"): 2},
                             own_functions={}, library_calls={})
    monkeypatch.setattr(fallbacks, "_drivers", lambda: [driver])
    assert list(la.report()) == [
        Fallback("add, add, add, add, add, add, ... (10)", 2, True, "no kernel on opencl:0: too many operands")]


def test_a_report_stays_as_it_is():
    doubled()
    early = la.report()
    doubled()
    assert [row.calls for row in early] == [1]
    assert [row.calls for row in la.report()] == [2]


def test_clear():
    doubled()
    report = la.report()
    report.clear()
    assert list(report) == list(la.report()) == []
    doubled()
    assert len(la.report()) == 1
