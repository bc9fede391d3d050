"""joblib and multiprocessing: arrays that wait go to other processes as values."""

import pytest

pytest.importorskip("joblib")

CODE = """
import multiprocessing

import joblib
import numpy as np

import lazyarr as la


def double(x):
    assert type(x) is la.LazyArray, type(x)
    return x * 2


def total(x):
    return x.sum()


def pending():
    return [la.asarray(np.arange(4.0) + k) * 3 for k in range(3)]


def show(results):
    print(type(results[0]).__name__, [r.tolist() for r in results])


if __name__ == "__main__":
    calls = []
    memory = joblib.Memory("cache", verbose=0)
    cached = memory.cache(lambda x: calls.append(1) or x + 1)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        show(pool.map(double, pending()))
        show(pool.map(total, pending()))
    show(joblib.Parallel(2, prefer="threads")(joblib.delayed(double)(x) for x in pending()))
    show(joblib.Parallel(2)(joblib.delayed(double)(x) for x in pending()))
    show([cached(x) for x in pending() + pending()])
    print(len(calls))
"""


def test_values_come_back(run_python):
    doubled = [[float(6 * (i + k)) for i in range(4)] for k in range(3)]
    totals = [sum(3.0 * (i + k) for i in range(4)) for k in range(3)]
    added = [[3.0 * (i + k) + 1 for i in range(4)] for k in range(3)]
    assert run_python(CODE).splitlines() == [
        f"LazyArray {doubled}", f"LazyArray {totals}", f"LazyArray {doubled}", f"LazyArray {doubled}",
        f"LazyArray {added + added}", "3",
    ]
