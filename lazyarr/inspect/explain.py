"""Explanations of an evaluation without running it: steps, memory, and the graph as a drawing."""

from __future__ import annotations

import math
import os
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from lazyarr._core.api import LazyArray, get_debug, install
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr._core.introspect.dry_run import foresee, foresee_schedule
from lazyarr._core.ir.step import Step
from lazyarr._core.runtime.plan_cache import Plan
from lazyarr.compiler.pipeline import counts
from lazyarr.compiler.schedule import OPAQUE, RESULT, UPDATE
from lazyarr.inspect import explanation_view, formatting
from lazyarr.inspect.dot import drawn
from lazyarr.inspect.graphviz import Drawing, draw
from lazyarr.inspect.memory_report import Memory, blocks_of, plan_memory
from lazyarr.inspect.page import page
from lazyarr.inspect.plan_view import computed, made_at, placed, results_of_several


class ExplainedStep(NamedTuple):
    """A step of an evaluation.

    ``operations`` are the names of what it computes, in order; ``read`` and ``written`` bytes in memory; ``expected``
    and ``measured`` seconds, None where they are not known; ``began`` seconds from the start of the first step that was
    measured; ``lines`` those that made the operations, each once. Where it was measured, ``thread`` is the number of
    the thread that ran it, 0 for the one that evaluates, and ``shares`` has, of each thread of the teams it had, the
    number, when its work began and how long it took.
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
    """A part of a graph that is computed on one device, or a copy between two.

    ``kind`` is "part" or "copy"; ``where`` the device, or both; ``operations`` make the results of a part; ``nbytes``
    those of its results, or what is copied; ``after`` the numbers of the items, from 1, that it waits for.
    """

    kind: str
    where: str
    operations: tuple[str, ...]
    nbytes: int
    after: tuple[int, ...]


class Explanation:
    """The steps that evaluating some arrays would run; printing it gives a table. Made by :func:`explain`.

    Attributes
    ----------
    nodes : list of Foreseen
        The graph: of each node its kind, name, shape, dtype, bytes, inputs (positions), whether its value is wanted,
        and the line that made it.
    steps : list of ExplainedStep
    plan : Plan
        What the executor runs; printed, a text with each inner loop and the nodes it reads, by position in ``nodes``.
    blocks : list of Block
        Memory that values share, and where it lies.
    memory : Memory
    rewrites : Counter of str
        How often each rewrite rule was applied, by name.
    schedule : list of ScheduledItem
        Where several devices take part: parts and copies, in the order in which they begin if no copy takes long. Each
        part has a plan of its own, so that ``steps``, which are those of one plan for all, may run differently.
    debug : bool
        Whether `config.debug` was on: the lines that made each node are shown.
    """

    def __init__(self, arrays: list[LazyArray]) -> None:
        self.plan: Plan
        self.nodes, self._graph, self.plan, expected, places = foresee(arrays)
        self.rewrites = Counter(self.plan.rewrites)
        timeline = self.plan.timeline
        several = results_of_several(self.nodes)
        self.steps = [self._explained(step, several, ns and ns / 1e9)
                      for step, ns in zip(self.plan.steps, expected, strict=True)]
        if timeline:
            start = min(began for _, began, _, _, _ in timeline)
            self.steps = [step._replace(measured=taken, began=began - start, thread=thread,
                                        shares=tuple((t, at - start, lasted) for t, at, lasted in shares))
                          for step, (_, began, taken, thread, shares) in zip(self.steps, timeline, strict=True)]
        self.blocks = blocks_of(self.nodes, self.plan.steps, places)
        self.memory: Memory = plan_memory(self.nodes, self.plan.steps, self.blocks)
        self.schedule = [ScheduledItem(*item) for item in foresee_schedule(arrays)]
        self.debug = get_debug()

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
        """Bytes of a node's elements; of an update, those of what is written."""
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
        """How many nodes and edges the graph has as it was built and after each pass; and steps, with what they read.

        Returns
        -------
        dict of str to (int, int)
            ``built``, the passes by name in their order, ``steps``.
        """
        return counts(self._graph)

    def to_dot(self) -> str:
        """The graph as a drawing in the language of Graphviz.

        A node shows its number, operation, shape, dtype, readers and, with `config.debug`, the line that made it;
        if its value is wanted, its frame is bold. What a step computes stands in one frame, what is computed again
        in that of the first step. The colour is that of the block of memory, which is named: nodes with one block have
        its memory one after the other. Values of white nodes never reach memory.
        """
        return drawn(self.nodes, self.plan.steps, self.blocks, self.debug)

    def show(self, path: str | os.PathLike[str] | None = None, format: str = "svg") -> Drawing:
        """The drawing of `to_dot`, made by Graphviz: see `lazyarr.show`."""
        drawing = draw(self.to_dot(), format)
        if path is not None:
            Path(path).write_bytes(drawing.data)
        return drawing

    def to_html(self) -> str:
        """A page for a browser: the graph, the schedule of several devices, the steps in time, the blocks of memory.

        It needs no other file and no network. The graph is zoomed by the wheel and moved by dragging. A step is one box
        or, clicked on, a frame around what it computes; a large graph begins with boxes. What is drawn shows more when
        it is clicked on.

        Where several devices take part, each of them and each direction of copies has a lane of the schedule; what
        stands in one column may run at the same time. Times of steps are measured, if such an evaluation has been
        profiled, else expected; where they are measured each thread has a lane of its own. Threads of NumPy's BLAS are
        not seen. Blocks of the arena, at the bottom, lie as they are drawn. Blocks outside it are drawn at the lowest
        offset where they fit, as the pool decides where they lie.
        """
        return page(self)

    def save_html(self, path: str | os.PathLike[str]) -> None:
        """Write the page of `to_html` to a file."""
        Path(path).write_text(self.to_html(), encoding="utf-8")


def to_dot(x: LazyArray) -> str:
    """The steps of evaluating the array as a drawing in Graphviz's language: see `explain`."""
    return explain(x).to_dot()


@api_boundary
def show(*arrays: LazyArray, path: str | os.PathLike[str] | None = None, format: str = "svg") -> Drawing:
    """Draw what evaluating arrays would run, without evaluating anything.

    Parameters
    ----------
    *arrays : LazyArray
        Evaluated together, as by `evaluate`.
    path : path_like, optional
        A file to write the drawing to.
    format : str, optional
        Any that Graphviz knows: svg, png, pdf, ...

    Returns
    -------
    Drawing
        Notebooks show it; ``str`` gives the text of an SVG, ``data`` the bytes in any format. `Explanation.to_dot`
        says what is drawn.

    Raises
    ------
    DrawingError
        Where Graphviz is not installed or does not know the format; the exception's ``dot`` has the text to be drawn.
    TypeError
        For what is no LazyArray.

    See Also
    --------
    explain : a table, and a page to look around in, for which Graphviz is not needed.

    Examples
    --------
    >>> x = la.asarray([1.0, 2.0])
    >>> la.show(x * 2 + 1, path="graph.svg")  # doctest: +SKIP
    <Drawing: svg, 2.86 KiB>
    """
    return explain(*arrays).show(path, format)


@api_boundary
def explain(*arrays: LazyArray) -> Explanation:
    """Explain, step by step, what evaluating arrays would run, without running it.

    Parameters
    ----------
    *arrays : LazyArray
        Evaluated together, as by `evaluate`.

    Returns
    -------
    Explanation
        Printed, it is a table: of each step its kind (a tile program, a kernel or call, a kernel with the program
        behind it, memory), its operations, bytes read and written, and the time that is expected on one thread where
        costs are known; the time it took in the last profiled evaluation of the same structure, if there was one; with
        `config.debug`, the lines that made it. Below it, what the values take in memory. ``save_html(path)`` writes the
        same as a page, with the graph.

    Raises
    ------
    TypeError
        For what is no LazyArray.

    Examples
    --------
    >>> x = la.asarray([1.0, 2.0])
    >>> print(la.explain((x * 2 + 1).sum()))  # doctest: +ELLIPSIS
    step        operations                 reads  writes  expected  measured
       1  tile  multiply, add, add.reduce   32 B     8 B ...
    every value kept 40 B, at most at once 8 B, least possible in this order 8 B

    Its plan has each inner loop, with dtypes and operands:

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
