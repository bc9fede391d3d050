"""Matrix predicates: symmetric, Hermitian, triangular."""
import numbers

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr.ops.arguments import operand
from lazyarr.ops.layout import swapaxes
from lazyarr.ops.operands import cast
from lazyarr.ops.reduction import all as all_true
from lazyarr.ops.vmap_helpers import unchanged

_BOOL = np.dtype(bool)
_SYMMETRIC, _HERMITIAN, _LOWER, _UPPER = range(4)


def _matrices(name, a):
    x = operand(a, f"{name}: a")
    if x.ndim < 2:
        raise ValueError(f"{name}: a must have two axes or more, got shape {x.shape}")
    own = x.dtype.newbyteorder("=")
    # Half precision is compared in single, which represents its values.
    return cast(x, np.dtype(np.float32) if own == np.float16 else own)


class _Predicate(core.Kernel):
    """Whether each matrix satisfies a predicate."""

    batch = staticmethod(unchanged)

    def __init__(self, what):
        self.what = what

    @staticmethod
    def accept(x):
        return x.dtype.char in "?bBhHiIlLqQfdFD" and x.dtype.isnative

    def __call__(self, out, x):
        core.kernels.matrix_predicates.fill(out, x, self.what)

    def reference(self, x):
        """Compare all elements."""
        if self.what == _SYMMETRIC:
            return (x == x.swapaxes(-1, -2)).all((-2, -1))
        if self.what == _HERMITIAN:
            return (x == x.swapaxes(-1, -2).conj()).all((-2, -1))
        outside = np.triu(x, 1) if self.what == _LOWER else np.tril(x, -1)
        return (outside == 0).all((-2, -1))


def _check(name, x, what):
    """Return the kernel's result for each matrix."""
    made = core.kernel(name, _Predicate(what), [x], x.shape[:-2], _BOOL)
    return made if made.ndim else core.scalar(made)


def _mirrored(name, a, rtol, atol, what):
    x = _matrices(name, a)
    for tolerance in (rtol, atol):
        if not isinstance(tolerance, numbers.Real) and getattr(tolerance, "shape", None) != ():
            raise TypeError(f"{name}: rtol and atol must be real numbers, got {tolerance!r}")
    if not (rtol >= 0 and atol >= 0):
        raise ValueError(f"{name}: rtol and atol must not be negative, got {rtol!r} and {atol!r}")
    if x.shape[-1] != x.shape[-2]:
        return core.full(x.shape[:-2], False, _BOOL) if x.ndim > 2 else core.scalar(core.full((), False, _BOOL))
    exact = rtol == 0 and atol == 0
    if exact and _Predicate.accept(x):
        return _check(name, x, what)
    other = swapaxes(x, -1, -2)
    if what == _HERMITIAN:
        other = core.ufunc(np.conjugate, (other,))
    near = core.ufunc(np.equal, (x, other))
    if not exact:
        if x.dtype.kind in "biu":
            x, other = cast(x, np.dtype(float)), cast(other, np.dtype(float))
        with np.errstate(invalid="ignore", over="ignore"):  # inf - inf; equal elements are close anyway
            bound = core.ufunc(np.absolute, (other,)) * rtol + atol
            distance = core.ufunc(np.absolute, (core.ufunc(np.subtract, (x, other)),))
            finite = core.ufunc(np.isfinite, (bound,))
            near = near | (core.ufunc(np.less_equal, (distance, bound)) & finite)
    return all_true(near, (-2, -1))


@api_boundary
def is_symmetric(a, *, rtol=0, atol=0):
    """Test whether matrices equal their transposes.

    A matrix that is not square is not symmetric; an empty square one is.

    Parameters
    ----------
    a : array_like, shape (..., m, n)
        Of any numeric dtype; a matrix or a stack of them.
    rtol, atol : float, optional
        Elements x and y may differ by ``atol + rtol * abs(y)`` and by ``atol + rtol * abs(x)``. By default they must be
        equal, and the first difference ends the search.

    Returns
    -------
    LazyArray, shape (...)
        Of bools. NaN is not equal to anything.

    Raises
    ------
    TypeError
        For a dtype that is not numeric, or a tolerance that is not a number.
    ValueError
        For fewer than two axes or a negative tolerance.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.is_symmetric(la.array([[1, 2], [2, 3]]))
    np.True_
    >>> la.is_symmetric(la.array([[[1.0, 2], [2, 3]], [[1, 2], [2.1, 3]]]), rtol=0.01)
    array([ True, False])
    """
    return _mirrored("is_symmetric", a, rtol, atol, _SYMMETRIC)


@api_boundary
def is_hermitian(a, *, rtol=0, atol=0):
    """Test whether matrices equal their conjugate transposes; parameters, result and errors as for `is_symmetric`.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.is_hermitian(la.array([[1, 2j], [-2j, 3]]))
    np.True_
    """
    return _mirrored("is_hermitian", a, rtol, atol, _HERMITIAN)


@api_boundary
def is_triangular(a, *, lower=False):
    """Test whether matrices are zero below the diagonal, or above it.

    Parameters
    ----------
    a : array_like, shape (..., m, n)
        Of any numeric dtype; a matrix or a stack of them, square or not.
    lower : bool, optional
        Whether nothing but zeros may stand above the diagonal; by default, below it.

    Returns
    -------
    LazyArray, shape (...)
        Of bools. NaN is not zero.

    Raises
    ------
    TypeError
        For a dtype that is not numeric.
    ValueError
        For fewer than two axes.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.is_triangular(la.array([[1, 2], [0, 3]]))
    np.True_
    >>> la.is_triangular(la.array([[1, 2], [0, 3]]), lower=True)
    np.False_
    """
    x = _matrices("is_triangular", a)
    if not _Predicate.accept(x):
        x = core.ufunc(np.not_equal, (x, 0))
    return _check("is_triangular", x, _LOWER if lower else _UPPER)
