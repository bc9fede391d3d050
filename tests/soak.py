"""Runs mixed work in threads on private and shared arrays, with callbacks and locks of the program's own.

``python tests/soak.py --threads 8 --minutes 10`` compares each result with NumPy's and, at the end, the threads' shared
counts. Exit status 1 if a value is wrong or lost, 2 if a thread makes no progress for a minute: then all stacks are
printed.
"""

import argparse
import contextlib
import faulthandler
import io
import pickle
import queue
import random
import sys
import threading
import time
import warnings

import numpy as np

import lazyarr as la

STANDSTILL = 60  # seconds
ROOM = 64  # elements of the shared array

lock = threading.RLock()  # the program's own: callbacks take it, and threads hold it while they evaluate
handed_over = queue.Queue()  # unevaluated arrays with their expected values, passed between threads
shared = la.zeros(ROOM, dtype="int64")
counted = np.zeros(ROOM, dtype="int64")
calls = {"warning": 0, "errstate": 0, "evaluation": 0, "method": 0, "forbidden": 0}


def count(name):
    with lock:
        calls[name] += 1


class Number:
    """Element of an object array whose methods take the program's lock."""

    def __init__(self, value):
        self.value = value

    def __add__(self, other):
        count("method")
        return Number(self.value + getattr(other, "value", other))

    __radd__ = __add__

    def __lt__(self, other):
        count("method")
        return self.value < other.value


def data(source):
    size = source.choice((1, 7, 100, 5_000, 60_000))
    return np.random.default_rng(source.randrange(1 << 30)).uniform(-3, 3, size)


def elementwise(xp, a):
    x = xp.asarray(a)
    y = xp.where(x > 0, x * 2 + 1, xp.sin(x))
    y[::2] -= x[::2]
    return xp.sqrt(abs(y))


def ordering(xp, a):
    x = xp.sort(xp.asarray(a) * 3)
    return x[x > xp.median(x)]


def products(xp, a):
    x = xp.asarray(a[:49]).reshape(-1, 7) if a.size >= 49 else xp.asarray(a).reshape(-1, 1)
    return xp.floor(x.T @ x * 1000)


def transforms(xp, a):
    return xp.fft.ifft(xp.fft.fft(xp.asarray(a[:100])))


def writes(xp, a):
    x = xp.array(a)
    view = x[::-1]
    x[: x.size // 2] = 1
    view += view
    xp.add.at(x, [0, 0, -1], 5)
    return x


def records(xp, a):
    return pickle.loads(pickle.dumps(xp.asarray(a) + 1))


def files(xp, a):
    stream = io.BytesIO()
    xp.save(stream, xp.asarray(a) * 2)
    stream.seek(0)
    return xp.load(stream)


def warned(xp, a):
    return xp.asarray(a) / 0.0


def called(xp, a):
    with np.errstate(all="call", call=lambda *_: count("errstate")):
        return xp.asarray(a) / 0.0 + 1


COMPARED = (elementwise, ordering, products, transforms, writes, records, files, warned, called)


def compare(source, xp):
    function, a = source.choice(COMPARED), data(source)
    with np.errstate(all="ignore"):
        expected = function(np, a)
    with np.errstate(all="warn"):
        got = function(xp, a)
        if source.random() < 0.2:
            handed_over.put((function.__name__, got, expected))
        elif source.random() < 0.3:
            with lock:
                check(function.__name__, got, expected)
        else:
            check(function.__name__, got, expected)


def take_over(source, xp):
    with contextlib.suppress(queue.Empty):
        check(*handed_over.get_nowait())


def add_to_shared(source, xp):
    places = source.sample(range(ROOM), 5)
    with lock:
        shared[places] += 1
        counted[places] += 1
        if source.random() < 0.05:
            check("shared", shared, counted)


def use_objects(source, xp):
    values = [source.randrange(100) for _ in range(20)]
    x = xp.array([Number(value) for value in values])
    check("objects", np.array([item.value for item in xp.sort(x + 1).tolist()]), np.sort(values) + 1)


def forbid(source, xp):
    with la.no_evaluation():
        x = la.asarray(data(source)) + 1
        try:
            x.tolist()  # unless another thread has evaluated it with its pending work
        except la.EvaluationForbidden:
            count("forbidden")


def differentiate(source, xp):
    a = data(source)
    check("gradient", la.grad(lambda x: (x * x).sum())(la.asarray(a)), 2 * a)


TASKS = (compare, compare, compare, take_over, add_to_shared, use_objects, forbid, differentiate)


def check(name, got, expected):
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-9, atol=1e-9, err_msg=name)


def soak(threads, seconds, seed=0):
    """Run the tasks; return the problems found, as text, and the number of tasks done; exit on a standstill."""
    problems, end, beats = [], time.monotonic() + seconds, [[time.monotonic(), 0] for _ in range(threads)]

    def work(number):
        source = random.Random(seed * 1000 + number)
        while time.monotonic() < end and not problems:
            try:
                source.choice(TASKS)(source, source.choice((la, la.numpy)))
            except BaseException as error:
                problems.append(f"thread {number}: {error!r}")
            beats[number][0] = time.monotonic()
            beats[number][1] += 1

    with warnings.catch_warnings(), la.config(on_evaluate=lambda _: count("evaluation")):
        warnings.simplefilter("always")
        warnings.showwarning = lambda *_, **__: count("warning")
        workers = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(threads)]
        for worker in workers:
            worker.start()
        while any(worker.is_alive() for worker in workers):
            time.sleep(0.1)
            for worker, (last, _) in zip(workers, beats, strict=True):
                if worker.is_alive() and time.monotonic() - last > STANDSTILL:
                    faulthandler.dump_traceback()
                    sys.exit(2)
        while not handed_over.empty():
            take_over(None, la)
    if (np.asarray(shared) != counted).any():
        problems.append("additions to the shared array are lost")
    problems += [f"no {name} came" for name, number in calls.items() if not number]
    return problems, sum(number for _, number in beats)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    problems, done = soak(options.threads, options.minutes * 60, options.seed)
    print(*problems, f"{done} tasks, {calls}", sep="\n")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
