"""Peak memory: a fused chain needs its input, its output, and no other array."""

import operator
import sys

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core.host import allocator

# Twenty ufuncs, none of which can be removed or folded.
CHAIN = """
    for _ in range(4):
        x = xp.sqrt(x)
        x = x + 1.5
        x = xp.exp(-x)
        x = x * 0.5
"""


def chain(xp, x):
    scope = {"xp": xp, "x": x}
    exec("if True:\n" + CHAIN, scope)
    return scope["x"]


@pytest.mark.parametrize("size", [1_000_000, 3_000_001])
def test_buffers_of_a_chain(size):
    data = np.linspace(0, 1, size)
    with la.config(budget_nodes=10_000):
        result = chain(la, la.asarray(data))
        before = allocator.stats()["live_bytes"]
        allocator.reset_peak()
        value = result.numpy()
    assert allocator.stats()["peak_bytes"] - before <= 1.2 * data.nbytes
    np.testing.assert_array_equal(value, chain(np, data))


def test_buffers_of_a_chain_with_a_reduction():
    data = np.linspace(0, 1, 1_000_000)
    total = (chain(la, la.asarray(data)) * 2).sum()
    before = allocator.stats()["live_bytes"]
    allocator.reset_peak()
    float(total)
    assert allocator.stats()["peak_bytes"] - before <= 0.2 * data.nbytes


REDUCTIONS = """
    sum prod min max any all mean var std logsumexp linalg.norm linalg.vector_norm count_nonzero ptp nansum nanprod
    nanmin nanmax nanmean nanvar nanstd
""".split()


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("dtype", ["f4", "c8"])
def test_reductions_store_nothing_but_results(name, axis, dtype):
    data = np.linspace(0.1, 1, 1_000_000, dtype="f4").reshape(1000, 1000).astype(dtype)
    x = la.asarray(data)
    result = operator.attrgetter(name)(la)(x, axis=axis)
    before = allocator.stats()["live_bytes"]
    allocator.reset_peak()
    result.numpy()
    assert allocator.stats()["peak_bytes"] - before <= 0.1 * data.nbytes


def test_buffers_of_an_in_place_chain():
    x = la.asarray(np.linspace(0, 1, 1_000_000)) + 0
    x.numpy()
    before = allocator.stats()["live_bytes"]
    allocator.reset_peak()
    for _ in range(20):
        x += 1
        la.sqrt(x, out=x)
    x.numpy()
    assert allocator.stats()["peak_bytes"] - before <= 1.2 * 8_000_000
    assert allocator.stats()["live_bytes"] == before


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("threads", [1, 2])
def test_peak_of_the_process(run_python, threads):
    output = run_python(f"""
        import numpy as np, lazyarr as la
        def kib(name):
            return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(name))
        la.config.num_threads = {threads}
        (la.sqrt(la.ones(100_000)) + 1).numpy()              # starts the threads
        data = np.empty(10_000_000)
        data.fill(0.25)
        before = kib("VmRSS")
        open("/proc/self/clear_refs", "w").write("5")        # the peak starts here
        xp, x = la, la.asarray(data)
{CHAIN}
        x.numpy()
        print((kib("VmHWM") - before) * 1024 / data.nbytes)
    """.replace(CHAIN, "\n".join("    " + line for line in CHAIN.splitlines())))
    assert 0.9 < float(output) <= 1.2
