"""The dependency engine: waits inside operations, signals, forks, process exit."""
import _thread
import gc
import os
import subprocess
import sys
import threading
import time

import pytest

from lazyarr.runtime import Engine, Policy, Pool, Serial

# Waits inside operations


def test_a_wait_inside_an_operation(engine):
    x, y, log = engine.new_variable(), engine.new_variable(), []

    def outer():
        engine.push(lambda: log.append("inner"), mutate=[x])
        engine.wait(x)
        log.append("outer")

    for _ in range(3):
        engine.push(outer, mutate=[y])
    engine.wait(y)
    assert log == ["inner", "outer"] * 3


def test_a_wait_inside_an_operation_for_reads(engine):
    x, log = engine.new_variable(), []

    def outer():
        engine.push(lambda: log.append("read"), read=[x])
        engine.wait(x)
        log.append("outer")

    engine.push(outer)
    engine.wait_all()
    assert log == ["read", "outer"]


def test_waits_that_end_are_not_refused():
    with Engine(Pool(2)) as engine:
        w, y, z, go, log = *(engine.new_variable(name) for name in "wyz"), threading.Event(), []
        engine.push(lambda: (go.wait(20), engine.wait(y), log.append("waited")), mutate=[w])
        engine.push(lambda: time.sleep(0.05), mutate=[y, z])
        engine.push(lambda: log.append("later"), read=[z], mutate=[w])
        go.set()
        engine.wait_all()
        assert log == ["waited", "later"]


@pytest.mark.parametrize("seed", range(40))
def test_serial_waits_inside_operations(seed):
    before = threading.active_count()
    with Engine(Serial(seed)) as engine:
        x, a, inner, log = *(engine.new_variable() for _ in range(3)), []
        engine.push(lambda: log.append("x"), mutate=[x])
        engine.push(lambda: engine.wait(x))
        engine.push(lambda: (engine.push(lambda: log.append("inner"), mutate=[inner]), engine.wait(inner)), mutate=[a])
        engine.push(lambda: engine.wait(a))
        engine.wait(x)
        engine.wait_all()
        assert sorted(log) == ["inner", "x"]
        assert threading.active_count() == before


def test_a_wait_for_oneself_is_refused(engine):
    x, y = engine.new_variable(), engine.new_variable()

    def waits_for_itself():
        engine.wait(x)

    def waits_for_what_waits():
        engine.push(lambda: None, read=[x], mutate=[y])
        engine.wait(y)

    for fn, word in ((waits_for_itself, "waits_for_itself"), (waits_for_what_waits, "waits_for_what_waits"),
                     (engine.wait_all, "wait_all")):
        engine.push(fn, mutate=[x])
        with pytest.raises(RuntimeError, match=f"a wait inside .*{word}.* would never end"):
            engine.wait(x)
        engine.wait_all()


def test_a_cycle_of_waits_through_two_operations():
    with Engine(Pool(2)) as engine:
        x, y, both = engine.new_variable(), engine.new_variable(), threading.Barrier(2)
        engine.push(lambda: (both.wait(20), engine.wait(y)), mutate=[x])
        engine.push(lambda: (both.wait(20), engine.wait(x)), mutate=[y])
        with pytest.raises((RuntimeError, ExceptionGroup)):
            engine.wait_all()


def test_a_cycle_of_waits_through_two_engines():
    with Engine(Pool(1)) as one, Engine(Pool(1)) as two:
        x, y, both = one.new_variable(), two.new_variable(), threading.Barrier(2)
        one.push(lambda: (both.wait(20), two.wait(y)), mutate=[x])
        two.push(lambda: (both.wait(20), one.wait(x)), mutate=[y])
        failed = 0
        for engine in (one, two):
            try:
                engine.wait_all()
            except RuntimeError:
                failed += 1
        assert failed >= 1


def test_threads_that_wait_are_replaced(pool):
    depth, log = 8, []

    def nested(k):
        if k:
            x = pool.new_variable()
            pool.push(lambda: nested(k - 1), mutate=[x])
            pool.wait(x)
        log.append(k)

    pool.push(lambda: nested(depth))
    pool.wait_all()
    assert log == list(range(depth + 1))


def test_many_threads_push_and_wait(engine):
    total, x = [0], engine.new_variable()

    def add():
        total[0] += 1

    def work():
        for _ in range(100):
            engine.push(add, mutate=[x])
        engine.wait(x)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert total == [800]


# The process


def run(program, **kwargs):
    return subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, timeout=120, **kwargs)


def test_what_is_pending_runs_before_the_interpreter_ends():
    done = run("""
import time
from lazyarr.runtime import Engine, Pool, Serial
engines = [Engine(Pool(1)), Engine(Serial(4))]
for engine in engines:
    for k in range(5):
        engine.push(lambda k=k: (time.sleep(0.01), print("ran", k)))
engines[0].push(lambda: 1 / 0)
""")
    assert done.returncode == 0
    assert done.stdout.count("ran") == 10
    assert "ZeroDivisionError" in done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_forked_child_begins_afresh():
    done = run("""
import os, threading, warnings
warnings.simplefilter("ignore")
from lazyarr.runtime import Engine, Pool
engine = Engine(Pool(2))
x, go, log = engine.new_variable(), threading.Event(), []
engine.push(lambda: (go.wait(20), log.append("parent")), mutate=[x])
engine.push(lambda: log.append("parent too"), mutate=[x])
told = []
engine.push(told.append, asynchronous=True)
while not told:
    pass
child = os.fork()
if child == 0:
    assert engine.pending == 0
    told[0]()
    engine.wait(x)
    engine.push(lambda: log.append("child"), mutate=[x])
    engine.wait(x)
    os._exit(0 if log == ["child"] else 3)
assert os.waitpid(child, 0)[1] == 0
told[0]()
go.set()
engine.wait(x)
assert log == ["parent", "parent too"]

def fork():
    child = os.fork()
    if child == 0:
        log.clear()
        engine.push(lambda: log.append(1))
        os._exit(0)
    log.append(os.waitpid(child, 0)[1])

engine.push(fork, mutate=[x])
engine.wait(x)
assert log[-1] == 0
print("done")
""")
    assert done.stdout == "done\n", done.stderr


@pytest.mark.skipif(os.name == "nt", reason="signals are sent as on POSIX")
def test_an_interrupted_wait_that_has_just_ended():
    done = run("""
import os, signal, threading, time
from lazyarr.runtime import Engine, Pool
engine = Engine(Pool(1))
x, go = engine.new_variable(), threading.Event()

def handle(number, frame):
    go.set()
    time.sleep(0.2)
    raise KeyboardInterrupt

signal.signal(signal.SIGINT, handle)
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
engine.push(lambda: (go.wait(20), 1 / 0), mutate=[x])
try:
    engine.wait(x)
except KeyboardInterrupt:
    print("interrupted")
try:
    engine.wait_all()
except ZeroDivisionError:
    print("and failed")
""")
    assert done.stdout == "interrupted\nand failed\n", done.stderr


def test_a_push_without_a_frame():
    engine, ended = Engine(Pool(1)), threading.Event()
    x = engine.new_variable()
    _thread.start_new_thread(engine.push, (lambda: (ended.set(), 1 / 0), (), [x]))
    assert ended.wait(20)
    with pytest.raises(ZeroDivisionError):
        engine.wait(x)
    engine.close()


@pytest.mark.skipif(os.name == "nt", reason="signals are sent as on POSIX")
@pytest.mark.parametrize("call", ["engine.wait_all()", "engine.close()"])
def test_a_signal_handler_may_wait_for_all(call):
    done = run(f"""
import os, signal, threading
from lazyarr.runtime import Engine, Pool
engine = Engine(Pool(1))
x, go = engine.new_variable(), threading.Event()
signal.signal(signal.SIGUSR1, lambda *_: (go.set(), {call}))
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGUSR1)).start()
engine.push(lambda: go.wait(20), mutate=[x])
engine.wait_all()
print("ended")
""")
    assert done.stdout == "ended\n", done.stderr


def test_a_policy_with_both_kinds_of_lanes():
    class Mixed(Policy):
        def workers(self, lane):
            return lane == "threads"

    for _ in range(5):
        engine, log = Engine(Mixed()), []
        x = engine.new_variable()
        engine.push(lambda: time.sleep(0.02), mutate=[x], lane="threads")
        engine.push(lambda log=log: log.append("read"), read=[x], lane="none")
        threads = [thread for thread in threading.enumerate() if thread.name == "lazyarr threads"]
        del engine, x
        gc.collect()
        for thread in threads:
            thread.join(20)
        assert log == ["read"]


def test_without_threads_those_that_wait_run_operations(monkeypatch):
    def refuse(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    log = []
    with Engine(Pool(2)) as engine:
        x = engine.new_variable()
        engine.push(lambda: (engine.push(lambda: log.append("inner"), mutate=[x]), engine.wait(x)))
    assert log == ["inner"]


@pytest.mark.skipif(os.name == "nt", reason="signals are sent as on POSIX")
def test_a_signal_handler_may_push_and_wait():
    done = run("""
import os, signal, threading
from lazyarr.runtime import Engine, Pool
engine = Engine(Pool(1))
x, y, go = engine.new_variable(), engine.new_variable(), threading.Event()

def handle(number, frame):
    engine.wait(y)
    engine.push(lambda: print("pushed"), mutate=[y], lane="priority")
    engine.wait(y)
    go.set()

signal.signal(signal.SIGUSR1, handle)
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGUSR1)).start()
engine.push(lambda: go.wait(20), mutate=[x])
engine.wait(x)
print("ended")
""")
    assert done.stdout == "pushed\nended\n", done.stderr


@pytest.mark.skipif(os.name == "nt", reason="signals are sent as on POSIX")
@pytest.mark.parametrize("wait", ["engine.wait(x)", "engine.wait_all()", "engine.push(print, nbytes=9)"])
def test_ctrl_c_ends_a_wait(wait):
    done = run(f"""
import os, signal, threading
from lazyarr.runtime import Engine, Pool
engine = Engine(Pool(1), budget=10)
x, go = engine.new_variable(), threading.Event()
engine.push(lambda: go.wait(20), mutate=[x], nbytes=5)
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    {wait}
except KeyboardInterrupt:
    print("interrupted", engine.pending)
go.set()
engine.wait(x)
""")
    assert done.stdout == "interrupted 1\n", done.stderr
