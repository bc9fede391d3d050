"""Tiles of lines in local memory, for kernels that work along an axis.

A group loads `rows` lines at a time, `pitch` elements of each. Global reads and writes are coalesced: they follow the
order of memory. In between, each work-item has a run of a line. Every 128 bytes of a line are followed by a word of
padding, and lines begin at odd distances, so that neither order has bank conflicts.
"""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from lazyarr._core.runtime.device_call import Call, Operand
from lazyarr._core.runtime.kernel_launch import group_size
from lazyarr.gpu.calls.text import CallText, Text, launch
from lazyarr.gpu.generator.dialects import TYPES
from lazyarr.gpu.generator.emitter import Value, address

BESIDE = 32  # neighbouring lines with which reads are coalesced
COPIED = 8  # elements that a work-item copies
BANKS = 128  # bytes across all banks of local memory
WORDS = ("groups", "tiles", "lines", "length", "rows", "width", "run", "padded")


class Lines(NamedTuple):
    """Lines along an axis, of arrays of one shape.

    Attributes
    ----------
    length : int
    extents : tuple of int
        Of the other axes, merged where all arrays allow; the last one is the innermost of the
        first array.
    moves : tuple
        For each array its offset, its stride along lines, and its strides along the other axes.
    """

    length: int
    extents: tuple[int, ...]
    moves: tuple[tuple[int, ...], ...]

    @property
    def number(self) -> int:
        """Number of lines."""
        return math.prod(self.extents)

    @property
    def inner(self) -> int:
        """Extent of the innermost other axis."""
        return self.extents[-1] if self.extents else 1

    def are_across(self, array: int) -> bool:
        """Return whether neighbouring lines are closer together in memory than the elements of a line."""
        return len(self.extents) > 0 and abs(self.moves[array][-1]) < abs(self.moves[array][1])

    @property
    def numbers(self) -> list[int]:
        """Numbers of the kernel's layout: extents and moves."""
        return [*self.extents, *[number for move in self.moves for number in move]]


def lines_of(axis: int, *arrays: Operand) -> Lines:
    """Return the lines of arrays along an axis."""
    shape = arrays[0].shape
    order = sorted((d for d in range(len(shape)) if d != axis and shape[d] != 1),
                   key=lambda d: -abs(arrays[0].strides[d]))  # fmt: skip
    extents: list[int] = []
    innermost: list[int] = []
    for d in order:
        if extents and all(array.strides[innermost[-1]] == shape[d] * array.strides[d] for array in arrays):
            extents[-1] *= shape[d]
            innermost[-1] = d
        else:
            extents.append(shape[d])
            innermost.append(d)
    moves = [(array.offset, array.strides[axis], *[array.strides[d] for d in innermost]) for array in arrays]
    return Lines(shape[axis], tuple(extents), tuple(moves))


class Tile(NamedTuple):
    """The tile of a group: work-items per line, each with a run of elements.

    Attributes
    ----------
    rows : int
        Lines.
    width : int
        Work-items per line.
    run : int
        Elements per work-item.
    """

    rows: int
    width: int
    run: int

    @property
    def pitch(self) -> int:
        """Number of elements of a line."""
        return self.width * self.run


def padded(pitch: int, char: str) -> int:
    """Return the distance between lines in local memory, in elements."""
    shift, pad = _padding(char)
    return pitch + (pitch >> shift) * pad | 1


def room(most: int, char: str) -> int:
    """Return the elements of local memory for tiles of `most` elements, with at most a line per work-item."""
    shift, pad = _padding(char)
    return most + (most >> shift) * pad + group_size


def _padding(char: str) -> tuple[int, int]:
    """Return the interval of padding as log2 of a number of elements, and the padding in elements."""
    itemsize = np.dtype(char).itemsize
    return (BANKS // itemsize).bit_length() - 1, max(4 // itemsize, 1)


class LineText(CallText):
    """Emits a kernel that loops over tiles of lines.

    Parameters
    ----------
    name : str
    pointers : sequence of str
    moved : sequence of str
        Pointers to arrays of lines, in the order of `Lines.moves`.
    axes : int
        Number of axes besides that of the lines.
    char : str
        Dtype character in local memory.
    items : int
        Largest number of elements per work-item.
    shared : sequence of str
        Declarations of other local memory.
    reported_flags : int, optional
        Status flags to detect.
    begin : callable, optional
        For kernels in which a group processes all tiles of its lines sequentially: ``begin(self)`` emits the code
        before them, and declares the number of the first one, `first_part`.
    """

    def __init__(self, name: str, pointers: Sequence[str], moved: Sequence[str], axes: int, char: str, items: int,
                 shared: Sequence[str], reported_flags: int = 0,
                 begin: Callable[[Any], None] | None = None):  # fmt: skip
        super().__init__(name, pointers, int(reported_flags != 0), [reported_flags, 0])
        self.char, self.kind, self.items = char, TYPES[char], items
        self.word = dict(zip(WORDS, self.numbers(len(WORDS)), strict=True))
        self.across = {pointer: self.number() for pointer in moved}
        extents = self.numbers(axes)
        self.moves = {pointer: self.numbers(2 + axes) for pointer in moved}
        if reported_flags:
            self.write("u32 status0 = 0;")
        self.write(f"LOCAL {self.kind} tile[{room(items * group_size, char)}];")
        for declared in (*shared, *[f"i64 at_{pointer}[{group_size}]" for pointer in moved]):
            self.write(f"LOCAL {declared};")
        self.write(f"const u32 item = LOCAL_ID, rows = {self.word['rows']}, width = {self.word['width']}, "
                   f"run = {self.word['run']}, padded = {self.word['padded']};")  # fmt: skip
        self.write("const u32 pitch = width * run, lane = item % width, row = item / width;")
        for pointer in moved:
            self.write(f"const u32 minor_{pointer} = {self.across[pointer]} ? rows : pitch;")
        tiles, self._loops = self.word["tiles"], 1 if begin is None else 2
        if begin is not None:
            self.open(f"for (i64 unit = GROUP_ID; unit * {tiles} < {self.word['groups']}; unit += GROUPS)")
            begin(self)
            self.open(f"for (i64 part = first_part; part < {tiles}; part++)")
        else:
            self.open(f"for (i64 group = GROUP_ID; group < {self.word['groups']}; group += GROUPS)")
            self.write(f"const i64 unit = quotient(group, {tiles}), part = group - unit * {tiles};")
        self.write("const i64 first_line = unit * rows, start = part * pitch;")
        self.write(f"const i64 left = {self.word['length']} - start, below = {self.word['lines']} - first_line;")
        self.write("const u32 count = left < pitch ? left : pitch, here = below < rows ? below : rows;")
        self.open("if (item < rows)")
        self.write("const i64 line = first_line + (item < here ? item : here - 1);")
        place = self.coordinates("line", extents)[:axes]
        for pointer, (first, step, *strides) in self.moves.items():
            self.write(f"at_{pointer}[item] = {address(first, place, strides)} + start * {step};")
        self.close()
        self.write("BARRIER;")

    def place(self, row: str, index: str) -> str:
        """Return the index in local memory of an element of a line."""
        shift, pad = _padding(self.char)
        return f"{row} * padded + {index} + ({index} >> {shift})" + (f" * {pad}" if pad > 1 else "")

    def _begin_order(self, pointer: str) -> None:
        """Declare indices in an array's memory order: `i` fastest, then `o`."""
        self.write(f"u32 i = item % minor_{pointer}, o = item / minor_{pointer};")
        self.write(f"const u32 step_i = {group_size} % minor_{pointer}, step_o = {group_size} / minor_{pointer};")

    def _advance(self, pointer: str) -> None:
        self.write("i += step_i; o += step_o;")
        self.write(f"if (i >= minor_{pointer}) {{ i -= minor_{pointer}; o++; }}")

    def load(self, pointer: str, char: str, target: str = "tile") -> None:
        """Load the group's elements of an array, issuing all reads before the first is used."""
        self.write("{")
        self.depth += 1
        self._begin_order(pointer)
        step, across = self.moves[pointer][1], self.across[pointer]
        for k in range(self.items):
            self.write(f"const u32 line{k} = {across} ? i : o, j{k} = {across} ? o : i;")
            where = f"{pointer} + at_{pointer}[line{k} < rows ? line{k} : 0] + (j{k} < count ? j{k} : 0) * {step}"
            self.write(f"const {TYPES[char]} v{k} = *(GLOBAL const {TYPES[char]} *)({where});")
            if k < self.items - 1:
                self._advance(pointer)
        for k in range(self.items):
            value = self.cast(Value(char, f"v{k}"), self.char, 0)
            self.write(f"if (item + {k * group_size} < rows * pitch) "
                       f"{target}[{self.place(f'line{k}', f'j{k}')}] = {value.text};")  # fmt: skip
        self.close()

    def open_store(self, pointer: str) -> str:
        """Open a loop over the group's elements, the one at `j` of line `r`; return its address in an array."""
        self.write("{")
        self.depth += 1
        self._begin_order(pointer)
        self.open(f"for (u32 e = item; e < rows * pitch; e += {group_size})")
        self.write(f"const u32 r = {self.across[pointer]} ? i : o, j = {self.across[pointer]} ? o : i;")
        self._advance(pointer)
        self.open("if (r < here && j < count)")
        return f"{pointer} + at_{pointer}[r] + j * {self.moves[pointer][1]}"

    def close_store(self) -> None:
        """Close such a loop."""
        for _ in range(3):
            self.close()

    def finish(self) -> Text:
        """Close the loop over tiles; return the kernel."""
        self.write("BARRIER;")
        for _ in range(self._loops):
            self.close()
        if self._nstatus:
            self.write("if (status0) atomic_or_u32(status, status0);")
        return super().finish()


@functools.cache
def copy_text(char: str, axes: int) -> Text:
    """Return the kernel that copies lines, with coalesced reads and writes."""
    text = LineText("copy_lines", ["x", "out"], ["x", "out"], axes, char, COPIED, [])
    text.load("x", char)
    text.write("BARRIER;")
    where = text.open_store("out")
    text.write(f"*(GLOBAL {TYPES[char]} *)({where}) = tile[{text.place('r', 'j')}];")
    text.close_store()
    return text.finish()


def copy_lines(driver: Any, call: Call, x: Operand, out: Operand, axis: int) -> None:
    """Copy an array in tiles, wide enough for coalesced reads."""
    lines, tile, char = lines_of(axis, x, out), Tile(BESIDE, group_size // BESIDE, COPIED), x.dtype.char
    groups, numbers = tile_numbers(lines, tile, char, -(-lines.length // tile.pitch))
    launch(driver, call, copy_text(char, len(lines.extents)), groups * group_size, numbers, [x.block, out.block])


def tile_numbers(lines: Lines, tile: Tile, char: str, tiles: int) -> tuple[int, list[int]]:
    """Return the number of groups that cover the first `tiles` tiles of all lines, and the kernel's numbers."""
    groups = -(-lines.number // tile.rows) * tiles
    words = [groups, tiles, lines.number, lines.length, tile.rows, tile.width, tile.run, padded(tile.pitch, char)]
    return groups, [*words, *[int(lines.are_across(k)) for k in range(len(lines.moves))], *lines.numbers]
