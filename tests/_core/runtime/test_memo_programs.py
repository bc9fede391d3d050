"""The memo in random programs with all kinds of writes: results equal NumPy's."""
import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest

import lazyarr as la
from lazyarr._core.runtime import memo
from support.feature_switches import switched

LINES = st.sampled_from([
    "{x} = {y} + 1", "{x} = {y}[::-1]", "{x} = {y}.T", "{x}[{k}] = {k}", "{x}[:, {k}] *= 2", "{x} += {y}",
    "{x}[1:] = {y}[:-1]", "{x} = xp.sort({y}, axis=0)", "{x} = xp.cumsum({y}, axis=1)", "{x} = {y} - xp.sort({y})",
    "{x} = xp.array({y})", "np.add({x}, {y}, out={x})", "keep(np.asarray({x}))", "np.asarray({x})[0, {k}] = {k}",
    "write_kept({k})", "{x}.sort(axis=0)", "show({x}.sum(axis=0))", "show(xp.argsort({x}, axis=1))",
    "show(xp.sort({x} + {y}, axis=None))", "show({x})", "{x} = xp.asarray(np.ones((6, 6)) * {k})", "forget()",
])
PROGRAMS = st.lists(st.tuples(LINES, st.sampled_from("abc"), st.sampled_from("abc"), st.integers(0, 5)),
                    min_size=4, max_size=40)


def run(program, xp):
    """Run lines on three matrices; return what they show."""
    shown, kept = [], []
    variables = {name: xp.array(np.arange(36.0).reshape(6, 6) % (k + 5)) for k, name in enumerate("abc")}

    def write_kept(k):
        for array in kept:
            if array.flags.writeable:
                array[k] = k

    variables |= {"xp": xp, "np": np, "keep": kept.append, "write_kept": write_kept, "forget": kept.clear,
                  "show": lambda x: shown.append(np.array(x.tolist()))}
    for line, x, y, k in program:
        exec(line.format(x=x, y=y, k=k), variables)
    return shown + [np.array(variables[name].tolist()) for name in "abc"]


@pytest.mark.parametrize("small_work", ["auto", "wait"])
@hypothesis.given(program=PROGRAMS)
def test_random_programs(small_work, program):
    with switched(memo, True, True), la.config(memo_limit=1 << 24, small_work=small_work):
        for face in (la.numpy, la):
            for got, expected in zip(run(program, face), run(program, np), strict=True):
                np.testing.assert_array_equal(got, expected)
