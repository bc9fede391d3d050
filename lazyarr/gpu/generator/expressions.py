"""Operations as C expressions: a row per operation, with a template for each kind of dtype.

The kind is that of the first operand: ``?`` bool, ``i`` and ``u`` integers, ``f`` float32 and float64, ``c`` complex,
and ``*`` any, for operations that only move values. A type name matches only itself, and two type names match a pair of
operands. float16 is converted to float32 and back, unless a row has it.

In a template, ``{x}``, ``{y}``, ``{z}`` are operands that may stand beside an operator, ``{X}``, ``{Y}``, ``{Z}`` the
same as arguments; ``{t}`` is the type of the first operand and ``{r}`` that of the first result. A template that starts
with ``mod`` is arithmetic modulo a power of two. Operations with several results have a template for each.

`ROWS` has operations that match NumPy bit for bit, because NumPy rounds once or uses an algorithm that kernels can
follow. Where bits need not match, the functions of `VENDOR` fill the gaps.
"""

from collections.abc import Mapping
from typing import Any

from lazyarr.gpu.generator.dialects import TYPES

_CALL2 = "{op}_{t}({X}, {Y})"
_CALL1 = "{op}_{t}({X})"
_SAME = "{x}"
_BUILTIN = "{op}({X})"


def _compared(sign: str) -> dict[str, str]:
    """Return the row of a comparison; int64 and uint64 have no common dtype."""
    return {"?iuf": f"{{x}} {sign} {{y}}", "c": "!equal_{t}({X}, {Y})" if sign == "!=" else _CALL2,
            "i64 u64": f"compare_i64_u64({{X}}, {{Y}}) {sign} 0",
            "u64 i64": f"0 {sign} compare_i64_u64({{Y}}, {{X}})"}  # fmt: skip


def _rounded(op: str) -> dict[str, str]:
    return {"?iu": _SAME, "f": f"{op}({{X}})"}


ROWS: Mapping[str, Mapping[str, str | tuple[str, ...]]] = {
    # moves
    "copy": {"*": _SAME},
    "positive": {"iufc": _SAME},
    "where": {"*": "{x} ? {y} : {z}"},
    "real": {"c": "{x}.x"},
    "imag": {"c": "{x}.y"},
    "complex": {"f": "complex_{r}({X}, {Y})"},
    # arithmetic
    "add": {"?": "{x} | {y}", "iu": "mod {x} + {y}", "f": "{x} + {y}", "c": _CALL2},
    "subtract": {"iu": "mod {x} - {y}", "f": "{x} - {y}", "c": _CALL2},
    "multiply": {"?": "{x} & {y}", "iu": "mod {x} * {y}", "f": "{x} * {y}", "c": _CALL2},
    "multiply_apart": {"f": "{x} * {y}", "c": _CALL2},  # without fused multiply-add, like NumPy's sequential products
    "fma": {"?": "({x} & {y}) | {z}", "iu": "mod {x} * {y} + {z}", "f": "fma({X}, {Y}, {Z})",
            "f16": "fma_f16({X}, {Y}, {Z})"},
    "divide": {"f": "{x} / {y}", "c": _CALL2},
    "reciprocal": {"i": "{x} == 1 || {x} == -1 ? {x} : {x} == 0 ? {of_infinity} : 0", "u": "{x} == 1",
                   "f": "1 / {x}", "c": _CALL1},
    "square": {"iu": "mod {x} * {x}", "f": "{x} * {x}", "c": "multiply_{t}({X}, {X})"},
    "sqrt": {"f": _BUILTIN},
    "power": {"iu": _CALL2,  # non-negative exponents only
              "f": "{power}({X}, {Y})"},
    "float_power": {"f64": "power_{t}({X}, {Y})"},
    "floor_divide": {"iuf": _CALL2},
    "remainder": {"iuf": _CALL2},
    "divmod": {"iuf": ("floor_divide_{t}({X}, {Y})", "remainder_{t}({X}, {Y})")},
    "fmod": {"i": _CALL2, "u": "remainder_{t}({X}, {Y})", "f": "fmod({X}, {Y})"},
    "gcd": {"iu": _CALL2},
    "lcm": {"iu": _CALL2},
    "negative": {"iu": _CALL1, "f": "-{x}", "c": _CALL1},
    "absolute": {"?u": _SAME, "i": _CALL1, "f": "fabs({X})", "c": _CALL1},
    "fabs": {"f": _BUILTIN},
    "sign": {"i": "({x} > 0) - ({x} < 0)", "u": "{x} > 0", "f": _CALL1},
    "conjugate": {"iuf": _SAME, "c": _CALL1},
    "copysign": {"f": "copysign({X}, {Y})"},
    "heaviside": {"f": _CALL2},
    # representation of floats
    "nextafter": {"f": _CALL2, "f16": _CALL2},
    "spacing": {"f": _CALL1, "f16": _CALL1},
    "ldexp": {"f": "ldexp({X}, {exponent})"},
    "frexp": {"f": ("frexp_mantissa_{t}({X})", "frexp_exponent_{t}({X})")},
    "modf": {"f": ("modf_fraction_{t}({X})", "trunc({X})")},
    "signbit": {"f": "signbit({X}) != 0"},
    # roundings
    "floor": _rounded("floor"),
    "ceil": _rounded("ceil"),
    "trunc": _rounded("trunc"),
    "rint": {"f": "rint({X})", "c": _CALL1},
    # comparisons and choices
    "equal": _compared("=="),
    "not_equal": _compared("!="),
    "less": _compared("<"),
    "less_equal": _compared("<="),
    "greater": _compared(">"),
    "greater_equal": _compared(">="),
    "maximum": {"?": "{x} | {y}", "iu": "{x} > {y} ? {x} : {y}", "f16": _CALL2, "fc": _CALL2},
    "minimum": {"?": "{x} & {y}", "iu": "{x} < {y} ? {x} : {y}", "f16": _CALL2, "fc": _CALL2},
    "fmax": {"?": "{x} | {y}", "iu": "{x} > {y} ? {x} : {y}", "f16": _CALL2, "fc": _CALL2},
    "fmin": {"?": "{x} & {y}", "iu": "{x} < {y} ? {x} : {y}", "f16": _CALL2, "fc": _CALL2},
    "clip": {"?": "({x} | {y}) & {z}", "iu": "{x} < {y} ? ({y} > {z} ? {z} : {y}) : {x} > {z} ? {z} : {x}",
             "f": "{clip}_{t}({X}, {Y}, {Z})", "f16": "minimum_{t}(maximum_{t}({X}, {Y}), {Z})",
             "c": "clip_{t}({X}, {Y}, {Z})"},
    # predicates
    "isnan": {"?iu": "0", "f": "isnan({X}) != 0", "c": _CALL1},
    "isinf": {"?iu": "0", "f": "isinf({X}) != 0", "c": _CALL1},
    "isfinite": {"?iu": "1", "f": "isfinite({X}) != 0", "c": _CALL1},
    "logical_and": {"?": "{x} & {y}", "iuf": "{x} != 0 && {y} != 0", "c": "nonzero_{t}({X}) && nonzero_{t}({Y})"},
    "logical_or": {"?": "{x} | {y}", "iuf": "{x} != 0 || {y} != 0", "c": "nonzero_{t}({X}) || nonzero_{t}({Y})"},
    "logical_xor": {"?": "{x} ^ {y}", "iuf": "({x} != 0) != ({y} != 0)",
                    "c": "nonzero_{t}({X}) != nonzero_{t}({Y})"},
    "logical_not": {"?": "!{x}", "iuf": "{x} == 0", "c": "!nonzero_{t}({X})"},
    # bits
    "bitwise_and": {"?iu": "{x} & {y}"},
    "bitwise_or": {"?iu": "{x} | {y}"},
    "bitwise_xor": {"?iu": "{x} ^ {y}"},
    "invert": {"?": "!{x}", "iu": "({t})~{x}"},
    "left_shift": {"iu": _CALL2},
    "right_shift": {"iu": _CALL2},
    "bitwise_count": {"iu": "popcount_{m}(({u})absolute_{t}({X}))"},
    # transcendental functions that use the host's algorithm
    "exp": {"f": _CALL1},
    "log": {"f32": _CALL1, "f64": _CALL1},
    "sin": {"f": "sincos_{t}({X}, 0)"},
    "cos": {"f": "sincos_{t}({X}, 1)"},
    "tanh": {"f": _CALL1},
    # units of angles
    "degrees": {"f": "{x} * DEGREES_{t}"},
    "rad2deg": {"f": "{x} * DEGREES_{t}"},
    "radians": {"f": "{x} * RADIANS_{t}"},
    "deg2rad": {"f": "{x} * RADIANS_{t}"},
}  # fmt: skip

_C = {"arccos": "acos", "arccosh": "acosh", "arcsin": "asin", "arcsinh": "asinh", "arctan": "atan",
      "arctanh": "atanh"}
VENDOR: Mapping[str, Mapping[str, str]] = {
    **{op: {"f": f"{_C.get(op, op)}({{X}})", "c": _CALL1} for op in (
        "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "cos", "cosh", "exp", "exp2", "expm1", "log",
        "log10", "log1p", "log2", "sin", "sinh", "tan", "tanh")},
    "cbrt": {"f": _BUILTIN},
    "sign": {"c": _CALL1},
    "sqrt": {"c": _CALL1},
    "arctan2": {"f": "atan2({X}, {Y})"},
    "hypot": {"f": "hypot({X}, {Y})"},
    "power": {"f": "pow({X}, {Y})", "c": _CALL2},
    "float_power": {"f": "pow({X}, {Y})", "c": "power_{t}({X}, {Y})"},
    "logaddexp": {"f": _CALL2},
    "logaddexp2": {"f": _CALL2},
}  # fmt: skip
"""Functions that the device has: within a few units of the last place, but seldom with NumPy's bits."""

KINDS = {"?": "?", **dict.fromkeys("bhilq", "i"), **dict.fromkeys("BHILQ", "u"), **dict.fromkeys("fd", "f"),
         **dict.fromkeys("FD", "c")}  # fmt: skip
"""Kinds by the dtype's character; float16 is left out, as it is converted."""


def find(rows: Mapping[str, Mapping[str, Any]], op: str, chars: str) -> Any:
    """Return a table's entry for `op` on operands with these dtype characters, or None."""
    row = rows.get(op, {})
    if "*" in row:
        return row["*"]
    kinds = [KINDS.get(char) for char in chars.replace("e", "f")]
    if None in kinds:
        return None
    if {"i", "u"} <= {*kinds}:
        return row.get(" ".join(TYPES[char] for char in chars))
    if TYPES[chars[0]] in row:
        return row[TYPES[chars[0]]]
    return next((found for key, found in row.items() if {kinds[0]} <= {*key} <= {*"?iufc"}), None)
