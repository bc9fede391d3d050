"""Writes random programs, which :mod:`support.program_runner` runs.

Each kind of statement is a small function that looks at the variables so far and returns a line of Python, or None if
there is nothing to work on; :data:`KINDS` is their table. The writer runs each line with NumPy immediately, so that a
statement can inspect the values of its operands: a cast of NaN to an integer, for instance, has no defined result and
is never written.

All choices come from a ``random.Random``, so that Hypothesis and a plain loop over seeds drive the same code.
"""

import math

import numpy as np

from support import sample_values
from support.program_grammar import memory_statements
from support.program_grammar.writer import (
    PYTHON_SCALARS,
    Writer,
    axes,
    basic_key,
    broadcasts,
    castable,
    casts_where_it_overlaps,
    crosses,
    error_free,
    is_array,
    overlaps,
    overlaps_itself,
    tame,
)

UNARY = ("negative", "positive", "absolute", "fabs", "sign", "invert", "logical_not", "conjugate", "square", "sqrt",
         "cbrt", "reciprocal", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "arcsin",
         "arccos", "arctan", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh", "degrees", "radians", "rint",
         "floor", "ceil", "trunc", "isnan", "isinf", "isfinite", "spacing", "bitwise_count")
BINARY = ("add", "subtract", "multiply", "divide", "floor_divide", "remainder", "fmod", "float_power", "hypot",
          "arctan2", "logaddexp", "logaddexp2", "maximum", "minimum", "fmax", "fmin", "equal", "not_equal", "less",
          "less_equal", "greater", "greater_equal", "logical_and", "logical_or", "logical_xor", "bitwise_and",
          "bitwise_or", "bitwise_xor", "left_shift", "right_shift", "gcd", "lcm", "heaviside", "nextafter", "ldexp")
OPERATORS = ("+", "-", "*", "/", "//", "%", "<", "<=", "==", "!=", ">", ">=", "&", "|", "^", "<<", ">>")
SIMPLER = (  # subject to rewrite rules, or similar to those that are
    "-(-{x})", "+{x}", "~~{x}", "xp.logical_not(~({x} > 0))", "xp.conjugate(xp.conjugate({x}))", "xp.conjugate({x})",
    "{x}.copy()", "xp.floor(xp.ceil({x}))", "xp.trunc(xp.rint({x}))", "xp.sign(xp.sign({x}))", "({x} + {k})",
    "({k} + {x})", "({x} - {k})", "({x} | {k})", "({x} ^ {k})", "({x} & {k})", "({x} << {k})", "({x} >> {k})",
    "({x} // 1)", "xp.logical_and({x}, True)", "xp.maximum({x}, {x})", "({x} & {x})", "~({x} < {y})", "~({x} >= {y})",
    "xp.logical_not({x} == {y})", "xp.where(True, {x}, {y})", "xp.where(False, {y}, {x})",
    "xp.where(~({x} > 0), {y}, {x})", "xp.where({y} > 0, {x}, {x})", "({x} + -{y})", "({x} - -{y})",
    "-({x} - {y})", "({x} + {y} - {y})", "xp.minimum(xp.maximum({x}, {y}), {k})")
SIMPLER_REAL = ("({x} * {k})", "({k} * {x})", "({x} / {k})", "xp.power({x}.copy(), {k})", "abs(abs({x}))",
                "abs(-{x})", "xp.fabs(-{x})", "(-{x} * -{y})", "xp.square(-{x})", "({x} * {y} + {x})", "({x} - {x})",
                "{x}.astype('float64').astype('int16')", "{x}.astype('int64').astype('float32')")
IN_PLACE = ("+", "-", "*", "/", "//", "%", "&", "|", "^")


def write(random, length=12, kinds=None, large=False):
    """Write one program.

    Parameters
    ----------
    random : random.Random
        Source of all choices.
    length : int
        Number of statements to try; a few are dropped.
    kinds : collection of str, optional
        Kinds of statement to choose from, by name in :data:`KINDS`.
    large : bool
        Whether arrays have thousands of elements, enough for several threads.

    Returns
    -------
    list of str
    """
    table = KINDS if kinds is None else {kind: KINDS[kind] for kind in kinds}
    functions, weights = zip(*table.values(), strict=True)
    writer = Writer(random, large)
    for statement in (create, create, *random.choices(functions, weights, k=length)):
        writer.add(statement(writer))
    return writer.lines


# Statements. Each takes the writer and returns a line or None.

def create(w):
    dtype = w.random.choice(sample_values.DTYPES)
    shape = w.shape()
    chance = w.random.random()
    if chance < 0.65:
        return f"{w.new()} = xp.array(make({dtype!r}, {shape}, {w.random.randint(0, 999)}))"
    if chance < 0.8:
        return f"{w.new('n')} = make({dtype!r}, {shape}, {w.random.randint(0, 999)})"
    if chance < 0.9:
        return f"{w.new()} = xp.{w.random.choice(('zeros', 'ones'))}({shape}, {dtype!r})"
    if chance < 0.93:
        return f"{w.new()} = xp.full({shape}, {w.random.choice(('3', '-2', '2.5', 'True'))})"
    if chance < 0.96:
        return f"{w.new()} = xp.arange({math.prod(shape)}).reshape({shape})"
    return f"{w.new()} = xp.linspace(-1, 2, {w.random.randint(0, 5)})"


def unary(w):
    if (x := w.pick(prefixes="vn")) is None:
        return None
    function = w.random.choice(UNARY)
    if (operands := w.settled(function, x)) is None:
        return None
    return f"{w.new()} = xp.{function}({operands[0]})"


def two_results(w):
    if (x := w.pick()) is None:
        return None
    name = w.random.choice(("modf", "frexp", "divmod"))
    y = "" if name != "divmod" else ", " + w.operand(np.shape(w.value(x)))
    return f"{w.new()}, {w.new()} = xp.{name}({x}{y})"


def binary(w):
    if (x := w.pick(prefixes="vn")) is None:
        return None
    operands = [x, w.operand(np.shape(w.value(x)))]
    w.random.shuffle(operands)
    function = w.random.choice(BINARY)
    if (operands := error_free(lambda: w.settled(function, *operands), None)) is None:
        return None
    dtype = w.random.choice(sample_values.DTYPES)
    # Where a cast of an operand overflows, NumPy's warnings depend on its buffering.
    if w.chance(0.9) or not all(np.can_cast(np.result_type(w.value(operand)), dtype, "safe") for operand in operands):
        return f"{w.new()} = xp.{function}({operands[0]}, {operands[1]})"
    return f"{w.new()} = xp.{function}({operands[0]}, {operands[1]}, dtype={dtype!r})"


def operator(w):
    if (x := w.pick()) is None:
        return None
    if w.chance(0.08):
        functions = ("-", "+", "~") if np.iscomplexobj(w.value(x)) else ("-", "+", "~", "abs")
        return f"{w.new()} = {w.random.choice(functions)}({x})"
    # For NumPy scalars ** rounds like C's pow, not like np.power. NumPy squares large temporaries in place, and fails
    # to do so for bools.
    if w.chance(0.1) and np.ndim(w.value(x)) and (w.value(x).dtype != bool or w.value(x).nbytes < 1 << 18):
        return f"{w.new()} = {x}.copy() ** {w.random.choice(('2', '2.0', '0.5', '3', '1', '0', '-1.0', 'np.uint8(3)'))}"
    operands = [x, w.operand(np.shape(w.value(x)))]
    w.random.shuffle(operands)
    op = w.random.choice(OPERATORS)
    if (operands := error_free(lambda: w.settled(op, *operands), None)) is None:
        return None
    return f"{w.new()} = {operands[0]} {op} {operands[1]}"


def simpler(w):
    """Nest up to three expressions that rewrite rules apply to, or nearly."""
    if (x := w.pick(lambda value: np.ndim(value) and is_array(value))) is None:
        return None
    y = w.operand(np.shape(w.value(x)))
    if error_free(lambda: w.value(y), None) is None:
        return None
    expression = x
    for _ in range(w.random.randint(1, 3)):
        is_complex = any(np.iscomplexobj(w.value(operand)) for operand in (expression, y))
        template = w.random.choice(SIMPLER if is_complex else SIMPLER + SIMPLER_REAL)
        if "astype" in template and not castable(w.value(expression), "int16"):
            continue
        made = template.format(x=expression, y=y, k=w.random.choice(("0", "1", "2", "-1", "0.5", "True", "np.int8(1)")))
        if error_free(lambda made=made: w.value(made), None) is not None:
            expression = made
    return f"{w.new()} = {expression}"


def view(w):
    if (x := w.pick(lambda value: isinstance(value, np.ndarray))) is None:
        return None
    shape = w.value(x).shape
    ndim, size = len(shape), w.value(x).size
    choices = [f"{x}.T", f"{x}.reshape(-1)", f"{x}.ravel()", f"xp.ravel({x}, order='F')", f"xp.squeeze({x})",
               f"{x}[...]", f"{x}.real", f"xp.expand_dims({x}, {w.random.randint(-ndim - 1, ndim)})",
               f"xp.atleast_2d({x})"]
    if ndim:
        order = w.random.sample(range(ndim), ndim)
        first, last = w.random.randrange(ndim), w.random.randrange(-ndim, ndim)
        factors = [n for n in range(1, 6) if size % n == 0]
        choices += [f"{x}.transpose({', '.join(map(str, order))})", f"xp.swapaxes({x}, {first}, {last})",
                    f"xp.moveaxis({x}, {first}, {last})", f"xp.flip({x}, {last})",
                    f"{x}.reshape({w.random.choice(factors)}, -1)", f"{x}.reshape({tuple(shape[i] for i in order)})",
                    f"xp.broadcast_to({x}, {(2, *shape)})", f"{x}.reshape({size + 1})"]
    if w.value(x).dtype.kind == "c":
        choices += [f"{x}.imag"] * 2
    return f"{w.new()} = {w.random.choice(choices)}"


def basic_read(w):
    if (x := w.pick(np.ndim)) is None:
        return None
    return f"{w.new()} = {x}[{basic_key(w.random, w.value(x).shape)}]"


def advanced_key(w, x):
    """Write an index with integer or boolean arrays for the variable `x`, which has at least one axis."""
    shape = w.value(x).shape
    mask = w.pick(lambda value: isinstance(value, np.ndarray) and value.dtype == bool and value.ndim
                  and value.shape == shape[:value.ndim])
    if mask is not None and w.chance(0.4):
        return mask
    if w.chance(0.4):
        return f"{x} > {w.random.choice(('0', '1', '100'))}"
    n = shape[0]
    entries = [w.random.randint(-n, n - 1) for _ in range(w.random.randint(0, 4))] if n else []
    if w.chance(0.03):
        entries.append(n)
    index = f"xp.array({entries}, 'int64')" if w.chance(0.5) else f"np.array({entries}, 'intp')"
    if len(shape) > 1 and w.chance(0.4):
        return f"{index}, {basic_key(w.random, shape[1:2])}"
    return index


def advanced_read(w):
    if (x := w.pick(np.ndim)) is None:
        return None
    return f"{w.new()} = {x}[{advanced_key(w, x)}]"


def in_place(w):
    """Write an augmented assignment to an array, a scalar, or part of an array."""
    part = w.chance(0.4)
    if (x := w.pick(lambda value: np.ndim(value) and is_array(value) if part else True)) is None:
        return None
    target = f"{x}[{basic_key(w.random, w.value(x).shape)}]" if part else x
    if w.chance(0.1) and not np.iscomplexobj(w.value(x)):
        return f"{target} **= 2"
    shape = error_free(lambda: np.shape(w.value(target)), ())
    operand = w.operand(shape)
    if casts_where_it_overlaps(w, target, target, operand):
        return None
    op = error_free(lambda: w.exact(IN_PLACE, target, operand), "+")
    if part and not shape:  # the element is a scalar, so the result is cast on assignment
        dtype = w.value(x).dtype
        if not error_free(lambda: castable(w.value(f"{target} {op} {operand}"), dtype), True):
            return None
    return f"{target} {op}= {operand}"


def assign(w):
    """Assign to part of an array a value with a defined cast to its dtype."""
    if (x := w.pick(lambda value: is_array(value) and value.ndim)) is None:
        return None
    advanced = w.chance(0.4)
    key = advanced_key(w, x) if advanced else basic_key(w.random, w.value(x).shape)
    if key in w.run.variables and key != x and overlaps(w, key, x):
        key += ".copy()"  # NumPy reads the mask while writing
    shape = error_free(lambda: np.shape(w.value(f"{x}[{key}]")), ())
    operand = w.operand(shape)
    defined = error_free(lambda: castable(w.value(operand), w.value(x).dtype), False)
    if not defined:
        operand = w.random.choice(("0", "1", "5"))
    elif overlaps(w, operand, x) if advanced else crosses(w, f"{x}[{key}]", operand):
        operand += ".copy()"  # NumPy ignores overlaps here and reads elements just written
    return f"{x}[{key}] = {operand}"


def overlap(w):
    """Compute part of an array from another part of the same memory."""
    if (x := w.pick(lambda value: is_array(value) and value.ndim and value.shape[0] > 1)) is None:
        return None
    n = w.value(x).shape[0]
    count = w.random.randint(1, n - 1)
    parts = []
    for _ in range(2):
        first = w.random.randint(0, n - count)
        part = f"{x}[{first}:{first + count}]"
        parts.append(part + "[::-1]" if w.chance(0.3) else part)
    target, source = parts
    chance = w.random.random()
    if chance < 0.35:
        return f"{target} {w.exact(('+', '-', '*'), x)}= {source}"
    if chance < 0.6:
        return f"{target} = {source}"
    if chance < 0.8:
        return f"xp.add({source}, {w.random.choice(parts)}, out={target})"
    if len(set(w.value(x).shape)) == 1:
        return f"{x} {w.exact(('+', '*'), x)}= {x}.T"
    return f"{x}[...] = {x}[::-1]"


def output(w):
    """Call a ufunc with out=, sometimes with where=."""
    if (out := w.pick(is_array)) is None:
        return None
    shape = w.value(out).shape
    a, b = w.operand(shape), w.operand(shape)
    if casts_where_it_overlaps(w, out, a, b):
        return None
    strides = error_free(lambda: [*np.asarray(w.value(a)).strides, *np.asarray(w.value(b)).strides], [])
    if min(strides, default=0) < 0 and overlaps_itself(w.value(out)):
        return None  # the last write to an element wins, and NumPy traverses negative strides backwards
    function = error_free(lambda: w.exact(BINARY, a, b, out), "add")
    where = ""
    if w.chance(0.4):
        mask = w.pick(lambda value: value.dtype.kind == "b" and broadcasts(value.shape, shape))
        mask = mask or f"{out} > 0"
        # If `out` overlaps an operand, NumPy works on a copy of it, and writes back elements that the mask excludes,
        # uninitialised.
        hides = overlaps_itself(w.value(out))
        if not any((hides or name != out) and overlaps(w, name, out) for name in (a, b, mask)):
            where = f", where={mask}"
            # np.not_equal(np.uint8([1]), -1, out=..., where=...) crashes, so no Python scalars.
            a, b = (f"xp.array({name})" if name in PYTHON_SCALARS else name for name in (a, b))
    return f"{w.new()} = xp.{function}({a}, {b}, out={out}{where})"


def fill(w):
    """Call a function that writes into its argument."""
    if (x := w.pick(lambda value: is_array(value) and value.size)) is None:
        return None
    return w.random.choice((f"{x}.fill({w.random.choice(('0', '1', '3'))})", f"xp.copyto({x}, 2, where={x} > 0)",
                            f"xp.putmask({x}, {x} > 1, 1)", f"xp.put({x}, [0, -1], [1, 0])",
                            f"xp.add.at({x}, (xp.array([0, 0]),) if {x}.ndim else (), 1)"))


def cast(w):
    dtype = w.random.choice(sample_values.DTYPES)
    if (x := w.pick(lambda value: castable(value, dtype))) is None:
        return None
    return f"{w.new()} = {x}.astype({dtype!r})"


def copy(w):
    if (x := w.pick()) is None:
        return None
    return f"{w.new()} = {w.random.choice((f'{x}.copy()', f'xp.array({x})', f'xp.zeros_like({x})', x))}"


def reduction(w):
    """Write a reduction with a unique result: floats are small whole numbers."""
    if (x := w.pick()) is None:
        return None
    value = w.value(x)
    name = w.random.choice(("sum", "prod", "max", "min", "any", "all", "argmax", "argmin", "mean", "count_nonzero"))
    operand = x
    if value.dtype.kind in "fc" and name in ("sum", "prod", "mean", "max", "min"):
        if value.dtype.kind == "c":
            return None
        if name == "prod":
            operand = f"xp.sign({x})"
        elif name in ("max", "min"):
            operand = f"{x} + 0.0"  # maps -0.0 to 0.0, which compare equal, so that either could be the maximum
        else:
            operand = f"xp.rint(xp.clip({x}, -2, 2)) + 0.0"
        if value.dtype == np.float16 and value.size > 500:
            return None
    elif name == "mean" and not tame(value):
        name = "sum"  # the mean of integers is computed in float64, which cannot represent all of them
    axis = axes(w.random, np.ndim(value))
    if name.startswith("arg") and axis.startswith("("):
        axis = "0"
    keepdims = f", keepdims={w.random.choice((True, False))}" if w.chance(0.4) else ""
    return f"{w.new()} = xp.{name}({operand}, axis={axis}{keepdims})"


def rounded_reduction(w):
    """Write a reduction whose floating-point result depends on the order of additions."""
    if (x := w.pick(lambda value: np.asarray(value).dtype.kind in "fc" and tame(value))) is None:
        return None
    axis = axes(w.random, np.ndim(w.value(x)))
    return f"{w.new('t')} = xp.{w.random.choice(('sum', 'mean', 'std', 'var'))}({x}, axis={axis})"


def accumulation(w):
    if (x := w.pick(np.ndim)) is None:
        return None
    function = w.random.choice(("cumsum", "add.accumulate", "maximum.accumulate", "minimum.accumulate"))
    return f"{w.new()} = xp.{function}({x}, axis={w.random.randrange(np.ndim(w.value(x)))})"


def outer(w):
    small = [w.pick(lambda value: np.size(value) < 40) for _ in range(2)]
    if None in small:
        return None
    return f"{w.new()} = xp.{w.exact(('add', 'multiply', 'less'), *small)}.outer({small[0]}, {small[1]})"


def select(w):
    if (x := w.pick()) is None:
        return None
    shape = np.shape(w.value(x))
    if w.chance(0.3):
        return f"{w.new()} = xp.clip({x}, {w.random.choice(('0', '-1', '1'))}, {w.random.choice(('2', '3.5', '100'))})"
    return f"{w.new()} = xp.where({x} > 0, {w.operand(shape)}, {w.operand(shape)})"


def join(w):
    if (x := w.pick(np.ndim)) is None:
        return None
    shape = w.value(x).shape
    y = w.pick(lambda value: np.shape(value) == shape, "vn")
    return f"{w.new()} = xp.{w.random.choice(('concatenate', 'stack', 'hstack'))}([{x}, {y}, {x}])"


def change_ndarray(w):
    """Change a plain ndarray that lazy arrays have read."""
    if (n := w.pick(prefixes="n")) is None:
        return None
    v = w.pick(lambda value: np.shape(value) == np.shape(w.value(n)) and castable(value, w.value(n).dtype))
    choices = [f"{n}[...] = 1", f"{n} += {n}", f"{n}.fill(0)"]
    if v is not None:
        choices += [f"{n}[...] = {v}", f"{n} += {v}"]
    return w.random.choice(choices)


def look(w):
    names = [w.pick() for _ in range(w.random.randint(1, 3))]
    return None if None in names else f"look({', '.join(names)})"


def show(w):
    if (x := w.pick()) is None:
        return None
    value = w.value(x)
    strides = f"[step for step, n in zip({x}.strides, {x}.shape) if n > 1 and {x}.size]"
    choices = [f"repr({x})", f"str({x})", f"repr({x}.tolist())", strides, f"{x}.nbytes", f"bool({x})",
               f"repr(float({x}))" if castable(value, "int64") else f"len({x})"]
    return f"show({w.random.choice(choices)})"


def delete(w):
    name = w.pick(prefixes="vt")
    return None if name is None else f"del {name}"


KINDS = {  # kind: (function, weight)
    "create": (create, 3), "unary": (unary, 8), "two_results": (two_results, 2), "binary": (binary, 8),
    "operator": (operator, 12), "simpler": (simpler, 10),
    "view": (view, 10), "basic_read": (basic_read, 8), "advanced_read": (advanced_read, 4),
    "in_place": (in_place, 12), "assign": (assign, 10), "overlap": (overlap, 6), "output": (output, 6),
    "fill": (fill, 3), "cast": (cast, 5), "copy": (copy, 4), "reduction": (reduction, 6),
    "rounded_reduction": (rounded_reduction, 3), "accumulation": (accumulation, 2), "outer": (outer, 1),
    "select": (select, 4), "join": (join, 3), "change_ndarray": (change_ndarray, 4), "look": (look, 6),
    "show": (show, 3), "delete": (delete, 2), **memory_statements.KINDS,
}

# Programs of these kinds overwrite or drop no value before it is read, so a lazy run computes everything that NumPy
# computes, and must give the same warnings.
PURE_KINDS = ("create", "unary", "two_results", "binary", "operator", "simpler", "view", "basic_read", "cast",
              "reduction", "select", "join", "look")
