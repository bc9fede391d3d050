"""The table of operations: one row for each, and everything else is derived from the rows.

A row says what an operation is called, which function builds it, which NumPy functions it stands for, and how
it runs. `lazyarr.numpy` is made from the rows, `__array_function__` finds its target in them, the completeness
tests walk them. The rows themselves stand beside the functions, one file a family:

    elementwise   ufuncs and their costs, where, clip, round, isclose
    reduction     sum ... std, their nan-variants, argmax, cumsum, median
    layout        reshape, transpose, flip, split, concatenate, pad
    indexing      take, choose, and what `x[...]` does with arrays as indices
    writing       copyto, put, place, fill_diagonal, ufunc.at
    packing       packbits, unravel_index
    sorting       sort, searchsorted, median
    histograms    histogram, histogramdd
    polynomials   poly, polyfit
    contraction   dot, inner, vdot, convolve
    einsum        sums of products
    matrices      whether matrices are symmetric or triangular
    logsumexp     logarithms of sums of exponentials
    linalg        solve, inv, svd, eigh, qr: what LAPACK computes
    creation      zeros, arange, array, meshgrid
    dlpack        from_dlpack, and lending memory to other libraries
    opaque        how a NumPy function is called, and what always runs at once
"""
import functools
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass

import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.numpy_errors import guarded

# How an operation runs.
NATIVE = "native"        # nodes of the core, or a composition of such operations
OPAQUE = "lazy-opaque"   # one opaque node: NumPy's function, called when the graph is evaluated
IMMEDIATE = "immediate"  # evaluates its arguments and calls NumPy's function at once
KINDS = frozenset({NATIVE, OPAQUE, IMMEDIATE})


@dataclass(frozen=True, slots=True)
class Op:
    """One operation.

    Attributes
    ----------
    name : str
        Its place under `numpy`: ``"sum"``, ``"linalg.inv"``.
    function : callable
        What users call. For ufuncs, NumPy's ufunc itself.
    numpy : tuple
        The NumPy objects it stands for: ``(np.max, np.amax)``.
    kind : str
        ``NATIVE``, ``OPAQUE`` or ``IMMEDIATE``.
    cost : float or None
        Nanoseconds an element on one core, operands in cache (ufuncs only).
    doc : str
        One sentence: what it does here.
    """

    name: str
    function: Callable
    numpy: tuple
    kind: str
    cost: float | None = None
    doc: str = ""



class _Table(MutableMapping[str, Op]):
    """The rows by their names. Whoever looks at them finds those of all families, imported or not until then."""

    def __getitem__(self, name):
        core.prepare()
        return _rows[name]

    def __setitem__(self, name, op):
        _rows[name] = op

    def __delitem__(self, name):
        del _rows[name]

    def __iter__(self):
        core.prepare()
        return iter(_rows)

    def __len__(self):
        core.prepare()
        return len(_rows)


_rows: dict[str, Op] = {}
_by_numpy: dict[Callable, Op] = {}
TABLE = _Table()


def add(op):
    """Add a row to the table; the name and each NumPy counterpart may appear once."""
    if op.kind not in KINDS:
        raise ValueError(f"{op.name}: unknown kind {op.kind!r}")
    if op.name in _rows:
        raise ValueError(f"{op.name} is already in the table")
    _rows[op.name] = op
    for counterpart in op.numpy:
        if _by_numpy.setdefault(counterpart, op) is not op:
            raise ValueError(f"{op.name}: NumPy's {counterpart.__name__} already has a row")
    return op


def find(counterpart):
    """The row that stands for a NumPy function or ufunc, or None.

    Examples
    --------
    >>> import numpy as np
    >>> from lazyarr.ops import table
    >>> table.find(np.amax).name
    'max'
    """
    try:
        return _by_numpy.get(counterpart)
    except TypeError:  # unhashable: no NumPy function
        return None


def numpy_name(counterpart):
    """Where a NumPy function lives under `numpy`: ``"sum"``, ``"linalg.inv"``."""
    module = counterpart.__module__.removeprefix("numpy").removeprefix(".")
    name = counterpart.__name__
    # Others tell where they are implemented; one whose name means another function in `numpy` itself is not that.
    is_other = module in ("linalg", "fft") or (module and getattr(np, name, counterpart) is not counterpart)
    return f"{module}.{name}" if is_other else name


def mirror(public, original):
    """Give a function the name, the place and the documentation of the NumPy function it stands for."""
    name = numpy_name(original)
    public.__name__ = public.__qualname__ = original.__name__
    public.__module__ = "lazyarr.numpy" + f".{name}".rpartition(".")[0]
    public.__doc__ = original.__doc__
    public.__wrapped__ = original
    return public


def row(*counterparts, kind=NATIVE, checks_out=False):
    """Decorator: register a function as the row for NumPy's `counterparts`.

    The function's docstring becomes the row's sentence, followed for readers by NumPy's own documentation. With
    `checks_out`, NumPy checks the form of calls with `out` beforehand. The function itself is returned, so that other
    operations call it directly; users get `op.function`, which leaves operands with array semantics of their own to
    NumPy.
    """
    def register(function):
        original = counterparts[0]
        sentence = (function.__doc__ or "").strip().split("\n")[0]

        function.checks_out = checks_out
        public = mirror(guarded(function, original, checks_out), original)
        public.stored_as = f"numpy {numpy_name(original)}"
        public.__doc__ = f"{sentence}\n\nAs in NumPy:\n\n{original.__doc__ or ''}"
        public.__wrapped__ = function  # whose signature and defaults are shown
        add(Op(numpy_name(original), public, counterparts, kind, doc=sentence))
        return function

    return register


# Of reductions: each step of NumPy's has rules of its own for `out`.
reduction_row = functools.partial(row, checks_out=True)


def names(*candidates, module=np):
    """Those of the candidates that this NumPy has: functions come and go between its versions."""
    return tuple(dict.fromkeys(getattr(module, name) for name in candidates if hasattr(module, name)))
