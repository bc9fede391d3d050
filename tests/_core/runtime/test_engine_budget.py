"""The dependency engine: pushes that wait for the byte budget."""
import os
import subprocess
import sys
import threading
import time

import pytest

from lazyarr.runtime import Engine, Pool, Serial
from support.engine_functions import held_up


def pushing(engine, nbytes, fn):
    """Push from a separate thread, which has to wait; return the thread once it waits."""
    thread = threading.Thread(target=lambda: engine.push(fn, nbytes=nbytes))
    thread.start()
    time.sleep(0.1)
    return thread


def test_a_push_waits_for_room():
    with Engine(Pool(1), budget=100) as engine:
        go, pending = held_up(engine), []
        threading.Timer(0.2, go.set).start()
        begun = time.perf_counter()
        for _ in range(10):
            engine.push(lambda: None, nbytes=60)
            pending.append(engine.pending)
        assert time.perf_counter() - begun > 0.15
        assert max(pending) <= 3


def test_a_push_inside_an_operation_does_not_wait():
    with Engine(Pool(1), budget=100) as engine:
        x, log = engine.new_variable(), []
        engine.push(lambda: [engine.push(lambda: log.append(1), nbytes=80) for _ in range(3)], mutate=[x], nbytes=80)
    assert log == [1] * 3


def test_threads_get_room_in_the_order_in_which_they_came():
    with Engine(Pool(1), budget=10) as engine:
        go, log = held_up(engine, nbytes=10), []
        threads = [pushing(engine, 6 + k, lambda k=k: log.append(k)) for k in range(5)]
        assert engine.pending == 1
        go.set()
        for thread in threads:
            thread.join(20)
        engine.wait_all()
        assert log == [0, 1, 2, 3, 4]


def test_a_small_push_does_not_overtake_a_large_one():
    with Engine(Pool(1), budget=10) as engine:
        go, log = held_up(engine, nbytes=5), []
        large = pushing(engine, 8, lambda: log.append("large"))
        small = pushing(engine, 2, lambda: log.append("small"))
        assert engine.pending == 1
        engine.push(lambda: log.append("none"))     # takes no room, so it waits for none
        assert engine.pending == 2
        go.set()
        for thread in (large, small):
            thread.join(20)
        engine.wait_all()
        assert log == ["none", "large", "small"]


@pytest.mark.parametrize("policy", [Pool(2), Serial(), Serial(3)], ids=repr)
def test_a_push_larger_than_the_budget_goes_alone(policy):
    with Engine(policy, budget=10) as engine:
        log = []
        for k in range(4):
            engine.push(lambda k=k: log.append(k), nbytes=7)
            engine.push(lambda k=k: log.append(-k), nbytes=1000)
        engine.wait_all()
        assert sorted(log) == [-3, -2, -1, 0, 0, 1, 2, 3]


def test_a_large_push_waits_until_nothing_that_counts_is_pending():
    with Engine(Pool(1), budget=10) as engine:
        go, log = held_up(engine, nbytes=1), []
        large = pushing(engine, 1000, lambda: log.append("large"))
        assert engine.pending == 1
        go.set()
        large.join(20)
        engine.wait_all()
        assert log == ["large"]


@pytest.mark.parametrize("policy", [Pool(1), Pool(4), Serial(), Serial(5)], ids=repr)
def test_many_threads_push(policy):
    together, most, lock, counted = [0], [0], threading.Lock(), [0]

    def run(nbytes):
        with lock:
            together[0] += nbytes
            most[0] = max(most[0], together[0])
        with lock:
            together[0] -= nbytes
            counted[0] += 1

    with Engine(policy, budget=20) as engine:
        def push(seed):
            for k in range(200):
                engine.push(lambda n=1 + (seed * k) % 13: run(n), nbytes=1 + (seed * k) % 13)

        threads = [threading.Thread(target=push, args=(seed,)) for seed in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        engine.wait_all()
    assert counted == [1600]
    assert most[0] <= 20


def test_closing_ends_a_wait_for_room():
    engine, errors = Engine(Pool(1), budget=10), []
    go = held_up(engine, nbytes=10)

    def push():
        try:
            engine.push(lambda: None, nbytes=10)
        except RuntimeError as error:
            errors.append(str(error))

    threads = [threading.Thread(target=push) for _ in range(3)]
    for thread in threads:
        thread.start()
    time.sleep(0.1)
    engine.__del__()    # closes, and waits for nothing
    for thread in threads:
        thread.join(20)
    go.set()
    assert errors == ["the engine is closed: it takes no more operations"] * 3


def run(program):
    return subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, timeout=120)


PROGRAM = """
import os, signal, threading, time
from lazyarr.runtime import Engine, Pool
engine = Engine(Pool(1), budget=10)
x, go, log = engine.new_variable(), threading.Event(), []
engine.push(lambda: go.wait(20), mutate=[x], nbytes=5)

def small():
    time.sleep(0.1)     # behind the push below
    engine.push(lambda: log.append("small"), nbytes=2)

thread = threading.Thread(target=small)
thread.start()
threading.Timer(0.4, lambda: os.kill(os.getpid(), signal.SIGUSR1)).start()

{handler}

signal.signal(signal.SIGUSR1, handle)
try:
    engine.push(lambda: log.append("large"), nbytes=9)
except KeyboardInterrupt:
    print("interrupted")
thread.join(20)
print("pending", engine.pending)
go.set()
engine.wait_all()
print(*log)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are sent as on POSIX")
def test_ctrl_c_leaves_the_line():
    done = run(PROGRAM.format(handler="def handle(*_):\n    assert engine.pending == 1\n    raise KeyboardInterrupt"))
    assert done.stdout == "interrupted\npending 2\nsmall\n", done.stderr


@pytest.mark.skipif(os.name == "nt", reason="signals are sent as on POSIX")
def test_a_signal_handler_pushes_before_the_push_that_it_interrupts():
    handler = "def handle(*_):\n    engine.push(lambda: log.append('handler'), nbytes=3)\n    go.set()"
    done = run(PROGRAM.format(handler=handler))
    assert done.stdout.splitlines()[-1] == "handler large small", done.stdout + done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_fork_in_a_wait_for_room():
    handler = """
def handle(*_):
    child = os.fork()
    if child:
        assert os.waitpid(child, 0)[1] == 0
        go.set()
    else:
        signal.alarm(20)
        thread.join = lambda timeout: None      # it does not exist here
        engine.push(lambda: log.append("child"), nbytes=9)
"""
    done = run(PROGRAM.format(handler=handler).replace("print(*log)", "print(*log, flush=True)\nos._exit(0)"))
    logs = [line for line in done.stdout.splitlines() if not line.startswith("pending")]
    assert logs == ["child large", "large small"], done.stdout + done.stderr
