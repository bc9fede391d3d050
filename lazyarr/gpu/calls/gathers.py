"""Gather: elements at index arrays.

As in `lazyarr/_core/kernels/index_lookup.pyx`, positions have *joined* axes: those of the broadcast index arrays, and
those along which x is traversed. They are followed by the axes of a *block*, which is copied for each position.
"""

import functools
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from lazyarr._core.runtime.device_call import Call, NoKernel, Operand
from lazyarr.gpu.calls.text import UNITS, CallText, Row, Text, check, words_of
from lazyarr.gpu.generator.emitter import address
from lazyarr.ops.gathering import Gather

RAISE, WRAP, CLIP = 0, 1, 2
"""What to do about indices out of bounds, as in `lazyarr.ops.index_key.MODES`."""


class Places(NamedTuple):
    """Positions in x: the number of axes of each kind, and the kernel's numbers.

    Attributes
    ----------
    joined, block : int
        Numbers of axes.
    indices : int
        Number of index arrays.
    mode : int
    size, run : int
        Number of positions, and elements of a block.
    numbers : tuple of int
        In the order of `write_places`.
    """

    joined: int
    block: int
    indices: int
    mode: int
    size: int
    run: int
    numbers: tuple[int, ...]


class Written(NamedTuple):
    """Variables emitted by `write_places`: an element's address, and its coordinates along joined axes and in the
    block.
    """

    address: str
    place: Sequence[str]
    within: Sequence[str]


def find_places(x: Operand, indices: Sequence[Operand], plan: Mapping[str, Any], merges: bool = True) -> Places:
    """Describe the positions of a `Gather`.

    Parameters
    ----------
    x : Operand
    indices : sequence of Operand
    plan : mapping
        The arguments of `gather` in `lazyarr/_core/kernels/gather.pyx`.
    merges : bool, optional
        Whether axes of the block may be merged.
    """
    joined, mode = plan["joined"], plan.get("mode", RAISE)
    block = [(x.shape[axis], x.strides[axis]) for axis in plan["block"]]
    block = merge_axes(block) if merges else block
    block += words_of(x.dtype.itemsize)
    numbers = [*joined, *[0 if axis < 0 or x.shape[axis] == 1 else x.strides[axis] for axis in plan["walked"]],
               *[extent for extent, _ in block], *[stride for _, stride in block], x.offset]  # fmt: skip
    for index, axis in zip(indices, plan["indexed"], strict=True):
        numbers += [index.offset, x.shape[axis], x.strides[axis], *spread_strides(index, joined)]
    return Places(len(joined), len(block), len(indices), mode, math.prod(joined),
                  math.prod(extent for extent, _ in block), tuple(numbers))  # fmt: skip


def merge_axes(axes: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Merge neighbouring axes, given as extents and strides, outermost first, where they have no gaps."""
    merged: list[tuple[int, int]] = []
    for extent, stride in axes:
        if extent == 1:
            continue
        if merged and merged[-1][1] == extent * stride:
            merged[-1] = (merged[-1][0] * extent, stride)
        else:
            merged.append((extent, stride))
    return merged


def spread_strides(x: Operand, shape: Sequence[int]) -> list[int]:
    """Return the strides of an operand broadcast to a shape."""
    lead = len(shape) - len(x.shape)
    return [0] * lead + [0 if extent == 1 else stride for extent, stride in zip(x.shape, x.strides, strict=True)]


def write_places(text: CallText, joined: int, block: int, kinds: Sequence[str], mode: int) -> Written:
    """Emit code that computes ``at``, the offset of an element in x, from its position ``p`` and ``b`` in the block.

    `kinds` are the types of the index arrays. Sets ``outside`` for indices out of bounds, whose elements are skipped.
    ``number`` is the element's number along the indexed axes.
    """
    extents, walked = text.numbers(joined), text.numbers(joined)
    sizes, strides, first = text.numbers(block), text.numbers(block), text.number()
    place = text.coordinates("p", extents)[:joined]
    within = text.coordinates("b", sizes)[:block]
    text.write(f"i64 at = {address(first, place + within, walked + strides)};")
    text.write("i64 number = 0;")
    for k, kind in enumerate(kinds):
        start, extent, stride, *steps = text.numbers(3 + joined)
        text.write(f"i64 i{k} = *(GLOBAL {kind} *)({address(f'index{k} + {start}', place, steps)});")
        if mode == CLIP:
            text.write(f"i{k} = i{k} < 0 ? 0 : i{k} < {extent} ? i{k} : {extent} - 1;")
        else:
            if mode == WRAP:
                text.write(f"i{k} %= {extent};")
            text.write(f"if (i{k} < 0) i{k} += {extent};")
        if mode == RAISE:
            text.open(f"if ((u64)i{k} >= (u64){extent})")
            text.write("outside = 1;")
            text.write("continue;")
            text.close()
        text.write(f"at += i{k} * {stride};")
        text.write(f"number = number * {extent} + i{k};")
    return Written("x + at", place[:joined], within)


@functools.cache
def gather_text(unit: str, joined: int, block: int, indices: int, mode: int) -> Text:
    """Return the kernel that copies blocks."""
    text = CallText("gather", ["out", "x", *[f"index{k}" for k in range(indices)]], int(mode == RAISE))
    total, run, first = text.numbers(3)
    text.write("u32 outside = 0;")
    text.open(f"for (i64 e = GLOBAL_ID; e < {total}; e += GLOBAL_SIZE)")
    text.write(f"const i64 p = quotient(e, {run}), b = e - p * {run};")
    source = write_places(text, joined, block, ["i64"] * indices, mode).address
    text.write(f"*(GLOBAL {unit} *)(out + {first} + e * (i64)sizeof({unit})) = *(GLOBAL {unit} *)({source});")
    text.close()
    if mode == RAISE:
        text.write("if (outside) atomic_or_u32(status, 1u);")
    return text.finish()


def refusal(call: Call) -> str | None:
    """Return why a call has no kernel, or None."""
    if not isinstance(call.function, Gather):
        return "a key that is no gather"
    return "an array of no elements" if 0 in call.operands[0].shape else None


def gather(driver: Any, call: Call) -> None:
    """Copy elements at index arrays: `take`, `take_along_axis` and x[i]."""
    x, *indices = call.operands
    places = find_places(x, indices, call.function.plan)
    total = places.size * places.run
    if total:
        unit = UNITS.get(x.dtype.itemsize, "u64")
        text = gather_text(unit, places.joined, places.block, places.indices, places.mode)
        numbers = [total, places.run, call.result.offset, *places.numbers]
        blocks = [call.result.block, x.block, *[index.block for index in indices]]
        if check(driver, call, text, total, numbers, blocks):
            raise NoKernel("an index is out of bounds")


ROW = Row(refusal, gather)
