"""Code generation for sequential folds like NumPy's: products of floats, which overflow where NumPy's do.

NumPy traverses folded axes in memory order. Along the innermost axis its loop has an accumulator: float32 for float16,
rounded at the end of the loop, and without fused multiply-add for complex numbers. If that axis is not folded, NumPy
multiplies rows of results by rows of elements, like any arrays.
"""

from lazyarr._core.ir.tile_program import Fold
from lazyarr._core.runtime.kernel_launch import group_size
from lazyarr.gpu.generator.dialects import TYPES
from lazyarr.gpu.generator.emitter import Emitter, NoKernel, Value
from lazyarr.gpu.generator.folds import number
from lazyarr.ops.ufunc_rows import UFUNCS


class OrderedFoldCode:
    """Emits the statements of one fold; a work-item folds all elements of a result sequentially.

    Parameters
    ----------
    emitter : Emitter
    fold : Fold
    index : int
        Index of the fold in the program.
    number : int
        Instruction number under which it raises flags.
    is_apart : bool
        Whether complex numbers are multiplied without fused multiply-add.

    Attributes
    ----------
    char : str
        Dtype character in which it computes.
    part_bytes : int
        0, as there are no partial results.
    """

    is_sum = False
    part_bytes = 0

    def __init__(self, emitter: Emitter, fold: Fold, index: int, number: int, is_apart: bool):
        operands, _, self.result = fold.dtypes.partition("->")
        if {*operands} != {self.result} or self.result not in TYPES:
            raise NoKernel(f"{fold.op}.reduce {fold.dtypes} has no form on the device")
        self.emitter, self.number, self.row = emitter, number, UFUNCS[fold.op]
        self.op = "multiply_apart" if is_apart and self.result in "FD" else fold.op
        self.char = "f" if self.result == "e" else self.result
        self.type = TYPES[self.char]
        self.folded, self.staged, self.since = (f"{name}{index}" for name in ("folded", "staged", "since"))

    def declare_tree(self) -> None:
        """Declare local memory, in which the group stages elements for the folding work-item."""
        self.emitter.write(f"LOCAL {self.type} {self.staged}[{group_size}];")

    def begin(self) -> None:
        """Start without elements."""
        self.emitter.write(f"{self.type} {self.folded} = {number(0, self.char)};")
        if self.result == "e":
            self.emitter.write(f"i64 {self.since} = 0, {self.since}_end = 0;")

    def stage(self, value: Value) -> None:
        """Stage the work-item's element in local memory."""
        self.emitter.write(f"{self.staged}[item] = {self._widened(value).text};")

    def accumulate_staged(self, item: str, j: str) -> None:
        """Fold a work-item's staged element, the one at `j`."""
        self.accumulate(Value(self.char, f"{self.staged}[{item}]"), j)

    def accumulate(self, value: Value, j: str) -> None:
        """Fold the element at `j`."""
        emitter, value = self.emitter, self._widened(value)
        if self.char == "?" and not value.is_truth:
            value = Value("?", f"{value.beside_operator} != 0", 2, True)  # may be any byte
        value = Value(self.char, emitter.name(value), 2)
        emitter.open(f"if ({j} > 0)")
        self._step(self.folded, value)
        emitter.close()
        emitter.open("else")
        if self.result in "FD" and "c" in self.row.start and self.row.function is not None:
            self._step(number(self.row.function.identity, self.char), value)
        else:
            emitter.write(f"{self.folded} = {value.text};")
        emitter.close()
        if self.result == "e":
            emitter.write(f"const bool8 is_end = ++{self.since}_end == layout.v[2] >> 32;")
            emitter.open(f"if (++{self.since} == (layout.v[2] & 0xffffffff) || is_end)")
            half = emitter.cast(Value("f", self.folded, 2), "e", self.number)
            emitter.write(f"{self.folded} = f32_of_f16({half.text});")
            emitter.write(f"{self.since} = 0;")
            emitter.write(f"if (is_end) {self.since}_end = 0;")
            emitter.close()

    def share(self) -> None:
        """Do nothing: the result stays with the first work-item."""

    def combine(self) -> None:
        """Do nothing: other work-items have no results."""

    def store(self, address: str) -> None:
        """Store the result."""
        result = self.emitter.cast(Value(self.char, self.folded, 2), self.result, self.number)
        self.emitter.write(f"*(GLOBAL {TYPES[self.result]} *)({address}) = {result.text};")

    def _widened(self, value: Value) -> Value:
        return self.emitter.widened(value) if value.char != self.char else value

    def _step(self, left: str, right: Value) -> None:
        operands = [Value(self.char, left, 2), right]
        result = self.emitter.apply(self.op, 2 * self.char, self.char, operands, self.number)[0]
        self.emitter.write(f"{self.folded} = {result.text};")
