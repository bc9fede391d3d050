"""User-defined rewrite rules: `lazyarr.rules.add("subtract(x, negative(y))", "add(x, y)", fast="float64")`.

A rule replaces one expression by another. It is tested on numbers of all kinds when it is added, and applies to all
plans made after that, in all threads, after lazyarr's own rules (docs/rules.md).
"""
from __future__ import annotations

import ast
import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from lazyarr._core import api as core
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr._core.ir import const_guards
from lazyarr._core.ir.own_ufuncs import ufunc_named
from lazyarr._core.runtime import memo, plan_cache
from lazyarr._core.runtime.evaluation_lock import held
from lazyarr.compiler import rewrite_rules
from lazyarr.compiler.rewrite_rules import CONSTANTS, MOST_ITEMS, MOST_VARIABLES, MOVES, Rule, Tree
from lazyarr.compiler.simplify import forget_rules
from lazyarr.creation import asarray
from lazyarr.inspect.explain import explain

__all__ = ["Rule", "add", "known", "remove"]

_Arrays: TypeAlias = Mapping[str, Any]
_LENGTH, _COMBINATIONS = 4096, 2000
_PRECISION = 512
"""The largest difference of both sides of a `fast` rule, in units in the last place of 1, for operands of 0.5 to 2."""


@api_boundary
def add(
    pattern: str, result: str, *, exact: npt.DTypeLike | Sequence[npt.DTypeLike] = (),
    fast: npt.DTypeLike | Sequence[npt.DTypeLike] = (), name: str | None = None, why: str = "",
) -> Rule:
    """Add a rewrite rule, which replaces an expression in all plans made from now on.

    Parameters
    ----------
    pattern : str
        The expression: calls of elementwise ufuncs, ``where`` and ``copy`` on variables and the numbers 0, 1, 2, -1 and
        0.5. A variable that occurs twice is the same array. All variables have the same dtype, except conditions of
        ``where``. Operands are matched in simplified form: ``square(x)`` of float64 is ``multiply(x, x)`` by then.
        Operands of commutative ufuncs match in either order.
    result : str
        The replacement: a variable, an operation of the pattern, or a ufunc of variables, one of which may be a ufunc
        of variables itself.
    exact : dtype or sequence of dtypes
        Dtypes for which both sides have the same bits and floating-point errors, whatever the operands.
    fast : dtype or sequence of dtypes
        Dtypes for which both sides may differ in rounding, overflow, NaN and the sign of zero. The rule applies to
        these only under `config.fast_math`.
    name : str, optional
        The name of the rule in ``lazyarr.explain(x).rewrites``; the pattern by default.
    why : str, optional
        A reason, for readers.

    Returns
    -------
    Rule

    Raises
    ------
    ValueError
        If an expression is invalid, if both sides differ for one of the dtypes, if the rule applies to its own result
        or never applies, or if its name is taken.

    See Also
    --------
    remove, known

    Examples
    --------
    >>> import numpy as np
    >>> import lazyarr as la
    >>> rule = la.rules.add("bitwise_and(bitwise_or(x, y), x)", "x", exact=np.int64, name="absorption")
    >>> x = la.arange(6)
    >>> y = ((x | 3) & x) + 1
    >>> la.explain(y).rewrites
    Counter({'absorption': 1})
    >>> la.rules.remove("absorption")
    """
    exact_dtypes, fast_dtypes = _characters(exact), _characters(fast)
    rule = Rule(pattern if name is None else name, pattern, result, exact_dtypes, fast_dtypes, why)
    trees = _understood(pattern), _understood(result)
    if not exact_dtypes + fast_dtypes or set(exact_dtypes) & set(fast_dtypes):
        raise ValueError(f"{rule.name}: name the dtypes that it holds for, each in `exact` or in `fast`")
    _check_form(rule, *trees)
    for dtype in exact_dtypes + fast_dtypes:
        _check_values(rule, *trees, dtype)
    with held():
        before = _added()
        if any(rule.name == other.name for other in known()):
            raise ValueError(f"there is a rule {rule.name!r}")
        _put_in_force([*before, rule])
        try:
            for dtype in exact_dtypes + fast_dtypes:
                if not _is_applied(rule, *trees, dtype):
                    raise ValueError(f"{rule.name}: never applies to {np.dtype(dtype)}, as other rules change "
                                     f"{pattern} or its operands first")
        except BaseException:
            _put_in_force(before)
            raise
    return rule


@api_boundary
def remove(name: str) -> None:
    """Remove a rule that was added.

    Parameters
    ----------
    name : str

    Raises
    ------
    ValueError
        If no rule of this name was added.
    """
    with held():
        added = _added()
        left = [rule for rule in added if rule.name != name]
        if len(left) == len(added):
            raise ValueError(f"no rule {name!r} was added")
        _put_in_force(left)


@api_boundary
def known() -> tuple[Rule, ...]:
    """List the rules in the order in which they are tried: lazyarr's own, then added ones.

    Returns
    -------
    tuple of Rule

    Examples
    --------
    >>> import lazyarr as la
    >>> la.rules.known()[0].name
    'zero added'
    """
    return rewrite_rules.current()


def _added() -> list[Rule]:
    return [*known()[len(rewrite_rules.RULES):]]


def _put_in_force(rules: list[Rule]) -> None:
    """Replace the users' rules, and clear the plans made with the old ones."""
    rewrite_rules.set_added(rules)
    forget_rules()
    const_guards.forget_marks()
    plan_cache.clear()
    memo.clear()


# ---- form ----------------------------------------------------------------------------------------------


def _characters(dtypes: npt.DTypeLike | Sequence[npt.DTypeLike]) -> str:
    """Return NumPy's type characters of dtypes."""
    given: Any = dtypes if isinstance(dtypes, list | tuple) else [dtypes]
    found = "".join(dict.fromkeys([np.dtype(dtype).char for dtype in given]))
    unknown = set(found) - set(rewrite_rules.ALL)
    if unknown:
        raise ValueError(f"rules are about bools, integers, floats and complex numbers, not {np.dtype(unknown.pop())}")
    return found


def _understood(text: str) -> Tree:
    """Parse an expression of ufuncs, `where`, `copy`, variables and the numbers that rules may use."""
    try:
        tree = rewrite_rules.parse(text)
        nodes = [*ast.walk(ast.parse(text))]
    except (SyntaxError, ValueError) as error:
        raise ValueError(f"{text!r} is no expression of calls, variables and numbers") from error
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    if any(isinstance(node, ast.keyword) for node in nodes):
        raise ValueError(f"{text}: operands have no keywords")
    for part in _parts(tree):
        if isinstance(part, tuple):
            name, count = part[0], len(part) - 1
            wanted = MOVES.get(str(name)) or _operands(ufunc_named(str(name)))
            if not wanted:
                raise ValueError(f"{text}: {name} is no elementwise ufunc with one result")
            if wanted != count:
                raise ValueError(f"{text}: {name} has {wanted} operands, not {count}")
        elif isinstance(part, str):
            if part not in names:
                raise ValueError(f"{text}: {part!r} is no variable")
        elif type(part) not in (int, float) or part not in CONSTANTS:
            raise ValueError(f"{text}: rules may name the numbers {', '.join(map(str, CONSTANTS))}, not {part}")
    return tree


def _operands(function: Any) -> int:
    """Return the number of operands of an elementwise ufunc; 0 for other objects."""
    is_elementwise = isinstance(function, np.ufunc) and function.signature is None and function.nout == 1
    return function.nin if is_elementwise else 0


def _parts(tree: Tree) -> Iterator[Tree]:
    """Yield a tree and all its subtrees."""
    yield tree
    if isinstance(tree, tuple):
        for operand in tree[1:]:
            yield from _parts(operand)


def _variables(tree: Tree) -> set[str]:
    return {part for part in _parts(tree) if isinstance(part, str)}


def _check_form(rule: Rule, pattern: Tree, result: Tree) -> None:
    """Raise ValueError for expressions that the matcher does not support, and for rules that apply to their result."""
    if not isinstance(pattern, tuple):
        raise ValueError(f"{rule.pattern}: a pattern is a call")
    names = _variables(pattern)
    if len(names) > MOST_VARIABLES or len([*_parts(pattern)]) > MOST_ITEMS:
        raise ValueError(f"{rule.pattern}: at most {MOST_VARIABLES} variables and {MOST_ITEMS} names and numbers")
    if not _variables(result) <= names:
        raise ValueError(f"{rule.result}: not all variables are in {rule.pattern}")
    if isinstance(result, tuple) and result not in [*rewrite_rules.inner(pattern)]:
        nested = [operand for operand in result[1:] if isinstance(operand, tuple)]
        operands = [*result[1:], *itertools.chain(*[operation[1:] for operation in nested])]
        if len(nested) > 1 or sum(not isinstance(operand, str) for operand in operands) > len(nested):
            raise ValueError(f"{rule.result}: a result is a variable, an operation of the pattern, or an operation on "
                             "variables, one of which may be an operation on variables itself")
        if nested and not [*rewrite_rules.inner(pattern)]:
            raise ValueError(f"{rule.result}: {rule.pattern} has one operation, the result has two")
        if _variables(result) != names:
            raise ValueError(f"{rule.result}: leaves out a variable, whose shape the result has")
    elif not isinstance(result, str | tuple):
        raise ValueError(f"{rule.result}: no array of the pattern has this number")
    if any(_unified(order, part, {}) for order in rewrite_rules.orders(pattern) for part in _parts(result)):
        raise ValueError(f"{rule.result}: the rule would apply to its own result for ever")


def _unified(pattern: Tree, tree: Tree, bound: dict[str, Tree]) -> bool:
    """Return whether a pattern matches a tree whose variables are arrays."""
    if isinstance(pattern, str):
        return bound.setdefault(pattern, tree) == tree
    if not isinstance(pattern, tuple) or not isinstance(tree, tuple):
        return pattern == tree
    return pattern[0] == tree[0] and len(pattern) == len(tree) and all(
        _unified(a, b, bound) for a, b in zip(pattern[1:], tree[1:], strict=True))


# ---- values --------------------------------------------------------------------------------------------


def _check_values(rule: Rule, pattern: Tree, result: Tree, dtype: str) -> None:
    """Raise ValueError if both sides differ for operands of a dtype."""
    dtypes: dict[str, str] = {}
    for tree in (pattern, result):
        try:
            rewrite_rules.items(tree, dtype, [])
        except KeyError as error:
            raise ValueError(f"{rule.name}: {error.args[0]} has no loop for {np.dtype(dtype)}") from error
        _note_dtypes(rule, tree, dtype, dtypes)
    if rewrite_rules.result_of(pattern, dtype) != rewrite_rules.result_of(result, dtype):
        raise ValueError(f"{rule.name}: both sides have different dtypes")
    draw = np.random.default_rng(0)
    operands = _exact_operands if dtype in rule.exact else _fast_operands
    for arrays in operands(draw, dtypes):
        (expected, told), (got, also_told) = (_computed(tree, dtype, arrays) for tree in (pattern, result))
        same = _same_bits(expected, got) if dtype in rule.exact else _near(expected, got)
        if not same.all():
            place = np.flatnonzero(~same)[0]
            shown = ", ".join(f"{name} = {array[place]!r}" for name, array in arrays.items())
            values = [f"{value!r} ({value.tobytes().hex()})" for value in (expected[place], got[place])]
            raise ValueError(f"{rule.name}: for {shown}, {rule.pattern} is {values[0]}, {rule.result} {values[1]}")
        if dtype in rule.exact and told != also_told:
            shown = ", ".join(f"{name} = {array[0]!r}" for name, array in arrays.items())
            raise ValueError(f"{rule.name}: for {shown}, {rule.pattern} reports {sorted(told) or 'nothing'}, "
                             f"{rule.result} {sorted(also_told) or 'nothing'}")


def _note_dtypes(rule: Rule, tree: Tree, dtype: str, dtypes: dict[str, str]) -> None:
    """Record the dtypes of the variables in a tree of a dtype."""
    if isinstance(tree, str):
        if dtypes.setdefault(tree, dtype) != dtype:
            raise ValueError(f"{rule.name}: {tree} is a condition, and a number elsewhere")
    elif isinstance(tree, tuple):
        for place, operand in enumerate(tree[1:]):
            _note_dtypes(rule, operand, "?" if tree[0] == "where" and place == 0 else dtype, dtypes)


def _computed(tree: Tree, dtype: str, arrays: _Arrays) -> tuple[Any, set[str]]:
    """Return NumPy's value of an expression, and the floating-point errors that it raised."""
    told: set[str] = set()
    with np.errstate(all="call", call=lambda error, flag: told.add(error)):
        return np.broadcast_to(rewrite_rules.computed(tree, dtype, arrays), next(iter(arrays.values())).shape), told


def _exact_operands(draw: np.random.Generator, dtypes: Mapping[str, str]) -> Iterator[_Arrays]:
    """Yield arrays of random bits and special numbers, in several layouts, then special numbers one by one."""
    drawn = {name: _drawn(draw, dtype) for name, dtype in dtypes.items()}
    for part in (slice(None), slice(None, None, 2), slice(None, None, -1)):
        yield {name: array[part] for name, array in drawn.items()}
    special = {name: _special(dtype) for name, dtype in dtypes.items()}
    combinations = [*itertools.product(*[range(len(numbers)) for numbers in special.values()])]
    draw.shuffle(combinations)
    for chosen in combinations[:_COMBINATIONS]:
        yield {name: special[name][place:place + 1] for name, place in zip(special, chosen, strict=True)}


def _fast_operands(draw: np.random.Generator, dtypes: Mapping[str, str]) -> Iterator[_Arrays]:
    """Yield an array of numbers from 0.5 to 2 for each variable."""
    yield {name: (draw.uniform(0.5, 2, _LENGTH) if dtype in rewrite_rules.INEXACT
                  else draw.integers(1, 2 if dtype == "?" else 5, _LENGTH)).astype(dtype)
           for name, dtype in dtypes.items()}


def _special(dtype: str) -> np.ndarray:
    """Return special numbers of a dtype: zeros, extremes, infinities, NaN."""
    if dtype == "?":
        return np.array([False, True])
    if dtype in rewrite_rules.INTS:
        limits = np.iinfo(dtype)
        return np.array([0, 1, 2, 3, limits.max, limits.max - 1, limits.min, limits.min + 1], dtype)
    real = np.dtype(dtype).type(0).real.dtype
    found = np.finfo(real)
    numbers = np.array([0, -0.0, 1, -1, 0.5, 2, 1e3, -2.5, np.inf, -np.inf, np.nan, -np.nan, found.max, found.min,
                        found.tiny, -found.smallest_subnormal], real)
    if dtype in "efd":
        kind = np.dtype(f"u{real.itemsize}")
        signalling = (np.array(np.inf, real).view(kind) | kind.type(1)).view(real)
        numbers = np.append(numbers, signalling)
    if dtype not in rewrite_rules.COMPLEX:
        return numbers
    made = np.empty(2 * numbers.size, dtype)
    made.real, made.imag = np.tile(numbers, 2), np.append(np.zeros(numbers.size, real), np.roll(numbers, 5))
    return made


def _drawn(draw: np.random.Generator, dtype: str) -> np.ndarray:
    """Return an array of random bits and many special numbers."""
    special = _special(dtype)
    if dtype in "?gG":  # the bits of these that mean something are not all
        numbers = draw.normal(size=_LENGTH).astype(dtype)
    else:
        numbers = np.frombuffer(draw.bytes(_LENGTH * np.dtype(dtype).itemsize), dtype)
    return np.where(draw.random(_LENGTH) < 0.4, draw.choice(special, _LENGTH), numbers)


def _same_bits(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return whether elements have the same bits, without the padding of extended precision."""
    size = a.dtype.itemsize
    rows = [np.ascontiguousarray(array).view(np.uint8).reshape(len(array), size) for array in (a, b)]
    equal = rows[0] == rows[1]
    if a.dtype.char in "gG" and np.finfo(np.longdouble).nmant == 63:
        equal = equal.reshape(len(a), -1, 16)[..., :10].reshape(len(a), -1)
    return equal.all(axis=1)


def _near(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return whether elements are equal up to rounding."""
    if a.dtype.kind not in "fc":
        return a == b
    return np.isclose(a, b, rtol=_PRECISION * float(np.finfo(a.dtype).eps), atol=0)


def _is_applied(rule: Rule, pattern: Tree, result: Tree, dtype: str) -> bool:
    """Return whether a plan for lazy arrays of a dtype applies the rule, with operands evaluated that it drops."""
    dtypes: dict[str, str] = {}
    _note_dtypes(rule, pattern, dtype, dtypes)
    before = core.get_fast_math()
    core.set_fast_math(dtype in rule.fast)
    try:
        arrays = {name: asarray(np.ones(3, char)) for name, char in dtypes.items()}
        for name in _variables(result):
            if dtypes[name] == "?":  # of a ufunc, whose bools are truth values
                arrays[name] = np.logical_and(arrays[name], asarray(np.ones(3, bool)))
        with np.errstate(all="ignore"):
            made = rewrite_rules.computed(pattern, dtype, arrays)
            read_first = functools.reduce(np.logical_or, [np.not_equal(array, array) for array in arrays.values()])
            return bool(explain(np.where(read_first, made, made[::-1])).rewrites[rule.name])
    finally:
        core.set_fast_math(before)
