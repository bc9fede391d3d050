"""A notebook run by a kernel: what its cells show, and how that looks in a browser, in light and dark themes."""

import os
import re
from pathlib import Path

import pytest

import lazyarr
from support import browser as browsers

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

SLOW = """
import time
from lazyarr._core import api
def nap(values):
    time.sleep(1.2)
    return values
la.config.progress = True
z = la.ones(3)
for name in ("first", "<second>"):
    z = api.opaque(name, nap, [z], z.shape, z.dtype)
z.numpy()
la.config.progress = False"""

CELLS = {
    "begin": "import numpy as np, lazyarr as la\nx = la.asarray(np.random.default_rng(0).random((1000, 30)))",
    "waiting": "y = np.sqrt(x * x + 2) @ x.T\ny",
    "still waiting": "la.summary(y).pending, la.summary(y[0]).pending",
    "shapes": "for shape in ((), (7,), (0, 5), (30, 20, 10), (4, 3, 5, 6), (2, 3, 4, 5, 6)):\n"
              "    display(la.asarray(np.ones(shape)) + 1)",
    "list": "[la.arange(3) + 1]",
    "evaluated": "la.evaluate(y)\ny[:2, :3]",
    "wide": "la.asarray(np.array(['a' * 300]))",
    "scalar": "s = x.sum()\nla.evaluate(s)\ns",
    "on a device": "la.ones((3, 4)).to_device('cpu:1') * 2",
    "explain": "with la.config(debug=True):\n    explained = la.explain(np.sort(np.exp(x)) * 2, x.T @ x)\nexplained",
    "profile": "with la.profile() as collected:\n    np.unique(np.sort(x) + 1)\ncollected",
    "report": "la.report()",
    "config": "la.config",
    "tuning": "la.config.tuning",
    "graph": "v = la.var((None, 64), 'f4', '<v>')\nla.graph(v, (v * 2, v @ np.ones((64, 3), 'f4')), 'forward')",
    "summary": "la.summary(np.exp(-x) * x)",
    "devices": "la.devices()",
    "magic alone": "%load_ext lazyarr.ipython\nnp.__name__",
    "extension": "%load_ext lazyarr\nnp.__name__",
    "small": "np.ones((2, 2)) * 3",
    "large": "np.ones((1000, 1000)) * 3",
    "profile cell": "%%lazyarr profile\ntotal = float((np.exp(x) * 2).sum())\nx[:1, :2]",
    "profile with a semicolon": "%%lazyarr profile\nx;",
    "profile with a trace": "%%lazyarr profile trace.json\nnp.sin(x).numpy();",
    "trace": "import json\nlen(json.load(open('trace.json'))['traceEvents']) > 1",
    "profile statement": "%lazyarr profile w = float(x.mean())",
    "name": "w < 1",
    "error": "%%lazyarr profile\nbefore = 1\nraise KeyError('in the cell')",
    "syntax error": "%%lazyarr profile\n1 +",
    "after": "before",
    "explain magic": "%lazyarr explain x * 2, np.sort(x)",
    "report magic": "%lazyarr report",
    "usage": "%lazyarr nonsense",
    "help": "print(get_ipython().object_inspect_text('%%lazyarr'))",
    "progress": SLOW,
    "training": "from lazyarr import nn\nmodel, data = nn.Linear(1, 1), np.ones((4, 1), 'f4')\n"
                "nn.fit(model, nn.mse_loss, nn.SGD(0.1), nn.Loader((data, data), 2), 1);",
    "unload": "%unload_ext lazyarr\n'lazyarr' in get_ipython().magics_manager.magics['cell']",
}


class Client(nbclient.NotebookClient):
    """Records updates of displays."""

    updates = ()

    def process_message(self, msg, cell, cell_index):
        if msg["msg_type"] in ("display_data", "update_display_data"):
            self.updates = (*self.updates, msg["content"]["data"])
        return super().process_message(msg, cell, cell_index)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("notebook")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS.values()])
    client = Client(notebook, timeout=120, kernel_name="python3", allow_errors=True,
                    resources={"metadata": {"path": str(folder)}})
    path = os.pathsep.join(filter(None, [str(Path(lazyarr.__file__).parents[1]), os.environ.get("PYTHONPATH")]))
    client.execute(env=os.environ | {"PYTHONPATH": path, "IPYTHONDIR": str(folder), "JUPYTER_RUNTIME_DIR": str(folder)})
    nbformat.validate(notebook)
    return client


@pytest.fixture(scope="module")
def outputs(run):
    return {name: cell.outputs for name, cell in zip(CELLS, run.nb.cells, strict=True)}


@pytest.fixture
def shown(outputs):
    """Return a representation of a cell's last output."""
    def find(name, kind="text/html"):
        return outputs[name][-1]["data"].get(kind)

    return find


# ---- content of cells ----


def test_an_array_that_waits_is_a_table(shown):
    assert "matmul" in shown("waiting")
    assert shown("waiting", "text/plain").startswith("LazyArray, waiting\nshape     (1000, 1000)\n")
    assert shown("still waiting", "text/plain") == "(4, 4)"


def test_evaluated_arrays_are_values(shown):
    text = shown("evaluated", "text/plain")
    assert text.startswith("array([[")
    assert f"{text}</pre>" in shown("evaluated")
    assert re.fullmatch(r"np\.float64\([\d.]+\)", shown("scalar", "text/plain"))
    assert shown("scalar") == f"<pre>{shown('scalar', 'text/plain')}</pre>"
    assert shown("list", "text/plain") == "[array([1, 2, 3])]"


@pytest.mark.parametrize("name, title", [
    ("explain", "Explanation"), ("profile", "Profile"), ("report", "Fallbacks to NumPy"), ("config", "Settings"),
    ("tuning", "Tuning"), ("graph", "Graph forward"), ("summary", "Summary"), ("devices", "Devices")])
def test_reports_are_tables_and_text(shown, name, title):
    assert f"<strong>{title}</strong>" in shown(name)
    assert "<caption" in shown(name)
    assert "<" not in shown(name, "text/plain") or name in ("graph", "explain")


def test_the_extension_changes_what_is_made_and_not_how_it_is_shown(shown):
    assert shown("magic alone", "text/plain") == "'numpy'"
    assert shown("extension", "text/plain") == "'lazyarr.numpy'"
    assert "evaluated" in shown("small")
    assert "waiting" in shown("large")


def test_a_profiled_cell_shows_its_profile_and_its_result(outputs, shown):
    profile, result = outputs["profile cell"]
    assert "<strong>Profile</strong>" in profile["data"]["text/html"]
    assert profile["data"]["text/plain"].startswith("evaluations    1,")
    assert result["output_type"] == "execute_result"
    assert "LazyArray" in shown("profile cell")
    assert [output["output_type"] for output in outputs["profile with a semicolon"]] == ["display_data"]
    assert shown("trace", "text/plain") == "True"
    assert shown("profile statement", "text/plain").startswith("evaluations    1,")
    assert shown("name", "text/plain") == "True"


def test_an_error_in_a_profiled_cell_ends_it(outputs, shown):
    profile, error = outputs["error"]
    assert "<strong>Profile</strong>" in profile["data"]["text/html"]
    assert (error["output_type"], error["ename"]) == ("error", "KeyError")
    traceback = re.sub(r"\x1b\[[\d;]*m", "", "\n".join(error["traceback"]))
    assert "raise KeyError('in the cell')" in traceback
    assert "ipython.py" not in traceback
    [number] = set(re.findall(r"Cell In\[(\d+)\]", traceback))
    assert int(number) == list(CELLS).index("error") + 1
    assert shown("after", "text/plain") == "1"
    [error] = outputs["syntax error"]
    assert error["ename"] == "SyntaxError"


def test_the_magic_explains_and_reports(shown):
    assert "sort" in shown("explain magic")
    assert "<strong>Fallbacks to NumPy</strong>" in shown("report magic")


def test_the_magic_says_how_it_is_used(outputs):
    [told] = outputs["usage"]
    assert told["name"] == "stderr"
    assert told["text"].startswith("UsageError: use %%lazyarr profile")
    [told] = outputs["help"]
    assert "run the cell, and show what was evaluated" in told["text"]
    assert outputs["unload"][-1]["data"]["text/plain"] == "False"


def test_progress_begins_at_zero_and_is_cleared(run, shown):
    states = [update for update in run.updates if " of 3 steps" in update["text/plain"]]
    assert [states[0]["text/plain"], states[-1]["text/plain"]] == ["0 of 3 steps", "2 of 3 steps <second>"]
    assert "&lt;second&gt;" in states[-1]["text/html"]
    assert shown("progress", "text/plain") == shown("progress") == ""


def test_training_shows_its_bar_where_no_error_is(outputs):
    assert {output["name"] for output in outputs["training"]} == {"stdout"}
    shown = "".join([output["text"] for output in outputs["training"]])
    assert shown.index("epoch 1/1:   0%") < shown.index("epoch 1/1: 100%")


# ---- appearance ----

THEMES = {
    "light": ("light", "", ""),
    "dark": ("dark", "", ""),
    "JupyterLab's dark one": (
        "light", 'data-jp-theme-light="false"',
        "body { --jp-layout-color0: #111111; --jp-content-font-color0: #ffffff; background: #111111 }"),
    "JupyterLab's light one": (
        "dark", 'data-jp-theme-light="true"',
        "body { --jp-layout-color0: white; --jp-content-font-color0: rgba(0, 0, 0, 1); background: white }"),
    "VS Code's dark one": (
        "light", 'class="vscode-dark"', "body { --vscode-editor-background: #1f1f1f; "
        "--vscode-editor-foreground: #cccccc; background: #1f1f1f }"),
}
JUPYTERS = """
table { margin: 0 auto; font-size: 12px; table-layout: fixed; border: none; }
.out tbody tr:nth-child(odd) { background: #f5f5f5; }
.out td, .out th { padding: .5em; text-align: right; max-width: none; white-space: normal; }
.out pre { background: #eee; padding: 10px; color: black; }
"""

# Contrast and content of each visible text.
CONTRASTS = """
const context = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
function channels(colour) {
  context.clearRect(0, 0, 1, 1);
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  return [...context.getImageData(0, 0, 1, 1).data];
}
function luminance(colour) {
  const [r, g, b] = colour.map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function behind(element) {
  for (; element; element = element.parentElement) {
    const colour = channels(getComputedStyle(element).backgroundColor);
    if (colour[3] == 255) return colour;
    if (colour[3]) throw new Error("half transparent: " + element.className);
  }
  throw new Error("nothing is opaque");
}
const found = [], texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
  const element = texts.currentNode.parentElement, style = getComputedStyle(element);
  if (!texts.currentNode.data.trim() || !element.closest(".lazyarr-repr") || element.tagName == "STYLE") continue;
  const colour = channels(element.closest("svg") ? style.fill : style.color);
  const [a, b] = [luminance(colour), luminance(behind(element))].sort((x, y) => y - x);
  found.push([colour[3] < 255 ? 0 : (a + 0.05) / (b + 0.05), texts.currentNode.data]);
}
return found;
"""

# Elements that overflow their panel without scrolling, and panels that overflow the page.
OVERFLOWING = """
const found = [];
for (const panel of document.querySelectorAll(".lazyarr-repr")) {
  const right = panel.getBoundingClientRect().right;
  if (right > document.documentElement.clientWidth) found.push("panel");
  for (const part of panel.querySelectorAll("*")) {
    if (part.parentElement.closest(".lazyarr-scroll") || part.closest(".lazyarr-unseen")) continue;
    if (part.getBoundingClientRect().right > right + 0.5) found.push(part.outerHTML.slice(0, 200));
  }
}
if (document.documentElement.scrollWidth > innerWidth) found.push("page");
return found;
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    driver = browsers.start(tmp_path_factory.mktemp("browser"))
    yield driver
    driver.quit()


@pytest.fixture
def opened(browser, run, outputs, tmp_path):
    """Show all outputs on one page, with a theme and a width; take a screenshot at the end."""
    def open_page(theme, width):
        scheme, attributes, styles = THEMES[theme]
        told = [update["text/html"] for update in run.updates if "Evaluating" in update.get("text/html", "")][-1:]
        told += [output["data"]["text/html"] for cell in outputs.values() for output in cell
                 if "text/html" in output.get("data", {})]
        parts = "".join(f'<div class="out">{html}</div>' for html in told)
        page = tmp_path / "page.html"
        page.write_text(f'<!doctype html><html lang="en"><meta charset="utf-8"><title>outputs</title><style>:root '
                        f"{{ color-scheme: light dark }} .out {{ margin-bottom: 12px }} {JUPYTERS} {styles}</style>"
                        f"<body {attributes}>{parts}</body></html>", encoding="utf-8")
        emulate(browser, scheme, width, 1000)
        browser.get(page.as_uri())
        emulate(browser, scheme, width, browser.execute_script("return document.documentElement.scrollHeight"))
        picture = Path(os.environ.get("LAZYARR_SCREENSHOTS", tmp_path)) / f"{theme.replace(' ', '_')}_{width}.png"
        assert browser.save_screenshot(str(picture))
        return browser

    return open_page


def emulate(browser, scheme, width, height):
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                            {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})


@pytest.mark.parametrize("theme", THEMES)
def test_texts_can_be_read(opened, theme):
    page = opened(theme, 1400)
    found = page.execute_script(CONTRASTS)
    assert len(found) > 300
    assert [text for contrast, text in found if contrast < 4.5] == []
    is_dark = page.execute_script(
        "return getComputedStyle(document.querySelector('.lazyarr-repr')).colorScheme").split()[-1] == "dark"
    assert is_dark == ("dark" in theme or theme == "light")  # the latter leave it to the system: "light dark"


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1400])
def test_nothing_overflows(opened, theme, width):
    assert opened(theme, width).execute_script(OVERFLOWING) == []


def test_the_styles_of_other_tables_do_not_reach_in(opened):
    page = opened("light", 1400)
    assert page.execute_script("""
        return [...new Set([...document.querySelectorAll(".lazyarr-facts tr, .lazyarr-facts th, .lazyarr-code")].map(
          (part) => getComputedStyle(part).backgroundColor))]""") == ["rgba(0, 0, 0, 0)"]
    assert page.execute_script(
        "return [...new Set([...document.querySelectorAll('.lazyarr-facts th')].map("
        "(part) => getComputedStyle(part).textAlign))]") == ["left"]


def test_long_tables_scroll_with_the_keys(opened):
    page = opened("light", 1400)
    scrolled = page.execute_script("""
        const long = document.querySelector(".lazyarr-long");
        long.focus();
        return [document.activeElement === long, long.scrollHeight > long.clientHeight]""")
    assert scrolled == [True, True]
