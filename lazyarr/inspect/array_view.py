"""Arrays in notebooks: values if evaluated on the host, otherwise a table and a drawing.

Nothing here evaluates, copies from a device or waits for another thread, whatever the settings.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from lazyarr._core import api as core
from lazyarr._core.api import EvaluationForbidden, LazyArray, install
from lazyarr._core.host.shell import current_shell
from lazyarr._core.introspect import dry_run
from lazyarr.inspect import formatting, markup
from lazyarr.inspect.shape_drawing import drawing

MOST_NODES = 10_000
"""The maximum number of nodes to count."""

FEW = 6
"""The maximum number of operations to name."""

_HINTS = {
    "waiting": "`print(x)` shows the values and `x.numpy()` gives them: both evaluate.",
    "traced": "It stands for what a traced function is given or computes, and has no values.",
    "failed": "Every look at the values raises this error.",
    "evaluated": "`print(x)` shows the values and `x.numpy()` gives them: both copy from the device.",
}


def _values(x: LazyArray) -> str | None:
    """Return NumPy's text of an evaluated array on the host; None for other arrays, and if elements are pending."""
    block = core.forbid()
    try:
        return repr(x)
    except EvaluationForbidden:
        return None
    finally:
        core.allow(block)


def _rows(x: LazyArray, glance: tuple[Any, ...]) -> list[tuple[str, str]]:
    """Return the rows of the table for an array whose values are not shown."""
    state, device, operations, is_all, newest, failure = glance
    if core.is_selection(x):
        rows = [("shape", "as many elements as a mask holds"), ("dtype", str(x.dtype))]
    else:
        rows = [("shape", str(x.shape)), ("dtype", str(x.dtype)), ("bytes", formatting.nbytes(x.nbytes))]
    rows.append(("device", device))
    if state == "failed":
        rows.append(("error", f"{type(failure).__name__}: {failure}"))
    elif state != "evaluated":
        counted = formatting.count(operations, "operation")
        rows.append(("pending", counted if is_all else f"more than {counted}"))
        if newest:
            before = "... " if operations > len(newest) or not is_all else ""
            rows.append(("the last", f"{before}{', '.join(newest)}"))
    return rows


def as_html(x: LazyArray) -> str:
    """Return an array as HTML for a notebook, without evaluating it."""
    glance = dry_run.glance(x, MOST_NODES, FEW)
    state, device, *_ = glance
    values = _values(x) if (state, device) == ("evaluated", "cpu") else None
    if values is not None:
        if x._scalar:  # shown as NumPy's scalars are
            return f"<pre>{markup.text(values)}</pre>"
        header = [str(x.shape), str(x.dtype), formatting.nbytes(x.nbytes), device]
        return markup.panel("LazyArray", markup.code(values), facts=header, state=state)
    picture = "" if core.is_selection(x) else drawing(x.shape)
    told = markup.facts("The array, as far as it is known without evaluating it", _rows(x, glance))
    return markup.panel("LazyArray", markup.beside(told, picture), markup.note(_HINTS[state]), state=state)


def as_text(x: LazyArray) -> str:
    """Return the table for an array whose values are not shown, as text."""
    glance = dry_run.glance(x, MOST_NODES, FEW)
    return "\n".join([f"LazyArray, {glance[0]}", formatting.table(_rows(x, glance), "<<"),
                      _HINTS[glance[0]].replace("`", "")])


def bundle(x: LazyArray, include: Container[str] | None = None, exclude: Container[str] | None = None) -> \
        dict[str, str] | None:
    """Return a notebook's view of a pending array; None leaves it to `repr` and `_repr_html_`.

    Notebooks also request a text, for which `repr` would evaluate. Terminals, which do not show HTML, use `repr`.
    """
    state, device, *_ = dry_run.glance(x, 1, 0)
    if (state, device) == ("evaluated", "cpu") or not _shows_html():
        return None
    return {"text/plain": as_text(x), "text/html": as_html(x)}


def _shows_html() -> bool:
    """Return whether this runs in a shell that shows HTML."""
    shell = current_shell()
    return shell is None or "text/html" in shell.display_formatter.active_types


install({"_repr_html_": as_html, "_repr_mimebundle_": bundle})
