"""`ufunc.at`: elements at places that index arrays name, combined with a value for each place.

Places are numbered, and sorted by the numbers of their elements. Where several name one element, a work-item combines
its values one after another, in the order in which NumPy does.
"""

import functools
from typing import Any

import numpy as np

from lazyarr._core.runtime.device_call import Call, NoKernel, Operand
from lazyarr.gpu.calls import scatters, sorts
from lazyarr.gpu.calls.gathers import RAISE, find_places, write_places
from lazyarr.gpu.calls.text import CallText, Row, Text, check, launch
from lazyarr.gpu.generator.dialects import TYPES
from lazyarr.gpu.generator.emitter import Value, address
from lazyarr.ops.ufunc_rows import UFUNCS

_INTP = np.dtype(np.intp)


@functools.cache
def number_text(joined: int, block: int, kinds: tuple[str, ...]) -> Text:
    """Return the kernel that stores the number of the element at each place, and looks for indices out of bounds."""
    text = CallText("number", ["x", "numbers", *[f"index{k}" for k in range(len(kinds))]], 1)
    items, = text.numbers(1)
    text.write("u32 outside = 0;")
    text.open(f"for (i64 e = GLOBAL_ID; e < {items}; e += GLOBAL_SIZE)")
    text.write("const i64 p = e, b = 0;")
    write_places(text, joined, block, kinds, RAISE)
    text.write("((GLOBAL i64 *)numbers)[p] = number;")
    text.close()
    text.write("if (outside) atomic_or_u32(status, 1u);")
    return text.finish()


@functools.cache
def combine_text(op: str, source: str, char: str, told: int, joined: int, block: int, kinds: tuple[str, ...]) -> Text:
    """Return the kernel that combines elements with the values, of dtype `source`, of all places that name them."""
    kind = TYPES[char]
    text = CallText(f"{op}_at", ["x", "values", "numbers", "order", *[f"index{k}" for k in range(len(kinds))]],
                    int(told != 0), [told])  # fmt: skip
    items, run, count, first = text.numbers(4)
    extents, strides = text.numbers(joined), text.numbers(joined + block)
    text.write("u32 outside = 0;")
    if told:
        text.write("u32 status0 = 0;")
    text.open(f"for (i64 e = GLOBAL_ID; e < {items}; e += GLOBAL_SIZE)")
    text.write(f"const i64 turn = quotient(e, {run}), b = e - turn * {run}, p = ((GLOBAL i64 *)order)[turn];")
    text.write("const i64 mine = ((GLOBAL i64 *)numbers)[p];")
    text.write("if (turn > 0 && ((GLOBAL i64 *)numbers)[((GLOBAL i64 *)order)[turn - 1]] == mine) continue;")
    written = write_places(text, joined, block, kinds, RAISE)
    text.write(f"GLOBAL {kind} *to = (GLOBAL {kind} *)({written.address});")
    text.write(f"{kind} combined = *to;")
    text.open(f"for (i64 k = turn; k < {count}; k++)")
    text.write("const i64 q = ((GLOBAL i64 *)order)[k];")
    text.write("if (((GLOBAL i64 *)numbers)[q] != mine) break;")
    place = [*text.coordinates("q", extents)[:joined], *written.within]
    value = Value(source, f"(*(GLOBAL {TYPES[source]} *)({address(f'values + {first}', place, strides)}))", 2)
    value = text.cast(text.truth(value), char, 0, None, 2)
    text.name(value)
    result = text.apply(op, 2 * char, char, [Value(char, "combined", 2), value], 0)[0]
    text.write(f"combined = {result.text};")
    text.close()
    text.write("*to = combined;")
    text.close()
    if told:
        text.write("if (status0) atomic_or_u32(status, status0);")
    return text.finish()


def refusal(call: Call) -> str | None:
    """Return why a call has no kernel, None if it has."""
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


def combine(driver: Any, call: Call) -> None:
    """Combine elements with values, in the order of their places."""
    found = scatters.places_of(call)
    elements = found.x._replace(dtype=np.dtype("u1"))   # which are not moved in words
    places = find_places(elements, found.indices, found.plan, merges=False)
    if not places.size * places.run:
        return
    op, char = call.name.removesuffix(".at"), call.result.dtype.char
    told = call.told if char in "efdFD" else 0
    kinds = tuple([TYPES[index.dtype.char] for index in found.indices])
    indices = [index.block for index in found.indices]
    numbers, order = _line(driver, places.size), _line(driver, places.size)
    text = number_text(places.joined, places.block, kinds)
    blocks = [call.result.block, numbers.block, *indices]
    if check(driver, call, text, places.size, [places.size, *places.numbers], blocks):
        raise NoKernel("an index is out of bounds")
    sorts.sort_lines(driver, call, numbers, order, 0, True)
    items = places.size * places.run
    is_short = found.x.ndim == 1 and call.operands[0].ndim < 2 and found.value.dtype.char == char
    call.report_as(op if is_short else "at")    # as NumPy does
    text = combine_text(op, found.value.dtype.char, char, told, places.joined, places.block, kinds)
    moved = [items, places.run, places.size, found.value.offset, *found.joined, *found.value_strides, *places.numbers]
    blocks = [call.result.block, found.value.block, numbers.block, order.block, *indices]
    launch(driver, call, text, items, moved, blocks, changes=True)


def _line(driver: Any, count: int) -> Operand:
    return Operand(driver.workspace(8 * count), 0, (count,), (8,), _INTP)


ROW = Row(refusal, combine)
