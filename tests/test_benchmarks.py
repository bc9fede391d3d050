"""The benchmarks in asv_bench/: every operation has an example that equals NumPy's result, and all of them run."""

import importlib
import inspect
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

import lazyarr as la
from lazyarr.ops import table
from support import numpy_comparison

FOLDER = Path(__file__).parents[1] / "asv_bench"
ALONE = {"Programs": ("floyd_warshall",)}  # test_examples.py runs them all
SOME_VERSIONS = {"matvec", "row_stack", "vecmat"}  # of NumPy have them


def load(name):
    """Return a module of the suite, imported as asv does."""
    sys.path.insert(0, str(FOLDER))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(FOLDER))


examples, every_op, gate, peers, training = map(
    load, ("benchmarks.examples", "benchmarks.every_op", "gate", "peers", "training"))


def benchmarks():
    """Yield (class, method name) for each benchmark of the suite."""
    for path in sorted((FOLDER / "benchmarks").glob("*.py")):
        module = load(f"benchmarks.{path.stem}")
        for cls in vars(module).values():
            if inspect.isclass(cls) and cls.__module__ == module.__name__:
                for name in dir(cls):
                    if name.startswith(("time_", "track_", "peakmem_")):
                        yield cls, name


def cases(cls):
    """Yield parameters: all names in turn, everything else at its first value, the smallest."""
    if cls.__name__ in ALONE:
        yield ALONE[cls.__name__]
        return
    params = getattr(cls, "params", ())
    lists = params if params and isinstance(params[0], list | tuple) else [list(params)] if params else []
    first = tuple(values[0] for values in lists)
    yield first
    for k, values in enumerate(lists):
        yield from ((*first[:k], value, *first[k + 1 :]) for value in values[1:] if isinstance(value, str))


def run(cls, name, case):
    benchmark = cls()
    if hasattr(benchmark, "setup"):
        benchmark.setup(*case)
    result = getattr(benchmark, name)(*case)
    if hasattr(benchmark, "teardown"):
        benchmark.teardown(*case)
    return result


@pytest.mark.parametrize(("cls", "name"), list(benchmarks()), ids=lambda part: getattr(part, "__name__", part))
def test_benchmark_runs(cls, name, monkeypatch):
    if hasattr(cls, "turns"):
        monkeypatch.setattr(cls, "turns", 1)
    for case in cases(cls):
        try:
            result = run(cls, name, case)
        except NotImplementedError:  # which asv takes for "leave this out"
            assert cls is every_op.Op
            assert case[0] not in every_op.TABLE
            continue
        assert (result is None) is not name.startswith("track_")


def test_an_operation_without_an_example_fails_the_suite(monkeypatch):
    assert every_op.missing == []
    monkeypatch.setitem(table._rows, "new_operation", every_op.TABLE["sum"])
    with pytest.raises(ImportError, match=r"without a line in .*: new_operation$"):
        importlib.reload(every_op)


def test_no_example_without_an_operation():
    assert examples.LINES.keys() - every_op.TABLE.keys() <= SOME_VERSIONS
    assert examples.OWN_LINES.keys() == every_op.OWN


def test_an_operation_has_one_example():
    with pytest.raises(ValueError, match="two examples"):
        examples.table("sum np.sum(m)\nmax np.max(m)\nsum np.sum(v)")


@pytest.mark.parametrize("name", sorted(examples.LINES.keys() & every_op.TABLE.keys()))
def test_example_gives_what_numpy_gives(name):
    variables = examples.arguments(name, examples.SMALL)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = examples.function(examples.LINES[name], np, variables)()
        got = examples.function(examples.LINES[name], la, every_op.lazy_arguments(variables))()
        problem = numpy_comparison.difference(want, got, near=True)
    assert problem is None


@pytest.mark.parametrize(("seconds", "failed"), [(0.002, 0), (0.008, 1)])
def test_gate_tells_what_takes_twice_as_long_as_recorded(seconds, failed, monkeypatch, capsys):
    monkeypatch.setattr(gate, "ROUNDS", 3)
    monkeypatch.setattr(gate, "FACTOR", 2.0)
    case = 1.0, lambda: (lambda: time.sleep(seconds), lambda: time.sleep(0.002))
    assert gate.main({"sleep": case}) == failed
    assert ("above the bound" in capsys.readouterr().out) == failed


@pytest.mark.parametrize("case", gate.CASES)
def test_gate_compares_equal_work(case):
    lazy, numpy = gate.CASES[case][1]()
    got = lazy()
    got = got[-1] if isinstance(got, tuple) else got
    np.testing.assert_allclose(got, numpy(), rtol=1e-4)


@pytest.mark.parametrize("family", peers.FAMILIES)
def test_peers_compute_the_same_and_tables_can_be_read_again(family, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(peers, "SECONDS", 0.0)
    monkeypatch.setattr(peers, "PAUSE", 0.0)
    means = peers.measure(family, peers.Libraries(), rounds=1)
    path = tmp_path / "tables.md"
    path.write_text(capsys.readouterr().out, "utf-8")
    assert peers.read(path) == {family: pytest.approx(means, abs=0.006)}


@pytest.mark.parametrize("case", training.CASES)
def test_trainings_compute_the_same(case):
    training.check(case, steps=2)


def test_trainings_compare_losses(monkeypatch):
    monkeypatch.setitem(training.CASES, "wrong", (training.perceptron_batches, 1, {
        "lazyarr": training.lazy_perceptron, "other": lambda: lambda x, y: 1.0}))
    with pytest.raises(AssertionError, match="wrong: losses are"):
        training.check("wrong", steps=1)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells the peak")
def test_trainings_tell_their_peak_memory(monkeypatch, capsys):
    monkeypatch.setattr(training, "network_batches", lambda: [(np.ones((2, 28, 28, 1), "f4"), np.zeros(2, int))])
    monkeypatch.setattr(training, "BATCH", 2)
    training.print_peak("lazyarr")
    assert float(capsys.readouterr().out) >= 0


def test_peers_compare_results():
    with pytest.raises(AssertionError, match="sum: lazyarr"):
        peers.check("sum", {"NumPy": lambda: np.ones(3), "lazyarr": lambda: np.ones(3) + 0.1})
