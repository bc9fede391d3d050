"""How much sooner independent calls end that are made at the same time, each on one thread.

    python asv_bench/calls.py

An inverse, a decomposition, a sort and a Fourier transform, each of a size that takes about 50 ms on one thread, are
evaluated together: with calls at the same time, and one after the other. Each way runs several times in a row, as in a
loop, since the threads of BLAS stay awake for a while and slow down what comes next; the ways take turns.
"""
import statistics
import time

import numpy as np

import lazyarr as la
from lazyarr._core.runtime import concurrent_calls

TURNS, ROUNDS = 4, 5


def calls():
    """Four calls, written down on operands that have their values."""
    return la.linalg.inv(INVERTED), la.linalg.svd(DECOMPOSED)[1], la.sort(SORTED), la.fft.fft(TRANSFORMED)


def seconds(enabled):
    """Return the seconds of an evaluation."""
    before = concurrent_calls.set_enabled(enabled)
    results = calls()
    began = time.perf_counter()
    la.evaluate(*results)
    taken = time.perf_counter() - began
    concurrent_calls.set_enabled(*before)
    return taken


def main():
    """Print the medians and the least of both ways."""
    taken = {False: [], True: []}
    for enabled in [False, True] * TURNS:
        seconds(enabled)
        taken[enabled] += [seconds(enabled) for _ in range(ROUNDS)]
    for name, find in (("median", statistics.median), ("least", min)):
        apart, together = find(taken[False]), find(taken[True])
        print(f"{name}: one after the other {apart * 1e3:.0f} ms, at the same time {together * 1e3:.0f} ms, "
              f"{apart / together:.2f} times as fast")


_rng = np.random.default_rng(0)
INVERTED, DECOMPOSED, SORTED, TRANSFORMED = (
    la.array(_rng.random(shape)) for shape in ((830, 830), (510, 510), 1_000_000, 2**21))

if __name__ == "__main__":
    main()
