"""Rewrite rules: a table of small rows, compiled for the matcher.

A row states that one expression may be computed as another. `exact` lists the dtypes for which results have the same
bits and the same warnings for all operands, signalling NaNs included: there the rule always applies. `fast` lists those
for which it holds for real numbers only: there it applies under ``config.fast_math``. A row with neither documents a
rule of other libraries that lazyarr lacks. Where float64 is excluded, `unlike` gives operands whose result would
change. `tests/compiler/test_rewrite_rules.py` checks all of it.

Patterns consist of ufuncs, ``where``, ``copy`` and ``cast``, variables (a repeated one is the same node) and the
numbers in `CONSTANTS`. The matcher (simplify.pyx) identifies loops by number, so the rules for a loop are looked up
here when it first occurs: one *variant* per dtype and per order of the operands of commutative operations.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.ir.const_guards import CONSTANTS
from lazyarr._core.ir.inner_loops import loop_number
from lazyarr._core.ir.loop_table import describe
from lazyarr._core.ir.own_ufuncs import ufunc_named
from lazyarr.ops.ufunc_rows import UFUNCS

Tree: TypeAlias = "str | float | tuple[Tree, ...]"
"""A variable, a number, or an operation: its name, then its operands."""
Item: TypeAlias = tuple[int, int, int]
"""A node of a pattern: its kind, its number, and the number of operands that follow."""
Variant: TypeAlias = tuple[int, bool, bool, tuple[Item, ...], tuple[Item, ...]]
"""A rule for one dtype, in the form that simplify.pyx reads."""

OPERATION, CONSTANT, VARIABLE, INNER = range(4)
MOST_ITEMS, MOST_VARIABLES = 8, 4
"""The matcher's limits for a pattern."""

INTS = "bhilqBHILQ"
FLOATS = "efdg"
COMPLEX = "FDG"
INEXACT = FLOATS + COMPLEX
ALL = "?" + INTS + INEXACT
SNAN = "a signalling NaN"
"""Arithmetic quiets it and reports an invalid value."""


class Rule(NamedTuple):
    """A row: `pattern` may be computed as `result`."""

    name: str
    pattern: str
    result: str
    exact: str = ""
    fast: str = ""
    why: str = ""
    unlike: Mapping[str, float | str] = {}
    tried: bool = False
    """Whether the rule depends on NumPy's version: it applies if NumPy agrees on test numbers."""



def having(*traits: str) -> tuple[str, ...]:
    """Return the ufuncs whose rows have these traits.

    Examples
    --------
    >>> having("idempotent", "truth")
    ('logical_and', 'logical_or')
    """
    return tuple([name for name, op in UFUNCS.items() if op.traits.issuperset(traits)])


ROUNDINGS, EXTREMA, COMPLEMENTS = having("rounding"), having("extremum"), having("complement")
OPPOSITES = {name: op.opposite for name, op in UFUNCS.items() if op.opposite is not None}
ORDERINGS = having("ordering")
INVERSES = {name: op.inverse for name, op in UFUNCS.items() if op.inverse is not None}

_SIGN_OF_NAN = "the sign of a NaN is visible in its bits"
_QUIET = "arithmetic quiets a signalling NaN"
_ROUNDS = "floats round at each operation"
_MODULAR = "integers are added and multiplied modulo a power of two"

RULES = (
    # neutral elements
    Rule("zero added", "add(x, 0)", "x", INTS + "?", INEXACT, "-0.0 + 0.0 is 0.0", {"x": -0.0}),
    Rule("zero subtracted", "subtract(x, 0)", "x", INTS, INEXACT, _QUIET, {"x": SNAN}),
    Rule("times one", "multiply(x, 1)", "x", INTS + "?", INEXACT, _QUIET, {"x": SNAN}),
    Rule("divided by one", "divide(x, 1)", "x", "", INEXACT, _QUIET, {"x": SNAN}),
    Rule("floor-divided by one", "floor_divide(x, 1)", "x", INTS, "", "floats are rounded down", {"x": 1.5}),
    Rule("shifted left by zero", "left_shift(x, 0)", "x", INTS),
    Rule("shifted right by zero", "right_shift(x, 0)", "x", INTS),
    Rule("or zero", "bitwise_or(x, 0)", "x", INTS + "?"),
    Rule("xor zero", "bitwise_xor(x, 0)", "x", INTS + "?"),
    Rule("and all bits", "bitwise_and(x, -1)", "x", INTS),
    Rule("and True, bit by bit", "bitwise_and(x, 1)", "x", "?"),
    Rule("and True", "logical_and(x, 1)", "x", "?"),
    Rule("or False", "logical_or(x, 0)", "x", "?"),
    Rule("xor False", "logical_xor(x, 0)", "x", "?"),
    # powers as NumPy's own loop computes them
    Rule("first power", "power(x, 1)", "x", INTS + "fd", "eg" + COMPLEX, "NumPy's loop copies float32 and float64",
         tried=True),
    Rule("second power", "power(x, 2)", "multiply(x, x)", INTS + "efd", "g" + COMPLEX,
         "NumPy's loop squares float32 and float64; float16 squares are exact before rounding",
         tried=True),
    Rule("power of one half", "power(x, 0.5)", "sqrt(x)", "fd", "eg" + COMPLEX, "NumPy takes roots", tried=True),
    Rule("power of minus one", "power(x, -1)", "reciprocal(x)", "fd", "eg" + COMPLEX, "NumPy divides", tried=True),
    # inverse and idempotent operations
    Rule("double negation", "negative(negative(x))", "x", INTS + INEXACT, "", "flips the sign, of NaN too"),
    Rule("double inversion", "invert(invert(x))", "x", INTS + "?"),
    Rule("double not", "logical_not(logical_not(x))", "x", "?"),
    Rule("double conjugate", "conjugate(conjugate(x))", "x", COMPLEX, "", "flips the sign of the imaginary part"),
    Rule("conjugate of what is real", "conjugate(x)", "x", INTS + FLOATS, "", "elements are copied"),
    Rule("plus sign", "positive(x)", "x", INTS + INEXACT, "", "elements are copied"),
    Rule("copy", "copy(x)", "x", ALL, "", "elements are read where they are"),
    Rule("double absolute", "absolute(absolute(x))", "absolute(x)", INTS + "efd", "g", "clears the sign, of NaN too"),
    Rule("double fabs", "fabs(fabs(x))", "fabs(x)", FLOATS, "", "clears the sign"),
    Rule("absolute of negative", "absolute(negative(x))", "absolute(x)", "bhilqefd", "g", "clears the sign"),
    Rule("fabs of negative", "fabs(negative(x))", "fabs(x)", FLOATS, "", "clears the sign"),
    Rule("double sign", "sign(sign(x))", "sign(x)", INTS + FLOATS, "", "NaN stays, zero becomes positive once"),
    *[Rule(f"{f} of whole numbers", f"{f}({g}(x))", f"{g}(x)", FLOATS, "", "the inner one quiets NaN already")
      for f in ROUNDINGS for g in ROUNDINGS],
    *[Rule(f"{f} of integers", f"{f}(x)", "x", INTS, "", "", {"x": 1.5})
      for f in ROUNDINGS if "l->l" in UFUNCS[f].function.types],
    # equal operands
    *[Rule(f"{f} of one", f"{f}(x, x)", "x", INTS, FLOATS, "loops may quiet a NaN") for f in EXTREMA],
    *[Rule(f"{f} of one", f"{f}(x, x)", "x", INTS + "?") for f in having("idempotent", "bits")],
    *[Rule(f"{f} of one", f"{f}(x, x)", "x", "?") for f in having("idempotent", "truth")],
    Rule("maximum and minimum", "minimum(maximum(x, y), z)", "clip(x, y, z)", INTS, FLOATS,
         "the sign of a zero depends on the memory layout of the bounds", {"x": 0.0, "y": -0.0, "z": 1.0}),
    # comparisons
    *[Rule(f"{no} {f}", f"{no}({f}(x, y))", f"{OPPOSITES[f]}(x, y)", INTS + "?", "", "comparisons with NaN are false",
           {"x": np.nan, "y": 0.0}) for f in ORDERINGS for no in COMPLEMENTS],
    *[Rule(f"{no} {f}", f"{no}({f}(x, y))", f"{g}(x, y)", INTS + "?", INEXACT,
           "an error from a signalling NaN would name another operation")
      for f, g in OPPOSITES.items() if f not in ORDERINGS for no in COMPLEMENTS],
    # selections
    Rule("where True", "where(1, x, y)", "x", ALL, "", "elements are copied"),
    Rule("where False", "where(0, x, y)", "y", ALL, "", "elements are copied"),
    Rule("where of one", "where(c, x, x)", "x", ALL, "", "elements are copied"),
    *[Rule(f"where {no}", f"where({no}(c), x, y)", "where(c, y, x)", ALL, "", "elements are copied")
      for no in COMPLEMENTS],
    Rule("truth of a choice", "not_equal(where(c, 1, 0), 0)", "c", ALL, "", "the numbers identify the choice"),
    Rule("untruth of a choice", "not_equal(where(c, 0, 1), 0)", "logical_not(c)", ALL, "",
         "the numbers identify the choice"),
    # signs
    Rule("negative added", "add(x, negative(y))", "subtract(x, y)", INTS, INEXACT, _SIGN_OF_NAN,
         {"x": 1.0, "y": np.nan}),
    Rule("negative subtracted", "subtract(x, negative(y))", "add(x, y)", INTS, INEXACT, _SIGN_OF_NAN,
         {"x": 1.0, "y": np.nan}),
    Rule("negative difference", "negative(subtract(x, y))", "subtract(y, x)", INTS, INEXACT, "-(1.0 - 1.0) is -0.0",
         {"x": 1.0, "y": 1.0}),
    Rule("product of negatives", "multiply(negative(x), negative(y))", "multiply(x, y)", INTS, INEXACT, _SIGN_OF_NAN,
         {"x": 1.0, "y": np.nan}),
    Rule("times minus one", "multiply(x, -1)", "negative(x)", INTS, INEXACT, _SIGN_OF_NAN, {"x": np.nan}),
    Rule("divided by minus one", "divide(x, -1)", "negative(x)", "", INEXACT, _SIGN_OF_NAN, {"x": np.nan}),
    Rule("square of negative", "square(negative(x))", "square(x)", INTS, INEXACT, _SIGN_OF_NAN, {"x": np.nan}),
    # chains of casts depend on all three dtypes: see _casts
    Rule("cast of a cast", "cast(cast(x))", "cast(x)", "?" + INTS + "fd", "",
         "if the first cast, of integers or bools, is exact"),
    # identities of real numbers that floats lack
    *[Rule(f"{f} of {g}", f"{f}({g}(x))", "x", "", FLOATS, _ROUNDS, {"x": x}) for f, (g, x) in INVERSES.items()],
    Rule("square of a root", "square(sqrt(x))", "x", "", FLOATS, _ROUNDS, {"x": 2.0}),
    Rule("product of a root", "multiply(sqrt(x), sqrt(x))", "x", "", FLOATS, _ROUNDS, {"x": 2.0}),
    Rule("root of a square", "sqrt(square(x))", "absolute(x)", "", "eg", "squares overflow", {"x": 1e200}),
    Rule("root of a product", "sqrt(multiply(x, x))", "absolute(x)", "", FLOATS, "squares overflow", {"x": 1e200}),
    Rule("product of roots", "multiply(sqrt(x), sqrt(y))", "sqrt(multiply(x, y))", "", FLOATS, _ROUNDS,
         {"x": -1.0, "y": -1.0}),
    Rule("product of exponentials", "multiply(exp(x), exp(y))", "exp(add(x, y))", "", INEXACT, _ROUNDS,
         {"x": 800.0, "y": -800.0}),
    Rule("quotient of exponentials", "divide(exp(x), exp(y))", "exp(subtract(x, y))", "", INEXACT, _ROUNDS,
         {"x": 800.0, "y": 800.0}),
    Rule("quotient divided", "divide(divide(x, y), z)", "divide(x, multiply(y, z))", "", INEXACT, _ROUNDS,
         {"x": 1e-300, "y": 1e-200, "z": 1e-200}),
    Rule("divided by a quotient", "divide(x, divide(y, z))", "divide(multiply(x, z), y)", "", INEXACT, _ROUNDS,
         {"x": 1e200, "y": 1e200, "z": 1e200}),
    Rule("common factor", "add(multiply(x, z), multiply(y, z))", "multiply(add(x, y), z)", "", INEXACT, _ROUNDS,
         {"x": 0.1, "y": 0.2, "z": 0.3}),
    Rule("common factor of a difference", "subtract(multiply(x, z), multiply(y, z))", "multiply(subtract(x, y), z)", "",
         INEXACT, _ROUNDS, {"x": 1e308, "y": -1e308, "z": 0.5}),
    Rule("common divisor", "add(divide(x, z), divide(y, z))", "divide(add(x, y), z)", "", INEXACT, _ROUNDS,
         {"x": 0.1, "y": 0.7, "z": 0.3}),
    Rule("added and subtracted", "subtract(add(x, y), y)", "x", INTS, INEXACT, _MODULAR, {"x": 1.0, "y": 1e20}),
    Rule("subtracted and added", "add(subtract(x, y), y)", "x", INTS, INEXACT, _MODULAR, {"x": 1.0, "y": 1e20}),
    Rule("multiplied and divided", "divide(multiply(x, y), y)", "x", "", INEXACT, _ROUNDS, {"x": 1.0, "y": 0.0}),
    Rule("divided and multiplied", "multiply(divide(x, y), y)", "x", "", INEXACT, _ROUNDS, {"x": 1.0, "y": 0.0}),
    # after the rules for squares
    Rule("square", "square(x)", "multiply(x, x)", "fd", "", "rounds once; products fuse with neighbouring operations"),
    # identities that no dtype with infinities or NaN has; nor is there a node for the constant
    Rule("times zero", "multiply(x, 0)", "0", why="inf * 0 is NaN", unlike={"x": np.inf}),
    Rule("less itself", "subtract(x, x)", "0", why="inf - inf is NaN", unlike={"x": np.inf}),
    Rule("divided by itself", "divide(x, x)", "1", why="0 / 0 is NaN", unlike={"x": 0.0}),
    Rule("zero divided", "divide(0, x)", "0", why="0 / 0 is NaN", unlike={"x": 0.0}),
    Rule("equal to itself", "equal(x, x)", "1", why="NaN is not equal to itself", unlike={"x": np.nan}),
)

_added: list[Rule] = []


def current() -> tuple[Rule, ...]:
    """Return the rules in force: the table's, followed by the user's (`lazyarr.rules`)."""
    return *RULES, *_added


def set_added(rules: list[Rule]) -> None:
    """Replace the user's rules; no other thread may evaluate meanwhile."""
    _added[:] = rules


COMMUTATIVE = frozenset(having("commutative"))
COMPARISONS = OPPOSITES.keys()
TRUTHS = COMPARISONS | having("truth")
MOVES = {"where": 3, "copy": 1}
"""Operations that only move elements, with their number of operands."""


def parse(text: str) -> Tree:
    """Parse an expression into a tree.

    Examples
    --------
    >>> parse("add(x, negative(-1))")
    ('add', 'x', ('negative', -1))
    """
    def tree(node: ast.expr) -> Tree:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return node.func.id, *map(tree, node.args)
        return node.id if isinstance(node, ast.Name) else ast.literal_eval(node)

    return tree(ast.parse(text, mode="eval").body)


def orders(tree: Tree) -> list[Tree]:
    """Return the tree with the operands of commutative operations in either order."""
    if not isinstance(tree, tuple):
        return [tree]
    found = [(tree[0], *operands) for operands in itertools.product(*map(orders, tree[1:]))]
    if tree[0] in COMMUTATIVE:
        found += [(name, b, a) for name, a, b in found]
    return list(dict.fromkeys(found))


def characters(tree: Tree, dtype: str) -> str:
    """Return the dtypes of an operation's operands and result, given the dtype of variables other than conditions."""
    assert isinstance(tree, tuple)
    name, *operands = tree
    result = result_of(tree, dtype)
    if name == "where":
        return "?" + 3 * dtype
    return len(operands) * (dtype if name in COMPARISONS else result) + result


def result_of(tree: Tree, dtype: str) -> str:
    """Return the dtype of an expression."""
    if not isinstance(tree, tuple) or tree[0] == "where":
        return dtype
    if tree[0] in TRUTHS:
        return "?"
    return result_of(tree[1], dtype)


def numbers(tree: Tree) -> Iterator[tuple[str, float]]:
    """Yield each constant in a tree with the name of the operation that reads it."""
    for operation in (tree, *inner(tree)):
        if isinstance(operation, tuple):
            yield from [(str(operation[0]), operand) for operand in operation[1:] if isinstance(operand, (int, float))]


def inner(tree: Tree) -> Iterator[Tree]:
    """Yield the operations below the root, in preorder."""
    if isinstance(tree, tuple):
        for operand in tree[1:]:
            if isinstance(operand, tuple):
                yield operand
                yield from inner(operand)


def items(tree: Tree, dtype: str, names: list[str]) -> tuple[Item, ...]:
    """Return a tree in the matcher's form, in preorder; append new variables to `names`.

    Raise KeyError if an operation has no loop for the dtype.
    """
    if isinstance(tree, str):
        if tree not in names:
            names.append(tree)
        return ((VARIABLE, names.index(tree), 0),)
    if not isinstance(tree, tuple):
        return ((CONSTANT, CONSTANTS[tree], 0),)
    loop = loop_number(str(tree[0]), characters(tree, dtype))
    if loop < 0:
        raise KeyError(tree[0])
    below = [item for place, operand in enumerate(tree[1:])
             for item in items(operand, "?" if tree[0] == "where" and place == 0 else dtype, names)]
    return (OPERATION, loop, len(tree) - 1), *below


_CAST = next(number for number, rule in enumerate(RULES) if rule.pattern == "cast(cast(x))")


def variants_of(loop: int) -> list[Variant]:
    """Return all variants of rules that apply to nodes of a loop."""
    name, chars = describe(loop)
    if loop_number(name, chars) != loop:  # a scalar loop, which reports overflow, or not NumPy's
        return []
    if name == "cast":
        return [*_casts(*chars)]
    found = []
    for number, rule in enumerate(current()):
        if not rule.pattern.startswith(f"{name}("):
            continue
        pattern, result = parse(rule.pattern), parse(rule.result)
        for dtype in rule.exact + rule.fast:
            if characters(pattern, dtype) != chars:
                continue
            if rule.tried and dtype in FLOATS and dtype in rule.exact and not agrees(pattern, result, dtype):
                continue
            made_anew = chars[-1] == "?" and isinstance(result, str) and name not in MOVES
            for tree in orders(pattern):
                names: list[str] = []
                below = [*inner(tree)]
                try:
                    taken = items(tree, dtype, names)
                    given = ((INNER, below.index(result), 0),) if result in below else items(result, dtype, names)
                except KeyError:
                    continue
                found.append((number, dtype in rule.fast, made_anew, taken, given))
    return found


def computed(tree: Tree, dtype: str, variables: Mapping[str, Any]) -> Any:
    """Evaluate an expression of ufuncs with NumPy; constants are scalars of the dtype."""
    if isinstance(tree, str):
        return variables[tree]
    if not isinstance(tree, tuple):
        return np.array(tree).astype(dtype)[()]
    function = ufunc_named(str(tree[0])) or getattr(np, str(tree[0]))
    return function(*[computed(operand, dtype, variables) for operand in tree[1:]])


def agrees(pattern: Tree, result: Tree, dtype: str) -> bool:
    """Return whether both give the same bits for zeros, infinities, NaNs and numbers of all magnitudes."""
    bits = np.random.default_rng(0).integers(0, 256, 16 * 1024, np.uint8).view(dtype)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0], dtype)
    x = np.concatenate([special, np.linspace(-4, 4, 1001, dtype=dtype), bits])
    with np.errstate(all="ignore"):
        a, b = (computed(tree, dtype, {"x": x}) for tree in (pattern, result))
    return a.tobytes() == b.tobytes()


def holds(wide: str, narrow: str) -> bool:
    """Return whether a dtype represents all values of a bool or integer dtype."""
    a, b = np.dtype(narrow), np.dtype(wide)
    if b.kind == "f" and a.kind in "iu":
        return bool(8 * a.itemsize - (a.kind == "i") <= np.finfo(b).nmant + 1)
    return np.can_cast(a, b, "safe")


def _casts(middle: str, target: str) -> Iterator[Variant]:
    """Yield casts of casts from bools or integers. A cast back from floats must have a target that holds all values."""
    variable = (VARIABLE, 0, 0)

    def cast(a: str, b: str) -> Item:
        return OPERATION, loop_number("cast", a + b), 1

    for source in "?" + INTS if target in RULES[_CAST].exact and middle not in COMPLEX else "":
        if middle == source or not holds(middle, source):
            continue
        if middle in FLOATS and target in INTS and not holds(target, source):
            continue
        result = (variable,) if source == target else (cast(source, target), variable)
        pattern = cast(middle, target), cast(source, middle), variable
        yield _CAST, False, source == target == "?", pattern, result


def marks_of(loop: int) -> tuple[int, int]:
    """Return bit sets of the constants that rules need as operands of a loop: for exact rules, and for all."""
    name, chars = describe(loop)
    exact = fast = 0
    for rule in current():
        if f"{name}(" not in rule.pattern:
            continue
        for operation, number in numbers(parse(rule.pattern)):
            if operation == name:
                exact |= (chars[-1] in rule.exact) << CONSTANTS[number]
                fast |= (chars[-1] in rule.exact + rule.fast) << CONSTANTS[number]
    return exact, fast


core.set_hook("marks", marks_of)
