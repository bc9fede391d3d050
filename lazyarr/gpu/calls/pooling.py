"""Pooling and upsampling, and their gradients: a kernel for each function of the elements under windows.

A work-item computes one element of the result, adding terms in the order of the host's kernel
(`_core/simd/pooling_line.h`), so that results agree bit for bit. Windows along an axis are described by tables
(`ops/pooling_tables.py`), which are transferred as one array of 64-bit words.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from lazyarr._core.runtime.device_call import Operand
from lazyarr._core.runtime.kernel_launch import group_size
from lazyarr.gpu.calls.launches import Launch, NamedText
from lazyarr.gpu.calls.text import Text
from lazyarr.gpu.generator.dialects import TYPES
from lazyarr.gpu.generator.emitter import address

CARRY = 128  # terms of one level that are added to one of the next
_TABLES = ("first", "taps", "number", "offset", "divisor", "weight")


@dataclass(frozen=True)
class Form:
    """Parameters of a kernel.

    Attributes
    ----------
    line : {"max", "places", "give back", "mean", "mix"}
        Name of the function in the host's kernel.
    char : str
        Dtype character of x, real.
    made : str
        Dtype character of the result; complex numbers are pairs of real ones.
    found : str
        Dtype character of the positions that "give back" reads; empty otherwise.
    axes : int
        Number of spatial axes.
    """

    line: str
    char: str
    made: str
    found: str
    axes: int


def launches(line: str, axes: Sequence[Any], operands: Sequence[Operand], result: Operand) -> list[Launch]:
    """Return the launches that compute a call.

    Parameters
    ----------
    line : {"max", "places", "give back", "mean", "mix"}
    axes : sequence of lazyarr.ops.pooling_tables.Axis
    operands : sequence of Operand
        x, and the positions if it reads them.
    result : Operand
    """
    found = operands[1].dtype.char if len(operands) > 1 else ""
    form = Form(line, _real(operands[0].dtype.char), _real(result.dtype.char), found, len(axes))
    tables, numbers = _tables_and_numbers(form, axes, operands, result)
    if result.dtype.itemsize * prod(result.shape) == 0:
        return []
    blocks = (*range(len(operands)), "tables", "result")
    return [Launch(generate(form), -(-numbers[0] // group_size), group_size, numbers, blocks, tables=tables)]


def _real(char: str) -> str:
    return {"F": "f", "D": "d"}.get(char, char)


# ---- layout --------------------------------------------------------------------------------------------


def _words(form: Form) -> list[str]:
    """Return the names of the kernel's layout words, in order: extents, strides and offsets in bytes."""
    names = ["count", *_pointers(form)]
    for axis in _axes(form):
        names += [f"{axis}_{field}" for field in ("extent", *_pointers(form))]
    for place in range(form.axes):
        names += [f"axis{place}_{field}" for field in ("step", "number_step", "window", *_TABLES)]
    return names


def _pointers(form: Form) -> list[str]:
    return ["x", *["found"] * bool(form.found), "out"]


def _axes(form: Form) -> list[str]:
    """Return the axes of the result, ending with the parts of complex numbers."""
    return ["batch", *[f"axis{axis}" for axis in range(form.axes)], "channel", "part"]


def _tables_and_numbers(form: Form, axes: Sequence[Any], operands: Sequence[Operand],
                      result: Operand) -> tuple[bytes, list[int]]:  # fmt: skip
    """Return the tables of a call as bytes, and the kernel's numbers."""
    arrays: list[np.ndarray] = []
    values: dict[str, int] = {}
    for place, axis in enumerate(axes):
        values |= {f"axis{place}_{name}": getattr(axis, name) for name in ("step", "number_step", "window")}
        for name in _TABLES:
            table = getattr(axis, name)
            values[f"axis{place}_{name}"] = sum(map(len, arrays))
            if table is not None:
                arrays.append(table.view(np.int64))
    extents = *result.shape, 2 if result.dtype.char in "FD" else 1
    of_part = np.dtype(_real(result.dtype.char)).itemsize
    values["count"] = prod(extents)
    values |= {f"{axis}_extent": extent for axis, extent in zip(_axes(form), extents, strict=True)}
    for pointer, array in zip(_pointers(form), (*operands, result), strict=True):
        values[pointer] = array.offset
        values |= {f"{axis}_{pointer}": stride
                   for axis, stride in zip(_axes(form), (*array.strides, of_part), strict=True)}  # fmt: skip
    return np.concatenate(arrays).tobytes(), [int(values[name]) for name in _words(form)]


# ---- text ----------------------------------------------------------------------------------------------


@functools.cache
def generate(form: Form) -> Text:
    """Return the kernel. Its pointers are x, the positions if it reads them, the tables and the result."""
    return _Pooling(form).generate()


class _Pooling(NamedText):
    def __init__(self, form: Form):
        self.form, self.kind, self.made = form, TYPES[form.char], TYPES[form.made]
        self.line = form.line.replace(" ", "_")
        super().__init__(f"pool_{self.line}_{self.kind}", [*_pointers(form)[:-1], "tables", "out"], _words(form))

    def generate(self) -> Text:
        form = self.form
        self.write("GLOBAL const i64 *const table = (GLOBAL const i64 *)tables;")
        self.open(f"for (i64 i = GLOBAL_ID; i < {self.words['count']}; i += GLOBAL_SIZE)")
        places = self.coordinates("i", [self.words[f"{axis}_extent"] for axis in _axes(form)])
        self.at = dict(zip(_axes(form), places, strict=True))
        for pointer in _pointers(form):
            axes = [axis for axis in _axes(form) if pointer == "out" or axis[:4] != "axis"]
            strides = [self.words[f"{axis}_{pointer}"] for axis in axes]
            self.write(f"const i64 {pointer}_at = "
                       f"{address(self.words[pointer], [self.at[axis] for axis in axes], strides)};")  # fmt: skip
        for axis in range(form.axes):
            self.write(f"const i64 first{axis} = {self.of_position(axis, 'first')}, "
                       f"taps{axis} = {self.of_position(axis, 'taps')};")  # fmt: skip
        getattr(self, f"_write_{self.line}")()
        self.close()
        return self.finish()

    def of_position(self, axis: int, name: str) -> str:
        """Return the table entry for the position along an axis."""
        return f"table[{self.words[f'axis{axis}_{name}']} + {self.at[f'axis{axis}']}]"

    def open_taps(self) -> None:
        """Open the loops over the taps of a window; ``value`` is the element at a tap."""
        for axis in range(self.form.axes):
            self.open(f"for (i64 t{axis} = 0; t{axis} < taps{axis}; t{axis}++)")
        self.write(f"const {self.kind} value = *(GLOBAL {self.kind} *)(x + {self.place_of('x')});")

    def close_taps(self) -> None:
        """Close the loops."""
        for _ in range(self.form.axes):
            self.close()

    def place_of(self, pointer: str) -> str:
        """Return the address of the tap's element of x, or of the positions."""
        moves = [f"(first{axis} + t{axis} * {self.words[f'axis{axis}_step']}) * {self.words[f'axis{axis}_{pointer}']}"
                 for axis in range(self.form.axes)]  # fmt: skip
        return " + ".join([f"{pointer}_at", *moves])

    def number(self, is_first: bool = False) -> str:
        """Return the number of the tap, or of the first one, in its window."""
        text = ""
        for axis in range(self.form.axes):
            more = "" if is_first else f" + t{axis} * {self.words[f'axis{axis}_number_step']}"
            before = f"({text}) * {self.words[f'axis{axis}_window']} + " if text else ""
            text = f"{before}{self.of_position(axis, 'number')}{more}"
        return f"(i32)({text})"

    def write_result(self, value: str) -> None:
        """Store an element of the result."""
        self.write(f"*(GLOBAL {self.made} *)(out + out_at) = {value};")

    def _write_max(self) -> None:
        self.write(f"{self.kind} most = {_least(self.form.char)};")
        self.open_taps()
        self.write(f"if (value > most{self._or_nan()}) most = value;")
        self.close_taps()
        self.write_result("most")

    def _or_nan(self) -> str:
        return " || isnan(value)" if self.form.char in "fd" else ""

    def _write_places(self) -> None:
        is_any = " && ".join(f"taps{axis}" for axis in range(self.form.axes))
        self.write(f"{self.kind} most = {_least(self.form.char)};")
        self.write(f"i32 place = {is_any} ? {self.number(is_first=True)} : -1;")
        self.open_taps()
        self.open(f"if (value > most{' || (isnan(value) && !isnan(most))' if self.form.char in 'fd' else ''})")
        self.write("most = value;")
        self.write(f"place = {self.number()};")
        self.close()
        self.close_taps()
        self.write_result(f"({self.made})place")

    def _write_give_back(self) -> None:
        self.write(f"{self.kind} sum = 0;")
        self.open_taps()
        found = f"*(GLOBAL {TYPES[self.form.found]} *)(found + {self.place_of('found')})"
        self.write(f"sum += {found} == {self.number()} ? value : 0;")
        self.close_taps()
        self.write_result("sum")

    def _write_mean(self) -> None:
        self._write_sum("value")
        divisors = [f"f64_of_bits({self.of_position(axis, 'divisor')})" for axis in range(self.form.axes)]
        self.write_result(f"(total + (middle + part)) / ({self.kind})({' * '.join(divisors)})")

    def _write_mix(self) -> None:
        weights = []
        for axis in range(self.form.axes):
            place = f"{self.words[f'axis{axis}_weight']} + {self.of_position(axis, 'offset')} + t{axis}"
            weights.append(f"f64_of_bits(table[{place}])")
        self._write_sum(f"({self.kind})({' * '.join(weights)}) * value")
        self.write_result("total + (middle + part)")

    def _write_sum(self, term: str) -> None:
        """Emit a three-level sum, which limits the error of large windows; it starts from -0.0, the exact identity."""
        self.write(f"{self.kind} total = -0.0f, middle = -0.0f, part = -0.0f;")
        self.write("i64 terms = 0;")
        self.open_taps()
        self.write(f"part += {term};")
        self.open(f"if (++terms % {CARRY} == 0)")
        self.write("middle += part, part = -0.0f;")
        self.write(f"if (terms % {CARRY * CARRY} == 0) total += middle, middle = -0.0f;")
        self.close()
        self.close_taps()


def _least(char: str) -> str:
    """Return the least value of a dtype."""
    kind = TYPES[char]
    if char in "fd":
        return "f32_of_bits(0xff800000u)" if char == "f" else "f64_of_bits((u64)0xfff00000 << 32)"
    return f"LEAST_{kind}" if kind[0] == "i" else "0"
