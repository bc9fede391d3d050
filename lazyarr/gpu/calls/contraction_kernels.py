"""Kernels of contractions: tiled sums of products.

A group computes a tile of the result. It stages terms of the tile's rows and columns in local memory, a few at a time,
and each work-item accumulates its elements in registers::

    TERMS x COLUMNS of b        a tile of 64 x 64: work-item (i, j) of 16 x 16 has the elements
                                (i + 16 p, j + 16 q), p and q below 4
    ROWS x TERMS of a  ->  c

The group computes offsets once for a tile's rows and columns, and for each batch of terms, and keeps them in tables in
local memory, so that any number of axes is cheap.

Floats are summed in blocks of `BLOCK` terms, and the block sums are added. float16 is summed sequentially in float32,
like NumPy's.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lazyarr.gpu.calls.launches import NamedText
from lazyarr.gpu.calls.text import Text
from lazyarr.gpu.generator.dialects import TYPES
from lazyarr.gpu.generator.emitter import Value, address
from lazyarr.gpu.generator.helpers import MODULAR

BLOCK = 256  # terms added sequentially


@dataclass(frozen=True)
class Tile:
    """The shape of a tile, and how a group computes it: `down` x `across` elements at a time, each by `lanes`.

    Lanes are work-items that split the terms of an element; their sums are added in a tree at the end.
    """

    rows: int
    columns: int
    terms: int  # staged in local memory at a time, for items of four bytes
    down: int
    across: int
    lanes: int = 1

    @property
    def threads(self) -> int:
        """Number of work-items of a group."""
        return self.down * self.across * self.lanes

    def terms_of(self, itemsize: int) -> int:
        """Return the number of terms staged in local memory at a time."""
        return self.terms if itemsize <= 8 else self.terms // 2


LARGE = Tile(64, 64, 16, 16, 16)
SMALL = Tile(16, 16, 16, 16, 16)
TALL = Tile(16, 1, 64, 16, 1, 16)
WIDE = Tile(1, 16, 64, 1, 16, 16)
DOT = Tile(1, 1, 512, 1, 1, 256)


@dataclass(frozen=True)
class Form:
    """Parameters of a kernel.

    Attributes
    ----------
    chars : tuple of str
        Dtype characters of a, b and c. Products have the dtype of c.
    tile : Tile
    axes : tuple of int
        Numbers of axes of batch, rows, columns and terms.
    windows : int
        Number of axes of a that extend beyond its memory.
    conjugates : bool
        Whether a is conjugated.
    reported_flags : int
        Status flags to detect: overflow 2, invalid 8.
    is_partial : bool
        Whether the sums of chunks are stored, in the accumulator's dtype.
    """

    chars: tuple[str, str, str]
    tile: Tile
    axes: tuple[int, int, int, int]
    windows: int
    conjugates: bool
    reported_flags: int
    is_partial: bool


@dataclass(frozen=True)
class CombineForm:
    """Parameters of a kernel that adds the sums of chunks: the dtype and axes of c, and the flags to detect."""

    char: str
    axes: int
    reported_flags: int


def working_char(char: str) -> str:
    """Return the dtype character of the accumulator for a dtype."""
    return {"u32": "I", "u64": "Q"}[MODULAR[TYPES[char]]] if TYPES[char] in MODULAR else "f" if char == "e" else char


def is_ordered(char: str) -> bool:
    """Return whether terms are added in NumPy's order, so that the sum matches it bit for bit."""
    return char == "e"


# ---- layout --------------------------------------------------------------------------------------------


def contraction_words(form: Form) -> list[str]:
    """Return the names of the kernel's layout words, in order.

    Offsets and strides are in bytes. ``c_chunk`` is the distance in c between chunks of ``length`` terms;
    ``rows_first`` and ``columns_first`` are the read order of tiles: along rows of a and columns of b first, or along
    terms.
    """
    names = ["groups", "rows", "columns", "terms", "chunks", "length", "rows_first", "columns_first", "a", "b", "c",
             "c_chunk"]  # fmt: skip
    for group, count in zip(("batch", "row", "column", "term"), form.axes, strict=True):
        for axis in range(count):
            names += [f"{group}{axis}_{field}" for field in ("extent", *_pointers(group))]
            if group in ("row", "term"):
                names += [f"{group}{axis}_step{window}" for window in range(form.windows)]
    return names + [f"{what}{window}" for window in range(form.windows) for what in ("first", "extent")]


def combine_words(form: CombineForm) -> list[str]:
    """Return the names of the combining kernel's layout words, in order."""
    return ["count", "chunks", "c"] + [f"axis{axis}_{field}" for axis in range(form.axes) for field in ("extent", "c")]


def _pointers(group: str) -> str:
    """Return the arrays that move along the axes of a group."""
    return {"batch": "abc", "row": "ac", "column": "bc", "term": "ab"}[group]


# ---- texts ---------------------------------------------------------------------------------------------


def _add_offsets(text: NamedText, index: str, axes: Sequence[str], targets: dict[str, str]) -> None:
    """Emit code that adds an element's offsets to variables; `targets` maps each to the suffix of its stride words."""
    if axes:
        text.open_scope()
        text.write(f"const i64 e = {index};")
        coordinates = text.coordinates("e", [text.words[f"{axis}_extent"] for axis in axes])
        for target, field in targets.items():
            moved = address(target, coordinates, [text.words[f"{axis}_{field}"] for axis in axes])
            text.write(f"{target} = {moved};")
        text.close()


def _raise_flags(text: NamedText, result: str, kind: str, reported_flags: int, has_nan: str, has_infinity: str) -> None:
    """Emit code that raises the flags of a sum, given whether its terms have a NaN or an infinity."""
    if reported_flags:
        text.open(f"if ({_is(kind, 'nan', result)} || {_is(kind, 'inf', result)})")
        if reported_flags & 8:
            text.write(f"if ({_is(kind, 'nan', result)} && !({has_nan})) flags |= 8;")
        if reported_flags & 2:
            text.write(f"if (!({has_nan}) && !({has_infinity})) flags |= 2;")
        text.close()


def _is(kind: str, what: str, value: str) -> str:
    """Return a test of a number for NaN or infinity."""
    return f"is{what}_{kind}({value})" if kind in ("c64", "c128") else f"is{what}({value})"


def _zero(kind: str) -> str:
    return f"complex_{kind}(0, 0)" if kind in ("c64", "c128") else "0"


@functools.cache
def generate_combine(form: CombineForm) -> Text:
    """Return the kernel that adds the sums of chunks, in order."""
    working = working_char(form.char)
    kind = TYPES[working]
    name = f"combine_products_{TYPES[form.char]}"
    text = NamedText(name, ("partial", "c"), combine_words(form), bool(form.reported_flags))
    word = text.words
    if form.reported_flags:
        text.write("u32 flags = 0;")
    text.open(f"for (i64 i = GLOBAL_ID; i < {word['count']}; i += GLOBAL_SIZE)")
    text.write(f"i64 at = {word['c']};")
    _add_offsets(text, "i", [f"axis{axis}" for axis in range(form.axes)], {"at": "c"})
    text.write(f"GLOBAL {kind} *const parts = (GLOBAL {kind} *)partial;")
    text.write(f"{kind} sum = {_zero(kind)};")
    if form.reported_flags:
        text.write("bool8 has_nan = 0, has_infinity = 0;")
    text.open(f"for (i64 chunk = 0; chunk < {word['chunks']}; chunk++)")
    text.write(f"const {kind} part = parts[chunk * {word['count']} + i];")
    text.write(f"sum = {_sum(kind, 'sum', 'part')};")
    if form.reported_flags:
        text.write(f"has_nan |= {_is(kind, 'nan', 'part')};")
        text.write(f"has_infinity |= {_is(kind, 'inf', 'part')};")
    text.close()
    made = text.cast(Value(working, "sum"), form.char, 0)
    text.write(f"*(GLOBAL {TYPES[form.char]} *)(c + at) = {made.text};")
    _raise_flags(text, "sum", kind, form.reported_flags, "has_nan", "has_infinity")
    text.close()
    if form.reported_flags:
        text.write("if (flags) atomic_or_u32(status, flags);")
    return text.finish()


def _sum(kind: str, x: str, y: str) -> str:
    if kind == "bool8":
        return f"{x} | {y}"
    return f"add_{kind}({x}, {y})" if kind in ("c64", "c128") else f"{x} + {y}"


def _multiply_add(char: str, total: str, x: str, y: str) -> str:
    """Return statements that add a product to a sum; `char` is the dtype of the result."""
    kind = TYPES[working_char(char)]
    if kind == "bool8":
        return f"{total} |= {x} & {y};"
    if is_ordered(char) or kind in ("u32", "u64"):
        return f"{total} += {x} * {y};"
    if kind in ("c64", "c128"):
        return (f"{total}.x = fma({x}.x, {y}.x, fma(-{x}.y, {y}.y, {total}.x)); "
                f"{total}.y = fma({x}.x, {y}.y, fma({x}.y, {y}.x, {total}.y));")  # fmt: skip
    return f"{total} = fma({x}, {y}, {total});"


@functools.cache
def generate_contraction(form: Form) -> Text:
    """Return the kernel that computes tiles of a contraction.

    Its parameters are the layout, whose words `contraction_words` names, the pointers a, b and c, and a pointer to a
    one-word status if there are flags to detect.
    """
    return _Contraction(form).generate()


class _Contraction(NamedText):
    def __init__(self, form: Form):
        kinds = dict.fromkeys(TYPES[char] for char in form.chars)
        name = f"product_{'_'.join(kinds)}"
        super().__init__(name, ("a", "b", "c"), contraction_words(form), bool(form.reported_flags))
        self.form, self.tile = form, form.tile
        self.char = working_char(form.chars[2])
        self.kind = TYPES[self.char]
        self.terms = form.tile.terms_of(np.dtype(self.char).itemsize)
        self.in_blocks = self.kind in ("f32", "f64", "c64", "c128") and not is_ordered(form.chars[2])
        names = ("batch", "row", "column", "term")
        self.axes = {name: [f"{name}{i}" for i in range(n)] for name, n in zip(names, form.axes, strict=True)}
        self.places = [(p, q) for p in range(self.tile.rows // self.tile.down)
                       for q in range(self.tile.columns // self.tile.across)]  # fmt: skip

    def generate(self) -> Text:
        word, tile = self.words, self.tile
        self._declare()
        self.open(f"for (i64 group = GROUP_ID; group < {word['groups']}; group += GROUPS)")
        self.write(f"const i64 tiles_across = ({word['columns']} + {tile.columns - 1}) / {tile.columns};")
        self.write(f"const i64 tiles_down = ({word['rows']} + {tile.rows - 1}) / {tile.rows};")
        self.write("const i64 down = quotient(group, tiles_across), chunked = quotient(down, tiles_down);")
        self.write(f"const i64 matrix = quotient(chunked, {word['chunks']});")
        self.write(f"const i64 chunk = chunked - matrix * {word['chunks']};")
        self.write(f"const i64 first_row = (down - chunked * tiles_down) * {tile.rows};")
        self.write(f"const i64 first_column = (group - down * tiles_across) * {tile.columns};")
        self.write(f"const i64 first = chunk * {word['length']};")
        self.write(f"const i64 last = first + {word['length']} < {word['terms']} "
                   f"? first + {word['length']} : {word['terms']};")  # fmt: skip
        self.write(f"i64 a_at = {word['a']}, b_at = {word['b']}, c_at = {word['c']} + chunk * {word['c_chunk']};")
        _add_offsets(self, "matrix", self.axes["batch"], {"a_at": "a", "b_at": "b", "c_at": "c"})
        self._write_tables()
        self._write_sums()
        self._write_results()
        self.write("BARRIER;")
        self.close()
        if self.form.reported_flags:
            self.write("if (flags) atomic_or_u32(status, flags);")
        return self.finish()

    def _declare(self) -> None:
        """Declare local memory and the work-item's position."""
        tile = self.tile
        for name, extent in (("a", tile.rows), ("b", tile.columns)):
            pad = extent > 1  # avoids bank conflicts of stores to a column
            self.write(f"LOCAL {self.kind} tile_{name}[{self.terms}][{extent + pad}];")
        for name, extent in (("row", tile.rows), ("column", tile.columns), ("term", self.terms)):
            self.write(f"LOCAL i64 {', '.join(f'{name}_{pointer}[{extent}]' for pointer in _pointers(name))};")
        for window in range(self.form.windows):
            self.write(f"LOCAL i64 row_in{window}[{tile.rows}], term_in{window}[{self.terms}];")
        if self.form.reported_flags:
            self.write(f"LOCAL u32 row_nan[{tile.rows}], row_inf[{tile.rows}];")
            self.write(f"LOCAL u32 column_nan[{tile.columns}], column_inf[{tile.columns}];")
            self.write("u32 flags = 0;")
        if tile.lanes > 1:
            self.write(f"LOCAL {self.kind} of_lanes[{tile.lanes}][{tile.down * tile.across}];")
        self.write(f"const u32 item = LOCAL_ID, lane = item % {tile.lanes}, place = item / {tile.lanes};")
        self.write(f"const u32 item_row = place / {tile.across}, item_column = place % {tile.across};")

    def _write_tables(self) -> None:
        """Emit code that fills the tables of row and column offsets; `c_at` stays outside the tables."""
        for name, extent in (("row", self.tile.rows), ("column", self.tile.columns)):
            self.open(f"for (u32 i = item; i < {extent}; i += {self.tile.threads})")
            self._write_table(name, f"first_{name} + i")
            if self.form.reported_flags:
                self.write(f"{name}_nan[i] = {name}_inf[i] = 0;")
            self.close()
        self.write("BARRIER;")

    def _write_table(self, name: str, index: str) -> None:
        windows = range(self.form.windows) if name in ("row", "term") else ()
        fields = {f"at_{pointer}": pointer for pointer in _pointers(name)}
        fields |= {f"in{window}": f"step{window}" for window in windows}
        starts = [f"{field} = {self.words[f'first{field[2:]}']}" if field[:2] == "in" and name == "row"
                  else f"{field} = 0" for field in fields]  # fmt: skip
        self.write(f"i64 {', '.join(starts)};")
        _add_offsets(self, index, self.axes[name], fields)
        for pointer in _pointers(name):
            self.write(f"{name}_{pointer}[i] = at_{pointer};")
        for window in windows:
            self.write(f"{name}_in{window}[i] = in{window};")

    def _write_sums(self) -> None:
        tile = self.tile
        totals = ("sum", "total") if self.in_blocks else ("sum",)
        for p, q in self.places:
            self.write(f"{self.kind} {', '.join(f'{name}{p}_{q} = {_zero(self.kind)}' for name in totals)};")
        self.open(f"for (i64 from = first; from < last; from += {self.terms})")
        if self.in_blocks:
            self.open(f"if (from > first && (from - first) % {max(BLOCK, self.terms)} == 0)")
            for p, q in self.places:
                self.write(f"total{p}_{q} = {_sum(self.kind, f'total{p}_{q}', f'sum{p}_{q}')};")
                self.write(f"sum{p}_{q} = {_zero(self.kind)};")
            self.close()
        self.open(f"for (u32 i = item; i < {self.terms}; i += {tile.threads})")
        self._write_table("term", "from + i")
        self.close()
        self.write("BARRIER;")
        self._write_loads("a", "row", tile.rows, self.form.chars[0])
        self._write_loads("b", "column", tile.columns, self.form.chars[1])
        self.write("BARRIER;")
        self.open(f"for (u32 t = lane; t < {self.terms}; t += {tile.lanes})")
        for p in dict.fromkeys(p for p, _ in self.places):
            self.write(f"const {self.kind} a{p} = tile_a[t][item_row + {p * tile.down}];")
        for q in dict.fromkeys(q for _, q in self.places):
            self.write(f"const {self.kind} b{q} = tile_b[t][item_column + {q * tile.across}];")
        for p, q in self.places:
            self.write(_multiply_add(self.form.chars[2], f"sum{p}_{q}", f"a{p}", f"b{q}"))
        self.close()
        self.close()
        if self.in_blocks:
            for p, q in self.places:
                self.write(f"sum{p}_{q} = {_sum(self.kind, f'total{p}_{q}', f'sum{p}_{q}')};")
        if tile.lanes > 1:
            self._write_tree()

    def _write_loads(self, name: str, axis: str, extent: int, char: str) -> None:
        """Emit code that stages an operand's part of a tile in local memory, padded with zeros."""
        self.open(f"for (u32 i = item; i < {extent * self.terms}; i += {self.tile.threads})")
        first = self.words[f"{axis}s_first"]
        self.write(f"const u32 r = {first} ? i % {extent} : i / {self.terms};")
        self.write(f"const u32 t = {first} ? i / {extent} : i % {self.terms};")
        tests = [f"first_{axis} + r < {self.words[f'{axis}s']}", "from + t < last"]
        if name == "a":
            tests += [f"(u64)(row_in{window}[r] + term_in{window}[t]) < (u64){self.words[f'extent{window}']}"
                      for window in range(self.form.windows)]  # fmt: skip
        self.write(f"{self.kind} value = {_zero(self.kind)};")
        self.open(f"if ({' && '.join(tests)})")
        where = f"{name} + {name}_at + {axis}_{name}[r] + term_{name}[t]"
        loaded = self.cast(Value(char, f"*(GLOBAL {TYPES[char]} *)({where})"), self.char, 0)
        text = f"conjugate_{self.kind}({loaded.text})" if name == "a" and self.form.conjugates else loaded.text
        self.write(f"value = {text};")
        if self.form.reported_flags:
            for what in ("nan", "inf"):
                self.write(f"if ({_is(self.kind, what, 'value')}) {axis}_{what}[r] = 1;")
        self.close()
        self.write(f"tile_{name}[t][r] = value;")
        self.close()

    def _write_tree(self) -> None:
        """Emit the tree that adds the sums of an element's lanes."""
        self.write("of_lanes[lane][place] = sum0_0;")
        self.write("BARRIER;")
        self.open(f"for (u32 reach = {self.tile.lanes // 2}; reach > 0; reach /= 2)")
        both = _sum(self.kind, "of_lanes[lane][place]", "of_lanes[lane + reach][place]")
        self.write(f"if (lane < reach) of_lanes[lane][place] = {both};")
        self.write("BARRIER;")
        self.close()
        self.write("sum0_0 = of_lanes[0][place];")

    def _write_results(self) -> None:
        made = self.char if self.form.is_partial else self.form.chars[2]
        for p, q in self.places:
            self.open_scope()
            self.write(f"const u32 r = item_row + {p * self.tile.down}, s = item_column + {q * self.tile.across};")
            tests = [f"first_row + r < {self.words['rows']}", f"first_column + s < {self.words['columns']}"]
            tests += ["lane == 0"] if self.tile.lanes > 1 else []
            self.open(f"if ({' && '.join(tests)})")
            result = self.cast(Value(self.char, f"sum{p}_{q}"), made, 0)
            self.name(result)
            self.write(f"*(GLOBAL {TYPES[made]} *)(c + c_at + row_c[r] + column_c[s]) = {result.text};")
            seen, kind = (result.text, TYPES[made]) if made != "e" else (f"f32_of_f16({result.text})", "f32")
            has_nan, has_infinity = "row_nan[r] || column_nan[s]", "row_inf[r] || column_inf[s]"
            _raise_flags(self, seen, kind, self.form.reported_flags, has_nan, has_infinity)
            self.close()
            self.close()
