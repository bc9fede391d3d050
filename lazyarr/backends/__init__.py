"""Backends: several ways to compute one call, chosen by name, by measurement or by cost.

A call is what an evaluation does not compute in tile programs: a product of matrices, a convolution, a sort, a
transform, a routine of LAPACK. What it was built with runs by default: a native kernel (``native``) or NumPy's function
(``numpy``). Further rows are in `rows`; `register` adds users' own.

    table     the rows
    rows      those of lazyarr
    onednn    those of oneDNN, where it is installed
    libdnnl   its library
    choice    which one computes a call
    measured  which one was fastest
    tuner     measures them
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lazyarr._core.host.api_boundary import api_boundary
from lazyarr.backends import onednn, rows, table  # noqa: F401 - two of them register rows
from lazyarr.backends.choice import ALL
from lazyarr.backends.table import NATIVE, REFERENCE, Backend, Operand, check_operation
from lazyarr.backends.tuner import forget, measure

__all__ = ["Backend", "Operand", "forget", "known", "measure", "register", "unregister"]


@api_boundary
def register(operation: str, name: str, run: Callable[..., Any], *, accepts: Callable[..., bool] | None = None,
             cost: Callable[..., float] | None = None, exact: bool = False, out: bool = False) -> Backend:
    """Add a way to compute an operation.

    Parameters
    ----------
    operation : str
        As `explain` names the call: ``"matmul"``, ``"linalg.inv"``, ``"fft.rfft"``, ``"conv2d"``. The error about an
        unknown one lists all whose calls are described by their operands and fixed arguments.
    name : str
        By which `config.backend` asks for it.
    run : callable
        ``run(*arrays, **attributes)`` gets read-only ndarrays and the call's fixed arguments that were given, such as
        ``axis``, and returns an ndarray of the form that NumPy's function would return, or a tuple of such. Sorts
        have ``algorithm``, 2 for a stable one, convolutions ``sums`` (forward, input or weight: which of the three
        arrays is the result), ``windows`` (their extents, taps, strides, ...) and ``groups``.
    accepts : callable, optional
        ``accepts(*operands, **attributes)`` says whether it computes a call: of each operand it gets the ``shape``,
        ``dtype`` and ``strides``. By default it computes all.
    cost : callable, optional
        The same for an estimate in nanoseconds. An exact backend is chosen without being asked for if it costs less
        than the row of the backend that the call was built with, where both say what they cost.
    exact : bool
        Whether results have the same bits as by default. With `config.exact` no others run.
    out : bool
        Whether `run` takes a keyword ``out``: the array to write the result to, and nothing is returned; or None, where
        a call has none, and the result is returned.

    Returns
    -------
    Backend

    Raises
    ------
    TypeError
        If `run`, `accepts` or `cost` is not callable.
    ValueError
        For an operation that has no calls, or a name that is taken. An evaluation raises RuntimeError if `run` returns
        another form than the call has; what `run` raises, it raises with a note that names both.

    See Also
    --------
    unregister, known

    Notes
    -----
    `run` is called in the middle of an evaluation, of which there is one at a time: it may evaluate arrays itself, but
    not wait for another thread that does.

    Examples
    --------
    >>> import numpy as np
    >>> import lazyarr as la
    >>> def by_cofactors(a):
    ...     (p, q), (r, s) = a
    ...     return np.array([[s, -q], [-r, p]]) / (p * s - q * r)
    >>> row = la.backends.register("linalg.inv", "cofactors", by_cofactors, accepts=lambda a: a.shape == (2, 2))
    >>> x = la.asarray([[1.0, 2.0], [3.0, 4.0]])
    >>> with la.backend("cofactors"):
    ...     y = np.linalg.inv(x) @ x
    ...     print(la.explain(y).steps[0].operations)
    ...     print(y)
    ('linalg.inv [cofactors]',)
    [[1. 0.]
     [0. 1.]]
    >>> la.backends.unregister("linalg.inv", "cofactors")
    """
    check_operation(operation)
    if not isinstance(name, str) or name in ("", ALL, NATIVE, REFERENCE):
        raise ValueError(f"a backend needs a name of its own, got {name!r}")
    for what, given in (("run", run), ("accepts", accepts), ("cost", cost)):
        if not callable(given) and (given is not None or what == "run"):
            raise TypeError(f"{what} must be callable, got {type(given).__name__}")
    row = Backend(operation, name, run, accepts, cost, bool(exact), bool(out), fresh=False)
    table.add(row)
    return row


@api_boundary
def unregister(operation: str, name: str) -> None:
    """Do without a backend of an operation.

    Parameters
    ----------
    operation, name : str

    Raises
    ------
    ValueError
        If there is none of this name.
    """
    table.discard(operation, name)


@api_boundary
def known(operation: str | None = None) -> tuple[Backend, ...]:
    """The rows of an operation, or of all; what a call was built with needs none.

    Parameters
    ----------
    operation : str, optional

    Returns
    -------
    tuple of Backend

    Examples
    --------
    >>> import lazyarr as la
    >>> [row.name for row in la.backends.known("matmul")]
    ['onednn', 'numpy', 'native']
    """
    if operation is None:
        return tuple(row for rows in table.all_rows() for row in rows)
    check_operation(operation)
    return tuple(table.rows_of(operation).values())
