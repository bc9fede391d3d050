"""Code generation for folds: first each work-item folds its elements, then the group combines their results.

A fold needs no identity, since maxima have none: work-items without elements do not take part. Sums of floats have one,
-0.0. A work-item adds floats in runs of 64, and then runs of runs, because a long sequential sum would be less accurate
than NumPy's pairwise one.
"""

import numpy as np

from lazyarr._core.ir.tile_program import Fold
from lazyarr._core.runtime.kernel_launch import group_size
from lazyarr.gpu.generator.dialects import TYPES
from lazyarr.gpu.generator.emitter import Emitter, NoKernel, Value
from lazyarr.ops.ufunc_rows import UFUNCS

RUN = 64  # terms added sequentially


def part_char(op: str, char: str) -> str:
    """Return the dtype of partial results: sums of float16 are rounded once, at the end."""
    return "f" if char == "e" and "sum" in UFUNCS[op].traits else char


def is_ordered(fold: Fold) -> bool:
    """Return whether a fold must be sequential: for floats, the order of factors determines overflow."""
    return "product" in UFUNCS[fold.op].traits and fold.dtypes[-1] in "efdFD"


def number(x: float, char: str) -> str:
    """Return a real number as a C constant of the dtype with this character."""
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
    """Emits the statements of one fold.

    Parameters
    ----------
    emitter : Emitter
    fold : Fold
    index : int
        Index of the fold in the program.
    number : int
        Instruction number under which it raises flags.
    is_combining : bool
        Whether it combines the partial results of chunks.

    Attributes
    ----------
    char : str
        Dtype character in which it computes.
    part_bytes : int
        Bytes of a partial result, of that dtype.
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
        """Return NumPy's initial value, if it affects the result."""
        kind, row = np.dtype(self.result).kind, UFUNCS[self.op]
        if kind not in row.start or row.function is None:
            return None
        return number(row.function.identity, self.char)

    def declare_tree(self) -> None:
        """Declare the group's local memory."""
        self.emitter.write(f"LOCAL {self.type} {self.tree}[{group_size}];")

    def begin(self) -> None:
        """Start without elements."""
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
        """Fold the element at `j`."""
        emitter = self.emitter
        if self.char != value.char:
            value = emitter.widened(value)
        if self.char == "?" and not value.is_truth:
            value = Value("?", f"{value.beside_operator} != 0", 2, True)    # may be any byte
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
        """Store the work-item's partial result in local memory."""
        if self.is_sum:
            self._step(self.run, self.run, Value(self.char, self.part, 2))
            self._step(self.folded, self.folded, Value(self.char, self.run, 2))
        self.emitter.write(f"{self.tree}[item] = {self.folded};")

    def combine(self) -> None:
        """Combine the partial results of two work-items."""
        right = self.emitter.name(Value(self.char, f"{self.tree}[item + reach]"))
        self._step(f"{self.tree}[item]", f"{self.tree}[item]", Value(self.char, right, 2, True))

    def store(self, address: str) -> None:
        """Store the group's result, rounded unless it is one of several chunks'."""
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
        """Emit ``target = left op right``."""
        operands = [Value(self.char, left, is_truth=True), right]
        result = self.emitter.apply(self.op, 2 * self.char, self.char, operands, self.number)[0]
        self.emitter.write(f"{target} = {result.text};")
