"""Piecewise linear interpolation, with NumPy's arithmetic."""

import functools
import math
from typing import Any

import numpy as np

from lazyarr._core.runtime.device_call import Call
from lazyarr.gpu.calls.text import CallText, Row, Text, launch
from lazyarr.gpu.generator.dialects import TYPES
from lazyarr.gpu.generator.emitter import Value, address


@functools.cache
def interp_text(chars: str, axes: int) -> Text:
    """Return the kernel for points, knots and values of these dtypes; the points have `axes` axes."""
    text = CallText("interp", ["out", "x", "xp", "fp"], reported_flags=(0,))
    items, count, has_left, left, has_right, right = text.numbers(6)
    xp_first, xp_step, fp_first, fp_step, first, out_first = text.numbers(6)
    extents, strides, out_strides = text.numbers(axes), text.numbers(axes), text.numbers(axes)

    def read(place: str, char: str) -> str:
        element = text.truth(Value(char, f"(*(GLOBAL {TYPES[char]} *)({place}))"))
        return text.cast(text.widened(element), "d", 0).text

    def knot(place: str) -> str:
        return read(f"xp + {xp_first} + ({place}) * {xp_step}", chars[1])

    def value(place: str) -> str:
        return read(f"fp + {fp_first} + ({place}) * {fp_step}", chars[2])

    text.open(f"for (i64 e = GLOBAL_ID; e < {items}; e += GLOBAL_SIZE)")
    place = text.coordinates("e", extents)[:axes]
    text.write(f"const f64 point = {read(address(f'x + {first}', place, strides), chars[0])};")
    text.write(f"f64 result = {count} == 1 ? {value('0')} : point;")
    text.open("if (!isnan(point))")
    text.write(f"i64 low = 0, high = {count};")
    text.open("while (low < high)")
    text.write("const i64 middle = (low + high) / 2;")
    text.write(f"if (point < {knot('middle')}) high = middle; else low = middle + 1;")
    text.close()
    text.write("const i64 j = low - 1;")
    text.open("if (j < 0)")
    text.write(f"result = {has_left} ? f64_of_bits({left}) : {value('0')};")
    text.close()
    text.open("else")
    text.write(f"const f64 x0 = {knot('j')}, y0 = {value('j')};")
    text.open(f"if (j == {count} - 1 && point > x0)")
    text.write(f"result = {has_right} ? f64_of_bits({right}) : y0;")
    text.close()
    text.open(f"else if (j == {count} - 1 || x0 == point)")
    text.write("result = y0;")
    text.close()
    text.open("else")
    text.write(f"const f64 x1 = {knot('j + 1')}, y1 = {value('j + 1')}, slope = (y1 - y0) / (x1 - x0);")
    text.write("result = slope * (point - x0) + y0;")
    text.write("if (isnan(result)) result = slope * (point - x1) + y1;")
    text.write("if (isnan(result) && y0 == y1) result = y0;")
    text.close()
    text.close()
    text.close()
    text.write(f"*(GLOBAL f64 *)({address(f'out + {out_first}', place, out_strides)}) = result;")
    text.close()
    return text.finish()


def refusal(call: Call) -> str | None:
    """Return why a call has no kernel, or None."""
    keywords = getattr(call.function, "keywords", {})
    if keywords.get("period") is not None:
        return "a period"
    if call.result.dtype.char != "d" or not all(x.dtype.char in TYPES and x.dtype.kind != "c" for x in call.operands) \
            or any(isinstance(keywords.get(side), str | complex | np.complexfloating) for side in ("left", "right")):
        return f"interp {''.join(x.dtype.char for x in call.operands)} has no form on the device"
    return None


def interpolate(driver: Any, call: Call) -> None:
    """Interpolate between the neighbouring knots of each point."""
    (x, xp, fp), out = call.operands, call.result
    items = math.prod(x.shape)
    if not items:
        return
    sides = []
    for side in ("left", "right"):
        given = call.function.keywords.get(side)
        sides += [int(given is not None), int(np.array(given or 0, "f8").view("i8"))]
    numbers = [items, xp.shape[0], *sides, xp.offset, xp.strides[0], fp.offset, fp.strides[0], x.offset, out.offset,
               *x.shape, *x.strides, *out.strides]  # fmt: skip
    text = interp_text("".join(operand.dtype.char for operand in call.operands), x.ndim)
    launch(driver, call, text, items, numbers, [out.block, x.block, xp.block, fp.block])


ROW = Row(refusal, interpolate)
