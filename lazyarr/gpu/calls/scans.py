"""Running folds: `cumsum`, `cumprod`, `ufunc.accumulate`.

Long lines are cut in parts, each for one group, in three steps::

    totals      of each part but the last
    scan        of the totals, in the same way, until a line is one part
    scan        of each part, from the total of those before it

So each element is read twice and written once. Lines that are short, or many beside each other, are read once.

Parts are tiles in local memory: a work-item scans a run, the group scans what the runs make, and what is before a run
is added as its elements are written. Where neighbouring lines are beside each other in memory, as columns are, a
work-item has a part of a line of its own, without local memory.

The order depends on extents and strides alone. Lines of up to 64 elements, and columns of which there are enough for
one work-item each, are scanned in NumPy's order. Others round otherwise, with smaller errors, as errors grow with the
number of terms added one after another; sums of float16 are float32 until they are stored.
"""

import functools
from typing import Any, NamedTuple

import numpy as np

from lazyarr._core.runtime.device_call import Call, NoKernel, Operand
from lazyarr._core.runtime.kernel_launch import group_size
from lazyarr.gpu.calls.line_tiles import BESIDE, Lines, LineText, Tile, lines_of, padded, room, tile_numbers
from lazyarr.gpu.calls.text import CallText, Row, Text, launch
from lazyarr.gpu.generator.dialects import TYPES
from lazyarr.gpu.generator.emitter import Value, address
from lazyarr.ops.ufunc_rows import UFUNCS

CHUNK = 64  # elements that are folded one after another
ENOUGH = 1 << 16  # lines of which each has a work-item of its own
AHEAD = 8  # elements of a column that are read at once

OPERATIONS = tuple([name for name, op in UFUNCS.items() if op.traits & {"sum", "product", "extremum"}])
"""Those that may be folded in any order, but for rounding."""


class Form(NamedTuple):
    """What specialises a kernel.

    Attributes
    ----------
    op : str
    chars : tuple of str
        Characters of the dtypes of the operand, of what is folded, and of the result.
    told : int
        The status flags to look for.
    axes : int
        Axes besides that of the lines.
    keeps : bool
        Whether it stores running folds, rather than the totals of parts.
    """

    op: str
    chars: tuple[str, str, str]
    told: int
    axes: int
    keeps: bool

    @property
    def name(self) -> str:
        """What the kernel does."""
        return f"{'scan' if self.keeps else 'totals'}_{self.op}"


def items_of(char: str) -> int:
    """Return how many elements a work-item has in tiles, of 16 KiB unless elements are small."""
    return min(16, 64 // np.dtype(char).itemsize)


@functools.cache
def tile_text(form: Form) -> Text:
    """Return the kernel of a step over tiles."""
    op, (read, char, _) = form.op, form.chars
    kind = TYPES[char]
    text = LineText(form.name, ["x", "out", "totals"], ["x", "out"], form.axes, char, items_of(char),
                    [f"{kind} runs[{2 * group_size}]"], form.told)  # fmt: skip
    parts = text.number()
    text.load("x", read)
    text.write("BARRIER;")
    text.write("const u32 begin = lane * run, end = begin + run < count ? begin + run : count;")
    text.write("const bool8 is_used = row < here && begin < count;")
    text.write(f"{kind} folded = {_zero(char)};")
    text.write("u32 turn = 0;")
    text.open("if (is_used)")
    text.write(f"folded = tile[{text.place('row', 'begin')}];")
    text.open("for (u32 j = begin + 1; j < end; j++)")
    _fold(text, op, char, "folded", "folded", f"tile[{text.place('row', 'j')}]")
    if form.keeps:
        text.write(f"tile[{text.place('row', 'j')}] = folded;")
    text.close()
    text.close()
    text.write("runs[item] = folded;")
    text.write("BARRIER;")
    text.open("for (u32 reach = 1; reach < width; reach *= 2)")
    text.open("if (is_used && lane >= reach)")
    _fold(text, op, char, "folded", "runs[turn + item - reach]", "folded")
    text.close()
    text.write(f"turn ^= {group_size}u;")
    text.write("runs[turn + item] = folded;")
    text.write("BARRIER;")
    text.close()
    total = f"*(GLOBAL {kind} *)(totals + ((first_line + row) * {parts} + part"
    if not form.keeps:
        text.write(f"if (is_used && end == count) {total}) * {np.dtype(char).itemsize}) = folded;")
        return text.finish()
    text.open("if (is_used && (lane > 0 || part > 0))")
    text.write("if (lane > 0) folded = runs[turn + item - 1];")
    text.open("if (part > 0)")
    text.write(f"const {kind} before = {total} - 1) * {np.dtype(char).itemsize});")
    text.write("if (lane == 0) folded = before;")
    text.open("else")
    _fold(text, op, char, "folded", "before", "folded")
    text.close()
    text.close()
    text.write(f"runs[(turn ^ {group_size}u) + item] = folded;")
    text.close()
    text.write("BARRIER;")
    where = text.open_store("out")
    text.write(f"{kind} value = tile[{text.place('r', 'j')}];")
    text.open("if (part > 0 || j >= run)")
    _fold(text, op, char, "value", f"runs[(turn ^ {group_size}u) + r * width + j / {items_of(char)}]", "value")
    text.close()
    _store(text, form, where, "value")
    text.close_store()
    return text.finish()


@functools.cache
def column_text(form: Form) -> Text:
    """Return the kernel of a step over columns."""
    op, (read, char, _) = form.op, form.chars
    kind, itemsize = TYPES[char], np.dtype(char).itemsize
    text = CallText(f"column_{form.name}", ["x", "out", "totals"], int(form.told != 0), [form.told])
    items, lines, length, size = text.numbers(4)
    extents = text.numbers(form.axes)
    (first, step, *strides), (out_first, out_step, *out_strides) = [text.numbers(2 + form.axes) for _ in range(2)]
    if form.told:
        text.write("u32 status0 = 0;")
    text.open(f"for (i64 e = GLOBAL_ID; e < {items}; e += GLOBAL_SIZE)")
    text.write(f"const i64 part = quotient(e, {lines}), line = e - part * {lines}, start = part * {size};")
    text.write(f"const i64 count = {length} - start < {size} ? {length} - start : {size};")
    place = text.coordinates("line", extents)[: form.axes]
    text.write(f"GLOBAL const char *from = {address(f'x + {first}', place, strides)} + start * {step};")
    text.write(f"{kind} folded = {_zero(char)};")
    if form.keeps:
        text.write(f"GLOBAL char *to = {address(f'out + {out_first}', place, out_strides)} + start * {out_step};")
        text.write(f"if (part > 0) folded = *(GLOBAL {kind} *)(totals + (e - {lines}) * {itemsize});")
    text.open(f"for (i64 i = 0; i < count; i += {AHEAD})")
    for k in range(AHEAD):
        index = f"(i + {k} < count ? i + {k} : i)" if k else "i"
        text.write(f"const {TYPES[read]} v{k} = *(GLOBAL const {TYPES[read]} *)(from + {index} * {step});")
    for k in range(AHEAD):
        text.open(f"if (i + {k} < count)")
        element = text.cast(Value(read, f"v{k}"), char, 0)
        text.name(element)
        if k == 0:
            text.write(f"if (i == 0{' && part == 0' if form.keeps else ''}) folded = {element.text};")
            text.open("else")
        _fold(text, op, char, "folded", "folded", element.text)
        if k == 0:
            text.close()
        if form.keeps:
            _store(text, form, f"to + (i + {k}) * {out_step}", "folded")
        text.close()
    text.close()
    if not form.keeps:
        text.write(f"*(GLOBAL {kind} *)(totals + e * {itemsize}) = folded;")
    text.close()
    if form.told:
        text.write("if (status0) atomic_or_u32(status, status0);")
    return text.finish()


def _zero(char: str) -> str:
    return f"complex_{TYPES[char]}(0, 0)" if char in "FD" else "0"


def _fold(text: CallText, op: str, char: str, target: str, left: str, right: str) -> None:
    """Write ``target = left op right``."""
    result = text.apply(op, 2 * char, char, [Value(char, left, 2, True), Value(char, right, 2, True)], 0)[0]
    text.write(f"{target} = {result.text};")


def _store(text: CallText, form: Form, where: str, value: str) -> None:
    """Write a store of what is folded."""
    _, char, made = form.chars
    result = text.cast(Value(char, value, 2, True), made, 0)
    text.write(f"*(GLOBAL {TYPES[made]} *)({where}) = {result.text};")


def refusal(call: Call) -> str | None:
    """Return why a call has no kernel, None if it has."""
    x, result = call.operands[0], call.result
    op, char = call.name.removesuffix(".accumulate"), result.dtype.char
    if not {x.dtype.char, char} <= TYPES.keys() or not np.can_cast(x.dtype, result.dtype):
        return f"{call.name} {x.dtype.char}->{char} has no form on the device"
    if char in "efdFD" and "product" in UFUNCS[op].traits:
        return f"{call.name} {char} in another order may overflow where NumPy's does not"
    try:
        tile_text(Form(op, (x.dtype.char, char, char), 0, 0, True))
    except NoKernel as reason:
        return str(reason)
    return None


def accumulate(driver: Any, call: Call) -> None:
    """Fold along an axis; the result may lie where the operand does."""
    if 0 not in call.result.shape:
        _scan(driver, call, call.operands[0], call.result, call.function.keywords["axis"])


ROW = Row(refusal, accumulate)


def _scan(driver: Any, call: Call, x: Operand, out: Operand, axis: int) -> None:
    """Scan lines along an axis."""
    lines = lines_of(axis, x, out)
    are_columns = lines.inner >= BESIDE and lines.are_across(0) and lines.are_across(1)
    in_order = lines.length <= CHUNK or (are_columns and lines.number >= ENOUGH)
    op, char = call.name.removesuffix(".accumulate"), out.dtype.char
    if char == "e" and "sum" in UFUNCS[op].traits and not in_order:
        char = "f"
    tile = _tile_of(lines, char)
    size = lines.length if in_order else CHUNK if are_columns else tile.pitch
    parts = -(-lines.length // size)
    totals, itemsize = out.block, np.dtype(char).itemsize
    form = Form(op, (x.dtype.char, char, out.dtype.char), call.told if out.dtype.kind in "fc" else 0,
                len(lines.extents), True)  # fmt: skip

    def step(form: Form, parts_done: int) -> None:
        if are_columns:
            items = lines.number * parts_done
            numbers, text = [items, lines.number, lines.length, size, *lines.numbers], column_text(form)
        else:
            groups, numbers = tile_numbers(lines, tile, char, parts_done)
            items, numbers, text = groups * group_size, [*numbers, parts - 1], tile_text(form)
        launch(driver, call, text, items, numbers, [x.block, out.block, totals])

    if parts > 1:
        totals = driver.workspace(lines.number * (parts - 1) * itemsize)
        step(form._replace(keeps=False), parts - 1)
        shape = (parts - 1, lines.number) if are_columns else (lines.number, parts - 1)
        inner = Operand(totals, 0, shape, (shape[1] * itemsize, itemsize), np.dtype(char))
        _scan(driver, call, inner, inner, int(not are_columns))
    step(form, parts)


def _tile_of(lines: Lines, char: str) -> Tile:
    """Return the tile of a group."""
    items = items_of(char)
    if lines.length <= CHUNK:
        most = min(items * group_size // lines.length, room(items * group_size, char) // padded(lines.length, char))
        return Tile(min(group_size, most), 1, lines.length)
    width = group_size
    if lines.are_across(0) or lines.are_across(1):
        width = 1 << (group_size // min(lines.inner, BESIDE)).bit_length() - 1
    width = min(width, 1 << (-(-lines.length // items) - 1).bit_length())
    rows = group_size // width
    return Tile(min(rows, lines.inner) if width * items < lines.length else rows, width, items)
