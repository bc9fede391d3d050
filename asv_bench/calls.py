"""How much faster independent single-threaded calls are when they run concurrently.

    python asv_bench/calls.py

An inverse, a decomposition, a sort and a Fourier transform, each of a size that takes about 50 ms on one thread of this
machine, are evaluated together: concurrently, and one after the other. Each way runs several times in a row, as in a
loop, since BLAS threads stay awake for a while and slow down what follows; the two ways take turns.
"""
import statistics
import time

import numpy as np
from scipy.fft import next_fast_len
from threadpoolctl import threadpool_limits

import lazyarr as la
from lazyarr._core.runtime import concurrent_calls

TURNS, ROUNDS = 4, 5
SECONDS = 0.05      # of a call, on one thread

# A call, its operand's shape for a size, an initial size, and the power of it by which the time grows.
CALLS = {
    "inv": (la.linalg.inv, lambda n: (n, n), 800, 3),
    "svd": (lambda x: la.linalg.svd(x)[1], lambda n: (n, n), 500, 3),
    "sort": (la.sort, lambda n: n, 1_000_000, 1),
    "fft": (la.fft.fft, lambda n: next_fast_len(n), 2_000_000, 1),
}


def operand(call, shape_of, size, power):
    """Return an operand with which a call takes about `SECONDS` on one thread, and the actual seconds."""
    rng, tried = np.random.default_rng(0), []
    for _ in range(6):
        x = la.array(rng.random(shape_of(size)))
        with la.config(num_threads=1), threadpool_limits(1):
            taken = statistics.median(_seconds([call(x)]) for _ in range(5))
        tried.append((abs(taken - SECONDS), size, x, taken))
        size = int(size * (SECONDS / taken) ** (1 / power))
    return min(tried)[2:]


def _seconds(results):
    """Return the seconds of an evaluation."""
    began = time.perf_counter()
    la.evaluate(*results)
    return time.perf_counter() - began


def main():
    """Print the sizes, and the median and minimum of both ways."""
    operands = {}
    for name, row in CALLS.items():
        operands[name], taken = operand(*row)
        print(f"{name} of {operands[name].shape}: {taken * 1e3:.0f} ms on one thread")
    taken = {False: [], True: []}
    for enabled in [False, True] * TURNS:
        before = concurrent_calls.set_enabled(enabled)
        rounds = [_seconds([CALLS[name][0](x) for name, x in operands.items()]) for _ in range(1 + ROUNDS)]
        concurrent_calls.set_enabled(*before)
        taken[enabled] += rounds[1:]
    for name, find in (("median", statistics.median), ("least", min)):
        apart, together = find(taken[False]), find(taken[True])
        print(f"{name}: one after the other {apart * 1e3:.0f} ms, at the same time {together * 1e3:.0f} ms, "
              f"{apart / together:.2f} times as fast")


if __name__ == "__main__":
    main()
