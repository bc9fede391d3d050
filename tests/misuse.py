"""Calls with wrong arguments, generated for any function from its signature and a pool of values.

A line is an expression over ``np`` (NumPy, or the namespace under test) and the arrays of :func:`operands`. It is run
with NumPy's arrays and with lazy ones; :func:`problem` describes how the outcomes differ.

``python tests/misuse.py --calls 50 --seed 1`` tries 50 calls of each function and prints those that differ.
"""

import argparse
import inspect
import random
import sys
import warnings

import numpy as np

import lazyarr as la
from support import numpy_comparison

# Integers are small, because some of NumPy's functions create arrays of that size.
NUMBERS = ("0", "1", "2", "-1", "5", "1.5", "True", "None", "1j", "np.int64(1)", "np.float64(0.5)",
           "np.array(1)", "10**30")
TEXTS = ("'a'", "'C'", "'nonsense'", "b'x'", "'f8'", "'U3'", "''")
SEQUENCES = ("()", "(0, 1)", "(0, 0)", "[0]", "[1, 2]", "[]", "[[1], [2, 3]]", "(2, 3)", "['x', 'y']", "(1.5,)",
             "(-1, 4)", "{}", "[None]", "slice(0, 2)", "...", "[True, False]")
TYPES = ("float", "int", "bool", "object", "np.int8", "'i4,i4'", "np.float32", "'M8[s]'", "complex", "str")
OBJECTS = ("object()", "len", "lambda x: x", "np.add", "set()", "range(3)")
ARRAYS = ("v", "m", "t", "sq", "F", "f16", "f32", "c", "nan", "i", "i8", "u8", "b", "idx", "zero_d", "empty", "ones",
          "text", "dates", "record", "objects", "locked", "m.T", "v[0]", "m[:, ::2]", "swapped")

_VALUES_OF = {  # likely arguments for parameter names
    "axis": ("0", "1", "-1", "9", "-9", "None", "(0, 1)", "(0, 0)", "(0, 9)", "1.0", "'a'", "[0]", "True", "()", "1j"),
    "axes": ("(0, 1)", "(1, 0)", "(0, 0)", "(0, 9)", "1", "None", "'ab'", "[0, 1]", "(0.5, 1)", "([0], [0])"),
    "dtype": (*TYPES, "'nonsense'", "3", "None", "'f4'"),
    "out": ("v", "m", "i8", "b", "locked", "3", "[1]", "()", "None", "zero_d", "(m,)", "(m, m)", "text", "c", "empty"),
    "where": ("True", "False", "b", "m > 0", "1", "None", "'a'", "v > 0", "i", "[True, False, True, False]"),
    "keepdims": ("True", "False", "None", "2", "'a'"),
    "initial": ("0", "1", "None", "'a'", "1.5", "1j", "10**30", "[1, 2]", "v"),
    "mode": ("'raise'", "'wrap'", "'clip'", "'bad'", "'edge'", "'constant'", "'same'", "'valid'", "3", "None"),
    "casting": ("'no'", "'safe'", "'same_kind'", "'unsafe'", "'bad'", "1", "None"),
    "order": ("'C'", "'F'", "'A'", "'K'", "'X'", "1", "None", "'c'", "['a']"),
    "kind": ("'quicksort'", "'stable'", "'bad'", "1", "None"),
    "shape": ("3", "(2, 3)", "(3, 4)", "(4, 3)", "-1", "(-1,)", "(-1, -1)", "'a'", "1.5", "(1.5,)", "None", "()"),
}

# File access and settings; callbacks that get objects not under test; calls that crash NumPy itself.
LEFT_OUT = set("""
    apply_along_axis apply_over_axes array2string array_repr array_str as_matrix asmatrix bmat broadcast errstate
    frombuffer fromfile fromfunction fromiter frompyfunc fromregex fromstring genfromtxt get_include getbufsize geterr
    geterrcall info isdtype issubdtype load loadtxt mintypecode nested_iters piecewise printoptions require save savetxt
    savez savez_compressed set_printoptions setbufsize seterr seterrcall show_config show_runtime test typename
""".split())


def functions():
    """Yield name and function, for all functions of numpy, numpy.linalg and numpy.fft."""
    for module in (np, np.linalg, np.fft):
        for name in dir(module):
            function = getattr(module, name)
            private = name.startswith("_") or isinstance(function, type)
            if callable(function) and not private and name not in LEFT_OUT:
                yield f"np{module.__name__.removeprefix('numpy')}.{name}", function


def operands():
    """Return the arrays of the lines, by name; some have dtypes without arithmetic, one is read-only."""
    arrays = numpy_comparison.operands()
    arrays["text"] = np.array(["ab", "c", "d"])
    arrays["dates"] = np.array(["2020-01-01", "2021-02-03", "NaT"], "M8[D]")
    arrays["record"] = np.array([(1, 2.5), (3, 4.5), (0, 0.5)], [("a", "i4"), ("b", "f8")])
    arrays["objects"] = np.array([1, None, "x"], object)
    arrays["locked"] = np.arange(12.0).reshape(3, 4)
    arrays["locked"].flags.writeable = False
    return arrays


def lazy_operands(pending):
    """Return the same as LazyArrays, unevaluated (for plain numbers) if `pending`."""
    arrays = numpy_comparison.lazy_operands() if pending else {}
    for name, x in operands().items():
        if name not in arrays:
            arrays[name] = la.array(x)
            arrays[name].flags.writeable = x.flags.writeable
    return arrays


def value(source):
    pool = source.choices((ARRAYS, NUMBERS, SEQUENCES, TEXTS, TYPES, OBJECTS), (9, 4, 4, 2, 1, 1))[0]
    return source.choice(pool)


def argument(source, name):
    """Return a value for a parameter of this name: a plausible one, or anything."""
    known = _VALUES_OF.get(name)
    return source.choice(known) if known and source.random() < 0.8 else value(source)


def parameters(function):
    """Return (positional names, keyword-only names); a few unnamed positional ones if there is no signature."""
    try:
        found = inspect.signature(function).parameters.values()
    except (ValueError, TypeError):
        return ["?"] * getattr(function, "nin", 2), ["out", "where", "dtype"]
    positional = [p.name for p in found if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if any(p.kind is p.VAR_POSITIONAL for p in found):
        positional += ["?"] * 2
    keywords = [p.name for p in found if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return positional, [name for name in keywords if name != "subok"]  # has no meaning here


def call(source, name, function):
    """Return a line that calls `function`, under this name, usually with an array first."""
    positional, keywords = parameters(function)
    count = source.choices(range(len(positional) + 2), [3 if k < 3 else 1 for k in range(len(positional) + 2)])[0]
    texts = [argument(source, positional[k] if k < len(positional) else "?") for k in range(count)]
    if texts and source.random() < 0.8:
        texts[0] = source.choice(ARRAYS)
        if source.random() < 0.1:
            texts[0] = f"[{texts[0]}, {source.choice(ARRAYS)}]"
    free = [keyword for keyword in keywords if keyword not in positional[:count]]
    for keyword in source.sample(free, min(len(free), source.choice((0, 0, 1, 1, 2)))):
        texts.append(f"{keyword}={argument(source, keyword)}")
    if source.random() < 0.03:
        texts.append("nonsense=1")
    return f"{name}({', '.join(texts)})"


def outcome(line, namespace, variables):
    """Return a line's outcome: ("error", class, message), "late" for an error on evaluation, or ("result", form)."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            got = eval(line, {**variables, "np": namespace})
        except Exception as error:
            return "error", type(error), str(error)
        try:
            return "result", _form(got)
        except Exception as error:
            return "late", type(error), str(error)


def _form(got):
    """Return types, dtypes and shapes of a result, which is evaluated."""
    if isinstance(got, tuple | list):
        return tuple([_form(item) for item in got])
    if isinstance(got, np.ndarray | la.LazyArray | np.generic):
        scalar = got._scalar if isinstance(got, la.LazyArray) else isinstance(got, np.generic)
        np.asarray(got)
        return "scalar" if scalar else "array", got.dtype, got.shape
    return None


def problem(line, pending=False):
    """Describe how a line's outcome differs with lazy arrays, or return None.

    With pending arrays, errors may come on evaluation.
    """
    want = outcome(line, np, operands())
    got = outcome(line, la, lazy_operands(pending))
    if want[0] == "result" and got[0] == "result":
        agree = want == got
    else:
        agree = want[1] is got[1] and want[0] != "result" != got[0] and (got[0] == "error" or pending)
    return None if agree else (want, got)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=20, help="how many of each function")
    parser.add_argument("--seed", type=int, default=0, help="each gives other calls")
    options = parser.parse_args()
    found = made = 0
    for name, function in functions():
        source = random.Random(f"{name}{options.seed}")
        for number in range(options.calls):
            line = call(source, name, function)
            made += 1
            if (differs := problem(line, pending=number % 2 == 1)) is not None:
                found += 1
                print(line, *differs, sep="\n    ", flush=True)
    print(f"{made} calls, {found} differ")
    return found > 0


if __name__ == "__main__":
    sys.exit(main())
