"""Concurrent small steps: same bits, warnings, errors and memory as sequential ones."""

import gc
import signal
import warnings

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core import api
from lazyarr._core.host import allocator
from lazyarr._core.runtime import concurrent_steps
from support.feature_switches import assert_same_bits, switched

COUNT = 40


@pytest.fixture(autouse=True, params=[2, 3], ids=["2 threads", "3 threads"])
def threads(request):
    """Run steps of any size concurrently."""
    with switched(concurrent_steps, True, True), la.config(num_threads=request.param, budget_nodes=10**6):
        yield request.param


def members(results):
    """Evaluate; return the number of concurrent steps."""
    before = concurrent_steps.counts()[1]
    la.evaluate(*results)
    return concurrent_steps.counts()[1] - before


def both(make):
    """Return the arrays of make() with concurrent steps, and their number; bits must equal those of one thread."""
    with api.one_plan():
        results = make()
        counted = members(results)
        with la.config(num_threads=1):
            expected = make()
            assert members(expected) == 0
    assert_same_bits(results, expected)
    return [np.asarray(result) for result in results], counted


def arrays(dtype="f4", size=300, seed=0):
    rng = np.random.default_rng(seed)
    return [la.array((rng.standard_normal(size + k) * 3).astype(dtype)) for k in range(COUNT)]


PROGRAMS = {
    "chain": lambda x: (x * 2 + x) * 0.5 - 1,
    "transcendental": lambda x: la.exp(x) * la.sin(x),
    "sum": lambda x: (x * 2 + 1).sum(),
    "rows": lambda x: x[:300].reshape(30, 10).sum(1),
    "columns": lambda x: (x[:300].reshape(30, 10) * 2).max(0),
    "place": lambda x: la.argmax(x * x),
    "running sum": lambda x: la.cumsum(x + 1),
    "copy": lambda x: la.array(x[:300].reshape(30, 10).T, order="C") + 0,
    "where": lambda x: la.where(x > 0, x, -x),
    "gaps": lambda x: x[:300].reshape(30, 10)[1:, 1:] - x[:300].reshape(30, 10)[:-1, :-1],
    "cast": lambda x: x.astype("f8").astype("i4"),
}


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_bits_are_those_of_one_thread(name, dtype):
    xs = arrays(dtype)
    la.evaluate(*xs)
    _, counted = both(lambda: [PROGRAMS[name](x) for x in xs])
    assert counted == COUNT


def test_more_steps_than_a_group_has():
    xs = [la.array(np.arange(50.0 + k)) for k in range(200)]
    results, counted = both(lambda: [x * 2 + 1 for x in xs])
    assert counted == 200
    np.testing.assert_array_equal(results[150], np.arange(200.0) * 2 + 1)


@pytest.mark.parametrize("size", [0, 1, 5000])
def test_updates_in_place(size):
    """Adam, whose steps overwrite their operands."""
    def draws(part):
        return [la.array(np.random.default_rng([k, part]).random(size + k)) for k in range(COUNT)]

    def train(parameters, means, squares, gradients):
        for p, m, v, g in zip(parameters, means, squares, gradients, strict=True):
            m *= 0.9
            m += 0.1 * g
            v *= 0.999
            v += 0.001 * (g * g)
            p -= 0.01 * m / (la.sqrt(v) + 1e-8)
            p[::2] += 1

    counted, made = [], []
    for number in (la.config.num_threads, 1):
        with la.config(num_threads=number), api.one_plan():
            state = [draws(part) for part in range(4)]
            for _ in range(3):
                train(*state)
                counted.append(members([x for part in state[:3] for x in part]))
            made.append([np.array(x) for part in state for x in part])
    assert min(counted[:3]) >= COUNT
    assert counted[3:] == [0, 0, 0]
    for got, expected in zip(*made, strict=True):
        np.testing.assert_array_equal(got, expected)


def test_a_step_reads_what_one_before_it_made():
    """Groups of several waves, each after the one that it reads."""
    xs = arrays()

    def waves():
        sums = [(x * x).sum() for x in xs]
        scaled = [x / s for x, s in zip(xs, sums, strict=True)]
        return [*sums, *scaled, *[y - z[:1] for y, z in zip(scaled, scaled[::-1], strict=True)]]

    assert both(waves)[1] >= 2 * COUNT


def test_the_first_programs_of_a_process(run_python):
    """They need no scratch memory, and none was allocated before."""
    assert run_python("""
        import lazyarr as la
        from lazyarr._core.runtime import concurrent_steps
        concurrent_steps.set_enabled(True, True)
        xs = [la.array([1.0] * n) for n in (3, 4)]
        with la.config(num_threads=2):
            la.evaluate(*[x + x for x in xs])
        print(concurrent_steps.counts())
    """).split() == ["(1,", "2)"]


def test_warnings_come_in_the_order_of_the_program():
    def warned(number):
        xs = arrays("f8")
        with la.config(num_threads=number), api.one_plan(), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            la.evaluate(*[la.log(x - 100) if k % 3 else 1 / (x - x) for k, x in enumerate(xs)])
        return [str(warning.message) for warning in caught]

    expected = warned(1)
    assert len(expected) == COUNT
    assert warned(la.config.num_threads) == expected


@pytest.mark.parametrize("at", [0, 17, COUNT - 1])
def test_an_error_leaves_what_is_before_it_computed(at):
    xs = arrays("f8")
    with api.one_plan():
        results = []
        for k, x in enumerate(xs):
            with np.errstate(divide="raise" if k == at else "ignore"):
                results.append(x * 2 if k != at else 1 / (x - x))
        with pytest.raises(FloatingPointError, match="divide by zero encountered in divide"):
            la.evaluate(*results)
    for k, (x, result) in enumerate(zip(xs, results, strict=True)):
        if k != at:
            np.testing.assert_array_equal(result, np.asarray(x) * 2)
    with pytest.raises(FloatingPointError, match="divide by zero encountered in divide"):
        results[at].numpy()


def test_the_first_nan_is_found():
    with la.config(debug_nans=True), np.errstate(all="ignore"), api.one_plan():
        results = [la.sqrt(x - (100 if k == 20 else -100)) for k, x in enumerate(arrays())]
        with pytest.raises(FloatingPointError, match="sqrt made the first NaN"):
            la.evaluate(*results)


def test_where_memory_ends_so_does_the_group():
    """Steps with memory are computed; the others run when memory is available again."""
    xs = arrays("f8", 40_000)
    la.evaluate(*xs)
    with api.one_plan():
        results = [x[:40_000] * 2 for x in xs]
        before = concurrent_steps.counts()[1]
        with la.config(memory_limit=allocator.stats()["live_bytes"] + 10 * 327_680), pytest.raises(MemoryError):
            la.evaluate(*results)
        assert concurrent_steps.counts()[1] - before == 10  # 40,000 numbers in a block of 327,680 bytes
    assert members(results) == COUNT - 10
    for x, result in zip(xs, results, strict=True):
        np.testing.assert_array_equal(result, np.asarray(x[:40_000]) * 2)


def test_memory_that_steps_before_it_free_lets_a_step_run():
    """A limit that suffices for sequential execution is no obstacle."""
    xs = [la.array(np.arange(10_000.0 + k)) for k in range(COUNT)]
    la.evaluate(*xs)

    def evaluate():
        allocator.reset_peak()
        before = allocator.stats()["live_bytes"]
        with api.one_plan():
            rows = [la.sort(x * 2) for x in xs]
            results = [(row - x).sum() for row, x in zip(rows, xs, strict=True)]
            del rows
            la.evaluate(*results)
        return allocator.stats()["peak_bytes"] - before, [float(result) for result in results]

    with la.config(num_threads=1):
        peak, expected = evaluate()
    with la.config(memory_limit=allocator.stats()["live_bytes"] + peak + 100_000):
        assert evaluate()[1] == expected


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs an interval timer")
def test_an_interruption_leaves_all_usable():
    xs = [la.array(np.arange(2000.0 + k)) for k in range(2000)]
    la.evaluate(*xs)

    def interrupt(*_):
        raise KeyboardInterrupt

    handler = signal.signal(signal.SIGALRM, interrupt)
    gc.disable()  # what is raised in a callback of the collector is lost
    try:
        with api.one_plan():
            results = [la.sin(x) + x for x in xs]
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.005)
                while True:
                    la.evaluate(*results)
                    results = [la.sin(x) + x for x in xs]
            except KeyboardInterrupt:
                pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        gc.enable()
    for x, result in zip(xs, results, strict=True):
        np.testing.assert_array_equal(result, np.sin(np.asarray(x)) + np.asarray(x))


def test_the_timeline_tells_of_each_step():
    xs = arrays(size=5000)
    la.evaluate(*xs)
    with la.profile(trace=True) as profile, api.one_plan():
        assert members([la.exp(x) for x in xs]) == COUNT
    [whole] = [event for event in profile.trace if event["name"] == "evaluation"]
    steps = [event for event in profile.trace if event["name"] == "exp"]
    assert len(steps) == COUNT
    for step in steps:
        assert 0 < step["dur"] < whole["dur"]
        assert whole["ts"] <= step["ts"] <= step["ts"] + step["dur"] <= whole["ts"] + whole["dur"]


# ---- beside a large one --------------------------------------------------------------------------------

LARGE = {
    "chain": lambda x: (la.exp(x) * 2 + x) * 0.5 - 1,
    "sum": lambda x: (la.sin(x) + 1).sum(),
    "rows": lambda x: la.sin(x.reshape(1000, 300)).sum(1),
    "columns": lambda x: la.sin(x.reshape(1000, 300)).max(0),
    "place": lambda x: la.argmax(la.sin(x)),
    "running sum": lambda x: la.cumsum(la.sin(x)),
    "warning": lambda x: la.log(la.sin(x)),
}


def large_array():
    x = la.array(np.random.default_rng(1).standard_normal(300_000).astype("f4"))
    la.evaluate(x)
    return x


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("name", LARGE)
def test_all_threads_share_one_that_is_large(name, first):
    xs, large = arrays(), large_array()
    la.evaluate(*xs)

    def made():
        small = [PROGRAMS["transcendental"](x) for x in xs]
        return [LARGE[name](large), *small] if first else [*small, LARGE[name](large)]

    with np.errstate(all="ignore"):
        _, counted = both(made)
    assert counted == COUNT + 1


def test_only_one_is_shared():
    xs, large = arrays(), large_array()
    _, counted = both(lambda: [*[x * 2 for x in xs], la.sin(large), la.cos(large)])
    assert counted == COUNT + 1


def test_one_that_takes_long_runs_by_itself():
    """It can be interrupted."""
    xs, row, column = arrays(), large_array(), la.array(np.ones((1000, 1), "f4"))
    _, counted = both(lambda: [*[x * 2 for x in xs], (row * column - row).sum()])
    assert counted == COUNT


def test_a_large_one_overwrites_what_it_reads():
    def train():
        xs, large = arrays(), large_array()
        with np.errstate(invalid="ignore"):
            for x in [*xs, large]:
                x *= 3
                x += la.sqrt(x)
        return [*xs, large]

    assert both(train)[1] == COUNT + 1


def test_the_timeline_has_the_shares_of_a_large_one():
    xs, large = arrays(), large_array()
    la.evaluate(*xs)
    with la.profile(trace=True) as profile, api.one_plan():
        assert members([*[la.exp(x) for x in xs], la.sin(large)]) == COUNT + 1
    shares = [event["tid"] for event in profile.trace if event["name"] == "sin" and event["cat"] == "share"]
    assert len(set(shares)) == len(shares) == la.config.num_threads


def test_warnings_of_a_large_one_come_in_their_place():
    xs, large = arrays(), large_array()
    for number in (1, la.config.num_threads):
        with la.config(num_threads=number), api.one_plan(), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            members([la.sqrt(xs[0] - 100), la.log(la.sin(large)), *[1 / (x - x) for x in xs[1:]]])
        assert [str(w.message).split()[-1] for w in caught] == ["sqrt", "log", *["divide"] * (COUNT - 1)]


def test_rounds_of_a_loop_and_branches():
    def body(i, state):
        return tuple(la.sin(x) * 0.5 + x[::-1] * i for x in state)

    def branch(*state):
        return tuple(x * 2 + x[::-1] for x in state)

    def loops():
        state = [la.array(np.linspace(0, 1, 50 + k)) for k in range(8)]
        state = la.fori_loop(0, 5, body, tuple(state))
        return list(la.cond(state[0].sum() > -1e9, branch, lambda *state: state, *state))

    assert both(loops)[1] >= 6 * 8
