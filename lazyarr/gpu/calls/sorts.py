"""Merge sort of lines, and searches in sorted ones.

A group sorts a tile of lines in local memory: each work-item sorts a run of elements, and runs are then merged,
doubling in length each time. Longer lines are merged in the same way, in passes over all elements, by groups that each
compute a tile of the result. A separate kernel first finds where each tile begins in both runs, with a work-item per
tile, because every step of such a search waits for memory. Positions move with values. Equal elements keep their order,
and NaNs go last.

Merging supports all dtypes and orders. A radix sort would read 32-bit keys less often, but 64-bit keys as often, and
its keys cannot represent equal zeros and NaNs.

`argsort` with an unstable algorithm runs here only if all elements of a line differ: then the sorting permutation is
unique.
"""

import functools
import math
from typing import Any

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.runtime.device_call import Call, NoKernel, Operand
from lazyarr._core.runtime.kernel_launch import group_size
from lazyarr.gpu.calls.line_tiles import BESIDE, LineText, Tile, copy_lines, lines_of, room, tile_numbers
from lazyarr.gpu.calls.text import CallText, Row, Text, check, launch
from lazyarr.gpu.generator.dialects import TYPES
from lazyarr.gpu.generator.emitter import address

STABLE = 2  # NumPy's code of the algorithm
_TIES = "the order of equal elements is that of the host's algorithm"


def items_of(char: str, is_argsort: bool) -> int:
    """Return the elements per work-item: a tile, with its positions, takes at most 26 KiB."""
    itemsize = np.dtype(char).itemsize
    return 4 if itemsize == 16 or (is_argsort and itemsize == 8) else 8


class _SortText(LineText):
    """Emits a kernel that sorts or merges; `v0` and so on are a work-item's values, `p0` and so on their positions."""

    def __init__(self, name: str, char: str, axes: int, is_argsort: bool, is_last: bool):
        self.is_argsort = is_argsort
        items = items_of(char, is_argsort)
        self.moved = [*([] if is_argsort and is_last else ["out"]), *(["to"] if is_argsort else [])]
        shared = [f"i64 places[{room(items * group_size, char)}]"] if is_argsort else []
        pointers = ["x", "from", "splits", "out", "to"]
        super().__init__(name, pointers, ["x", *self.moved], axes, char, items, shared)

    def sort_runs(self) -> None:
        """Emit a network that sorts the work-item's values by exchanging neighbours, which is stable."""
        self.write("const u32 begin = lane * run;")
        for k in range(self.items):
            self.write(f"{self.kind} v{k} = tile[{self.place('row', f'(begin + {k})')}];")
            if self.is_argsort:
                self.write(f"i64 p{k} = start + begin + {k};")
        for turn in range(self.items):
            for k in range(turn % 2, self.items - 1, 2):
                self.open(f"if (begin + {k + 1} < count && {_less(self.char, f'v{k + 1}', f'v{k}')})")
                self.write(f"const {self.kind} other = v{k}; v{k} = v{k + 1}; v{k + 1} = other;")
                if self.is_argsort:
                    self.write(f"const i64 other_place = p{k}; p{k} = p{k + 1}; p{k + 1} = other_place;")
                self.close()

    def merge(self) -> None:
        """Emit a merge of the runs that begin at `a` and `b`: the work-item gets the values from `diagonal` on."""
        first, second = (f"tile[{self.place('row', at)}]" for at in ("(a + middle)", "(b + diagonal - 1 - middle)"))
        self.write("u32 low = diagonal > b_end - b ? diagonal - (b_end - b) : 0;")
        self.write("u32 high = diagonal < a_end - a ? diagonal : a_end - a;")
        self.open("while (low < high)")
        self.write("const u32 middle = (low + high) / 2;")
        self.write(f"const {self.kind} other = {first}, value = {second};")
        self.write(f"if ({_less(self.char, 'value', 'other')}) high = middle;")
        self.write("else low = middle + 1;")
        self.close()
        self.write("a += low; b += diagonal - low;")
        zero = f"complex_{self.kind}(0, 0)" if self.char in "FD" else "0"
        self.write(f"{self.kind} x_a = {zero}, x_b = {zero};")
        for run in "ab":
            self.write(f"if ({run} < {run}_end) x_{run} = tile[{self.place('row', run)}];")
        for k in range(self.items):
            self.open("if (a < a_end || b < b_end)")
            self.write(f"const bool8 is_b = b < b_end && (a >= a_end || {_less(self.char, 'x_b', 'x_a')});")
            self.write(f"v{k} = is_b ? x_b : x_a;")
            if self.is_argsort:
                self.write("const u32 taken = is_b ? b : a;")
                self.write(f"p{k} = places[{self.place('row', 'taken')}];")
            for run, test in (("b", "is_b"), ("a", "!is_b")):
                self.write(f"if ({test} && ++{run} < {run}_end) x_{run} = tile[{self.place('row', run)}];")
            self.close()

    def keep(self) -> None:
        """Store the work-item's values and positions in local memory."""
        for k in range(self.items):
            place = self.place("row", f"(begin + {k})")
            self.write(f"tile[{place}] = v{k};")
            if self.is_argsort:
                self.write(f"places[{place}] = p{k};")

    def store(self) -> None:
        """Store the group's values and positions in global memory."""
        for pointer in self.moved:
            kind, source = (self.kind, "tile") if pointer == "out" else ("i64", "places")
            where = self.open_store(pointer)
            self.write(f"*(GLOBAL {kind} *)({where}) = {source}[{self.place('r', 'j')}];")
            self.close_store()


@functools.cache
def tiles_text(char: str, axes: int, is_argsort: bool, is_last: bool) -> Text:
    """Return the kernel that sorts tiles of lines, which have `axes` other axes.

    That of `argsort` stores the positions of elements, and also their values unless it is the last one.
    """
    text = _SortText("sort_tiles", char, axes, is_argsort, is_last)
    text.load("x", char)
    text.write("BARRIER;")
    text.sort_runs()
    text.open("for (u32 reach = run; reach < pitch; reach *= 2)")
    text.keep()
    text.write("BARRIER;")
    text.write("u32 a = begin & ~(2 * reach - 1);")
    text.write("const u32 a_end = a + reach < count ? a + reach : count;")
    text.write("u32 b = a + reach;")
    text.write("const u32 b_end = b + reach < count ? b + reach : count;")
    text.write("const u32 diagonal = begin - a;")
    text.open("if (begin < count && b < count)")
    text.merge()
    text.close()
    text.write("BARRIER;")
    text.close()
    text.keep()
    text.write("BARRIER;")
    text.store()
    return text.finish()


@functools.cache
def splits_text(char: str) -> Text:
    """Return the kernel that finds how many elements of the first of two runs precede each tile of their merge."""
    kind, itemsize = TYPES[char], np.dtype(char).itemsize
    text = CallText("splits", ["x", "splits"])
    items, tiles, length, size, width = text.numbers(5)
    text.open(f"for (i64 e = GLOBAL_ID; e < {items}; e += GLOBAL_SIZE)")
    text.write(f"const i64 line = quotient(e, {tiles}), at = (e - line * {tiles}) * {size};")
    text.write(f"const i64 start = at & ~(2 * {width} - 1), diagonal = at - start, left = {length} - start;")
    text.write(f"GLOBAL const char *a = x + (line * {length} + start) * {itemsize}, *b = a + {width} * {itemsize};")
    text.write(f"const i64 of_a = left < {width} ? left : {width};")
    text.write(f"const i64 of_b = left - of_a < {width} ? left - of_a : {width};")
    text.write("i64 low = diagonal > of_b ? diagonal - of_b : 0, high = diagonal < of_a ? diagonal : of_a;")
    text.open("while (low < high)")
    text.write("const i64 middle = (low + high) / 2;")
    text.write(f"const {kind} other = *(GLOBAL const {kind} *)(a + middle * {itemsize});")
    text.write(f"const {kind} value = *(GLOBAL const {kind} *)(b + (diagonal - 1 - middle) * {itemsize});")
    text.write(f"if ({_less(char, 'value', 'other')}) high = middle;")
    text.write("else low = middle + 1;")
    text.close()
    text.write("*(GLOBAL i64 *)(splits + e * 8) = low;")
    text.close()
    return text.finish()


@functools.cache
def merge_text(char: str, axes: int, is_argsort: bool, is_last: bool) -> Text:
    """Return the kernel of a pass that merges neighbouring runs of dense lines; for its parameters see `tiles_text`."""
    kind, itemsize = TYPES[char], np.dtype(char).itemsize
    text = _SortText("merge_tiles", char, axes, is_argsort, is_last)
    width = text.number()
    length = text.word["length"]
    text.write(f"const i64 pair = start & ~(2 * {width} - 1), above = {length} - pair;")
    text.write(f"const i64 of_a = above < {width} ? above : {width};")
    text.write(f"const i64 both = above < 2 * {width} ? above : 2 * {width}, before = start - pair;")
    text.write("const i64 split = *(GLOBAL const i64 *)(splits + group * 8);")
    text.write("const i64 next = before + count == both ? of_a : *(GLOBAL const i64 *)(splits + group * 8 + 8);")
    text.write(f"const i64 first_a = split - before, first_b = {width} - split;")
    text.write("const u32 a_end = next - split, b_end = count, begin = lane * run;")
    for k in range(text.items):
        text.write(f"const u32 e{k} = item + {k * group_size} < count ? item + {k * group_size} : 0;")
        text.write(f"const i64 from{k} = e{k} < a_end ? first_a + e{k} : first_b + (e{k} - a_end);")
        text.write(f"{kind} v{k} = *(GLOBAL const {kind} *)(x + at_x[0] + from{k} * {itemsize});")
        if is_argsort:
            text.write(f"i64 p{k} = *(GLOBAL const i64 *)(from + (unit * {length} + start + from{k}) * 8);")
    for k in range(text.items):
        place = text.place("0", f"(item + {k * group_size})")
        text.write(f"tile[{place}] = v{k};")
        if is_argsort:
            text.write(f"places[{place}] = p{k};")
    text.write("BARRIER;")
    text.write("u32 a = 0, b = a_end;")
    text.write("const u32 diagonal = begin < count ? begin : count;")
    text.merge()
    text.write("BARRIER;")
    text.keep()
    text.write("BARRIER;")
    text.store()
    return text.finish()


@functools.cache
def ties_text(char: str, axes: int) -> Text:
    """Return the kernel that looks for equal elements in lines, given their sorting permutation."""
    text = CallText("ties", ["x", "places"], 1)
    items, pairs = text.numbers(2)
    extents = text.numbers(axes)
    first, step, *strides = text.numbers(2 + axes)
    places_first, places_step, *places_strides = text.numbers(2 + axes)
    text.write("u32 found = 0;")
    text.open(f"for (i64 e = GLOBAL_ID; e < {items}; e += GLOBAL_SIZE)")
    text.write(f"const i64 line = quotient(e, {pairs}), i = e - line * {pairs};")
    place = text.coordinates("line", extents)[:axes]
    text.write(f"GLOBAL char *values = {address(f'x + {first}', place, strides)};")
    text.write(f"GLOBAL char *at = {address(f'places + {places_first}', place, places_strides)} + i * {places_step};")
    for name, number in (("value", "at"), ("other", f"at + {places_step}")):
        source = f"values + *(GLOBAL i64 *)({number}) * {step}"
        text.write(f"const {TYPES[char]} {name} = *(GLOBAL {TYPES[char]} *)({source});")
    text.write(f"found |= !({_less(char, 'value', 'other')});")
    text.close()
    text.write("if (found) atomic_or_u32(status, 1u);")
    return text.finish()


@functools.cache
def searchsorted_text(char: str, axes: int, is_right: bool, has_sorter: bool) -> Text:
    """Return the kernel that finds insertion points for the elements of an array with `axes` axes."""
    kind = TYPES[char]
    text = CallText("searchsorted", ["x", "v", "out", "sorter"], int(has_sorter))
    items, length, x_first, step, sorter_first, sorter_step = text.numbers(6)
    extents, first, out_first = text.numbers(axes), text.number(), text.number()
    strides, out_strides = text.numbers(axes), text.numbers(axes)
    if has_sorter:
        text.write("u32 outside = 0;")
    text.open(f"for (i64 e = GLOBAL_ID; e < {items}; e += GLOBAL_SIZE)")
    place = text.coordinates("e", extents)[:axes]
    text.write(f"const {kind} value = *(GLOBAL const {kind} *)({address(f'v + {first}', place, strides)});")
    text.write(f"i64 low = 0, high = {length};")
    goes_before = f"!({_less(char, 'value', 'other')})" if is_right else _less(char, "other", "value")
    text.open("while (low < high)")
    text.write("const i64 middle = (low + high) / 2;")
    at = "middle"
    if has_sorter:
        at = "at"
        text.write(f"const i64 at = *(GLOBAL i64 *)(sorter + {sorter_first} + middle * {sorter_step});")
        text.open(f"if ((u64)at >= (u64){length})")
        text.write("outside = 1;")
        text.write("break;")
        text.close()
    text.write(f"const {kind} other = *(GLOBAL const {kind} *)(x + {x_first} + {at} * {step});")
    text.write(f"if ({goes_before}) low = middle + 1;")
    text.write("else high = middle;")
    text.close()
    text.write(f"*(GLOBAL i64 *)({address(f'out + {out_first}', place, out_strides)}) = low;")
    text.close()
    if has_sorter:
        text.write("if (outside) atomic_or_u32(status, 1u);")
    return text.finish()


def _less(char: str, x: str, y: str) -> str:
    """Return a test of whether x goes before y."""
    if char in "FD":
        return f"goes_before_{TYPES[char]}({x}, {y})"
    if char == "e":
        x, y = f"f32_of_f16({x})", f"f32_of_f16({y})"
    return f"({x} < {y} || (isnan({y}) && !isnan({x})))" if char in "efd" else f"{x} < {y}"


def refusal(call: Call) -> str | None:
    """Return why a call has no kernel, or None."""
    x, is_partition = call.operands[0], "partition" in call.name
    is_described = is_partition or isinstance(call.function, core.Kernel)
    if not is_described or x.dtype.char not in TYPES:
        return f"{call.name} {x.dtype.char} has no form on the device"
    values = 2 if x.dtype.kind == "b" else 1 << 8 * x.dtype.itemsize
    return _TIES if _must_differ(call) and x.shape[call.function.keywords["axis"]] > values else None


def _must_differ(call: Call) -> bool:
    """Return whether a call is supported only for distinct elements."""
    return call.name == "argsort" and call.function.how != STABLE


def sort(driver: Any, call: Call) -> None:
    """Sort lines along an axis, or find the permutation that sorts them; a sorted line is also partitioned."""
    x, out, axis = call.operands[0], call.result, call.function.keywords["axis"]
    sort_lines(driver, call, x, out, axis, call.name.startswith("arg"))
    length = x.shape[axis]
    if _must_differ(call) and length > 1 and math.prod(x.shape):
        extents = [*x.shape[:axis], *x.shape[axis + 1 :]]
        pairs = math.prod(extents) * (length - 1)
        numbers = [pairs, length - 1, *extents, *_moves(x, axis), *_moves(out, axis)]
        if check(driver, call, ties_text(x.dtype.char, len(extents)), pairs, numbers, [x.block, out.block]):
            raise NoKernel(_TIES)


def sort_lines(driver: Any, call: Call, x: Operand, out: Operand, axis: int, is_argsort: bool) -> None:
    """Store sorted lines, or the permutation that sorts them."""
    if math.prod(x.shape):
        _Sort(driver, call, x, out, axis, is_argsort).run()


def _moves(x: Operand, axis: int) -> list[int]:
    """Return the offset and strides of lines along an axis."""
    return [x.offset, x.strides[axis], *x.strides[:axis], *x.strides[axis + 1 :]]


class _Sort:
    """The launches of a sort: pass 0 sorts tiles, later passes merge runs, at first of a tile's length."""

    def __init__(self, driver: Any, call: Call, x: Operand, out: Operand, axis: int, is_argsort: bool):
        self.driver, self.call, self.x, self.out, self.axis = driver, call, x, out, axis
        self.is_argsort, self.char, self.length = is_argsort, x.dtype.char, x.shape[axis]
        items = items_of(self.char, is_argsort)
        self.size = items * group_size
        width = min(group_size, 1 << (max(-(-self.length // items), 1) - 1).bit_length())
        self.tile = Tile(group_size // width, width, items)
        self.tiles = -(-self.length // self.size)
        self.last = (self.tiles - 1).bit_length()
        self.values = self._targets(x, None if is_argsort else out)
        self.places = self._targets(out, out) if is_argsort else []

    def _targets(self, like: Operand, result: Operand | None) -> list[Operand]:
        """Return where each pass stores: the last one in the result, if there is one and its stores are coalesced.

        The others store in dense arrays, one of which may be the result, unless the next pass stores there.
        """
        dense = [result] if result is not None and not result.offset and _is_dense(result, self.axis) else []
        targets: list[Operand] = []  # last pass first
        for number in range(self.last, -1, -1):
            if number == self.last and (result is None or not self._is_apart(result)):
                targets.append(like if result is None else result)
                continue
            found = next((array for array in dense if not targets or array is not targets[-1]), None)
            if found is None:
                found = _dense(self.driver, like, self.axis)
                dense.append(found)
            targets.append(found)
        return targets[::-1]

    def _is_apart(self, array: Operand) -> bool:
        """Return whether a tile has too few lines of an array for coalesced access."""
        lines = lines_of(self.axis, array)
        return lines.are_across(0) and self.tile.rows < min(lines.inner, BESIDE)

    def run(self) -> None:
        """Launch the kernels."""
        source = self.x
        if self._is_apart(source):
            is_kept = self.last or not self.is_argsort  # pass 0 may work in place
            source = self.values[0] if is_kept else _dense(self.driver, source, self.axis)
            copy_lines(self.driver, self.call, self.x, source, self.axis)
        splits = self.driver.workspace(8 * self.tiles * (math.prod(self.x.shape) // self.length)) if self.last else None
        for number in range(self.last + 1):
            self._launch(number, source if number == 0 else self.values[number - 1], splits)
        results = (self.places or self.values)[-1]
        if results is not self.out:
            copy_lines(self.driver, self.call, results, self.out, self.axis)

    def _launch(self, number: int, source: Operand, splits: Any) -> None:
        is_last = number == self.last
        moved = [source, *([] if self.is_argsort and is_last else [self.values[number]]),
                 *([self.places[number]] if self.is_argsort else [])]  # fmt: skip
        lines = lines_of(self.axis, *moved)
        groups, numbers = tile_numbers(lines, self.tile, self.char, self.tiles)
        form = self.char, len(lines.extents), self.is_argsort, is_last
        places = self.places[max(number - 1, 0)].block if self.is_argsort else source.block
        to = self.places[number].block if self.is_argsort else source.block
        if number == 0:
            text = tiles_text(*form)
        else:
            width = self.size << number - 1
            launch(self.driver, self.call, splits_text(self.char), groups,
                   [groups, self.tiles, self.length, self.size, width], [source.block, splits])  # fmt: skip
            text, numbers = merge_text(*form), [*numbers, width]
        launch(self.driver, self.call, text, groups * group_size, numbers,
               [source.block, places, source.block if splits is None else splits, self.values[number].block,
                to])  # fmt: skip


def _is_dense(array: Operand, axis: int) -> bool:
    return all(extent == 1 or stride == wanted for extent, stride, wanted in zip(
        array.shape, array.strides, _dense_strides(array, axis), strict=True))  # fmt: skip


def _dense_strides(like: Operand, axis: int) -> tuple[int, ...]:
    """Return the strides of an array whose lines along an axis are consecutive."""
    strides, step = [0] * len(like.shape), like.dtype.itemsize
    for d in (axis, *[d for d in reversed(range(len(like.shape))) if d != axis]):
        strides[d] = step
        step *= like.shape[d]
    return tuple(strides)


def _dense(driver: Any, like: Operand, axis: int) -> Operand:
    """Return a workspace array of this shape, with consecutive lines."""
    nbytes = math.prod(like.shape) * like.dtype.itemsize
    return Operand(driver.workspace(nbytes), 0, like.shape, _dense_strides(like, axis), like.dtype)


def search_refusal(call: Call) -> str | None:
    """Return why insertion points have no kernel, or None."""
    x, v, *sorter = call.operands
    takes_sorter = all(operand.dtype.char in "lq" for operand in sorter)
    if not takes_sorter or x.dtype != v.dtype or x.dtype.char not in TYPES:
        return f"searchsorted {''.join(operand.dtype.char for operand in call.operands)} has no form on the device"
    return None


def search_sorted(driver: Any, call: Call) -> None:
    """Compute insertion points."""
    (x, v, *sorters), out = call.operands, call.result
    total, sorter = math.prod(v.shape), (*sorters, x)[0]
    if total:
        is_right = call.function.keywords["side"] in ("right", "r", "R")
        text = searchsorted_text(x.dtype.char, len(v.shape), is_right, bool(sorters))
        numbers = [total, x.shape[0], x.offset, x.strides[0], sorter.offset, sorter.strides[0],
                   *v.shape, v.offset, out.offset, *v.strides, *out.strides]  # fmt: skip
        if check(driver, call, text, total, numbers, [x.block, v.block, out.block, sorter.block]):
            raise NoKernel("an index of the sorter is out of bounds")


ROW = Row(refusal, sort)
SEARCH_ROW = Row(search_refusal, search_sorted)
