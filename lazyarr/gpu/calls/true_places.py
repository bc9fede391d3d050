"""Coordinates of true elements, from their running count."""

import functools
import math
from typing import Any

from lazyarr._core.runtime.device_call import Call
from lazyarr.gpu.calls.text import CallText, Row, Text, launch
from lazyarr.gpu.generator.emitter import address


@functools.cache
def coordinates_text(axes: int) -> Text:
    """Return the kernel for arrays with this number of axes."""
    text = CallText("nonzero", ["out", "ranks"])
    total, first, step, out_first, row, column = text.numbers(6)
    extents = text.numbers(axes)
    text.open(f"for (i64 e = GLOBAL_ID; e < {total}; e += GLOBAL_SIZE)")
    text.write(f"const i64 rank = *(GLOBAL i64 *)(ranks + {first} + e * {step});")
    text.write(f"const i64 before = e > 0 ? *(GLOBAL i64 *)(ranks + {first} + (e - 1) * {step}) : 0;")
    text.open("if (rank != before)")
    for axis, index in enumerate(text.coordinates("e", extents)[:axes]):
        place = address(f"out + {out_first}", ["before", str(axis)], [row, column])
        text.write(f"*(GLOBAL i64 *)({place}) = {index};")
    text.close()
    text.close()
    return text.finish()


def find(driver: Any, call: Call) -> None:
    """Store the coordinates of each true element in the row of its rank."""
    (ranks,), out, shape = call.operands, call.result, call.function.shape
    if math.prod(out.shape):
        numbers = [math.prod(shape), ranks.offset, ranks.strides[0], out.offset, *out.strides, *shape]
        launch(driver, call, coordinates_text(len(shape)), numbers[0], numbers, [out.block, ranks.block])


ROW = Row(lambda call: None, find)
