"""Rules of how operators and ufuncs map dtypes, from which tests/generate_stubs.py writes overloads.

A rule has the operands' types and the result's. Operands are names of scalar types or type variables; `int`, `float`
and `complex` are Python numbers. The first matching rule of a family applies.
"""

import numpy as np

ANY = "Any"
SIGNED, UNSIGNED = "np.bool | np.signedinteger", "np.bool | np.unsignedinteger"
WHOLE, REAL, NUMBER = "np.bool | np.integer", "np.bool | np.integer | np.floating", "np.bool | np.number"
TO_FLOAT64 = "np.bool | np.integer | np.float16 | np.float32 | np.float64"
TO_COMPLEX128 = f"{TO_FLOAT64} | np.complex64 | np.complex128"
WIDE = "np.intp | np.int64 | np.int32 | np.uint64 | np.uint32"  # converted to float64
PYTHON = {"bool", "int", "float", "complex"}
# First of all: an array of unknown dtype has a result of unknown dtype. Only Any is compatible with Never. Arguments of
# calls have no such rule, because mypy would match it for arguments that are calls.
UNKNOWN = ("Never", "...", ANY)


def both(left, right, result):
    """Return a rule and its mirror image."""
    return [(left, right, result), (right, left, result)]


_KINDS = [*both("np.floating", REAL, "np.floating")]
_COMPLEX = [
    *both(TO_COMPLEX128, "np.complex128", "np.complex128"),
    *both("ComplexT", "complex", "ComplexT"),
]
_COMPLEX_KINDS = [
    *both("np.complexfloating", NUMBER, "np.complexfloating"),
    *both("np.float64", "complex", "np.complex128"),
    *both(WIDE, "complex", "np.complex128"),
    *both("np.floating", "complex", "np.complexfloating"),
]
_WHOLE = [
    *both(WHOLE, "float", "np.float64"),
    (UNSIGNED, UNSIGNED, "np.unsignedinteger"),
    (SIGNED, SIGNED, "np.signedinteger"),
]
_FLOAT64 = [*both(TO_FLOAT64, "np.float64", "np.float64")]
_BOOL = [*both("np.bool", "bool", "np.bool"), ("np.bool", "np.bool", "np.bool"), *both("np.bool", "int", "np.intp")]
# Checkers treat the pointer-sized integer as a separate class, compatible with both int32 and int64.
_POINTER = [("np.intp", "np.intp", "np.intp"), ("np.uintp", "np.uintp", "np.uintp")]
_ARITHMETIC = [
    ("SameNumberT", "SameNumberT", "SameNumberT"), *_POINTER, *both("NumberT", "int", "NumberT"), *_FLOAT64,
    *both("InexactT", "float", "InexactT"), *_COMPLEX]
_TAIL = [*_WHOLE, *_KINDS, *_COMPLEX_KINDS]
_TIME = [("np.datetime64", "np.datetime64", "np.timedelta64")]
_DURATION = [("np.timedelta64", "np.timedelta64", "np.timedelta64"), *both("np.timedelta64", "int", "np.timedelta64")]
_DATE = [*both("np.datetime64", "np.timedelta64", "np.datetime64"), *both("np.datetime64", "int", "np.datetime64")]

BINARY = {
    "Arithmetic": [*_ARITHMETIC, *_BOOL, *_TAIL, *_DURATION, *_DATE],
    "Subtraction": [*_ARITHMETIC, *_TAIL, *_TIME, *_DURATION, *_DATE[::2]],
    "Power": [*_ARITHMETIC, ("np.bool", "np.bool", "np.int8"), *_TAIL],
    "Remainder": [("SameNumberT", "SameNumberT", "SameNumberT"), *_POINTER, *both("NumberT", "int", "NumberT"),
                  *_FLOAT64, *both("FloatingT", "float", "FloatingT"), ("np.bool", "np.bool", "np.int8"), *_WHOLE,
                  *_KINDS],
    "Division": [("SameInexactT", "SameInexactT", "SameInexactT"), *both("InexactT", "int", "InexactT"), *_FLOAT64,
                 *both("InexactT", "float", "InexactT"), *_COMPLEX, *both(WHOLE, "float", "np.float64"),
                 (WHOLE, WHOLE, "np.float64"), *_KINDS, *_COMPLEX_KINDS],
    "FloatPower": [*both(TO_FLOAT64, "float", "np.float64"), (TO_FLOAT64, TO_FLOAT64, "np.float64"),
                   *both(TO_COMPLEX128, "complex", "np.complex128"), (TO_COMPLEX128, TO_COMPLEX128, "np.complex128")],
    "FloatPair": [("SameFloatingT", "SameFloatingT", "SameFloatingT"), *both("FloatingT", "int", "FloatingT"),
                  *_FLOAT64, *both("FloatingT", "float", "FloatingT"), *both(WIDE, "float", "np.float64"),
                  (WIDE, WIDE, "np.float64"), (REAL, REAL, "np.floating"), *both(REAL, "float", "np.floating")],
    "Scaling": [("FloatingT", WHOLE, "FloatingT"), ("FloatingT", "int", "FloatingT"), ("float", WHOLE, "np.floating"),
                (WIDE, WHOLE, "np.float64"), (WIDE, "int", "np.float64"), (REAL, WHOLE, "np.floating")],
    "Comparison": [("...", "...", "np.bool")],
    "Bitwise": [("SameIntegerT", "SameIntegerT", "SameIntegerT"), *_POINTER, *both("IntegerT", "int", "IntegerT"),
                *_BOOL, (UNSIGNED, UNSIGNED, "np.unsignedinteger"), (SIGNED, SIGNED, "np.signedinteger"),
                (WHOLE, WHOLE, ANY)],
    "Shift": [("SameIntegerT", "SameIntegerT", "SameIntegerT"), *_POINTER, *both("IntegerT", "int", "IntegerT"),
              ("np.bool", "np.bool", "np.int8"), *both("np.bool", "int", "np.intp"),
              (UNSIGNED, UNSIGNED, "np.unsignedinteger"), (SIGNED, SIGNED, "np.signedinteger"), (WHOLE, WHOLE, ANY)],
    "Divisor": [("SameIntegerT", "SameIntegerT", "SameIntegerT"), *_POINTER, *both("IntegerT", "int", "IntegerT"),
                (UNSIGNED, UNSIGNED, "np.unsignedinteger"), (SIGNED, SIGNED, "np.signedinteger")],
    "Product": [("SameNumberT", "SameNumberT", "SameNumberT"), *_POINTER, ("np.bool", "np.bool", "np.bool"), *_FLOAT64,
                *both(TO_COMPLEX128, "np.complex128", "np.complex128"), *_WHOLE[2:], *_KINDS,
                *both("np.complexfloating", NUMBER, "np.complexfloating")],
}
# Families of numbers only: everything else is an error.
STRICT = {"Bitwise", "Shift", "FloatPair", "FloatPower", "Scaling"}
UNARY = {
    "Predicate": [("...", "np.bool")],
    "Absolute": [("float", "np.float64"), ("FloatingT", "FloatingT"), ("np.bool", "np.bool"),
                 ("np.complex128", "np.float64"),
                 ("np.complex64", "np.float32"), ("np.complexfloating", "np.floating"), ("NumberT", "NumberT"),
                 ("np.timedelta64", "np.timedelta64")],
    "Rounding": [("float", "np.float64"), ("np.bool", "np.bool"), ("IntegerT", "IntegerT"),
                 ("FloatingT", "FloatingT")],
    "BitwiseNot": [("np.bool", "np.bool"), ("IntegerT", "IntegerT"), ("int", "np.intp")],
    "BitCount": [("int", "np.uint8"), (WHOLE, "np.uint8")],
    "Squaring": [("int", "np.intp"), ("float", "np.float64"), ("complex", "np.complex128"), ("np.bool", "np.int8"),
                 ("NumberT", "NumberT")],
    "Sign": [("int", "np.intp"), ("float", "np.float64"), ("complex", "np.complex128"), ("NumberT", "NumberT"),
             ("np.timedelta64", "np.timedelta64")],
    "FloatFunction": [("float", "np.float64"), ("complex", "np.complex128"), ("InexactT", "InexactT"),
                      (WIDE, "np.float64"), (WHOLE, "np.floating")],
    "RealFunction": [("float", "np.float64"), ("FloatingT", "FloatingT"), (WIDE, "np.float64"),
                     (WHOLE, "np.floating")],
    "TimePredicate": [("...", "np.bool")],
}
UNARY_STRICT = {"BitwiseNot", "BitCount", "RealFunction", "FloatFunction", "Rounding"}


def family_of(ufunc):
    """Return the family of a ufunc, by its loops; None if there is none."""
    codes = "?bhilBHILefdgFDG"
    found = {}
    for code in codes:
        try:
            made = ufunc.resolve_dtypes((np.dtype(code),) * ufunc.nin + (None,) * ufunc.nout)
        except TypeError:
            continue
        if "O" in [dtype.char for dtype in made]:   # no loop; NumPy caches the object loop once `out` has objects
            continue
        found[code] = "".join(dtype.char for dtype in made[ufunc.nin:])
    by_loops = _ONE if ufunc.nin == 1 else _TWO
    if ufunc.signature is not None:
        return "Product"
    return by_loops.get("".join(f"{code}{found.get(code, '')} " for code in "?biFd"), None)


_ONE = {
    "? b i F d ": "TimePredicate",
    "?? b? i? F? d? ": "Predicate", "?? b? i? F d? ": "Predicate",
    "?? bb ii Ff dd ": "Absolute", "?? bb ii F dd ": "Rounding", "?? bb ii F d ": "BitwiseNot",
    "?B bB iB F d ": "BitCount", "?b bb ii FF dd ": "Squaring", "? bb ii FF dd ": "Sign",
    "?e be id FF dd ": "FloatFunction", "?e be id F dd ": "RealFunction",
    "?ee bee idd F ddd ": "Fraction", "?ei bei idi F ddi ": "Exponent",
}
_TWO = {
    "?? b? i? F? d? ": "Comparison", "?? bb ii FF dd ": "Arithmetic", "?? bb ii F d ": "Bitwise",
    "?b bb ii FF dd ": "Power", "?b bb ii F dd ": "Remainder", "?b bb ii F d ": "Shift",
    "?d bd id FD dd ": "FloatPower", "?e be id F dd ": "FloatPair", "? bb ii FF dd ": "Subtraction",
    "? bb ii F d ": "Divisor", "?bb bbb iii F ddd ": "DivMod",
}
# Families that these loops do not distinguish.
_SPECIAL = {"divide": "Division", "ldexp": "Scaling"}


def family(ufunc):
    """Return the family of rules of a ufunc."""
    found = _SPECIAL.get(ufunc.__name__) or family_of(ufunc)
    if found is None:
        raise LookupError(f"{ufunc.__name__} maps dtypes as no family of tests/support/stub_rules.py")
    return found
