"""Lines sorted by merging.

A pass merges neighbouring runs of lines, twice as long in each pass. An element's place in the merged run is its number
in its own run, and the number of elements of the other run that go before it, which a binary search finds; so elements
are moved independently, and equal ones keep their order. NaNs are last.
"""

import functools
import math
from typing import Any

from lazyarr._core import api as core
from lazyarr._core.runtime.accelerator import Call, Operand
from lazyarr.gpu.call_text import CallText, Row, Text, launch
from lazyarr.gpu.dialects import TYPES
from lazyarr.gpu.emitter import address

STABLE = 2  # the algorithm's number


@functools.cache
def merge_text(char: str, axes: int, takes_places: bool, is_argsort: bool, is_last: bool) -> Text:
    """Return the kernel of a pass over lines, which have `axes` axes besides.

    That of `argsort` moves the places of elements with them, which it `takes` from the pass before; the last one stores
    no values.
    """
    kind = TYPES[char]
    text = CallText("argsort" if is_argsort else "sort", ["x", "out", "from", "to"])
    items, length, width = text.numbers(3)
    extents = text.numbers(axes)
    moves = [text.numbers(2 + axes) for _ in range(4)]
    text.open(f"for (i64 e = GLOBAL_ID; e < {items}; e += GLOBAL_SIZE)")
    text.write(f"const i64 line = quotient(e, {length}), i = e - line * {length};")
    place = text.coordinates("line", extents)[:axes]

    def line(pointer: str, number: int) -> tuple[str, str]:
        first, step, *strides = moves[number]
        return address(f"{pointer} + {first}", place, strides), step

    base, step = line("x", 0)
    text.write(f"GLOBAL const char *values = {base};")
    text.write(f"const {kind} value = *(GLOBAL const {kind} *)(values + i * {step});")
    text.write(f"const i64 run = quotient(i, {width}), start = (run ^ 1) * {width};")
    text.write(f"const i64 rest = {length} - start;")
    text.write(f"i64 low = 0, high = rest < 0 ? 0 : rest < {width} ? rest : {width};")
    text.open("while (low < high)")
    text.write("const i64 middle = (low + high) / 2;")
    text.write(f"const {kind} other = *(GLOBAL const {kind} *)(values + (start + middle) * {step});")
    goes_before = f"run & 1 ? !({_less(char, 'value', 'other')}) : {_less(char, 'other', 'value')}"
    text.open(f"if ({goes_before})")
    text.write("low = middle + 1;")
    text.close()
    text.open("else")
    text.write("high = middle;")
    text.close()
    text.close()
    text.write(f"const i64 at = i - (run & 1) * {width} + low;")
    if not (is_argsort and is_last):
        base, step = line("out", 1)
        text.write(f"*(GLOBAL {kind} *)({base} + at * {step}) = value;")
    if is_argsort:
        source, step = line("from", 2)
        found = f"*(GLOBAL i64 *)({source} + i * {step})" if takes_places else "i"
        base, step = line("to", 3)
        text.write(f"*(GLOBAL i64 *)({base} + at * {step}) = {found};")
    text.close()
    return text.finish()


def _less(char: str, x: str, y: str) -> str:
    """Return whether x goes before y."""
    if char == "e":
        x, y = f"f32_of_f16({x})", f"f32_of_f16({y})"
    return f"({x} < {y} || (isnan({y}) && !isnan({x})))" if char in "efd" else f"{x} < {y}"


def refusal(call: Call) -> str | None:
    """Return why a call has no kernel, None if it has."""
    x, is_kernel = call.operands[0], isinstance(call.function, core.Kernel)
    if not is_kernel or x.dtype.char not in TYPES or x.dtype.kind == "c":
        return f"{call.name} {x.dtype.char} has no form on the device"
    if call.name == "argsort" and call.function.how != STABLE:
        return "the order of equal elements is that of the host's algorithm"
    return None


def sort(driver: Any, call: Call) -> None:
    """Sort lines along an axis, or find the places that sort them."""
    x, out, axis, is_argsort = call.operands[0], call.result, call.function.axis, call.name == "argsort"
    total, length = math.prod(x.shape), x.shape[axis]
    if not total:
        return
    passes = max(length - 1, 1).bit_length()
    value_bytes = total * x.dtype.itemsize
    values = [_dense(driver, x, value_bytes) if is_argsort else out, _dense(driver, x, value_bytes)]
    places = [out, _dense(driver, out, total * out.dtype.itemsize)] if is_argsort else [out, out]
    source, source_places = x, out
    extents = [*x.shape[:axis], *x.shape[axis + 1 :]]
    for k in range(passes):
        is_last = k == passes - 1
        target, target_places = values[(passes - 1 - k) % 2], places[(passes - 1 - k) % 2]
        text = merge_text(x.dtype.char, len(extents), k > 0, is_argsort, is_last)
        moved = (source, target, source_places, target_places)
        moves = [number for array in moved for number in (
            array.offset, array.strides[axis], *array.strides[:axis], *array.strides[axis + 1 :])]  # fmt: skip
        launch(driver, text, total, [total, length, 1 << k, *extents, *moves], [array.block for array in moved])
        source, source_places = target, target_places


def _dense(driver: Any, like: Operand, nbytes: int) -> Operand:
    """Return workspace for an array of this shape, in C order."""
    strides, step = [], like.dtype.itemsize
    for extent in reversed(like.shape):
        strides.append(step)
        step *= extent
    return Operand(driver.allocate(nbytes), 0, like.shape, tuple(reversed(strides)), like.dtype)


ROW = Row(refusal, sort)
