"""A regression gate that tolerates a busy machine: lazyarr's time relative to NumPy's, on one thread.

    python asv_bench/gate.py

Each case is measured in one process, in turns with the same work in NumPy, and the fastest of many short turns counts
on both sides, as some turn is undisturbed by other processes. The ratio is compared with the one recorded here. A case
fails if it exceeds `FACTOR` times the recorded ratio in all of `ATTEMPTS` measurements, whose turns are pooled. So the
gate catches cases that become several times slower; smaller changes are for ``asv continuous``. It uses one thread,
since a second one waits for a core on a busy machine.

The ratios were recorded on a processor with AVX-512, for which lazyarr has loops that NumPy lacks; other processors are
allowed twice as much. To record a ratio anew, copy what the table prints.
"""

import sys

import numpy as np
import threadpoolctl
from benchmarks.aliasing import heat
from benchmarks.elementwise import cheap, heavy
from benchmarks.memory import convolution, repeat
from numpy._core._multiarray_umath import __cpu_features__
from timing import side_by_side

import lazyarr as la
from lazyarr._core.runtime import plan_cache

FACTOR = 2.5 if __cpu_features__.get("AVX512F") else 5.0
ATTEMPTS = 5
ROUNDS = 40
SECONDS = 0.0005  # per turn, if a call is not longer: far below a time slice of the scheduler


def both(function, *arrays):
    """Return the functions that do the work with lazyarr and with NumPy."""
    lazy = [la.asarray(array) for array in arrays]
    return lambda: function(la, *lazy).numpy(), lambda: function(np, *arrays)


def numbers(count, shape, dtype):
    rng = np.random.default_rng(0)
    return [(rng.random(shape) + 0.1).astype(dtype) for _ in range(count)]


def sumsq(xp, a, b, c):
    return xp.sum((a - b) * (a - b) * c)


def softmax(xp, x):
    e = xp.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def pool(xp, x):
    if xp is la:
        return la.nn.max_pool2d(x, 2)
    batch, height, width, channels = x.shape
    return x.reshape(batch, height // 2, 2, width // 2, 2, channels).max(axis=(2, 4))


def in_place(xp, x):
    x = xp.array(x)
    heat(x, 10)
    return x


def missed():
    """Compare an evaluation without a plan with NumPy's."""
    lazy, numpy = both(cheap, *numbers(3, 10, "f8"))
    return lambda: (plan_cache.clear(), lazy()), numpy


# case: (recorded ratio lazyarr/NumPy, factory of the two functions)
CASES = {
    "plan not in the cache": (40.0, missed),
    "6 operations on 10 elements": (0.77, lambda: both(cheap, *numbers(3, 10, "f8"))),
    "cheap, 100,000 float32": (0.48, lambda: both(cheap, *numbers(3, 100_000, "f4"))),
    "heavy, 100,000 float64": (0.38, lambda: both(heavy, *numbers(3, 100_000, "f8"))),
    "transposed operand": (0.55, lambda: both(lambda xp, x: x.T * 2.0 + x, *numbers(1, (300, 300), "f8"))),
    "sum of products": (0.36, lambda: both(sumsq, *numbers(3, 100_000, "f4"))),
    "sum over (0, 2)": (0.22, lambda: both(lambda xp, x: x.sum((0, 2)), *numbers(1, (20,) * 4, "f4"))),
    "max over the last axis": (0.75, lambda: both(lambda xp, x: x.max(1), *numbers(1, (300, 300), "f4"))),
    "softmax": (0.95, lambda: both(softmax, *numbers(1, (100, 300), "f4"))),
    "repeat along four axes": (0.18, lambda: both(repeat, *numbers(1, (10,) * 4, "f4"))),
    "product of matrices, 64": (1.25, lambda: both(lambda xp, a, b: a @ b, *numbers(2, (64, 64), "f4"))),
    "product of matrices, 256": (0.85, lambda: both(lambda xp, a, b: a @ b, *numbers(2, (256, 256), "f4"))),
    "convolution, 3 by 3": (0.85, lambda: both(
        convolution, *numbers(1, (1, 28, 28, 64), "f4"), *numbers(1, (3, 3, 64, 64), "f4"))),
    "largest of 2 by 2": (0.12, lambda: both(pool, *numbers(1, (4, 28, 28, 32), "f4"))),
    "updates in place": (0.48, lambda: both(in_place, *numbers(1, (64, 64), "f8"))),
}


def measure(lazy, numpy, bound):
    """Return the minimum seconds of lazyarr and of NumPy, with more attempts until they are within the bound."""
    least = {"lazyarr": float("inf"), "NumPy": float("inf")}
    for _ in range(ATTEMPTS):
        for name, samples in side_by_side({"lazyarr": lazy, "NumPy": numpy}, ROUNDS, SECONDS).items():
            least[name] = min(least[name], *samples)
        if least["lazyarr"] <= bound * least["NumPy"]:
            break
    return least["lazyarr"], least["NumPy"]


def main(cases):
    """Print a row per case; return how many exceed their bounds."""
    failed = 0
    print(f"{'case':<30}{'lazyarr µs':>12}{'NumPy µs':>12}{'ratio':>9}{'recorded':>10}{'bound':>8}")
    with la.config(num_threads=1), threadpoolctl.threadpool_limits(1):
        for name, (recorded, make) in cases.items():
            bound = FACTOR * recorded
            with_lazyarr, with_numpy = measure(*make(), bound)
            ratio = with_lazyarr / with_numpy
            above = ratio > bound
            failed += above
            times = f"{1e6 * with_lazyarr:12.1f}{1e6 * with_numpy:12.1f}"
            verdict = "  above the bound" if above else ""
            print(f"{name:<30}{times}{ratio:9.2f}{recorded:10.2f}{bound:8.2f}{verdict}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main(CASES) > 0)
