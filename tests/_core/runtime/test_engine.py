"""The dependency engine: order, errors, deadlocks, policies, the end of the process."""
import _thread
import asyncio
import contextlib
import contextvars
import copy
import ctypes
import gc
import os
import random
import subprocess
import sys
import threading
import time
import weakref

import numpy as np
import pytest

from lazyarr.runtime import Engine, NativeFunction, Policy, Pool, Serial, ThreadPerDevice, Variable

POLICIES = [Pool(1), Pool(2), Pool(5), ThreadPerDevice(), Serial(), Serial(1), Serial(2)]


@pytest.fixture(params=POLICIES, ids=repr)
def engine(request):
    with Engine(request.param) as made:
        yield made


@pytest.fixture
def pool():
    with Engine(Pool(2)) as made:
        yield made


def freed(address=0):
    """A native function: frees a block of memory; address 0 is none."""
    return NativeFunction(ctypes.cast(ctypes.pythonapi.PyMem_RawFree, ctypes.c_void_p).value, address)


# Order


def test_the_textbook_program(engine):
    values = {"a": 1}
    a, b, c, d = (engine.new_variable(name) for name in "abcd")
    engine.push(lambda: values.update(b=values["a"] + 1), read=[a], mutate=[b])
    engine.push(lambda: values.update(c=values["a"] + 2), read=[a], mutate=[c])
    engine.push(lambda: values.update(a=values["c"] * 2), read=[c], mutate=[a])
    engine.push(lambda: values.update(d=values["a"] + 3), read=[a], mutate=[d])
    engine.wait(d)
    assert values["d"] == 9
    engine.wait(b)
    assert values == {"a": 6, "b": 2, "c": 3, "d": 9}


def test_reads_run_side_by_side_and_a_write_waits_for_them(pool):
    x = pool.new_variable()
    both, log = threading.Barrier(2), []
    for _ in range(2):
        pool.push(lambda: both.wait(20), read=[x])
    pool.push(lambda: log.append(both.n_waiting), mutate=[x])
    pool.wait(x)
    assert log == [0]


def test_a_variable_named_twice_counts_once(engine):
    x, log = engine.new_variable(), []
    engine.push(lambda: log.append(1), read=[x, x], mutate=[x, x])
    engine.push(lambda: log.append(2), read=[x, x])
    engine.wait(x)
    assert log == [1, 2]


def test_many_variables(engine):
    variables, log = [engine.new_variable() for _ in range(100)], []
    engine.push(lambda: log.append(1), read=variables[:50], mutate=variables[50:])
    engine.push(lambda: log.append(2), mutate=variables)
    engine.wait_all()
    assert log == [1, 2]


def test_an_operator_is_pushed_again_and_again(engine):
    x, log = engine.new_variable(), []
    add = engine.new_operator(lambda: log.append(len(log)), mutate=[x])
    for _ in range(10):
        engine.push(add)
    engine.wait(x)
    assert log == list(range(10))


class Planned(Exception):
    """What operations of random programs fail with."""


def random_program(engine, seed):
    """Run a random program; return its values, which variables were poisoned, and whether all was waited for."""
    draw = random.Random(seed)
    variables = [engine.new_variable(k) for k in range(12)]
    values = list(range(12))
    generator, rng = engine.new_variable("generator"), np.random.default_rng(seed)
    deleted, poisoned = set(), set()

    def step(read, mutate, fails):
        if fails:
            raise Planned
        for k in mutate:
            values[k] = (sum(values[j] for j in read) * 31 + values[k] * 7 + k) % 1_000_003

    def sample(k):
        values[k] = int(rng.integers(1000))

    for _ in range(60):
        read, mutate = draw.sample(range(12), draw.randrange(3)), draw.sample(range(12), draw.randrange(3))
        kind = draw.random()
        if kind < 0.03:
            k = draw.randrange(12)
            if k not in deleted:
                engine.delete_variable(variables[k])
                deleted.add(k)
        elif kind < 0.15:
            k = draw.randrange(12)
            if k not in deleted:
                engine.push(lambda k=k: sample(k), mutate=[generator, variables[k]])
        elif deleted.intersection(read + mutate):
            with pytest.raises(ValueError, match="has been deleted"):
                engine.push(lambda: None, [variables[k] for k in read], [variables[k] for k in mutate])
        else:
            engine.push(lambda r=read, m=mutate, f=kind > 0.97: step(r, m, f), [variables[k] for k in read],
                        [variables[k] for k in mutate], priority=draw.randrange(-3, 4))
    for k in draw.sample(range(12), 12):
        if k not in deleted:
            try:
                engine.wait(variables[k])
            except Planned:
                poisoned.add(k)
    with contextlib.suppress(Planned, ExceptionGroup):
        engine.wait_all()
    return values, poisoned


@pytest.mark.parametrize("policy", POLICIES[:-3] + [Serial(seed) for seed in range(1, 6)], ids=repr)
def test_random_programs_are_as_run_serially(policy):
    with Engine(policy) as engine, Engine(Serial()) as serial:
        for seed in range(60):
            assert random_program(engine, seed) == random_program(serial, seed)


def test_a_seed_runs_operations_in_several_orders():
    orders = set()
    for seed in range(20):
        with Engine(Serial(seed)) as engine:
            log = []
            for k in range(5):
                engine.push(lambda k=k, log=log: log.append(k))
        orders.add(tuple(log))
    assert len(orders) > 10


# Priorities and lanes


def held_up(engine, lane=None):
    """Keep the only thread of a lane busy until the event is set."""
    event, begun = threading.Event(), threading.Event()
    engine.push(lambda: (begun.set(), event.wait(20)), lane=lane)
    begun.wait(20)
    return event


def test_higher_priorities_first_and_equal_ones_in_order():
    with Engine(Pool(1)) as engine:
        go, log = held_up(engine), []
        for k, priority in enumerate([0, 0, 2, 1, 2, -1]):
            engine.push(lambda k=k: log.append(k), priority=priority)
        go.set()
        engine.wait_all()
        assert log == [2, 4, 3, 0, 1, 5]


def test_a_low_priority_does_not_starve():
    with Engine(Pool(1)) as engine:
        go, log = held_up(engine), []
        engine.push(lambda: log.append("low"), priority=-1)
        for k in range(600):
            engine.push(lambda k=k: log.append(k), priority=0)
        go.set()
        engine.wait_all()
        assert 200 < log.index("low") <= 256


def test_lanes_have_threads_of_their_own():
    with Engine(Pool(1)) as engine:
        go, names = held_up(engine), []
        for lane in ("copy-in", "priority", ("cpu:1", "compute")):
            x = engine.new_variable()
            engine.push(lambda: names.append(threading.current_thread().name), mutate=[x], lane=lane)
            engine.wait(x)
        go.set()
        assert names == ["lazyarr copy-in", "lazyarr priority", "lazyarr ('cpu:1', 'compute')"]


def test_a_budget_makes_pushes_wait():
    with Engine(Pool(1), budget=100) as engine:
        go, pending = held_up(engine), []
        threading.Timer(0.2, go.set).start()
        begun = time.perf_counter()
        for _ in range(10):
            engine.push(lambda: None, nbytes=60)
            pending.append(engine.pending)
        assert time.perf_counter() - begun > 0.15
        assert max(pending) <= 3
        engine.push(lambda: None, nbytes=1000)  # more than there is: alone
        x = engine.new_variable()
        engine.push(lambda: [engine.push(lambda: None, nbytes=80) for _ in range(3)], mutate=[x], nbytes=80)
        engine.wait_all()


# Native and asynchronous functions


def test_native_functions_run_without_python(engine):
    block = ctypes.pythonapi.PyMem_RawMalloc
    block.argtypes, block.restype = [ctypes.c_size_t], ctypes.c_void_p
    x = engine.new_variable()
    for _ in range(100):
        engine.push(freed(block(1000)), mutate=[x])
    engine.wait(x)


def test_what_is_pushed_is_let_go(engine):
    class Function:
        def __call__(self):
            pass

    functions = [Function() for _ in range(3)]
    gone = [weakref.ref(fn) for fn in functions]
    x, y = engine.new_variable(), engine.new_variable()
    engine.push(functions[0], mutate=[x])
    engine.push(lambda: 1 / 0, mutate=[y])
    engine.push(functions[1], read=[y])  # does not run
    native = freed()
    native_with = NativeFunction(ctypes.cast(ctypes.pythonapi.PyMem_RawFree, ctypes.c_void_p).value, 0, functions[2])
    engine.push(native_with, mutate=[x])
    with pytest.raises(ZeroDivisionError):
        engine.wait_all()
    del functions, native, native_with
    engine.wait_all()
    gc.collect()
    assert [ref() for ref in gone] == [None] * 3


def test_asynchronous_functions_end_when_they_say_so(engine):
    x, log = engine.new_variable(), []

    def begin(on_complete):
        threading.Timer(0.05, lambda: (log.append("end"), on_complete())).start()

    engine.push(begin, mutate=[x], asynchronous=True)
    engine.push(lambda: log.append("after"), read=[x])
    engine.wait(x)
    assert log == ["end", "after"]
    engine.push(lambda on_complete: on_complete(), mutate=[x], asynchronous=True)
    engine.push(lambda on_complete: on_complete(KeyError("late")), mutate=[x], asynchronous=True)
    with pytest.raises(KeyError, match="late"):
        engine.wait(x)


def test_an_asynchronous_function_that_raises_or_forgets(engine, capsys):
    x, kept = engine.new_variable(), []
    engine.push(lambda on_complete: 1 / 0, mutate=[x], asynchronous=True)
    with pytest.raises(ZeroDivisionError):
        engine.wait(x)
    engine.push(lambda on_complete: None, mutate=[x], asynchronous=True)
    with pytest.raises(RuntimeError, match="lost its on_complete"):
        engine.wait(x)
    engine.push(kept.append, mutate=[x], asynchronous=True)
    if isinstance(engine.policy, Serial) and engine.policy.seed:
        threading.Timer(0.05, lambda: kept[0]()).start()
    else:
        while not kept:
            time.sleep(0.01)
        kept[0]()
    engine.wait(x)
    with pytest.raises(RuntimeError, match="already called"):
        kept[0]()
    engine.push(lambda on_complete: on_complete("text"), mutate=[x], asynchronous=True)
    with pytest.raises(TypeError, match="fails with an exception"):
        engine.wait(x)


def test_from_asyncio(pool):
    async def main():
        loop, x = asyncio.get_running_loop(), pool.new_variable()
        future = loop.create_future()
        pool.push(lambda: loop.call_soon_threadsafe(future.set_result, 5), mutate=[x])
        return await future

    assert asyncio.run(main()) == 5


def test_functions_run_in_the_context_of_their_push(engine):
    variable, seen = contextvars.ContextVar("variable", default=0), []
    x = engine.new_variable()
    variable.set(1)
    engine.push(lambda: (seen.append(variable.get()), variable.set(7)), mutate=[x])
    variable.set(2)
    engine.push(lambda: seen.append(variable.get()), mutate=[x])
    with np.errstate(divide="raise"):
        engine.push(lambda: np.float64(1) / np.zeros(1), mutate=[x])
    with pytest.raises(FloatingPointError):
        engine.wait(x)
    assert seen == [1, 2]
    assert variable.get() == 2


# Errors


def test_an_error_poisons_what_would_have_been_written(engine):
    x, y, z, free = (engine.new_variable(name) for name in ("x", "y", "z", "free"))
    log = []

    def fail():
        raise KeyError("first")

    engine.push(fail, mutate=[x])
    line = fail.__code__.co_firstlineno + 3
    engine.push(lambda: log.append("never"), read=[x], mutate=[y])
    engine.push(lambda: log.append("never"), mutate=[x])
    engine.push(lambda: log.append("on"), mutate=[free])
    engine.wait(free)
    for variable in (y, x):
        with pytest.raises(KeyError, match="first") as caught:
            engine.wait(variable)
        assert f"test_engine.py:{line} in test_an_error_poisons" in caught.value.__notes__[0]
    engine.wait(x)  # each once
    engine.wait_all()
    engine.push(lambda: log.append("again"), read=[x], mutate=[y, z])
    engine.wait_all()
    assert log == ["on", "again"]


def test_wait_all_raises_what_nobody_has_waited_for(engine):
    x, y = engine.new_variable(), engine.new_variable()
    engine.push(lambda: 1 / 0, mutate=[x])
    engine.push(lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        engine.wait(x)
    with pytest.raises(ZeroDivisionError):
        engine.wait_all()
    engine.push(lambda: 1 / 0, mutate=[x])
    engine.push(lambda: {}[0], mutate=[y])
    with pytest.raises(ExceptionGroup) as caught:
        engine.wait_all()
    assert {type(error) for error in caught.value.exceptions} == {ZeroDivisionError, KeyError}
    engine.wait(x)
    engine.wait(y)


def test_a_deleted_variable_frees_in_spite_of_poison(engine):
    x, log = engine.new_variable("x"), []
    engine.push(lambda: 1 / 0, mutate=[x])
    engine.delete_variable(x, lambda: log.append("freed"))
    with pytest.raises(ZeroDivisionError):
        engine.wait_all()
    assert log == ["freed"]
    for call in (lambda: engine.delete_variable(x), lambda: engine.wait(x), lambda: engine.push(log.clear, [x])):
        with pytest.raises(ValueError, match="<Variable x> has been deleted"):
            call()
    assert log == ["freed"]


def test_an_engine_that_is_dropped_runs_what_is_pending():
    for policy in (Serial(), Serial(3)):
        engine, log = Engine(policy), []
        for k in range(5):
            engine.push(lambda k=k, log=log: log.append(k))
        kept = []
        x = engine.new_variable()
        engine.push(kept.append, mutate=[x], asynchronous=True)
        engine.push(lambda log=log: log.append("after"), mutate=[x])
        del engine, x
        gc.collect()
        assert sorted(log) == [0, 1, 2, 3, 4]
        kept.pop()()
        assert log[5:] == ["after"]


def test_closing_inside_an_operation_is_refused(engine):
    engine.push(engine.close)
    with pytest.raises(RuntimeError, match="would never end"):
        engine.wait_all()
    engine.push(lambda: None)  # it is open


def test_closing_runs_what_operations_push(engine):
    log = []

    def push_more(k):
        log.append(k)
        if k:
            engine.push(lambda: push_more(k - 1))
        else:
            engine.push(lambda: 1 / 0)

    engine.push(lambda: push_more(5))
    with pytest.raises(ZeroDivisionError):
        engine.close()
    assert log == [5, 4, 3, 2, 1, 0]


def test_a_dropped_engine_reports_what_nobody_has_waited_for(monkeypatch):
    told = []
    monkeypatch.setattr(sys, "unraisablehook", lambda args: told.append(args.exc_type))
    engine = Engine(Serial())
    engine.push(lambda: 1 / 0)
    del engine
    gc.collect()
    assert told == [ZeroDivisionError]


def test_cycles_of_references_through_variables_are_collected():
    class Holder:
        pass

    for _ in range(20):
        holder = Holder()
        holder.engine = Engine(Serial())
        holder.variable = holder.engine.new_variable(holder)
        holder.engine.push(lambda: None, mutate=[holder.variable])
        del holder
        gc.collect()


def test_an_engine_is_neither_copied_nor_pickled(engine):
    with pytest.raises(TypeError, match="neither copied nor pickled"):
        copy.copy(engine)


def test_wrong_input(engine):
    with Engine(Serial()) as other:
        foreign = other.new_variable("f")
        for call in (lambda: engine.push(print, [foreign]), lambda: engine.push(print, (), [foreign]),
                     lambda: engine.wait(foreign), lambda: engine.delete_variable(foreign),
                     lambda: engine.new_operator(print, [foreign])):
            with pytest.raises(ValueError, match="<Variable f> belongs to another engine"):
                call()
    for wrong in (5, None, "text"):
        with pytest.raises(TypeError, match="neither callable"):
            engine.push(wrong)
    for wrong in (5, None):
        with pytest.raises(TypeError, match="names Variables"):
            engine.push(print, [wrong])
        with pytest.raises(TypeError, match="names Variables"):
            engine.new_operator(print, [], [wrong])
    with pytest.raises(ValueError, match="another engine"):
        engine.push(print, [Variable()])
    with pytest.raises(TypeError, match="names its variables itself"):
        engine.push(engine.new_operator(print), [engine.new_variable()])
    with pytest.raises(TypeError, match="cannot be asynchronous"):
        engine.push(freed(), asynchronous=True)
    with pytest.raises(ValueError, match="nbytes"):
        engine.push(print, nbytes=-1)
    with pytest.raises(ValueError, match="address"):
        NativeFunction(0)
    with pytest.raises(ValueError, match="not initialised"):
        engine.push(NativeFunction.__new__(NativeFunction))
    for budget in (0, -5):
        with pytest.raises(ValueError, match="budget"):
            Engine(budget=budget)
    with pytest.raises(ValueError, match="thread"):
        Pool(0)
    with pytest.raises(OverflowError):
        engine.push(print, priority=2**40)
    assert engine.pending == 0


def test_pushes_after_the_end():
    engine = Engine(Pool(1))
    x, log = engine.new_variable(), []
    engine.push(lambda: (time.sleep(0.05), log.append(1)), mutate=[x])
    engine.close()
    assert log == [1]
    with pytest.raises(RuntimeError, match="engine is closed"):
        engine.push(log.clear)
    engine.wait(x)
    engine.close()
    assert repr(engine) == "<Engine Pool(1), closed>"


def test_an_engine_that_nobody_has_ends():
    engine, log = Engine(Pool(2)), []
    engine.push(lambda: (time.sleep(0.05), log.append(1)))
    threads = [thread for thread in threading.enumerate() if thread.name.startswith("lazyarr compute")]
    assert len(threads) >= 2
    del engine
    gc.collect()
    deadline = time.monotonic() + 20
    while any(thread.is_alive() for thread in threads) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert log == [1]
    assert not any(thread.is_alive() for thread in threads)


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
