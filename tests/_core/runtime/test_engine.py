"""The dependency engine: order, priorities, lanes, native and asynchronous functions."""
import asyncio
import contextlib
import contextvars
import ctypes
import gc
import random
import threading
import time
import weakref

import numpy as np
import pytest

from lazyarr.runtime import Engine, NativeFunction, Pool, Serial
from support.engine_functions import POLICIES, freed, held_up

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
    """The failure of operations in random programs."""


def random_program(engine, seed):
    """Run a random program; return its values, the poisoned variables, and whether everything was waited for."""
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
