"""Interleaved timing of calls on a machine that runs other programs, too."""

import math
import time
from collections.abc import Callable, Sequence

from lazyarr._core.api import LazyArray, evaluate
from lazyarr._core.host import threads

Call = Callable[[], object]


class Timer:
    """Times calls in turns, so that load on the machine affects all of them alike.

    A comparison takes up to `seconds`, unless the minimum number of rounds takes longer. `clock` returns the time in
    seconds.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = time.perf_counter) -> None:
        self.seconds = seconds
        self.clock = clock

    def best(self, *calls: Call, least: int = 3) -> list[float]:
        """Return the minimum time of each call in seconds, over at least `least` rounds after a warm-up."""
        return [min(taken) for taken in self._rounds(calls, least)]

    def usual(self, *calls: Call, before: Call, least: int = 41) -> list[float]:
        """Return the median time of each call in seconds, with an untimed call before each."""
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
        """Return the ratios of measured to estimated time for evaluating some results."""
        calls = [lambda problem=problem: evaluate(problem()) for problem in problems]
        estimates = []
        for call in calls:
            before = threads.estimated_ns()
            call()
            estimates.append((threads.estimated_ns() - before) * 1e-9)
        return [seconds / estimate for seconds, estimate in zip(self.best(*calls), estimates, strict=True)]

    def wait(self, seconds: float) -> None:
        """Keep the core busy for some seconds."""
        end = self.clock() + seconds
        while self.clock() < end:
            pass


def mean(values: Sequence[float]) -> float:
    """Return the geometric mean."""
    return math.exp(sum(map(math.log, values)) / len(values))


def _quantile(values: list[float], part: float) -> float:
    return sorted(values)[int((len(values) - 1) * part)]
