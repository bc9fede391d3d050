"""One measuring function per tunable number: a function of a `Timer`, registered under the number's name.

It returns the number for this machine, or None if it cannot be measured. Costs are the ratio of a problem's time on one
thread to the core's estimate; sizes are compared by interleaved timing.
"""

import functools
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from statistics import median_low as median
from typing import Any, NamedTuple

import numpy as np

from lazyarr import nn
from lazyarr._core import api as core
from lazyarr._core.api import evaluate
from lazyarr._core.host import device_table, threads
from lazyarr.autotune.parameters import COST, rows
from lazyarr.autotune.settings import tuning
from lazyarr.autotune.timer import Call, Timer, mean
from lazyarr.creation import asarray
from lazyarr.numpy import fft
from lazyarr.numpy import repeat as la_repeat
from lazyarr.ops.ufunc_rows import UFUNCS

Measure = Callable[[Timer], float | None]
Problem = Callable[[], Any]


class Measured(NamedTuple):
    """How to measure a number, and how to choose among several results."""

    measure: Measure
    choose: Callable[[list[float]], float]


MEASURES: dict[str, Measured] = {}

# Another size must take less than this fraction of the default's time.
CLEARLY = 0.95
NEVER = 1 << 60

# Ratio of work to the overhead of sharing it: two threads take half the work plus the overhead, 0.9 of the whole.
SAVES_A_TENTH = 2.5


def measures(name: str, choose: Callable[[list[float]], float]) -> Callable[[Measure], Measure]:
    """Register the decorated function as the measurement of a number."""

    def register(function: Measure) -> Measure:
        MEASURES[name] = Measured(function, choose)
        return function

    return register


def measured_how(name: str) -> Measured:
    """Return how a number is measured."""
    if name.startswith(COST):
        ufunc = UFUNCS[name.removeprefix(COST).removesuffix("_ns")].function
        return Measured(lambda timer: cost_of(timer, ufunc), min)
    return MEASURES[name]


@measures("immediate.small_ns", min)
def small_ns(timer: Timer) -> float | None:
    """Return four times the cost of building, looking up and running a graph of one operation on one element."""
    x = asarray(np.ones(1))
    return timer.best(lambda: evaluate(x + x))[0] * 4e9


@contextmanager
def _threads(count: int) -> Iterator[None]:
    before = threads.get_num_threads()
    threads.set_num_threads(count)
    try:
        yield
    finally:
        threads.set_num_threads(before)


def _random(shape: Any, dtype: str = "float32") -> Any:
    few = np.random.default_rng(0).uniform(0.1, 0.9, 4099).astype(dtype)
    return asarray(np.resize(few, shape))


def _cheap(a: Any, b: Any) -> Any:
    return a * b + b * 2.0 - a / (b + 1.5)


def _run_cheap(a: Any, b: Any) -> None:
    evaluate(_cheap(a, b))


# ---- threads ----


@measures("threads.worthwhile_ns", median)
def worthwhile(timer: Timer) -> float | None:
    """Return the amount of work for which sharing saves a tenth if the threads are awake."""
    loss = _loss_by_sharing(timer, lambda: None)
    return loss and SAVES_A_TENTH * 1e9 * loss


@measures("threads.worth_waking_ns", median)
def worth_waking(timer: Timer) -> float | None:
    """Return the amount of work for which sharing saves a tenth if the threads are asleep."""
    loss = _loss_by_sharing(timer, lambda: timer.wait(3e-4))
    return loss and SAVES_A_TENTH * 1e9 * loss


def _loss_by_sharing(timer: Timer, before: Call) -> float | None:
    """Return by how many seconds a step on two threads exceeds half its time on one thread.

    That includes reading operands from another core's cache.
    """
    if threads.get_num_threads() < 2:
        return None
    with tuning({"threads.worthwhile_ns": 500, "threads.worth_waking_ns": 500}), _threads(2):
        calls = []
        for size in (8, 6_000):
            a = _random(size)
            calls += [lambda a=a: _alone(a), lambda a=a: evaluate(np.exp(np.exp(a)))]
        nothing, _, alone, shared = timer.usual(*calls, before=before)
    return max(shared - (alone + nothing) / 2, 1e-7)


def _alone(a: Any) -> None:
    threads.set_num_threads(1)
    evaluate(np.exp(np.exp(a)))
    threads.set_num_threads(2)


@measures("threads.still_spins_ns", median)
def still_spins(timer: Timer) -> float | None:
    """Return the longest gap after which a team of two takes at most twice its time without a gap."""
    if threads.get_num_threads() < 2:
        return None
    gaps = [1e-6 * 1.5**n for n in range(22)]
    times = max(int(timer.seconds / sum(gaps)), 15)

    def usual(gap: float) -> float:
        return sorted(threads.time_team(2, times, gap))[times // 2]

    limit, awake = 2 * usual(0), 0.0
    for gap in gaps:
        if usual(gap) > limit:
            break
        awake = gap
    return 1e9 * awake or None


# ---- elementwise ----


def cost_of(timer: Timer, ufunc: np.ufunc) -> float | None:
    """Return nanoseconds per element for float32 or a dtype of its width; the mean if float64 differs."""
    costs = []
    for codes in ("fi", "dqM"):
        types = next((t for code in codes for t in ufunc.types if t[0] == code), None)
        if types is not None:
            width = np.dtype(types[0]).itemsize
            costs.append(_seconds_an_element(timer, ufunc, types[: ufunc.nin]) * 1e9 * 4 / width)
    return mean(costs) if costs else None


def _seconds_an_element(timer: Timer, ufunc: np.ufunc, types: str) -> float:
    """Return seconds per element from two sizes that fit the second-level cache, which cancels fixed costs."""
    sizes = (4096, 32768)
    calls = [functools.partial(_apply, ufunc, _operands(ufunc, types, size)) for size in sizes]
    with _threads(1):
        short, long = timer.best(*calls)
    return max(long - short, 1e-9) / (sizes[1] - sizes[0])


def _apply(ufunc: np.ufunc, operands: tuple[Any, ...]) -> None:
    with np.errstate(all="ignore"):
        result = core.ufunc(ufunc, operands)
    evaluate(*(result if isinstance(result, tuple) else (result,)))


def _of_halves(ufunc: np.ufunc) -> Any:
    """Return an operation's first result for operands of one half."""
    with np.errstate(all="ignore"):
        result = ufunc(*[0.5] * ufunc.nin)
    return result[0] if isinstance(result, tuple) else result


def _operands(ufunc: np.ufunc, types: str, size: int) -> tuple[Any, ...]:
    """Return operands in an operation's domain: floats in (0, 1), or else in (1, 2); integers are valid shifts."""
    rng = np.random.default_rng(0)
    operands = []
    is_above = set(types) <= set("fd") and np.isnan(_of_halves(ufunc))
    for code in types:
        real = code in "fd"
        values = rng.uniform(0.1, 0.9, size) + is_above if real else rng.integers(1, 8, size)
        operands.append(asarray(values.astype(np.dtype("M8[s]" if code == "M" else code))))
    return tuple(operands)


@measures("elementwise.tile_bytes", median)
def tile_bytes(timer: Timer) -> float:
    """Return the block size with which chains of cheap operations run fastest."""
    problems = [(_random(n, dtype), _random(n, dtype)) for n in (1 << 15, 1 << 18) for dtype in ("float32", "float64")]
    calls = [functools.partial(_run_cheap, a, b) for a, b in problems]
    sizes = [kilobytes << 10 for kilobytes in (8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)]
    return _fastest(timer, "elementwise.tile_bytes", sizes, calls)


def _fastest(timer: Timer, name: str, sizes: list[int], calls: Sequence[Call]) -> float:
    """Return the fastest size for some calls, or the default if none is clearly faster."""
    default = int(rows()[name].default)
    tried = [default, *sizes]
    with _threads(1):
        taken = _compared(timer, name, tried, calls)
    scores = [mean([seconds[place] for seconds in taken]) for place in range(len(tried))]
    best = min(range(len(tried)), key=scores.__getitem__)
    return tried[best] if scores[best] < CLEARLY * scores[0] else default


def _compared(timer: Timer, name: str, values: Sequence[float], calls: Sequence[Call]) -> list[list[float]]:
    """Return the seconds of each call with each value of a number, by interleaved timing."""
    row = rows()[name]

    def run(value: float, call: Call) -> None:
        row.set(value)
        call()

    with tuning({name: row.default}):  # restores the value in force
        return [timer.best(*[functools.partial(run, value, call) for value in values]) for call in calls]


def _first_that_pays(name: str, timer: Timer) -> float:
    """Return the size from which an implementation is always faster; sizes double."""
    team, sizes, call_of = _SIZES[name]
    pays = None
    with _threads(team or threads.get_num_threads()):
        for size in reversed(sizes):
            [(without, with_it)] = _compared(timer, name, (NEVER, 0), [call_of(size)])
            if with_it > without:
                break
            if with_it < CLEARLY * without:
                pays = size
    return rows()[name].default if pays is None else 0.7 * pays  # halfway to the next smaller size


def _cheap_call(size: int, use: Callable[[Any], object]) -> Call:
    """Return a cheap call on `size` bytes: two operands and a result of float32."""
    a, b = _random(size // 12), _random(size // 12)
    return lambda: use(_cheap(a, b))


def _compute_and_read(result: Any) -> None:
    evaluate(result)
    evaluate(result.sum())


def _product_of(size: int) -> Call:
    m, k, n = _three_factors(size)
    problem = _product((m, k), (k, n))
    return lambda: evaluate(problem())


def _transform_of(size: int) -> Call:
    x = _random((size // 256, 256))
    return lambda: evaluate(fft.rfft(x))


def _contraction_of(size: int) -> Call:
    """Return a product of three matrices."""
    i, j, k = _three_factors(size // 8)
    a, b, c = _random((i, j)), _random((j, k)), _random((k, 8))
    return lambda: evaluate(np.einsum("ij,jk,kl->il", a, b, c))


def _three_factors(size: int) -> tuple[int, int, int]:
    """Factor a power of two into three powers of two, as equal as possible."""
    power = size.bit_length() - 1
    return 1 << (power + 2) // 3, 1 << (power + 1) // 3, 1 << power // 3


def _doubled(first: int, times: int) -> list[int]:
    return [first << n for n in range(times)]


# Thresholds from which another implementation pays: threads (0 for all), sizes, and a call for a size.
_SIZES: dict[str, tuple[int, list[int], Callable[[int], Call]]] = {
    "elementwise.stream_bytes": (1, _doubled(12 << 16, 9), lambda size: _cheap_call(size, evaluate)),
    # results that bypass the caches are usually read soon after
    "elementwise.bypass_bytes": (1, _doubled(12 << 18, 6), lambda size: _cheap_call(size, _compute_and_read)),
    "path.blas_products": (0, _doubled(1 << 21, 9), _product_of),
    "path.scipy_fft": (0, _doubled(1 << 12, 8), _transform_of),
    "path.einsum": (0, _doubled(1 << 9, 10), _contraction_of),
}
for _name in _SIZES:
    measures(_name, median)(functools.partial(_first_that_pays, _name))


# ---- products, convolutions, windows ----


@measures("gemm.block_bytes", median)
def block_bytes(timer: Timer) -> float:
    """Return the block size with which products run fastest."""
    single, double = _random((768, 768)), _random((512, 512), "float64")
    calls = [lambda: evaluate(single @ single), lambda: evaluate(double @ double)]
    sizes = [kilobytes << 10 for kilobytes in (64, 128, 256, 512, 1024, 2048)]
    return _fastest(timer, "gemm.block_bytes", sizes, calls)


def _product(a: tuple[int, ...], b: tuple[int, ...], dtype: str = "float32") -> Problem:
    x, y = _random(a, dtype), _random(b, dtype)
    return lambda: x @ y


def _convolution(shape: tuple[int, ...], columns: int, taps: int = 3, dtype: str = "float32",
                 groups: int = 1) -> Problem:
    x, w = _random(shape, dtype), _random((taps, taps, shape[-1] // groups, columns), dtype)
    return lambda: nn.conv2d(x, w, padding=taps // 2, groups=groups)


def _of_pixels(function: Callable[[Any], Any], *shape: int) -> Problem:
    x = _random(shape)
    return lambda: function(x)


# Problems that measure costs, and the bound of path.winograd to set: convolutions are all direct ("low") or all
# Winograd's ("high").
_PROBLEMS: dict[str, tuple[str, Callable[[], list[Problem]]]] = {
    "matmul.tile_term_ns": ("low", lambda: [  # fits the caches
        _product((256, 256), (256, 256)), _product((256, 256), (256, 256), "float64")]),
    "gemv.byte_ns": ("low", lambda: [_product((1, 256), (256, 512)), _product((1, 256), (256, 256), "float64")]),
    "conv.tile_term_ns": ("low", lambda: [
        _convolution((1, 32, 32, 64), 64), _convolution((1, 32, 32, 32), 32, dtype="float64")]),
    "winograd.tile_term_ns": ("high", lambda: [  # many tiles share the transformed weights
        _convolution((1, 56, 56, 64), 64), _convolution((1, 28, 28, 128), 128)]),
    "pool.byte_ns": ("low", lambda: [_of_pixels(lambda x: nn.max_pool2d(x, 2), 1, 64, 64, 64),
                                     _of_pixels(lambda x: nn.avg_pool2d(x, 3, stride=1), 1, 64, 64, 64)]),
    "repeat.byte_ns": ("low", lambda: [
        _of_pixels(lambda x: la_repeat(x, (1, 2, 2, 2), axis=(0, 1, 2, 3)), 16, 16, 16, 16),
        _of_pixels(lambda x: la_repeat(x, 4, axis=3), 16, 16, 16, 16)]),
}


def _cost(name: str, timer: Timer) -> float:
    """Scale a cost so that estimates match the measured times of its problems."""
    path, problems = _PROBLEMS[name]
    with _threads(1), tuning({"path.winograd": getattr(rows()["path.winograd"], path)}):
        return rows()[name].get() * mean(timer.errors_of_estimates(*problems()))


for _name in _PROBLEMS:
    measures(_name, min)(functools.partial(_cost, _name))


@measures("conv.weights_read", median)
def weights_read(timer: Timer) -> float:
    """Return the cost of reading weights from depthwise convolutions, relative to others."""
    with _threads(1), tuning({"path.winograd": rows()["path.winograd"].low}):
        usual, depthwise = timer.errors_of_estimates(
            _convolution((1, 56, 56, 64), 64), _convolution((1, 56, 56, 64), 64, groups=64))
    return rows()["conv.weights_read"].get() * depthwise / usual


@measures("fft.team", median)
def fft_team(timer: Timer) -> float | None:
    """Return the fewest threads with which SciPy's transforms of many lines are clearly faster than NumPy's."""
    shapes = (1024, 256), (256, 1024), (64, 4096)
    calls = [functools.partial(_transform, _random(shape, "float64"), team) for shape in shapes for team in (1024, 2)]
    most = threads.get_num_threads()
    for count in range(2, most + 1):
        with _threads(count):
            seconds = timer.best(*calls)
        if mean(seconds[1::2]) < CLEARLY * mean(seconds[::2]):
            return count
    return None if most < rows()["fft.team"].default else most + 1


def _transform(x: Any, team: int) -> None:
    with tuning({"fft.team": team}):
        evaluate(fft.rfft(x))


# ---- implementations that round differently ----


def _first_worthwhile(timer: Timer, name: str, problems: Sequence[tuple[float, Call]]) -> float:
    """Return the estimated ratio of times below which the alternative is clearly faster.

    Each problem is a pair of the estimated ratio and a call.
    """
    row = rows()[name]
    with _threads(1):
        taken = _compared(timer, name, (row.low, row.high), [call for _, call in problems])
    return CLEARLY / mean([with_it / without / estimate
                           for (without, with_it), (estimate, _) in zip(taken, problems, strict=True)])


def _convolved(shape: tuple[int, ...], columns: int, taps: int = 3) -> Call:
    problem = _convolution(shape, columns, taps)
    return lambda: evaluate(problem())


@measures("path.device_bytes", median)
def device_bytes(timer: Timer) -> float | None:
    """Return the size in bytes from which a loop of updates, whose end is read, is faster on the first accelerator."""
    name = next((name for name in device_table.names() if not name.startswith("cpu")), None)
    if name is None:
        return None
    for exponent in range(14, 24, 2):
        x = _random((1 << exponent) // 4)
        try:
            on_host, on_device = timer.best(*[functools.partial(_updated, y) for y in (x, x.to_device(name))])
        except RuntimeError as error:  # from the device
            print(f"lazyarr: path.device_bytes cannot be measured: {error}", file=sys.stderr)
            return None
        if on_device < CLEARLY * on_host:
            return 1 << exponent
    return rows()["path.device_bytes"].high


def _updated(x: Any) -> float:
    for _ in range(8):
        x = x * 0.5 + 1.0
        evaluate(x)
    return float(x[0])


@measures("path.winograd", median)
def path_winograd(timer: Timer) -> float:
    """Measure convolutions for which Winograd's estimate is half to all of the direct time."""
    shapes = (1, 56, 56, 64), (1, 28, 28, 128), (1, 14, 14, 128), (1, 60, 60, 16)
    return _first_worthwhile(timer, "path.winograd", [
        (core.kernels.winograd.estimated(1, *shape[1:], shape[-1]), _convolved(shape, shape[-1])) for shape in shapes])


@measures("path.joined", median)
def path_joined(timer: Timer) -> float:
    """Measure convolutions to one to six columns."""
    problems = []
    for columns, channels, taps in ((1, 24, 3), (3, 32, 3), (4, 8, 5), (6, 32, 5)):
        found = core.kernels.conv_packing.find(120, taps, columns, 16, NEVER, 1, 1, -(taps // 2), 1)
        problems.append((found.work, _convolved((1, 60, 120, channels), columns, taps)))
    return _first_worthwhile(timer, "path.joined", problems)
