"""Totals over evaluations, and changes of the core's counters."""

import json
import re
import threading
import time

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core import api
from lazyarr._core.host.threads import OPENMP
from lazyarr._core.ir import node
from lazyarr._core.runtime import plan_cache
from lazyarr.inspect import observers
from lazyarr.inspect.advice import advice


def evaluate(times=1):
    x = la.asarray(np.arange(100.0))
    for _ in range(times):
        ((x * 2 + 1) / 3).numpy()


@pytest.fixture(autouse=True)
def cold_cache():
    plan_cache.clear()


def test_sums_are_those_of_the_records(evaluations):
    with la.profile() as collected:
        evaluate(3)
    assert collected.evaluations == len(evaluations) == 3
    for name in ("steps", "ops", "fused", "bytes", "seconds"):
        assert getattr(collected, name) == sum(record[name] for record in evaluations) > 0
    assert collected.kinds.total() == collected.steps
    assert collected.plans == {"hits": 2, "misses": 1, "evictions": 0}
    assert [record["hit"] for record in evaluations] == [False, True, True]
    assert 0 < collected.seconds < collected.wall


def test_says_that_nothing_was_evaluated():
    x = la.ones(3)
    with la.profile() as nothing:
        y = x + 1
    with la.profile() as something:
        y.numpy()
    assert str(nothing).startswith("Nothing was evaluated: ")
    assert "Nothing was evaluated" not in str(something)


def test_stays_as_it_is_after_the_block():
    with la.profile() as collected:
        evaluate()
    text, wall = str(collected), collected.wall
    evaluate()
    assert (str(collected), collected.wall) == (text, wall)


def test_may_be_read_inside_the_block():
    with la.profile() as collected:
        evaluate()
        assert (collected.evaluations, collected.plans["misses"]) == (1, 1)
        evaluate()
        assert (collected.evaluations, collected.plans["hits"]) == (2, 1)


def test_blocks_nest():
    with la.profile() as outer:
        evaluate()
        with la.profile() as inner:
            evaluate()
    assert (outer.evaluations, inner.evaluations) == (2, 1)
    assert (outer.plans["misses"], inner.plans["misses"]) == (1, 0)


def test_ends_with_an_exception():
    with pytest.raises(ZeroDivisionError), la.profile() as collected:
        1 / 0
    evaluate()
    assert collected.evaluations == 0


def test_sees_all_threads():
    with la.profile() as collected:
        workers = [threading.Thread(target=evaluate) for _ in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    assert collected.evaluations == 4


def test_leaving_evaluates_nothing():
    pending = node.stats()["pending"]
    with la.profile() as collected:
        x = la.asarray(np.ones(3)) + 1
    assert collected.evaluations == 0
    assert collected.pending == pending + 1
    del x


def test_numpy_calls_and_fallbacks():
    x = la.asarray(np.arange(3.0))
    before = api.opaque("early", np.negative, [x], (3,), np.dtype(float))
    with la.profile() as collected:
        api.opaque("late", np.negative, [before], (3,), np.dtype(float)).numpy()
        x.nonzero()
    assert collected.opaque == {"early": 1, "late": 1}
    assert [(row.name, row.calls, row.lazily) for row in collected.fallbacks] == [
        ("late", 1, True),
        ("nonzero", 1, False),
    ]


def test_pool():
    with la.profile() as collected:
        evaluate(10)
    assert collected.pool["hits"] + collected.pool["misses"] >= 10
    assert collected.pool["hits"] > 0


def test_text():
    with la.profile() as collected:
        evaluate(2)
        api.opaque("double", np.negative, [la.asarray(np.ones(3))], (3,), np.dtype(float)).numpy()
    text = str(collected)
    assert repr(collected) == text
    rows = dict(re.split("  +", line, maxsplit=1) for line in text.splitlines() if "  " in line)
    assert rows["evaluations"].startswith("3, in ")
    assert rows["plan cache"] == "1 hit, 2 misses, 0 evictions"
    assert rows["NumPy calls"] == "1 double"
    assert rows["double"].split() == ["1", "lazily", "no", "native", "lowering"]
    assert "Fell back to NumPy: 1 call\n" in text


def slow(x):
    time.sleep(0.05)
    return -x


def test_advice_names_what_is_numpys():
    with la.profile() as collected:
        for _ in range(3):
            api.opaque("slowly", slow, [la.asarray(np.ones(3))], (3,), np.dtype(float)).numpy()
    assert re.fullmatch(r"\d+ % of the time in slowly, which is NumPy's\.", collected.advice)
    assert str(collected).endswith(collected.advice)


def test_advice_names_steps_and_what_is_outside():
    x = la.asarray(np.linspace(0, 1, 2_000_000))
    with la.profile() as collected:
        for _ in range(20):     # long enough for a sleep that takes longer than it should on a busy machine
            (np.tan(x) * 2 + x - 1).sum().numpy()
        time.sleep(collected.seconds)
        la.array([1.0]).nonzero()
    assert set(re.findall(r"\d % of the time (.*?)\.", collected.advice)) == {
        "outside evaluations, in Python and building graphs, and in NumPy's nonzero",
        "in lazyarr's steps, the longest of which is tan, multiply, add and 2 others",
    }


def test_advice_names_plans():
    times = {"wall": 1.0, "evaluating": 0.95, "planning": 0.9, "steps": {"add": 0.05}, "numpys": {}, "at_once": []}
    assert advice(**times, plans={"hits": 1, "misses": 9}) == (
        "90 % of the time making plans, as 9 of 10 evaluations met a graph for the first time."
    )


def test_advice_shortens_names_of_programs():
    times = {"wall": 1.0, "evaluating": 0.95, "planning": 0.0, "steps": {}, "at_once": []}
    assert advice(**times, numpys={"add, " * 9 + "exp": 0.9, "sort": 0.1}, plans={"hits": 1, "misses": 9}) == (
        "100 % of the time in add, add, add, ... (10) and sort, which are NumPy's."
    )


def test_no_advice_without_evaluations():
    with la.profile() as collected:
        pass
    assert collected.advice == ""


def test_listeners_cost_nothing_after_the_last_has_gone(monkeypatch):
    hooks = []
    monkeypatch.setattr(api, "set_hook", lambda name, function: hooks.append((name, function is None)))
    with la.profile(), la.profile():
        pass
    assert hooks == [("on_evaluate", False), ("on_evaluate", False), ("on_evaluate", False), ("on_evaluate", True)]
    with pytest.raises(ValueError, match="not in"):
        observers.ignore(print)


def test_a_trace_has_evaluations_and_their_steps(tmp_path):
    a = la.asarray(np.random.default_rng(0).random((50, 50)))
    with la.profile(trace=True) as collected:
        np.sort(np.maximum(a @ a + 1, 2)).numpy()
        evaluate()
    collected.save_trace(tmp_path / "trace.json")
    trace = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    named = trace.pop(0)
    assert (named["name"], named["ph"], named["tid"]) == ("thread_name", "M", trace[0]["tid"])
    assert [(event["cat"], event["name"]) for event in trace] == [
        ("evaluation", "evaluation"), ("epilogue", "matmul, add, maximum"), ("opaque", "sort"),
        ("evaluation", "evaluation"), ("tile", "multiply, add, divide")]
    assert len({(event["pid"], event["tid"], event["ph"]) for event in trace}) == 1
    for evaluation, steps in ((trace[0], trace[1:3]), (trace[3], trace[4:])):
        began = evaluation["ts"]
        for step in steps:
            assert began <= step["ts"]
            began = step["ts"] + step["dur"]
        assert began <= evaluation["ts"] + evaluation["dur"] <= 1e6 * collected.wall
    rows = {name: (count, seconds) for name, count, seconds in collected.slowest()}
    assert rows.keys() == {"matmul, add, maximum", "sort", "multiply, add, divide"}
    assert "1x  sort" in str(collected)
    assert [count for _, count, _ in collected.slowest(1)] == [1]


@pytest.mark.skipif(not OPENMP, reason="without OpenMP there is one thread")
def test_threads_of_teams_are_threads_of_the_trace(tmp_path):
    with la.config(num_threads=3), la.profile(trace=True) as collected:
        np.sin(la.asarray(np.linspace(0, 1, 400_000))).numpy()
    collected.save_trace(tmp_path / "trace.json")
    trace = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    names = {event["tid"]: event["args"]["name"] for event in trace if event["ph"] == "M"}
    [step] = [event for event in trace if event.get("cat") == "tile"]
    shares = [event for event in trace if event.get("cat") == "share"]
    assert names[step["tid"]] == f"evaluating thread {threading.get_ident()}"
    assert len(names) == len({event["tid"] for event in shares}) == len(shares) == 3
    for share in shares:
        assert share["name"] == step["name"] == "sin"
        assert step["ts"] <= share["ts"] <= share["ts"] + share["dur"] <= step["ts"] + step["dur"]
    assert [count for _, count, _ in collected.slowest()] == [1]


def test_no_trace_unless_asked_for(tmp_path):
    with la.profile() as collected:
        evaluate()
    assert collected.trace is None
    assert collected.slowest() == []
    with pytest.raises(ValueError, match="trace=True"):
        collected.save_trace(tmp_path / "trace.json")
