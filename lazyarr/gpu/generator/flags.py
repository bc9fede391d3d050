"""Tests for status flags, so that kernels raise the same flags as the host.

Devices have no status flags, so they are derived from operands and results: a flag's template is true where the
operation raises it. ``{x}``, ``{y}``, ``{z}`` are operands, ``{r}`` is the result and ``{s}`` the second result, all of
them variables. An operation without a row raises none.
"""

from collections.abc import Mapping
from types import MappingProxyType

DIVIDE, OVERFLOW, UNDERFLOW, INVALID = 1, 2, 4, 8

_NAN1 = "isnan({r}) && !isnan({x})"
_NAN2 = "isnan({r}) && !isnan({x}) && !isnan({y})"
_INF1 = "isinf({r}) && isfinite({x})"
_INF2 = "isinf({r}) && isfinite({x}) && isfinite({y})"
_POLE = "{y} == 0 && {x} != 0 && isfinite({x})"
_BEYOND = "isinf({r}) && isfinite({x}) && {y} != 0"
_PARTS_INF = ("(isinf({r}.x) && isfinite({x}.x) && isfinite({y}.x)) || "
              "(isinf({r}.y) && isfinite({x}.y) && isfinite({y}.y))")  # fmt: skip
_PARTS_NAN = ("(isnan({r}.x) && !isnan({x}.x) && !isnan({y}.x)) || "
              "(isnan({r}.y) && !isnan({x}.y) && !isnan({y}.y))")  # fmt: skip


_TINY = "fabs({r}) < TINIEST_{t} && isfinite({x})"
_UNORDERED = {"c": {INVALID: "isnan({x}.x) || isnan({y}.x) || ({x}.x == {y}.x && (isnan({x}.y) || isnan({y}.y)))"}}


def _found(op: str, operands: str) -> dict[int, str]:
    """Return the tests of a multi-step operation, whose flags a function computes."""
    call = f"flags_of_{op}_{{t}}({operands})"
    return {bit: f"({call} & {bit}u) != 0" for bit in (DIVIDE, OVERFLOW, UNDERFLOW, INVALID)}


def _sincos(turn: int, of_double: dict[int, str]) -> dict[str, dict[int, str]]:
    """Return the tests of sin (`turn` 0) or cos (1): in float32 several steps are products."""
    call = f"flags_of_sincos_f32({{x}}, {turn})"
    return {"f32": {bit: f"({call} & {bit}u) != 0" for bit in (UNDERFLOW, INVALID)}, "f64": of_double}


_SUM = {"f": {INVALID: _NAN2, OVERFLOW: _INF2}, "c": {INVALID: _PARTS_NAN, OVERFLOW: _PARTS_INF}}
_PRODUCT = {INVALID: _NAN2, OVERFLOW: _INF2, UNDERFLOW: "multiply_underflows_{t}({x}, {y}, {r})"}
_QUOTIENTS = {"iu": {DIVIDE: "{y} == 0"}, "f": {INVALID: _NAN2}}
_WHOLE_QUOTIENT = {"i": {DIVIDE: "{y} == 0", OVERFLOW: "{y} == -1 && {x} == LEAST_{t}"}, "u": {DIVIDE: "{y} == 0"}}
_FLOORED = {DIVIDE: _POLE, OVERFLOW: _BEYOND,
            UNDERFLOW: "{r} == 0 && divide_underflows_{t}({x}, {y}, {x} / {y})"}  # fmt: skip
_TO_DEGREES = {"f": {OVERFLOW: _INF1, UNDERFLOW: "multiply_underflows_{t}({x}, DEGREES_{t}, {r})"}}
_TO_RADIANS = {"f": {OVERFLOW: _INF1, UNDERFLOW: "multiply_underflows_{t}({x}, RADIANS_{t}, {r})"}}

_OUT_OF_DOMAIN = {INVALID: _NAN1}
_LARGE = {OVERFLOW: _INF1}
_POWER_OF = {OVERFLOW: _INF1, UNDERFLOW: _TINY}
_LOGARITHM = {DIVIDE: "{x} == 0", INVALID: _NAN1}
_POWER = {DIVIDE: "{x} == 0 && isinf({r}) && isfinite({y})", OVERFLOW: _INF2 + " && {x} != 0", INVALID: _NAN2,
          UNDERFLOW: _TINY + " && isfinite({y}) && {x} != 0"}  # fmt: skip
# powf rounds a float64: tininess is detected after rounding, and exact results raise nothing
_WIDE_POWER = {**_POWER, UNDERFLOW: "fabs({r}) < TINIEST_{t} && (f64){r} != wide_power_f32({x}, {y})"}

ROWS: Mapping[str, Mapping[str, Mapping[int, str]]] = {
    "add": _SUM,
    "subtract": _SUM,
    "multiply": {"f": _PRODUCT, "c": _found("multiply", "{x}, {y}")},
    "multiply_apart": {"f": _PRODUCT, "c": _found("multiply_apart", "{x}, {y}")},
    "square": {"f": {OVERFLOW: _INF1, UNDERFLOW: "multiply_underflows_{t}({x}, {x}, {r})"},
               "c": _found("multiply", "{x}, {x}")},
    "fma": {"f": {INVALID: _NAN2 + " && !isnan({z})", OVERFLOW: _INF2 + " && isfinite({z})",
                  UNDERFLOW: "fma_underflows_{t}({x}, {y}, {z}, {r})"},
            "f16": _found("fma", "{x}, {y}, {z}")},
    "divide": {"f": {DIVIDE: _POLE, OVERFLOW: _BEYOND, INVALID: _NAN2,
                     UNDERFLOW: "divide_underflows_{t}({x}, {y}, {r})"},
               "c": _found("divide", "{x}, {y}")},
    "reciprocal": {"iu": {DIVIDE: "{x} == 0", INVALID: "{x} == 0"},
                   "f": {DIVIDE: "{x} == 0", OVERFLOW: "isinf({r}) && {x} != 0",
                         UNDERFLOW: "divide_underflows_{t}(1, {x}, {r})"},
                   "c": _found("reciprocal", "{x}, {x}")},
    "less": _UNORDERED,
    "less_equal": _UNORDERED,
    "greater": _UNORDERED,
    "greater_equal": _UNORDERED,
    "sqrt": {"f": {INVALID: _NAN1}},
    # after overflow the host subtracts the quotient from itself, and it divides to find the sign of a zero
    "floor_divide": {**_WHOLE_QUOTIENT, "f": {**_FLOORED, INVALID: f"({_NAN2}) || ({_BEYOND})"}},
    "divmod": {**_WHOLE_QUOTIENT,
               "f": {**_FLOORED, INVALID: f"(isnan({{s}}) && !isnan({{x}}) && !isnan({{y}})) || ({_BEYOND})"}},
    "remainder": _QUOTIENTS,
    "fmod": _QUOTIENTS,
    "nextafter": {"f": {OVERFLOW: _INF1, UNDERFLOW: "fabs({r}) < TINIEST_{t} && {r} != {x} && !isnan({y})"},
                  "f16": {OVERFLOW: "({r} & 0x7fff) == 0x7c00 && ({x} & 0x7c00) != 0x7c00"}},
    "spacing": {"f": {OVERFLOW: _INF1, UNDERFLOW: "fabs({x}) < TINIEST_{t} && {x} != 0"},
                "f16": {OVERFLOW: "{x} == 0x7bff", INVALID: "({x} & 0x7c00) == 0x7c00"}},
    "ldexp": {"f": {OVERFLOW: _INF1, UNDERFLOW: "fabs({r}) < TINIEST_{t} && ldexp({r}, -{exponent}) != {x}"}},
    "power": {"f": _POWER, "f32": _WIDE_POWER},
    "float_power": {"f64": _POWER},
    "exp": {"f64": _POWER_OF,
            "f": {OVERFLOW: _INF1,  # the algorithm begins with a product
                  UNDERFLOW: "({r} < TINIEST_{t} && isfinite({x})) || "
                             "multiply_underflows_{t}({x}, LOG2E_{t}, {x} * LOG2E_{t})"}},
    "log": {"f": _LOGARITHM},
    "sin": _sincos(0, {INVALID: "isinf({x})", UNDERFLOW: "fabs({x}) < TINIEST_{t} && {x} != 0"}),
    "cos": _sincos(1, {INVALID: "isinf({x})"}),
    "degrees": _TO_DEGREES,
    "rad2deg": _TO_DEGREES,
    "radians": _TO_RADIANS,
    "deg2rad": _TO_RADIANS,
}  # fmt: skip

def _complex(pole: str = "", more: Mapping[int, str] = MappingProxyType({})) -> dict[int, str]:
    """Return the tests of a complex function, given its pole and extra tests besides those on results."""
    call = "flags_of_function_{t}({x}, {r})"
    tests = {bit: f"({call} & {bit}u) != 0" for bit in (OVERFLOW, UNDERFLOW, INVALID)}
    tests.update({bit: f"{tests[bit]} || ({test})" for bit, test in more.items()})
    return {**tests, DIVIDE: pole, OVERFLOW: f"{tests[OVERFLOW]} && !({pole})"} if pole else tests


_PLAIN, _LOG = _complex(), _complex("{x}.x == 0 && {x}.y == 0")
_EXP = _complex(more={UNDERFLOW: "{r}.x == 0 && isfinite({x}.x)",
                      INVALID: "isnan({r}.x) && isnan({r}.y) && !(isnan({x}.x) && isnan({x}.y))"})  # fmt: skip

VENDOR: Mapping[str, Mapping[str, Mapping[int, str]]] = {
    **{op: {"f": _OUT_OF_DOMAIN, "c": _PLAIN} for op in ("arcsin", "arccos", "arccosh", "cos")},
    "sin": {"f": _OUT_OF_DOMAIN, "c": _complex(more={INVALID: "isnan({x}.x) && isfinite({x}.y) && {x}.y != 0"})},
    "tan": {"f": _OUT_OF_DOMAIN, "c": _complex(more={INVALID: "isnan({x}.y) && isinf({x}.x)"})},
    "sinh": {"f": _LARGE, "c": _complex(more={INVALID: "isnan({x}.y) && isfinite({x}.x) && {x}.x != 0"})},
    "cosh": {"f": _LARGE, "c": _PLAIN},
    "expm1": {"f": _LARGE, "c": _complex(more={INVALID: "isinf({x}.y)",
                                           OVERFLOW: "isfinite({x}.x) && isinf(exp({x}.x))"})},
    **{op: {"f": _POWER_OF, "c": _EXP} for op in ("exp", "exp2")},
    **{op: {"f": _LOGARITHM, "c": _LOG} for op in ("log", "log2", "log10")},
    **{op: {"f": _POWER, "c": _found("power", "{x}, {y}")} for op in ("power", "float_power")},
    "log1p": {"f": {DIVIDE: "{x} == -1", INVALID: _NAN1}, "c": _complex("{x}.x == -1 && {x}.y == 0")},
    "arctanh": {"f": {DIVIDE: "fabs({x}) == 1", INVALID: _NAN1},
                "c": _complex("fabs({x}.x) == 1 && {x}.y == 0")},
    "arctan": {"c": _complex("fabs({x}.y) == 1 && {x}.x == 0")},
    "arcsinh": {"c": _PLAIN},
    "tanh": {"c": _complex(more={INVALID: "isnan({x}.x) && isinf({x}.y)"})},
    "sqrt": {"c": _PLAIN},
    "sign": {"c": _found("sign", "{x}")},
    "hypot": {"f": {OVERFLOW: _INF2}},
}  # fmt: skip
"""The same for functions of the device: what the function raises, not the steps of an algorithm."""

_TO_HALF = {OVERFLOW: "({r} & 0x7fff) == 0x7c00 && isfinite({x})",
            UNDERFLOW: "fabs({x}) < 6.103515625e-05f && f32_of_f16({r}) != {x} && {x} == {x}"}  # fmt: skip
_TO_I32 = {"f": "!({x} >= -2147483648.0f && {x} < 2147483648.0f)", "d": "!({x} > -2147483649.0 && {x} < 2147483648.0)"}
_TO_I64 = "!({x} >= -9223372036854775808.0f && {x} < 9223372036854775808.0f)"
_TO_U64 = "!({x} >= -9223372036854775808.0f && {x} < 18446744073709551616.0f)"


def of_cast(source: str, target: str) -> Mapping[int, str]:
    """Return the flag tests of a cast from float32 or float64 to a real dtype, given by their characters."""
    if target == "e":
        return _TO_HALF
    if target == "f" and source == "d":
        # tiny: below 2^-126 even after rounding; values in between round to 2^-126 but are still tiny
        return {OVERFLOW: _INF1, UNDERFLOW: "fabs({x}) < 1.1754943157898259e-38 && (f64){r} != {x} && {x} == {x}"}
    if target in "bBhHi":
        return {INVALID: _TO_I32[source]}
    if target in "Ilq":
        return {INVALID: _TO_I64}
    return {INVALID: _TO_U64} if target in "LQ" else {}
