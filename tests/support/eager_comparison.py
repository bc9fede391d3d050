"""Runs a line on small arrays with NumPy and with lazyarr.numpy, and compares results, warnings and memory."""

import functools
import warnings

import numpy as np

import lazyarr as la
import lazyarr.numpy as xp
from support import sample_values

LAYOUTS = {
    "0-d": ((), lambda x: x),
    "empty": ((0,), lambda x: x),
    "no rows": ((0, 3), lambda x: x),
    "no columns": ((3, 0), lambda x: x),
    "one": ((1,), lambda x: x),
    "row": ((1, 4), lambda x: x),
    "column": ((4, 1), lambda x: x),
    "line": ((7,), lambda x: x),
    "long line": ((300,), lambda x: x),
    "reversed": ((9,), lambda x: x[::-1]),
    "gaps": ((9,), lambda x: x[1::2]),
    "matrix": ((3, 4), lambda x: x),
    "transposed": ((4, 3), lambda x: x.T),
    "tall": ((40, 11), lambda x: x),
    "rows reversed": ((3, 4), lambda x: x[::-1]),
    "both reversed": ((3, 4), lambda x: x[::-1, ::-1]),
    "window": ((5, 6), lambda x: x[1:4, 1:5]),
    "columns apart": ((3, 8), lambda x: x[:, ::2]),
    "block": ((2, 3, 4), lambda x: x),
    "block turned": ((2, 3, 4), lambda x: x.transpose(1, 2, 0)),
}


def bits(x):
    """Return the bytes of an array's elements, without the padding of long doubles."""
    x = np.array(x)
    if x.dtype.char in "gG":
        parts = np.ascontiguousarray(x).reshape(-1).view("u1").reshape(-1, np.longdouble(0).itemsize)
        return parts[:, :10].tobytes()
    return x.tobytes()


@functools.cache
def compiled(line):
    """Compile a line, cached because compilation would take most of the tests' time."""
    return compile(line, "<line>", "exec" if ";" in line else "eval")


def run(line, namespace, x, s, **others):
    """Return the line's result or exception, and its warnings."""
    variables = {"np": namespace, "x": x, "s": s, **others}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            if ";" not in line:
                result = eval(compiled(line), variables)
            else:
                exec(compiled(line), variables)
                result = variables["r"]
        except Exception as error:
            result = error.with_traceback(None)
    return result, [(w.category.__name__, str(w.message)) for w in caught]


def difference(want, got, same=lambda a, b: bits(a) == bits(b)):
    """Describe how a result of lazyarr.numpy differs from NumPy's, or return None; `same` compares elements."""
    if isinstance(want, Exception):
        texts = [str(error).replace("lazyarr.LazyArray", "numpy.ndarray") for error in (want, got)]
        return None if type(want) is type(got) and texts[0] == texts[1] else f"{got!r}, expected {want!r}"
    if isinstance(want, tuple | list):
        if type(want) is not type(got) or len(want) != len(got):
            return f"{got!r}, expected {want!r}"
        return next(filter(None, (difference(a, b, same) for a, b in zip(want, got, strict=True))), None)
    if isinstance(want, np.ndarray):
        if type(got) is not la.LazyArray or got._scalar:
            return f"{type(got)}, expected an array"
        told = [(a.dtype, a.shape, a.strides if a.size else None, a.flags.num) for a in (want, got)]
        if told[0] != told[1]:
            return f"{told[1]}, expected {told[0]}"
    elif type(want) is not type(got):
        return f"{type(got)}: {got!r}, expected {type(want)}: {want!r}"
    if want is None:
        return None
    if np.asarray(want).dtype == object:
        return None if str(want) == str(got) else f"{got!r}, expected {want!r}"
    return None if same(want, got) else f"{got!r}, expected {want!r}"


def write_through(result, x):
    """Return what each of two arrays holds after a write to the other."""
    if not isinstance(result, np.ndarray | la.LazyArray) or not result.flags.writeable or result.dtype != x.dtype:
        return None
    result[...] = 1
    seen = bits(x)
    x[...] = 0
    return seen, bits(result)


@functools.cache
def operands(dtype, layout):
    """Return a function that makes an array and a square matrix in a namespace, always with the same numbers."""
    shape, view = LAYOUTS[layout]
    seed = len(layout) * 7 + len(dtype)
    data = sample_values.make(dtype, shape, seed), sample_values.make(dtype, (4, 4), 3 * seed)
    return lambda namespace: (view(namespace.array(data[0])), namespace.array(data[1]))


def problems(line, make):
    """Return the differences that a line shows with these operands."""
    x, s = make(np)
    want, warned = run(line, np, x, s)
    lazy, square = make(xp)
    got, noticed = run(line, xp, lazy, square)
    found = difference(want, got) or (None if warned == noticed else f"warns {noticed}, expected {warned}")
    if found is None and isinstance(want, np.ndarray):
        want, got = write_through(want, x), write_through(got, lazy)
        found = None if want == got else "writes do not reach what they reach in NumPy"
    return found
