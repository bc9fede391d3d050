"""Memory of an evaluation's values, simulated from its plan."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from lazyarr._core.introspect.dry_run import Foreseen
from lazyarr._core.ir.step import Step
from lazyarr.compiler.schedule import LEAF, SCALAR, VIEW
from lazyarr.inspect import formatting
from lazyarr.inspect.plan_view import placed, results_of_several


class Memory(NamedTuple):
    """Bytes of computed values, results included, arrays that are there before not: they are the caller's.

    Attributes
    ----------
    naive : int
        If each operation's result had memory of its own until the end.
    planned : int
        The peak: results of fused operations never reach memory, dying values give their memory away, and values that
        do not escape lie in the arena, which is there from the first step to the last.
    lower_bound : int
        The largest set of values that are needed at one time: no plan with this order of steps takes less. A kernel
        needs its operands and its result; elementwise operations could write each result over an operand. The order is
        one that takes at most a tenth more than single operations would, if there is such an order.
    arena : int
        Of what is planned, the one block in which values share bytes that are not needed in the same step.

    Notes
    -----
    What kernels and the bodies of loops take for themselves while they run is not part of it.
    """

    naive: int
    planned: int
    lower_bound: int
    arena: int

    def __str__(self) -> str:
        arena = f", of which in one arena {formatting.nbytes(self.arena)}" if self.arena else ""
        return (f"every value kept {formatting.nbytes(self.naive)}, "
                f"at most at once {formatting.nbytes(self.planned)}{arena}, "
                f"least possible in this order {formatting.nbytes(self.lower_bound)}")


@dataclass(eq=False)
class Block:
    """Memory that several nodes may have, one after the other, from one step to another, both included.

    Where it lies is known in the arena, at the bottom. Above it the pool decides, and ``offset`` is where a drawing
    shows the block. In each step, no two blocks overlap.
    """

    nbytes: int
    first: int
    last: int
    nodes: list[int]
    offset: int
    placed: bool


def blocks_of(nodes: list[Foreseen], steps: list[Step], places: dict[int, int]) -> list[Block]:
    """The blocks of memory that a plan takes, if all that it may overwrite is overwritten, in the order of their start.

    ``places`` has the offsets in the arena, by the node that is the first to lie there. What is not there is put at the
    lowest offset above it where it fits.
    """
    several = results_of_several(nodes)
    arena = max((offset + nodes[i].nbytes for i, offset in places.items()), default=0)
    found: list[Block] = []
    live: dict[int, Block] = {}   # by the node that has it
    there: list[Block] = []       # those that are not in the arena, by offset
    for number, step in enumerate(steps):
        for i, source in placed(step, nodes, several):
            if source in live:
                block = live.pop(source)
            else:
                block = Block(nodes[i].nbytes, number, len(steps) - 1, [], places.get(i, arena), i in places)
                if not block.placed:
                    _put(block, there)
                found.append(block)
            live[i] = block
            block.nodes.append(i)
        for i in step.frees:
            if i in live:
                block = live.pop(i)
                block.last = number
                if not block.placed:
                    there.remove(block)
    return found


def _put(block: Block, there: list[Block]) -> None:
    """Find a place among blocks that are sorted by offset."""
    at = 0
    for other in there:
        if other.offset - block.offset >= block.nbytes:
            break
        block.offset = max(block.offset, other.offset + other.nbytes)
        at += 1
    there.insert(at, block)


def plan_memory(nodes: list[Foreseen], steps: list[Step], blocks: list[Block]) -> Memory:
    """The memory that a plan takes, if all that it may overwrite is overwritten."""
    results = results_of_several(nodes)
    arena = max((block.offset + block.nbytes for block in blocks if block.placed), default=0)
    change = [0] * (len(steps) + 1)    # from step to step, of what is not in the arena
    for block in blocks:
        if not block.placed:
            change[block.first] += block.nbytes
            change[block.last + 1] -= block.nbytes
    live: dict[int, int] = {}    # bytes by the node that has them
    total = lower_bound = 0
    for step in steps:
        made = placed(step, nodes, results)
        written = [] if step.kind == "tile" else made if step.kind == "opaque" else [
            (i, source) for i, source in made if i == step.node]
        needed = total + sum(nodes[i].nbytes for i, source in written if source is None)
        for i, source in made:
            if source in live:
                live[i] = live.pop(source)
            else:
                live[i] = nodes[i].nbytes
                total += live[i]
        total -= sum(live.pop(i, 0) for i in step.frees)
        lower_bound = max(lower_bound, needed, total)
    naive = sum(node.nbytes for i, node in enumerate(nodes)
                if node.kind not in (LEAF, SCALAR, VIEW) and i not in results)
    return Memory(naive, arena + max(accumulate(change)), lower_bound, arena)
