"""Rewrites change neither a bit nor a warning."""

import pytest
import rewrites
from hypothesis import settings


@pytest.mark.parametrize("seed", range(30))
def test_programs_are_the_same_with_and_without_rewrites(seed):
    for number in range(min(10, settings().max_examples)):
        assert rewrites.difference(rewrites.program(1000 * seed + number)) is None


def test_a_warning_that_is_lost_is_found(monkeypatch):
    lines = ["v1 = xp.arange(3.0)", "v2 = (1 / v1).sum() + (1 / v1).max()"]
    assert rewrites.difference(lines) is None
    compile_graph = rewrites.compile_graph
    monkeypatch.setattr(rewrites, "compile_graph", lambda described: (compile_graph(described)[0], [], []))
    assert "warnings differ" in rewrites.difference(lines)
