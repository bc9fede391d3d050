"""Generates kernels from tile programs.

A kernel without folds is a grid-stride loop over the elements::

    for (i64 i = GLOBAL_ID; i < layout.v[0]; i += GLOBAL_SIZE)

With folds, each group, whose size is a power of two up to 256, folds a chunk of the elements of one result: work-items
stride through the chunk by the group's size, then the group combines their partial results in a tree. The order depends
only on extents and on chunk and group sizes, not on how many groups run at once.

Products of floats are folded sequentially, either by a work-item per result, or by the first work-item of a group while
the others compute the elements.

Extents, strides, offsets and scalars are arguments, so that one text serves all values. They are passed in one array of
int64, in the order of `Layout`.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lazyarr._core.ir.inner_loops import loop_number
from lazyarr._core.ir.tile_program import Fold, Instruction, LoopUse, TileProgram
from lazyarr.gpu.generator.dialects import TYPES, Dialect
from lazyarr.gpu.generator.emitter import Emitter, NoKernel, Value, address
from lazyarr.gpu.generator.folds import FoldCode, is_ordered, part_char
from lazyarr.gpu.generator.helpers import needed
from lazyarr.gpu.generator.ordered_folds import OrderedFoldCode
from lazyarr.gpu.generator.searches import PLACE_OFFSET, SEARCHES, SearchCode, compared

__all__ = ["Form", "Kernel", "NoKernel", "generate", "generate_combine"]

_FoldCode = FoldCode | OrderedFoldCode | SearchCode
WHOLE, FRONT = 0, 2  # modes of instructions; other modes are masked


@dataclass(frozen=True)
class Form:
    """Parameters of a kernel, besides its program.

    Attributes
    ----------
    kept : int
        Number of axes of results, at least 1.
    folded : int
        Number of folded axes, 0 without folds. Running folds keep their elements where the results will be.
    constants : tuple of int
        Indices of loads passed by value.
    reported_flags : tuple of int
        Status flags to detect, for each instruction, then for each fold: divide 1, overflow 2, underflow 4,
        invalid 8.
    itemtypes : tuple of str
        Dtype character of each load, then of each store.
    exact : bool
        Whether operations that do not match NumPy bit for bit are left to the host.
    repeated : tuple of int
        Indices of loads whose elements are repeated along axes.
    single : tuple of int
        Indices of other loads of a single element, if NumPy's result depends on that.
    order : str
        ``"items"`` or ``"groups"`` for sequential folds: what folds all elements of a result. Instead of the number
        of chunks, the layout then has the number of elements after which a fold of float16 is rounded and, in the
        upper 32 bits, the number after which it is rounded in any case, if that applies.
    is_apart : bool
        Whether sequential folds of complex numbers multiply without fused multiply-add.
    """

    kept: int
    folded: int
    constants: tuple[int, ...]
    reported_flags: tuple[int, ...]
    itemtypes: tuple[str, ...]
    exact: bool = True
    repeated: tuple[int, ...] = ()
    single: tuple[int, ...] = ()
    order: str = ""
    is_apart: bool = False


@dataclass(frozen=True)
class Kernel:
    """The text of a kernel.

    Attributes
    ----------
    text : str
    name : str
    nstatus : int
        Number of 32-bit status words, 0 if there are none. An instruction has four bits of a word.
    functions : frozenset of str
        Operations computed by the device's own functions.
    """

    text: str
    name: str
    nstatus: int
    functions: frozenset[str] = frozenset()


class Layout:
    """Positions in the int64 array that a kernel gets.

    In order: numbers of kept elements, folded elements and chunks; kept extents; folded extents; for each pointer the
    offset of its first element and its strides along kept and folded axes, in bytes, and its repeat counts along them,
    if any; for each constant 16 bytes.

    Parameters
    ----------
    form : Form
    pointers : sequence of str
        Names of pointers with strides along all axes.
    results : sequence of str
        Names of pointers to results of folds.
    """

    def __init__(self, form: Form, pointers: Sequence[str], results: Sequence[str]):
        self.kept = [f"layout.v[{3 + axis}]" for axis in range(form.kept)]
        self.folded = [f"layout.v[{3 + form.kept + axis}]" for axis in range(form.folded)]
        self.first, self.strides = {}, {}
        self.times: dict[str, list[str]] = {}
        place = 3 + form.kept + form.folded
        for names, axes in ((pointers, form.kept + form.folded), (results, form.kept)):
            for name in names:
                self.first[name] = f"layout.v[{place}]"
                self.strides[name] = [f"layout.v[{place + 1 + axis}]" for axis in range(axes)]
                place += 1 + axes
                if name in {f"in{number}" for number in form.repeated}:
                    self.times[name] = [f"layout.v[{place + axis}]" for axis in range(axes)]
                    place += axes
        self.constants = {number: place + 2 * i for i, number in enumerate(form.constants)}
        self.size = place + 2 * len(form.constants)

    def address(self, base: str, name: str, coordinates: Sequence[str], axis: int = 0) -> str:
        """Return the address of a pointer's element; `base` is the address along the axes before `axis`."""
        if name in self.times:
            coordinates = [f"quotient({index}, {times})"
                           for index, times in zip(coordinates, self.times[name][axis:], strict=False)]  # fmt: skip
        return address(base, coordinates, self.strides[name][axis:axis + len(coordinates)])


def generate(program: TileProgram, form: Form, dialect: Dialect) -> Kernel:
    """Generate the kernel of a program.

    Parameters
    ----------
    program : TileProgram
    form : Form
    dialect : Dialect

    Returns
    -------
    Kernel
        Its parameters are the layout; a pointer for each load that is no constant, each store and each fold; and
        one to the status, if any. There are at most as many chunks as folded elements. With several chunks,
        the results of folds are dense, a row of chunks for each kept element, for `generate_combine`.

    Raises
    ------
    NoKernel
        If the device does not support an operation or dtype.
    """
    return _Generator(program, form, dialect).kernel()


def generate_combine(op: str, dtypes: str, dialect: Dialect, kept: int = 1, reported_flags: int = 0) -> Kernel:
    """Generate the kernel that combines the partial results of a fold.

    Parameters
    ----------
    op : str
        Operation of the fold.
    dtypes : str
        Its dtypes, as in ``"dd->d"``.
    dialect : Dialect
    kept : int, optional
        Axes of the result.
    reported_flags : int, optional
        Status flags to detect.

    Returns
    -------
    Kernel
        It has one load, the partial results, and one fold along one axis. Its status has one word.
    """
    if op in SEARCHES:
        loaded = compared(dtypes[0])
        dtypes = f"{loaded}->{dtypes[-1]}"
    else:
        loaded = part_char(op, dtypes[-1])
    program = TileProgram(0, (0,), (), (), (), (Fold(loop_number(op, dtypes.replace("->", "")), 0, 1),))
    form = Form(kept, 1, (), (reported_flags,), (loaded,))
    return _Generator(program, form, dialect, is_combining=True).kernel()


class _Generator:
    def __init__(self, program: TileProgram, form: Form, dialect: Dialect, is_combining: bool = False):
        self.program, self.form, self.dialect, self.is_combining = program, form, dialect, is_combining
        loads, stores = len(program.loads), len(program.stores)
        self.inputs = {k: f"in{k}" for k in range(loads) if k not in form.constants}
        self.outputs = {loads + len(program.registers) + k: f"out{k}" for k in range(stores)}
        self.results = [f"result{k}" for k in range(len(program.folds))]
        pointers, folded = [*self.inputs.values(), *self.outputs.values()], self.results if form.folded else []
        self.layout = Layout(form, pointers if form.folded else [*pointers, *self.results], folded)
        self.nstatus = -(-len(form.reported_flags) // 8) if any(form.reported_flags) else 0
        self.emitter = Emitter(form.reported_flags, dialect, form.exact)

    def kernel(self) -> Kernel:
        """Return the kernel."""
        name = "_".join([*dict.fromkeys(
            [instruction.op for instruction in self.program.instructions][:4]
            + [f"{fold.op}_reduce" for fold in self.program.folds[:2]])]).replace(".", "_") or "empty"  # fmt: skip
        name = f"lz_combine_{name}" if self.is_combining else f"lz_{name}"
        for use in (*self.program.instructions, *self.program.folds):
            _check_loop(use)
        for word in range(self.nstatus):
            self.emitter.write(f"u32 status{word} = 0;")
        constants = list(self._constants())
        if self.form.folded:
            self._write_folds(constants)
        else:
            self._write_elementwise(constants)
        for word in range(self.nstatus):
            self.emitter.write(f"if (status{word}) atomic_or_u32(status + {word}, status{word});")
        parameters = ["const struct layout layout"]
        parameters += [f"GLOBAL char *{pointer}" for pointer in self.layout.first]
        parameters += ["GLOBAL u32 *status"] if self.nstatus else []
        body = "\n".join([f"struct layout {{ i64 v[{self.layout.size}]; }};", "",
                          f"KERNEL {name}({', '.join(parameters)})", "{", *self.emitter.lines, "}", ""])  # fmt: skip
        helpers = needed(body)
        text = "\n".join([self.dialect.spellings(helpers + body), helpers, "", body])
        self._check_device(text)
        return Kernel(text, name, self.nstatus, frozenset(self.emitter.functions))

    def _check_device(self, text: str) -> None:
        if not self.dialect.has_double and ("f64" in text or "c128" in text):
            uses = [f"{use.op} {use.dtypes}" for use in (*self.program.instructions, *self.program.folds)]
            raise NoKernel(f"one of {', '.join(uses)} takes float64, which the device does not have")
        size = 8 * (self.layout.size + len(self.layout.first) + bool(self.nstatus))
        if size > self.dialect.parameter_bytes:
            raise NoKernel(f"a program of {len(self.layout.first)} operands: the device takes "
                           f"{self.dialect.parameter_bytes} bytes of parameters, and it has {size}")  # fmt: skip

    # ---- values -------------------------------------------------------------------------------------------

    def _constants(self) -> Iterator[tuple[int, Value]]:
        """Yield loads that are passed by value: index and value."""
        for number, place in self.layout.constants.items():
            char = self.form.itemtypes[number]
            low, high = f"layout.v[{place}]", f"layout.v[{place + 1}]"
            if char not in TYPES:
                raise NoKernel(f"a constant of dtype {char} has no form on the device")
            text = {
                "f": f"f32_of_bits({low})", "d": f"f64_of_bits({low})",
                "F": f"complex_c64(f32_of_bits({low}), f32_of_bits({low} >> 32))",
                "D": f"complex_c128(f64_of_bits({low}), f64_of_bits({high}))",
            }.get(char, f"({TYPES[char]}){low}")  # fmt: skip
            name = f"constant{number}"
            self.emitter.write(f"const {TYPES[char]} {name} = {text};")
            yield number, Value(char, name, is_constant=True)

    def _readers(self) -> dict[tuple[int, int], int]:
        """Count the readers of each value; a key is an operand and how often it was written before."""
        version: Counter[int] = Counter()
        readers: Counter[tuple[int, int]] = Counter()
        for instruction in self.program.instructions:
            read, written = _split(instruction)
            for operand in read:
                readers[operand, version[operand]] += 1
            for operand in written:
                version[operand] += 1
        for operand in [*self.outputs, *(fold.source for fold in self.program.folds)]:
            readers[operand, version[operand]] += 1
        return readers

    def _write_body(self, constants: Sequence[tuple[int, Value]], addresses: dict[str, str]) -> list[Value]:
        """Emit an element's loads, instructions and stores; return the values to fold."""
        emitter, readers = self.emitter, self._readers()
        values: dict[int, Value] = {}
        version: Counter[int] = Counter()
        for number, value in constants:
            values[number] = replace(value, readers=readers[number, 0])
        for number, pointer in self.inputs.items():
            char = self._itemtype(number)
            values[number] = Value(char, f"*(GLOBAL {TYPES[char]} *)({addresses[pointer]})", readers[number, 0],
                                   is_constant=number in self.form.single)  # fmt: skip
            if readers[number, 0] > 1:
                emitter.name(values[number])
        for number, instruction in enumerate(self.program.instructions):
            read, written = _split(instruction)
            chars, outputs = instruction.dtypes.split("->")
            operands = [values[operand] for operand in read if operand in values]
            for operand in written:
                version[operand] += 1
            counts = [readers[operand, version[operand]] for operand in written]
            if instruction.op in ("compress", "expand"):
                results = [self._move_selection(operands, counts[0])]
            elif instruction.mode != WHOLE:
                results = self._under_mask(instruction, number, operands, counts)
            else:
                results = emitter.apply(instruction.op, chars, outputs, operands, number, readers=counts)
            values.update(zip(written, results, strict=True))
        folded = [values[fold.source] for fold in self.program.folds]
        stored = [values[number] for number in self.outputs]
        for value in {id(value): value for value in stored + folded}.values():
            if stored and len(stored) + len(folded) > 1:
                emitter.name(value)  # before any store, which may alias a load
        for (number, pointer), value in zip(self.outputs.items(), stored, strict=True):
            char = self._itemtype(number)
            if value.char != char and TYPES[value.char] != TYPES[char]:
                raise NoKernel(f"a store of {value.char} as {char} has no form on the device")
            emitter.write(f"*(GLOBAL {TYPES[char]} *)({addresses[pointer]}) = {value.text};")
        return folded

    def _under_mask(self, instruction: Instruction, number: int, operands: list[Value],
                    counts: list[int]) -> list[Value]:  # fmt: skip
        """Emit a masked instruction: elsewhere old values stay, or the results are not read."""
        emitter = self.emitter
        chars, outputs = instruction.dtypes.split("->")
        inputs, (mask, *old) = operands[: len(chars)], operands[len(chars) :]
        emitter.name(mask)
        if instruction.mode == FRONT:
            return emitter.apply(instruction.op, chars, outputs, inputs, number, gate=mask, readers=counts)
        made = emitter.apply(instruction.op, chars, outputs, inputs, number, gate=mask, readers=[1] * len(outputs))
        return [emitter.apply("where", "?" + 2 * new.char, new.char, [mask, new, kept], number, readers=[count])[0]
                for new, kept, count in zip(made, old, counts, strict=True)]  # fmt: skip

    def _move_selection(self, operands: Sequence[Value], readers: int) -> Value:
        """Return masked values, stored in the shape of the mask; elsewhere, old values if there are any."""
        value, mask, *old = operands
        if old:
            return self.emitter.apply("where", "?" + 2 * value.char, value.char, [mask, value, *old], 0,
                                      readers=[readers])[0]  # fmt: skip
        moved = replace(value, readers=readers)
        self.emitter.settle(moved)
        return moved

    def _itemtype(self, operand: int) -> str:
        loads = len(self.program.loads)
        char = self.form.itemtypes[operand if operand < loads else operand - len(self.program.registers)]
        if char not in TYPES:
            raise NoKernel(f"operands of dtype {char} have no form on the device")
        return char

    # ---- loops --------------------------------------------------------------------------------------------

    def _write_elementwise(self, constants: Sequence[tuple[int, Value]]) -> None:
        emitter = self.emitter
        for pointer, first in self.layout.first.items():
            emitter.write(f"{pointer} += {first};")
        emitter.open("for (i64 i = GLOBAL_ID; i < layout.v[0]; i += GLOBAL_SIZE)")
        coordinates = emitter.coordinates("i", self.layout.kept)
        addresses = {pointer: self.layout.address(pointer, pointer, coordinates) for pointer in self.layout.strides}
        values = self._write_body(constants, addresses)
        for pointer, value in zip(self.results, values, strict=True):
            emitter.write(f"*(GLOBAL {TYPES[value.char]} *)({addresses[pointer]}) = {value.text};")
        emitter.close()

    def _write_folds(self, constants: Sequence[tuple[int, Value]]) -> None:
        emitter, layout, is_grouped = self.emitter, self.layout, self.form.order != "items"
        folds = [self._fold_code(k, fold) for k, fold in enumerate(self.program.folds)]
        if is_grouped:
            for fold in folds:
                fold.declare_tree()
            emitter.write(f"const i64 chunks = {'1' if self.form.order else 'layout.v[2]'};")
            emitter.write("const u32 item = LOCAL_ID;")
            emitter.open("for (i64 group = GROUP_ID; group < layout.v[0] * chunks; group += GROUPS)")
            emitter.write("const i64 o = quotient(group, chunks), chunk = group - o * chunks;")
            emitter.write("const i64 first = chunk * layout.v[1] / chunks, last = (chunk + 1) * layout.v[1] / chunks;")
        else:
            emitter.open("for (i64 o = GLOBAL_ID; o < layout.v[0]; o += GLOBAL_SIZE)")
        outer = emitter.coordinates("o", layout.kept)
        for pointer in (*self.inputs.values(), *self.outputs.values()):
            base = layout.address(f"{pointer} + {layout.first[pointer]}", pointer, outer)
            emitter.write(f"GLOBAL char *const {pointer}_o = {base};")
        for fold in folds:
            fold.begin()
        if any(fold.is_sum for fold in folds):
            emitter.write("u32 terms = 0;")
        if not is_grouped:
            self._write_items(constants, folds, outer)
        elif self.form.order:
            self._write_staged(constants, folds)
        else:
            emitter.open("for (i64 j = first + item; j < last; j += LOCAL_SIZE)")
            self._write_element(constants, folds)
            emitter.close()
        if is_grouped:
            self._write_trees(folds, outer)
        emitter.close()

    def _write_element(self, constants: Sequence[tuple[int, Value]], folds: Sequence[_FoldCode]) -> None:
        """Emit a work-item's share in the element at `j`."""
        layout, pointers = self.layout, (*self.inputs.values(), *self.outputs.values())
        inner = self.emitter.coordinates("j", layout.folded)
        values = self._write_body(constants, {pointer: layout.address(f"{pointer}_o", pointer, inner, self.form.kept)
                                              for pointer in pointers})  # fmt: skip
        for fold, value in zip(folds, values, strict=True):
            if isinstance(fold, OrderedFoldCode):
                if self.form.order == "items":
                    fold.accumulate(value, "j")
                else:
                    fold.stage(value)
            else:
                fold.accumulate(value)
        if any(fold.is_sum for fold in folds):
            self.emitter.write("terms++;")

    def _write_items(self, constants: Sequence[tuple[int, Value]], folds: Sequence[_FoldCode],
                     outer: Sequence[str]) -> None:  # fmt: skip
        """Emit sequential folds, a work-item per result."""
        emitter, layout = self.emitter, self.layout
        emitter.open("for (i64 j = 0; j < layout.v[1]; j++)")
        self._write_element(constants, folds)
        emitter.close()
        for fold, pointer in zip(folds, self.results, strict=True):
            fold.store(layout.address(f"{pointer} + {layout.first[pointer]}", pointer, outer))

    def _write_staged(self, constants: Sequence[tuple[int, Value]], folds: Sequence[_FoldCode]) -> None:
        """Emit sequential folds by the first work-item of a group, from staged elements."""
        emitter = self.emitter
        emitter.open("for (i64 start = first; start < last; start += LOCAL_SIZE)")
        emitter.write("const i64 j = start + item;")
        emitter.open("if (j < last)")
        self._write_element(constants, folds)
        emitter.close()
        emitter.write("BARRIER;")
        emitter.open("if (item == 0)")
        emitter.write("const u32 count = last - start < LOCAL_SIZE ? last - start : LOCAL_SIZE;")
        for fold in folds:
            if isinstance(fold, OrderedFoldCode):
                emitter.open("for (u32 k = 0; k < count; k++)")
                fold.accumulate_staged("k", "start + k")
                emitter.close()
        emitter.close()
        emitter.write("BARRIER;")
        emitter.close()

    def _fold_code(self, k: int, fold: Fold) -> _FoldCode:
        if self.form.order == "items" or (self.form.order and is_ordered(fold)):
            return OrderedFoldCode(self.emitter, fold, k, len(self.program.instructions) + k, self.form.is_apart)
        if fold.op not in SEARCHES:
            return FoldCode(self.emitter, fold, k, len(self.program.instructions) + k, self.is_combining)
        pair = f"in0_o + j * {self.layout.strides['in0'][-1]} + {PLACE_OFFSET}" if self.is_combining else ""
        return SearchCode(self.emitter, fold, k, f"*(GLOBAL i64 *)({pair})" if pair else "j")

    def _write_trees(self, folds: Sequence[_FoldCode], outer: Sequence[str]) -> None:
        """Emit the tree that combines the partial results of a group."""
        emitter, layout = self.emitter, self.layout
        for fold in folds:
            fold.share()
        emitter.write("BARRIER;")
        emitter.open("for (u32 reach = LOCAL_SIZE / 2; reach > 0; reach /= 2)")
        emitter.open("if (item < reach && item + reach < last - first)")
        for fold in folds:
            fold.combine()
        emitter.close()
        emitter.write("BARRIER;")
        emitter.close()
        emitter.open("if (item == 0)")
        for fold, pointer in zip(folds, self.results, strict=True):
            place = layout.address(layout.first[pointer], pointer, outer)
            emitter.write(f"const i64 {pointer}_o = chunks == 1 ? {place} : group * {fold.part_bytes};")
            fold.store(f"{pointer} + {pointer}_o")
        emitter.close()
        emitter.write("BARRIER;")


def _check_loop(use: LoopUse) -> None:
    """Raise NoKernel for dtypes of the host only, and for loops that are not NumPy's: users', and scalar ones with
    overflow checks.
    """
    for char in use.dtypes:
        if char not in TYPES and char not in "->":
            raise NoKernel(f"{use.op} {use.dtypes}: the device has no dtype {char}")
    if use.loop != loop_number(use.op, use.dtypes.replace("->", "")):
        raise NoKernel(f"{use.op} {use.dtypes} is not NumPy's loop, and has no form on the device")


def _split(instruction: Instruction) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the operands that an instruction reads, and those that it writes."""
    outputs = len(instruction.dtypes.partition("->")[2])
    return instruction.operands[:-outputs], instruction.operands[-outputs:]
