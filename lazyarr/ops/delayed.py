"""Functions of the program as operations: `delay` calls them when their results are needed."""
import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.arguments import array_argument, bounded, integer
from lazyarr.ops.deferred_dispatch import deferrable


@deferrable
def delay(fn, *arrays, shape, dtype):
    """The result of ``fn(*arrays)``, a function of ndarrays that is called when the values are needed.

    Parameters
    ----------
    fn : callable
        It is given read-only ndarrays and returns an array of this shape and dtype, or a tuple of arrays if there are
        several. It need not be a pure function: equal calls are made separately, each once, and none that nobody needs
        the result of.
    *arrays : array_like
        Its arguments. What is no LazyArray is made one, as by any operation.
    shape : tuple of int or list of tuples
        A list of shapes is that of several results.
    dtype : data-type or list of data-types
        As many as there are shapes.

    Returns
    -------
    LazyArray or tuple of LazyArray

    Raises
    ------
    TypeError
        If `fn` is not callable. When it is evaluated: if `fn` returns another dtype.
    ValueError
        For a negative extent, or if there are not as many dtypes as shapes. When it is evaluated: if `fn` returns
        another shape, or another number of results.

    See Also
    --------
    evaluate_async : computes values on another thread
    custom_vjp : states the derivative of a function, such as one that calls this

    Notes
    -----
    The function runs in the thread that evaluates, in the middle of an evaluation, of which there is one at a time. It
    may use arrays, evaluate others and wait for futures of `evaluate_async`, but not wait for another thread that
    evaluates. Calls that do not depend on each other's results have no order.

    If it raises, so does the evaluation, with a note that names this call. After an ArithmeticError, LookupError,
    TypeError or ValueError the call is not made again: later looks raise the same. Others may not recur, so the next
    look makes the call again.

    A function that `lazyarr.jit` has traced makes the call each time that it runs, and once more for its derivative; a
    loop makes it each time around if it depends on what goes around. `lazyarr.vmap` makes it for each element of the
    batch. The call itself has no derivative.

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
    """A call of a program's function, which may keep what it is given, and goes on to change what it returned."""

    draws = True    # functions that are traced make the call each time, even without arguments
    once = True     # derivatives do not make it again

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
        return array.view()     # memory that is not the array's own is copied


def _kind(y, dtype):
    return dtype if isinstance(y, np.ndarray | np.generic) else f"{type(y).__name__}, as an array {dtype}"


def _shape(given):
    extents = given if isinstance(given, list | tuple) else (given,)
    return bounded(tuple([integer(n, "delay: shape", 0) for n in extents]), "delay: shape")
