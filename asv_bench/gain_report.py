"""The report of `gain.py`: a table in Markdown, its parser, and a figure."""

import dataclasses
import statistics
from pathlib import Path

from figures import COLOURS, GREY, axes_saved_to

SIZES = ("small", "large")
MARKERS = {"lazyarr": "o", "Numba": "s", "JAX": "D"}
MEAN = "Geometric mean"


@dataclasses.dataclass
class Row:
    """A program at one size: milliseconds, extra seconds of the first call, and lines changed."""

    title: str
    size: str
    text: str
    times: dict
    first: dict
    changed: dict

    def gain(self, library):
        return self.times["NumPy"] / self.times[library]

    @property
    def others(self):
        """The libraries compared with NumPy."""
        return [name for name in self.times if name != "NumPy"]


# ---- The table ----


def line(cells):
    return f"| {' | '.join(map(str, cells))} |"


def header(names, numbers):
    return [line([*names, *numbers]), line(["---"] * len(names) + ["--:"] * len(numbers))]


def milliseconds(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def times_as_fast(value):
    return f"{value:.0f}x" if value >= 9.95 else f"{value:.1f}x" if value >= 0.95 else f"{value:.2f}x"


def times_line(row):
    gains = {name: row.gain(name) for name in row.others}
    best = max(gains.values())
    shown = [times_as_fast(gain) if gain < best else f"**{times_as_fast(gain)}**" for gain in gains.values()]
    return line([row.title, row.size, row.text, *map(milliseconds, row.times.values()), *shown])


def mean_line(row):
    return line([f"**{row.title}**", row.size, "", *[""] * len(row.times), *(
        times_as_fast(row.gain(name)) for name in row.others)])


def means(rows):
    """Return rows of the geometric means, relative to NumPy's time, and of the sums of lines."""
    found = []
    for size in SIZES:
        if chosen := [row for row in rows if row.size == size]:
            times = {name: 1 / statistics.geometric_mean(row.gain(name) for row in chosen) for name in rows[0].others}
            changed = {name: sum(row.changed[name] for row in chosen) for name in times}
            found.append(Row(MEAN, size, f"{len(chosen)} {size} cases", {"NumPy": 1, **times}, {}, changed))
    return found


def cost_line(row):
    return line([row.title, row.size, *(row.changed[name] for name in row.others),
                 *(f"{row.first[name]:.2f}" for name in row.others)])


def tables(rows):
    """Return two tables in Markdown: times, and costs."""
    others = rows[0].others
    times = header(["program", "size", "what"], [f"{name}, ms" for name in rows[0].times] + others)
    cost = header(["program", "size"], [f"{name}, lines" for name in others] + [f"{name}, s" for name in others])
    return "\n".join([
        "## Times", "", "The last three columns are the speed-up over NumPy; the best of each row is bold.", "",
        *times, *map(times_line, rows), *map(mean_line, means(rows)), "",
        "## What it costs", "",
        "Lines of the NumPy source that were changed, and by how many seconds the first call takes longer.", "",
        *cost, *map(cost_line, rows), ""])


def read(path):
    """Return the rows of a report."""
    rows, names = {}, []
    for text in Path(path).read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in text.strip("|").split("|")]
        if cells[0] == "program":
            names = [cell.rpartition(", ") for cell in cells]
        elif len(cells) > 2 and MEAN not in cells[0] and cells[1] in SIZES:
            row = rows.setdefault((cells[0], cells[1]), Row(cells[0], cells[1], cells[2], {}, {}, {}))
            kinds = {"ms": row.times, "lines": row.changed, "s": row.first}
            for (name, _, unit), cell in zip(names, cells, strict=True):
                if unit in kinds and name:
                    kinds[unit][name] = float(cell.replace(",", ""))
    return list(rows.values())


# ---- The figure ----


def draw(rows, path):
    """Draw a dot plot of speedups over NumPy, with the numbers of changed lines at the right."""
    rows = [*rows, *means(rows)]
    heights, titles = {}, {}
    at = 0.0
    for row in rows:
        if row.title not in titles:
            titles[row.title], at = at, at + 0.85
        heights[row.title, row.size], at = at, at + 1
        at += 0.15 * (row.size == SIZES[-1])
    inches = 0.2 * (at + 4.6)
    with axes_saved_to(path, (7.5, inches)) as axes:
        axes.set_position([0.265, 0.45 / inches, 0.535, 1 - 0.87 / inches])
        axes.set_xscale("log")
        axes.set_ylim(at - 0.4, -0.6)
        _draw_dots(axes, rows, heights)
        _draw_words(axes, rows, heights, titles)
        _draw_lines_changed(axes, rows, titles)
        _draw_scale(axes)


def _draw_dots(axes, rows, heights):
    axes.axvline(1, color=COLOURS["NumPy"], linewidth=1.5, zorder=1, label="NumPy")
    for row in rows:
        axes.axhline(heights[row.title, row.size], color=GREY, linewidth=0.5, alpha=0.35, zorder=0)
    for name in rows[0].others:
        axes.scatter([row.gain(name) for row in rows], [heights[row.title, row.size] for row in rows],
                     marker=MARKERS[name], s=62 if name == "lazyarr" else 32, color=COLOURS[name], linewidth=0,
                     zorder=2 + (name == "lazyarr"), label=name)
    axes.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1), ncols=4, fontsize=9, columnspacing=1.4,
                handletextpad=0.3, handlelength=1.2, labelcolor="linecolor", borderaxespad=0.2)


def _draw_words(axes, rows, heights, titles):
    sides = axes.get_yaxis_transform()
    for title, height in titles.items():
        axes.text(-0.03, height, title, ha="right", va="center", fontsize=9, weight="bold", transform=sides)
    for row in rows:
        axes.text(-0.03, heights[row.title, row.size], row.text, ha="right", va="center", fontsize=8, transform=sides)


def _draw_lines_changed(axes, rows, titles):
    """Write the numbers of lines at the right, a column per library, in the rows of the programs."""
    sides = axes.get_yaxis_transform()
    columns = {name: 1.09 + 0.1 * k for k, name in enumerate(rows[0].others)}
    changed = {row.title: row.changed for row in rows}
    for name, column in columns.items():
        axes.scatter(column, 1, marker=MARKERS[name], s=32, color=COLOURS[name], linewidth=0,
                     transform=axes.transAxes, clip_on=False)
        for title, height in titles.items():
            axes.text(column, height + 1.35, f"{changed[title][name]:.0f}", ha="center", va="center", fontsize=9,
                      weight="bold" if name == "lazyarr" else "normal", color=COLOURS[name], transform=sides)
    middle = statistics.fmean(columns.values())
    axes.annotate("lines changed", (middle, 1), xytext=(0, 9), textcoords="offset points", xycoords=axes.transAxes,
                  ha="center", va="bottom", fontsize=9)


def _draw_scale(axes):
    least, most = axes.get_xlim()
    ticks = [tick for tick in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100) if least <= tick <= most]
    axes.set_xticks(ticks, [f"{tick:g}x" for tick in ticks], fontsize=9)
    axes.minorticks_off()
    axes.set_xlabel("times as fast as NumPy", fontsize=9)
    axes.set_yticks([])
    axes.spines[["top", "right", "left"]].set_visible(False)
