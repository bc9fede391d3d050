"""What explain predicts for an evaluation is what it runs."""

import re

import numpy as np
import pytest

import lazyarr as la
from lazyarr import nn
from lazyarr._core import api
from lazyarr._core.host import allocator, threads
from lazyarr.inspect import observers

RNG = np.random.default_rng(0)
N = 114_688  # bytes that fill a block of the pool


def arrays(n=N):
    return [la.asarray(RNG.random(n) + 0.1) for _ in range(3)]


def chain(x, y, z):
    return [np.sqrt(x * 2 + y) - z]


def long_lived(x, y, z):
    a = np.cumsum(x)
    b = np.cumsum(y)
    c = np.cumsum(a + b)
    return [c - a, c + b]


def folds(x, y, z):
    return [x - x.mean(), (y - y.mean()) / y.std(), (x * y).sum()]


def windows(x, y, z):
    x = x * 1
    x[1:-1] = (y[:-2] + y[2:]) / 2
    return [np.concatenate([x * 2, y + z])]


def several(x, y, z):
    fraction, whole = np.modf(x + y)
    return [fraction * z, whole]


CASES = [chain, long_lived, folds, windows, several]


@pytest.mark.parametrize("case", CASES)
def test_steps_and_memory_are_those_of_the_evaluation(case):
    given = arrays()
    with api.one_plan():  # whatever ran before, writing in place is not taken for a loop's
        la.evaluate(*case(*given))
        results = case(*given)
    with la.no_evaluation():
        explained = la.explain(*results)
    records = []
    observers.listen(records.append)
    before = allocator.stats()["live_bytes"]
    allocator.reset_peak()
    try:
        la.evaluate(*results)
    finally:
        observers.ignore(records.append)
    assert [step.kind for step in explained.steps] == records[0]["kinds"]
    peak = allocator.stats()["peak_bytes"] - before
    assert 0.99 * peak <= explained.memory.planned <= peak
    assert explained.memory.lower_bound <= explained.memory.planned <= explained.memory.naive


def test_a_table():
    x = la.asarray(np.arange(6.0))
    explained = la.explain((x * 2 + 1).sum())
    head, row, memory = str(explained).splitlines()
    assert head.split() == ["step", "operations", "reads", "writes", "expected", "measured"]
    assert row.split()[:9] == ["1", "tile", "multiply,", "add,", "add.reduce", "64", "B", "8", "B"]
    assert memory == "every value kept 104 B, at most at once 8 B, least possible in this order 8 B"
    assert repr(explained) == str(explained)
    [step] = explained.steps
    assert step.expected > 0
    assert step.measured is None
    many = x
    for _ in range(10):
        many = np.sin(many)
    assert "sin, sin, sin, sin, sin, sin, ... (10)" in str(la.explain(many))


def f4(*shape):
    return la.asarray(RNG.random(shape, "f4"))


@pytest.mark.parametrize("call", [
    lambda: f4(30, 40) @ f4(40, 50), lambda: np.maximum(f4(300, 400) @ f4(400, 50) + 1, 0),
    lambda: f4(1, 400) @ f4(400, 50), lambda: f4(3, 30, 40).astype("c8") @ f4(40, 50).astype("c8"),
    lambda: nn.conv2d(f4(2, 9, 9, 16), f4(4, 4, 16, 40), padding=1, stride=2),
    lambda: nn.conv2d(f4(2, 9, 9, 16), f4(3, 3, 4, 48), groups=4),
    lambda: nn.conv1d(f4(2, 9, 16), f4(3, 1, 16), groups=16),
    lambda: nn.grad.conv2d_input((2, 20, 20, 16), f4(3, 3, 16, 48), f4(2, 9, 9, 48), stride=2),
    lambda: nn.grad.conv2d_input((2, 9, 9, 16), f4(3, 3, 8, 48), f4(2, 7, 7, 48), groups=2),
    lambda: nn.grad.conv2d_weight(f4(2, 9, 9, 16), (5, 5, 16, 48), f4(2, 5, 5, 48))])
def test_kernels_are_expected_to_take_what_they_estimate(call):
    result = call()
    with la.config(exact=True, num_threads=1):
        expected = sum(step.expected for step in la.explain(result).steps)
        before = threads.estimated_ns()
        la.evaluate(result)
    assert expected == pytest.approx((threads.estimated_ns() - before) / 1e9)


def test_measured_where_it_was_profiled():
    def result(x, y, z):
        return np.tan(x) * np.tan(y) / z  # an expression no other test has

    given = arrays()
    with la.profile():
        result(*given).numpy()
    [step] = la.explain(result(*given)).steps
    assert 0 < step.measured < 1
    assert step.began == 0


def test_kernels_and_what_runs_behind_them():
    a = la.asarray(RNG.random((64, 64)))
    [step] = la.explain(np.maximum(a @ a + 1, 0)).steps
    assert (step.kind, step.operations) == ("epilogue", ("matmul", "add", "maximum"))
    assert (step.read, step.written) == (64 * 64 * 8 + 16, 64 * 64 * 8)
    values, vectors = np.linalg.eigh(a + a.T)
    last = la.explain(values, vectors).steps[-1]
    assert (last.kind, last.operations, last.written) == ("opaque", ("linalg.eigh",), 64 * 65 * 8)


def test_nothing_to_do():
    x = la.asarray(np.arange(3.0))
    assert str(la.explain(x)) == str(la.explain()) == "Nothing to evaluate."
    assert la.explain(x[1:], x).memory == (0, 0, 0, 0)


def test_views_and_selections_are_explained_by_what_they_show():
    x = la.asarray(np.arange(6.0)) * 2
    assert [step.operations for step in la.explain(x[1:]).steps] == [("multiply",)]
    assert [step.operations for step in la.explain(x[x > 3]).steps] == [("multiply", "greater", "compress")]


def test_where_a_node_was_made():
    y = la.asarray(np.arange(6.0)) * 2
    file, _, function = la.explain(y).nodes[-1].line
    assert file == __file__
    assert function == "test_where_a_node_was_made"


def test_to_debug_tables_and_drawings_say_where_nodes_were_made():
    def result():
        y = la.asarray(np.arange(6.0)) * 2
        return np.sin(y)

    quiet = la.explain(result())
    with la.config(debug=True):
        explained = la.explain(result())
    lines = [f"test_explain.py:{result.__code__.co_firstlineno + k} in {result.__qualname__}" for k in (1, 2)]
    assert explained.steps[0].lines == quiet.steps[0].lines == tuple(lines)
    head, row, _ = str(explained).splitlines()
    assert head.endswith("made at")
    assert row.endswith(", ".join(lines))
    assert len(re.findall(r"test_explain\.py:\d+ in ", explained.to_dot())) == 2
    assert "made at" not in str(quiet)
    assert "test_explain.py" not in quiet.to_dot()
    assert len(explained.to_dot().splitlines()) == len(quiet.to_dot().splitlines())


@pytest.mark.parametrize("wrong", [1.0, np.ones(3), None])
def test_what_is_no_array(wrong):
    with pytest.raises(TypeError, match="expected a LazyArray"):
        la.explain(wrong)


def test_a_drawing():
    x = la.asarray(np.arange(6.0))
    y = np.sin(x[1:] * 2) + 1
    z = np.sort(y) - y
    del y
    dot = z.to_dot()
    declared = re.findall(r'^ *n(\d+) \[label="(\d+) ([^"]*)"(.*)\];$', dot, re.MULTILINE)
    nodes = la.explain(z).nodes
    assert [int(i) for i, *_ in sorted(declared, key=lambda node: int(node[0]))] == [*range(len(nodes))]
    edges = {(int(a), int(b)) for a, b in re.findall(r"n(\d+) -> n(\d+);", dot)}
    assert edges == {(j, i) for i, node in enumerate(nodes) for j in node.inputs}
    assert re.findall(r'label="(step \d+: \w+)"', dot) == ["step 1: tile", "step 2: opaque", "step 3: tile"]
    assert dot.count("{") == dot.count("}")
    of = {name.split("\\n")[0]: (name, style) for _, _, name, style in declared}
    assert of["sin"] == ("sin\\n(5,) float64\\n1 reader", "")  # in a register
    assert "block" in of["add"][0]
    assert re.search("block (.*)", of["subtract"][0])[1] == re.search("block (.*)", of["sort"][0])[1]
    assert "penwidth=2" in of["subtract"][1]
    assert "shape=parallelogram" in of["view"][1]


def test_drawings_of_calls_with_several_results_and_of_nothing():
    values, vectors = np.linalg.eigh(la.asarray(RNG.random((3, 3))))
    dot = la.explain(values, vectors).to_dot()
    assert dot.count("result") == 2
    assert len(set(re.findall(r"block \d", dot))) == 2
    assert la.asarray(np.arange(3.0)).to_dot().count("[label") == 0


def test_drawings_quote_names():
    x = api.opaque('the "name\\', lambda values: values, [la.asarray(np.arange(3.0))], (3,), np.dtype(float))
    assert 'the \\"name\\\\\\n(3,)' in x.to_dot()
