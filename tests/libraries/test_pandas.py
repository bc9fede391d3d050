"""pandas: Series and DataFrames made from LazyArrays, and both in one expression."""

import numpy as np
import pytest

import lazyarr as la
from support import lazy_helpers

pd = pytest.importorskip("pandas")

RNG = np.random.default_rng(0)
ARRAYS = {
    "m": RNG.normal(size=(4, 6)), "v": RNG.normal(size=6), "w": RNG.normal(size=6), "i": np.arange(6),
    "b": np.array([True, False, True, True, False, False]),
    "d": np.array(["2020-01-01", "2021-02-03"], "M8[D]"), "t": np.array(["a", "bb"]),
}


def evaluate(line, lazily):
    arrays = {name: lazy_helpers.pending(x) if x.dtype.kind in "fi" else la.array(x) for name, x in ARRAYS.items()}
    return eval(line, {"pd": pd, "np": np} | (arrays if lazily else ARRAYS))


@pytest.mark.parametrize("line", [
    "pd.Series(v)", "pd.Series(v, index=i, name='x', dtype='f4')", "pd.Series(b)", "pd.Series(d)", "pd.Series(t)",
    "pd.Series(list(v))", "pd.DataFrame(m)", "pd.DataFrame(m, columns=list('abcdef'))", "pd.DataFrame({'a': v})",
    "pd.DataFrame({'a': v, 'k': i, 'm': b})", "pd.DataFrame([v, w])", "pd.Index(v)", "pd.DatetimeIndex(d)",
    "pd.to_datetime(d)", "pd.MultiIndex.from_arrays([i, v])", "pd.cut(v, 3).codes", "pd.Categorical(i).categories",
    "pd.Series(v) + v", "v + pd.Series(v)", "pd.Series(v) * v[0]", "v[0] * pd.Series(v)", "np.add(v, pd.Series(v))",
    "v < pd.Series(w)", "v == pd.Series(v)", "pd.DataFrame(m) @ v", "pd.DataFrame(m).assign(z=m[:, 0])",
    "pd.Series(v).where(b, 0.0)", "pd.Series(v).isin(v[:2])", "pd.Series(v).fillna(v[0])", "pd.Series(v).take(i[:2])",
    "pd.isna(v)", "pd.DataFrame(m).to_numpy()", "pd.Series(v).to_numpy()", "np.asarray(pd.DataFrame(m))",
    "pd.DataFrame(m) + m", "m - pd.DataFrame(m)", "pd.DataFrame(m) * m[0]", "pd.DataFrame(m) < m.mean()",
    "m.mean() < pd.DataFrame(m)", "pd.DataFrame(m) - m.mean()", "m[0, 0] / pd.DataFrame(m)", "pd.DataFrame(m) == m",
    "(pd.DataFrame(m) > 0) & (m > 1)", "np.maximum(pd.DataFrame(m), -m)", "pd.DataFrame(m) @ m.T",
    "m.T @ pd.DataFrame(m)", "np.add.reduce(pd.DataFrame(m))", "np.maximum.reduce(pd.DataFrame(m), axis=1)",
    "np.add.accumulate(pd.Series(v))",
    "pd.DataFrame(m).add(v)", "pd.DataFrame(m) + np.asarray(m) * m.max()", "pd.Series(b) & (v > 0)",
    "pd.Series(v).loc[i[:2]]", "pd.Series(v).searchsorted(v[0])",
])
def test_results_are_those_of_ndarrays(line):
    expected, got = evaluate(line, False), evaluate(line, True)
    if isinstance(expected, np.ndarray):
        assert expected.dtype == got.dtype
        np.testing.assert_array_equal(got, expected)
    elif isinstance(expected, pd.DataFrame):
        pd.testing.assert_frame_equal(got, expected)
    elif isinstance(expected, pd.Series):
        pd.testing.assert_series_equal(got, expected)
    elif isinstance(expected, pd.Index):
        pd.testing.assert_index_equal(got, expected)
    else:
        assert repr(got) == repr(expected)


def test_there_and_back():
    x = lazy_helpers.pending(ARRAYS["m"])
    y = la.asarray(pd.DataFrame(x).to_numpy())
    assert type(y) is la.LazyArray
    lazy_helpers.assert_same(y, ARRAYS["m"])


def test_a_series_shares_memory_unless_it_is_told_to_copy():
    """Of an ndarray it makes a copy by itself, since it is one."""
    x = lazy_helpers.pending([1.0, 2.0])
    shared, copied = pd.Series(x), pd.Series(x, copy=True)
    x += 1
    assert shared.tolist() == [2, 3]
    assert copied.tolist() == [1, 2]


@pytest.mark.parametrize(("line", "error"), [
    ("pd.Series(v)[b]", KeyError), ("pd.unique(i)", TypeError), ("pd.DataFrame(m).groupby(i[:4]).sum()", TypeError),
    ("pd.DataFrame(m).loc[b[:4]]", KeyError), ("pd.DataFrame(m).set_index(i[:4])", TypeError),
    ("pd.factorize(i)", TypeError), ("pd.DataFrame(m).eq(m)", ValueError), ("pd.arrays.IntegerArray(i, b)", TypeError),
    ("pd.Series(d) + (d - d)", AttributeError),
    ("pd.Series(v).iloc[i[2]]", TypeError),
])
def test_what_asks_for_the_type_of_ndarrays_refuses(line, error):
    evaluate(line, False)
    with pytest.raises(error):
        evaluate(line, True)


def test_masks_as_positions():
    """They are taken for the positions 0 and 1."""
    series, mask = pd.Series(ARRAYS["v"]), la.array(ARRAYS["b"])
    assert series.iloc[mask].index.tolist() == [1, 0, 1, 1, 0, 0]
    for given in list(mask), np.flatnonzero(mask), mask.numpy():
        assert series.iloc[given].index.tolist() == [0, 2, 3]


def test_records():
    """A frame of an array of records has one column of tuples."""
    records = la.array(np.array([(1, 2.5), (3, 4.5)], dtype=[("x", int), ("y", float)]))
    assert pd.DataFrame(records).shape == (2, 1)
    expected = pd.DataFrame(records.numpy())
    pd.testing.assert_frame_equal(pd.DataFrame(records.tolist(), columns=list(records.dtype.names)), expected)


def test_scalars_that_wait_are_objects_to_pandas():
    v = lazy_helpers.pending(ARRAYS["v"])
    assert pd.Series([v[0], v.sum()]).dtype == object
    assert pd.Series(np.array([v[0], v.sum()])).dtype == float


def test_operators_in_place():
    for x in ARRAYS["v"], ARRAYS["v"].mean():
        series = pd.Series(ARRAYS["w"])
        series += la.array(x)
        pd.testing.assert_series_equal(series, pd.Series(ARRAYS["w"]) + x)
    frame = pd.DataFrame(ARRAYS["m"])
    frame += la.array(ARRAYS["v"])
    np.testing.assert_array_equal(frame, ARRAYS["m"] + ARRAYS["v"])


@pytest.mark.parametrize("x", [ARRAYS["m"], ARRAYS["m"].mean()])
def test_frames_refuse_operators_in_place_with_numbers_and_matrices(x):
    frame = pd.DataFrame(ARRAYS["m"])
    with pytest.raises(AttributeError, match="reindex_like"):
        frame += la.array(x)
    pd.testing.assert_frame_equal(frame + la.array(x), frame + x)


def test_a_lazy_number_is_an_array_to_a_series():
    assert (pd.Series([1.0], dtype="f4") + la.array(2.5)).dtype == float
    assert (pd.Series([1.0], dtype="f4") + float(la.array(2.5))).dtype == np.float32
    with pytest.raises(TypeError):
        pd.Series([1, None], dtype="Int64") + la.array(2)


LINES = """
frame[mask]
frame[xp.arange(4) % 2 == 0]
frame[xp.random.default_rng(0).random(4) < 0.5]
frame.loc[mask]
frame.loc[mask, "x"]
frame.loc[xp.array([0, 2]), ["x", "g"]]
frame.iloc[mask]
frame.iloc[mask, 0]
frame.iloc[xp.flatnonzero(mask)]
frame.x[mask]
frame.x.iloc[mask]
frame.where(mask[:, None] & xp.ones((4, 2), bool), 0)
frame.groupby(xp.arange(4) // 2).sum()
frame.groupby([xp.arange(4) // 2, "g"]).agg(xp.mean)
frame.x.groupby(xp.array([0, 1, 0, 1])).max()
frame.set_index(xp.arange(4) + 10)
frame.eq(xp.ones((4, 2)))
frame.add(xp.ones((4, 2)))
frame.rsub(xp.ones((4, 2)))
pd.DataFrame(records)
pd.DataFrame(xp.arange(6).reshape(3, 2), columns=["a", "b"])
pd.DataFrame({"a": xp.arange(3), "b": [xp.float64(1), xp.sum(xp.ones(2)), xp.ones(3)[0]]})
pd.DataFrame.from_records(records)
pd.unique(xp.array([2, 1, 2]))
pd.factorize(xp.array([2, 1, 2]))
pd.Series([xp.ones(3).sum(), xp.ones(2).mean()])
frame.index[mask]
frame.columns[xp.array([True, False])]
frame.index.delete(xp.array([0, 2]))
pd.DatetimeIndex(dates).asof_locs(pd.DatetimeIndex(dates), mask)
frame.pivot_table(index=xp.arange(4) % 2, columns=mask, values="x")
frame.merge(frame, left_on=xp.arange(4), right_on=xp.arange(4)[::-1])
pd.array(dates)
pd.arrays.NumpyExtensionArray(xp.ones(2))
pd.arrays.IntegerArray(xp.arange(4), mask)
pd.arrays.FloatingArray(xp.arange(4.0), mask)
pd.arrays.BooleanArray(mask, ~mask)
pd.array(["a", "b"]) == xp.array(["a", "c"])
pd.array([1, 2, None, 4])[mask]
pd.array([1, 2, None, 4])[xp.array([3, 0])]
pd.api.extensions.take(xp.arange(4), xp.array([3, 0]))
pd.util.hash_array(xp.arange(4))
written(lambda frame: frame.__setitem__(mask, 9))
written(lambda frame: frame.loc.__setitem__((mask, "x"), 9))
written(lambda frame: frame.iloc.__setitem__((mask, 0), xp.array([7, 8])))
""".strip().splitlines()
PROGRAM = f"""
import operator
import numpy as xp
import pandas as pd
mask = xp.array([True, False, True, False])
records = xp.array([(1, 2.5), (3, 4.5)], dtype=[("x", int), ("y", float)])
dates = xp.array(["2020-01-01", "2020-01-02", "2020-01-04", "2020-01-03"], "M8[ns]")

def made():
    return pd.DataFrame({{"x": [1, 2, 3, 4], "g": [0, 0, 1, 1]}})

def written(write):
    frame = made()
    write(frame)
    return frame

def outcome(operate, frame, x):
    try:
        return repr(operate(frame.copy(), x))
    except Exception as error:
        return f"{{type(error).__name__}}: {{error}}"

many = xp.arange(100000.0)  # results of which wait
for frame in [made(), made().astype("f4"), pd.DataFrame({{"a": pd.array([1, None], dtype="Int64")}}),
              pd.Series([1.5, 2.5], dtype="f4"), pd.Series([1, None], dtype="Int64"), pd.Index([1, 2])]:
    for x in [xp.ones((4, 2)), xp.ones((4, 1)), xp.ones(2), xp.array(2.5), many.mean(), many.sum() * 2, many.max() > 1]:
        for name in ["add", "mul", "lt", "and_", "iadd", "isub", "ipow"]:
            print(name, outcome(getattr(operator, name), frame, x))
        print("rsub", outcome(lambda frame, x: x - frame, frame, x))
frame = made()
for line in {LINES}:
    print(line, repr(eval(line)), sep="\\n")
shared = xp.zeros((2, 2))
copied = pd.DataFrame(shared)
shared += 1
print(copied)
"""


def test_under_the_runner_everything_is_as_with_numpy(printed_both_ways):
    plain, lazily = printed_both_ways(PROGRAM)
    assert plain.count("\n") > len(LINES)
    assert lazily == plain
