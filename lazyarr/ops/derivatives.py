"""Derivatives of elementwise operations: a row for each ufunc, an expression for each operand.

`g` is the cotangent of the result `out`, and `x`, `y`, `z` are the operands; what an expression gives is the operand's
cotangent. Functions are NumPy's ufuncs, and `where` chooses. `0` says that the derivative is zero where there is one.
Rows are compiled when the first derivative is taken.

The expressions are of complex derivatives, unconjugated; where a function of complex numbers has none, a row of its own
says what becomes of real and imaginary parts.
"""
import ast
import functools
import math

import numpy as np

from lazyarr._core.transforms import vjp

_LN2, _LN10 = math.log(2), math.log(10)

ROWS: dict[str | tuple[str, int], tuple[str, ...]] = {
    # arithmetic
    "positive": ("g",),
    "negative": ("-g",),
    "add": ("g", "g"),
    "subtract": ("g", "-g"),
    "multiply": ("g * y", "g * x"),
    "divide": ("g / y", "-g * out / y"),
    "reciprocal": ("-g * out * out",),
    "square": ("g * (2 * x)",),
    "sqrt": ("g / (2 * out)",),
    "cbrt": ("g / (3 * out * out)",),
    "power": ("g * (y * power(where(y == 0, where(absolute(x) > 0, x, 1), x), y - 1))",
              "g * (out * log(where(x == 0, 1, x)))"),
    "float_power": ("g * (y * float_power(where(y == 0, where(absolute(x) > 0, x, 1), x), y - 1))",
                    "g * (out * log(where(x == 0, 1, x)))"),
    "remainder": ("g", "-g * floor_divide(x, y)"),
    "fmod": ("g", "-g * trunc(x / y)"),
    "hypot": ("g * where(out == 0, 0, x / where(out == 0, 1, out))",
              "g * where(out == 0, 0, y / where(out == 0, 1, out))"),
    "absolute": ("g * sign(x)",),
    "fabs": ("g * sign(x)",),
    "copysign": ("g * (sign(x) * copysign(1.0, y))", "0"),
    "conjugate": ("conjugate(g)",),
    # steps, flat on both sides
    "sign": ("0",),
    "rint": ("0",),
    "floor": ("0",),
    "ceil": ("0",),
    "trunc": ("0",),
    "floor_divide": ("0", "0"),
    "heaviside": ("0", "where(x == 0, g, 0)"),
    # choices; those that tie share alike
    "maximum": ("where(x == y, g / 2, where(x == out, g, 0))", "where(x == y, g / 2, where(y == out, g, 0))"),
    "minimum": ("where(x == y, g / 2, where(x == out, g, 0))", "where(x == y, g / 2, where(y == out, g, 0))"),
    "fmax": ("where(x == y, g / 2, where(x == out, g, 0))", "where(x == y, g / 2, where(y == out, g, 0))"),
    "fmin": ("where(x == y, g / 2, where(x == out, g, 0))", "where(x == y, g / 2, where(y == out, g, 0))"),
    "clip": ("where(x == out, where(y > z, 0, g), 0)", "where(x < y, where(y == out, g, 0), 0)",
             "where(maximum(x, y) > z, g, 0)"),
    # exponentials and logarithms
    "exp": ("g * out",),
    "exp2": (f"g * (out * {_LN2!r})",),
    "expm1": ("g * (out + 1)",),
    "log": ("g / x",),
    "log2": (f"g / (x * {_LN2!r})",),
    "log10": (f"g / (x * {_LN10!r})",),
    "log1p": ("g / (x + 1)",),
    "logaddexp": ("g * where(isinf(out), where(x == y, 0.5, where(x == out, 1, 0)), exp(x - out))",
                  "g * where(isinf(out), where(x == y, 0.5, where(y == out, 1, 0)), exp(y - out))"),
    "logaddexp2": ("g * where(isinf(out), where(x == y, 0.5, where(x == out, 1, 0)), exp2(x - out))",
                   "g * where(isinf(out), where(x == y, 0.5, where(y == out, 1, 0)), exp2(y - out))"),
    # angles
    "sin": ("g * cos(x)",),
    "cos": ("-g * sin(x)",),
    "tan": ("g * (out * out + 1)",),
    "arcsin": ("g / sqrt(1 - x * x)",),
    "arccos": ("-g / sqrt(1 - x * x)",),
    "arctan": ("g / (x * x + 1)",),
    "arctan2": ("g * (y / (x * x + y * y))", "-g * (x / (x * x + y * y))"),
    "sinh": ("g * cosh(x)",),
    "cosh": ("g * sinh(x)",),
    "tanh": ("g * (1 - out * out)",),
    "arcsinh": ("g / sqrt(x * x + 1)",),
    "arccosh": ("g / (sqrt(x - 1) * sqrt(x + 1))",),
    "arctanh": ("g / (1 - x * x)",),
    "degrees": (f"g * {180 / math.pi!r}",),
    "rad2deg": (f"g * {180 / math.pi!r}",),
    "radians": (f"g * {math.pi / 180!r}",),
    "deg2rad": (f"g * {math.pi / 180!r}",),
    "ldexp": ("ldexp(g, y)", "0"),
    # of scipy.special
    "erf": (f"g * (exp(-x * x) * {2 / math.sqrt(math.pi)!r})",),
    "erfc": (f"-g * (exp(-x * x) * {2 / math.sqrt(math.pi)!r})",),
    "expit": ("g * (out * (1 - out))",),
    # one of several results
    ("modf", 0): ("g",),
    ("modf", 1): ("0",),
    ("frexp", 0): ("g * where(x == 0, 1, out / x)",),
    ("divmod", 0): ("0", "0"),
    ("divmod", 1): ("g", "-g * floor_divide(x, y)"),
}

# Of complex numbers, where that is something else: these have no complex derivative.
OF_COMPLEX: dict[str, tuple[str, ...]] = {
    "absolute": ("g * conjugate(sign(x))",),
    "sign": ("where(out == 0, 0, g - conjugate(g * out * out)) / where(x == 0, 1, 2 * absolute(x))",),
}

# Ufuncs that give floats of floats and have no derivative: they depend on how numbers are stored.
NOT_DIFFERENTIABLE = frozenset({"nextafter", "spacing"})

_OPERATORS = {ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.divide, ast.USub: np.negative,
              ast.Eq: np.equal, ast.Lt: np.less, ast.Gt: np.greater}
_PLACES = {"g": 0, "out": 1, "x": 2, "y": 3, "z": 4}


def compiled(expression, operands):
    """(instructions, constants, place of the result) of an expression, as the core runs it; None for zero.

    Examples
    --------
    >>> from lazyarr.ops.derivatives import compiled
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
            function = None if tree.func.id == "where" else getattr(np, tree.func.id)
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
    """Tell the core the derivatives of all rows."""
    for name, expressions in ROWS.items():
        vjp.add_rule(name, [compiled(expression, len(expressions)) for expression in expressions])
    for name, expressions in OF_COMPLEX.items():
        vjp.add_rule((name, "of complex"), [compiled(expression, len(expressions)) for expression in expressions])
