"""Evaluation on a background thread: `evaluate_async`, and the future that it returns.

Evaluations run on streams, usually on the default one, one after the other. Inside an evaluation and in the threads of
streams, waiting for a future could deadlock, so `result` evaluates itself there.
"""
import os
import threading
import weakref
from collections.abc import Callable, Generator
from concurrent.futures import Future
from typing import Any, TypeVar

from lazyarr._core import api as core
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr.runtime.streams import current_stream

_this_thread = threading.local()            # `evaluates`: whether it is a stream's
_futures: "weakref.WeakSet[EvaluationFuture[Any]]" = weakref.WeakSet()
_T = TypeVar("_T")


@api_boundary
class EvaluationFuture(Future[_T]):
    """The future of an evaluation, returned by `lazyarr.evaluate_async`.

    A `concurrent.futures.Future` that can also be awaited in asyncio.

    Examples
    --------
    >>> future = (la.arange(4.0) * 2).evaluate_async()
    >>> future.result()
    array([0., 2., 4., 6.])
    >>> future.done(), future.cancel()
    (True, False)
    """

    def __init__(self, arrays: tuple[Any, ...], found: Any) -> None:
        super().__init__()
        self._arrays, self._found, self._is_pushed = arrays, found, False
        self._stream = current_stream()
        _futures.add(self)
        if found:
            self._push()
        else:
            self.set_result(_one_or_all(arrays))

    def done(self) -> bool:
        """Return whether the evaluation has ended, or was cancelled."""
        self._push()
        return super().done()

    def result(self, timeout: float | None = None) -> _T:
        """Wait for the evaluation; return the array, or a tuple of arrays if several were given.

        Parameters
        ----------
        timeout : float, optional
            The time to wait, in seconds; unlimited by default.

        Raises
        ------
        TimeoutError
            If it takes longer.
        concurrent.futures.CancelledError
            If it was cancelled.
        Exception
            What the evaluation failed with.
        """
        arrays, found = self._arrays, self._found
        if not self.done() and _waits_in_vain():
            core.evaluate_these(found)
            return _one_or_all(arrays)
        return super().result(timeout)

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Wait for the evaluation, as `result` does; return its exception, or None."""
        found = self._found
        if not self.done() and _waits_in_vain():
            try:
                core.evaluate_these(found)
            except Exception as error:
                return error
            return None
        return super().exception(timeout)

    def add_done_callback(self, fn: Callable[[Future[_T]], object]) -> None:
        """Call ``fn(future)`` once the evaluation has ended, in the thread that ran it, or now if it already has."""
        self._push()
        super().add_done_callback(fn)

    def __await__(self) -> Generator[Any, None, _T]:
        import asyncio

        return asyncio.wrap_future(self).__await__()

    def _push(self) -> None:
        """Queue the evaluation on its stream: once, and again in a forked child, whose streams start empty."""
        if self._found and not self._is_pushed:
            self._is_pushed = True
            try:
                self._stream.push(self._evaluate)
            except RuntimeError:    # at the end of the interpreter it is closed
                self._evaluate()

    def _evaluate(self) -> None:
        if self.set_running_or_notify_cancel():
            _this_thread.evaluates = True
            try:
                core.evaluate_these(self._found)
            except BaseException as error:
                self.set_exception(error)
            else:
                self.set_result(_one_or_all(self._arrays))
            finally:
                _this_thread.evaluates = False
        self._arrays = self._found = ()
        del self    # which the traceback of an error would keep

    def _renew(self) -> None:
        """Restart, in a forked child, an evaluation whose thread, maybe with the lock, does not exist there."""
        self._condition = threading.Condition()
        if self._state == "RUNNING":
            self._state = "PENDING"
        self._is_pushed = self._state != "PENDING"


def _waits_in_vain() -> bool:
    return core.is_evaluating() or getattr(_this_thread, "evaluates", False)


def _one_or_all(arrays):
    return arrays[0] if len(arrays) == 1 else arrays


@api_boundary
def evaluate_async(*arrays: core.LazyArray) -> EvaluationFuture[Any]:
    """Evaluate several arrays together on another thread, and return a future.

    The program continues meanwhile, as native code runs without the GIL. Evaluations run one after the other, in the
    order of their calls, unless they are on different streams. Reading a value during another thread's evaluation
    waits for that evaluation.

    Parameters
    ----------
    *arrays : LazyArray
        The arrays as they are now: the evaluation does not see later writes to them or to their operands. The arrays
        keep these writes.

    Returns
    -------
    EvaluationFuture
        A `concurrent.futures.Future`, which can also be awaited in asyncio. Its result is the array, or a tuple of
        arrays if there are several or none. Dropping it does not cancel the evaluation, and drops its error.

    Raises
    ------
    TypeError
        For anything but LazyArrays, and in a traced function.
    EvaluationForbidden
        Inside `lazyarr.no_evaluation`.

    See Also
    --------
    evaluate : waits for the values
    Stream : concurrent evaluations

    Notes
    -----
    Python functions in the graph, warning handlers and callbacks of the future run on that thread. Floating-point
    errors follow the errstate in force where an operation was written; if it raises, the future has the exception.

    The method `LazyArray.evaluate_async` does the same for one array.

    Examples
    --------
    >>> x = la.arange(1000.0)
    >>> future = la.evaluate_async(x.min(), x.max())
    >>> low, high = future.result()
    >>> float(high - low)
    999.0
    """
    return EvaluationFuture(arrays, core.to_evaluate(*arrays))


def _of_one(x):
    """Evaluate the array on another thread, and return a future: see `lazyarr.evaluate_async`.

    Examples
    --------
    >>> (la.arange(3) + 1).evaluate_async().result()
    array([1, 2, 3])
    """
    return EvaluationFuture((x,), core.to_evaluate(x))


def begin(nodes: Any) -> None:
    """Queue an evaluation for `lazyarr.evaluate` under `config.async_evaluation`."""
    EvaluationFuture((), nodes)


def _renew_in_child():
    for future in list(_futures):
        future._renew()


_of_one.__name__, _of_one.__qualname__ = "evaluate_async", "LazyArray.evaluate_async"
core.install({"evaluate_async": _of_one})
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_in_child)
