"""Graphviz drawings, and the message if it is missing."""

import shutil
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core import api

needs_dot = pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz's program dot is not installed")
SVG = "{http://www.w3.org/2000/svg}"


def array(name="sin"):
    return api.opaque(name, np.sin, [la.asarray(np.arange(3.0))], (3,), np.dtype(float))


@needs_dot
def test_an_svg_shows_each_node(tmp_path):
    x = np.sort(array() * 2)
    with la.no_evaluation():
        drawing = la.show(x, path=tmp_path / "graph.svg")
    tree = ET.fromstring(str(drawing))
    kinds = [group.get("class") for group in tree.iter(f"{SVG}g")]
    explained = la.explain(x)
    assert (kinds.count("node"), kinds.count("cluster")) == (len(explained.nodes), len(explained.steps))
    assert (tmp_path / "graph.svg").read_text(encoding="utf-8") == str(drawing) == drawing._repr_svg_()
    assert drawing._repr_png_() is None
    assert repr(drawing).startswith("<Drawing: svg, ")


@needs_dot
def test_other_formats():
    drawing = la.show(array(), format="png")
    assert drawing.data == drawing._repr_png_()
    assert drawing.data.startswith(b"\x89PNG")
    assert drawing._repr_svg_() is None
    assert str(drawing) == repr(drawing)


@needs_dot
@pytest.mark.parametrize("name", ['</script><b>"', "back\\slash", "naïve\n→", "\ud800", "&lt;"])
def test_names_are_text(name):
    tree = ET.fromstring(str(la.show(array(name))))
    words = " ".join(text.text for text in tree.iter(f"{SVG}text"))
    assert name.encode(errors="replace").decode().split("\n")[0] in words
    assert tree.find(f".//{SVG}script") is None


@needs_dot
def test_control_characters_are_named():
    tree = ET.fromstring(str(la.show(array("a\0b\x1bc"))))
    assert any(r"a\x00b\x1bc" in text.text for text in tree.iter(f"{SVG}text"))


@needs_dot
def test_what_graphviz_refuses(tmp_path):
    x = array()
    with pytest.raises(la.DrawingError, match=r'dot failed: .*"nonsense" not recognized') as caught:
        la.show(x, path=tmp_path / "graph", format="nonsense")
    assert caught.value.dot == x.to_dot()
    assert not (tmp_path / "graph").exists()


def test_without_graphviz(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", "")
    monkeypatch.chdir(tmp_path)
    x = array()
    with pytest.raises(la.DrawingError, match="apt install graphviz") as caught:
        la.show(x)
    assert "to_dot()" in str(caught.value)
    assert caught.value.dot == x.to_dot()
    with pytest.raises(TypeError, match="expected a LazyArray"):
        la.show(1.0)
