"""`explain`: the steps, memory and graph of an evaluation, without running it."""

from __future__ import annotations

import math
import os
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from lazyarr._core.api import LazyArray, get_debug, install
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr._core.introspect.dry_run import foresee, foresee_schedule
from lazyarr._core.introspect.foresight import Foreseen
from lazyarr._core.ir.step import Step
from lazyarr._core.runtime.plan_cache import Plan
from lazyarr.compiler.pipeline import counts
from lazyarr.compiler.schedule import OPAQUE, RESULT, UPDATE
from lazyarr.inspect import explanation_view, formatting
from lazyarr.inspect.dot import drawn
from lazyarr.inspect.graphviz import Drawing, draw
from lazyarr.inspect.memory_report import Block, Memory, blocks_of, plan_memory
from lazyarr.inspect.page import page
from lazyarr.inspect.plan_view import computed, made_at, placed, results_of_several


class ExplainedStep(NamedTuple):
    """A step of an evaluation.

    ``operations`` are the names of its operations, in order; ``read`` and ``written`` the bytes of memory that it
    reads and writes; ``expected`` and ``measured`` its time in seconds, or None if unknown; ``began`` its start in
    seconds after the first measured step; ``lines`` the source lines of its operations. For a measured step, ``thread``
    is the number of the thread that ran it, 0 for the evaluating one, and ``shares`` has the number, start and duration
    of each thread of its teams.
    """

    kind: str
    operations: tuple[str, ...]
    read: int
    written: int
    expected: float | None
    measured: float | None
    began: float | None
    lines: tuple[str, ...]
    thread: int | None
    shares: tuple[tuple[int, float, float], ...]


class ScheduledItem(NamedTuple):
    """A part of a graph that is computed on one device, or a copy between two devices.

    ``kind`` is "part" or "copy"; ``where`` the device, or both devices; ``operations`` those that compute the results
    of a part; ``nbytes`` the bytes of its results, or of the copy; ``after`` the numbers, from 1, of the items that it
    waits for.
    """

    kind: str
    where: str
    operations: tuple[str, ...]
    nbytes: int
    after: tuple[int, ...]


class Explanation:
    """The steps that evaluating arrays would run, returned by :func:`explain`. Prints as a table.

    Attributes
    ----------
    nodes : list of Foreseen
        The graph: for each node its kind, name, shape, dtype, bytes, inputs (positions), whether its value is kept,
        and its source line.
    steps : list of ExplainedStep
    plan : Plan
        The plan that the executor runs. Prints as text, with each inner loop and the nodes it reads, by position in
        ``nodes``.
    blocks : list of Block
        Blocks of memory that values share, with their offsets.
    memory : Memory
    rewrites : Counter of str
        How often each rewrite rule was applied, by name.
    schedule : list of ScheduledItem
        With several devices: parts and copies, in the order in which they start if copies are short. Each part has its
        own plan, which may differ from ``steps``, those of one plan for the whole graph.
    debug : bool
        Whether `config.debug` was on, so that source lines are shown.
    """

    def __init__(self, arrays: list[LazyArray]) -> None:
        self.nodes: list[Foreseen]
        self.plan: Plan
        self.nodes, self._graph, self.plan, expected, places = foresee(arrays)
        self.rewrites: Counter[str] = Counter(self.plan.rewrites)
        timeline = self.plan.timeline
        several = results_of_several(self.nodes)
        self.steps: list[ExplainedStep] = [self._explained(step, several, ns and ns / 1e9)
                                           for step, ns in zip(self.plan.steps, expected, strict=True)]
        if timeline:
            start = min(began for _, began, _, _, _ in timeline)
            self.steps = [step._replace(measured=taken, began=began - start, thread=thread,
                                        shares=tuple((t, at - start, lasted) for t, at, lasted in shares))
                          for step, (_, began, taken, thread, shares) in zip(self.steps, timeline, strict=True)]
        self.blocks: list[Block] = blocks_of(self.nodes, self.plan.steps, places)
        self.memory: Memory = plan_memory(self.nodes, self.plan.steps, self.blocks)
        self.schedule: list[ScheduledItem] = [ScheduledItem(*item) for item in foresee_schedule(arrays)]
        self.debug: bool = get_debug()

    def _explained(self, step: Step, several: dict[int, list[int]], expected: float | None) -> ExplainedStep:
        read = {*step.program.loads} if step.program else {*self.nodes[step.node].inputs}
        written = [i for i, _ in placed(step, self.nodes, several)]
        if step.kind == "epilogue":  # the kernel's result stays between the two
            read |= {*self.nodes[step.node].inputs}
            read.remove(step.node)
            written = [i for i in written if i != step.node]
        read = {i for i in read if self.nodes[i].stored}
        operations = [i for i in computed(step) if self.nodes[i].kind != RESULT]
        lines = dict.fromkeys(filter(None, [made_at(self.nodes[i]) for i in operations]))
        called = () if step.kind == "tile" else (step.node,)  # another call in a program is a copy of an equal one
        names = ["copy" if self.nodes[i].kind == OPAQUE and i not in called else self.nodes[i].name for i in operations]
        return ExplainedStep(step.kind, tuple(names), sum(self._extent(i) for i in read),
                             sum(self._extent(i) for i in written), expected, None, None, tuple(lines), None, ())

    def _extent(self, i: int) -> int:
        """Return the bytes of a node's elements; for an update, of the elements written."""
        node = self.nodes[i]
        if node.kind == UPDATE:
            node = self.nodes[node.inputs[1]]
        return math.prod(node.shape) * node.dtype.itemsize

    def __str__(self) -> str:
        if not self.steps:
            return "Nothing to evaluate."
        rows = [("step", "", "operations", "reads", "writes", "expected", "measured", "made at")]
        for number, step in enumerate(self.steps, 1):
            rows.append((str(number), step.kind, formatting.listed(step.operations), formatting.nbytes(step.read),
                         formatting.nbytes(step.written), formatting.seconds(step.expected),
                         formatting.seconds(step.measured), formatting.listed(step.lines, most=3)))
        shown = 8 if self.debug else 7
        parts = [formatting.table([row[:shown] for row in rows], "><<>>>><"[:shown]), str(self.memory)]
        if self.schedule:
            table = [("", "schedule", "where", "results", "bytes", "after")]
            table += [(str(number), item.kind, item.where, formatting.listed(item.operations),
                       formatting.nbytes(item.nbytes), ", ".join(map(str, item.after)))
                      for number, item in enumerate(self.schedule, 1)]
            parts.append(formatting.table(table, "><<<><"))
        return "\n".join(parts)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return explanation_view.as_html(self)

    def stats(self) -> dict[str, tuple[int, int]]:
        """Count nodes and edges of the graph as built and after each compiler pass, and its steps.

        Returns
        -------
        dict of str to (int, int)
            Nodes and edges, for ``built`` and for each pass by name; for ``steps``, the steps and their operands.
        """
        return counts(self._graph)

    def to_dot(self) -> str:
        """Draw the graph, as text in Graphviz's language.

        Each node shows its number, operation, shape, dtype, number of readers and, with `config.debug`, its source
        line. A bold frame marks values that are kept. The nodes of a step are in one frame; rematerialised nodes are in
        that of the first step. Colours and names show blocks of memory: nodes of one block use its memory one after the
        other. Values of white nodes never reach memory.
        """
        return drawn(self.nodes, self.plan.steps, self.blocks, self.debug)

    @api_boundary
    def show(self, path: str | os.PathLike[str] | None = None, format: str = "svg") -> Drawing:
        """Draw the graph by Graphviz: see `lazyarr.show`."""
        drawing = draw(self.to_dot(), format)
        if path is not None:
            Path(path).write_bytes(drawing.data)
        return drawing

    def to_html(self) -> str:
        """Return an HTML page with the graph, the schedule of devices, a timeline of steps and the blocks of memory.

        The page needs no other files and no network. Use the wheel to zoom the graph and drag to move it. Click a step
        to open or close it, and anything else for details; the steps of large graphs start closed.

        With several devices, the schedule has a lane for each device and direction of copies; items in one column may
        run at the same time. Times of steps are measured if such an evaluation has been profiled, with a lane for each
        thread, otherwise expected. Threads of NumPy's BLAS are not shown. Blocks of the arena, at the bottom, have
        their actual offsets; other blocks, whose place the pool decides, are drawn at the lowest offset where they fit.
        """
        return page(self)

    @api_boundary
    def save_html(self, path: str | os.PathLike[str]) -> None:
        """Write the page of `to_html` to a file."""
        Path(path).write_text(self.to_html(), encoding="utf-8")


def to_dot(x: LazyArray) -> str:
    """Draw the steps of evaluating the array, as text in Graphviz's language: see `explain`."""
    return explain(x).to_dot()


@api_boundary
def show(*arrays: LazyArray, path: str | os.PathLike[str] | None = None, format: str = "svg") -> Drawing:
    """Draw the graph and plan of an evaluation by Graphviz, without running it.

    Parameters
    ----------
    *arrays : LazyArray
        Arrays to evaluate together, as by `evaluate`.
    path : path_like, optional
        A file to write the drawing to.
    format : str, optional
        A format that Graphviz supports: svg, png, pdf, ...

    Returns
    -------
    Drawing
        Notebooks show it. ``str`` returns the text of an SVG, ``data`` the bytes in any format. `Explanation.to_dot`
        describes the drawing.

    Raises
    ------
    DrawingError
        If Graphviz is not installed or does not support the format. The ``dot`` attribute has the text to be drawn.
    TypeError
        For anything but LazyArrays.

    See Also
    --------
    explain : a table and an interactive page, without Graphviz

    Examples
    --------
    >>> x = la.asarray([1.0, 2.0])
    >>> la.show(x * 2 + 1, path="graph.svg")  # doctest: +SKIP
    <Drawing: svg, 2.86 KiB>
    """
    return explain(*arrays).show(path, format)


@api_boundary
def explain(*arrays: LazyArray) -> Explanation:
    """Explain the steps of an evaluation without running it.

    Parameters
    ----------
    *arrays : LazyArray
        Arrays to evaluate together, as by `evaluate`.

    Returns
    -------
    Explanation
        Prints as a table of steps: kind (tile program, kernel or call, kernel with a fused program, memory),
        operations, bytes read and written, the expected time on one thread if costs are known, and the time measured
        in the last profiled evaluation of the same structure; with `config.debug`, source lines. The memory of the
        values follows. ``save_html(path)`` writes an interactive page that also shows the graph.

    Raises
    ------
    TypeError
        For anything but LazyArrays.

    Examples
    --------
    >>> x = la.asarray([1.0, 2.0])
    >>> print(la.explain((x * 2 + 1).sum()))  # doctest: +ELLIPSIS
    step        operations                 reads  writes  expected  measured
       1  tile  multiply, add, add.reduce   32 B     8 B ...
    every value kept 40 B, at most at once 8 B, least possible in this order 8 B

    The plan shows each inner loop, with dtypes and operands:

    >>> print(la.explain((x * 2 + 1).sum()).plan)
    1: tile, over n2
        r0 = multiply dd->d (n0, n1)
        r1 = add dd->d (r0, n3)
        n5 = add.reduce dd->d (r1)
    """
    for x in arrays:
        if not isinstance(x, LazyArray):
            raise TypeError(f"explain: expected a LazyArray, got {type(x).__name__}")
    return Explanation(list(arrays))


install({"to_dot": to_dot})
