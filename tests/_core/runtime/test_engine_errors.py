"""The dependency engine: errors, deletion, invalid input, shutdown."""
import copy
import gc
import sys
import threading
import time

import pytest

from lazyarr.runtime import Engine, NativeFunction, Pool, Serial, Variable
from support.engine_functions import freed


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
        assert f"test_engine_errors.py:{line} in test_an_error_poisons" in caught.value.__notes__[0]
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
