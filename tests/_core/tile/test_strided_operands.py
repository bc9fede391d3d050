"""Reductions, copies and casts of non-contiguous arrays: NumPy's bits, layouts and flags."""

import numpy as np
import pytest

import lazyarr as la

SHAPES = [(1, 7), (7, 1), (5, 3), (30, 40), (130, 17), (2, 100)]
VIEWS = ["x", "x.T", "x[1:, 1:]", "x[:, :-1]", "x[::2]", "x[:, ::2]", "x[::-1]", "x[:, 0]", "x[::-1, 0]", "x.T[1:, 1:]",
         "x[:, None]", "x[None, 1:]", "x[:, ::-1]", "x[:1].T"]
REDUCTIONS = ["sum", "mean", "max", "min", "prod", "std", "var", "any", "all", "argmax", "argmin"]
COPIES = ["x.copy()", "np.copy(x)", "np.array(x)", "x.ravel()", "x.reshape(-1)", "x.reshape(-1, 1)", "x.flatten()",
          "x.astype('f4')", "x.astype('c16')", "x.real", "x.imag", "np.ravel(x)", "np.real(x)", "x.tolist()",
          "x.item(0)"]


def arrays(dtype):
    rng = np.random.default_rng(0)
    for shape in SHAPES:
        values = rng.normal(size=shape) * 100
        array = values > 0 if dtype == "?" else values.astype(dtype)
        for view in VIEWS:
            x = eval(view, {"x": array})
            if x.size:
                yield view, x, eval(view, {"x": la.numpy.array(array)})


def described(x):
    """Return the bytes, shape, dtype and class of a result, and an array's layout."""
    if not isinstance(x, np.ndarray | la.LazyArray):
        return type(x), repr(x)
    lies = x.strides, x.flags.owndata, x.flags.writeable
    return np.asarray(x).tobytes(), x.shape, x.dtype, lies


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "?", "u1", "c16"])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name, dtype):
    for view, x, y in arrays(dtype):
        for axis in (None, 0, -1):
            for keeps in (False, True):
                expected = getattr(x, name)(axis=axis, keepdims=keeps)
                found = getattr(y, name)(axis=axis, keepdims=keeps)
                assert described(found) == described(expected), (view, x.shape, axis, keeps)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "?", "c16", "c8"])
@pytest.mark.parametrize("line", COPIES)
def test_copies_and_views(line, dtype):
    if line.startswith("x.astype('f4") and dtype.startswith("c"):
        pytest.skip("warns")
    for view, x, y in arrays(dtype):
        expected, found = eval(line, {"x": x, "np": np}), eval(line, {"x": y, "np": la.numpy})
        assert described(found) == described(expected), (view, x.shape)


@pytest.mark.parametrize("n", [8_193, 10_000, 12_345, 16_384])
@pytest.mark.parametrize("name", ["std", "var"])
def test_variances_of_more_elements_than_one_block_holds(name, n):
    x = np.random.default_rng(n).normal(3, 2, n)
    for shape in ((n,), (1, n), (n, 1), (-1, 8)):
        if n % 8 and shape == (-1, 8):
            continue
        a = x.reshape(shape)
        for axis in range(a.ndim):
            expected = getattr(a, name)(axis=axis)
            assert np.asarray(getattr(la.numpy.array(a), name)(axis=axis)).tobytes() == expected.tobytes()
        assert getattr(la.numpy.array(a), name)() == getattr(a, name)()


SPECIAL = {"f": [0.0, -0.0, 1e300, -1e-310, np.nan, np.inf, -np.inf, 1 / 3, 3.4028235677973366e38, 1e-45],
           "i": [0, 1, -1, 127, -128, 2 ** 24 + 1, 2 ** 31 - 1, -2 ** 31], "u": [0, 1, 255, 128], "b": [True, False]}


@pytest.mark.parametrize("target", ["f4", "f8", "i4", "i8"])
@pytest.mark.parametrize("source", ["f8", "f4", "i4", "i8", "i1", "u1", "i2", "u2", "?"])
def test_casts_of_all_lengths(source, target):
    kind = np.dtype(source).kind
    if kind == "f" and target[0] == "i":
        pytest.skip("what is out of range depends on the processor")
    with np.errstate(all="ignore"):
        values = np.resize(np.array(SPECIAL[kind]).astype(source), 150)
        for n in (*range(1, 70), 150):
            for first in (0, 1):
                x = values[first:n]
                found = la.numpy.array(values)[first:n].astype(target)
                assert np.asarray(found).tobytes() == x.astype(target).tobytes()
                assert np.asarray(la.numpy.array(values)[first:n:2].astype(target)).tobytes() == \
                    x[::2].astype(target).tobytes()


@pytest.mark.parametrize("mean", ["x.T.mean()", "x[1:, 1:].mean(axis=0)", "x[1:, 1:].mean(axis=1)", "x.T.mean(axis=0)",
                                  "x[:, 1].mean()"])
def test_a_mean_that_underflows_in_the_division_is_reported(mean):
    x = np.zeros((5, 5))
    x[1, 1] = 5e-324
    with np.errstate(under="raise"):
        for array in (x, la.numpy.array(x)):
            with pytest.raises(FloatingPointError, match="underflow"):
                eval(mean, {"x": array})


def test_a_cast_that_overflows_warns():
    x = la.numpy.array(np.full(40, 1e300))
    with pytest.warns(RuntimeWarning, match="overflow encountered in cast"):
        la.evaluate(x.astype("f4"))


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8", "u4", "u8", "c8", "c16"])
@pytest.mark.parametrize("name", ["negative", "absolute", "square", "conjugate", "isfinite", "sign"])
def test_few_columns(name, dtype):
    """NumPy's loops have bugs for some strides, which its iterators avoid by choosing another inner axis."""
    ufunc = getattr(np, name)
    for columns in (4, 8, 16):
        x = (np.arange(3 * columns) % 7 - 3.0).reshape(3, columns).astype(dtype)
        for view in ("x[:, :2]", "x[:, 1:4:2]", "x[:2, ::4]", "x[:, :2].T", "x[::2, :3]", "x[::-1, :2]"):
            want = ufunc(eval(view, {"x": x.copy()}))
            for face in (la, la.numpy):
                made = ufunc(eval(view, {"x": face.array(x)}))
                assert np.asarray(made).tobytes() == want.tobytes(), (view, columns, face.__name__)
