"""What an evaluation will do: steps, memory, and the graph as a drawing, without evaluating anything."""

from __future__ import annotations

import math
from collections import Counter
from typing import NamedTuple

from lazyarr._core.api import LazyArray, install
from lazyarr._core.foreseen import foresee
from lazyarr.graph.programs import Step
from lazyarr.graph.schedule import RESULT, UPDATE
from lazyarr.inspect import text
from lazyarr.inspect.dot import drawn
from lazyarr.inspect.memory import Memory, plan_memory
from lazyarr.inspect.steps import computed, placed, results_of_several


class ExplainedStep(NamedTuple):
    """A step of an evaluation.

    ``operations`` are the names of what it computes, in order; ``read`` and ``written`` bytes in memory; ``expected``
    and ``measured`` seconds, None where they are not known.
    """

    kind: str
    operations: tuple[str, ...]
    read: int
    written: int
    expected: float | None
    measured: float | None


class Explanation:
    """What a look at some arrays would run; printing it gives a table. Made by :func:`explain`.

    Attributes
    ----------
    nodes : list of Foreseen
        The graph: of each node its kind, name, shape, dtype, bytes, inputs (positions), whether anyone wants its value,
        and the line that made it.
    steps : list of ExplainedStep
    memory : Memory
    rewrites : Counter of str
        How often each rewrite rule was applied, by name.
    """

    def __init__(self, arrays: list[LazyArray]) -> None:
        self._plan: list[Step]
        self.nodes, self._plan, expected, timeline, rewrites = foresee(arrays)
        self.rewrites = Counter(rewrites)
        measured: list[float | None] = [taken for _, _, taken in timeline] if timeline else [None] * len(self._plan)
        several = results_of_several(self.nodes)
        self.steps = [self._explained(step, several, ns and ns / 1e9, taken)
                      for step, ns, taken in zip(self._plan, expected, measured, strict=True)]
        self.memory: Memory = plan_memory(self.nodes, self._plan)

    def _explained(self, step: Step, several: dict[int, list[int]], expected: float | None,
                   measured: float | None) -> ExplainedStep:
        read = {*step.program[1]} if step.program else {*self.nodes[step.node].inputs}
        written = [i for i, _ in placed(step, self.nodes, several)]
        if step.kind == "epilogue":  # the kernel's result stays between the two
            read |= {*self.nodes[step.node].inputs}
            read.remove(step.node)
            written.remove(step.node)
        names = [self.nodes[i].name for i in computed(step) if self.nodes[i].kind != RESULT]
        return ExplainedStep(step.kind, tuple(names), sum(self._extent(i) for i in read),
                             sum(self._extent(i) for i in written), expected, measured)

    def _extent(self, i: int) -> int:
        """Bytes of a node's elements; of an update, those of what is written."""
        node = self.nodes[i]
        if node.kind == UPDATE:
            node = self.nodes[node.inputs[1]]
        return math.prod(node.shape) * node.dtype.itemsize

    def __str__(self) -> str:
        if not self.steps:
            return "Nothing to evaluate."
        rows = [("step", "", "operations", "reads", "writes", "expected", "measured")]
        for number, step in enumerate(self.steps, 1):
            rows.append((str(number), step.kind, _listed(step.operations), text.nbytes(step.read),
                         text.nbytes(step.written), _duration(step.expected), _duration(step.measured)))
        return f"{text.table(rows, '><<>>>>')}\n{self.memory}"

    __repr__ = __str__

    def to_dot(self) -> str:
        """The graph as a drawing in the language of Graphviz.

        A node says its number, operation, shape, dtype and how many read it; if someone wants its value, its frame is
        bold. What a step computes stands in one frame. The colour is that of the block of memory, which is named: nodes
        with one block have its memory one after the other. Values of white nodes never reach memory.
        """
        return drawn(self.nodes, self._plan)


def to_dot(x: LazyArray) -> str:
    """What a look at the array would run, as a drawing in the language of Graphviz: see `explain`."""
    return explain(x).to_dot()


def explain(*arrays: LazyArray) -> Explanation:
    """What a look at arrays would run, step by step, without evaluating anything.

    Parameters
    ----------
    *arrays : LazyArray
        Evaluated together, as by `evaluate`.

    Returns
    -------
    Explanation
        Printed, it is a table: of each step its kind (a tile program, a kernel or call, a kernel with the program
        behind it, memory), its operations, bytes read and written, and the time that is expected on one thread where
        costs are known; the time it took in the last profiled evaluation of the same structure, if there was one. Below
        it, what the values take in memory.

    Raises
    ------
    TypeError
        For what is no LazyArray.

    Examples
    --------
    >>> import lazyarr as la
    >>> x = la.asarray([1.0, 2.0])
    >>> print(la.explain((x * 2 + 1).sum()))  # doctest: +ELLIPSIS
    step        operations                 reads  writes  expected  measured
       1  tile  multiply, add, add.reduce   32 B     8 B ...
    every value kept 40 B, at most at once 8 B, least possible 8 B
    """
    for x in arrays:
        if not isinstance(x, LazyArray):
            raise TypeError(f"explain: expected a LazyArray, got {type(x).__name__}")
    return Explanation(list(arrays))


def _listed(names: tuple[str, ...], most: int = 6) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown}, ... ({len(names)})"


def _duration(seconds: float | None) -> str:
    return "" if seconds is None else text.seconds(seconds)


install({"to_dot": to_dot})
