"""How much sooner independent calls end that are made at the same time, each on one thread.

    python asv_bench/calls.py

An inverse, a decomposition, a sort and a Fourier transform, each of a size that takes about 50 ms on one thread, are
evaluated together: with calls at the same time, and one after the other, in turns.
"""
import statistics
import time

import numpy as np

import lazyarr as la
from lazyarr._core.runtime import concurrent_calls

ROUNDS = 9


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
    for _ in range(2):
        seconds(True), seconds(False)
    pairs = [(seconds(False), seconds(True)) for _ in range(ROUNDS)]
    for name, find in (("median", statistics.median), ("least", min)):
        apart, together = (find(taken) for taken in zip(*pairs, strict=True))
        print(f"{name}: one after the other {apart * 1e3:.0f} ms, at the same time {together * 1e3:.0f} ms, "
              f"{apart / together:.2f} times as fast")


_rng = np.random.default_rng(0)
INVERTED, DECOMPOSED, SORTED, TRANSFORMED = (
    la.array(_rng.random(shape)) for shape in ((830, 830), (510, 510), 1_000_000, 2**21))

if __name__ == "__main__":
    main()
