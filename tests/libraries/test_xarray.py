"""xarray around LazyArrays: stays lazy, and shows NumPy's values."""

import numpy as np
import pytest

import lazyarr as la
from support import lazy_helpers

xr = pytest.importorskip("xarray")

A = np.random.default_rng(0).normal(size=(4, 6))
# xarray keeps the frames of its first conversion alive, with the exceptions that told it which libraries are missing.
xr.DataArray(A).as_numpy()
HOLES = np.where(A > 1, np.nan, A)


def variables(wrap):
    def array(data):
        return xr.DataArray(wrap(data), dims=("t", "x")[-data.ndim:], coords={"x": np.arange(6.0)}, name="v")

    a, b = array(A), array(A[0] + 1)
    return {"a": a, "b": b, "h": array(HOLES), "d": xr.Dataset({"a": a, "b": b}), "xr": xr, "np": np}


def data(result):
    """What a result holds, without a look at it."""
    arrays = result.data_vars.values() if isinstance(result, xr.Dataset) else [result]
    return [array.variable._data for array in arrays]


WAITING = """
    a + b
    a * 2 - b
    b - np.ones((4, 6))[0]
    (a > 0) & (b < 0)
    -abs(a) ** 2
    a.sum()
    a.sum("t")
    a.mean("x")
    a.max()
    a.std("t")
    a.var("x", ddof=1)
    a.median("x")
    a.quantile(0.5, "x")
    a.any("t")
    a.count()
    a.cumsum("x")
    h.mean("t")
    h.sum()
    h.mean("t", skipna=False)
    h.isnull()
    h.fillna(0.0)
    a.isel(t=1)
    a.isel(x=slice(1, 4))
    a.isel(x=[0, 2])
    a.isel(t=0, x=0)
    a[0]
    a.sel(x=2.0)
    a.sel(x=slice(1, 3))
    a.where(a > 0)
    a.where(a > 0, 0.0)
    xr.where(a > 0, a, b)
    a.clip(0, 1)
    a.transpose("x", "t")
    a.stack(z=("t", "x")).unstack()
    a.rolling(x=3).mean()
    a.coarsen(x=2).mean()
    a.shift(x=1)
    a.roll(x=1)
    a.diff("x")
    a.dot(b)
    xr.dot(a, b, dim="x")
    xr.concat([a, a], dim="n")
    a.expand_dims("n")
    a.broadcast_like(b)
    xr.broadcast(a, b)[1]
    a.astype("f4")
    a.groupby("x").mean()
    np.sin(a)
    np.hypot(a, b)
    xr.apply_ufunc(np.exp, a)
    a.integrate("x")
    a.pad(x=1)
    a.reindex(x=[0.0, 2.0, 9.0])
    a.sortby("x", ascending=False)
    a.round(2)
    a.copy()
    a.copy(deep=True)
    a.compute()
    xr.corr(a, a + b, dim="x")
    d.mean("x")
    d.mean()
    d + 1
    d.isel(x=0)
    d.where(d > 0)
    d.map(np.sin)
    xr.zeros_like(a)
""".strip().splitlines()


@pytest.mark.parametrize("line", [line.strip() for line in WAITING])
def test_nothing_is_evaluated(line):
    expected = eval(line, variables(np.array))
    with la.no_evaluation():
        got = eval(line, variables(lazy_helpers.pending))
        held = data(got)
    assert [type(x) for x in held] == [la.LazyArray] * len(held)
    assert [x.dtype for x in held] == [x.dtype for x in data(expected)]
    xr.testing.assert_allclose(got.as_numpy(), expected, rtol=1e-12)


@pytest.mark.parametrize("line", [
    "repr(a)", "a.values.tolist()", "a.to_numpy().tolist()", "a[0, 0].item()", "float(a[0, 0])", "a.to_dict()",
    "a.to_series().tolist()", "a.argmax('x').values.tolist()", "h.dropna('x').shape", "bool(a.any())",
])
def test_looks(line, evaluations):
    assert repr(eval(line, variables(lazy_helpers.pending))) == repr(eval(line, variables(np.array)))
    assert evaluations


def test_assignment():
    results = []
    for wrap in (np.array, lazy_helpers.pending):
        a = variables(wrap)["a"]
        view = a.isel(x=slice(0, 2))
        a[dict(x=1)] = 5.0
        a += a.mean("x")
        results.append((a.values.tolist(), view.values.tolist()))
    np.testing.assert_allclose(results[0][0], results[1][0], rtol=1e-12)
    np.testing.assert_allclose(results[0][1], results[1][1], rtol=1e-12)


def test_operands_on_either_side():
    x, b = lazy_helpers.pending(A[0]), variables(np.array)["b"]
    with la.no_evaluation():
        results = [x + b, b + x, x[0] * b, np.add(x, b)]
        assert [type(r.variable._data) for r in results] == [la.LazyArray] * 4
    for got, expected in zip(results, [A[0] + b, b + A[0], A[0, 0] * b, A[0] + b], strict=True):
        xr.testing.assert_identical(got.as_numpy(), expected)


def test_a_plot_is_the_same():
    pytest.importorskip("matplotlib").use("agg")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    shown = []
    for wrap in (np.array, lazy_helpers.pending):
        canvas = FigureCanvasAgg(Figure(figsize=(2, 2), dpi=40))
        variables(wrap)["a"].plot(ax=canvas.figure.add_subplot())
        canvas.draw()
        shown.append(bytes(canvas.buffer_rgba()))
    assert shown[0] == shown[1]


INDEXED = """
    c.isel(t=i, x=j)
    c.isel(t=k, x=k, y=k)
    c.isel(x=k)
    c[i, j]
    c.isel(t=[0, 2], x=[1, 3, 4])
    c.sel(x=xr.DataArray([2.0, 5.0], dims="p"), y=xr.DataArray([1, 0], dims="p"))
    c.idxmax("t")
    c.idxmin("x")
    c.idxmax("x", skipna=False)
    c.isel(c.argmax(["t", "x"]))
    c.isel(t=c.argmax("t"))
    c.stack(z=("t", "x", "y")).isel(z=k)
    c.transpose("x", "y", "t")
    c.max(["t", "x"])
""".strip().splitlines()


def cube(wrap):
    data = np.stack([A, A[::-1] * 2, -A], axis=2)
    c = xr.DataArray(wrap(data), dims=("t", "x", "y"),
                     coords={"t": [1, 2, 4, 8], "x": np.arange(6.0), "y": np.arange(3)})
    indices = {name: xr.DataArray(wrap(np.array(at)), dims=("p", "q")[:np.ndim(at)])
               for name, at in {"i": [0, 2], "j": [5, 3], "k": [[0, 1], [2, 0]]}.items()}
    return {"c": c, "xr": xr} | indices


@pytest.mark.parametrize("line", [line.strip() for line in INDEXED])
def test_indexing_by_several_arrays(line):
    expected = eval(line, cube(np.array))
    for wrap in lazy_helpers.pending, la.array, la.numpy.array:
        with la.config(array_namespace=False):
            got = eval(line, cube(wrap))
        xr.testing.assert_identical(got.as_numpy(), expected)


@pytest.mark.parametrize("statement", [
    "c[dict(t=[0, 2], x=[1, 3])] = -1", "c[dict(t=[0, 2], x=[1, 3, 4])] = -1", "c[dict(t=i, x=j)] = 7",
    "c.loc[dict(x=[1, 3], y=[0, 2])] = 5", "c[dict(t=0, x=[1, 3])] = 0", "c[dict(t=1)] = c[dict(t=0)]",
])
def test_assignment_by_several_arrays(statement):
    written = []
    for wrap in np.array, lazy_helpers.pending, la.array:
        with la.config(array_namespace=False):
            names = cube(wrap)
            exec(statement, names)
            written.append(names["c"].values.tolist())
    assert written[0] == written[1] == written[2]


def test_arrays_with_a_namespace_are_indexed_otherwise():
    """By xarray, which takes the arrays of an assignment for those of one element each, and refuses DataArrays."""
    names = cube(la.array)
    exec("c[dict(t=[0, 2], x=[1, 3])] = -1", names)
    assert (names["c"].values[[0, 0, 2, 2], [1, 3, 1, 3], 0] == -1).tolist() == [True, False, False, True]
    for line in "c.isel(t=i, x=j)", "c.idxmax('t')":
        with pytest.raises(TypeError, match="Vectorized indexing"):
            eval(line, names)
