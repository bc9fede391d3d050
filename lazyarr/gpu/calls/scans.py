"""Cumulative folds: `cumsum`, `cumprod`, `ufunc.accumulate`.

Long lines are split into parts, one per group, and scanned in three steps::

    totals      of each part but the last
    scan        of the totals, recursively, until a line is one part
    scan        of each part, starting from the total before it

So each element is read twice and written once. Lines that are short, or many side by side, are read once.

Parts are tiles in local memory: a work-item scans a run, the group scans the totals of runs, and the total before a run
is added when its elements are stored. Where neighbouring lines are adjacent in memory, as columns are, each work-item
scans part of a line on its own, without local memory.

Products of floats are sequential, so that they overflow where NumPy's do: a group processes all tiles of some lines in
order, and a work-item folds a line of a tile. So are sums of floats that might overflow. They are found by their
totals: a total with infinite or very large terms is stored as infinite, other totals are finite or NaN. The sequential
scan begins at the part with the first infinite total.

The order depends only on extents and strides. Lines of up to 64 elements, and columns that are enough for a work-item
each, are scanned in NumPy's order. Others round differently, with smaller errors, as errors grow with the number of
sequential additions; sums of float16 are kept in float32 until they are stored.
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

CHUNK = 64  # elements folded sequentially
ENOUGH = 1 << 16  # number of lines from which on each gets a work-item
AHEAD = 8  # elements of a column that are prefetched
_MARKS = [f"bool8 are_large[{group_size}], is_left[{group_size}]"]

OPERATIONS = tuple([name for name, op in UFUNCS.items() if op.traits & {"sum", "product", "extremum"}])
"""Those that may be folded in any order, but for rounding."""


class Form(NamedTuple):
    """Parameters of a kernel.

    Attributes
    ----------
    op : str
    chars : tuple of str
        Dtype characters of the operand, the accumulator and the result.
    reported_flags : int
        Status flags to detect.
    axes : int
        Number of axes besides that of the lines.
    keeps : bool
        Whether it stores running folds rather than totals of parts.
    checks : bool
        Whether it detects terms that are too large for sums in another order than NumPy's.
    """

    op: str
    chars: tuple[str, str, str]
    reported_flags: int
    axes: int
    keeps: bool
    checks: bool = False

    @property
    def name(self) -> str:
        """Name of the step."""
        return f"{'scan' if self.keeps else 'totals'}_{self.op}"


def items_of(char: str) -> int:
    """Return the elements per work-item in tiles, which have 16 KiB unless elements are small."""
    return min(16, 64 // np.dtype(char).itemsize)


@functools.cache
def tile_text(form: Form) -> Text:
    """Return the kernel of a step over tiles."""
    op, (read, char, _), quiet = form.op, form.chars, int(form.checks)    # those that might overflow are scanned again
    kind, itemsize = TYPES[char], np.dtype(char).itemsize
    shared = [f"{kind} runs[{2 * group_size}]", *(_MARKS if form.checks else [])]
    text = LineText(form.name, ["x", "out", "totals"], ["x", "out"], form.axes, char, items_of(char), shared,
                    form.reported_flags)  # fmt: skip
    parts, limit = text.number(), text.number() if form.checks else ""
    total = f"*(GLOBAL {kind} *)(totals + ((first_line + row) * {parts} + part"
    text.load("x", read)
    if form.checks:
        text.write("are_large[item] = 0;")
    text.write("BARRIER;")
    text.write("const u32 begin = lane * run, end = begin + run < count ? begin + run : count;")
    text.write("const bool8 is_used = row < here && begin < count;")
    text.write(f"{kind} folded = {_zero(char)};")
    text.write("u32 turn = 0;")
    text.open("if (is_used)")
    text.write(f"folded = tile[{text.place('row', 'begin')}];")
    if form.checks:
        text.write(f"bool8 is_large = {_is_large(char, 'folded', limit)};")
    text.open("for (u32 j = begin + 1; j < end; j++)")
    text.write(f"const {kind} term = tile[{text.place('row', 'j')}];")
    if form.checks:
        text.write(f"is_large |= {_is_large(char, 'term', limit)};")
    _fold(text, op, char, "folded", "folded", "term", quiet)
    if form.keeps:
        text.write(f"tile[{text.place('row', 'j')}] = folded;")
    text.close()
    if form.checks and not form.keeps:
        text.write(f"if (is_large) folded = {_infinity(char)};")
    elif form.checks:
        text.write("are_large[item] = is_large;")
    text.close()
    text.write("runs[item] = folded;")
    text.write("BARRIER;")
    text.open("for (u32 reach = 1; reach < width; reach *= 2)")
    text.open("if (is_used && lane >= reach)")
    _fold(text, op, char, "folded", "runs[turn + item - reach]", "folded", quiet)
    text.close()
    text.write(f"turn ^= {group_size}u;")
    text.write("runs[turn + item] = folded;")
    text.write("BARRIER;")
    text.close()
    if not form.keeps:
        text.write(f"if (is_used && end == count) {total}) * {itemsize}) = folded;")
        return text.finish()
    text.open("if (is_used && (lane > 0 || part > 0))")
    text.write("if (lane > 0) folded = runs[turn + item - 1];")
    text.open("if (part > 0)")
    text.write(f"const {kind} before = {total} - 1) * {itemsize});")
    text.write("if (lane == 0) folded = before;")
    text.open("else")
    _fold(text, op, char, "folded", "before", "folded", quiet)
    text.close()
    text.close()
    text.write(f"runs[(turn ^ {group_size}u) + item] = folded;")
    text.close()
    text.write("BARRIER;")
    if form.checks:
        _redo_short_lines(text, form, total, parts)
    where = text.open_store("out")
    if form.checks:
        text.open(f"if ({parts} == 0 || !is_left[r])")
    text.write(f"{kind} value = tile[{text.place('r', 'j')}];")
    text.open(f"if ({'!is_left[r] && ' if form.checks else ''}(part > 0 || j >= run))")
    _fold(text, op, char, "value", f"runs[(turn ^ {group_size}u) + r * width + j / {items_of(char)}]", "value",
          quiet)
    text.close()
    _store(text, form, where, "value")
    if form.checks:
        text.close()
    text.close_store()
    return text.finish()


def _redo_short_lines(text: LineText, form: Form, total: str, parts: str) -> None:
    """Emit code that finds lines to scan again, and rescans lines of one part in local memory."""
    op, (read, char, _) = form.op, form.chars
    kind, itemsize = TYPES[char], np.dtype(char).itemsize
    known = [_is_infinite(char, f"{total}{before}) * {itemsize})") for before in ("", " - 1")]
    known = [one.replace("+ row)", "+ item)") for one in known]
    text.open("if (item < here)")
    text.write(f"bool8 is_redone = {parts} > 0 && ({known[0]} || (part > 0 && ({known[1]})));")
    text.write(f"if ({parts} == 0) for (u32 k = 0; k < width; k++) is_redone |= are_large[item * width + k];")
    text.write("is_left[item] = is_redone;")
    text.open(f"if ({parts} == 0 && is_redone)")
    text.open("for (u32 j = 0; j < count; j++)")
    element = f"*(GLOBAL const {TYPES[read]} *)(x + at_x[item] + j * {text.moves['x'][1]})"
    text.write(f"const {kind} term = {text.cast(Value(read, element), char, 0).text};")
    text.write("if (j == 0) folded = term;")
    text.open("else")
    _fold(text, op, char, "folded", "folded", "term")
    text.close()
    text.write(f"tile[{text.place('item', 'j')}] = folded;")
    for _ in range(3):
        text.close()
    text.write("BARRIER;")


@functools.cache
def line_text(form: Form) -> Text:
    """Return the kernel that scans lines sequentially; sums only from the first part with an infinite total."""
    op, (read, char, _) = form.op, form.chars
    kind = TYPES[char]

    def begin(text: LineText) -> None:
        text.write(f"{kind} folded = {_zero(char)};")
        if not form.checks:
            text.write("const i64 first_part = 0;")
            return
        of_lines, of_parts = text.numbers(2)
        text.write(f"GLOBAL const char *known = totals + unit * {of_lines};")
        text.write(f"i64 first_part = 0, above = {text.word['tiles']};")
        text.open("while (first_part < above)")
        text.write("const i64 middle = (first_part + above) / 2;")
        text.write(f"const {kind} total = *(GLOBAL const {kind} *)(known + middle * {of_parts});")
        text.write(f"if ({_is_finite(char, 'total')}) first_part = middle + 1;")
        text.write("else above = middle;")
        text.close()
        # if one part of a complex number is NaN, the other may become infinite later
        infinite = _is_infinite(char, f"*(GLOBAL const {kind} *)(known + first_part * {of_parts})")
        text.write(f"while (first_part < {text.word['tiles']} && !({infinite})) first_part++;")
        text.write(f"if (first_part > 0 && first_part < {text.word['tiles']}) folded = "
                   f"*(GLOBAL const {kind} *)(known + (first_part - 1) * {of_parts});")  # fmt: skip

    text = LineText(f"lines_{form.op}", ["x", "out", "totals"], ["x", "out"], form.axes, char, items_of(char), [],
                    form.reported_flags, begin)  # fmt: skip
    text.load("x", read)
    text.write("BARRIER;")
    text.open("if (item < here)")
    text.write("u32 next = 0;")
    text.open("if (start == 0)")
    text.write("folded = tile[" + text.place("item", "0") + "];")
    text.write("next = 1;")
    text.close()
    _fold_on(text, op, char, "next")
    text.close()
    text.write("BARRIER;")
    where = text.open_store("out")
    _store(text, form, where, f"tile[{text.place('r', 'j')}]")
    text.close_store()
    return text.finish()


def _fold_on(text: LineText, op: str, char: str, begin: str) -> None:
    """Emit code that folds the work-item's line of a tile from an element on, and stores the running folds."""
    text.open(f"for (u32 j = {begin}; j < count; j++)")
    text.write(f"const {TYPES[char]} term = tile[{text.place('item', 'j')}];")
    _fold(text, op, char, "folded", "folded", "term")
    text.write(f"tile[{text.place('item', 'j')}] = folded;")
    text.close()


def _infinity(char: str) -> str:
    """Return infinity; for complex dtypes in both parts."""
    infinity = f"INF_{TYPES[char.lower()]}"
    return f"complex_{TYPES[char]}({infinity}, {infinity})" if char in "FD" else infinity


def _is_infinite(char: str, value: str) -> str:
    """Return a test of whether a value, or a part of it, is infinite."""
    return f"isinf(({value}).x) || isinf(({value}).y)" if char in "FD" else f"isinf({value})"


def _is_finite(char: str, value: str) -> str:
    """Return a test of whether a value is finite."""
    return f"isfinite(({value}).x) && isfinite(({value}).y)" if char in "FD" else f"isfinite({value})"


def _is_large(char: str, value: str, limit: str) -> str:
    """Return a test of whether a term is infinite or larger than a limit, given by its bits."""
    part = TYPES[char.lower()]
    limit = f"{part}_of_bits({limit})"
    parts = [f"{value}.x", f"{value}.y"] if char in "FD" else [value]
    return "(" + " || ".join(f"fabs({one}) > {limit}" for one in parts) + ")"


@functools.cache
def column_text(form: Form) -> Text:
    """Return the kernel of a step over columns."""
    op, (read, char, _) = form.op, form.chars
    kind, itemsize = TYPES[char], np.dtype(char).itemsize
    text = CallText(f"column_{form.name}", ["x", "out", "totals"], int(form.reported_flags != 0), [form.reported_flags])
    items, lines, length, size = text.numbers(4)
    limit = text.number() if form.checks else ""
    extents = text.numbers(form.axes)
    (first, step, *strides), (out_first, out_step, *out_strides) = [text.numbers(2 + form.axes) for _ in range(2)]
    if form.reported_flags:
        text.write("u32 status0 = 0;")
    text.open(f"for (i64 e = GLOBAL_ID; e < {items}; e += GLOBAL_SIZE)")
    text.write(f"const i64 part = quotient(e, {lines}), line = e - part * {lines}, start = part * {size};")
    text.write(f"const i64 count = {length} - start < {size} ? {length} - start : {size};")
    place = text.coordinates("line", extents)[: form.axes]
    text.write(f"GLOBAL const char *from = {address(f'x + {first}', place, strides)} + start * {step};")
    text.write(f"{kind} folded = {_zero(char)};")
    if form.checks and form.keeps:
        known = [_is_infinite(char, f"*(GLOBAL {kind} *)(totals + {at} * {itemsize})")
                 for at in ("e", f"(e - {lines})")]  # fmt: skip
        text.write(f"if ({known[0]} || (part > 0 && ({known[1]}))) continue;")
    elif form.checks:
        text.write("bool8 is_large = 0;")
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
        if form.checks and not form.keeps:
            text.write(f"is_large |= {_is_large(char, element.text, limit)};")
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
        if form.checks:
            text.write(f"if (is_large) folded = {_infinity(char)};")
        text.write(f"*(GLOBAL {kind} *)(totals + e * {itemsize}) = folded;")
    text.close()
    if form.reported_flags:
        text.write("if (status0) atomic_or_u32(status, status0);")
    return text.finish()


def _zero(char: str) -> str:
    return f"complex_{TYPES[char]}(0, 0)" if char in "FD" else "0"


def _fold(text: CallText, op: str, char: str, target: str, left: str, right: str, number: int = 0) -> None:
    """Emit ``target = left op right``, which raises flags under a number; number 1 raises none."""
    result = text.apply(op, 2 * char, char, [Value(char, left, 2, True), Value(char, right, 2, True)], number)[0]
    text.write(f"{target} = {result.text};")


def _store(text: CallText, form: Form, where: str, value: str) -> None:
    """Emit a store of a running fold."""
    _, char, made = form.chars
    result = text.cast(Value(char, value, 2, True), made, 0)
    text.write(f"*(GLOBAL {TYPES[made]} *)({where}) = {result.text};")


def refusal(call: Call) -> str | None:
    """Return why a call has no kernel, or None."""
    x, result = call.operands[0], call.result
    op, char = call.name.removesuffix(".accumulate"), result.dtype.char
    if not {x.dtype.char, char} <= TYPES.keys() or not np.can_cast(x.dtype, result.dtype):
        return f"{call.name} {x.dtype.char}->{char} has no form on the device"
    try:
        tile_text(Form(op, (x.dtype.char, char, char), 0, 0, True))
    except NoKernel as reason:
        return str(reason)
    return None


def accumulate(driver: Any, call: Call) -> None:
    """Fold along an axis; the result may alias the operand."""
    x, out, axis = call.operands[0], call.result, call.function.keywords["axis"]
    if 0 in out.shape:
        return
    op, char = call.name.removesuffix(".accumulate"), out.dtype.char
    if char in "efdFD" and "product" in UFUNCS[op].traits:
        _scan_in_order(driver, call, x, out, axis)
    else:
        _scan(driver, call, x, out, axis, call.reported_flags if char in "efdFD" else 0,
              is_sum=char in "efdFD" and "sum" in UFUNCS[op].traits)  # fmt: skip


ROW = Row(refusal, accumulate)


def _scan(driver: Any, call: Call, x: Operand, out: Operand, axis: int, reported_flags: int, is_sum: bool) -> None:
    """Scan lines along an axis; float sums that might overflow are scanned again."""
    lines = lines_of(axis, x, out)
    are_columns = lines.inner >= BESIDE and lines.are_across(0) and lines.are_across(1)
    in_order = lines.length <= CHUNK or (are_columns and lines.number >= ENOUGH)
    op, char = call.name.removesuffix(".accumulate"), out.dtype.char
    if char == "e" and is_sum and not in_order:
        char = "f"
    tile, checks = _tile_of(lines, char), is_sum and not in_order
    size = lines.length if in_order else CHUNK if are_columns else tile.pitch
    parts = -(-lines.length // size)
    known = parts - (not checks) if parts > 1 else 0
    totals, itemsize = out.block, np.dtype(char).itemsize
    form = Form(op, (x.dtype.char, char, out.dtype.char), reported_flags, len(lines.extents), True, checks)
    limit = [_limit(out.dtype, lines.length, char)] if checks else []

    def step(form: Form, parts_done: int) -> None:
        if are_columns:
            items = lines.number * parts_done
            numbers, text = [items, lines.number, lines.length, size, *limit, *lines.numbers], column_text(form)
        else:
            groups, numbers = tile_numbers(lines, tile, char, parts_done)
            items, numbers, text = groups * group_size, [*numbers, known, *limit], tile_text(form)
        launch(driver, call, text, items, numbers, [x.block, out.block, totals])

    if parts > 1:
        totals = driver.workspace(lines.number * known * itemsize)
        reported_flags = 0 if checks else reported_flags
        step(form._replace(keeps=False, reported_flags=reported_flags), known)
        shape = (known, lines.number) if are_columns else (lines.number, known)
        inner = Operand(totals, 0, shape, (shape[1] * itemsize, itemsize), np.dtype(char))
        _scan(driver, call, inner, inner, int(not are_columns), reported_flags, is_sum=False)
    step(form, parts)
    if checks and parts > 1:    # those to scan again
        tile = Tile(1, -(-size // items_of(char)), items_of(char))
        _, numbers = tile_numbers(lines, tile, char, parts)
        moves = [itemsize, lines.number * itemsize] if are_columns else [known * itemsize, itemsize]
        launch(driver, call, line_text(form), lines.number * group_size, [*numbers, *moves],
               [x.block, out.block, totals])  # fmt: skip


def _scan_in_order(driver: Any, call: Call, x: Operand, out: Operand, axis: int) -> None:
    """Scan lines along an axis sequentially."""
    lines, char = lines_of(axis, x, out), out.dtype.char
    op = call.name.removesuffix(".accumulate")
    if char in "FD" and (lines.length > 2 or (char == "F" and lines.moves[0][1] < 0)):
        op += "_apart"      # NumPy uses its other loop for a line of one product
    form = Form(op, (x.dtype.char, char, char), call.reported_flags, len(lines.extents), True)
    if lines.inner >= BESIDE and lines.are_across(0) and lines.are_across(1) and lines.number >= ENOUGH:
        numbers = [lines.number, lines.number, lines.length, lines.length, *lines.numbers]
        launch(driver, call, column_text(form), lines.number, numbers, [x.block, out.block, out.block])
        return
    rows = min(BESIDE, 1 << (lines.number - 1).bit_length())
    tile = Tile(rows, group_size // rows, items_of(char))
    _, numbers = tile_numbers(lines, tile, char, -(-lines.length // tile.pitch))
    units = -(-lines.number // rows)
    launch(driver, call, line_text(form), units * group_size, numbers, [x.block, out.block, out.block])


def _limit(dtype: "np.dtype[Any]", length: int, char: str) -> int:
    """Return the bits of a limit, in dtype `char`, below which `length` terms have finite sums in any order."""
    part = np.dtype(char.lower())
    limit = np.finfo(dtype).max if dtype.char == "e" else np.finfo(part).max / part.type(4 * length)
    return int(np.array(limit, part).view(f"u{part.itemsize}"))


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
