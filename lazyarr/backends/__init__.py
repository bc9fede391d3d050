"""Backends: implementations of calls, chosen by name, by measurement or by cost.

A call is a step that is not a tile program: a matrix product, a convolution, a sort, a transform, a LAPACK routine. By
default its built-in implementation runs: a native kernel (``native``) or NumPy's function (``numpy``). Others are rows
of a table; `register` adds those of users.

    table     the table of rows
    rows      lazyarr's rows
    onednn    oneDNN's rows, if it is installed
    libdnnl   oneDNN's C library
    choice    the choice of a backend for each call
    measured  the fastest backend of each measured call
    tuner     measurement
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
    """Add a backend for an operation.

    Parameters
    ----------
    operation : str
        The operation as `explain` names it: ``"matmul"``, ``"linalg.inv"``, ``"fft.rfft"``, ``"conv2d"``. The error
        about an unknown operation lists all that can have backends.
    name : str
        The name of the backend, for `config.backend`.
    run : callable
        ``run(*arrays, **attributes)`` takes read-only ndarrays and the call's keyword arguments, such as ``axis``, and
        returns an ndarray of the shape and dtype that NumPy's function returns, or a tuple of such. Sorts have the
        attribute ``algorithm``, 2 for a stable sort. Convolutions have ``sums`` ("forward", "input" or "weight": which
        of the three arrays is the result), ``windows`` (extents, taps, strides, ...) and ``groups``.
    accepts : callable, optional
        ``accepts(*operands, **attributes)`` returns whether the backend supports a call, given the ``shape``, ``dtype``
        and ``strides`` of each operand. By default it supports all.
    cost : callable, optional
        ``cost(*operands, **attributes)`` estimates the time in nanoseconds. An exact backend is chosen automatically
        if its estimate is lower than that of the call's default backend.
    exact : bool
        Whether results have the same bits as by default. `config.exact` excludes other backends.
    out : bool
        Whether `run` takes a keyword ``out``. It is the array to write the result to, instead of returning it, or None.

    Returns
    -------
    Backend

    Raises
    ------
    TypeError
        If `run`, `accepts` or `cost` is not callable.
    ValueError
        For an unknown operation, or a name that is taken.
    RuntimeError
        During evaluation, if `run` returns another shape or dtype than the call has. Exceptions of `run` are raised
        with a note that names the operation and the backend.

    See Also
    --------
    unregister, known

    Notes
    -----
    `run` is called inside an evaluation: it may evaluate other arrays itself, but must not wait for another thread that
    evaluates.

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
    """Remove a backend of an operation.

    Parameters
    ----------
    operation, name : str

    Raises
    ------
    ValueError
        If there is no such backend.
    """
    table.discard(operation, name)


@api_boundary
def known(operation: str | None = None) -> tuple[Backend, ...]:
    """List the backends of an operation, or of all operations.

    Parameters
    ----------
    operation : str, optional
        All operations by default.

    Returns
    -------
    tuple of Backend
        A call's built-in implementation may be missing from the table.

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
