"""Graphs, asynchronous calls, streams, devices, the engine, backends, rules, reports and settings."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

import lazyarr as la
from lazyarr.backends import Backend
from lazyarr.inspect.explain import Explanation
from lazyarr.inspect.profile import Profile
from lazyarr.rules import Rule
from lazyarr.runtime import Variable
from lazyarr.runtime.devices import Device
from lazyarr.symbolic import Graph, Symbol
from support.typed_arrays import ANY, F32, F64, assert_type

x = la.linspace(0.5, 0.9, 3)
la.evaluate(x)  # whose values would count as left by the first test


def test_symbols() -> None:
    a = la.var((None, 3), "float64", "a")
    assert_type(a, Symbol)
    assert_type(a.shape, tuple[int | None, ...])
    assert_type(2 * a @ la.symbolic.variable(3, name="b") + 1, Symbol)
    assert_type(a.sum(axis=1), Symbol)
    assert_type(a[0].T, Symbol)
    assert_type((a * a).sum().grad(a), Symbol)


def test_graphs(tmp_path: Path) -> None:
    a = la.var((None,), "float64", "a")
    graph = la.graph(a, {"y": a * 2}, "doubled")
    assert_type(graph, Graph)
    assert_type(graph.inputs, tuple[str, ...])
    assert_type(graph(x), Any)
    graph.assign(a=x)
    assert_type(graph.evaluate(), Any)
    assert_type(graph.explain(), Explanation)
    assert_type(graph.build(backend="numpy"), Graph)
    assert_type(graph.stats(), dict[str, tuple[int, int]])
    graph.save(tmp_path / "graph")
    assert_type(la.load_graph(tmp_path / "graph"), Graph)


def test_calls_that_wait() -> None:
    assert_type(la.delay(np.cumsum, x, shape=3, dtype=np.float64), F64)
    future = la.evaluate_async(x + 1)
    assert_type(future.result(), F64)
    assert_type((x + 1).evaluate_async().result(), F64)
    with la.Stream() as stream:
        assert_type(stream, la.Stream)
        assert_type(la.evaluate_async(x + 1, x.astype(np.float32)).result(), tuple[F64, F32])
    stream.wait(stream.record())
    stream.synchronize()


def test_devices() -> None:
    assert_type(la.devices()[0], Device)
    assert_type(la.devices()[0].memory_stats(), dict[str, int])
    with la.device("cpu") as device:
        assert_type(device, Device)


def test_engine() -> None:
    with la.runtime.Engine(la.runtime.Pool(1)) as engine:
        variable = engine.new_variable("a")
        assert_type(variable, Variable)
        engine.push(lambda: None, mutate=[variable])


def test_backends_and_rules() -> None:
    assert_type(la.backends.known("matmul"), tuple[Backend, ...])
    with la.backends.measure() as found:
        assert_type(found, dict[str, dict[str, float]])
    assert_type(la.rules.known(), tuple[Rule, ...])


def test_reports() -> None:
    y = x * 2
    assert_type(la.explain(y).steps[0].operations, tuple[str, ...])
    with la.profile() as profile:
        la.evaluate(y)
    assert_type(profile, Profile)
    assert_type(profile.seconds, float)
    assert_type(profile.kinds, Counter[str])
    assert_type(la.summary(y).pending, int)


def test_module_paths() -> None:
    def energy(y: F64) -> F64:
        return (y * y).sum()

    def add(carry: F64, one: F64) -> tuple[F64, F64]:
        return carry + one, carry

    assert_type(la.autodiff.grad(energy)(x), F64)
    assert_type(la.control.scan(add, la.zeros(()), x), tuple[F64, F64])
    assert_type(la.symbolic.jit(energy)(x), F64)
    assert_type(la.nn.softmax(x), ANY)


def test_settings() -> None:
    assert_type(la.config.num_threads, int)
    assert_type(la.config.exact, bool)
    with la.config(num_threads=1, exact=True), la.backend("numpy", "fft.fft"), la.device("cpu"):
        assert_type(la.sqrt(x), F64)

    @la.config(num_threads=1)
    def root(y: F64) -> F64:
        return la.sqrt(y)

    assert_type(root(x), F64)
