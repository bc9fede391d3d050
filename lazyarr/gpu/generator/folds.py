"""Statements of a fold: what a work-item has, then what a group has.

A fold needs no neutral element, since maxima have none: work-items without elements take no part. Sums of floats have
one, -0.0. A work-item adds them in runs of 64, and runs of runs, as a sum of many terms, one after another, would be
less accurate than NumPy's, which is pairwise.
"""

import numpy as np

from lazyarr._core.ir.tile_program import Fold
from lazyarr._core.runtime.kernel_launch import group_size
from lazyarr.gpu.generator.dialects import TYPES
from lazyarr.gpu.generator.emitter import Emitter, NoKernel, Value
from lazyarr.ops.ufunc_rows import UFUNCS

RUN = 64  # terms that a work-item adds one after another


def part_char(op: str, char: str) -> str:
    """Return the dtype of results of chunks: sums of float16 are rounded once, at the end."""
    return "f" if char == "e" and "sum" in UFUNCS[op].traits else char


def is_ordered(fold: Fold) -> bool:
    """Return whether a fold has to go from first to last: of floats the order of factors decides about overflow."""
    return "product" in UFUNCS[fold.op].traits and fold.dtypes[-1] in "efdFD"


def number(x: float, char: str) -> str:
    """Return a real number as the text of a constant of a dtype, given by its character."""
    if char in "FD":
        return f"complex_{TYPES[char]}({number(x, char.lower())}, 0)"
    if char == "e":
        return str(int(np.float16(x).view(np.uint16)))
    if char not in "fd":
        return str(int(x))
    if np.isinf(x):
        return f"{'-' if x < 0 else ''}INF_{TYPES[char]}"
    return f"{float(x)!r}{'f' if char == 'f' else ''}"


class FoldCode:
    """Writes the statements of one fold.

    Parameters
    ----------
    emitter : Emitter
    fold : Fold
    index : int
        Which of the program's folds it is.
    number : int
        The number under which it raises flags.
    is_combining : bool
        Whether it goes over the results of chunks.

    Attributes
    ----------
    char : str
        Character of the dtype in which it computes.
    part_bytes : int
        Bytes of a result of a chunk, which is of that dtype.
    """

    def __init__(self, emitter: Emitter, fold: Fold, index: int, number: int, is_combining: bool):
        operands, _, self.result = fold.dtypes.partition("->")
        if len(operands) != 2 or {*operands} != {self.result} or self.result not in TYPES:
            raise NoKernel(f"{fold.op}.reduce {fold.dtypes} has no form on the device")
        self.emitter, self.op, self.number = emitter, fold.op, number
        if is_ordered(fold):
            raise NoKernel(f"{fold.op}.reduce {fold.dtypes} in another order may overflow where NumPy's does not")
        self.is_sum = self.result in "efdFD" and "sum" in UFUNCS[fold.op].traits
        self.char = part_char(self.op, self.result)
        self.type, self.part_bytes = TYPES[self.char], np.dtype(self.char).itemsize
        self.start = None if is_combining else self._start()
        self.folded, self.run, self.part, self.tree = (f"{name}{index}" for name in ("folded", "run", "part", "tree"))

    def _start(self) -> str | None:
        """Return what NumPy begins with, where that shows in the result."""
        kind, row = np.dtype(self.result).kind, UFUNCS[self.op]
        if kind not in row.start or row.function is None:
            return None
        return number(row.function.identity, self.char)

    def declare_tree(self) -> None:
        """Declare the memory that the group shares."""
        self.emitter.write(f"LOCAL {self.type} {self.tree}[{group_size}];")

    def begin(self) -> None:
        """Begin with no elements."""
        if not self.is_sum:
            zero = f"complex_{self.type}(0, 0)" if self.char in "FD" else "0"
            self.emitter.write(f"{self.type} {self.folded} = {zero};")
            return
        self.emitter.write(f"{self.type} {self.folded} = {self.start or self._neutral}, "
                           f"{self.run} = {self._neutral}, {self.part} = {self._neutral};")  # fmt: skip

    @property
    def _neutral(self) -> str:
        zero = "-0.0f" if self.char in "fF" else "-0.0"
        return f"complex_{self.type}({zero}, {zero})" if self.char in "FD" else zero

    def accumulate(self, value: Value) -> None:
        """Take an element, the one at `j`."""
        emitter = self.emitter
        if self.char != value.char:
            value = emitter.widened(value)
        if self.char == "?" and not value.is_truth:
            value = Value("?", f"{value.beside_operator} != 0", 2, True)    # its bytes may be any
        value = Value(value.char, emitter.name(value), 2, value.is_truth)
        if self.is_sum:
            self._step(self.part, self.part, value)
            for count, source, target in ((RUN, self.part, self.run), (RUN * RUN, self.run, self.folded)):
                emitter.open(f"if ((terms & {count - 1}u) == {count - 1}u)")
                self._step(target, target, Value(self.char, source, 2))
                emitter.write(f"{source} = {self._neutral};")
            emitter.close()
            emitter.close()
            return
        emitter.open("if (j != first + item)")
        self._step(self.folded, self.folded, value)
        emitter.close()
        if self.start is not None:
            emitter.open("else if (j == 0)")
            self._step(self.folded, self.start, value)
            emitter.close()
        emitter.open("else")
        emitter.write(f"{self.folded} = {value.text};")
        emitter.close()

    def share(self) -> None:
        """Put what the work-item has where the group finds it."""
        if self.is_sum:
            self._step(self.run, self.run, Value(self.char, self.part, 2))
            self._step(self.folded, self.folded, Value(self.char, self.run, 2))
        self.emitter.write(f"{self.tree}[item] = {self.folded};")

    def combine(self) -> None:
        """Fold what two work-items have."""
        right = self.emitter.name(Value(self.char, f"{self.tree}[item + reach]"))
        self._step(f"{self.tree}[item]", f"{self.tree}[item]", Value(self.char, right, 2, True))

    def store(self, address: str) -> None:
        """Store the group's result, rounded unless it is that of one chunk of several."""
        emitter, result = self.emitter, Value(self.char, f"{self.tree}[0]", is_truth=True)
        if self.char != self.result:
            emitter.name(result)
            emitter.open("if (chunks == 1)")
            rounded = emitter.cast(result, self.result, self.number)
            emitter.write(f"*(GLOBAL {TYPES[self.result]} *)({address}) = {rounded.text};")
            emitter.close()
            emitter.open("else")
        emitter.write(f"*(GLOBAL {self.type} *)({address}) = {result.text};")
        if self.char != self.result:
            emitter.close()

    def _step(self, target: str, left: str, right: Value) -> None:
        """Write ``target = left op right``."""
        operands = [Value(self.char, left, is_truth=True), right]
        result = self.emitter.apply(self.op, 2 * self.char, self.char, operands, self.number)[0]
        self.emitter.write(f"{target} = {result.text};")
