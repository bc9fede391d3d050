"""Deep or wide graphs: no recursion, bounded memory, right results."""

import numpy as np
import pytest

import lazyarr as la

UNBOUNDED = {"budget_nodes": 10**8, "budget_bytes": 10**15, "budget_work": 10**15}

# Prints the growth of the process, in MiB, while the code ran.
MEASURED = """
    import resource, sys, numpy as np, lazyarr as la
    unit = 2**20 if sys.platform == "darwin" else 2**10
    (la.zeros(10) + 1).numpy()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    {code}
    print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / unit)
"""
POSIX = pytest.mark.skipif("sys.platform == 'win32'", reason="needs the resource module")


@POSIX
def test_a_million_additions(run_python):
    shown, grown = run_python(MEASURED.format(code="""
    x = la.zeros(3)
    for _ in range(1_000_000):
        x = x + 1
    print(x)""")).splitlines()
    assert shown == "[1000000. 1000000. 1000000.]"
    assert float(grown) < 100


@POSIX
@pytest.mark.parametrize("statement", ["x = x + 1", "x += 1", "x[:] += 1", "x[1:-1] = x[2:] + 1", "x = x[::-1] * 1"])
def test_a_long_loop_over_a_large_array_is_bounded(run_python, statement):
    # 20,000 results of 80 KB are 1.6 GB.
    grown = run_python(MEASURED.format(code=f"""
    x = la.zeros(10_000)
    for _ in range(20_000):
        {statement}
    x.numpy()"""))
    assert float(grown) < 300


@POSIX
def test_pending_inputs_are_bounded(run_python):
    # Each iteration leaves a snapshot of an ndarray.
    grown = run_python(MEASURED.format(code="""
    x, n = la.zeros(100_000), np.ones(100_000)
    for _ in range(5_000):
        x = x + n
        n += 0
    assert x.numpy()[0] == 5_000"""))
    assert float(grown) < 1500


def test_freeing_a_million_pending_nodes():
    with la.config(**UNBOUNDED):
        x = la.zeros(2)
        for _ in range(1_000_000):
            x = x + 1
        assert la._core.ir.node.stats()["pending"] >= 1_000_000
        del x
    assert la._core.ir.node.stats()["pending"] < 100


def test_evaluating_a_deep_graph_in_one_piece():
    with la.config(**UNBOUNDED):
        x = la.zeros(2)
        for _ in range(100_000):
            x = x + 1
        assert x.tolist() == [100_000, 100_000]


CHAINS = {
    "views": lambda xp, x: x.T[::-1],
    "in place": lambda xp, x: x.__iadd__(1),
    "updates of a part": lambda xp, x: x[0].__iadd__(1) is None or x,
    "element": lambda xp, x: x.__setitem__((0, 0), x[0, 0] + 1) or x,
    "overlapping updates": lambda xp, x: x.__setitem__(0, x[1] + 1) or x.__setitem__(1, x[0]) or x,
    "reductions": lambda xp, x: x + x.sum() * 0 + 1,
    "where": lambda xp, x: xp.where(x > 50, x, x + 1),
    "casts": lambda xp, x: (x + 1).astype("float32").astype("float64"),
    "masked": lambda xp, x: x.__setitem__(x < 7, 7) or x,
    "copies": lambda xp, x: x.copy() + 1,
    "opaque": lambda xp, x: xp.sort(x)[::-1] + 1,
}


@pytest.mark.parametrize("unbounded", [False, True])
@pytest.mark.parametrize("name", CHAINS)
def test_chains(name, unbounded):
    expected = np.arange(4.0).reshape(2, 2)
    with la.config(**(UNBOUNDED if unbounded else {})):
        x = la.array(expected)
        for _ in range(2_001):
            expected = CHAINS[name](np, expected)
            x = CHAINS[name](la, x)
        assert x.tolist() == expected.tolist()


@pytest.mark.parametrize("name", CHAINS)
def test_freeing_chains(name):
    pending = la._core.ir.node.stats()["pending"]
    with la.config(**UNBOUNDED):
        x = la.zeros((2, 2))
        for _ in range(100_000 if name != "opaque" else 20_000):
            x = CHAINS[name](la, x)
        del x
    assert la._core.ir.node.stats()["pending"] == pending


def test_doubling_is_not_exponential():
    with la.config(**UNBOUNDED):
        x = la.ones(2)
        for _ in range(1000):
            x = x / 2 + x / 2
        assert x.tolist() == [1, 1]


def test_many_inputs():
    x = la.zeros(3)
    for k in range(10_000):
        x = x + np.full(3, float(k))
    assert x.tolist() == [sum(range(10_000))] * 3


def test_a_balanced_sum_of_many_arrays():
    with la.config(**UNBOUNDED):
        parts = [la.full(3, float(k)) for k in range(4096)]
        while len(parts) > 1:
            parts = [a + b for a, b in zip(parts[::2], parts[1::2], strict=True)]
        assert parts[0].tolist() == [sum(range(4096))] * 3


def test_many_consumers_and_many_roots():
    with la.config(**UNBOUNDED):
        x = la.arange(3) + 1
        results = [x * k for k in range(10_000)]
        la.evaluate(*results)
        assert [r.tolist() for r in results[::1000]] == [[k, 2 * k, 3 * k] for k in range(0, 10_000, 1000)]


def test_concatenating_many():
    x = la.concatenate([la.full(2, k) for k in range(5_000)])
    assert x.shape == (10_000,)
    assert x.numpy()[::2].tolist() == list(range(5_000))


def test_an_evaluation_in_the_middle_lets_go_of_what_came_before():
    x = la.zeros(1000)
    nodes = []
    for _ in range(20):
        for _ in range(50):
            x = x + 1
        x.numpy()
        nodes.append(la._core.ir.node.stats()["live"])
    assert nodes[-1] <= nodes[0]
