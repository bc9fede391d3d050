"""`ufunc.reduceat`: reductions of slices in NumPy's order, a work-item each.

Float sums are pairwise, like NumPy's: more than 128 terms are split in halves, and fewer go to eight accumulators.
"""

import functools
import math
from typing import Any

from lazyarr._core.runtime.device_call import Call, NoKernel
from lazyarr.gpu.calls.text import CallText, Row, Text, check, launch
from lazyarr.gpu.generator.dialects import TYPES
from lazyarr.gpu.generator.emitter import Value, address
from lazyarr.ops.ufunc_rows import UFUNCS

_DEEPEST = 64   # largest depth of recursion
_IN_FLOAT32 = frozenset(["add", "subtract", "multiply", "divide"])
"""Operations of which NumPy keeps folds of float16 in float32 until they are stored."""


@functools.cache
def bounds_text(char: str) -> Text:
    """Return the kernel that checks indices."""
    text = CallText("bounds", ["index"], 1)
    count, length, first, step = text.numbers(4)
    text.write("u32 outside = 0;")
    text.open(f"for (i64 e = GLOBAL_ID; e < {count}; e += GLOBAL_SIZE)")
    text.write(f"const i64 i = (i64)*(GLOBAL {TYPES[char]} *)(index + {first} + e * {step});")
    text.write(f"if (i < 0 || i >= {length}) outside = 1;")
    text.close()
    text.write("if (outside) atomic_or_u32(status, 1u);")
    return text.finish()


@functools.cache
def parts_text(op: str, source: str, char: str, index: str, reported_flags: int, axes: int) -> Text:
    """Return the kernel that reduces elements of dtype `source` in dtype `char`, for lines with `axes` other axes."""
    text = CallText(f"{op}_parts", ["out", "x", "index"], int(reported_flags != 0), [reported_flags])
    items, count, length, index_first, index_step = text.numbers(5)
    extents = text.numbers(axes)
    first, step, *strides = text.numbers(2 + axes)
    out_first, out_step, *out_strides = text.numbers(2 + axes)
    if reported_flags:
        text.write("u32 status0 = 0;")
    text.open(f"for (i64 e = GLOBAL_ID; e < {items}; e += GLOBAL_SIZE)")
    text.write(f"const i64 line = quotient(e, {count}), part = e - line * {count};")
    place = text.coordinates("line", extents)[:axes]
    text.write(f"GLOBAL char *at = index + {index_first} + part * {index_step};")
    text.write(f"const i64 start = (i64)*(GLOBAL {TYPES[index]} *)at;")
    text.write(f"const i64 next = part + 1 < {count} ? (i64)*(GLOBAL {TYPES[index]} *)(at + {index_step}) : {length};")
    text.write("i64 n = next - start - 1;")
    text.write(f"GLOBAL char *from = {address(f'x + {first}', place, strides)} + start * {step};")
    _Fold(text, op, source, char, step).write()
    text.write(f"*(GLOBAL {TYPES[char]} *)({address(f'out + {out_first}', place, out_strides)} + part * {out_step}) = "
               "result;")  # fmt: skip
    text.close()
    if reported_flags:
        text.write("if (status0) atomic_or_u32(status, status0);")
    return text.finish()


class _Fold:
    """Emits the fold of `n` elements that follow the one at ``from``.

    Parameters
    ----------
    text : CallText
    op : str
    source, char : str
        Dtype characters of elements and result.
    step : str
        Distance of neighbours.
    """

    def __init__(self, text: CallText, op: str, source: str, char: str, step: str):
        self.text, self.op, self.source, self.char, self.step = text, op, source, char, step
        self.is_pairwise = char in "efd" and "sum" in UFUNCS[op].traits
        self.wide = "f" if char == "e" and op in _IN_FLOAT32 else char

    def write(self) -> None:
        """Emit the fold; its value is ``result``."""
        text, kind = self.text, TYPES[self.wide]
        text.write(f"{kind} folded = {self._element('from')};")
        if self.is_pairwise:
            self._sum()
            text.open("if (n > 0)")
            self._step("folded", "folded", "sum")
            text.close()
        else:
            text.open("for (i64 i = 1; i <= n; i++)")
            text.write(f"const {kind} element = {self._element(f'from + i * {self.step}')};")
            self._step("folded", "folded", "element")
            text.close()
        result = text.cast(Value(self.wide, "folded", 1, True), self.char, 0)
        text.write(f"const {TYPES[self.char]} result = {result.text};")

    def _element(self, place: str) -> str:
        value = self.text.truth(Value(self.source, f"(*(GLOBAL {TYPES[self.source]} *)({place}))"))
        return self.text.cast(value, self.wide, 0).text

    def _step(self, target: str, left: str, right: str) -> None:
        operands = [Value(self.wide, left, 2, True), Value(self.wide, right, 2, True)]
        result = self.text.apply(self.op, 2 * self.wide, self.wide, operands, 0)[0]
        self.text.write(f"{target} = {result.text};")

    def _sum(self) -> None:
        """Emit the pairwise sum of `n` elements, ``sum``."""
        text, kind = self.text, TYPES[self.wide]
        text.write(f"{kind} sum = -0.0f, halves[{_DEEPEST}];")
        text.write(f"i64 rest[{_DEEPEST}], size = n, at_element = 1;")
        text.write("i32 depth = 0;")
        text.open("while (n > 0)")
        text.open("while (size > 128)")
        text.write("const i64 first = size / 2 - size / 2 % 8;")
        text.write("rest[depth++] = size - first;")
        text.write("size = first;")
        text.close()
        text.write("sum = -0.0f;")
        text.write("i64 i = 0;")
        text.open("if (size >= 8)")
        text.write(f"{kind} r[8];")
        text.write(f"for (i32 k = 0; k < 8; k++) r[k] = {self._element(self._at('k'))};")
        text.open("for (i = 8; i < size - size % 8; i += 8)")
        text.open("for (i32 k = 0; k < 8; k++)")
        text.write(f"const {kind} element = {self._element(self._at('i + k'))};")
        self._step("r[k]", "r[k]", "element")
        text.close()
        text.close()
        for reach in (1, 2, 4):
            for k in range(0, 8, 2 * reach):
                self._step(f"r[{k}]", f"r[{k}]", f"r[{k + reach}]")
        text.write("sum = r[0];")
        text.close()
        text.open("for (; i < size; i++)")
        text.write(f"const {kind} element = {self._element(self._at('i'))};")
        self._step("sum", "sum", "element")
        text.close()
        text.write("at_element += size;")
        text.write("// a first half waits for its second one, whose number of terms is negative then")
        text.open("while (depth > 0 && rest[depth - 1] < 0)")
        text.write("depth--;")
        self._step("sum", "halves[depth]", "sum")
        text.close()
        text.write("if (depth == 0) break;")
        text.write("halves[depth - 1] = sum;")
        text.write("size = rest[depth - 1];")
        text.write("rest[depth - 1] = -1;")
        text.close()

    def _at(self, place: str) -> str:
        return f"from + (at_element + {place}) * {self.step}"


def refusal(call: Call) -> str | None:
    """Return why a call has no kernel, or None."""
    x, index = call.operands
    op, char = call.name.removesuffix(".reduceat"), call.result.dtype.char
    is_cast = x.dtype == call.result.dtype or (x.dtype.kind in "biu" and call.result.dtype.kind in "iu")
    if not is_cast or {x.dtype.char, char, index.dtype.char} - TYPES.keys():
        return f"{call.name} {x.dtype.char}->{char} has no form on the device"
    if char in "FD" and "sum" in UFUNCS[op].traits:
        return "sums of complex numbers in parts"
    try:
        parts_text(op, x.dtype.char, char, index.dtype.char, 0, 0)
    except NoKernel as reason:
        return str(reason)
    return None


def fold(driver: Any, call: Call) -> None:
    """Reduce the elements from each index to the next; if that is not larger, take the one element."""
    (x, index), out = call.operands, call.result
    axis = call.function.keywords["axis"] % x.ndim
    extents = [*x.shape[:axis], *x.shape[axis + 1 :]]
    count, length = index.shape[0], x.shape[axis]
    items = math.prod(extents) * count
    numbers = [count, length, index.offset, index.strides[0]]
    if count and check(driver, call, bounds_text(index.dtype.char), count, numbers, [index.block]):
        raise NoKernel("an index is out of bounds")
    if not items:
        return
    call.report_as("reduceat")
    reported_flags = call.reported_flags if x.dtype.kind in "fc" else 0
    numbers = [items, count, length, index.offset, index.strides[0], *extents]
    for array in (x, out):
        numbers += [array.offset, array.strides[axis], *array.strides[:axis], *array.strides[axis + 1 :]]
    op, chars = call.name.removesuffix(".reduceat"), (x.dtype.char, out.dtype.char, index.dtype.char)
    text = parts_text(op, *chars, reported_flags, len(extents))
    launch(driver, call, text, items, numbers, [out.block, x.block, index.block])


ROW = Row(refusal, fold)
