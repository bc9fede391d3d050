"""Packed bits, and flattened indices."""

import functools
import math
from typing import Any

from lazyarr._core.runtime.device_call import Call, NoKernel
from lazyarr.gpu.calls.gathers import spread_strides
from lazyarr.gpu.calls.text import CallText, Row, Text, check, launch
from lazyarr.gpu.generator.dialects import TYPES
from lazyarr.gpu.generator.emitter import address

_LARGEST = (1 << 63) - 1


@functools.cache
def bits_text(char: str, axes: int, packs: bool, is_little: bool) -> Text:
    """Return the kernel that packs bools of a dtype, or unpacks bytes, along the last axis."""
    text = CallText("packbits" if packs else "unpackbits", ["out", "x"])
    items, length, first, out_first = text.numbers(4)
    extents, strides, out_strides = text.numbers(axes), text.numbers(axes), text.numbers(axes)
    text.open(f"for (i64 e = GLOBAL_ID; e < {items}; e += GLOBAL_SIZE)")
    place = text.coordinates("e", extents)[:axes]
    line, along = address(f"x + {first}", place[:-1], strides[:-1]), place[-1]
    kind, to = TYPES[char], address(f"out + {out_first}", place, out_strides)
    text.write("u8 byte = 0;")
    if packs:
        text.open("for (i64 bit = 0; bit < 8; bit++)")
        text.write(f"const i64 i = {along} * 8 + bit;")
        text.write(f"if (i < {length} && *(GLOBAL {kind} *)({line} + i * {strides[-1]}) != 0) "
                   f"byte |= 1 << {'bit' if is_little else '(7 - bit)'};")  # fmt: skip
        text.close()
    else:
        text.write(f"const i64 i = {along} / 8, bit = {along} % 8;")
        text.write(f"if (i < {length}) byte = *(GLOBAL u8 *)({line} + i * {strides[-1]}) >> "
                   f"{'bit' if is_little else '(7 - bit)'} & 1;")  # fmt: skip
    text.write(f"*(GLOBAL u8 *)({to}) = byte;")
    text.close()
    return text.finish()


@functools.cache
def unravel_text(char: str, axes: int, count: int) -> Text:
    """Return the kernel that converts positions, with `axes` axes, to `count` indices, the last one first."""
    text = CallText("unravel", ["out", "x"], 1)
    items, size, first, out_first = text.numbers(4)
    dims, steps = text.numbers(count), text.numbers(count)
    extents, strides, out_strides = text.numbers(axes), text.numbers(axes), text.numbers(axes)
    text.write("u32 outside = 0;")
    text.open(f"for (i64 e = GLOBAL_ID; e < {items}; e += GLOBAL_SIZE)")
    place = text.coordinates("e", extents)[:axes]
    text.write(f"i64 rest = (i64)*(GLOBAL {TYPES[char]} *)({address(f'x + {first}', place, strides)});")
    text.write(f"if (rest < 0 || rest >= {size}) outside = 1;")
    text.write(f"GLOBAL char *to = {address(f'out + {out_first}', place, out_strides)};")
    for k in range(count):
        text.write(f"const i64 up{k} = rest / {dims[k]};")
        text.write(f"*(GLOBAL i64 *)(to + {steps[k]}) = rest - up{k} * {dims[k]};")
        text.write(f"rest = up{k};")
    text.close()
    text.write("if (outside) atomic_or_u32(status, 1u);")
    return text.finish()


@functools.cache
def ravel_text(chars: str, axes: int, modes: tuple[str, ...]) -> Text:
    """Return the kernel that converts indices of these dtypes and modes to positions."""
    text = CallText("ravel", ["out", *[f"x{k}" for k in range(len(chars))]], 1)
    items, out_first = text.numbers(2)
    extents, out_strides = text.numbers(axes), text.numbers(axes)
    text.write("u32 outside = 0;")
    text.open(f"for (i64 e = GLOBAL_ID; e < {items}; e += GLOBAL_SIZE)")
    place = text.coordinates("e", extents)[:axes]
    text.write("i64 position = 0;")
    for k, (char, mode) in enumerate(zip(chars, modes, strict=True)):
        dim, step, first, *strides = text.numbers(3 + axes)
        text.write(f"i64 i{k} = (i64)*(GLOBAL {TYPES[char]} *)({address(f'x{k} + {first}', place, strides)});")
        if mode == "clip":
            text.write(f"i{k} = i{k} < 0 ? 0 : i{k} < {dim} ? i{k} : {dim} - 1;")
        elif mode == "wrap":
            text.write(f"i{k} %= {dim};")
            text.write(f"if (i{k} < 0) i{k} += {dim};")
        else:
            text.write(f"if (i{k} < 0 || i{k} >= {dim}) outside = 1;")
        text.write(f"position += i{k} * {step};")
    text.write(f"*(GLOBAL i64 *)({address(f'out + {out_first}', place, out_strides)}) = position;")
    text.close()
    text.write("if (outside) atomic_or_u32(status, 1u);")
    return text.finish()


def bits_refusal(call: Call) -> str | None:
    """Return why packing has no kernel, or None."""
    x = call.operands[0]
    return None if x.dtype.char in TYPES else f"{call.name} {x.dtype.char} has no form on the device"


def pack_or_unpack(driver: Any, call: Call) -> None:
    """Pack bools into bytes, or unpack them."""
    x, out, keywords = call.operands[0], call.result, call.function.keywords
    items, axis = math.prod(out.shape), keywords["axis"]
    if not items:
        return

    def last(numbers: tuple[int, ...]) -> list[int]:
        return [*numbers[:axis], *numbers[axis + 1 :], numbers[axis]]

    text = bits_text(x.dtype.char, out.ndim, call.name == "packbits", keywords["bitorder"] == "little")
    numbers = [items, x.shape[axis], x.offset, out.offset, *last(out.shape), *last(x.strides), *last(out.strides)]
    launch(driver, call, text, items, numbers, [out.block, x.block])


def _steps(dims: list[int], order: str) -> list[int]:
    """Return the step between neighbours along each axis."""
    return [math.prod(dims[:k] if order == "F" else dims[k + 1 :]) for k in range(len(dims))]


def index_refusal(call: Call) -> str | None:
    """Return why index conversion has no kernel, or None."""
    if any(x.dtype.kind not in "biu" or x.dtype.char not in TYPES for x in call.operands):
        return f"{call.name} {''.join(x.dtype.char for x in call.operands)} has no form on the device"
    dims = getattr(call.function, "keywords", {}).get("dims")
    if dims is None:
        return "a mode or an order by another name"
    return None if all(dims) and math.prod(dims) <= _LARGEST else "extents of no elements, or of too many"


def unravel(driver: Any, call: Call) -> None:
    """Convert positions to indices of several axes."""
    x, out, keywords = call.operands[0], call.result, call.function.keywords
    dims, items = keywords["dims"], math.prod(x.shape)
    if not items:
        return
    along = [k * out.strides[-1] for k in range(len(dims))]
    if keywords["order"] == "C":    # last axis fastest
        dims, along = dims[::-1], along[::-1]
    numbers = [items, math.prod(dims), x.offset, out.offset, *dims, *along, *x.shape, *x.strides, *out.strides[:-1]]
    if check(driver, call, unravel_text(x.dtype.char, x.ndim, len(dims)), items, numbers, [out.block, x.block]):
        raise NoKernel("an index is out of bounds")


def ravel(driver: Any, call: Call) -> None:
    """Convert indices of several axes to positions."""
    out, keywords = call.result, call.function.keywords
    items, dims = math.prod(out.shape), keywords["dims"]
    if not items:
        return
    numbers = [items, out.offset, *out.shape, *out.strides]
    for x, dim, step in zip(call.operands, dims, _steps(dims, keywords["order"]), strict=True):
        numbers += [dim, step, x.offset, *spread_strides(x, out.shape)]
    text = ravel_text("".join(x.dtype.char for x in call.operands), out.ndim, keywords["modes"])
    if check(driver, call, text, items, numbers, [out.block, *[x.block for x in call.operands]]):
        raise NoKernel("an index is out of bounds")


BITS_ROW = Row(bits_refusal, pack_or_unpack)
UNRAVEL_ROW = Row(index_refusal, unravel)
RAVEL_ROW = Row(index_refusal, ravel)
