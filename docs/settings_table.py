"""The directive ``settings``: a table of `lazyarr.config`'s settings, with an entry for each, from the package."""

from docutils.nodes import container
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from lazyarr.config import SETTINGS

ON_THIS_MACHINE = {"num_threads": "usable cores", "pool_limit": "memory / 8, at most 2 GiB"}
SIZES = ((2**30, "GiB"), (2**20, "MiB"))


def default(setting):
    """Return the default as text or code: no program has changed settings when the site is built."""
    if setting.name in ON_THIS_MACHINE:
        return ON_THIS_MACHINE[setting.name]
    value = "cpu" if setting.name == "device" else setting.get()
    for size, unit in SIZES:
        if setting.unit == "bytes" and value and value % size == 0:
            return f"{value // size} {unit}"
    return f"`{value!r}`"


def first_sentence(text):
    return text.partition(". ")[0].rstrip(".") + "."


def lines():
    yield from ("| setting | default | unit | meaning |", "|---|---|---|---|")
    for row in SETTINGS:
        name = f"[`{row.name}`](#lazyarr.config.{row.name})"
        yield f"| {name} | {default(row)} | {row.unit} | {first_sentence(row.doc)} |"
    for row in SETTINGS:
        unit = f"\n\nUnit: {row.unit}." if row.unit else ""
        yield from f"\n```{{py:attribute}} lazyarr.config.{row.name}\n{row.doc}{unit}\n\n" \
                   f"Default: {default(row)}.\n```".split("\n")


class Settings(SphinxDirective):
    def run(self):
        node = container()
        self.state.nested_parse(StringList(list(lines()), "lazyarr/config.py"), self.content_offset, node)
        return node.children


def setup(app):
    app.add_directive("settings", Settings)
    return {"parallel_read_safe": True}
