"""Learning-rate schedules: functions from the number of previous steps to the learning rate."""
import bisect
import math
from collections.abc import Iterable

from lazyarr._core.host.api_boundary import api_boundary
from lazyarr.nn.annotations import Schedule


@api_boundary
def constant(rate: float) -> Schedule:
    """Use a constant rate.

    Examples
    --------
    >>> la.nn.schedules.constant(0.1)(5)
    0.1
    """
    return lambda step: rate


@api_boundary
def step(rate: float, every: int, factor: float = 0.1) -> Schedule:
    """Multiply the rate by `factor` after every `every` steps.

    Examples
    --------
    >>> list(map(la.nn.schedules.step(1.0, every=2, factor=0.5), range(5)))
    [1.0, 1.0, 0.5, 0.5, 0.25]
    """
    _positive("step", "every", every)
    return lambda step: rate * factor ** (step // every)


@api_boundary
def exponential(rate: float, factor: float) -> Schedule:
    """Multiply the rate by `factor` after each step.

    Examples
    --------
    >>> list(map(la.nn.schedules.exponential(1.0, 0.5), range(3)))
    [1.0, 0.5, 0.25]
    """
    return lambda step: rate * factor ** step


@api_boundary
def cosine(rate: float, steps: int, least: float = 0.0) -> Schedule:
    """Decay from `rate` to `least` along half a period of a cosine, and stay there.

    Loshchilov and Hutter, "SGDR: stochastic gradient descent with warm restarts", 2017, without restarts.

    Examples
    --------
    >>> [round(rate, 4) for rate in map(la.nn.schedules.cosine(1.0, 4), range(6))]
    [1.0, 0.8536, 0.5, 0.1464, 0.0, 0.0]
    """
    _positive("cosine", "steps", steps)
    return lambda step: _along_cosine(rate, least, step / steps)


@api_boundary
def warm_up(schedule: Schedule | float, steps: int, begin: float = 0.0) -> Schedule:
    """Precede a schedule, or a constant rate, by a linear increase from `begin` to its start over `steps` steps.

    Examples
    --------
    >>> list(map(la.nn.schedules.warm_up(la.nn.schedules.step(1.0, every=1, factor=0.5), 2), range(5)))
    [0.0, 0.5, 1.0, 0.5, 0.25]
    """
    _positive("warm_up", "steps", steps)
    after = schedule if callable(schedule) else constant(schedule)
    return lambda step: begin + (after(0) - begin) * step / steps if step < steps else after(step - steps)


@api_boundary
def one_cycle(highest: float, steps: int, *, rising: float = 0.3, begin: float = 1 / 25,
              end: float = 1 / 250_000) -> Schedule:
    """Increase to the highest rate and decrease again, along cosines.

    Smith and Topin, "Super-convergence: very fast training of neural networks using large learning rates", 2018, with
    the shape and defaults of ``torch.optim.lr_scheduler.OneCycleLR``.

    Parameters
    ----------
    highest : float
    steps : int
        The length of the cycle; the rate stays at its end afterwards.
    rising : float, optional
        The fraction of the steps in which the rate rises.
    begin, end : float, optional
        The first and the last rate, as fractions of the highest.

    Returns
    -------
    callable

    Examples
    --------
    >>> [round(rate, 3) for rate in map(la.nn.schedules.one_cycle(1.0, 5, rising=0.6), range(5))]
    [0.04, 0.52, 1.0, 0.5, 0.0]
    """
    _positive("one_cycle", "steps", steps)
    if not 0 <= rising <= 1:
        raise ValueError(f"one_cycle: rising must lie in [0, 1], got {rising!r}")
    top, last = rising * steps - 1, steps - 1

    def rate(step: int) -> float:
        if step < top:
            return _along_cosine(begin * highest, highest, step / top)
        return _along_cosine(highest, end * highest, (step - top) / (last - top) if last > top else 1.0)

    return rate


@api_boundary
def piecewise(boundaries: Iterable[int], rates: Iterable[float]) -> Schedule:
    """Use one rate up to the first boundary, the next up to the second, and so on.

    Examples
    --------
    >>> list(map(la.nn.schedules.piecewise([1, 3], [1.0, 0.1, 0.01]), range(5)))
    [1.0, 0.1, 0.1, 0.01, 0.01]
    """
    boundaries, rates = list(boundaries), list(rates)
    if boundaries != sorted(boundaries):
        raise ValueError(f"piecewise: boundaries must rise, got {boundaries}")
    if len(rates) != len(boundaries) + 1:
        raise ValueError(f"piecewise: {len(boundaries)} boundaries need {len(boundaries) + 1} rates, got {len(rates)}")
    return lambda step: rates[bisect.bisect_right(boundaries, step)]


def _along_cosine(begin, end, part):
    return end + (begin - end) * (1 + math.cos(math.pi * min(max(part, 0.0), 1.0))) / 2


def _positive(name, what, steps):
    if not steps > 0:
        raise ValueError(f"{name}: {what} must be greater than zero, got {steps!r}")
