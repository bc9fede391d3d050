"""Which threads worked on a step, and when, as reported to observers."""

import threading
import time

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core import api
from lazyarr._core.host import threads, tunables
from lazyarr._core.host.threads import OPENMP
from lazyarr._core.runtime import concurrent_steps
from support.feature_switches import switched

pytestmark = [pytest.mark.usefixtures("three_threads"),
              pytest.mark.skipif(not OPENMP, reason="without OpenMP there is one thread")]

X = np.linspace(0, 1, 400_000)


def timeline(*arrays):
    """Return name, start, seconds, thread and team shares of each step."""
    records = []
    with la.config(on_evaluate=records.append):
        la.evaluate(*arrays)
    return [step for record in records for step in record["timeline"]]


def assert_within(shares, began, seconds):
    for _, at, lasted in shares:
        assert began <= at <= at + lasted <= began + seconds


@pytest.mark.parametrize("make", [
    lambda x: la.sin(x) + 1, lambda x: la.sin(x).sum(), la.sort, lambda x: la.repeat(x, 3), lambda x: x[::-1] * x,
    lambda x: x[:160_000].reshape(400, 400) @ x[:160_000].reshape(400, 400)],
    ids=["program", "sum", "sort", "repeat", "view", "product"])
def test_each_thread_of_a_team(make):
    [(_, began, seconds, thread, shares)] = timeline(make(la.asarray(X)))
    assert thread == 0
    assert [number for number, _, _ in shares] == [0, 1, 2]
    assert_within(shares, began, seconds)


def test_no_team():
    [(_, _, _, thread, shares)] = timeline(la.asarray(X[:10]) + 1)
    assert (thread, shares) == (0, ())
    with la.config(num_threads=1):
        [(_, _, _, thread, shares)] = timeline(la.sin(la.asarray(X)))
    assert (thread, shares) == (0, ())


def test_a_step_has_its_own_shares_only():
    x = la.asarray(X)
    steps = timeline(la.sin(x), np.linalg.eigvalsh(x[:4].reshape(2, 2)), la.sort(x))
    assert sorted(len(shares) for *_, shares in steps) == [0, 3, 3]
    for _, began, seconds, _, shares in steps:
        assert_within(shares, began, seconds)


def test_teams_of_a_loop_are_those_of_its_step():
    ends = []

    def look(y):
        ends.append(time.perf_counter())
        return y

    x = la.fori_loop(0, 4, lambda i, y: api.opaque("look", look, [la.sin(y) + i], X.shape, X.dtype), la.asarray(X))
    [(name, began, seconds, _, shares)] = timeline(x)
    assert name == "fori_loop"
    assert [number for number, _, _ in shares] == [0, 1, 2]
    assert_within(shares, began, seconds)
    for _, at, lasted in shares:  # from the first round to the last
        assert at < ends[0]
        assert at + lasted > ends[-2]


def test_teams_of_an_evaluation_inside_a_step_are_those_of_both():
    def inside(x):
        return np.asarray(la.sin(la.asarray(x)))

    inner, outer = timeline(api.opaque("outer", inside, [la.asarray(X)], X.shape, X.dtype))
    assert (inner[0], outer[0]) == ("sin", "outer")
    for _, began, seconds, _, shares in (inner, outer):
        assert len(shares) == 3
        assert_within(shares, began, seconds)
    assert inner[4] == outer[4]


def test_steps_side_by_side_say_which_thread_ran_them():
    with switched(concurrent_steps, True, True), api.one_plan():
        steps = timeline(*[la.exp(la.asarray(X[k:k + 9000])) for k in range(24)], la.sin(la.asarray(X)))
    together = [(thread, shares) for name, _, _, thread, shares in steps if name == "exp"]
    assert len(together) == 24
    assert {thread for thread, _ in together} <= {0, 1, 2}
    assert all(shares == () for _, shares in together)
    assert [len(shares) for name, *_, shares in steps if name == "sin"] == [3]


def test_more_threads_than_there_were_at_the_begin():
    def inside(x):
        la.config.num_threads = 5
        return np.asarray(la.sin(la.asarray(x)))

    inner, outer = timeline(api.opaque("outer", inside, [la.asarray(X)], X.shape, X.dtype))
    assert [number for number, _, _ in inner[4]] == [0, 1, 2, 3, 4]
    assert [number for number, _, _ in outer[4]] == [0, 1, 2]


def test_nothing_stays_behind_an_error():
    def fail(x):
        raise ZeroDivisionError

    failing = api.opaque("fail", fail, [la.sin(la.asarray(X))], X.shape, X.dtype)
    with pytest.raises(ZeroDivisionError):
        timeline(failing)
    la.sort(la.asarray(X)).numpy()  # nobody watches
    assert [shares for *_, shares in timeline(la.asarray(X[:10]) + 1)] == [()]


def test_threads_that_evaluate_by_turns():
    steps = []

    def work():
        for _ in range(20):
            np.asarray(la.sin(la.asarray(X)))

    def listen(record):
        steps.extend(record["timeline"])

    with la.config(on_evaluate=listen):
        workers = [threading.Thread(target=work) for _ in range(3)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    assert len(steps) == 60
    for _, began, seconds, _, shares in steps:
        assert len(shares) == 3
        assert_within(shares, began, seconds)


def test_a_sleeping_team_is_woken_where_the_steps_of_a_plan_are_worth_it_together():
    def teams(make):
        time.sleep(0.02)  # longer than a team waits for work
        return [len(shares) for *_, shares in timeline(make(a))]

    a = la.asarray(np.ones((100, 100)))
    worth_waking = tunables.declared()["threads.worth_waking_ns"]
    before, limit = threads.estimated_ns(), worth_waking.get()
    la.evaluate(a @ a)
    worth_waking.set(1.5 * (threads.estimated_ns() - before))  # of one product, or two
    try:
        alone, in_a_row = [(teams(make), teams(make))[1]  # at first it is not known what its steps are worth
                           for make in (lambda a: a @ a, lambda a: ((a @ a + 1) @ a + 1) @ a)]
    finally:
        worth_waking.set(limit)
    assert alone == [0]
    assert in_a_row == [3, 3, 3]
