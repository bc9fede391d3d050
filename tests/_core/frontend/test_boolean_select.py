"""Masked reads and writes: `x[m] = f(x[m])` stays lazy, runs as one step and matches NumPy bit for bit."""

import pickle
import warnings

import numpy as np
import pytest

import lazyarr as la
from support import sample_values

NATIVE = [dtype for dtype in sample_values.DTYPES if np.dtype(dtype).kind in "iufc" and np.dtype(dtype).isnative]
DENSITIES = {"none": 0, "few": 0.02, "half": 0.5, "most": 0.98, "all": 1}

# x and y have one shape; m is a mask of that shape, n another one
LAZY = """
x[m] = x[m]
x[m] = x[m] * 2 + y[m]
x[m] = np.maximum(y[m], x[m]) - x[m]
x[m] += y[m]
x[m] *= 3
x[m] **= 2
x[m] = (x[m] + y[m]) * (x[m] - y[m]); y[m] = x[m]
x[x > y] = y[x > y] + 1
x[~m & n] = abs(x[~m & n])
t = x[m]; y[m] = t + 1; x[m] = t * t
t = x[m]; t += 1; t *= t; x[m] = t
x[m] = np.clip(x[m], 1, 5)
x[m] = np.int8(3) * y[m]
x[m] = x[m] / 2
x[m] = y[m] > 2
y[m] = x[m].dtype.type(2) + y[m]
v = x[::2]; k = m[::2]; v[k] = v[k] + 1
t = x.T; t[m.T] = t[m.T] * y.T[m.T]
x[m] = -x[m]; x[n] = x[n] * 2; x[m] -= x[m]
x[:] = x * 2; x[m] = x[m] + 1; x += 1
""".strip().splitlines()

SETTLING = """
x[m] = y[n][:1] if n.any() else 0
r = x[m].shape
r = x[m].sum()
r = len(x[m] * 2)
r = x[m][:2]
r = (x[m] + 1).reshape(-1, 1).T
x[m] = x[m] + np.arange(m.sum()).astype(x.dtype)
x[m] = x[m][::-1]
r = x[m] + y[m]; x[...] = 0; r = r + r
t = x[m]; m[...] = ~m; r = t
t = x[m]; t[...] = 7; r = x
t = x[m].copy(); t += 1; r = t
r = np.sort(x[m])
r = np.concatenate([x[m], y[n]])
r = np.add(x[m], y[m], out=x[m])
r = (x[m], y[n]); x[n] = 1
r = list(x[m])
r = np.divmod(x[m], 3)[0]
r = x[m].T
r = x[m].ndim, x[m].size, x[m].nbytes, x[m].dtype
""".strip().splitlines()


def arrays(dtype, shape, density, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 9, shape).astype(dtype) + np.array(0.25, dtype)
    y = rng.integers(1, 9, shape).astype(dtype)
    return {"x": x, "y": y, "m": rng.random(shape) < density, "n": rng.random(shape) < 0.5}


def run(line, namespace, operands):
    variables = {"np": namespace, "r": None, **operands}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        exec(line, variables)
    return [variables[name] for name in ("x", "y", "m", "r")]


def agree(want, got):
    if isinstance(want, tuple | list):
        assert type(want) is type(got)
        assert len(want) == len(got)
        for a, b in zip(want, got, strict=True):
            agree(a, b)
    elif isinstance(want, np.ndarray | np.generic):
        np.testing.assert_array_equal(np.asarray(got), want, strict=True)
    else:
        assert want == got


def check(line, operands, lazily):
    want = run(line, np, {name: x.copy() for name, x in operands.items()})
    lazy = {name: la.array(x) for name, x in operands.items()}
    if lazily:
        with la.no_evaluation():
            got = run(line, la, lazy)
    else:
        got = run(line, la, lazy)
    agree(want, got)


@pytest.mark.parametrize("density", DENSITIES.values(), ids=DENSITIES)
@pytest.mark.parametrize("line", LAZY)
def test_updates_under_a_mask_stay_lazy(line, density):
    with np.errstate(all="ignore"):
        for shape in ((7,), (3, 5), (40, 1201)):
            check(line, arrays("f8", shape, density), lazily=True)


@pytest.mark.parametrize("dtype", NATIVE)
def test_updates_of_every_dtype(dtype):
    with np.errstate(all="ignore"):
        for line in ("x[m] = y[m]", "x[m] += y[m]", "t = x[m]; y[m] = t; x[m] = y[m] * x[m]"):
            check(line, arrays(dtype, (20, 301), 0.4), lazily=True)


@pytest.mark.parametrize("target", NATIVE)
def test_values_are_cast_as_numpy_casts_them(target):
    for dtype in ("i8", "f8", "c16"):
        operands = arrays(dtype, (300,), 0.5)
        operands["x"] = operands["x"].real.astype(target)
        check("x[m] = y[m] + 1", operands, lazily=True)


@pytest.mark.parametrize("line", SETTLING)
def test_other_uses_see_an_ordinary_array(line):
    for shape in ((7,), (3, 5)):
        for density in (0, 0.5, 1):
            check(line, arrays("f8", shape, density), lazily=False)


def test_an_update_is_one_step_and_in_place():
    records = []
    z, c = la.array(np.linspace(-2, 2, 10_000) + 0j), la.array(np.linspace(0, 1, 10_000) * 1j)
    with la.config(on_evaluate=records.append, budget_nodes=100_000):
        alive = abs(z) <= 2
        z[alive] = z[alive] ** 2 + c[alive]
        address = z.numpy().ctypes.data
        alive = abs(z) <= 2
        z[alive] = z[alive] ** 2 + c[alive]
        del alive
        assert z.numpy().ctypes.data == address
    assert [record["steps"] for record in records] == [1, 1]
    assert not any(record["opaque"] for record in records)


def test_only_elements_under_the_mask_raise():
    x = la.array([0.0, 2.0, 4.0])
    with np.errstate(all="raise"):
        x[x > 0] = 1 / x[x > 0]
        assert x.tolist() == [0, 0.5, 0.25]
        x[x < 1] = 1 / x[x < 1]
        with pytest.raises(FloatingPointError, match="divide by zero encountered in divide"):
            x.numpy()


def test_casts_under_the_mask_are_reported_as_numpys():
    x, y = la.array([1, 2, 3]), la.array([1.0, np.nan, 3.0])
    x[x > 2] = y[x > 2]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert x.tolist() == [1, 2, 3]
    x[x > 1] = y[x > 1]
    with pytest.warns(RuntimeWarning, match="invalid value encountered in cast"):
        x.numpy()


def test_complex_values_for_real_elements_warn_at_the_assignment():
    x, y = la.array([1.0, 2.0]), la.array([1j, 2j])
    m = x > 1
    with pytest.warns(np.exceptions.ComplexWarning, match="imaginary"):
        x[m] = y[m]


def test_a_read_only_array_is_not_written():
    x = la.array([1.0, 2.0])
    x.flags.writeable = False
    m = x > 1
    with pytest.raises(ValueError, match="read-only"):
        x[m] = x[m] * 2


def test_integer_powers_raise_where_they_are_written():
    x = la.array([1, 2])
    m = x > 1
    with pytest.raises(ValueError, match="negative integer powers"):
        x[m] ** -1


def test_a_selection_outlives_an_evaluation_of_its_parts():
    x = la.arange(10.0)
    m = x > 4
    t = x[m] * 2
    x.numpy()
    m.numpy()
    (t + 1).numpy()
    with la.no_evaluation():
        x[m] = t + x[m]
    assert x.tolist() == [0, 1, 2, 3, 4, 15, 18, 21, 24, 27]


def test_a_flush_releases_what_lies_outside_the_mask():
    x = la.arange(100_000.0)
    with la.config(budget_nodes=3):
        t = x[x < 5] + 1
        _ = [x + k for k in range(8)]
    with la.no_evaluation():
        assert t.shape == (5,)


def test_selections_are_pickled_as_arrays():
    x = la.arange(5.0)
    assert pickle.loads(pickle.dumps(x[x > 2])).tolist() == [3, 4]


def test_an_ndarray_may_be_the_mask():
    x = la.arange(5.0)
    m = np.array([True, False, True, False, True])
    x[m] = x[m] + 1
    assert x.tolist() == [1, 1, 3, 3, 5]


def test_a_mask_of_another_shape_is_numpys_to_judge():
    x = la.arange(6.0).reshape(2, 3)
    with pytest.raises(IndexError, match="boolean index did not match"):
        x[la.array([True, False, True])]
    assert x[la.array([True, False])].tolist() == [[0, 1, 2]]
    assert x[x > 100].shape == (0,)


def test_a_view_without_axes_beside_a_selection():
    m, n = np.zeros((1, 0), bool), np.array([True, False, True])
    for scalar in (np.array([[3]], "u2"), np.array([[2.5]])):
        x = la.array(scalar)
        np.testing.assert_array_equal(np.logical_and(np.squeeze(x), la.array(m)[la.array(m)]),
                                      np.logical_and(np.squeeze(scalar), m[m]))
        y = la.arange(3.0)
        np.testing.assert_array_equal(y[n] * x[0, 0:1].reshape(()), np.arange(3.0)[n] * scalar[0, 0])


@pytest.mark.parametrize("dtype", ["u1", "f2", "f4", "f8", "c16", "G"])
def test_masks_of_runs(dtype):
    rng = np.random.default_rng(5)
    for n in (1, 7, 8, 9, 40, 41, 1000, 5003):
        values = rng.integers(0, 100, n).astype(dtype)
        for length in (1, 5, 8, 30):
            true = rng.integers(1, 256, n).astype("u1").view("?")  # bytes of bools that NumPy did not make
            mask = np.where(np.arange(n) // length % 2 == rng.integers(2), true, False)
            for face in (la, la.numpy):
                x, m = face.array(values), face.array(mask)
                assert x[m].tolist() == values[mask].tolist()
                assert (x[m] + 1).tolist() == (values[mask] + 1).tolist()
                want = values.copy()
                want[mask] = want[mask] * 2 + 1
                x[m] = x[m] * 2 + 1
                assert x.tolist() == want.tolist()
