"""Derivatives of ufuncs: expressions in their rows, compiled to programs for the core."""
import ast
import functools

import numpy as np

from lazyarr._core.transforms import vjp
from lazyarr.ops.ufunc_rows import UFUNCS

_OPERATORS = {ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.divide, ast.USub: np.negative,
              ast.Eq: np.equal, ast.Lt: np.less, ast.Gt: np.greater}
_PLACES = {"g": 0, "out": 1, "x": 2, "y": 3, "z": 4}


def compiled(expression, operands):
    """Return (instructions, constants, index of the result) of an expression for the core; None for zero.

    Examples
    --------
    >>> compiled("g * cos(x)", 1)
    ([(<ufunc 'cos'>, (2,)), (<ufunc 'multiply'>, (0, 3))], (), 4)
    """
    if expression == "0":
        return None
    instructions, constants = [], []

    def place(tree):
        if isinstance(tree, ast.Name):
            return _PLACES[tree.id]
        if isinstance(tree, ast.Constant):
            constants.append(tree.value)
            return -len(constants)
        if isinstance(tree, ast.Call):
            function = None if tree.func.id == "where" else UFUNCS[tree.func.id].function
            parts = tree.args
        elif isinstance(tree, ast.Compare):
            function, parts = _OPERATORS[type(tree.ops[0])], [tree.left, tree.comparators[0]]
        elif isinstance(tree, ast.UnaryOp):
            function, parts = _OPERATORS[type(tree.op)], [tree.operand]
        else:
            function, parts = _OPERATORS[type(tree.op)], [tree.left, tree.right]
        instructions.append((function, tuple([place(part) for part in parts])))
        return 1 + operands + len(instructions)

    result = place(ast.parse(expression, mode="eval").body)
    return instructions, tuple(constants), result


@functools.cache
def install():
    """Register the derivatives of all rows with the core."""
    for name, op in UFUNCS.items():
        stated = op.derivative if isinstance(op.derivative, dict) else {None: op.derivative}
        for result, expressions in stated.items():
            if expressions is not None:
                vjp.add_rule(name if result is None else (name, result), _programs(expressions))
        if op.of_complex is not None:
            vjp.add_rule((name, "of complex"), _programs(op.of_complex))


def _programs(expressions):
    return [compiled(expression, len(expressions)) for expression in expressions]
