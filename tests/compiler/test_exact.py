"""Rewrites change no bit and no warning, and fusion does not change which of two NaNs a sum returns."""

import operator

import numpy as np
import pytest
import rewrites
from hypothesis import settings

import lazyarr as la


@pytest.mark.parametrize("seed", range(30))
def test_programs_are_the_same_with_and_without_rewrites(seed):
    for number in range(min(10, settings().max_examples)):
        assert rewrites.difference(rewrites.program(1000 * seed + number)) is None


@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("second", [operator.add, operator.sub, operator.mul, operator.truediv])
@pytest.mark.parametrize("first", [operator.add, operator.sub, operator.mul, operator.truediv])
def test_of_two_nan_the_same_one_is_left_in_one_step_as_in_two(first, second, dtype):
    signed = np.array([np.nan, -np.nan, 1.0], dtype)  # every NaN with every other one
    for size in (5, 27, 300):
        x, y, z = (la.array(np.resize(np.repeat(signed, count), size)) for count in (1, 3, 9))
        for a, b, c in [(x, y, z), (x[:1], y, z), (x, y[1:2], z), (x, y, z[:1])]:
            middle = la.array(first(a, b).numpy())
            assert second(first(a, b), c).numpy().tobytes() == second(middle, c).numpy().tobytes()
            assert second(c, first(a, b)).numpy().tobytes() == second(c, middle).numpy().tobytes()


def test_a_warning_that_is_lost_is_found(monkeypatch):
    lines = ["v1 = xp.arange(3.0)", "v2 = (1 / v1).sum() + (1 / v1).max()"]
    assert rewrites.difference(lines) is None
    compile_graph = rewrites.compile_graph
    monkeypatch.setattr(rewrites, "compile_graph", lambda described: (compile_graph(described)[0], [], []))
    assert "warnings differ" in rewrites.difference(lines)
