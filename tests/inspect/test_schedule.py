"""Several devices in explain, its page and the profile."""
import itertools
import json
import re
import threading
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core import api
from lazyarr.runtime import add_virtual_device


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


def test_parts_wait_for_the_parts_they_read():
    sums = [b.to_device("cpu:1").sum().to_device("cpu") for b in blocks(3)]
    found = la.explain((sums[0] + sums[1]) * sums[2]).schedule
    copied = [number for number, item in enumerate(found, 1) if item.where == "cpu:1 -> cpu"]
    multiply = found[-1]
    assert (multiply.where, multiply.operations) == ("cpu", ("multiply",))
    [add] = {*multiply.after} - {*copied}
    assert (found[add - 1].kind, found[add - 1].operations) == ("part", ("add",))
    assert {*multiply.after, *found[add - 1].after} == {add, *copied}


def test_what_another_part_computes_is_no_part():
    x, z = blocks(2, 10)  # copied at once
    total = (np.sin(x.to_device("cpu:1")) + z.to_device("cpu:1")).to_device("cpu") * 2
    found = la.explain(total).schedule
    assert [item.operations for item in found if item.kind == "part"] == [("add",), ("multiply",)]
    with la.profile() as collected:
        la.evaluate(total)
    assert collected.evaluations == 2


def test_arrays_of_the_host_are_in_the_schedule_of_others():
    x = la.arange(10.0)
    found = la.explain(x + 1, x.to_device("cpu:1") * 2).schedule
    assert {(item.where, item.operations) for item in found if item.kind == "part"} == {
        ("cpu", ("add",)), ("cpu:1", ("multiply",))}


# ---- its drawing ----


def drawing(explained):
    """What the page draws of the schedule, None where there is nothing."""
    found = re.search(r'<div class="plot" id="schedule".*?</div>', explained.to_html(), re.DOTALL)
    return found and ET.fromstring(found[0])


def boxes(drawn):
    """The left, upper, right and lower edge of each item."""
    places = []
    for box in drawn.findall("button"):
        left, top, width, height = (int(number) for number in re.findall(r": (-?\d+)px", box.get("style")))
        places.append((left, top, left + width, top + height))
    return places


def lanes(drawn):
    """The names of the lanes, from top to bottom."""
    return [lane.text for lane in sorted(drawn.findall("span"), key=lambda lane: int(lane.get("style")[5:-2]))]


def waits(drawn):
    return [(int(line.get("data-from")), int(line.get("data-to"))) for line in drawn.iter("path")]


def there_and_back():
    x = la.arange(1000.0)
    return (np.sqrt(x.to_device("cpu:1")) + 1).to_device("cpu") * 2


def several_devices(seed):
    """Arrays on three devices that are made of each other."""
    rng = np.random.default_rng(seed)
    devices = ["cpu", "cpu:1", third_device()]
    arrays = [la.asarray(rng.random(10)) for _ in range(3)]
    for _ in range(25):
        x, y = (arrays[k].to_device(devices[rng.integers(3)]) for k in rng.integers(len(arrays), size=2))
        arrays.append(np.sqrt(x) + y.to_device(x.device))
    return arrays[-4:]


def third_device():
    return la.devices()[2] if len(la.devices()) > 2 else add_virtual_device()


def test_page_has_a_lane_for_each_device_and_direction():
    drawn = drawing(la.explain(there_and_back()))
    assert lanes(drawn) == ["cpu -> cpu:1", "cpu:1", "cpu:1 -> cpu", "cpu"]
    assert [[box.text, *(small.text for small in box)] for box in drawn.findall("button")] == [
        ["7.81 KiB", "copy 1"], ["add", "part 2, 7.81 KiB"], ["7.81 KiB", "copy 3"], ["multiply", "part 4, 7.81 KiB"]]
    assert waits(drawn) == [(0, 1), (1, 2), (2, 3)]
    assert drawn.findall("button")[1].get("title") == "part 2: cpu:1 add waits for copy 1"  # lines


@pytest.mark.parametrize("seed", range(8))
def test_page_draws_items_in_their_lanes_and_arrows_for_waits(seed):
    explained = la.explain(*several_devices(seed))
    schedule, drawn = explained.schedule, drawing(explained)
    assert len(lanes(drawn)) > 5
    places = boxes(drawn)
    assert len(places) == len(schedule)
    tops = {(top, item.where) for item, (_, top, _, _) in zip(schedule, places, strict=True)}
    assert [where for _, where in sorted(tops)] == lanes(drawn)
    for (left, top, right, below), (left2, top2, right2, below2) in itertools.combinations(places, 2):
        assert right <= left2 or right2 <= left or below <= top2 or below2 <= top
    assert sorted(waits(drawn)) == sorted((j - 1, i) for i, item in enumerate(schedule) for j in item.after)
    assert all(places[j][2] < places[i][0] for j, i in waits(drawn))
    levels = [int(y) for line in drawn.iter("path") for y in re.findall(r",(-?\d+)H", line.get("d"))]
    assert not any(top <= y <= below for y in levels for _, top, _, below in places)
    assert len(levels) > 5


@pytest.mark.parametrize("seed", range(8))
def test_page_draws_the_longest_chain_of_waits_first(seed):
    explained = la.explain(*several_devices(seed))
    schedule, drawn = explained.schedule, drawing(explained)
    depth = []
    for item in schedule:
        depth.append(1 + max((depth[j - 1] for j in item.after), default=0))
    chain = [i for i, box in enumerate(drawn.findall("button")) if "critical" in box.get("class").split()]
    assert len(chain) == max(depth) > 3
    bold = [line for line in drawn.iter("path") if "critical" in line.get("class").split()]
    assert [(int(line.get("data-from")), int(line.get("data-to"))) for line in bold] == [*itertools.pairwise(chain)]
    first = [*dict.fromkeys(schedule[i].where for i in chain)]
    assert lanes(drawn)[:len(first)] == first
    assert drawn.find("svg/desc").text == "The critical path: " + ", ".join(
        f"{schedule[i].kind} {i + 1}" for i in chain)


def columns(explained, chosen):
    """The left edges of the items whose place is chosen."""
    return [left for item, (left, *_) in zip(explained.schedule, boxes(drawing(explained)), strict=True)
            if chosen(item.where)]


def test_copies_share_columns_with_parts():
    explained = la.explain(*(b.to_device("cpu:1").sum() for b in blocks(6, 10)))
    assert len({*columns(explained, "cpu:1".__eq__)} & {*columns(explained, "cpu -> cpu:1".__eq__)}) == 5


@pytest.mark.parametrize("seed", range(8))
def test_what_one_thread_runs_shares_no_column(seed):
    explained = la.explain(*several_devices(seed))
    for chosen in (lambda where: "->" not in where, lambda where: where.endswith("-> cpu:1")):
        assert len({*columns(explained, chosen)}) == len(columns(explained, chosen)) > 3


def test_schedule_is_labelled_for_those_who_do_not_see_it():
    html = la.explain(there_and_back()).to_html()
    drawn = drawing(la.explain(there_and_back()))
    for element, role in ((drawn, "group"), (drawn.find("svg"), "img")):
        assert element.get("role") == role
        for label in element.get("aria-labelledby").split():
            assert re.search(rf'<(h2|title|desc) id="{label}">[^<]+</', html)
    assert "arrows lead to what waits" in html


def test_page_of_one_device_has_no_schedule():
    x = la.arange(10.0)
    there = x.to_device("cpu:1")
    la.evaluate(there)
    for arrays in ([], [x], [x + 1], [there + 1], [there + x]):  # x has a copy there
        html = la.explain(*arrays).to_html()
        assert drawing(la.explain(*arrays)) is None
        assert "schedule-title" not in html
        assert '"items":[]' in html
    assert drawing(la.explain(there + la.arange(10.0))) is not None


def test_names_in_the_schedule_are_text():
    nasty = '</script><b>"&\'{{data}}'
    x = la.arange(10.0).to_device("cpu:1")
    explained = la.explain(api.opaque(nasty, np.sin, [x], x.shape, x.dtype))
    html = explained.to_html()
    assert nasty not in html
    assert "<b>" not in html
    part = drawing(explained).findall("button")[1]
    assert part.text == nasty
    assert nasty in part.get("title")


# ---- the profile ----


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
    ident = threading.get_ident()
    parts = {(event["name"], event["tid"]) for event in events if event.get("cat") in ("tile", "evaluation")}
    assert parts == {(name, lanes[f"cpu:1 evaluating thread {ident}"]) for name in ("add", "evaluation")}


def test_trace_has_lanes_by_device():
    x = la.arange(1000.0)
    with la.profile(trace=True) as collected:
        la.evaluate(there_and_back(), x - 1)
    names = {event["name"]: event["tid"] for event in collected.trace if event["cat"] == "tile"}
    assert names["sqrt, add"] != names["multiply"] == names["subtract"]
    assert len({event["tid"] for event in collected.trace}) == 4  # two devices, two directions
