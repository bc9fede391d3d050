"""Emits the statements of a kernel: values, their names, and operations on them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from lazyarr._core.runtime.device_call import NoKernel
from lazyarr.gpu.generator import expressions, flags
from lazyarr.gpu.generator.agreement import agrees
from lazyarr.gpu.generator.dialects import TYPES, Dialect
from lazyarr.gpu.generator.helpers import MODULAR, needed

LONGEST_INLINED = 80  # characters of an expression that is inlined into another


@dataclass(eq=False)
class Value:
    """A value in a kernel: a variable, or an expression that is inlined where it is used.

    Attributes
    ----------
    char : str
        Character of its dtype.
    text : str
    readers : int
        Number of operations that read it.
    is_truth : bool
        Whether it is a bool known to be 0 or 1; a bool loaded from memory may be any byte.
    is_constant : bool
        Whether all elements are known to be equal.
    """

    char: str
    text: str
    readers: int = 1
    is_truth: bool = False
    is_constant: bool = False

    @property
    def is_name(self) -> bool:
        """Whether it is a variable."""
        return self.text.isidentifier()

    @property
    def beside_operator(self) -> str:
        """Its text as an operand of an operator."""
        return self.text if re.fullmatch(r"\w+|\w+\([^()]*\)", self.text) else f"({self.text})"


class _Form(NamedTuple):
    """Everything known about an operation on given dtypes: its row, templates and flag tests."""

    row: Mapping[str, Any]
    templates: Sequence[str]
    flags: Mapping[str, Any]


class Emitter:
    """Emits the statements of a kernel.

    Parameters
    ----------
    reported_flags : sequence of int
        Status flags to detect, for each instruction and fold.
    dialect : Dialect
    is_exact : bool
        Whether operations that do not match NumPy bit for bit are left to the host.
    """

    def __init__(self, reported_flags: Sequence[int], dialect: Dialect, is_exact: bool):
        self.lines: list[str] = []
        self.depth = 1
        self.count = 0
        self.reported_flags, self.dialect, self.is_exact = reported_flags, dialect, is_exact
        self.functions: set[str] = set()  # the device's own functions in use, which may not match NumPy bit for bit

    def write(self, line: str) -> None:
        """Add a line at the current indentation."""
        self.lines.append("    " * self.depth + line if line else "")

    def open(self, head: str) -> None:
        """Open a block."""
        self.write(f"{head} {{")
        self.depth += 1

    def close(self) -> None:
        """Close a block."""
        self.depth -= 1
        self.write("}")

    def coordinates(self, index: str, extents: Sequence[str]) -> list[str]:
        """Emit the coordinates of an element along axes, the last fastest; return their names."""
        names, rest = [], index
        for axis in range(len(extents) - 1, 0, -1):
            name = f"{index}{axis}"
            self.write(f"const i64 {name}_up = quotient({rest}, {extents[axis]}), "
                       f"{name} = {rest} - {name}_up * {extents[axis]};")  # fmt: skip
            names.append(name)
            rest = f"{name}_up"
        return [rest, *reversed(names)]

    def name(self, value: Value) -> str:
        """Assign a value to a variable, unless it is one."""
        if not value.is_name:
            name = f"r{self.count}"
            self.count += 1
            self.write(f"const {TYPES[value.char]} {name} = {value.text};")
            value.text = name
        return value.text

    def truth(self, value: Value) -> Value:
        """Normalize a bool to 0 or 1."""
        if value.char != "?" or value.is_truth:
            return value
        return Value("?", f"{value.beside_operator} != 0", is_truth=True)

    def apply(self, op: str, chars: str, outputs: str, operands: Sequence[Value], number: int,
              gate: Value | None = None, readers: Sequence[int] = (1,)) -> list[Value]:  # fmt: skip
        """Emit an operation and return its results.

        Parameters
        ----------
        op : str
        chars, outputs : str
            Dtype characters of operands and results.
        operands : sequence of Value
        number : int
            Instruction or fold to which its status flags belong.
        gate : Value, optional
            Mask; flags are raised only where it is true.
        readers : sequence of int
            Number of readers of each result.
        """
        if op == "cast":
            return [self.cast(operands[0], outputs, number, gate, readers[0])]
        if not set(chars + outputs) <= TYPES.keys():
            raise NoKernel(f"{op} {chars}->{outputs} has no form on the device")
        form = self._form(op, chars, outputs)
        looks = "*" not in form.row
        if looks and "e" in chars + outputs and "f16" not in form.row:
            widened = [self.widened(operand) for operand in operands]
            chars, wide = chars.replace("e", "f"), outputs.replace("e", "f")
            counts = [1 if char == "e" else count for char, count in zip(outputs, readers, strict=True)]
            results = self._rows(op, form, chars, wide, widened, number, gate, counts)
            return [self.cast(result, "e", number, gate, readers[i]) if outputs[i] == "e" else result
                    for i, result in enumerate(results)]  # fmt: skip
        if looks:
            operands = [self.truth(operand) for operand in operands]
        return self._rows(op, form, chars, outputs, operands, number, gate, readers)

    def widened(self, value: Value) -> Value:
        """Return a float16 value as float32, and any other value unchanged."""
        if value.char != "e":
            return self.truth(value)
        if value.readers > 1:
            self.name(value)
        return Value("f", f"f32_of_f16({value.text})")

    def _form(self, op: str, chars: str, outputs: str) -> _Form:
        """Return an operation's templates: those that match NumPy bit for bit if there are any, else the device's
        function.
        """
        own, vendor = (expressions.ROWS, flags.ROWS), (expressions.VENDOR, flags.VENDOR)
        order = ([own] if agrees(op, chars) else []) + ([] if self.is_exact else [vendor, own])
        for rows, tests in order:
            found = expressions.find(rows, op, chars)
            templates = (found,) if isinstance(found, str) else found
            if templates and not self._lacks_double(op, chars, templates):
                if "*" not in rows[op]:
                    self._check_floats(op, chars, outputs, templates)
                if rows is expressions.VENDOR:
                    self.functions.add(op)
                return _Form(rows[op], templates, tests)
        is_known = any(expressions.find(rows, op, chars) for rows, _ in (own, vendor))
        bits = " with NumPy's bits, as config.exact asks for" if is_known and self.is_exact else ""
        raise NoKernel(f"{op} {chars}->{outputs} has no form on the device{bits}")

    def _lacks_double(self, op: str, chars: str, templates: Sequence[str]) -> bool:
        """Return whether an operation on other dtypes computes in float64, which the device lacks."""
        return not self.dialect.has_double and {*chars}.isdisjoint("dD") and "f64" in _text_of(op, chars, templates)

    def _check_floats(self, op: str, chars: str, outputs: str, templates: Sequence[str]) -> None:
        """Raise NoKernel for float32 arithmetic that the device does not round like NumPy."""
        if {*chars, *outputs}.isdisjoint("efF"):
            return
        if not self.dialect.has_float_denormals:
            raise NoKernel(f"{op} {chars}->{outputs}: the device takes subnormal numbers of float32 for 0")
        if not self.dialect.rounds_float_division and re.search(r" / |\bsqrt\(", _text_of(op, chars, templates)):
            raise NoKernel(f"{op} {chars}->{outputs}: quotients and roots of float32 are not the nearest on the device")

    def _rows(self, op: str, form: _Form, chars: str, outputs: str, operands: Sequence[Value], number: int,
              gate: Value | None, readers: Sequence[int]) -> list[Value]:  # fmt: skip
        tests = expressions.find(form.flags, op, chars) or {}
        tests = {bit: test for bit, test in tests.items() if self.reported_flags[number] & bit}
        for operand, slot in zip(operands, "xyz", strict=False):
            uses = sum(len(re.findall(rf"{{{slot}}}|{{{slot.upper()}}}|{{exponent}}", text)) for text in form.templates)
            if tests or uses > 1:
                self.name(operand)
        words = _words(op, chars, outputs, operands)
        is_moved = "*" in form.row
        results: list[Value] = []
        for template, char in zip(form.templates, outputs, strict=True):
            text = _modular(template[4:], words, operands) if template[:4] == "mod " else template.format_map(words)
            is_truth = char == "?" and (not is_moved or all(v.is_truth for v in operands[len(operands) > 1 :]))
            results.append(Value(char, text, readers[len(results)], is_truth))
        for result in results:
            self.settle(result, bool(tests))
        for bit, test in tests.items():
            names = dict(zip("rs", [result.text for result in results], strict=False))
            self.raise_flag(number, bit, test.format_map({**words, **names}), gate)
        return results

    def settle(self, value: Value, is_tested: bool = False) -> None:
        """Assign a value to a variable if it is read twice or its expression is long."""
        if is_tested or value.readers > 1 or (value.readers and len(value.text) > LONGEST_INLINED):
            self.name(value)

    def raise_flag(self, number: int, bit: int, test: str, gate: Value | None = None) -> None:
        """Emit code that raises a status flag if a test is true."""
        condition = f"{gate.beside_operator} && ({test})" if gate else test
        self.write(f"if ({condition}) status{number // 8} |= {bit << 4 * (number % 8):#x}u;")

    def cast(self, value: Value, target: str, number: int, gate: Value | None = None, readers: int = 1) -> Value:
        """Convert a value to the dtype with character `target`."""
        source = value.char
        if not {source, target} <= TYPES.keys():
            raise NoKernel(f"cast {source}->{target} has no form on the device")
        self._check_floats("cast", source, target, ())
        if source in "FD" and target in "FD" and source != target:
            self.name(value)
            part, narrow = {"F": "f", "D": "d"}[source], {"F": "f", "D": "d"}[target]
            parts = [self.cast(Value(part, f"{value.text}.{side}"), narrow, number, gate) for side in "xy"]
            text = f"complex_{TYPES[target]}({parts[0].text}, {parts[1].text})"
        elif source in "FD" and target == "?":
            text = f"nonzero_{TYPES[source]}({value.text})"
        elif source in "FD" and target not in "FD":
            real = Value({"F": "f", "D": "d"}[source], f"{value.beside_operator}.x")
            return self.cast(real, target, number, gate, readers)
        elif target in "FD" and source not in "FD":
            real = self.cast(value, {"F": "f", "D": "d"}[target], number, gate)
            text = f"complex_{TYPES[target]}({real.text}, 0)"
        elif source == "e" and target not in "ef":
            return self.cast(self.widened(value), target, number, gate, readers)
        elif target == "e" and source not in "efd":
            return self.cast(self.cast(value, "f", number, gate), "e", number, gate, readers)
        else:
            return self._cast_real(value, target, number, gate, readers)
        result = Value(target, text, readers, target == "?", value.is_constant)
        self.settle(result)
        return result

    def _cast_real(self, value: Value, target: str, number: int, gate: Value | None, readers: int) -> Value:
        source = value.char
        tests = flags.of_cast(source, target) if source in "fd" else {}
        tests = {bit: test for bit, test in tests.items() if self.reported_flags[number] & bit}
        value = self.truth(value)
        if tests:
            self.name(value)
        if source == target:
            text = value.text
        elif target == "?":
            text = f"{value.beside_operator} != 0"
        elif "e" in (source, target):
            text = f"{TYPES[target]}_of_{TYPES[source]}({value.text})"
        elif source in "fd" and target in "bBhHiIlLqQ":
            through = "i32" if target in "bBhHi" else "u64" if target in "LQ" else "i64"
            text = f"{through}_of_{TYPES[source]}({value.text})"
            text = text if through == TYPES[target] else f"({TYPES[target]}){text}"
        else:
            text = f"({TYPES[target]}){value.beside_operator}"
        result = Value(target, text, readers, target == "?" and (source != "?" or value.is_truth), value.is_constant)
        self.settle(result, bool(tests))
        for bit, test in tests.items():
            self.raise_flag(number, bit, test.format(x=value.text, r=result.text), gate)
        return result


def address(base: str, coordinates: Sequence[str], strides: Sequence[str]) -> str:
    """Return the address of the element at these coordinates."""
    return " + ".join([base, *(f"{index} * {stride}" for index, stride in zip(coordinates, strides, strict=True))])
def _text_of(op: str, chars: str, templates: Sequence[str]) -> str:
    """Return an operation's text, including the functions that it calls."""
    kind = TYPES["f" if chars[0] == "e" else chars[0]]
    text = " ".join(templates).replace("{op}", op).replace("{t}", kind)
    return text + needed(text)


def _words(op: str, chars: str, outputs: str, operands: Sequence[Value]) -> dict[str, str]:
    """Return the substitutions for templates."""
    t = TYPES[chars[0]]
    words = {"t": t, "r": TYPES[outputs[0]], "op": op, "m": MODULAR.get(t, ""), "u": t.replace("i", "u"),
             "of_infinity": f"LEAST_{t}" if t in ("i32", "i64") else "0"}  # fmt: skip
    is_constant = all(operand.is_constant for operand in operands[1:])
    words["clip"] = "clip_to_constants" if is_constant else "clip"
    words["power"] = f"power_to_constant_{t}" if is_constant else f"power_{t}"
    for operand, slot in zip(operands, "xyz", strict=False):
        words[slot], words[slot.upper()] = operand.beside_operator, operand.text
    if len(operands) > 1:
        y = operands[1]
        wide = f"(i32)({y.text} > 100000 ? 100000 : {y.text} < -100000 ? -100000 : {y.text})"
        words["exponent"] = wide if y.char in "lq" else y.text
    return words


def _modular(template: str, words: dict[str, str], operands: Sequence[Value]) -> str:
    """Return integer arithmetic modulo a power of two, as text: signed types must not overflow in C."""
    t = words["t"]
    if t in ("u16", "i32", "i64"):  # narrower ones are promoted to int, where they do not overflow
        words = {**words, **{slot: f"({MODULAR[t]}){words[slot]}" for slot, _ in zip("xyz", operands, strict=False)}}
    text = template.format_map(words)
    return text if t in ("u32", "u64") else f"({t})({text})"
