"""Updates at index arrays: `ufunc.at`, and transposes of gathers.

Indices are sorted by the offsets of their elements. For repeated indices, one work-item combines the values in NumPy's
order.
"""

import functools
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from lazyarr._core.runtime.device_call import Call, NoKernel, Operand
from lazyarr.gpu.calls import scatters, sorts
from lazyarr.gpu.calls.bin_counts import zeros_text
from lazyarr.gpu.calls.gathers import RAISE, find_places, write_places
from lazyarr.gpu.calls.text import UNITS, CallText, Row, Text, check, launch
from lazyarr.gpu.generator.dialects import TYPES
from lazyarr.gpu.generator.emitter import Value, address
from lazyarr.ops.gathering import Scatter
from lazyarr.ops.ufunc_rows import UFUNCS

_INTP = np.dtype(np.intp)


@functools.cache
def offset_text(joined: int, block: int, kinds: tuple[str, ...], mode: int) -> Text:
    """Return the kernel that computes the offset of each indexed element and checks bounds."""
    pointers = ["x", "offsets", *[f"index{k}" for k in range(len(kinds))]]
    text = CallText("offset", pointers, int(mode == RAISE))
    items, = text.numbers(1)
    text.write("u32 outside = 0;")
    text.open(f"for (i64 e = GLOBAL_ID; e < {items}; e += GLOBAL_SIZE)")
    text.write("const i64 p = e, b = 0;")
    write_places(text, joined, block, kinds, mode)
    text.write("((GLOBAL i64 *)offsets)[p] = at;")
    text.close()
    if mode == RAISE:
        text.write("if (outside) atomic_or_u32(status, 1u);")
    return text.finish()


@functools.cache
def combine_text(op: str, source: str, char: str, reported_flags: int, joined: int, block: int, kinds: tuple[str, ...],
                 mode: int = RAISE) -> Text:  # fmt: skip
    """Return the kernel that combines elements with all values (of dtype `source`) at their index."""
    kind = TYPES[char]
    text = CallText(f"{op}_at", ["x", "values", "offsets", "order", *[f"index{k}" for k in range(len(kinds))]],
                    int(reported_flags != 0), [reported_flags])  # fmt: skip
    items, run, count, first = text.numbers(4)
    extents, strides = text.numbers(joined), text.numbers(joined + block)
    text.write("u32 outside = 0;")
    if reported_flags:
        text.write("u32 status0 = 0;")
    text.open(f"for (i64 e = GLOBAL_ID; e < {items}; e += GLOBAL_SIZE)")
    text.write(f"const i64 turn = quotient(e, {run}), b = e - turn * {run}, p = ((GLOBAL i64 *)order)[turn];")
    text.write("const i64 mine = ((GLOBAL i64 *)offsets)[p];")
    text.write("if (turn > 0 && ((GLOBAL i64 *)offsets)[((GLOBAL i64 *)order)[turn - 1]] == mine) continue;")
    written = write_places(text, joined, block, kinds, mode)
    text.write(f"GLOBAL {kind} *to = (GLOBAL {kind} *)({written.address});")
    text.write(f"{kind} combined = *to;")
    text.open(f"for (i64 k = turn; k < {count}; k++)")
    text.write("const i64 q = ((GLOBAL i64 *)order)[k];")
    text.write("if (((GLOBAL i64 *)offsets)[q] != mine) break;")
    place = [*text.coordinates("q", extents)[:joined], *written.within]
    value = Value(source, f"(*(GLOBAL {TYPES[source]} *)({address(f'values + {first}', place, strides)}))", 2)
    value = text.cast(text.truth(value), char, 0, None, 2)
    text.name(value)
    result = text.apply(op, 2 * char, char, [Value(char, "combined", 2), value], 0)[0]
    text.write(f"combined = {result.text};")
    text.close()
    text.write("*to = combined;")
    text.close()
    if reported_flags:
        text.write("if (status0) atomic_or_u32(status, status0);")
    return text.finish()


def refusal(call: Call) -> str | None:
    """Return why a call has no kernel, or None."""
    op, value, dtype = call.name.removesuffix(".at"), call.operands[0].dtype, call.result.dtype
    function = UFUNCS[op].function
    if function is None or function.nin != 2 or {value.char, dtype.char} - TYPES.keys() \
            or not _computes_in(function, dtype, value):
        return f"{call.name} {dtype.char}{value.char} has no form on the device"
    try:
        combine_text(op, value.char, dtype.char, 0, 0, 0, ())
    except NoKernel as reason:
        return str(reason)
    return scatters.refusal_of_key(call)


@functools.cache
def _computes_in(function: np.ufunc, dtype: np.dtype[Any], value: np.dtype[Any]) -> bool:
    """Return whether a ufunc computes in the dtype of the elements."""
    try:
        return function.resolve_dtypes((dtype, value, None)) == (dtype,) * 3
    except TypeError:
        return False


class _Values(NamedTuple):
    """One value per index: an operand, the extents of the indices, its strides along the indices and in the block."""

    operand: Operand
    joined: Sequence[int]
    strides: Sequence[int]


def combine(driver: Any, call: Call) -> None:
    """Combine elements with values, in index order."""
    found = scatters.places_of(call)
    char = call.result.dtype.char
    is_short = found.x.ndim == 1 and call.operands[0].ndim < 2 and found.value.dtype.char == char
    op = call.name.removesuffix(".at")
    call.report_as(op if is_short else "at")    # as NumPy does
    values = _Values(found.value, found.joined, found.value_strides)
    reported_flags = call.reported_flags if char in "efdFD" else 0
    _combine(driver, call, op, found.x, found.indices, found.plan, values, reported_flags)


def _combine(driver: Any, call: Call, op: str, x: Operand, indices: Sequence[Operand], plan: Mapping[str, Any],
             values: _Values, reported_flags: int) -> None:  # fmt: skip
    """Launch the kernels; nothing is changed if an index is out of bounds."""
    places = find_places(x._replace(dtype=np.dtype("u1")), indices, plan, merges=False)     # not split into words
    if not places.size * places.run:
        return
    kinds = tuple([TYPES[index.dtype.char] for index in indices])
    blocks = [index.block for index in indices]
    offsets, order = _line(driver, places.size), _line(driver, places.size)
    text = offset_text(places.joined, places.block, kinds, places.mode)
    numbers = [places.size, *places.numbers]
    if check(driver, call, text, places.size, numbers, [call.result.block, offsets.block, *blocks]):
        raise NoKernel("an index is out of bounds")
    sorts.sort_lines(driver, call, offsets, order, 0, True)
    items = places.size * places.run
    source = values.operand
    text = combine_text(op, source.dtype.char, x.dtype.char, reported_flags, places.joined, places.block, kinds,
                        places.mode)  # fmt: skip
    moved = [items, places.run, places.size, source.offset, *values.joined, *values.strides, *places.numbers]
    blocks = [call.result.block, source.block, offsets.block, order.block, *blocks]
    launch(driver, call, text, items, moved, blocks, changes=call.changes)


def _line(driver: Any, count: int) -> Operand:
    return Operand(driver.workspace(8 * count), 0, (count,), (8,), _INTP)


def sum_refusal(call: Call) -> str | None:
    """Return why the transpose of a gather has no kernel, or None."""
    char = call.result.dtype.char
    if not isinstance(call.function, Scatter):
        return "a sum that is not described"
    return None if char in "efdFD" else f"sums of {char} at places have no form on the device"


def add_up(driver: Any, call: Call) -> None:
    """Add elements to zeros, at the indices from which they were taken."""
    g, *indices = call.operands
    x, plan, axes = call.result, call.function.plan, call.function.axes
    unit = min(x.dtype.itemsize, 8)
    count = math.prod(x.shape) * (x.dtype.itemsize // unit)
    if count:
        launch(driver, call, zeros_text(UNITS[unit]), count, [count, x.offset], [x.block])
    moves = [g.strides[axis] for axis in axes or range(len(g.shape))]
    places = len(moves) - len(plan["block"])
    strides = [*moves[:places], *[0] * (len(plan["joined"]) - places), *moves[places:]]     # a 0-d index has no axes
    _combine(driver, call, "add", x, indices, plan, _Values(g, plan["joined"], strides), 0)


ROW = Row(refusal, combine)
SUM_ROW = Row(sum_refusal, add_up)
