"""Code generation for searches: the position of the first extremum, or of the first NaN, along folded axes.

Positions are element numbers in C order. Partial results are pairs of a value and its position.
"""

from lazyarr._core.ir.tile_program import Fold
from lazyarr._core.runtime.kernel_launch import found_bytes, group_size
from lazyarr.gpu.generator.dialects import TYPES
from lazyarr.gpu.generator.emitter import Emitter, NoKernel, Value

SEARCHES = ("argmax", "argmin")
PLACE_OFFSET = 8  # within a pair


class SearchCode:
    """Emits the statements of one search, like `FoldCode` for a fold.

    Parameters
    ----------
    emitter : Emitter
    fold : Fold
    index : int
        Index of the fold in the program.
    place : str
        Position of the element at `j`.

    Attributes
    ----------
    char : str
        Dtype character of the compared values.
    part_bytes : int
        Bytes of a partial result.
    """

    is_sum = False
    part_bytes = found_bytes

    def __init__(self, emitter: Emitter, fold: Fold, index: int, place: str):
        self.char = compared(fold.dtypes[0])
        if self.char not in TYPES or self.char in "FD":
            raise NoKernel(f"{fold.op} {fold.dtypes} has no form on the device")
        self.emitter, self.type, self.place = emitter, TYPES[self.char], place
        self.sign = ">" if fold.op == "argmax" else "<"
        self.found, self.at = f"found{index}", f"at{index}"
        self.values, self.places = f"values{index}", f"places{index}"

    def declare_tree(self) -> None:
        """Declare the group's local memory."""
        self.emitter.write(f"LOCAL {self.type} {self.values}[{group_size}];")
        self.emitter.write(f"LOCAL i64 {self.places}[{group_size}];")

    def begin(self) -> None:
        """Start without elements."""
        self.emitter.write(f"{self.type} {self.found} = 0;")
        self.emitter.write(f"i64 {self.at} = -1;")

    def accumulate(self, value: Value) -> None:
        """Compare the element at `j`, whose position is after all earlier ones."""
        emitter = self.emitter
        value = emitter.widened(value)
        value = Value(value.char, emitter.name(value))
        emitter.open(f"if ({self.at} < 0 || {self._beats(value.text, self.found)})")
        emitter.write(f"{self.found} = {value.text};")
        emitter.write(f"{self.at} = {self.place};")
        emitter.close()

    def share(self) -> None:
        """Store the work-item's partial result in local memory."""
        self.emitter.write(f"{self.values}[item] = {self.found};")
        self.emitter.write(f"{self.places}[item] = {self.at};")

    def combine(self) -> None:
        """Choose between the partial results of two work-items."""
        emitter = self.emitter
        mine, other = (f"{self.values}[{item}]" for item in ("item", "item + reach"))
        is_first = f"{self.places}[item + reach] < {self.places}[item]"
        emitter.open(f"if ({self._beats(other, mine)} || ({is_first} && !({self._beats(mine, other)})))")
        emitter.write(f"{mine} = {other};")
        emitter.write(f"{self.places}[item] = {self.places}[item + reach];")
        emitter.close()

    def store(self, address: str) -> None:
        """Store the group's result."""
        emitter = self.emitter
        emitter.write(f"*(GLOBAL i64 *)({address} + (chunks == 1 ? 0 : {PLACE_OFFSET})) = {self.places}[0];")
        emitter.write(f"if (chunks > 1) *(GLOBAL {self.type} *)({address}) = {self.values}[0];")

    def _beats(self, x: str, y: str) -> str:
        """Return a test of whether x is better than y."""
        better = f"{x} {self.sign} {y}"
        return f"(!isnan({y}) && (isnan({x}) || {better}))" if self.char in "fd" else better


def compared(char: str) -> str:
    """Return the dtype character in which values are compared."""
    return "f" if char == "e" else char
