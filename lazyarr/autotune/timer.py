"""Interleaved timing of calls on a machine that runs other programs, too."""

import math
import time
from collections.abc import Callable, Sequence

from lazyarr._core.api import LazyArray, evaluate
from lazyarr._core.host import threads

Call = Callable[[], object]


class Timer:
    """Times calls in turns, so that a busy moment of the machine falls on all of them.

    One comparison may take `seconds`, once each call has been made as often as it must be. `clock` tells the time, in
    seconds.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = time.perf_counter) -> None:
        self.seconds = seconds
        self.clock = clock

    def best(self, *calls: Call, least: int = 3) -> list[float]:
        """The least seconds of each call, in at least `least` rounds after one that does not count."""
        return [min(taken) for taken in self._rounds(calls, least)]

    def usual(self, *calls: Call, before: Call, least: int = 41) -> list[float]:
        """The median seconds of each call, with another call, untimed, before each."""
        return [_quantile(taken, 0.5) for taken in self._rounds(calls, least, before)]

    def _rounds(self, calls: Sequence[Call], least: int, before: Call | None = None) -> list[list[float]]:
        taken: list[list[float]] = [[] for _ in calls]
        for call in calls:
            call()
        start = self.clock()
        while len(taken[0]) < least or self.clock() - start < self.seconds:
            for call, seconds in zip(calls, taken, strict=True):
                if before is not None:
                    before()
                began = self.clock()
                call()
                seconds.append(self.clock() - began)
        return taken

    def errors_of_estimates(self, *problems: Callable[[], LazyArray]) -> list[float]:
        """Measured over estimated time of evaluating some results."""
        calls = [lambda problem=problem: evaluate(problem()) for problem in problems]
        estimates = []
        for call in calls:
            before = threads.estimated_ns()
            call()
            estimates.append((threads.estimated_ns() - before) * 1e-9)
        return [seconds / estimate for seconds, estimate in zip(self.best(*calls), estimates, strict=True)]

    def wait(self, seconds: float) -> None:
        """Keep the core busy for so long."""
        end = self.clock() + seconds
        while self.clock() < end:
            pass


def mean(values: Sequence[float]) -> float:
    """The geometric mean."""
    return math.exp(sum(map(math.log, values)) / len(values))


def _quantile(values: list[float], part: float) -> float:
    return sorted(values)[int((len(values) - 1) * part)]
