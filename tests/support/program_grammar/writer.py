"""The state of a random program while :mod:`.statements` writes it, and snippets that statements share."""

import math
import warnings

import numpy as np

from support import program_runner, sample_values

MAX_SIZE = 30_000
LARGE_SHAPES = ((20_000,), (150, 130), (3, 70, 90), (9_001, 2))

PYTHON_SCALARS = ("0", "1", "2", "3", "-1", "7", "100", "300", "0.0", "0.5", "2.0", "-1.5", "1e300",
                  "float('inf')", "float('nan')", "True", "False", "1j", "(2-0.5j)")

# Functions whose result is determined to the bit by IEEE or integer arithmetic. The vector and scalar loops of others
# round differently, and the layout of the operands decides which of them runs: with AVX-512, np.exp(x[::-1]) is not
# np.exp(x)[::-1]. They get contiguous operands of one shape.
EXACT = {"negative", "positive", "absolute", "fabs", "invert", "logical_not", "conjugate", "square", "sqrt",
         "reciprocal", "rint", "floor", "ceil", "trunc", "isnan", "isinf", "isfinite", "spacing", "bitwise_count",
         "sign", "add", "subtract", "multiply", "divide", "floor_divide", "remainder", "fmod", "maximum", "minimum",
         "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "logical_and", "logical_or",
         "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift", "gcd", "lcm",
         "heaviside", "nextafter", "ldexp", "divmod", "modf", "frexp",
         "+", "-", "*", "/", "//", "%", "<", "<=", "==", "!=", ">", ">=", "&", "|", "^", "<<", ">>"}
EXACT_COMPLEX = {"negative", "positive", "conjugate", "add", "subtract", "equal", "not_equal", "less", "greater",
                 "isnan", "isinf", "isfinite", "logical_and", "logical_or", "+", "-", "<", ">", "==", "!="}


class Writer:
    """The state of a program being written: its lines, and its variables as computed by NumPy."""

    def __init__(self, random, large=False):
        self.random = random
        self.run = program_runner.Run(np)
        self.lines = []
        self.counter = 0
        self.max_size = MAX_SIZE
        if large:
            self.base = large_shape(random)
            self.max_size *= 10
        elif self.chance(0.03):
            self.base = random.choice(LARGE_SHAPES)
        else:
            ndim = random.choice((0, 1, 1, 2, 2, 3, 4, 5))
            self.base = tuple(random.choices((0, 1, 2, 3, 4), (3, 15, 27, 30, 25), k=ndim))

    def add(self, line):
        """Run a line with NumPy and keep it, unless its result is not worthwhile; keep only some of those that raise.
        """
        if line is None:
            return
        with np.errstate(all="ignore"):
            error = self.run.line(line)
            if (error is None or not self.chance(0.6)) and \
                    all(worthwhile(value, self.max_size) for value in self.run.results().values()):
                self.lines.append(line)
                return
            self.run = program_runner.Run(np)  # the line may have modified arrays
            for line in self.lines:
                self.run.line(line)

    def chance(self, probability):
        return self.random.random() < probability

    def new(self, prefix="v"):
        self.counter += 1
        return f"{prefix}{self.counter}"

    def value(self, text):
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return eval(text, self.run.variables)

    def pick(self, wanted=lambda value: True, prefixes="v"):
        """Return the name of a variable whose value is `wanted`, preferring later ones, or None."""
        names = [name for name, value in self.run.results().items() if name[0] in prefixes and wanted(value)]
        return names[int(len(names) * self.random.random() ** 0.6)] if names else None

    def shape(self):
        """Return a shape that broadcasts with most others of the program: the end of its base, some axes with length
        one.
        """
        shape = self.base[self.random.randint(0, len(self.base)):] if self.chance(0.4) else self.base
        return tuple(1 if self.chance(0.15) else n for n in shape)

    def operand(self, shape=None, wanted=lambda value: True):
        """Return an expression that usually broadcasts with `shape`; one in twenty is arbitrary."""
        chance = self.random.random()
        if chance < 0.15:
            return self.random.choice(PYTHON_SCALARS)
        if chance < 0.25:
            return numpy_scalar(self.random)
        careless = shape is None or chance > 0.95
        name = self.pick(lambda value: wanted(value) and self.fits(shape or (), np.shape(value), careless),
                         "vn" if chance < 0.4 else "v")
        if name is None:
            return self.random.choice(PYTHON_SCALARS)
        if self.chance(0.1) and np.ndim(self.value(name)):
            return f"{name}[{basic_key(self.random, self.value(name).shape)}]"
        return name

    def fits(self, shape, other, careless):
        """Return whether shapes broadcast to what memory can hold, or are careless and do not."""
        try:
            return math.prod(np.broadcast_shapes(shape, other)) <= 10 * self.max_size
        except ValueError:
            return careless

    def settled(self, function, *operands):
        """Return the operands in a form in which NumPy's result is independent of their layout, or None."""
        values_ = [self.value(operand) for operand in operands]
        shapes = {np.shape(value) for value in values_ if isinstance(value, np.ndarray)}
        if function in ("<", ">") and not shapes and any(map(np.iscomplexobj, values_)) and \
                operands[0].startswith("np."):
            return None  # such a scalar calls np.less on other objects, as an array does
        if function == "square" and not shapes and any(map(np.iscomplexobj, values_)):
            return None  # NumPy rounds np.square(complex_scalar) differently the first time in a process
        if function in (EXACT_COMPLEX if any(map(np.iscomplexobj, values_)) else EXACT):
            return operands
        if len(shapes) > 1 or (not shapes and not function.isidentifier()):
            return None  # NumPy's scalars have their own operators, which round differently
        copies = [f"{operand}.copy()" if isinstance(value, np.ndarray) else operand
                  for operand, value in zip(operands, values_, strict=True)]
        if function in ("fmin", "fmax"):  # np.fmin(x, y)[i] of 0.0 and -0.0 may be either, depending on len(x) - i
            return [f"({copy} + 0.0)" if np.asarray(value).dtype.kind in "fc" else copy
                    for copy, value in zip(copies, values_, strict=True)]
        return copies

    def exact(self, functions, *operands):
        """Choose one of `functions` whose result on these operands is independent of their layout."""
        allowed = EXACT_COMPLEX if any(np.iscomplexobj(self.value(operand)) for operand in operands) else EXACT
        return self.random.choice([function for function in functions if function in allowed])


def large_shape(random):
    """Return a shape of thousands of elements, with rows of any length, including short and odd ones."""
    size, shape = random.choice((2_000, 5_000, 20_000, 20_000, 100_000)), []
    for _ in range(random.choice((0, 1, 1, 2, 3))):
        extents = [n for n in (2, 3, 5, 7, 16, 17, 31, 64, 65, 129, 300, 513, 1025, 4097) if n <= size]
        if extents:
            shape.append(random.choice(extents))
            size //= shape[-1]
    shape.append(max(1, size + random.randint(-2, 2)))
    random.shuffle(shape)
    return tuple(shape)


def worthwhile(value, max_size):
    """Return whether a variable can be used: not too large, and not the Python complex that 1j + np.float64 returns."""
    return isinstance(value, np.ndarray | np.generic) and value.size <= max_size and value.ndim <= 6


def broadcasts(*shapes):
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        return False
    return True


def is_array(value):
    return isinstance(value, np.ndarray) and bool(value.flags.num & program_runner.FLAGS["WRITEABLE"])


def overlaps(w, a, b):
    return error_free(lambda: np.shares_memory(w.value(a), w.value(b)), False)


def overlaps_itself(value):
    """Return whether two elements of an array share memory."""
    places = np.zeros((), int)
    for extent, stride in zip(value.shape, value.strides, strict=True):
        places = np.add.outer(places, np.arange(extent) * stride)
    return bool((np.diff(np.sort(places, axis=None)) < value.itemsize).any())


def crosses(w, a, b):
    """Return whether two vectors share memory and have different steps of the same sign.

    NumPy 2.4 copies one to the other without regard for the shared elements.
    """
    x, y = error_free(lambda: (w.value(a), w.value(b)), (None, None))
    if np.ndim(x) != 1 or np.ndim(y) != 1 or x.strides == y.strides or x.strides[0] * y.strides[0] < 0:
        return False
    return overlaps(w, a, b)


def casts_where_it_overlaps(w, out, *operands):
    """Return whether a result is cast to `out` in a copy of its memory, whose size decides how overflow is reported."""
    if any(name != out and overlaps(w, name, out) for name in operands) or \
            error_free(lambda: overlaps_itself(w.value(out)), False):
        dtype = error_free(lambda: np.result_type(*map(w.value, operands)), np.bool)
        return not np.can_cast(dtype, error_free(lambda: w.value(out).dtype, dtype), "safe")
    return False


def castable(value, dtype):
    """Return whether C defines a cast of these values, so that all loops agree."""
    dtype = np.dtype(dtype)
    if isinstance(value, np.integer) and dtype.kind in "iu":
        # On assignment to an element, a NumPy scalar or Python integer out of range is an error, but an array is not.
        return np.iinfo(dtype).min <= value <= np.iinfo(dtype).max
    value = np.asarray(value)
    if value.dtype.kind not in "fc" or dtype.kind not in "iu":
        return True
    if value.dtype.kind == "c":
        value = value.real
    return bool(((value >= (0 if dtype.kind == "u" else -100)) & (value <= 100)).all())


def numpy_scalar(random):
    name = random.choice(sample_values.DTYPES)
    if name == "bool":
        return random.choice(("np.True_", "np.False_"))
    number = random.choice((0, 1, 2, 5, 100) if name.startswith("uint") else (0, 1, 2, -3, 100))
    return f"np.{name}({number})"


def basic_key(random, shape):
    """Write an index of integers, slices with any step, at most one ellipsis and occasionally None."""
    parts, used = [], random.randint(min(1, len(shape)), len(shape))
    for axis in range(used):
        n = shape[axis]
        if n and random.random() < 0.3:
            parts.append(str(random.randint(-n, n - 1) if random.random() < 0.97 else n + 2))
        else:
            bounds = ["" if random.random() < 0.4 else str(random.randint(-n - 1, n + 1)) for _ in range(2)]
            step = random.choice(("", "", "1", "2", "-1", "-1", "-2", "3"))
            parts.append(f"{bounds[0]}:{bounds[1]}" + (f":{step}" if step else ""))
    if random.random() < 0.2:
        place = random.choice((0, len(parts))) if used == len(shape) else len(parts)
        parts.insert(place, "...")
    if random.random() < 0.1:
        parts.insert(random.randint(0, len(parts)), "None")
    return ", ".join(parts) or "..."


def axes(random, ndim):
    """Write an axis argument: None, one axis or several, rarely an invalid one."""
    if random.random() < 0.3 or not ndim:
        return "None"
    if random.random() < 0.03:
        return str(ndim)
    if random.random() < 0.5:
        return str(random.randint(-ndim, ndim - 1))
    return str(tuple(random.sample(range(ndim), random.randint(1, ndim))))


def tame(value):
    """Return whether a sum of these values neither overflows nor cancels beyond the tolerance of the comparison.

    Tiny values would appear and vanish with the order of additions, and with them underflows of their squares.
    """
    size = np.abs([np.real(value), np.imag(value)])
    return np.size(value) < 1000 and bool(((size < 20) & ((size > 1e-3) | (size == 0))).all())


def error_free(function, default):
    """Return the result of `function`, or `default` if it raises."""
    try:
        return function()
    except (IndexError, TypeError, ValueError, OverflowError):
        return default
