"""`delay`: Python functions as lazy operations."""
import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.arguments import array_argument, bounded, integer
from lazyarr.ops.deferred_dispatch import deferrable


@deferrable
def delay(fn, *arrays, shape, dtype):
    """Call ``fn(*arrays)`` only when its result is needed.

    Parameters
    ----------
    fn : callable
        Takes read-only ndarrays and returns an array of the declared shape and dtype, or a tuple of arrays. It need not
        be pure: each call whose result is needed runs exactly once, and equal calls are not merged.
    *arrays : array_like
        The arguments of `fn`.
    shape : tuple of int or list of tuples
        The shape of the result, or a list of shapes for several results.
    dtype : data-type or list of data-types
        One dtype for each shape.

    Returns
    -------
    LazyArray or tuple of LazyArray

    Raises
    ------
    TypeError
        If `fn` is not callable; during evaluation, if it returns another dtype.
    ValueError
        For a negative extent, or if the numbers of shapes and dtypes differ; during evaluation, if `fn` returns another
        shape or another number of results.

    See Also
    --------
    evaluate_async : computes values on another thread
    custom_vjp : defines the derivative of a function, such as one that calls this

    Notes
    -----
    `fn` runs in the evaluating thread, inside the evaluation. It may use and evaluate other arrays and wait for futures
    of `evaluate_async`, but must not wait for another thread that evaluates. Independent calls run in any order.

    If `fn` raises, the evaluation raises the same exception with a note that names this call. ArithmeticError,
    LookupError, TypeError and ValueError are final: later uses of the result raise the same without another call.
    After other exceptions, the next use calls `fn` again.

    A graph of `lazyarr.jit` makes the call in each run, and once more for its derivative. A loop makes it in each
    iteration if it depends on the state, otherwise once. `lazyarr.vmap` makes it for each element of the batch. The
    call itself has no derivative.

    Examples
    --------
    >>> def load(numbers):
    ...     print("loading")
    ...     return numbers * 10.0
    >>> x = la.delay(load, la.arange(3), shape=(3,), dtype=float) + 1
    >>> x
    loading
    array([ 1., 11., 21.])
    >>> low, count = la.delay(lambda a: (a.min(), a.size), x, shape=[(), ()], dtype=[float, int])
    >>> float(low), int(count)
    (1.0, 3)
    """
    if not callable(fn):
        raise TypeError(f"delay: {fn!r} is not callable")
    is_single = not (isinstance(shape, list | tuple) and any(isinstance(one, list | tuple) for one in shape))
    if not is_single and (not isinstance(dtype, list | tuple) or len(dtype) != len(shape)):
        raise ValueError(f"delay: {len(shape)} shapes need a list of as many dtypes, got {dtype!r}")
    specs = [(_shape(s), np.dtype(d)) for s, d in ([(shape, dtype)] if is_single else zip(shape, dtype, strict=True))]
    operands = [array_argument(x, f"delay: argument {k}") for k, x in enumerate(arrays)]
    call = _Call(fn, specs, is_single)
    made = core.opaque_multi(f"delay of {call.name}", call, operands, specs, is_native=True)
    return made[0] if is_single else made


class _Call:
    """A call of a user's function, which may keep its arguments and later change what it returned."""

    draws = True    # traced functions make the call each time, even without arguments
    once = True     # derivatives do not repeat it

    def __init__(self, function, specs, is_single):
        self.function, self.specs, self.is_single = function, specs, is_single
        self.name = getattr(function, "__name__", type(function).__name__)

    def __call__(self, *arrays):
        made = self.function(*arrays)
        if self.is_single:
            made = (made,)
        elif not isinstance(made, list | tuple) or len(made) != len(self.specs):
            got = f"{len(made)}" if isinstance(made, list | tuple) else type(made).__name__
            raise ValueError(f"{self.name} must return {len(self.specs)} results, got {got}")
        return tuple([self._checked(y, *spec) for y, spec in zip(made, self.specs, strict=True)])

    def _checked(self, y, shape, dtype):
        array = np.asarray(y, dtype if dtype.hasobject and not isinstance(y, np.ndarray) else None)
        if array.dtype != dtype:
            raise TypeError(f"{self.name} must return {dtype}, got {_kind(y, array.dtype)}")
        if array.shape != shape:
            raise ValueError(f"{self.name} must return an array of shape {shape}, got {array.shape}")
        return array.view()     # memory owned by others is copied


def _kind(y, dtype):
    return dtype if isinstance(y, np.ndarray | np.generic) else f"{type(y).__name__}, as an array {dtype}"


def _shape(given):
    extents = given if isinstance(given, list | tuple) else (given,)
    return bounded(tuple([integer(n, "delay: shape", 0) for n in extents]), "delay: shape")
