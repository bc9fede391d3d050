"""Explanations in notebooks: steps with bars for their times and a drawing, memory, the schedule of devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lazyarr.inspect import formatting, markup, step_drawing

if TYPE_CHECKING:
    from lazyarr.inspect.explain import ExplainedStep, Explanation


def as_html(explanation: Explanation) -> str:
    """Return an explanation as HTML for a notebook."""
    steps = explanation.steps
    if not steps:
        return markup.panel("Explanation", markup.note("Nothing to evaluate."))
    columns = ["step", "kind", "operations", "reads", "writes", "expected", "measured", "made at"]
    shown = len(columns) if explanation.debug else len(columns) - 1
    expected = max((step.expected or 0.0 for step in steps), default=0.0) or 1.0
    measured = max((step.measured or 0.0 for step in steps), default=0.0) or 1.0
    rows = [(str(number), step.kind, formatting.listed(step.operations), formatting.nbytes(step.read),
             formatting.nbytes(step.written), _time(step, step.expected, expected),
             _time(step, step.measured, measured), formatting.listed(step.lines, most=3))[:shown]
            for number, step in enumerate(steps, 1)]
    memory = explanation.memory
    amounts = [("every value kept", memory.naive), ("at most at once", memory.planned),
               ("of these in one arena", memory.arena), ("least possible in this order", memory.lower_bound)]
    parts = [
        markup.table("Steps that an evaluation runs, with times on one thread", columns[:shown], rows,
                     "><<>>>><"[:shown]),
        markup.beside(
            markup.bars("Memory of values", [(name, formatting.nbytes(amount), amount) for name, amount in amounts
                                             if amount or name != "of these in one arena"]),
            step_drawing.drawing(explanation))]
    if explanation.schedule:
        items = [(str(number), item.kind, item.where, formatting.listed(item.operations),
                  formatting.nbytes(item.nbytes), ", ".join(map(str, item.after)))
                 for number, item in enumerate(explanation.schedule, 1)]
        parts.append(markup.table("Schedule of the devices", ("item", "kind", "where", "results", "bytes", "after"),
                                  items, "><<<><"))
    parts.append(markup.note("`save_html(path)` writes a page with the graph to look around in."))
    return markup.panel("Explanation", *parts, facts=[formatting.count(len(explanation.nodes), "node"),
                                                      formatting.count(len(steps), "step")])


def _time(step: ExplainedStep, seconds: float | None, longest: float) -> str:
    if seconds is None:
        return ""
    return markup.bar(formatting.seconds(seconds), seconds / longest, step_drawing.COLOURS.get(step.kind, 3))
