"""joblib and multiprocessing: pending arrays are sent to other processes as values."""

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

FUNCTIONS = """
import multiprocessing
import pickle

import joblib
import numpy as np

import lazyarr as la


@la.jit
def double(x):
    return 2 * x


@la.custom_vjp
def tripled(x):
    return x * 1


def forward(x):
    return tripled(x), None


def backward(_, g):
    return (3 * g,)


tripled.defvjp(forward, backward)


@la.custom_jvp
def halved(x):
    return x * 1


@halved.defjvp
def pushed(primals, tangents):
    return primals[0], 0.5 * tangents[0]


class Offset(la.nn.Layer):
    def __init__(self):
        self.weight = la.ones(3)

    def __call__(self, x):
        return x + self.weight


def of_each(function):
    return np.asarray(function(la.arange(3.0))).tolist()


if __name__ == "__main__":
    written = [double, tripled, halved]
    made = [la.grad(lambda x: tripled(x).sum()), la.grad(lambda x: halved(x).sum()), la.jit(lambda x: x - 1),
            la.vmap(lambda x: x * x), la.checkpoint(lambda x: x - 2), Offset()]
    for given in written, made[-1:]:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            print(pool.map(of_each, given))
    print(joblib.Parallel(2)(joblib.delayed(of_each)(function) for function in written + made))
    print([of_each(pickle.loads(pickle.dumps(function))) for function in written])
"""


def test_functions_go_to_other_processes(run_python):
    written = [[0.0, 2.0, 4.0], [0.0, 1.0, 2.0], [0.0, 1.0, 2.0]]
    offset = [1.0, 2.0, 3.0]
    made = [[3.0] * 3, [0.5] * 3, [-1.0, 0.0, 1.0], [0.0, 1.0, 4.0], [-2.0, -1.0, 0.0], offset]
    assert run_python(FUNCTIONS).splitlines() == [repr(written), repr([offset]), repr(written + made), repr(written)]
