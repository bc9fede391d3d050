"""The table of operations: one row each, from which everything else is derived.

A row states an operation's name, the function that builds it, the NumPy functions it stands for, and how it runs.
`lazyarr.numpy` is built from the rows, `__array_function__` looks its target up in them, and the completeness tests
iterate over them. Rows are declared beside their functions, one file per family (see `lazyarr.ops`).
"""
import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.numpy_errors import guarded

TRAITS = {
    "affine": "adds to an operand or multiplies it, if the other one is constant",
    "arithmetic": "rounds each element alike, however the loop is called, but for which of two NaNs it takes",
    "bits": "works on each bit",
    "by_divmod": "NumPy's scalars of half precision compute the quotient as well, which may overflow",
    "cheap": "takes less time than its result's way to memory and back",
    "commutative": "may have its operands exchanged",
    "complement": "of a truth value gives the other one",
    "exact": "of floats, neither rounds nor chooses between two NaNs, or rounds as IEEE 754 has it",
    "extremum": "gives one of its operands; of floats the order decides which of two zeros or NaNs",
    "idempotent": "gives one of two equal operands",
    "largest": "of extrema: the larger of the operands",
    "matrix_product": "is the product of matrices, which has kernels of its own",
    "not_differentiable": "gives floats that depend on how numbers are stored",
    "ordering": "tells which operand is larger",
    "product": "multiplies: a fold is a product",
    "quiet": "reports no floating-point error, unless operands are complex",
    "quiet_of_integers": "reports no floating-point error of integers and bools",
    "raises": "NumPy's loops for integers raise Python errors",
    "rounding": "gives whole numbers",
    "skips_nan": "of extrema: of a NaN and a number gives the number",
    "sum": "adds: a fold is a sum, pairwise of floats",
    "truth": "takes the truth of its operands",
    "warns_of_third": "NumPy takes an array in the third place for a mistake",
}
"""Properties that a row may declare of a ufunc."""

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
        Its name under `numpy`: ``"sum"``, ``"linalg.inv"``; under `lazyarr` for a ufunc that NumPy does not have.
    function : callable or None
        What users call. For ufuncs, the ufunc itself; None if neither NumPy nor lazyarr exports it.
    numpy : tuple
        The NumPy objects it stands for: ``(np.max, np.amax)``. For lazyarr's own ufuncs, the ufunc.
    kind : str
        ``NATIVE``, ``OPAQUE`` or ``IMMEDIATE``.
    cost : float or None
        Nanoseconds per element on one core with operands in cache (ufuncs only).
    doc : str
        One sentence: what it does here.
    traits : frozenset of str
        A subset of `TRAITS`. This attribute and all below apply to ufuncs only.
    integers : float or None
        The cost for integer operands, if different.
    operator : callable or None
        Python's operator, as a function.
    neutral : float or None
        A second operand that leaves the first unchanged in a fold.
    start : str
        Kinds of dtypes for which it is visible that NumPy starts folds with the identity: -0.0 + 0 is 0.
    derivative : tuple of str, dict or None
        An expression per operand (see `ufunc_rows`); for several results, a dict of such tuples by result number.
    of_complex : tuple of str or None
        The same for complex numbers, if different.
    fold : str or None
        The name of the derivative of its fold, see `autodiff.ufunc_vjps`. None if it is composed of this derivative.
    combined_by : str or None
        The ufunc that combines all operands after the first: ``(x / y) / z`` is ``x / (y * z)``.
    opposite : str or None
        For a comparison, the one that is true where this one is false, NaN excepted.
    inverse : (str, float) or None
        The inverse ufunc for real numbers, and an operand of it for which floats differ.
    """

    name: str
    function: Any
    numpy: tuple
    kind: str
    cost: float | None = None
    doc: str = ""
    traits: frozenset[str] = frozenset()
    integers: float | None = None
    operator: Callable[..., Any] | None = None
    neutral: float | None = None
    start: str = ""
    derivative: tuple[str, ...] | dict[int, tuple[str, ...]] | None = None
    of_complex: tuple[str, ...] | None = None
    fold: str | None = None
    combined_by: str | None = None
    opposite: str | None = None
    inverse: tuple[str, float] | None = None


class _Table(Mapping[str, Op]):
    """Map names to rows; any access imports all families first."""

    def __getitem__(self, name):
        core.prepare()
        return _rows[name]

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
    for counterpart in op.numpy:
        if _by_numpy.setdefault(counterpart, op) is not op:
            raise ValueError(f"{op.name}: NumPy's {counterpart.__name__} already has a row")
    _rows[op.name] = op


def find(counterpart):
    """Return the row that stands for a NumPy function or ufunc, or None.

    Examples
    --------
    >>> find(np.amax).name
    'max'
    """
    try:
        return _by_numpy.get(counterpart)
    except TypeError:  # unhashable, so not a NumPy function
        return None


def numpy_name(counterpart):
    """Return the name of a NumPy function under `numpy`: ``"sum"``, ``"linalg.inv"``."""
    module = counterpart.__module__.removeprefix("numpy").removeprefix(".")
    name = counterpart.__name__
    # Add the module if the bare name is another function in `numpy` itself.
    is_other = module in ("linalg", "fft") or (module and getattr(np, name, counterpart) is not counterpart)
    return f"{module}.{name}" if is_other else name


def mirror(public, original):
    """Give a function the name, module and documentation of the NumPy function it stands for."""
    name = numpy_name(original)
    public.__name__ = public.__qualname__ = original.__name__
    public.__module__ = "lazyarr.numpy" + f".{name}".rpartition(".")[0]
    public.__doc__ = original.__doc__
    public.__wrapped__ = original
    return public


def row(*counterparts, kind=NATIVE, checks_out=False, sentence=None):
    """Register the decorated function as the row for NumPy's `counterparts`.

    `sentence`, by default the first line of the docstring, describes the row and is followed by NumPy's own
    documentation. With `checks_out`, NumPy validates calls with `out` beforehand. The decorator returns the function
    itself, so that other operations call it directly. Users get `op.function`, which defers to NumPy for operands that
    implement array protocols themselves.
    """
    def register(function):
        original = counterparts[0]
        own = sentence or (function.__doc__ or "").strip().split("\n")[0]

        function.checks_out = checks_out
        public = mirror(guarded(function, original, checks_out), original)
        public.stored_as = f"numpy {numpy_name(original)}"
        public.__doc__ = f"{own}\n\nAs in NumPy:\n\n{original.__doc__ or ''}"
        public.__wrapped__ = function  # its signature and defaults are shown
        add(Op(numpy_name(original), public, counterparts, kind, doc=own))
        return function

    return register


# For reductions: NumPy treats `out` differently at each step.
reduction_row = functools.partial(row, checks_out=True)


def names(*candidates, module=np):
    """Return those candidates that this version of NumPy has."""
    return tuple(dict.fromkeys(getattr(module, name) for name in candidates if hasattr(module, name)))
