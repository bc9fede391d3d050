"""What explain and the profile say about several devices."""
import json

import numpy as np

import lazyarr as la


def blocks(count, size=100_000):
    return [la.asarray(np.arange(float(size)) + k) for k in range(count)]


def test_schedule_has_parts_and_copies():
    x = la.arange(1000.0)
    y = (np.sqrt(x.to_device("cpu:1")) + 1).to_device("cpu") * 2
    found = la.explain(y).schedule
    assert [(item.kind, item.where, item.after) for item in found] == [
        ("copy", "cpu -> cpu:1", ()), ("part", "cpu:1", (1,)), ("copy", "cpu:1 -> cpu", (2,)), ("part", "cpu", (3,))]
    assert [item.nbytes for item in found] == [8000] * 4
    assert found[1].operations == ("add",)
    assert "schedule" in str(la.explain(y))
    np.testing.assert_array_equal(y, (np.sqrt(np.arange(1000.0)) + 1) * 2)


def test_explaining_computes_and_copies_nothing():
    before = la.devices()[1].memory_stats()
    la.explain(la.arange(1000.0).to_device("cpu:1") + 1)
    assert la.devices()[1].memory_stats() == before


def test_there_is_no_schedule_on_the_host():
    x = la.arange(10.0) + 1
    assert la.explain(x).schedule == []
    assert "schedule" not in str(la.explain(x))


def test_copies_begin_a_few_parts_ahead():
    sums = [b.to_device("cpu:1").sum() for b in blocks(8)]
    kinds = "".join(item.kind[0] for item in la.explain(*sums).schedule)
    assert kinds == "cccp" + "cp" * 5 + "pp"


def test_parts_that_copies_come_from_run_first():
    x, y = blocks(2)
    on_host, sent = (x + 1).sum(), (y.to_device("cpu:1") + 1).sum().to_device("cpu")
    total = on_host * 2 + sent
    parts = [item.where for item in la.explain(total).schedule if item.kind == "part"]
    assert parts == ["cpu:1", "cpu", "cpu"]


def test_profile_counts_copies_apart(tmp_path):
    with la.profile(trace=True) as collected:
        for b in blocks(3):
            la.evaluate((b.to_device("cpu:1") + 1).to_device("cpu"))
    assert collected.copies == 6
    assert collected.copied == 6 * 800_000
    assert collected.evaluations == 3
    assert "6 between devices" in str(collected)
    collected.save_trace(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    lanes = {event["args"]["name"]: event["tid"] for event in events if event["ph"] == "M"}
    copies = [event for event in events if event.get("cat") == "copy"]
    assert {event["tid"] for event in copies} == {lanes["cpu:1 copy-in"], lanes["cpu:1 copy-out"]}
    assert {event["name"] for event in copies} == {"copy cpu -> cpu:1", "copy cpu:1 -> cpu"}
