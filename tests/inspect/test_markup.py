"""Reports in notebooks: well-formed documents with accessible tables and no external resources."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core import api
from lazyarr.inspect import markup
from lazyarr.inspect.fallback_report import Report
from lazyarr.inspect.shape_drawing import drawing

NASTY = "</table><script>alert('\"&')</script>`"


def named(name, x):
    return api.opaque(name, np.sin, [x], x.shape, x.dtype)


def leaf():
    return la.asarray(np.arange(12.0).reshape(3, 4))


def profile():
    with la.profile() as collected:
        named(NASTY, leaf() + 1).numpy()
        np.unique(leaf() * 2)
    return collected


def graph():
    x = la.var((None, 4), name="<x>")
    return la.graph([x, la.var(4, float, "w")], {"y": x * 2}, NASTY)


REPORTS = {
    "array": lambda: named(NASTY, leaf()),
    "values": lambda: la.asarray(np.array([NASTY])),
    "explanation": lambda: la.explain(named(NASTY, leaf()), np.exp(leaf()) * 2),
    "schedule": lambda: la.explain((leaf().to_device("cpu:1") + 1).to_device("cpu") * 2),
    "nothing to explain": la.explain,
    "profile": profile,
    "empty profile": lambda: la.profile().__enter__(),
    "report": lambda: Report({(NASTY, True, "<no>"): 3, ("sort", False, "why"): 1}),
    "empty report": lambda: Report({}),
    "config": lambda: la.config,
    "tuning": lambda: la.config.tuning,
    "graph": graph,
    "summary": lambda: la.summary(named(NASTY, leaf()) + 1),
    "summary of a selection": lambda: la.summary(leaf()[leaf() > 1]),
    "devices": la.devices,
}


@pytest.fixture(params=REPORTS)
def html(request):
    return REPORTS[request.param]()._repr_html_()


def test_documents_are_well_formed(html):
    assert ElementTree.fromstring(html).get("class") == "lazyarr-repr"


def test_names_stay_text(html):
    assert "<script" not in html
    assert html.isascii()


def test_nothing_is_referred_to(html):
    assert not re.search(r"https?:|url\(|@import|\b(?:src|href|on\w+)=", html)


def test_tables_are_accessible(html):
    document = ElementTree.fromstring(html)
    for table in document.iter("table"):
        assert table[0].tag == "caption"
        assert table[0].text
        widths = {len(row) for row in table.iter("tr")}
        assert len(widths) == 1
        for row in table.find("tbody"):
            assert [cell.get("scope") for cell in row] == ["row"] + [None] * (len(row) - 1)
            assert "".join(row[0].itertext())
        for head in table.iter("thead"):
            assert {cell.get("scope") for cell in head[0]} == {"col"}
            assert all(cell.text for cell in head[0])
    for part in document.iter("div"):
        if "lazyarr-scroll" in part.get("class"):
            assert (part.get("tabindex"), part.get("role")) == ("0", "group")
            assert part.get("aria-label")
    for picture in document.iter("svg"):
        assert picture.get("role") == "img"
        assert picture.get("aria-label")


def test_making_them_evaluates_nothing():
    x = leaf() + 1
    made = [la.explain(x), la.summary(x), la.report(), la.devices()]
    with la.no_evaluation():
        for report in made:
            report._repr_html_()
    assert la.summary(x).pending == 1


def test_an_explanation_has_a_row_for_each_step():
    explained = la.explain(np.sort(leaf()) * 2)
    document = ElementTree.fromstring(explained._repr_html_())
    rows = [[*row.itertext()] for row in document.find(".//tbody")]
    assert [row[0] for row in rows] == ["1", "2"]
    assert rows[0][2:4] == ["sort", "96 B"]
    assert "made at" not in explained._repr_html_()
    with la.config(debug=True):
        assert "test_markup.py" in la.explain(np.sort(leaf()))._repr_html_()


def test_long_tables_are_cut():
    rows = [(str(k), "x") for k in range(markup.MOST_ROWS + 1500)]
    html = markup.table("numbers", ("a", "b"), rows, "><")
    assert html.count("<tr>") == markup.MOST_ROWS + 1
    assert "and 1,500 more" in html
    assert "lazyarr-long" in html


def test_columns_without_text_are_left_out():
    html = markup.table("numbers", ("a", "b", "c"), [("1", "", "x"), ("2", "", "")], "><<")
    assert re.findall(r'scope="col"[^>]*>(.)<', html) == ["a", "c"]


def test_code_in_notes():
    assert markup.note("`x < y` holds") == '<p class="lazyarr-note"><code>x &lt; y</code> holds</p>'
    assert markup.note("") == ""


def test_bars_stay_within_their_column():
    widths = [re.search("width: (.*)%", markup.bar("", share))[1] for share in (-1, 0.25, 7)]
    assert widths == ["0.0", "25.0", "100.0"]


# ---- drawings of shapes ----


@pytest.mark.parametrize("shape", [
    (), (1,), (10**12,), (3, 4), (0,), (0, 5), (1000, 1), (2, 3, 4), (100, 1, 1), (0, 3, 4), (2, 2, 3, 4), (5, 0, 3, 4),
    (1, 2, 3, 4, 5), (2,) * 64])
def test_a_shape_is_drawn_within_its_frame(shape):
    picture = ElementTree.fromstring(drawing(shape))
    left, top, width, height = map(float, picture.get("viewBox").split())
    assert 0 < width < 300 + 300 * (len(shape) > 4)
    assert 0 < height < 240
    for path in picture.iter("path"):
        for x, y in points(path.get("d")):
            assert left <= x <= left + width
            assert top <= y <= top + height
    labels = [label.text for label in picture.iter("text")]
    assert sorted(labels[:3]) == sorted(f"{n:,}" for n in shape[-3:])
    if len(shape) > 3:
        counted = shape[:-3] if len(shape) < 7 else [2**61]
        assert labels[3] == " ".join(f"{n:,} \u00d7" for n in counted)


def points(path):
    """The corners of a path of M, h, v, l and z."""
    x = y = 0.0
    for command, numbers in re.findall(r"([Mhvlz])([^Mhvlz]*)", path):
        values = [*map(float, numbers.split())]
        if command == "M":
            x, y = values
        elif command == "h":
            x += values[0]
        elif command == "v":
            y += values[0]
        elif command == "l":
            x, y = x + values[0], y + values[1]
        yield x, y


def test_small_extents_show_their_elements():
    assert drawing((3, 4)).count("M") == 1 + 2 + 3
    assert drawing((300, 400)).count("M") == 1
