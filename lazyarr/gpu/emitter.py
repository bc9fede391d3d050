"""Statements of a kernel: values, their names, and the operations that make them from others."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lazyarr._core.runtime.accelerator import NoKernel
from lazyarr.gpu import expressions, flags
from lazyarr.gpu.dialects import TYPES
from lazyarr.gpu.helpers import MODULAR

LONGEST_INLINED = 80  # characters of an expression that goes into another one


@dataclass(eq=False)
class Value:
    """A value in a kernel: a name, or an expression that is written out where it is read.

    Attributes
    ----------
    char : str
        Character of its dtype.
    text : str
    readers : int
        How many operations read it.
    is_truth : bool
        Whether it is a bool known to be 0 or 1; one from memory may be any byte.
    """

    char: str
    text: str
    readers: int = 1
    is_truth: bool = False

    @property
    def is_name(self) -> bool:
        """Whether it has a name, or is one."""
        return self.text.isidentifier()

    @property
    def beside_operator(self) -> str:
        """Its text as an operand."""
        return self.text if re.fullmatch(r"\w+|\w+\([^()]*\)", self.text) else f"({self.text})"


class Emitter:
    """Writes the statements of a kernel, one after another.

    Parameters
    ----------
    told : sequence of int
        For each instruction and fold, the status flags to look for.
    """

    def __init__(self, told: Sequence[int]):
        self.lines: list[str] = []
        self.depth = 1
        self.count = 0
        self.told = told

    def write(self, line: str) -> None:
        """Add a line at the current depth."""
        self.lines.append("    " * self.depth + line if line else "")

    def open(self, head: str) -> None:
        """Begin a block."""
        self.write(f"{head} {{")
        self.depth += 1

    def close(self) -> None:
        """End a block."""
        self.depth -= 1
        self.write("}")

    def coordinates(self, index: str, extents: Sequence[str]) -> list[str]:
        """Write the coordinates of an element along axes, the last of which moves first; return their names."""
        names, rest = [], index
        for axis in range(len(extents) - 1, 0, -1):
            name = f"{index}{axis}"
            self.write(f"const i64 {name}_up = quotient({rest}, {extents[axis]}), "
                       f"{name} = {rest} - {name}_up * {extents[axis]};")  # fmt: skip
            names.append(name)
            rest = f"{name}_up"
        return [rest, *reversed(names)]

    def name(self, value: Value) -> str:
        """Give a value a name, if it has none."""
        if not value.is_name:
            name = f"r{self.count}"
            self.count += 1
            self.write(f"const {TYPES[value.char]} {name} = {value.text};")
            value.text = name
        return value.text

    def truth(self, value: Value) -> Value:
        """Return a bool as 0 or 1."""
        if value.char != "?" or value.is_truth:
            return value
        return Value("?", f"{value.beside_operator} != 0", is_truth=True)

    def apply(self, op: str, chars: str, outputs: str, operands: Sequence[Value], number: int,
              gate: Value | None = None, readers: Sequence[int] = (1,)) -> list[Value]:  # fmt: skip
        """Compute the results of an operation.

        Parameters
        ----------
        op : str
        chars, outputs : str
            Characters of the dtypes of operands and results.
        operands : sequence of Value
        number : int
            The instruction or fold to which its status flags belong.
        gate : Value, optional
            A mask under which alone it raises flags.
        readers : sequence of int
            How many operations read each result.
        """
        if op == "cast":
            return [self.cast(operands[0], outputs, number, gate, readers[0])]
        template = expressions.find(expressions.ROWS, op, chars)
        if template is None or not set(chars + outputs) <= TYPES.keys():
            raise NoKernel(f"{op} {chars}->{outputs} has no form on the device")
        templates = (template,) if isinstance(template, str) else template
        looks = "*" not in expressions.ROWS[op]
        if looks and "e" in chars + outputs and "f16" not in expressions.ROWS[op]:
            widened = [self.widened(operand) for operand in operands]
            chars, wide = chars.replace("e", "f"), outputs.replace("e", "f")
            counts = [1 if char == "e" else count for char, count in zip(outputs, readers, strict=True)]
            results = self._rows(op, templates, chars, wide, widened, number, gate, counts)
            return [self.cast(result, "e", number, gate, readers[i]) if outputs[i] == "e" else result
                    for i, result in enumerate(results)]  # fmt: skip
        if looks:
            operands = [self.truth(operand) for operand in operands]
        return self._rows(op, templates, chars, outputs, operands, number, gate, readers)

    def widened(self, value: Value) -> Value:
        """Return a float16 as float32, and any other value as it is."""
        if value.char != "e":
            return self.truth(value)
        if value.readers > 1:
            self.name(value)
        return Value("f", f"f32_of_f16({value.text})")

    def _rows(self, op: str, templates: Sequence[str], chars: str, outputs: str, operands: Sequence[Value], number: int,
              gate: Value | None, readers: Sequence[int]) -> list[Value]:  # fmt: skip
        tests = expressions.find(flags.ROWS, op, chars) or {}
        tests = {bit: test for bit, test in tests.items() if self.told[number] & bit}
        for operand, slot in zip(operands, "xyz", strict=False):
            uses = sum(len(re.findall(rf"{{{slot}}}|{{{slot.upper()}}}|{{exponent}}", text)) for text in templates)
            if tests or uses > 1:
                self.name(operand)
        words = _words(op, chars, outputs, operands)
        is_moved = "*" in expressions.ROWS[op]
        results: list[Value] = []
        for template, char in zip(templates, outputs, strict=True):
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
        """Name a value that is read twice, or whose expression is long."""
        if is_tested or value.readers > 1 or (value.readers and len(value.text) > LONGEST_INLINED):
            self.name(value)

    def raise_flag(self, number: int, bit: int, test: str, gate: Value | None = None) -> None:
        """Raise a status flag where a test is true."""
        condition = f"{gate.beside_operator} && ({test})" if gate else test
        self.write(f"if ({condition}) status{number // 8} |= {bit << 4 * (number % 8):#x}u;")

    def cast(self, value: Value, target: str, number: int, gate: Value | None = None, readers: int = 1) -> Value:
        """Convert a value to the dtype of character `target`."""
        source = value.char
        if not {source, target} <= TYPES.keys():
            raise NoKernel(f"cast {source}->{target} has no form on the device")
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
        result = Value(target, text, readers, target == "?")
        self.settle(result)
        return result

    def _cast_real(self, value: Value, target: str, number: int, gate: Value | None, readers: int) -> Value:
        source = value.char
        tests = flags.of_cast(source, target) if source in "fd" else {}
        tests = {bit: test for bit, test in tests.items() if self.told[number] & bit}
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
        result = Value(target, text, readers, target == "?" and (source != "?" or value.is_truth))
        self.settle(result, bool(tests))
        for bit, test in tests.items():
            self.raise_flag(number, bit, test.format(x=value.text, r=result.text), gate)
        return result


def address(base: str, coordinates: Sequence[str], strides: Sequence[str]) -> str:
    """Return the address of an element with these coordinates."""
    return " + ".join([base, *(f"{index} * {stride}" for index, stride in zip(coordinates, strides, strict=True))])


def _words(op: str, chars: str, outputs: str, operands: Sequence[Value]) -> dict[str, str]:
    """Return what stands for the names in templates."""
    t = TYPES[chars[0]]
    words = {"t": t, "r": TYPES[outputs[0]], "op": op, "m": MODULAR.get(t, ""), "u": t.replace("i", "u"),
             "of_infinity": f"LEAST_{t}" if t in ("i32", "i64") else "0"}  # fmt: skip
    for operand, slot in zip(operands, "xyz", strict=False):
        words[slot], words[slot.upper()] = operand.beside_operator, operand.text
    if len(operands) > 1:
        y = operands[1]
        wide = f"(i32)({y.text} > 100000 ? 100000 : {y.text} < -100000 ? -100000 : {y.text})"
        words["exponent"] = wide if y.char in "lq" else y.text
    return words


def _modular(template: str, words: dict[str, str], operands: Sequence[Value]) -> str:
    """Return the text of integer arithmetic modulo a power of two: signed types must not overflow in C."""
    t = words["t"]
    if t in ("u16", "i32", "i64"):  # narrower ones do not overflow in int, to which C promotes them
        words = {**words, **{slot: f"({MODULAR[t]}){words[slot]}" for slot, _ in zip("xyz", operands, strict=False)}}
    text = template.format_map(words)
    return text if t in ("u32", "u64") else f"({t})({text})"
