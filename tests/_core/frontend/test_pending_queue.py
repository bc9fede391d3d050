"""Evaluation of the pending queue, and operations after it."""

import numpy as np

import lazyarr as la
import lazyarr.numpy as lnp


def test_small_work_runs_at_once_after_the_end_of_a_round():
    rng = np.random.default_rng(0)
    with la.config(budget_nodes=10):
        x = lnp.ones(100_000)
        for n in range(6):      # flushes that find no plans, as no two are alike: from now on rounds are flushed
            x[n:] = lnp.sin(x[n:]) if n % 2 else lnp.cos(x[n:])
            for k in range(9 + n):
                x = x + 1 if (k + n) % 3 else x * 2
        distances = lnp.asarray(rng.random((300, 300))) + 1
        best, seen = distances[0].copy(), lnp.zeros(300, bool)
        for _ in range(20):
            best[seen] = np.inf
            nearest = best.argmin()
            seen[nearest] = True
            best = lnp.minimum(best, distances[nearest])
        assert type(nearest) is np.int64
