"""The directive ``numpy-functions``: an entry for each function of a NumPy module, from the tables of coverage.md.

The entries appear in the site's search and index. Signatures and first sentences come from the installed NumPy.
"""

import inspect
import re
from pathlib import Path

import numpy
from docutils.nodes import container
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

ROW = re.compile(r"\| `([\w.]+)` \| ([^|]+) \| ((?:[^|]|\\\|)*) \|")


def rows(page, module):
    """Yield function, execution mode and description from each row of a module's table."""
    _, found, rest = page.partition(f"\n## {module}\n")
    if not found:
        raise ValueError(f"coverage.md has no table of {module}")
    table = rest.partition("\n## ")[0]
    yield from ROW.findall(table)


def signature(function):
    """Return the parameters in parentheses, as NumPy states them."""
    try:
        return str(inspect.signature(function))
    except (TypeError, ValueError):  # many C functions of NumPy only state theirs in the docstring
        name = getattr(function, "__name__", "")
        head = (function.__doc__ or "").partition("\n\n")[0].replace("\n", " ")
        found = re.match(rf"{re.escape(name)}(\(.*\))", head) if name else None
        return found[1] if found else "(...)"


def sentence(function):
    """Return the first sentence of NumPy's docstring."""
    paragraphs = [part for part in inspect.getdoc(function).split("\n\n") if not re.match(r"\w+\(", part)]
    return " ".join(paragraphs[0].split()).partition(". ")[0].rstrip(".") + "." if paragraphs else ""


def entry(module, name, runs, does):
    function = numpy
    for part in [*module.split(".")[1:], *name.split(".")]:
        function = getattr(function, part)
    text = re.sub(r":\w+:`", "`", f"{sentence(function)} *Runs: {runs}.* {does}")
    return [f"```{{py:function}} lazyarr.{module}.{name}{signature(function)}", "", text.rstrip(), "```", ""]


class NumPyFunctions(SphinxDirective):
    required_arguments = 1

    def run(self):
        page = Path(self.env.srcdir) / "coverage.md"
        self.env.note_dependency(str(page))
        lines = [line for row in rows(page.read_text("utf-8"), self.arguments[0])
                 for line in entry(self.arguments[0], *row)]
        node = container()
        self.state.nested_parse(StringList(lines, str(page)), self.content_offset, node)
        return node.children


def setup(app):
    app.add_directive("numpy-functions", NumPyFunctions)
    return {"parallel_read_safe": True}
