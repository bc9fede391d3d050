"""Overloads of operators and ufuncs as text, from the rules in tests/support/stub_rules.py."""

import ast
import textwrap

import numpy as np

from support.stub_rules import (
    ANY,
    BINARY,
    NUMBER,
    PYTHON,
    REAL,
    STRICT,
    TO_COMPLEX128,
    TO_FLOAT64,
    UNARY,
    UNARY_STRICT,
    UNKNOWN,
    UNSIGNED,
    WHOLE,
    family,
)

GENERATED = f"# Written by `python tests/generate_stubs.py` with NumPy {np.__version__}: do not edit.\n"
# Overlapping overloads are tried in order, and mirrored operators may overlap.
SILENT = "# mypy: disable-error-code=\"overload-overlap, overload-cannot-match, misc, override\"\n# ruff: noqa\n"
# What operands of these kinds accept besides arrays: Python numbers, and sequences of these.
LIKE = {"np.bool": "_ArrayLikeBool_co", UNSIGNED: "_ArrayLikeUInt_co", WHOLE: "_ArrayLikeInt_co",
        REAL: "_ArrayLikeFloat_co", NUMBER: "_ArrayLikeComplex_co", TO_FLOAT64: "_ArrayLikeFloat64_co",
        TO_COMPLEX128: "_ArrayLikeComplex128_co"}
LIKES = """\
    _ArrayLike, _ArrayLikeBool_co, _ArrayLikeComplex128_co, _ArrayLikeComplex_co, _ArrayLikeFloat64_co,
    _ArrayLikeFloat_co, _ArrayLikeInt_co, _ArrayLikeUInt_co"""
OPERATORS = {"add": "Arithmetic", "sub": "Subtraction", "mul": "Arithmetic", "matmul": "Product",
             "truediv": "Division", "floordiv": "Remainder", "mod": "Remainder", "pow": "Power",
             "lshift": "Shift", "rshift": "Shift", "and": "Bitwise", "or": "Bitwise", "xor": "Bitwise"}
# Arrays, and what they accept in place. The result is the array itself, so it keeps its dtype.
IN_PLACE = [("Never", "Numeric"), ("np.bool", "_ArrayLikeBool_co"), ("IntegerT", "_ArrayLikeInt_co"),
            ("FloatingT", "_ArrayLikeFloat_co"), ("ComplexT", "_ArrayLikeComplex_co"), ("np.object_", "object"),
            ("np.timedelta64", "Numeric"), ("np.datetime64", "Numeric"), ("np.flexible", "Operand")]


def operand(kind):
    """Return the annotation of an argument."""
    if kind in PYTHON:
        return kind
    return "Numeric" if kind == "..." else LIKE.get(kind, f"_ArrayLike[{kind}]")


def result(kind):
    return "LazyArray" if kind == ANY else f"LazyArray[{kind}]"


def signature(name, parameters, returned, indent=0, overloaded=True):
    """Return a function's stub, wrapped at 120 columns."""
    pad = " " * indent
    head = f"{pad}@overload\n" if overloaded else ""
    line = f"{pad}def {name}({', '.join(parameters)}) -> {returned}: ..."
    if len(line) > 120:
        inner = textwrap.fill(", ".join(parameters).replace(" ", "\0").replace(",\0", ", "), 119 - indent - 4,
                              break_long_words=False, break_on_hyphens=False).replace("\0", " ")
        line = f"{pad}def {name}(\n{textwrap.indent(inner, pad + '    ')}\n{pad}) -> {returned}: ..."
    return head + line + "\n"


# ---- operators ----


def operators():
    """Return the text of `operators.pyi`."""
    parts = [GENERATED, SILENT, _imports(
        "from typing import Any, Generic, Never, Self, overload", "import numpy as np",
        f"from numpy._typing import (\n{LIKES})",
        "from lazyarr._core.frontend.lazy_array import LazyArray",
        "from lazyarr.stubs.aliases import (\n    ComplexT, FloatingT, InexactT, IntegerT, NumberT, Numeric, Operand, "
        "SameInexactT, SameIntegerT, SameNumberT, Scalar_co)"),
        "\nclass ArrayOperators(Generic[Scalar_co]):\n"]
    for name, kind in OPERATORS.items():
        parts += [_operator(f"__{name}__", rules(kind), kind), _operator(f"__r{name}__", mirrored(rules(kind)), kind)]
        parts.append(_in_place(name, kind))
    for name in "divmod", "rdivmod":
        rows = rules("Remainder") if name == "divmod" else mirrored(rules("Remainder"))
        parts.append(_operator(f"__{name}__", rows, "Remainder", "tuple[{0}, {0}]"))
    for name in "lt", "le", "gt", "ge":
        parts.append(f"    def __{name}__(self, other: Operand, /) -> LazyArray[np.bool]: ...\n")
    for name in "eq", "ne":  # elementwise, as in NumPy
        parts.append(f"    def __{name}__(self, other: object, /) -> LazyArray[np.bool]: ...\n")
    parts += ["    def __neg__(self) -> Self: ...\n", "    def __pos__(self) -> Self: ...\n",
              "    def __invert__(self: LazyArray[InvertibleT], /) -> LazyArray[InvertibleT]: ...\n"]
    parts += [signature("__abs__", [f"self: LazyArray[{of}]", "/"], result(to), 4)
              for of, to in [("Never", ANY), *UNARY["Absolute"]] if of not in PYTHON]
    parts.append(signature("__abs__", ["self", "/"], "Self", 4))
    text = "".join(parts)
    return text.replace("InexactT, IntegerT", "InexactT, IntegerT, InvertibleT").replace(
        "ComplexT, FloatingT,", "ComplexT, FloatingT,")


def rules(kind):
    return [UNKNOWN, *BINARY[kind]]


def mirrored(rows):
    return [UNKNOWN, *[(right, left, made) for left, right, made in rows]]


def _operator(name, rows, kind, shape="{}"):
    overloads = []
    for left, right, made in rows:
        if left not in PYTHON and right != "Never":
            of_self = "self" if left == "..." else f"self: LazyArray[{left}]"
            overloads.append(signature(name, [of_self, f"other: {operand(right)}", "/"], shape.format(result(made)), 4))
    overloads += [signature(name, [f"self: LazyArray[{own}]", f"other: {other}", "/"], shape.format("LazyArray"), 4)
                  for own, other in _last(kind)]
    return "".join(dict.fromkeys(overloads))


def _last(kind):
    """Return what else an operator accepts: objects and, where dates and strings have loops too, anything but a string.
    """
    if kind in STRICT:
        return [("np.object_", "object"), ("np.number | np.bool", "_ArrayLikeComplex_co | _ArrayLike[np.object_]")]
    return [("np.object_", "object"), ("np.flexible", "Operand"), ("Any", "Numeric")]


def _in_place(name, kind):
    rows = IN_PLACE
    if kind == "Division":  # whose results are not integers
        rows = [row for row in rows if row[0] not in ("np.bool", "IntegerT")]
    if kind in STRICT:
        rows = [row for row in rows if row[0] in ("Never", "np.bool", "IntegerT", "np.object_")]
    return "".join(signature(f"__i{name}__", [f"self: LazyArray[{own}]", f"other: {other}", "/"],
                             result(ANY if own == "Never" else own), 4) for own, other in rows)


# ---- ufuncs ----


def _imports(*lines):
    return "\n".join(lines) + "\n"


UFUNC_BASE = '''
# The attributes and methods of ufuncs; those of two operands reduce.
class Ufunc:
    @property
    def __name__(self) -> str: ...
    @property
    def __qualname__(self) -> str: ...
    @property
    def ufunc(self) -> np.ufunc: ...
    @property
    def waits(self) -> bool: ...
    @property
    def nin(self) -> int: ...
    @property
    def nout(self) -> int: ...
    @property
    def nargs(self) -> int: ...
    @property
    def ntypes(self) -> int: ...
    @property
    def types(self) -> list[str]: ...
    @property
    def identity(self) -> Any: ...
    @property
    def signature(self) -> str | None: ...
    def resolve_dtypes(
        self, dtypes: tuple[np.dtype[Any] | type[Any] | None, ...], *, signature: Any = None,
        casting: Casting | None = None, reduction: bool = False
    ) -> tuple[np.dtype[Any], ...]: ...
    def at(self, a: Array[Any], indices: Any, b: Operand = ..., /) -> None: ...

class BinaryUfunc(Ufunc):
    @overload
    def reduce(
        self, array: Operand, axis: Axis = 0, *, dtype: _DTypeLike[ScalarT], out: None = None, keepdims: bool = False,
        initial: Operand = ..., where: Operand = True
    ) -> LazyArray[ScalarT]: ...
    @overload
    def reduce(
        self, array: Operand, axis: Axis = 0, dtype: DType = None, out: Out = None, keepdims: bool = False,
        initial: Operand = ..., where: Operand = True
    ) -> LazyArray: ...
    def accumulate(
        self, array: Operand, axis: SupportsIndex = 0, dtype: DType = None, out: Out = None) -> LazyArray: ...
    def reduceat(
        self, array: Operand, indices: _ArrayLikeInt_co, axis: SupportsIndex = 0, dtype: DType = None, out: Out = None
    ) -> LazyArray: ...
    def outer(self, a: Operand, b: Operand, /, **kwargs: Any) -> LazyArray: ...

# A ufunc of a Python function.
class AnyUfunc(BinaryUfunc):
    def __call__(self, *args: Any, **kwargs: Any) -> LazyArray: ...
'''


def ufuncs():
    """Return the text of `ufuncs.pyi`: a class for each family."""
    parts = [GENERATED, SILENT, _imports(
        "from typing import Any, Never, SupportsIndex, Unpack, overload", "import numpy as np",
        f"from numpy._typing import (\n{LIKES}, _DTypeLike)",
        "from lazyarr._core.frontend.lazy_array import LazyArray",
        "from lazyarr.stubs.aliases import (\n    Array, Axis, Casting, ComplexT, DType, FloatingT, GufuncOptions, "
        "InexactT, IntegerT, NumberT, Numeric, Operand,\n    Out, OutT, SameFloatingT, SameInexactT, SameIntegerT, "
        "SameNumberT, ScalarT, UfuncOptions)"), UFUNC_BASE]
    for kind, rows in UNARY.items():
        loose = "_Numbers" if kind in UNARY_STRICT else "Operand"
        calls = [([operand_or(of, loose)], result(to)) for of, to in rows]
        parts.append(_class(kind, calls, [loose], "LazyArray[np.bool]" if "Predicate" in kind else "LazyArray"))
    for kind, rows in BINARY.items():
        loose = "_Numbers" if kind in STRICT else "Operand" if kind == "Comparison" else "Numeric"
        calls = [([operand_or(left, loose), operand_or(right, loose)], result(made)) for left, right, made in rows]
        parts.append(_class(kind, calls, [loose] * 2, "LazyArray[np.bool]" if kind == "Comparison" else "LazyArray",
                            "GufuncOptions" if kind == "Product" else "UfuncOptions"))
    pairs = [([operand_or(left, "_Numbers"), operand_or(right, "_Numbers")], f"tuple[{result(made)}, {result(made)}]")
             for left, right, made in BINARY["Remainder"]]
    parts.append(_class("DivMod", pairs, ["Numeric"] * 2, "tuple[LazyArray, LazyArray]"))
    for kind, second in ("Fraction", "{}"), ("Exponent", "LazyArray[np.int32]"):
        calls = [([operand_or(of, "_Numbers")], f"tuple[{result(to)}, {second.format(result(to))}]")
                 for of, to in UNARY["RealFunction"]]
        parts.append(_class(kind, calls, ["_Numbers"], f"tuple[LazyArray, {second.format('LazyArray')}]"))
    parts[4:4] = "\n_Numbers: TypeAlias = _ArrayLikeComplex_co | _ArrayLike[np.object_ | np.timedelta64]\n"
    return "".join(parts).replace("SupportsIndex, Unpack", "SupportsIndex, TypeAlias, Unpack")


def operand_or(kind, loose):
    return loose if kind == "..." else operand(kind)


def _class(kind, calls, last, returned, options="UfuncOptions"):
    """Return the class of a family, with overloads for known dtypes, for `dtype` and `out`, and for everything else."""
    names = ["x"] if len(last) == 1 else ["x1", "x2"]
    several = returned.startswith("tuple")

    def call(kinds, keywords, made):
        inputs = [f"{name}: {annotation}" for name, annotation in zip(names, kinds, strict=True)]
        return signature("__call__", ["self", *inputs, *keywords, f"**options: Unpack[{options}]"], made, 4)

    outs = "tuple[OutT, OutT]" if several else "OutT | tuple[OutT]"
    overloads = [call(kinds, ["/", "out: None = None", "*", "dtype: None = None"], made) for kinds, made in calls]
    if not several and returned == "LazyArray":
        typed = ["/", "out: None = None", "*", "dtype: _DTypeLike[ScalarT]"]
        overloads.append(call(last, typed, "LazyArray[ScalarT]"))
    given = "tuple[OutT, OutT]" if several else "OutT"
    overloads += [call(last, ["/", f"out: {outs}", "*", "dtype: DType = None"], given),
                  call(last, ["/", "out: None = None", "*", "dtype: DType = None"], returned)]
    base = "Ufunc" if len(last) == 1 or several else "BinaryUfunc"
    return f"\nclass {kind}({base}):\n" + "".join(dict.fromkeys(overloads))


def ufunc_names():
    """Return the public ufuncs with the classes of their families."""
    return {name: family(found) for name in dir(np) if isinstance(found := getattr(np, name), np.ufunc)}


def check(text):
    """Return the text, after checking that it parses."""
    ast.parse(text)
    return text
