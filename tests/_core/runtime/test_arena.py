"""The arena: private values share one block, but never bytes that are still needed."""

import gc
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lazyarr as la
from lazyarr._core import api
from lazyarr._core.host import allocator
from lazyarr._core.runtime import arena, memory_plan

LIFETIMES = st.tuples(st.integers(0, 30), st.integers(0, 10)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@pytest.fixture
def any_size():
    """Keep values of any size in the arena, however much memory that takes."""
    before = memory_plan.set_bounds(1, np.inf)
    yield
    memory_plan.set_bounds(*before)


@given(st.lists(st.tuples(st.integers(1, 5000), LIFETIMES), max_size=40))
def test_slots_that_meet_do_not_overlap(slots):
    sizes, steps = [size for size, _ in slots], [lifetime for _, lifetime in slots]
    offsets, total = memory_plan.offsets(sizes, steps)
    for a in range(len(slots)):
        assert offsets[a] % 64 == 0
        assert 0 <= offsets[a] <= total - sizes[a]
        for b in range(a):
            if steps[a][0] <= steps[b][1] and steps[b][0] <= steps[a][1]:
                assert offsets[a] + sizes[a] <= offsets[b] or offsets[b] + sizes[b] <= offsets[a]
    assert memory_plan.offsets(sizes, steps) == (offsets, total)


def test_the_largest_come_first_and_others_share_their_bytes():
    sizes = [1000, 3000, 1900, 1000]
    offsets, total = memory_plan.offsets(sizes, [(0, 3), (1, 1), (2, 3), (2, 2)])
    assert offsets == [3008, 0, 0, 1920]
    assert total == 4008


def network(x, weights):
    """Products, sorts, sums and joins, some of them long-lived."""
    across = []
    for w in weights:
        x = np.tanh(np.matmul(x, w))
        across.append(np.cumsum(x, axis=1))
        x = np.concatenate([x[:, ::2], across[-1][:, 1::2]], axis=1)
        x -= x.mean(axis=0)
    for y in reversed(across):
        x = np.sort(x, axis=1) + y
    return x


def inputs(rows=50, columns=40, depth=5):
    rng = np.random.default_rng(0)
    return rng.random((rows, columns)), [rng.standard_normal((columns, columns)) for _ in range(depth)]


def lazily(x, weights):
    return network(la.array(x), [la.array(w) for w in weights])


@pytest.fixture(autouse=True)
def one_plan():
    """Evaluate graphs as a whole, whatever ran before."""
    with la.config(budget_nodes=10_000, budget_bytes=10**10), api.one_plan():
        yield


def test_results_are_those_without_it(any_size):
    before = arena.counts()
    results = [lazily(*inputs()).numpy() for _ in range(2)]
    assert arena.counts()[0] == before[0] + 2
    assert arena.counts()[1] >= before[1] + 20
    memory_plan.set_bounds(1 << 60, 1)
    expected = lazily(*inputs()).numpy()
    assert arena.counts()[0] == before[0] + 2
    for result in results:
        np.testing.assert_array_equal(result, expected)
    np.testing.assert_allclose(results[0], network(*inputs()), rtol=1e-9, atol=1e-9)


def test_extents_may_change_from_one_evaluation_to_the_next(any_size):
    for rows in (50, 7, 100, 1, 50):
        x, weights = inputs(rows)
        np.testing.assert_allclose(lazily(x, weights).numpy(), network(x, weights), rtol=1e-9, atol=1e-9)


def test_the_process_takes_no_more_than_the_plan():
    x, weights = inputs(500, 400, 8)
    x, weights = la.array(x), [la.array(w) for w in weights]
    la.evaluate(network(x, weights))
    result = network(x, weights)
    planned = la.explain(result).memory
    gc.collect()
    allocator.trim()
    before = allocator.stats()
    allocator.reset_peak()
    result.numpy()
    after = allocator.stats()
    assert planned.arena > 0
    taken = sum(after[key] - before[key] for key in ("live_bytes", "pooled_bytes"))
    scratch = 4 << 20   # of kernels
    assert taken <= 1.25 * planned.planned + scratch    # blocks are rounded up
    assert after["peak_bytes"] - before["live_bytes"] <= planned.planned + scratch


def test_results_keep_nothing_of_it():
    before = allocator.stats()["live_bytes"]
    result = lazily(*inputs(500, 400))
    la.evaluate(result)
    assert allocator.stats()["live_bytes"] - before <= result.nbytes + 1000


def test_what_a_call_keeps_stays_as_it_is(any_size):
    kept = []

    def keeping(x):
        kept.append(x)
        return x.copy()

    x = la.array(np.arange(1000.0))
    y = np.cumsum(x)
    z = api.opaque("keeping", keeping, [y], y.shape, y.dtype)
    for _ in range(5):
        z = np.sort(np.cumsum(z)[::-1])
    expected = np.cumsum(np.arange(1000.0))
    result = expected
    for _ in range(5):
        result = np.sort(np.cumsum(result)[::-1])
    np.testing.assert_allclose(z.numpy(), result)
    np.testing.assert_array_equal(kept[0], expected)


def test_a_call_may_return_its_operand(any_size):
    x = la.array(np.arange(1000.0))
    y = np.cumsum(x)
    same = api.opaque("same", lambda x: x, [y], y.shape, y.dtype)
    z = np.sort(np.cumsum(same * 2)[::-1])
    la.evaluate(z, same)
    np.testing.assert_array_equal(same.numpy(), np.cumsum(np.arange(1000.0)))
    np.testing.assert_array_equal(z.numpy(), np.cumsum(2 * np.cumsum(np.arange(1000.0))))


def test_a_call_may_evaluate(any_size):
    def inside(x):
        return x + lazily(*inputs())[0, 0].numpy()

    x, weights = inputs()
    y = lazily(x, weights)
    z = api.opaque("inside", inside, [y], y.shape, y.dtype)
    z = np.cumsum(np.sort(z, axis=0), axis=0)
    outer = network(x, weights)
    np.testing.assert_allclose(z.numpy(), np.cumsum(np.sort(outer + outer[0, 0], axis=0), axis=0), rtol=1e-8, atol=1e-8)


def test_a_call_that_raises_leaves_everything_usable(any_size):
    fails = [True]

    def failing(x):
        if fails[0]:
            raise OSError("as asked")
        return x.copy()

    x, weights = inputs()
    y = lazily(x, weights)
    z = api.opaque("failing", failing, [y], y.shape, y.dtype)
    result = np.cumsum(np.sort(z, axis=0), axis=0)
    for _ in range(2):
        with pytest.raises(OSError, match="as asked"):
            result.numpy()
    fails[0] = False
    np.testing.assert_allclose(result.numpy(), np.cumsum(np.sort(network(x, weights), axis=0), axis=0),
                               rtol=1e-9, atol=1e-9)


def test_values_come_one_by_one_where_the_whole_would_not_fit():
    """Values are allocated one by one if the arena would exceed the memory limit."""
    x = la.array(np.arange(50_000.0))
    result = np.cumsum(np.sort(np.cumsum(x)[::-1]))
    planned = la.explain(result).memory.planned
    limit = allocator.stats()["live_bytes"] + planned - 1
    with la.config(memory_limit=limit), pytest.raises(MemoryError):
        result.numpy()
    np.testing.assert_allclose(result.numpy(), np.cumsum(np.cumsum(np.arange(50_000.0))))


def test_threads_evaluate_at_once(any_size):
    x, weights = inputs()
    expected = network(x, weights)
    found = []

    def work():
        found.extend(lazily(x, weights).numpy() for _ in range(10))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 40
    for result in found:
        np.testing.assert_allclose(result, expected, rtol=1e-9, atol=1e-9)


def test_results_that_come_late_are_no_reason_to_take_more():
    """Large results that are made after earlier values died may reuse their memory in the arena."""
    x = la.array(np.linspace(0, 1, 200_000))
    y = np.cumsum(np.sort(np.cumsum(np.sort(x)))).sum()
    wide = [np.cumsum(x * y) for _ in range(4)]
    memory = la.explain(*wide).memory
    assert memory.planned <= 1.1 * memory.lower_bound + 1000
