"""Pages of explanations: their content, and their behaviour in a browser."""

import itertools
import json
import re
import time

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core import api
from lazyarr._core.host.threads import OPENMP
from lazyarr.inspect.page import page_data
from support import browser as browsers

NASTY = '</script><b>"'


def named(name, x):
    return api.opaque(name, np.sin, [x], x.shape, x.dtype)


def small(name="sin"):
    """Three steps, of which the last has several operations; its result takes over memory of the second's."""
    x = la.asarray(np.arange(600.0).reshape(30, 20))
    y = np.sort(named(name, x))
    return np.exp(y[1:, 1:] * 2 + 1)


def pair_of_views():
    """Two views of the result of one step, which are read by the next."""
    x = np.sort(la.asarray(np.arange(9.0)))
    return x[1:] * x[:-1]


def data_of(html):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)[1])


# ---- what is in them ----


def test_data():
    explained = la.explain(small())
    html = explained.to_html()
    data = data_of(html)
    assert data == json.loads(json.dumps(page_data(explained)))
    assert [node["name"] for node in data["nodes"]] == [node.name for node in explained.nodes]
    assert [dict(step["rows"])["operations"].split(", ") for step in data["steps"]] == [
        [*step.operations] for step in explained.steps]
    by_name = {node["name"]: node for node in data["nodes"]}
    assert by_name["array"]["group"] is None
    assert by_name["sort"]["group"] == 1
    assert {by_name[name]["group"] for name in ("view", "constant", "multiply", "add", "exp")} == {2}
    assert by_name["exp"]["wanted"]
    assert by_name["exp"]["block"] is not None
    assert by_name["multiply"]["block"] is None  # never in memory
    assert f"{__file__}:" in dict(by_name["exp"]["rows"])["made at"]
    assert by_name["exp"]["label"] == ""
    assert f"{len(explained.nodes)} nodes, 3 steps; every value kept" in html


def test_equal_operations_are_said_to_be_left_out():
    x = la.asarray(np.arange(6.0))
    roles = [node["role"] for node in page_data(la.explain(np.sin(x) * np.sin(x)))["nodes"]]
    assert roles == ["array", "operation", "unmade", "operation"]


def test_blocks_do_not_overlap_and_are_as_high_as_the_plan():
    rng = np.random.default_rng(0)
    x = [la.asarray(rng.random(n)) for n in rng.integers(1, 5000, 40)]
    with api.one_plan():
        for _ in range(60):
            i, j = rng.integers(0, len(x), 2)
            x[i] = np.cumsum(np.concatenate([x[i], x[j]]))[: rng.integers(1, 5000)]
        explained = la.explain(np.concatenate(x))
    blocks = explained.blocks
    for step in range(len(explained.steps)):
        live = sorted((b for b in blocks if b.first <= step <= b.last), key=lambda b: b.offset)
        for below, above in itertools.pairwise(live):
            assert below.offset + below.nbytes <= above.offset
    arena = max(b.offset + b.nbytes for b in blocks if b.placed)
    others = max(sum(b.nbytes for b in blocks if b.first <= step <= b.last and not b.placed)
                 for step in range(len(explained.steps)))
    assert arena == explained.memory.arena
    assert arena + others == explained.memory.planned
    assert max(b.offset + b.nbytes for b in blocks) >= explained.memory.planned


def test_names_cannot_leave_the_data():
    html = la.explain(small(NASTY)).to_html()
    assert NASTY not in html
    assert html.count("</script>") == 2
    assert NASTY in [node["name"] for node in data_of(html)["nodes"]]
    for name in ("<!--<script>", "\u2028", "\ud800", "{{data}}", "\\1"):
        assert name in [node["name"] for node in data_of(la.explain(small(name)).to_html())["nodes"]]


def test_nothing_is_referred_to():
    html = la.explain(small()).to_html()
    assert re.findall(r"https?://[^\"]*", html) == []
    assert re.findall(r"(?:src|href)=\"(.*?)\"", html) == ["data:,"]
    assert "@import" not in html
    assert "{{" not in html


def test_steps_that_take_no_time():
    assert "step 1: " in la.explain(la.empty((3, 0)) + 1).to_html()


def test_unknown_times_are_said_to_be_unknown():
    rows = [dict(step["rows"]) for step in page_data(la.explain(small()))["steps"]]
    assert [row["measured"] for row in rows] == ["not known"] * 3
    assert rows[0]["expected"] == "not known"  # of an opaque call


def test_a_file(tmp_path):
    explained = la.explain(small())
    explained.save_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == explained.to_html()


# ---- what they do ----


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    driver = browsers.start(tmp_path_factory.mktemp("browser"))
    yield driver
    driver.quit()


@pytest.fixture
def opened(browser, tmp_path):
    """Open the page of an explanation; at the end there were no errors in it, and no requests but for the page."""
    def open_page(explained):
        explained.save_html(tmp_path / "page.html")
        browser.get((tmp_path / "page.html").as_uri())
        return browser

    browser.get("about:blank")
    browser.get_log("browser"), browser.get_log("performance")
    yield open_page
    assert browser.get_log("browser") == []
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    requests = {message["params"]["request"]["url"] for message in messages
                if message["method"] == "Network.requestWillBeSent"}
    assert {url for url in requests if not url.startswith("data:")} <= {(tmp_path / "page.html").as_uri()}


def found(browser, selector):
    return browser.find_elements("css selector", selector)


def visible(browser, selector):
    """The elements that are not inside a closed step."""
    return browser.execute_script(
        "return [...document.querySelectorAll(arguments[0])].filter((found) => found.checkVisibility())", selector)


def mouse(browser, selector):
    """The mouse at the upper edge of an element, which is where the frame of a step has no nodes."""
    from selenium.webdriver import ActionChains
    browser.execute_script("fit()")
    element = found(browser, selector)[0]
    browser.execute_script("arguments[0].scrollIntoView({block: 'nearest'})", element)
    height = browser.execute_script("return arguments[0].getBoundingClientRect().height", element)
    return ActionChains(browser).move_to_element_with_offset(element, 0, 3 - int(height / 2))


def click(browser, selector):
    mouse(browser, selector).click().perform()


def details(browser):
    return {term.text: value.text for term, value in zip(found(browser, "#details dt"), found(browser, "#details dd"),
                                                         strict=True)}


def scale(browser):
    return float(re.search(r"scale\((.*)\)", found(browser, "#scene")[0].get_attribute("style"))[1])


def test_groups_are_the_steps_and_open_and_close(opened):
    explained = la.explain(small())
    page = opened(explained)
    assert len(found(page, ".step")) == len(explained.steps) == 3
    assert len(visible(page, ".node")) == len(explained.nodes)
    inside = len(page_data(explained)["nodes"]) - 3  # all but the array and the nodes of the other steps
    click(page, '[data-step="2"]')
    assert len(found(page, ".step")) == 3
    assert len(visible(page, ".node")) == len(explained.nodes) - inside
    assert "exp" in found(page, '#scene [data-step="2"]')[0].text
    click(page, '[data-step="2"]')
    assert len(visible(page, ".node")) == len(explained.nodes)
    found(page, "#collapse")[0].click()
    assert len(visible(page, ".node")) == 1
    found(page, "#expand")[0].click()
    assert len(visible(page, ".node")) == len(explained.nodes)
    assert len(found(page, ".edge")) == sum(len(node.inputs) for node in explained.nodes)


def test_a_line_between_closed_steps_is_that_of_the_first_nodes(opened):
    explained = la.explain(pair_of_views())
    page = opened(explained)
    found(page, "#collapse")[0].click()
    nodes = page_data(explained)["nodes"]
    box = [f"node {i}" if node["group"] is None else f"step {node['group']}" for i, node in enumerate(nodes)]
    lines = {}
    for i, node in enumerate(nodes):
        for j in node["inputs"]:
            if box[j] != box[i]:
                lines.setdefault((box[j], box[i]), [str(j), str(i)])
    assert [[edge.get_attribute(f"data-{end}") for end in ("from", "to")] for edge in found(page, ".edge")] == [
        *lines.values()]


def test_steps_of_all_kinds(opened):
    x, m = la.asarray(np.arange(9.0)), la.asarray(np.eye(9))
    explained = la.explain(
        np.maximum(m @ m + 1, 0), *np.linalg.eigh(m), la.fori_loop(0, 9, lambda i, y: y * 2, x), x[x > 3],
        la.empty((3, 3)), la.empty((3, 0)) + 1)
    assert {step.kind for step in explained.steps} == {"tile", "opaque", "epilogue", "empty"}
    page = opened(explained)
    assert len(found(page, ".step")) == len(found(page, ".bar")) == len(explained.steps)
    assert len(visible(page, ".node")) == len(explained.nodes)
    assert not any("NaN" in drawing.get_attribute("innerHTML") for drawing in found(page, "svg"))


def test_boxes_do_not_overlap_and_lines_go_down(opened):
    page = opened(la.explain(small()))
    nodes = boxes(page, ".node")
    for k, (x, y, width, height) in enumerate(nodes):
        for x2, y2, width2, height2 in nodes[:k]:
            assert x + width <= x2 or x2 + width2 <= x or y + height <= y2 or y2 + height2 <= y
    top = {int(node.get_attribute("data-node")): y
           for node, (_, y, _, _) in zip(found(page, ".node"), nodes, strict=True)}
    for edge in found(page, ".edge"):
        assert top[int(edge.get_attribute("data-from"))] < top[int(edge.get_attribute("data-to"))]


def test_the_wheel_zooms_and_dragging_moves(opened):
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.actions.wheel_input import ScrollOrigin
    page = opened(la.explain(small()))
    drawing = found(page, "#drawing")[0]
    before = scale(page)
    ActionChains(page).scroll_from_origin(ScrollOrigin.from_element(drawing), 0, -300).perform()
    assert scale(page) > 1.2 * before
    assert page.execute_script("return scrollY") == 0
    found(page, "#fit")[0].click()
    assert scale(page) <= 1
    dragged = mouse(page, ".node").click_and_hold().move_by_offset(60, 40)
    fitted = found(page, "#scene")[0].get_attribute("style")
    dragged.release().perform()
    assert found(page, "#scene")[0].get_attribute("style") != fitted
    assert found(page, "#details h3")[0].text == "Details"  # and is no click
    click(page, ".node")
    assert found(page, "#details h3")[0].text != "Details"


def test_details_of_what_is_clicked_on(opened):
    page = opened(la.explain(small()))
    exp = next(node for node in found(page, ".node") if "exp" in node.text)
    click(page, f'[data-node="{exp.get_attribute("data-node")}"]')
    shown = details(page)
    assert (shown["kind"], shown["shape"], shown["dtype"]) == ("operation", "(29, 19)", "float64")
    assert __file__ in shown["made at"]
    assert shown["memory"].startswith("block ")
    assert shown["inputs"].endswith("add")
    assert len(found(page, ".block.chosen")) == 1
    found(page, "#details dd button")[0].click()  # its step
    assert found(page, "#details h3")[0].text == "step 3: tile"
    assert "multiply, add, exp" in details(page)["operations"]
    click(page, '[data-block="0"]')
    assert found(page, "#details h3")[0].text == "block 0"


def test_names_are_shown_as_text(opened):
    page = opened(la.explain(small(NASTY)))
    assert any(NASTY in text.text for text in found(page, ".node"))
    assert found(page, "b") == []
    number = next(node.get_attribute("data-node") for node in found(page, ".node") if NASTY in node.text)
    click(page, f'[data-node="{number}"]')
    assert found(page, "#details h3")[0].text == NASTY


def test_blocks_of_memory_say_whose_they_are(opened):
    explained = la.explain(small())
    page = opened(explained)
    assert len(found(page, ".block")) == len(page_data(explained)["blocks"]) > 0
    tip = found(page, '[data-block="0"]')[0].get_attribute("title")
    assert tip.startswith("block 0, ")
    assert "sin" in tip


def test_times_are_measured_if_there_are_any(opened):
    page = opened(la.explain(np.tan(small())))
    assert "as expected" in found(page, "#timeline-title")[0].text
    assert len(found(page, ".bar")) == 3
    with la.profile():
        np.tan(small()).numpy()
    page = opened(la.explain(np.tan(small())))
    assert "as measured" in found(page, "#timeline-title")[0].text
    assert len(found(page, ".bar")) == 3


@pytest.mark.skipif(not OPENMP, reason="without OpenMP there is one thread")
def test_each_thread_has_a_lane(opened):
    def make():
        x = la.asarray(np.linspace(0, 1, 400_000))
        return named("opaque", np.sin(x)), np.sort(x)

    assert len(found(opened(la.explain(*make())), "#timeline .lane")) == 1  # nothing is known of threads
    with la.config(num_threads=3), la.profile():
        la.evaluate(*make())
    explained = la.explain(*make())
    page = opened(explained)
    assert [lane.text for lane in found(page, "#timeline .lane")] == ["evaluating thread", "thread 1", "thread 2"]
    teams = [k for k, step in enumerate(explained.steps) if step.shares]
    assert len(teams) == 2
    for k, step in enumerate(explained.steps):
        [whole] = boxes(page, f'.bar[data-step="{k}"]')
        shares = boxes(page, f'.share[data-step="{k}"]')
        assert len(shares) == len(step.shares) == (3 if k in teams else 0)
        for x, y, width, _ in shares:
            assert whole[0] - 0.1 <= x
            assert x + width <= whole[0] + whole[2] + 2.1  # the least width that can be seen, from its last moment on
            assert y in (whole[1], whole[1] + 30, whole[1] + 60)
        assert len({y for _, y, _, _ in shares}) == len(shares)
    page.execute_script("choose('step', arguments[0])", teams[0])
    assert re.fullmatch("evaluating thread: .*, thread 1: .*, thread 2: .*", details(page)["threads"])
    assert len(found(page, ".share.chosen")) == 3


def on_two_devices():
    return (la.arange(1000.0).to_device("cpu:1") + 1).to_device("cpu") * 2


def test_items_of_the_schedule_lead_to_each_other(opened):
    explained = la.explain(on_two_devices())
    page = opened(explained)
    assert [lane.text for lane in found(page, "#schedule .lane")] == ["cpu -> cpu:1", "cpu:1", "cpu:1 -> cpu", "cpu"]
    items = found(page, "#schedule .item")
    assert len(items) == len(explained.schedule) == 4
    items[1].click()
    assert found(page, "#details h3")[0].text == "part 2"
    shown = details(page)
    assert (shown["where"], shown["operations"]) == ("cpu:1", "add")
    assert (shown["waits for"], shown["waited for by"]) == ("copy 1", "copy 3")
    assert [line.get_attribute("data-to") for line in found(page, ".wait.chosen")] == ["1", "2"]
    found(page, "#details dd button")[-1].click()
    assert found(page, "#details h3")[0].text == "copy 3"
    assert [item.text for item in found(page, ".item.chosen")] == ["7.81 KiB\ncopy 3"]
    items[3].send_keys("\n")  # it is a button
    assert found(page, "#details h3")[0].text == "part 4"
    for (x, y, width, height), (x2, y2, *_) in itertools.pairwise(boxes(page, "#schedule .item")):
        assert x + width < x2
        assert y + height < y2


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_schedule_can_be_read_in_both_schemes(opened, scheme):
    page = opened(la.explain(on_two_devices()))
    page.execute_cdp_cmd("Emulation.setEmulatedMedia",
                         {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    ink, paper, edge, lane = page.execute_script("""
        const style = (selector) => getComputedStyle(document.querySelector(selector));
        const item = style(".item");
        return [item.color, item.backgroundColor, style(".wait").stroke, style("#schedule .lane").color];""")
    assert (luminance(paper) > 0.5) == (scheme == "light")
    assert [contrast(ink, paper) > 7, contrast(edge, paper) > 3, contrast(lane, paper) > 4.5] == [True] * 3


def luminance(colour):
    """That of sRGB, as the Web Content Accessibility Guidelines define it."""
    channels = [int(number) / 255 for number in re.findall(r"\d+", colour)[:3]]
    return sum(part * (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4)
               for part, c in zip((0.2126, 0.7152, 0.0722), channels, strict=True))


def contrast(colour, other):
    low, high = sorted(map(luminance, (colour, other)))
    return (high + 0.05) / (low + 0.05)


def boxes(page, selector):
    return page.execute_script("""
        return [...document.querySelectorAll(arguments[0])].map((rect) => {
          const {x, y, width, height} = rect.getBoundingClientRect();
          return [x, y, width, height];
        });""", selector)


def test_lines_are_shown_to_debug(opened):
    with la.config(debug=True):
        page = opened(la.explain(small()))
    assert any("test_page.py:" in node.text for node in found(page, ".node"))


def test_a_large_graph_is_there_at_once(opened):
    x = la.asarray(np.arange(10.0))
    with la.config(budget_nodes=10_000):
        for i in range(520):
            x = np.sort(x * 2 + i) - x / 3
        explained = la.explain(x)
    assert len(explained.nodes) > 3000
    started = time.monotonic()
    page = opened(explained)
    assert time.monotonic() - started < 15  # a second, on a quiet machine
    assert len(found(page, ".step")) == len(explained.steps)
    assert len(visible(page, ".node")) == 3  # steps are closed at first; many read the array, 2 and 3
    found(page, "#expand")[0].click()
    assert len(visible(page, ".node")) == len(explained.nodes)
    assert time.monotonic() - started < 30


def test_nothing_to_evaluate(opened):
    page = opened(la.explain())
    assert "Nothing to evaluate." in found(page, "#details")[0].text
    assert found(page, ".node, .step, .block, .bar, .item") == []
