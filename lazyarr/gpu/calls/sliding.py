"""`convolve` and `correlate`: sums of products of a line with shifts of a shorter one.

A work-item computes one sum. Float sums are added in blocks of 256 terms, and the block sums are added; float16 is
summed sequentially in float32, as in NumPy.
"""

import functools
from typing import Any

from lazyarr._core.runtime.device_call import Call
from lazyarr.gpu.calls.text import CallText, Row, Text, launch
from lazyarr.gpu.generator.dialects import TYPES
from lazyarr.gpu.generator.emitter import Value

BLOCK = 256


@functools.cache
def sliding_text(long: str, short: str, char: str, conjugates: str = "") -> Text:
    """Return the kernel for lines of these dtypes and a result of dtype `char`; `conjugates` names the line to
    conjugate.
    """
    text = CallText("slide", ["out", "x", "w"], reported_flags=(0,))
    items, length, count, lead = text.numbers(4)
    out_first, out_step, first, step, w_first, w_step = text.numbers(6)
    wide = "f" if char == "e" else char
    kind, zero = TYPES[wide], f"complex_{TYPES[wide]}(0, 0)" if wide in "FD" else "0"
    text.open(f"for (i64 e = GLOBAL_ID; e < {items}; e += GLOBAL_SIZE)")
    text.write(f"const i64 start = e - {lead}, before = start < 0 ? -start : 0;")
    text.write(f"const i64 behind = {length} - start < {count} ? {length} - start : {count};")
    text.write(f"{kind} sum = {zero}, part = {zero};")
    text.open("for (i64 j = before; j < behind; j++)")
    factors = []
    for name, source, place in (("x", long, f"x + {first} + (start + j) * {step}"),
                                ("w", short, f"w + {w_first} + j * {w_step}")):  # fmt: skip
        element = Value(source, f"*(GLOBAL {TYPES[source]} *)({place})", 2)
        text.name(element)
        factor = text.cast(text.truth(element), wide, 0, None, 2)
        text.name(factor)
        if name == conjugates and wide in "FD":
            factor = Value(wide, f"complex_{kind}({factor.text}.x, -{factor.text}.y)", 2)
            text.name(factor)
        factors.append(factor)
    product = text.apply("multiply", 2 * wide, wide, factors, 0)[0]
    _add(text, wide, "part", text.name(product))
    if char in "fdFD":
        text.open(f"if ((j - before) % {BLOCK} == {BLOCK - 1})")
        _add(text, wide, "sum", "part")
        text.write(f"part = {zero};")
        text.close()
    text.close()
    _add(text, wide, "sum", "part")
    result = text.cast(Value(wide, "sum", 1, True), char, 0)
    text.write(f"*(GLOBAL {TYPES[char]} *)(out + {out_first} + e * {out_step}) = {result.text};")
    text.close()
    return text.finish()


def _add(text: CallText, char: str, total: str, term: str) -> None:
    """Emit ``total += term``."""
    result = text.apply("add", 2 * char, char, [Value(char, total, 2, True), Value(char, term, 2, True)], 0)[0]
    text.write(f"{total} = {result.text};")


def refusal(call: Call) -> str | None:
    """Return why a call has no kernel, or None."""
    arrays = (*call.operands, call.result)
    if not all(x.dtype.isnative and x.dtype.char in TYPES for x in arrays):
        return f"{call.name} {''.join(x.dtype.char for x in arrays)} has no form on the device"
    return None


def slide(driver: Any, call: Call) -> None:
    """Convolve or correlate two lines; missing elements count as zero."""
    (a, v), out = call.operands, call.result
    is_swapped, convolves = a.shape[0] < v.shape[0], call.name == "convolve"
    x, w = (v, a) if is_swapped else (a, v)
    length, count = x.shape[0], w.shape[0]
    conjugates = "" if convolves or out.dtype.kind != "c" else "x" if is_swapped else "w"
    lead = {"valid": 0, "same": count // 2, "full": count - 1}[call.function.keywords["mode"]]
    w_first, w_step, (out_step,) = w.offset, w.strides[0], out.strides
    out_first = out.offset
    if convolves:
        w_first, w_step = w_first + (count - 1) * w_step, -w_step
    elif is_swapped:
        out_first, out_step = out_first + (out.shape[0] - 1) * out_step, -out_step
    text = sliding_text(x.dtype.char, w.dtype.char, out.dtype.char, conjugates)
    numbers = [out.shape[0], length, count, lead, out_first, out_step, x.offset, x.strides[0], w_first, w_step]
    launch(driver, call, text, out.shape[0], numbers, [out.block, x.block, w.block])


ROW = Row(refusal, slide)
