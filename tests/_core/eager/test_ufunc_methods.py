"""Eager ufunc methods: NumPy's bits, errors, warnings and memory."""

import itertools

import numpy as np
import pytest

import lazyarr.numpy as xp
from support import sample_values
from support.eager_comparison import LAYOUTS, operands, problems
from support.example_lines.table import table

THIN = 3
LINES = table("""
reduce
    np.{add|multiply|maximum|minimum|subtract|logical_or}.reduce(x)
    np.add.reduce(x, {0|1|-1|None|(0, 1)|9|'a'|1.0})
    np.maximum.reduce(x, axis={0|-1|None})
    np.add.reduce(x, dtype='f4')
    np.add.reduce(x, keepdims=True)
    np.add.reduce(x, initial=5)
    np.add.reduce([1, 2, 3])
    np.add.reduce(3.0)
    np.negative.reduce(x)
accumulate
    np.{add|multiply|maximum|minimum|subtract|fmin|bitwise_xor|logical_or|power|less}.accumulate(x.ravel())
    np.{add|multiply|maximum|subtract}.accumulate(x, {0|1|-1|9|None|1.0})
    np.{add|maximum}.accumulate(x.ravel()[{::-1|::2}])
    np.maximum.accumulate(np.array([1.0, np.nan, 3.0, -np.inf]))
    np.multiply.accumulate(np.array([1e300, 1e300, -1.0]))
    np.add.accumulate(x, dtype='f8')
    np.add.accumulate([1, 2, 3])
    np.negative.accumulate(x)
outer
    np.{add|multiply|maximum|less|negative|divmod}.outer(x, s)
    np.subtract.outer({x|x[:0]|s[0]|s[:, 1]|2|[1, 2]}, {x|s[0]|3})
reduceat
    np.{add|maximum|negative}.reduceat(x.ravel(), [0])
    np.add.reduceat(s, {[0, 2]|np.array([3, 1, 0])|[9]|2|x}, {0|1|9})
    np.add.reduceat(s, [1, 3], dtype='f8')
at
    r = x.ravel().copy(); np.{add|subtract|multiply|maximum|minimum|divide|less}.at(r, np.array([0, 0, -1]), 2)
    r = x.ravel().copy(); np.{add|maximum}.at(r, np.array([0, 0, -1]), {0.5|True|1j|np.float32(3)|10**30|'a'|-0.0})
    r = x.ravel().copy(); np.{add|multiply|minimum}.at(r, np.array([0, -1, 0, 0]), s[0])
    r = x.ravel().copy(); np.{add|maximum}.at(r, {np.array([1, 99])|[0, 0]|0|slice(1, 3)|r > 0}, 1)
    r = x.ravel().copy(); np.{add|maximum}.at(r, {np.array([], int)|np.array([0.0])}, 1)
    r = x.ravel().copy(); np.add.at(r, np.array([0, -1, 0, 0])[{::-1|::2}], s[:, 0][{::-1|::2}])
    r = x.ravel().copy(); np.add.at(r, np.array([0, -1]), r[:2])
    r = x.ravel().copy(); np.add.at(r[::-1], np.array([0, 0]), 1)
    r = x.ravel().copy(); np.negative.at(r, np.array([0, 0, 0]))
    r = x.copy(); np.add.at(r, np.array([0, 0]), 1)
    r = np.array([1.0, np.nan, 0.0, -0.0]); np.{maximum|minimum}.at(r, np.array([1, 0]), np.array([2.0, 0.5]))
    r = np.array([1.0, 0.0, -0.0, -0.0]); np.{maximum|minimum}.at(r, np.array([1, 2, 3]), np.array([-0.0, 0.0, -0.0]))
    r = np.array([1e308, np.inf, 0.0]); np.{add|multiply|subtract}.at(r, np.arange(3), np.array([1e308, -np.inf, 1]))
    r = np.full(3, 1e308); np.{add|multiply}.at(r, np.array([0, 2]), {1e308|10**18|np.int64(10)|np.float64(1e308)})
    r = np.full(3, 1e308); np.{add|multiply}.at(r, np.array([0, 2]), np.array([1e308, 1]))
    r = np.arange(4); np.add.at(r, r, r)
    r = np.broadcast_to(np.array([1.0, 2.0]), (3, 2))[0]; np.add.at(r, np.array([0]), 1.0)
    r = np.array([2**63 - 1, 5]); np.{add|multiply|subtract}.at(r, np.array([0, 1, 0]), 3)
""")


@pytest.mark.parametrize("name", LINES)
def test_method(name):
    found = {}
    for k, (dtype, layout) in enumerate(itertools.product(sample_values.DTYPES, LAYOUTS)):
        make = operands(dtype, layout)
        for line in LINES[name][k % THIN::THIN]:
            if (problem := problems(line, make)) is not None:
                found[f"{line} of {dtype}, {layout}"] = problem
    assert not found


def test_at_writes_to_a_large_array_at_once():
    x, y = np.arange(50_000.0), xp.arange(50_000.0)
    y.numpy()
    view = y[10:20]
    for namespace, array in (np, x), (xp, y):
        namespace.add.at(array, namespace.array([12, 12, -1]), 0.5)
    assert np.array_equal(y, x)
    assert np.array_equal(view, x[10:20])


def test_at_leaves_what_waits_for_old_values_alone():
    y = xp.arange(50_000.0)
    doubled = xp.sin(y)
    xp.add.at(y, xp.array([1, 1]), 1.0)
    assert doubled[1] == np.sin(1.0)
    assert y[1] == 3.0


@pytest.mark.parametrize("line", ["x[b] = 0.5", "x[b] = y[:b.sum()]", "x.fill(0.25)", "x[b] = 1j", "x[:] = y"])
def test_write_to_a_large_array(line):
    made = []
    for namespace in np, xp:
        draw = np.random.default_rng(3)
        names = {"x": namespace.array(draw.random(60_000)), "y": namespace.array(draw.random(60_000)),
                 "b": namespace.array(draw.random(60_000) < 0.3)}
        waiting = namespace.sqrt(names["x"])
        if "1j" in line:
            with pytest.raises(TypeError):
                exec(line, names)
        else:
            exec(line, names)
        made.append([np.array(names["x"]), np.array(waiting)])
    assert np.array_equal(made[0], made[1])
