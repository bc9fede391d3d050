"""Buffers return to the pool and nodes are freed, whatever happens to their arrays.

The fixture ``nothing_leaked`` of conftest.py checks the same after every other test.
"""

import gc
import sys
import weakref

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core.host import allocator
from lazyarr._core.ir import node
from lazyarr._core.runtime import plan_cache
from lazyarr._core.transforms import vjp
from support.lazy_helpers import pending

SIZE = 10_000


def in_use():
    plan_cache.clear()
    memory, nodes = allocator.stats(), node.stats()
    return memory["live_bytes"], memory["live_blocks"], nodes["live"], nodes["pending"]


def evaluated(x):
    (np.sin(x) * 2 + 1).numpy()


def records_written_to_themselves(x):
    with vjp.recording():
        records = la.array([(1, 2.0)], [("a", "i4"), ("b", "f8")])
        records[...] = records


def dropped_pending(x):
    y = np.sin(x) * 2
    y[1:] += 1
    assert y.shape == x.shape


def in_place(x):
    for _ in range(10):
        x += 1
        x[1:-1] *= 2
    x.numpy()


def views(x):
    v = x.reshape(100, 100).T[::2, 1:]
    v[...] = 3
    del x
    v.numpy()


def overlap(x):
    x[1:] += x[:-1]
    x[::-1][:50] = x[:50]
    x.numpy()


def reductions(x):
    y = x.reshape(100, 100)
    la.evaluate(y.sum(), y.mean(0), y.argmax(1), y.std())


def advanced(x):
    x[x > 0] = 1
    x[[1, 2, 3]] += 1
    x[x > 100].numpy()
    x[[5, 6]].numpy()


def two_results(x):
    fraction, whole = np.modf(x)
    whole.numpy()
    assert fraction.shape == whole.shape


def opaque(x):
    (np.sort(x) + 1).numpy()
    np.linalg.norm(x.reshape(100, 100)).numpy()


def factorizations(x):
    square = x.reshape(100, 100) + 3 * np.eye(100)
    np.linalg.solve(square, x[:100]).numpy()
    u, s, vh = np.linalg.svd(square)
    s.numpy()
    assert vh.shape == u.shape
    with pytest.raises(np.linalg.LinAlgError):
        np.linalg.inv(square * 0).numpy()


def draws(x):
    rng = la.random.default_rng(0)
    y = rng.normal(0, abs(x))
    rng.random(SIZE)
    rng.poisson(-1 - abs(x))
    (y + rng.random(SIZE)).numpy()


def ndarray_snapshots(x):
    n = np.ones(SIZE)
    y = x + n
    n[...] = 2
    (y * n).numpy()


def values_kept_by_numpy(x):
    value = (x + 1).numpy()
    memory = memoryview(x * 2)
    array = np.from_dlpack(x * 3)
    assert value[0] + memory[0] + array[0] is not None


def iterated(x):
    for row in x.reshape(100, 100):
        row += 1
    list(x[:10])


def failed(x):
    with np.errstate(all="raise"):
        y = x / 0
    with pytest.raises(FloatingPointError):
        y.numpy()
    with pytest.raises(ValueError, match="broadcast"):
        x + la.zeros(3)
    with la.no_evaluation(), pytest.raises(la.EvaluationForbidden):
        x.numpy()


def out_of_memory(x):
    with la.config(memory_limit=allocator.stats()["live_bytes"] + 1000), pytest.raises(MemoryError):
        (x + 1).numpy()


def text(x):
    str(x + 1), repr(x), f"{x[0]:.3f}", x.tolist()


def cycle(x):
    holder = [x + 1]
    holder.append(holder)


def flushed(x):
    with la.config(budget_nodes=3):
        y = x
        for _ in range(20):
            y = y + x
            y[0] = 5


def output_that_depends_on_its_own_call(x):
    index = la.array([1, 2, 3])
    index += x.astype(int)[index]
    x[index] = index
    index += x[index].astype(int)
    np.modf(x, where=x > 1, out=(x, x.copy()))
    x += np.sort(x)


def gradients(x):
    def f(x):
        y = x.astype(float) * 2
        y[1:] *= la.sin(y[:-1])
        y[y > 0] += 1
        float(y[0])
        image = y[:1024].reshape(1, 16, 16, 4)
        pooled = la.nn.max_pool2d(image, 2) + la.nn.avg_pool2d(image, 2)
        return (la.nn.conv2d(pooled, la.ones((3, 3, 4, 2))).sum() + la.sort(y)[::2].sum() + y[[1, 2, 2]].sum()
                + la.cumsum(y)[-1] + y[y > 1].sum())

    la.grad(f)(x).numpy()
    la.grad(f)(x)
    la.jvp(f, (x,), (np.ones(x.shape),))
    value, pull = la.vjp(f, x)
    value.numpy()
    x += pull(1.0)[0]
    loss = (x * x).sum()
    x -= loss.grad(x)


def nn_in_place(x):
    image = x[:1024].reshape(1, 16, 16, 4)
    for function in (lambda v: la.nn.max_pool2d(v, 2), lambda v: la.nn.avg_pool2d(v, 2),
                     lambda v: la.nn.adaptive_avg_pool2d(v, 8),
                     lambda v: la.nn.upsample(v, 2, mode="linear")[:, :8, :8],
                     lambda v: la.nn.conv2d(v, la.ones((1, 1, 4, 4)))[:, :8, :8]):
        image[:, :8, :8] += function(image)


@pytest.mark.parametrize("use", [
    output_that_depends_on_its_own_call, gradients, nn_in_place,
    records_written_to_themselves,
    evaluated, dropped_pending, in_place, views, overlap, reductions, advanced, two_results, opaque, factorizations,
    draws, ndarray_snapshots, values_kept_by_numpy, iterated, failed, out_of_memory, text, cycle, flushed,
])
def test_everything_is_returned(use):
    use(pending(np.linspace(-1, 1, SIZE)))  # fills tables that are kept for good
    gc.collect()
    before = in_use()
    for _ in range(3):
        use(pending(np.linspace(-1, 1, SIZE)))
    gc.collect()
    assert in_use() == before


def test_the_counters_count():
    before = in_use()
    x = pending(np.linspace(0, 1, SIZE))
    waiting = in_use()
    assert waiting[2] > before[2]
    assert waiting[3] > before[3]
    x.numpy()
    after = in_use()
    assert after[0] >= before[0] + 8 * SIZE
    assert after[1] > before[1]
    assert after[3] == before[3]
    del x
    assert in_use() == before


def test_evaluation_lets_go_of_inputs():
    before = allocator.stats()["live_bytes"]
    x = pending(np.zeros(SIZE)) + 1
    x.numpy()
    y = x * 2
    del x
    y.numpy()
    assert allocator.stats()["live_bytes"] - before < 1.5 * 8 * SIZE


def test_the_source_of_a_shared_array_is_released():
    class Watched(np.ndarray):
        freed = 0

        def __del__(self):
            Watched.freed += 1

    source = np.zeros(SIZE).view(Watched)
    x = la.asarray(source)
    y = x + 1
    del source, x
    assert Watched.freed == 0 or y.numpy()[0] == 1
    y.numpy()
    del y
    gc.collect()
    assert Watched.freed >= 1


def test_calls_at_once_leave_nothing_to_the_garbage_collector():
    x, dates = la.arange(5.0), la.array([3, 1], "m8[s]")
    gc.disable()
    try:
        before = sys.getrefcount(x), sys.getrefcount(dates)
        la.unique(x)
        la.put(x, [0], 1)
        dates.max()
        dates.astype(str)
        assert (sys.getrefcount(x), sys.getrefcount(dates)) == before
    finally:
        gc.enable()


def test_the_pool_is_bounded_and_can_be_emptied():
    with la.config(pool_limit=1_000_000):
        for size in (100, 10_000, 50_000, 200_000):
            (la.zeros(size) + 1).numpy()
            assert allocator.stats()["pooled_bytes"] <= 1_000_000
    (la.zeros(SIZE) + 1).numpy()
    allocator.trim()
    assert allocator.stats()["pooled_bytes"] == 0
    with la.config(pool_limit=0):
        (la.zeros(SIZE) + 1).numpy()
        assert allocator.stats()["pooled_bytes"] == 0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_an_emptied_pool_leaves_nothing_in_the_heap(run_python):
    """Even if malloc serves such blocks from its heap, as it learns to, with other memory behind them."""
    grown = run_python("""
        import numpy as np
        import lazyarr as la
        from lazyarr._core.host import allocator

        def resident():
            with open("/proc/self/statm") as f:
                return int(f.read().split()[1]) * 4096

        np.empty(30 << 20, "u1").fill(0)
        before, kept = resident(), []
        for _ in range(30):
            kept.append((la.zeros(400_000) + 1).numpy())
            kept.append(np.zeros(3000))
        del kept[::2]
        allocator.trim()
        print(resident() - before)
    """)
    assert int(grown) < 20 << 20


def test_a_buffer_is_reused():
    (la.zeros(SIZE) + 1).numpy()
    before = allocator.stats()
    for _ in range(10):
        (la.zeros(SIZE) + 1).numpy()
    after = allocator.stats()
    assert after["misses"] == before["misses"]
    assert after["hits"] > before["hits"]


@pytest.mark.parametrize("use", [
    lambda ufunc, x: ufunc(x, x), lambda ufunc, x: ufunc(x, 1, out=x), lambda ufunc, x: ufunc.reduce(x),
    lambda ufunc, x: ufunc.outer(x, x), lambda ufunc, x: ufunc.at(x, [1], 2), lambda ufunc, x: ufunc.ufunc(x, 1),
])
def test_nothing_keeps_a_ufunc_of_a_python_function(use):
    def function(a, b):
        return a

    known = weakref.ref(function)
    ufunc = la.frompyfunc(function, 2, 1)
    use(ufunc, la.arange(3).astype(object))
    del ufunc, function
    gc.collect()
    assert known() is None
