"""Small drawings of the steps of a plan."""

import re
from xml.etree import ElementTree

import numpy as np

import lazyarr as la
from lazyarr.inspect import step_drawing


def leaf():
    return la.asarray(np.arange(12.0).reshape(3, 4))


def test_steps_read_each_other_also_through_views():
    x = np.sort(leaf())
    explained = la.explain(np.cumsum(x[1:]) * 2, np.exp(leaf()))
    names = [step.operations for step in explained.steps]
    read = {(names[j], names[k]) for j, k in step_drawing.reads(explained)}
    assert any(made == ("sort",) for made, _ in read)
    assert not any(("exp",) in pair for pair in read)
    assert all(j < k for j, k in step_drawing.reads(explained))


def test_a_copy_of_an_equal_result_reads_it():
    x = leaf()
    explained = la.explain(np.sort(x), np.sort(x))
    assert [step.operations for step in explained.steps] == [("sort",), ("copy",)]
    assert step_drawing.reads(explained) == [(0, 1)]


def test_an_epilogue_reads_what_its_kernel_reads():
    x = leaf()
    explained = la.explain(np.maximum(np.sort(x) @ x.T.copy() + np.cumsum(np.ones(3)), 0))
    assert [step.kind for step in explained.steps] == ["opaque", "tile", "epilogue"]
    assert sorted(step_drawing.reads(explained)) == [(0, 2), (1, 2)]


def test_each_step_is_a_box_and_lines_go_down():
    a, b = np.linalg.eigh(leaf() @ leaf().T)
    explained = la.explain(np.sort(a) + np.cumsum(b, axis=0))
    picture = ElementTree.fromstring(step_drawing.drawing(explained))
    _, _, width, height = map(float, picture.get("viewBox").split())
    boxes = [[float(box.get(name)) for name in ("x", "y", "width", "height")] for box in picture.iter("rect")]
    assert len(boxes) == len(explained.steps) == len([*picture.iter("text")])
    for k, (x, y, across, down) in enumerate(boxes):
        assert min(x, y) >= 0
        assert x + across <= width
        assert y + down <= height
        for x2, y2, across2, down2 in boxes[:k]:
            assert x + across <= x2 or x2 + across2 <= x or y + down <= y2 or y2 + down2 <= y
    paths = [[*map(float, re.findall(r"[-.0-9]+", path.get("d")))] for path in picture.iter("path")]
    assert len(paths) == len(step_drawing.reads(explained)) > 0
    assert all(path[1] < path[-1] for path in paths)
    assert picture.get("aria-label").startswith("step 1 ")
    assert " reads 1" in picture.get("aria-label")


def test_one_step_and_many_steps_are_not_drawn():
    assert step_drawing.drawing(la.explain(leaf() * 2)) == ""
    x = leaf()
    for _ in range(step_drawing.MOST_STEPS):
        x = np.sort(x) * 2
    assert step_drawing.drawing(la.explain(x)) == ""
