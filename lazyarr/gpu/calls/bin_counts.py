"""Counts of bins, and sums of weights.

Counts use atomic integer additions, whose order does not matter. Weights come sorted by bin: one work-item per bin adds
them in NumPy's order.
"""

import functools
from typing import Any

from lazyarr._core.runtime.device_call import Call
from lazyarr.gpu.calls.text import CallText, Row, Text, launch

MOST = 1 << 32  # largest 32-bit count


@functools.cache
def zeros_text(unit: str) -> Text:
    """Return the kernel that zeroes memory."""
    text = CallText("zeros", ["out"])
    count, first = text.numbers(2)
    text.open(f"for (i64 e = GLOBAL_ID; e < {count}; e += GLOBAL_SIZE)")
    text.write(f"((GLOBAL {unit} *)(out + {first}))[e] = 0;")
    text.close()
    return text.finish()


@functools.cache
def counts_text() -> Text:
    """Return the kernel that counts bin numbers, ignoring others."""
    text = CallText("counts", ["out", "x"])
    items, bins, out_first, first, step = text.numbers(5)
    text.open(f"for (i64 e = GLOBAL_ID; e < {items}; e += GLOBAL_SIZE)")
    text.write(f"const i64 bin = *(GLOBAL i64 *)(x + {first} + e * {step});")
    # the lower half of the count: devices have little-endian memory
    text.write(f"if ((u64)bin < (u64){bins}) atomic_add_u32((GLOBAL u32 *)(out + {out_first} + bin * 8), 1u);")
    text.close()
    return text.finish()


@functools.cache
def sums_text() -> Text:
    """Return the kernel that adds the weights of each bin, given the cumulative counts."""
    text = CallText("sums", ["out", "weights", "ends"])
    bins, out_first, first, step, ends_first, ends_step = text.numbers(6)
    text.open(f"for (i64 e = GLOBAL_ID; e < {bins}; e += GLOBAL_SIZE)")
    text.write(f"GLOBAL char *end = ends + {ends_first} + e * {ends_step};")
    text.write("f64 sum = 0;")
    text.open(f"for (i64 i = e > 0 ? *(GLOBAL i64 *)(end - {ends_step}) : 0; i < *(GLOBAL i64 *)end; i++)")
    text.write(f"sum += *(GLOBAL f64 *)(weights + {first} + i * {step});")
    text.close()
    text.write(f"((GLOBAL f64 *)(out + {out_first}))[e] = sum;")
    text.close()
    return text.finish()


def refusal(call: Call) -> str | None:
    """Return why a call has no kernel, or None."""
    return "too many elements" if call.operands[0].shape[0] >= MOST else None


def add_up(driver: Any, call: Call) -> None:
    """Count bin numbers, or add sorted weights."""
    x, *ends = call.operands
    out, (bins,), items = call.result, call.result.shape, x.shape[0]
    if not bins:
        return
    if ends:
        numbers = [bins, out.offset, x.offset, x.strides[0], ends[0].offset, ends[0].strides[0]]
        launch(driver, call, sums_text(), bins, numbers, [out.block, x.block, ends[0].block])
        return
    launch(driver, call, zeros_text("u64"), bins, [bins, out.offset], [out.block])
    if items:
        numbers = [items, bins, out.offset, x.offset, x.strides[0]]
        launch(driver, call, counts_text(), items, numbers, [out.block, x.block])


ROW = Row(refusal, add_up)
