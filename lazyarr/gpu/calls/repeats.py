"""Repeat and tile."""

import functools
import math
from typing import Any

from lazyarr._core import api as core
from lazyarr._core.runtime.device_call import Call
from lazyarr.gpu.calls.text import UNITS, CallText, Row, Text, launch, words_of
from lazyarr.gpu.generator.emitter import address


@functools.cache
def repeat_text(unit: str, axes: int, is_tiling: bool) -> Text:
    """Return the kernel, whose result is in C order."""
    text = CallText("tile" if is_tiling else "repeat", ["out", "x"])
    total, out_first, first = text.numbers(3)
    extents, divisors, strides = text.numbers(axes), text.numbers(axes), text.numbers(axes)
    text.open(f"for (i64 e = GLOBAL_ID; e < {total}; e += GLOBAL_SIZE)")
    place = []
    for axis, index in enumerate(text.coordinates("e", extents)[:axes]):
        text.write(f"const i64 q{axis} = quotient({index}, {divisors[axis]});")
        place.append(f"({index} - q{axis} * {divisors[axis]})" if is_tiling else f"q{axis}")
    source = address(f"x + {first}", place, strides)
    text.write(f"*(GLOBAL {unit} *)(out + {out_first} + e * (i64)sizeof({unit})) = *(GLOBAL {unit} *)({source});")
    text.close()
    return text.finish()


def refusal(call: Call) -> str | None:
    """Return why a call has no kernel, or None."""
    return None if isinstance(call.function, core.Kernel) else "counts of their own for elements"


def repeat(driver: Any, call: Call) -> None:
    """Repeat each element along each axis, or the whole array."""
    x, out, times = call.operands[0], call.result, call.function.times
    is_tiling = call.function.name == "tile"
    extents, strides = list(out.shape), list(x.strides)
    divisors = list(x.shape if is_tiling else times)
    for extent, stride in words_of(x.dtype.itemsize):
        extents.append(extent)
        strides.append(stride)
        divisors.append(extent if is_tiling else 1)
    total = math.prod(extents)
    if total:
        text = repeat_text(UNITS.get(x.dtype.itemsize, "u64"), len(extents), is_tiling)
        numbers = [total, out.offset, x.offset, *extents, *divisors, *strides]
        launch(driver, call, text, total, numbers, [out.block, x.block])


ROW = Row(refusal, repeat)
