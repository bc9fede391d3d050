"""Lines sorted by merging, and searches in sorted ones.

A pass merges neighbouring runs of lines, twice as long in each pass. An element's place in the merged run is its number
in its own run, and the number of elements of the other run that go before it, which a binary search finds; so elements
are moved independently, and equal ones keep their order. NaNs are last.
"""

import functools
import math
from typing import Any

from lazyarr._core import api as core
from lazyarr._core.runtime.device_call import Call, Operand
from lazyarr.gpu.calls.text import CallText, Row, Text, launch
from lazyarr.gpu.generator.dialects import TYPES
from lazyarr.gpu.generator.emitter import address

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
    _bisect(text, kind, f"values + (start + middle) * {step}",
            f"run & 1 ? !({_less(char, 'value', 'other')}) : {_less(char, 'other', 'value')}")  # fmt: skip
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


@functools.cache
def searchsorted_text(char: str, axes: int, is_right: bool) -> Text:
    """Return the kernel that finds where to insert the elements of an array with `axes` axes."""
    kind = TYPES[char]
    text = CallText("searchsorted", ["x", "v", "out"])
    items, length, x_first, step = text.numbers(4)
    extents, first, out_first = text.numbers(axes), text.number(), text.number()
    strides, out_strides = text.numbers(axes), text.numbers(axes)
    text.open(f"for (i64 e = GLOBAL_ID; e < {items}; e += GLOBAL_SIZE)")
    place = text.coordinates("e", extents)[:axes]
    text.write(f"const {kind} value = *(GLOBAL const {kind} *)({address(f'v + {first}', place, strides)});")
    text.write(f"i64 low = 0, high = {length};")
    goes_before = f"!({_less(char, 'value', 'other')})" if is_right else _less(char, "other", "value")
    _bisect(text, kind, f"x + {x_first} + middle * {step}", goes_before)
    text.write(f"*(GLOBAL i64 *)({address(f'out + {out_first}', place, out_strides)}) = low;")
    text.close()
    return text.finish()


def _bisect(text: CallText, kind: str, middle: str, goes_before: str) -> None:
    """Write the search, from ``low`` to ``high``, for the first element ``other`` that does not go before the value."""
    text.open("while (low < high)")
    text.write("const i64 middle = (low + high) / 2;")
    text.write(f"const {kind} other = *(GLOBAL const {kind} *)({middle});")
    text.open(f"if ({goes_before})")
    text.write("low = middle + 1;")
    text.close()
    text.open("else")
    text.write("high = middle;")
    text.close()
    text.close()


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
        numbers = [total, length, 1 << k, *extents, *moves]
        launch(driver, call, text, total, numbers, [array.block for array in moved])
        source, source_places = target, target_places


def _dense(driver: Any, like: Operand, nbytes: int) -> Operand:
    """Return workspace for an array of this shape, in C order."""
    strides, step = [], like.dtype.itemsize
    for extent in reversed(like.shape):
        strides.append(step)
        step *= extent
    return Operand(driver.workspace(nbytes), 0, like.shape, tuple(reversed(strides)), like.dtype)


def search_refusal(call: Call) -> str | None:
    """Return why insertion points have no kernel, None if they have."""
    x, v, *sorter = call.operands
    if sorter or x.dtype != v.dtype or x.dtype.char not in TYPES or x.dtype.kind == "c":
        return f"searchsorted {''.join(operand.dtype.char for operand in call.operands)} has no form on the device"
    return None


def search_sorted(driver: Any, call: Call) -> None:
    """Find where elements have to be inserted."""
    (x, v), out = call.operands, call.result
    total = math.prod(v.shape)
    if total:
        text = searchsorted_text(x.dtype.char, len(v.shape), call.function.keywords["side"] in ("right", "r", "R"))
        numbers = [total, x.shape[0], x.offset, x.strides[0], *v.shape, v.offset, out.offset, *v.strides, *out.strides]
        launch(driver, call, text, total, numbers, [x.block, v.block, out.block])


ROW = Row(refusal, sort)
SEARCH_ROW = Row(search_refusal, search_sorted)
