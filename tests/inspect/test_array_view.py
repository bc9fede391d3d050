"""Arrays in notebooks: what is shown, without evaluation."""

import re
import threading
from xml.etree import ElementTree

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core import api
from lazyarr.inspect import array_view, formatting


def leaf():
    return la.asarray(np.arange(6.0).reshape(2, 3))


def parsed(html):
    """The document, which is well formed as XML, too."""
    return ElementTree.fromstring(html)


def table_of(html):
    return {row.find("th").text: row.find("td").text for row in parsed(html).iter("tr")}


def named(name, x):
    return api.opaque(name, np.sin, [x], x.shape, x.dtype)


def test_a_waiting_array_is_a_table():
    x = leaf()
    html = (np.sqrt(x * x + x) * 2).sum(axis=1)._repr_html_()
    assert table_of(html) == {"shape": "(2,)", "dtype": "float64", "bytes": "16 B", "device": "cpu",
                              "pending": "5 operations", "the last": "multiply, add, sqrt, multiply, add.reduce"}
    assert "waiting" in html
    assert "<code>print(x)</code>" in html
    assert 'aria-label="shape 2"' in html


def test_evaluated_arrays_are_shown_as_numpy_prints_them():
    x = leaf() * 2
    la.evaluate(x)
    with la.no_evaluation():
        html = x._repr_html_()
    assert [pre.text for pre in parsed(html).iter("pre")] == [repr(x)]
    header = [part.text for part in parsed(html).find("div")]
    assert header == ["LazyArray", "(2, 3)", "float64", "48 B", "cpu", "evaluated"]


def test_evaluated_scalars_have_no_header():
    s = leaf().sum()
    la.evaluate(s)
    assert s._repr_html_() == "<pre>np.float64(15.0)</pre>"


def test_views_wait_with_their_base():
    x = leaf() + 1
    view = x[0]
    assert table_of(view._repr_html_())["pending"] == "1 operation"
    la.evaluate(x)
    assert "evaluated" in view._repr_html_()


def test_an_assignment_is_pending():
    x = leaf()
    x[0] = leaf()[1] * 2
    assert table_of(x._repr_html_())["the last"].endswith("setitem")


def test_of_a_selection_the_number_of_elements_is_not_known():
    x = leaf()
    html = x[x > 2]._repr_html_()
    told = table_of(html)
    assert told["shape"] == "as many elements as a mask holds"
    assert "bytes" not in told
    assert "svg" not in html


def test_only_the_newest_operations_are_named():
    x = leaf()
    for function in (np.sin, np.cos, np.tan, np.exp, np.sqrt, np.floor, np.ceil):
        x = function(x)
    told = table_of(x._repr_html_())
    assert told["pending"] == "7 operations"
    assert told["the last"] == "... cos, tan, exp, sqrt, floor, ceil"


def test_an_array_on_a_device_is_not_copied():
    x = la.arange(1000.0).to_device("cpu:1")
    la.evaluate(x)
    host = la.devices()[0]
    before = host.memory_stats()["copies"]
    html = x._repr_html_()
    assert host.memory_stats()["copies"] == before
    assert table_of(html) == {"shape": "(1000,)", "dtype": "float64", "bytes": "7.81 KiB", "device": "cpu:1"}
    assert "copy from the device" in html
    assert table_of((x + 1)._repr_html_())["device"] == "cpu:1"


def test_a_failed_array_says_why():
    def fail(values):
        raise ValueError("<no> values")

    x = api.opaque("fail", fail, [leaf()], (2, 3), float)
    with pytest.raises(ValueError, match="values"):
        x.numpy()
    html = x._repr_html_()
    assert table_of(html)["error"].startswith("ValueError: <no> values")
    assert "raises this error" in html


def test_an_argument_of_a_traced_function_has_no_values():
    shown = []

    def f(x):
        shown.extend([x._repr_html_(), (x + 1)._repr_html_(), (x + 1)._repr_mimebundle_()["text/plain"]])
        return x * 2

    assert la.jit(f)(leaf()).shape == (2, 3)
    assert "has no values" in shown[0]
    assert table_of(shown[1])["pending"] == "1 operation"
    assert shown[2].startswith("LazyArray, traced\n")


def everything():
    """Arrays that wait, of all kinds."""
    x = leaf()
    y = x + 1
    written = x * 2
    written[:, 0] = 3
    return [y, y[0], y.T, y.sum(), y[y > 2], written, np.sort(y), x.to_device("cpu:1") * 2, y.astype("U3"), la.empty(3),
            la.fori_loop(0, 3, lambda i, z: z + i, x), la.arange(0.0) + 1, x.reshape(1, 2, 1, 3, 1) + 1]


@pytest.mark.parametrize("settings", [{}, {"debug": True}, {"small_work": "now"}, {"async_evaluation": True}])
def test_nothing_is_evaluated(settings):
    arrays = everything()
    with la.config(**settings), la.profile() as collected, la.no_evaluation():
        for x in arrays:
            parsed(x._repr_html_())
            bundle = x._repr_mimebundle_()
            assert bundle is None or bundle["text/html"] == x._repr_html_()
    assert (collected.evaluations, collected.copies) == (0, 0)


def test_elements_that_wait_are_not_evaluated():
    waiting = leaf() + 1
    x = la.asarray(np.array([None, 1], dtype=object))
    x[0] = waiting
    la.evaluate(x)
    with la.profile() as collected:
        x._repr_html_()
    assert collected.evaluations == 0
    assert la.summary(waiting).pending in (0, 1)


def test_names_are_escaped():
    nasty = "</td><script>alert('\"&')</script>"
    html = named(nasty, leaf())._repr_html_()
    assert "<script" not in html
    assert table_of(html)["the last"] == nasty
    x = la.asarray(np.array(["<b>"], dtype="U3"))
    assert "<b>" not in x._repr_html_()
    fields = la.asarray(np.zeros(2, dtype=[("<i>", float)]))
    assert "<i>" not in fields._repr_html_()


def test_in_a_thread():
    x = leaf() + 1
    shown = []
    thread = threading.Thread(target=lambda: shown.append(x._repr_html_()))
    thread.start()
    thread.join()
    assert shown == [x._repr_html_()]


def test_while_another_thread_evaluates():
    began, shown = threading.Event(), threading.Event()

    def wait(values):
        began.set()
        assert shown.wait(30)
        return values

    x = api.opaque("wait", wait, [leaf()], (2, 3), float)
    thread = threading.Thread(target=x.numpy)
    thread.start()
    assert began.wait(30)
    html = x._repr_html_()
    shown.set()
    thread.join()
    assert table_of(html)["the last"] == "wait"


def test_large_graphs_are_not_walked_to_their_end():
    with la.config(budget_nodes=10**6):
        x = leaf()
        for _ in range(array_view.MOST_NODES):
            x = x + 1
        x = np.sin(x)
        told = table_of(x._repr_html_())
        x = None
    assert re.fullmatch("more than [0-9,]* operations", told["pending"])
    assert told["the last"] == "... add, add, add, add, add, sin"


def test_the_text_of_what_waits_has_the_same_rows():
    x = leaf() + 1
    bundle = x._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html"}
    rows = [*table_of(bundle["text/html"]).items()]
    assert bundle["text/plain"] == "\n".join([
        "LazyArray, waiting", formatting.table(rows, "<<"),
        "print(x) shows the values and x.numpy() gives them: both evaluate."])
    la.evaluate(x)
    assert x._repr_mimebundle_() is None
