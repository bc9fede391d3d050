"""Failed nodes: operations on them fail without being run, at no further cost in time or memory.

Costs are counted: calls of the failing function, evaluations, plans, nodes and bytes.
"""

import threading

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core import api
from lazyarr._core.host import allocator
from lazyarr._core.ir import node
from lazyarr._core.runtime import plan_cache
from support.lazy_helpers import pending

ROUNDS = 2_000


def failing(error, calls):
    """Return a lazy number whose operation raises an error of this class."""
    def function(x):
        calls.append(1)
        raise error("it went wrong")

    return api.opaque("my_call", function, [pending(1.0)], (), np.dtype(float))


def text_of(array):
    """Return what reading an array raises: class, text and notes."""
    with pytest.raises(Exception) as caught:  # noqa: PT011  # compared by the callers
        array.numpy()
    return type(caught.value), str(caught.value), tuple(getattr(caught.value, "__notes__", ()))


def accumulated(s, rounds=ROUNDS):
    total = la.array(0.0)
    for k in range(rounds):
        total += s * k
    return total


def test_a_loop_behind_a_singular_matrix():
    s = la.linalg.solve(la.zeros((3, 3)), la.ones(3))[0]
    plan_cache.reset_stats()
    before = node.stats()["live"]
    total = accumulated(s, 20_000)
    assert node.stats()["live"] - before < 1_000
    expected = text_of(s)
    assert expected[:2] == (np.linalg.LinAlgError, "Singular matrix")
    assert expected[2][0].startswith(f"lazyarr: in linalg.solve, created at {__file__}:")
    assert [text_of(total) for _ in range(3)] == [expected] * 3
    assert plan_cache.stats()["misses"] < 10
    assert plan_cache.stats()["evaluations"] < 10


@pytest.mark.parametrize("error", [ValueError, TypeError, IndexError, ZeroDivisionError])
def test_an_error_of_the_values_is_raised_by_one_call(error):
    calls = []
    s = failing(error, calls)
    before = s * 2
    total = accumulated(s)
    for array in (total, s, before, s + 1, total[None], total):
        assert text_of(array)[:2] == (error, str(error("it went wrong")))
        assert len(text_of(array)[2]) == 1
    assert len(calls) == 1
    assert total.shape == ()
    assert total.dtype == np.float64


@pytest.mark.parametrize("error", [OSError, RuntimeError, MemoryError, KeyboardInterrupt])
def test_an_error_of_the_moment_may_not_come_again(error):
    ready = []

    def function(x):
        if not ready:
            raise error("not now")
        return x * 2

    s = api.opaque("my_call", function, [pending(1.0)], (), np.dtype(float))
    y = s + 1
    for array in (y, s, y):
        with pytest.raises(error, match="not now"):
            array.numpy()
    ready.append(True)
    assert (float(y), float(s), float(y * s)) == (3.0, 2.0, 6.0)


def test_flushes_leave_an_error_of_the_moment_to_looks():
    calls = []
    s = failing(OSError, calls)
    plan_cache.reset_stats()
    total = accumulated(s)
    assert (len(calls) < 10, plan_cache.stats()["evaluations"] < 20) == (True, True)
    assert text_of(total)[:2] == (OSError, "it went wrong")


def test_a_loop_behind_a_floating_point_error():
    with np.errstate(all="raise"):
        s = la.array([1.0, 2.0]) / la.array([0.0, 1.0])
    plan_cache.reset_stats()
    total, other = la.array([0.0, 0.0]), la.array([0.0, 0.0])
    for k in range(ROUNDS):
        total += s * k
        other += k
    assert plan_cache.stats()["misses"] < 20
    assert other.tolist() == [ROUNDS * (ROUNDS - 1) / 2] * 2
    for array in (total, s, total):
        kind, text, notes = text_of(array)
        assert (kind, text, len(notes)) == (FloatingPointError, "divide by zero encountered in divide", 1)


def test_a_loop_behind_an_error_of_numpys_loops():
    s = pending([2, 3]) ** pending([-1, 1])
    plan_cache.reset_stats()
    total = la.array([0, 0])
    for k in range(ROUNDS):
        total += s * k
    assert plan_cache.stats()["misses"] < 20
    assert text_of(total)[1].startswith("Integers to negative integer powers")


def test_what_does_not_depend_on_the_failure_has_its_values():
    calls = []
    s = failing(ValueError, calls)
    x = pending([1.0, 2.0])
    others = [x * k for k in range(5)]
    bad = [other * s for other in others]
    with pytest.raises(ValueError, match="it went wrong"):
        la.evaluate(s)
    with pytest.raises(ValueError, match="it went wrong"):
        la.evaluate(*bad, *others)
    assert not any(api.is_pending(other) for other in others)
    assert [other.tolist() for other in others] == [[k, 2.0 * k] for k in range(5)]
    assert len(calls) == 1


def test_a_loop_with_work_beside_the_failure(evaluations):
    calls = []
    s = failing(ValueError, calls)
    total, other, x = la.array(0.0), pending([0.0, 1.0]), pending([1.0, 2.0])
    for _ in range(ROUNDS):
        total += s * x.sum()
        other = other * 0.5 + x
    assert len(calls) == 1
    assert len(evaluations) < ROUNDS // 20
    np.testing.assert_allclose(other, [2.0, 4.0])
    assert text_of(total)[0] is ValueError


def test_looks_in_a_loop():
    calls = []
    s, total, caught = failing(ValueError, calls), la.array(0.0), 0
    plan_cache.reset_stats()
    for k in range(ROUNDS):
        total += s * k
        try:
            float(total)
        except ValueError:
            caught += 1
    assert (caught, len(calls)) == (ROUNDS, 1)
    assert plan_cache.stats()["evaluations"] < 5


def test_looks_at_what_was_made_before_the_failure_was_known():
    calls = []
    with la.config(budget_nodes=10 * ROUNDS):
        made = [failing(ValueError, calls)]
        for k in range(ROUNDS):
            made.append(made[-1] + k)
        plan_cache.reset_stats()
        for array in [*made[5::7], *made[::-1]]:
            assert text_of(array)[0] is ValueError
    assert (len(calls), plan_cache.stats()["evaluations"]) == (1, 1)


def test_several_failures():
    calls = []
    first, second = failing(ValueError, calls), failing(IndexError, calls)
    total = la.array(0.0)
    for k in range(ROUNDS):
        total += (first, second)[k % 2] * k
    assert len(calls) <= 2
    assert (text_of(first)[0], text_of(second)[0]) == (ValueError, IndexError)
    assert text_of(total)[0] is ValueError
    with pytest.raises(ValueError, match="it went wrong"):  # of the two the operation that came first
        la.evaluate(second * 2, first * 2)
    assert len(calls) == 2


def test_a_new_failure_in_each_round():
    calls, kept, good = [], [], la.array(0.0)
    plan_cache.reset_stats()
    for k in range(300):
        kept.append(failing(ValueError, calls) * k)
        good += k
    assert float(good) == 300 * 299 / 2
    assert {text_of(x)[:2] for x in kept} == {(ValueError, "it went wrong")}
    assert len(calls) == 300
    assert plan_cache.stats()["misses"] < 30


def test_views_of_what_failed():
    calls = []
    a, s = la.zeros(100), failing(ValueError, calls)
    window, rows = a[10:20], a.reshape(10, 10)
    for k in range(ROUNDS):
        a[k % 100] += s
        window *= 2
        rows[k % 10] += 1
    for array in (a, window, rows, rows.T[3:5], a[::-1]):
        assert text_of(array)[:2] == (ValueError, "it went wrong")
    assert len(calls) == 1
    a[:] = np.arange(100.0)
    assert window.tolist() == list(range(10, 20))


def test_memory_behind_a_failure_is_that_behind_a_value():
    s, total = failing(ValueError, []), la.zeros(10_000)
    assert text_of(s)[0] is ValueError
    before, most = allocator.stats()["live_bytes"], 0
    for k in range(100):
        total += s * pending(np.full(10_000, float(k)))
        most = max(most, allocator.stats()["live_bytes"])
    assert most - before < 10 * total.nbytes
    assert text_of(total)[0] is ValueError


def test_the_budget_is_not_exceeded_by_what_has_failed():
    s = failing(ValueError, [])
    with la.config(budget_nodes=20):
        accumulated(s, 100)
        assert text_of(s)[0] is ValueError
        held = [s + k for k in range(50)]
        assert node.stats()["pending"] == 0
        plan_cache.reset_stats()
        x = pending([1.0])
        for _ in range(10):
            x = x + 1
        assert plan_cache.stats()["evaluations"] == 0
    assert (len(held), x.tolist()) == (50, [11.0])


class TwoArguments(ValueError):
    def __init__(self, what, where):
        super().__init__(f"{what} at {where}")


def test_an_error_that_cannot_be_copied_is_raised_by_another_call():
    calls = []

    def function(x):
        calls.append(1)
        raise TwoArguments("a fault", 7)

    y = api.opaque("my_call", function, [pending(1.0)], (), np.dtype(float)) + 1
    assert [text_of(y)[:2] for _ in range(3)] == [(TwoArguments, "a fault at 7")] * 3
    assert len(calls) == 3


def test_what_is_done_to_one_error_does_not_show_in_the_next():
    s = failing(ValueError, [])
    for _ in range(3):
        with pytest.raises(ValueError, match="it went wrong") as caught:
            s.numpy()
        assert len(caught.value.__notes__) == 1
        caught.value.add_note("seen")
        caught.value.args = ("changed",)


def test_functions_of_loops_may_fail_for_one_argument_and_not_for_the_next():
    def checked(x):
        if x > 2:
            raise ValueError("too large")
        return x + 1

    def body(k, x):
        return api.opaque("checked", checked, [x], (), np.dtype(float))

    for start, expected in ((5.0, None), (0.0, 2.0), (3.0, None), (0.5, 2.5)):
        result = la.fori_loop(0, 2, body, la.array(start))
        if expected is None:
            assert text_of(result)[:2] == (ValueError, "too large")
        else:
            assert float(result) == expected


def test_explanations_of_what_failed_name_the_operation():
    y = failing(ValueError, []) * 2 + 1
    assert text_of(y)[0] is ValueError
    assert "my_call" in str(la.explain(y))


def test_threads_behind_failures_of_their_own_and_a_common_one():
    common, found, calls = failing(ValueError, []), {}, []

    def work(k):
        own, total, both, good = failing(IndexError, calls), la.array(0.0), la.array(0.0), la.array(0.0)
        for step in range(ROUNDS // 4):
            total += own * step
            both += common * step
            good += step
            if step % 100 == k:
                text_of(both)
        found[k] = text_of(total)[:2], text_of(both)[:2], float(good)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    value = float(sum(range(ROUNDS // 4)))
    assert found == dict.fromkeys(range(6), ((IndexError, "it went wrong"), (ValueError, "it went wrong"), value))
    assert len(calls) == 6
