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
    """Bytes of computed values, results included. Existing arrays, which belong to the caller, are not counted.

    Attributes
    ----------
    naive : int
        If each operation's result kept its own memory until the end.
    planned : int
        The peak of the plan: results of fused operations never reach memory, operands that die pass on their memory,
        and values that do not escape are in the arena, which exists from the first step to the last.
    lower_bound : int
        The largest set of values that are live at one time: no plan with this order of steps needs less. A kernel
        needs its operands and its result; elementwise operations could overwrite an operand. If possible, the order
        of steps needs at most a tenth more than that of single operations.
    arena : int
        The part of `planned` in the arena, the block in which values share memory unless live in the same step.

    Notes
    -----
    The workspace of kernels and of loop bodies is not included.
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
    """A block of memory that nodes use one after the other, from a first step to a last one, inclusive.

    In the arena, at the bottom, ``offset`` is the actual one. Above it, where the pool decides, it is the offset in
    drawings. No two blocks overlap in any step.
    """

    nbytes: int
    first: int
    last: int
    nodes: list[int]
    offset: int
    placed: bool


def blocks_of(nodes: list[Foreseen], steps: list[Step], places: dict[int, int]) -> list[Block]:
    """Return the blocks of memory of a plan in the order of their start, assuming that it overwrites all that it may.

    ``places`` has the offsets in the arena, by the first node of a block. Other blocks get the lowest offset above the
    arena where they fit.
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
    """Insert a block at the lowest free offset among blocks that are sorted by offset."""
    at = 0
    for other in there:
        if other.offset - block.offset >= block.nbytes:
            break
        block.offset = max(block.offset, other.offset + other.nbytes)
        at += 1
    there.insert(at, block)


def plan_memory(nodes: list[Foreseen], steps: list[Step], blocks: list[Block]) -> Memory:
    """Return the memory of a plan, assuming that it overwrites all that it may."""
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
