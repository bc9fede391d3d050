"""Streams: evaluations in the background, in the order of their calls, beside those of other streams."""
import contextvars
import itertools

from lazyarr._core import api as core
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr._core.runtime.shared_engine import shared_engine

engine = shared_engine()
_numbers = itertools.count(1)


@api_boundary
class Event:
    """A place in a stream that others can wait for. Made by `Stream.record`."""

    def __init__(self, variable):
        self._variable = variable

    def synchronize(self):
        """Wait until the stream has come to this place.

        Raises
        ------
        RuntimeError
            Inside an evaluation, which the stream may wait for.
        """
        if core.is_evaluating():
            raise RuntimeError("a stream cannot be waited for inside an evaluation, which it may wait for itself")
        engine.wait(self._variable)


@api_boundary
class Stream:
    """Evaluations that run one after the other, in a thread of their own.

    Inside a ``with`` block, `lazyarr.evaluate_async` begins evaluations on the stream, and so does `lazyarr.evaluate`
    under `lazyarr.config.async_evaluation`.

    Notes
    -----
    One evaluation computes at a time, on all threads. What streams gain are the times in which an evaluation waits for
    copies between devices: another one computes then. No order between streams is needed for right values: who needs a
    value that another stream computes waits for it.

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

    def __init__(self):
        self._lane = f"stream {next(_numbers)}"
        self._variable = engine.new_variable(self._lane)

    def __enter__(self):
        _blocks.set((*_blocks.get(), self))
        return self

    def __exit__(self, *_):
        _blocks.set(_blocks.get()[:-1])

    def __repr__(self):
        return f"<Stream {self._lane.rpartition(' ')[2]}>"

    def push(self, function):
        """Call a function when what was pushed before has ended."""
        engine.push(function, mutate=[self._variable], lane=self._lane)

    def record(self):
        """Mark the place that the stream will have come to when what was begun on it so far has ended.

        Returns
        -------
        Event
        """
        variable = engine.new_variable("event")
        engine.push(_nothing, read=[self._variable], mutate=[variable], lane=self._lane)
        return Event(variable)

    def wait(self, event):
        """Have what is begun on the stream from now on wait for an event."""
        engine.push(_nothing, read=[event._variable], mutate=[self._variable], lane=self._lane)

    def synchronize(self):
        """Wait until all that was begun on the stream has ended; errors are those of `Event.synchronize`."""
        Event(self._variable).synchronize()


def _nothing():
    """Take a place in a queue."""


# The streams of the blocks, the innermost last, after the one that all other evaluations share.
_blocks: contextvars.ContextVar[tuple[Stream, ...]] = contextvars.ContextVar("lazyarr.stream", default=(Stream(),))


def current_stream():
    """The stream of the innermost ``with`` block of a `Stream`, or the one that all other evaluations share."""
    return _blocks.get()[-1]
