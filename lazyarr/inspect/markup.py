"""HTML of reports in notebooks: panels, tables and bars in one style.

It is self-contained and has no scripts. The style is scoped to the class ``lazyarr-repr`` and uses the colours of
Jupyter's or VS Code's theme, if there is one.
"""

from __future__ import annotations

import functools
import html
import re
from collections.abc import Iterable, Sequence
from importlib import resources

MOST_ROWS = 200
"""The maximum number of rows of a table; further rows are counted."""

LONG = 12
"""The maximum number of rows without scrolling."""


def text(written: object) -> str:
    """Escape text for HTML.

    Examples
    --------
    >>> text("<b> & é")
    '&lt;b&gt; &amp; &#233;'
    """
    return html.escape(str(written)).encode("ascii", "xmlcharrefreplace").decode()


@functools.cache
def _style() -> str:
    """Return the style sheet without its comment and line breaks, as every output includes it."""
    rules = resources.files("lazyarr.inspect").joinpath("notebook.css").read_text(encoding="utf-8")
    return " ".join(rules.partition("*/")[2].split())


def panel(name: str, *parts: str, facts: Iterable[str] = (), state: str = "") -> str:
    """Return a report: a header with name, facts and state, then its parts, without empty ones."""
    told = "".join(f"<span>{text(fact)}</span>" for fact in facts)
    badge = f'<span class="lazyarr-badge lazyarr-{state}">{state}</span>' if state else ""
    return (f'<div class="lazyarr-repr"><style>{_style()}</style>'
            f'<div class="lazyarr-header"><strong>{text(name)}</strong>{told}{badge}</div>'
            f"{''.join(parts)}</div>")


def beside(*parts: str) -> str:
    """Return parts side by side, or one below the other on narrow pages."""
    return f'<div class="lazyarr-beside">{"".join(parts)}</div>'


def note(written: str) -> str:
    """Return a line of text, with code between backquotes; nothing if it is empty."""
    marked = re.sub("`([^`]*)`", r"<code>\1</code>", text(written))
    return f'<p class="lazyarr-note">{marked}</p>' if written else ""


def code(written: str) -> str:
    """Return preformatted text."""
    return _scrolling("values", f'<pre class="lazyarr-code">{text(written)}</pre>')


def facts(caption: str, rows: Iterable[tuple[str, str]], shows_caption: bool = False) -> str:
    """Return a table of names and values; screen readers read its caption even if it is hidden."""
    unseen = "" if shows_caption else ' class="lazyarr-unseen"'
    lines = "".join(f'<tr><th scope="row">{text(name)}</th><td>{text(told)}</td></tr>' for name, told in rows)
    return (f'<table class="lazyarr-facts"><caption{unseen}>{text(caption)}</caption>'
            f"<tbody>{lines}</tbody></table>")


def table(caption: str, columns: Sequence[str], rows: Sequence[Sequence[str]], align: Sequence[str]) -> str:
    """Return a table with column headings; the first cell of a row is its heading. Empty columns are left out.

    Parameters
    ----------
    caption : str
    columns : sequence of str
    rows : sequence of sequence of str
        Cells, as text or from `bar`.
    align : sequence of str
        ``<`` or ``>`` for each column.
    """
    kept = [k for k in range(len(columns)) if k == 0 or any(row[k] for row in rows)]
    columns, align = [columns[k] for k in kept], [align[k] for k in kept]
    rows = [[row[k] for k in kept] for row in rows]
    sides = [' class="lazyarr-number"' if side == ">" else "" for side in align]
    head = "".join(f'<th scope="col"{side}>{text(name)}</th>' for name, side in zip(columns, sides, strict=True))
    lines = []
    for row in rows[:MOST_ROWS]:
        cells = [cell if isinstance(cell, Drawn) else text(cell) for cell in row]
        others = "".join(f"<td{side}>{cell}</td>" for cell, side in zip(cells[1:], sides[1:], strict=True))
        lines.append(f'<tr><th scope="row"{sides[0]}>{cells[0]}</th>{others}</tr>')
    drawn = (f"<table><caption>{text(caption)}</caption><thead><tr>{head}</tr></thead>"
             f"<tbody>{''.join(lines)}</tbody></table>")
    more = len(rows) - MOST_ROWS
    return _scrolling(caption, drawn, len(rows) > LONG) + note(f"and {more:,} more" if more > 0 else "")


class Drawn(str):
    """A cell of HTML."""

    __slots__ = ()


def bar(told: str, share: float, colour: int = 0) -> Drawn:
    """Return a cell with a bar under its text, whose length is a share of the column, 0 to 1."""
    return Drawn(f'{text(told)}<span class="lazyarr-bar lazyarr-colour-{colour}" '
                 f'style="width: {100 * min(max(share, 0.0), 1.0):.1f}%"></span>')


def bars(caption: str, amounts: Sequence[tuple[str, str, float]]) -> str:
    """Return amounts (name, text, number) one below the other, each with a bar."""
    most = max([amount for _, _, amount in amounts], default=0) or 1
    rows = [f'<tr><th scope="row">{text(name)}</th><td>{bar(told, amount / most)}</td></tr>'
            for name, told, amount in amounts]
    return (f'<table class="lazyarr-facts lazyarr-bars"><caption>{text(caption)}</caption>'
            f"<tbody>{''.join(rows)}</tbody></table>")


def parts_of_whole(caption: str, amounts: Sequence[tuple[str, str, float]]) -> str:
    """Return a bar of several colours and a table of its parts (name, text, number), without those of zero."""
    whole = sum(amount for _, _, amount in amounts) or 1
    there = [(k, *part) for k, part in enumerate(amounts) if part[2] > 0]
    pieces = "".join(f'<span class="lazyarr-colour-{k}" style="width: {100 * amount / whole:.2f}%"></span>'
                     for k, _, _, amount in there)
    rows = [f'<tr><th scope="row"><span class="lazyarr-key lazyarr-colour-{k}"></span>{text(name)}</th>'
            f'<td class="lazyarr-number">{text(told)}</td>'
            f'<td class="lazyarr-number">{100 * amount / whole:.0f} %</td></tr>'
            for k, name, told, amount in there]
    return (f'<div class="lazyarr-whole" aria-hidden="true">{pieces}</div>'
            f'<table class="lazyarr-facts"><caption>{text(caption)}</caption><tbody>{"".join(rows)}</tbody></table>')


def progress(done: int, total: int, told: str) -> str:
    """Return a progress bar over a line of text."""
    return (f'<progress class="lazyarr-progress" value="{done}" max="{max(total, 1)}" aria-label="progress"></progress>'
            f"{note(told)}")


def _scrolling(caption: str, inner: str, is_long: bool = False) -> str:
    """Return a scrolling box, which can also be scrolled by keys."""
    return (f'<div class="lazyarr-scroll{" lazyarr-long" if is_long else ""}" tabindex="0" role="group" '
            f'aria-label="{text(caption)}">{inner}</div>')
