"""Streams: background evaluations that run in the order of their calls, concurrently with those of other streams."""
import contextvars
import itertools
from collections.abc import Callable
from typing import Self

from lazyarr._core import api as core
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr._core.runtime.engine import Engine
from lazyarr._core.runtime.engine_queues import Variable
from lazyarr._core.runtime.shared_engine import shared_engine

engine: Engine = shared_engine()
_numbers = itertools.count(1)


@api_boundary
class Event:
    """A point in a stream that others can wait for. Made by `Stream.record`."""

    def __init__(self, variable: Variable) -> None:
        self._variable = variable

    def synchronize(self) -> None:
        """Wait until the stream has reached this point.

        Raises
        ------
        RuntimeError
            Inside an evaluation, as the stream may be waiting for it.
        """
        if core.is_evaluating():
            raise RuntimeError("a stream cannot be waited for inside an evaluation, which it may wait for itself")
        engine.wait(self._variable)


@api_boundary
class Stream:
    """A queue of evaluations that run one after the other, in a thread of their own.

    Inside a ``with`` block of the stream, `lazyarr.evaluate_async` queues evaluations on it, and so does
    `lazyarr.evaluate` under `lazyarr.config.async_evaluation`.

    Notes
    -----
    Only one evaluation computes at a time, using all threads. Streams help while an evaluation waits for copies between
    devices: one of another stream computes meanwhile. Results never depend on the order of streams: an evaluation that
    needs a value of another stream waits for it.

    Examples
    --------
    >>> first, second = la.Stream(), la.Stream()
    >>> x = la.arange(4.0)
    >>> with first:
    ...     sums = (x + 1).evaluate_async()
    >>> second.wait(first.record())
    >>> with second:
    ...     squares = (x * x).evaluate_async()
    >>> squares.result()
    array([0., 1., 4., 9.])
    """

    def __init__(self) -> None:
        self._lane = f"stream {next(_numbers)}"
        self._variable = engine.new_variable(self._lane)

    def __enter__(self) -> Self:
        _blocks.set((*_blocks.get(), self))
        return self

    def __exit__(self, *_: object) -> None:
        _blocks.set(_blocks.get()[:-1])

    def __repr__(self) -> str:
        return f"<Stream {self._lane.rpartition(' ')[2]}>"

    def push(self, function: Callable[[], object]) -> None:
        """Queue a function, to be called after everything queued before it."""
        engine.push(function, mutate=[self._variable], lane=self._lane)

    def record(self) -> Event:
        """Record an event that is reached when everything queued so far has ended.

        Returns
        -------
        Event
        """
        variable = engine.new_variable("event")
        engine.push(_nothing, read=[self._variable], mutate=[variable], lane=self._lane)
        return Event(variable)

    def wait(self, event: Event) -> None:
        """Make everything queued from now on wait for an event."""
        engine.push(_nothing, read=[event._variable], mutate=[self._variable], lane=self._lane)

    def synchronize(self) -> None:
        """Wait until everything queued so far has ended; raises as `Event.synchronize` does."""
        Event(self._variable).synchronize()


def _nothing() -> None:
    """Do nothing: a queued operation that events wait for."""


# The streams of the blocks, the innermost last, after the one that all other evaluations share.
_blocks: contextvars.ContextVar[tuple[Stream, ...]] = contextvars.ContextVar("lazyarr.stream", default=(Stream(),))


def current_stream() -> Stream:
    """Return the stream of the innermost ``with`` block, or the default stream."""
    return _blocks.get()[-1]
