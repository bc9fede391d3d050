"""Results that are copied unless NumPy would warn about them: `moments.warn_where`."""

import functools
import math
from typing import Any

from lazyarr._core.runtime.device_call import Call, NoKernel
from lazyarr.gpu.calls.text import UNITS, CallText, Row, Text, check, launch, words_of
from lazyarr.gpu.generator.emitter import address


@functools.cache
def found_text(axes: int) -> Text:
    """Return the kernel that looks for a true element."""
    text = CallText("found", ["suspect"], 1)
    items, first = text.numbers(2)
    extents, strides = text.numbers(axes), text.numbers(axes)
    text.write("u32 found = 0;")
    text.open(f"for (i64 e = GLOBAL_ID; e < {items}; e += GLOBAL_SIZE)")
    place = text.coordinates("e", extents)[:axes]
    text.write(f"found |= *(GLOBAL u8 *)({address(f'suspect + {first}', place, strides)});")
    text.close()
    text.write("if (found) atomic_or_u32(status, 1u);")
    return text.finish()


@functools.cache
def copy_text(unit: str, axes: int) -> Text:
    """Return the kernel that copies elements."""
    text = CallText("passed", ["out", "x"])
    items, out_first, first = text.numbers(3)
    extents, out_strides, strides = text.numbers(axes), text.numbers(axes), text.numbers(axes)
    text.open(f"for (i64 e = GLOBAL_ID; e < {items}; e += GLOBAL_SIZE)")
    place = text.coordinates("e", extents)[:axes]
    text.write(f"*(GLOBAL {unit} *)({address(f'out + {out_first}', place, out_strides)}) = "
               f"*(GLOBAL {unit} *)({address(f'x + {first}', place, strides)});")  # fmt: skip
    text.close()
    return text.finish()


def refusal(call: Call) -> str | None:
    """Return why a call has no kernel, or None."""
    return None if getattr(call.function, "passes_on", False) else ""


def pass_on(driver: Any, call: Call) -> None:
    """Copy the result, unless a suspect is true: then the host warns or raises."""
    (x, suspect), out = call.operands, call.result
    items = math.prod(suspect.shape)
    if items:
        numbers = [items, suspect.offset, *suspect.shape, *suspect.strides]
        if check(driver, call, found_text(suspect.ndim), items, numbers, [suspect.block]):
            raise NoKernel("there is something to warn of")
    words = words_of(x.dtype.itemsize)
    shape, strides, out_strides = ([*axes, *more] for axes, more in (
        (x.shape, [extent for extent, _ in words]), (x.strides, [step for _, step in words]),
        (out.strides, [step for _, step in words])))  # fmt: skip
    items = math.prod(shape)
    if items:
        text = copy_text(UNITS.get(x.dtype.itemsize, "u64"), len(shape))
        launch(driver, call, text, items, [items, out.offset, x.offset, *shape, *out_strides, *strides],
               [out.block, x.block])


ROW = Row(refusal, pass_on)
