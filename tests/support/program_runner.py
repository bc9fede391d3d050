"""Runs a program in lockstep with NumPy and with a namespace that should behave identically.

A program is a list of lines of Python over ``xp`` (NumPy, or the namespace under test), ``np``, ``make``, ``look``
(evaluate these variables now) and ``show`` (compare this value now). The first letter of a variable sets its kind:
``v`` must match NumPy bit for bit, ``t`` may differ by the rounding of a reordered float sum, ``n`` is a plain ndarray
in both runs, ``s`` an array of another dtype: records, strings, dates, objects.

Start reading at :func:`check`.
"""

import functools
import re
import warnings

import numpy as np

from support import sample_values

WARNINGS = (RuntimeWarning, np.exceptions.ComplexWarning)


class Disagreement(AssertionError):
    """The namespace under test differs from NumPy; the message has the program and the place."""


class Run:
    """A run of a program: its variables, warnings and shown values.

    The warnings in ``perhaps`` are optional for the other run.
    """

    def __init__(self, xp, evaluate=lambda *arrays: None):
        self.warned = set()
        self.perhaps = set()
        self.shown = []
        # Nothing here refers to the run itself: the arrays must be freed with it, or they would be evaluated at some
        # point as part of the next program.
        self.variables = {"xp": xp, "np": np, "make": sample_values.make, "look": evaluate, "show": self.shown.append}

    def execute(self, function):
        """Call `function`, collect its warnings, and return its exception or None."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                function()
                error = None
            except Exception as exception:
                error = exception.with_traceback(None)
                error.__context__ = None
        for warning in caught:
            if issubclass(warning.category, WARNINGS):
                # NumPy scalars warn of "scalar add", arrays of "add"; a lazy scalar is a 0-d array internally. Scalars
                # also warn where arrays do not: twice for 1.0 % 0.0. And results of a line that later fails may never
                # be used.
                text = str(warning.message).replace("scalar ", "")
                self.warned.add(text)
                if error is not None or ("encountered in scalar" in str(warning.message) and "overflow" not in text):
                    self.perhaps.add(text)
        return error

    def line(self, line):
        return self.execute(functools.partial(exec, compiled(line), self.variables))

    def results(self):
        return {name: value for name, value in self.variables.items() if re.fullmatch(r"[vnts]\d+", name)}


@functools.lru_cache(4096)
def compiled(line):
    return compile(line, "<program>", "exec")


def error_text(error):
    """Return class and message of an exception, with the names of array and scalar types unified."""
    text = re.sub(r"\b(numpy\.(ndarray|bool|u?int\d+|float\d+|complex\d+|c?longdouble)|"
                  r"(lazyarr\.(\w+\.)*)?LazyArray|ndarray)\b", "array", str(error))
    if text.startswith("unsupported operand type(s) for") or " not supported for the input types" in text:
        text = "unsupported operands"  # the first is the text of NumPy's scalars, the second that of its arrays
    return f"{type(error).__name__}: {text}"


def check(lines, xp, evaluate, warn=None, at_once=False):
    """Run a program with NumPy and with `xp` and raise where they differ.

    Shapes, dtypes and exceptions are compared after each line, values at each ``show`` and, for all variables, at
    the end.

    Parameters
    ----------
    lines : list of str
    xp : module
        Namespace under test.
    evaluate : callable
        ``evaluate(*arrays)``: evaluates several arrays of `xp`.
    warn : {None, "subset", "equal"}
        How the set of warnings must relate to NumPy's.
    at_once : bool
        Whether to evaluate all variables after each line, so that errors on evaluation count as the line's; only for
        programs that change no variable.

    Raises
    ------
    Disagreement
    """
    eager, lazy = Run(np), Run(xp, evaluate)

    def fail(place, what):
        text = "\n    ".join(lines)
        raise Disagreement(f"{place}: {what}\n  the program:\n    {text}")

    for line in lines:
        expected, before = eager.line(line), dict(lazy.variables)
        got = lazy.line(line)
        if at_once and got is None:
            got = lazy.execute(lambda: evaluate(*lazy.results().values()))
            if got is not None:
                lazy.variables = before
        if (expected is None) != (got is None) or (expected is not None and error_text(expected) != error_text(got)):
            fail(line, f"NumPy raised {expected!r}, got {got!r}")
        if eager.results().keys() != lazy.results().keys():
            fail(line, f"NumPy has variables {[*eager.results()]}, got {[*lazy.results()]}")
        for name, value in eager.results().items():
            got = lazy.variables[name]
            if type(got) is np.ndarray and name[0] == "v":  # from a plain ndarray and a NumPy scalar
                got = lazy.variables[name] = xp.asarray(got)
            problem = form_difference(value, got)
            if problem is None and got is not before.get(name):
                problem = memory_difference(value, got)
            if problem is not None:
                fail(line, f"{name}: {problem}")
        if eager.shown != lazy.shown:
            fail(line, f"NumPy shows {eager.shown[-1]!r}, got {lazy.shown[-1]!r}")
    for name, value in eager.results().items():
        if (problem := memory_difference(value, lazy.variables[name])) is not None:
            fail("at the end", f"{name}: {problem}")
    if (problem := sharing_difference(eager.results(), lazy.results(), np, xp)) is not None:
        fail("at the end", problem)
    if len(lines) % 2:  # in one evaluation; otherwise one by one, below
        error = lazy.execute(lambda: evaluate(*lazy.results().values()))
        if error is not None:
            fail("at the end", f"got {error!r}")
    for name, value in eager.results().items():
        problems = []
        error = lazy.execute(
            lambda name=name, value=value, problems=problems:
            problems.append(value_difference(value, lazy.variables[name], exact=name[0] != "t")))
        if error is not None:
            fail("at the end", f"{name}: got {error!r}")
        if problems[0] is not None:
            fail("at the end", f"{name}: {problems[0]}")
    if warn is not None and not lazy.warned <= eager.warned | _warned_without_buffers(lines, eager, lazy):
        fail("warnings", f"NumPy does not warn of {lazy.warned - eager.warned}")
    if warn == "equal" and not eager.warned - eager.perhaps <= lazy.warned:
        fail("warnings", f"NumPy warns of {eager.warned}, got {lazy.warned}")


def _warned_without_buffers(lines, eager, lazy):
    """Return NumPy's further warnings if each array fits its buffer.

    The loops of some ufuncs, such as `absolute`, `maximum` and `left_shift`, clear the floating-point status, and
    thereby the overflow of a cast in an earlier buffer.
    """
    if lazy.warned <= eager.warned:
        return set()
    run, size = Run(np), np.setbufsize(1 << 22)
    try:
        for line in lines:
            run.line(line)
    finally:
        np.setbufsize(size)
    return run.warned


def form_difference(expected, got):
    """Compare shape and dtype, without evaluating; return a description or None."""
    for attribute in ("shape", "dtype"):
        if getattr(expected, attribute, None) != getattr(got, attribute, None):
            return f"{attribute} is {getattr(expected, attribute, None)} in NumPy, got {getattr(got, attribute, None)}"
    return None


def memory_difference(expected, got):
    """Compare strides and flags; return a description or None."""
    scalar = getattr(got, "_scalar", isinstance(got, np.generic))
    if isinstance(expected, np.generic) != scalar:
        return f"is {'a scalar' if not scalar else 'an array'} in NumPy, got {'a scalar' if scalar else 'an array'}"
    if scalar:
        return None
    if expected.nbytes >= ELIDED:
        return None
    for name, told in (("strides", steps), ("flags", flags)):
        if told(expected) != told(got):
            return f"{name} are {told(expected)} in NumPy, got {told(got)}"
    return None


def steps(array):
    """Return the strides along axes with several elements."""
    return [step for step, extent in zip(array.strides, array.shape, strict=True) if extent > 1 and array.size]


def flags(array):
    """Return the names of the flags that are set."""
    number = array.flags.num & 0xFFFFFFFF
    return {name for name, bit in FLAGS.items() if number & bit}


# From this many bytes on, NumPy computes into temporary operands, so that results inherit their layout.
ELIDED = 256 * 1024
FLAGS = {"C_CONTIGUOUS": 1, "F_CONTIGUOUS": 2, "OWNDATA": 4, "ALIGNED": 0x100, "WRITEABLE": 0x400,
         "WARN_ON_WRITE": 1 << 31}


def sharing_difference(expected, got, np, xp):
    """Compare all pairs of variables: shared memory, identity, bases."""
    arrays = [name for name, value in expected.items() if isinstance(value, np.ndarray) and name[0] != "n"]
    for i, a in enumerate(arrays):
        for b in arrays[:i]:
            x, y, u, v = expected[a], expected[b], got[a], got[b]
            if (x is y) != (u is v):
                return f"{a} is {b}: {x is y} in NumPy, got {u is v}"
            if (base_of(x) is y, base_of(y) is x) != (base_of(u) is v, base_of(v) is u):
                return f"{a}.base is {b} or the reverse: in NumPy {base_of(x) is y, base_of(y) is x}, here not"
            for function in ("may_share_memory", "shares_memory"):
                want, found = getattr(np, function)(x, y), getattr(xp, function)(u, v)
                if want != found:
                    return f"{function}({a}, {b}) is {want} in NumPy, got {found}"
    return None


def base_of(array):
    """Return the owner of the memory, skipping the object that NumPy's as_strided puts in between."""
    base = array.base
    while (isinstance(base, np.ndarray) and base.base is not None) or type(base).__name__ == "DummyArray":
        base = base.base
    return base


def value_difference(expected, got, exact=True):
    """Compare an array, a scalar or an object with NumPy's; return a description or None."""
    if (problem := form_difference(expected, got)) is not None:
        return problem
    if not isinstance(expected, np.ndarray | np.generic):
        return None if repr(expected) == repr(got) else f"is {expected!r} in NumPy, got {got!r}"
    expected, got = np.asarray(expected), np.asarray(got)
    if (problem := form_difference(expected, got)) is not None:
        return "when evaluated " + problem
    if expected.dtype.kind not in "biufc":
        return None if repr(expected) == repr(got) else f"is {expected!r} in NumPy, got {got!r}"
    with np.errstate(all="ignore"):
        agree = sample_values.same_values(expected, got) if exact else sample_values.near_values(expected, got)
    if agree.all():
        return None
    index = tuple(int(i[0]) for i in np.nonzero(~np.atleast_1d(agree)))
    first = index if expected.ndim else ()
    return f"{(~agree).sum()} of {agree.size} differ, at {first} is {expected[first]!r} in NumPy, got {got[first]!r}"


def disagrees(lines, xp, evaluate, **options):
    """Return the message of the disagreement, or None."""
    try:
        check(lines, xp, evaluate, **options)
    except Disagreement as error:
        return str(error)
    return None


def minimise(lines, fails):
    """Remove lines while ``fails(lines)`` stays true; return the shorter program.

    Lines that use a removed variable raise the same NameError in both runs, and are removed in turn. A shorter program
    must fail twice, so that reproducible failures are preferred.
    """
    size = max(1, len(lines) // 2)
    while size:
        start = 0
        while start < len(lines):
            shorter = lines[:start] + lines[start + size:]
            if fails(shorter) and fails(shorter):
                lines = shorter
            else:
                start += size
        size //= 2
    return lines
