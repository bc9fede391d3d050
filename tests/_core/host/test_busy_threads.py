"""Thread teams do not use the cores of busy engine threads."""
import os
import threading
import time

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core import api
from lazyarr._core.host.threads import OPENMP, others_busy
from lazyarr.runtime import Engine, Pool, Serial, ThreadPerDevice
from support.engine_functions import held_up

pytestmark = [pytest.mark.usefixtures("three_threads"),
              pytest.mark.skipif(not OPENMP, reason="without OpenMP there is one thread")]

X = np.linspace(0, 1, 400_000)


def team():
    """Return the number of threads that run a large step."""
    records = []
    with la.config(on_evaluate=records.append):
        y = la.sin(la.asarray(X)) + 1
        y.numpy()
    np.testing.assert_array_equal(y, np.sin(X) + 1)
    [(*_, shares)] = records[0]["timeline"]
    return max(len(shares), 1)


def test_a_busy_thread_keeps_its_core():
    with Engine(Pool(1)) as engine:
        assert team() == 3
        go = held_up(engine)
        assert others_busy() == 1
        assert team() == 2
        go.set()
        engine.wait_all()
        wait_for_none()
        assert team() == 3


def wait_for_none():
    """Wait until no thread is busy: operations end a moment earlier."""
    end = time.monotonic() + 20
    while others_busy() and time.monotonic() < end:
        time.sleep(0.001)
    assert others_busy() == 0


def test_a_step_has_one_thread_at_least():
    with Engine(Pool(2)) as engine, Engine(ThreadPerDevice()) as other:
        events = [held_up(engine), held_up(engine), held_up(other, "cpu:0"), held_up(other, "copy-in")]
        assert others_busy() == 4
        assert team() == 1
        for event in events:
            event.set()
        other.wait_all()
    wait_for_none()
    assert team() == 3


@pytest.mark.parametrize("policy", [Pool(1), Serial()], ids=repr)
def test_a_thread_that_evaluates_has_its_own_core(policy):
    sizes = []
    with Engine(policy) as engine:
        x = engine.new_variable()
        engine.push(lambda: sizes.append((others_busy(), team())), mutate=[x])
        engine.wait(x)
    assert sizes == [(0, 3)]


def test_a_thread_that_evaluates_leaves_others_theirs():
    sizes = []
    with Engine(Pool(2)) as engine:
        x, go = engine.new_variable(), held_up(engine)
        engine.push(lambda: sizes.append(team()), mutate=[x])
        engine.wait(x)
        go.set()
    assert sizes == [2]


def test_a_thread_that_waits_inside_an_operation_is_not_busy():
    with Engine(Pool(1)) as engine:
        x, y, go = engine.new_variable(), engine.new_variable(), threading.Event()
        begun, waited, end = threading.Event(), threading.Event(), threading.Event()
        engine.push(lambda: (begun.set(), go.wait(20)), mutate=[x], lane="other")
        engine.push(lambda: (engine.wait(x), waited.set(), end.wait(20)), mutate=[y])
        assert begun.wait(20)
        time.sleep(0.1)
        assert others_busy() == 1
        go.set()
        assert waited.wait(20)
        assert others_busy() >= 1   # that of "other" may be about to sleep
        end.set()
    wait_for_none()


def test_a_thread_that_waits_to_evaluate_is_not_busy():
    begun, sizes = threading.Event(), []

    def look(x):
        engine.push(lambda: (begun.set(), (la.asarray(X) * 2).numpy()))
        assert begun.wait(20)
        time.sleep(0.1)     # now it waits for this evaluation to end
        sizes.append(others_busy())
        return x

    with Engine(Pool(1)) as engine:
        api.opaque("look", look, [la.asarray(X[:10])], (10,), X.dtype).numpy()
    assert sizes == [0]


def test_errors_and_asynchronous_functions():
    told = []
    with Engine(Pool(1)) as engine:
        x = engine.new_variable()
        engine.push(lambda: 1 / 0, mutate=[x])
        with pytest.raises(ZeroDivisionError):
            engine.wait(x)
        engine.push(told.append, mutate=[x], asynchronous=True)
        wait_for_none()     # it has not ended, but nothing computes it
        while not told:
            time.sleep(0.001)
        told[0]()
        engine.wait(x)
    wait_for_none()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_has_no_busy_threads(run_python):
    output = run_python("""
        import os, threading, warnings
        warnings.simplefilter("ignore")
        from lazyarr._core.host.threads import others_busy
        from lazyarr.runtime import Engine, Pool
        engine, go, begun = Engine(Pool(3)), threading.Event(), threading.Barrier(3)
        for _ in range(2):
            engine.push(lambda: (begun.wait(20), go.wait(20)))
        begun.wait(20)

        def fork(expected):
            child = os.fork()
            if child == 0:
                os._exit(others_busy())
            assert os.waitpid(child, 0)[1] == 0
            assert others_busy() == expected

        fork(2)
        x = engine.new_variable()
        engine.push(lambda: fork(2), mutate=[x])
        engine.wait(x)
        go.set()
        engine.close()
        print(others_busy())
    """)
    assert output == "0\n"
