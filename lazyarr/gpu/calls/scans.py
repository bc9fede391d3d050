"""Running folds: `cumsum`, `cumprod`, `ufunc.accumulate`.

Lines are cut in chunks of 64 elements, each for one work-item::

    totals      of each chunk but the last
    scan        of the totals, in the same way, until a line is one chunk
    scan        of each chunk, from the total of those before it

That is work-efficient, and the order depends on extents alone. Lines of one chunk are scanned in NumPy's order. Longer
ones of floats round otherwise, with smaller errors, as errors grow with the number of terms added one after another.
"""

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from lazyarr._core.runtime.device_call import Call, NoKernel, Operand
from lazyarr.gpu.calls.text import CallText, Row, Text, launch
from lazyarr.gpu.generator.dialects import TYPES
from lazyarr.gpu.generator.emitter import Value, address
from lazyarr.ops.ufunc_rows import UFUNCS

CHUNK = 64

OPERATIONS = tuple([name for name, op in UFUNCS.items() if op.traits & {"sum", "product", "extremum"}])
"""Those that may be folded in any order, but for rounding."""


@functools.cache
def scan_text(op: str, char: str, told: int, axes: int, keeps: bool) -> Text:
    """Return the kernel of one pass over lines, which have `axes` axes besides.

    It stores the running fold of each chunk if it `keeps` that, else the totals of chunks alone.
    """
    kind = TYPES[char]
    text = CallText(f"{'scan' if keeps else 'totals'}_{op}", ["out", "x", "totals"], int(told != 0), [told])
    items, chunks, length = text.numbers(3)
    extents = text.numbers(axes)
    first, step, *strides = text.numbers(2 + axes)
    out_first, out_step, *out_strides = text.numbers(2 + axes)
    if told:
        text.write("u32 status0 = 0;")
    text.open(f"for (i64 e = GLOBAL_ID; e < {items}; e += GLOBAL_SIZE)")
    text.write(f"const i64 line = quotient(e, {chunks}), chunk = e - line * {chunks}, start = chunk * {CHUNK};")
    text.write(f"const i64 count = {length} - start < {CHUNK} ? {length} - start : {CHUNK};")
    place = text.coordinates("line", extents)[:axes]
    text.write(f"GLOBAL char *from = {address(f'x + {first}', place, strides)} + start * {step};")
    if keeps:
        text.write(f"GLOBAL char *to = {address(f'out + {out_first}', place, out_strides)} + start * {out_step};")
    text.write(f"{kind} folded = *(GLOBAL {kind} *)from;")
    if keeps:
        text.open("if (chunk > 0)")
        text.write(f"const {kind} before = ((GLOBAL {kind} *)totals)[line * ({chunks} - 1) + chunk - 1];")
        _fold(text, op, char, "before", "folded")
        text.close()
        text.write(f"*(GLOBAL {kind} *)to = folded;")
    text.open("for (i64 i = 1; i < count; i++)")
    text.write(f"from += {step};")
    text.write(f"const {kind} element = *(GLOBAL {kind} *)from;")
    _fold(text, op, char, "folded", "element")
    if keeps:
        text.write(f"to += {out_step};")
        text.write(f"*(GLOBAL {kind} *)to = folded;")
    text.close()
    if not keeps:
        text.write(f"((GLOBAL {kind} *)totals)[e] = folded;")
    text.close()
    if told:
        text.write("if (status0) atomic_or_u32(status, status0);")
    return text.finish()


def _fold(text: CallText, op: str, char: str, left: str, right: str) -> None:
    """Write ``folded = left op right``."""
    result = text.apply(op, 2 * char, char, [Value(char, left, 2, True), Value(char, right, 2)], 0)[0]
    text.write(f"folded = {result.text};")


def refusal(call: Call) -> str | None:
    """Return why a call has no kernel, None if it has."""
    x, result = call.operands[0], call.result
    op, char = call.name.removesuffix(".accumulate"), result.dtype.char
    if x.dtype != result.dtype or char not in TYPES:
        return f"{call.name} {x.dtype.char}->{char} has no form on the device"
    if char in "efdFD" and "product" in UFUNCS[op].traits:
        return f"{call.name} {char} in another order may overflow where NumPy's does not"
    try:
        scan_text(op, char, 0, 0, True)
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
    op, told = call.name.removesuffix(".accumulate"), call.told if out.dtype.kind in "fc" else 0
    length, itemsize, char = x.shape[axis], x.dtype.itemsize, x.dtype.char
    extents = _without(x.shape, axis)
    lines, chunks = math.prod(extents), -(-length // CHUNK)
    moves = [x.offset, x.strides[axis], *_without(x.strides, axis),
             out.offset, out.strides[axis], *_without(out.strides, axis)]  # fmt: skip
    totals = out.block
    if chunks > 1:
        totals = driver.workspace(lines * (chunks - 1) * itemsize)
        numbers = [lines * (chunks - 1), chunks - 1, length, *extents, *moves]
        text = scan_text(op, char, told, len(extents), False)
        launch(driver, call, text, numbers[0], numbers, [out.block, x.block, totals])
        inner = Operand(totals, 0, (lines, chunks - 1), ((chunks - 1) * itemsize, itemsize), np.dtype(char))
        _scan(driver, call, inner, inner, 1)
    numbers, text = [lines * chunks, chunks, length, *extents, *moves], scan_text(op, char, told, len(extents), True)
    launch(driver, call, text, numbers[0], numbers, [out.block, x.block, totals])


def _without(numbers: Sequence[int], axis: int) -> list[int]:
    return [*numbers[:axis], *numbers[axis + 1 :]]
