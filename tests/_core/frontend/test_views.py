"""Strides, flags, bases and shared memory of arrays are the same as NumPy's."""

import itertools

import numpy as np
import pytest

import lazyarr as la
from support import program_runner

RECORD = np.array([(1, 2.0, "ab"), (3, 4.0, "c")], [("a", "i4"), ("b", "f8"), ("c", "U3")])


def operands():
    """Return arrays of many kinds by name, each owning its memory."""
    return {
        "x": np.arange(24.0).reshape(2, 3, 4).copy(), "m": np.arange(12.0).reshape(3, 4).copy(),
        "F": np.arange(12.0).reshape(4, 3).T.copy("F"), "v": np.arange(6.0), "c": np.arange(6.0) * (1 + 1j),
        "z": np.array(5.0), "one": np.ones((1, 3, 1)), "i": np.arange(6), "b": np.arange(6) > 2, "s": RECORD.copy(),
        "o": np.array([1, None, "x"], object), "t": np.array(["ab", "c"]), "e": np.zeros((0, 3)),
        "d": np.array(["2020-01-01", "2021-02-03"], "M8[D]"),
        "n2": np.array([((1, 2), 3.0)], [("p", [("q", "i4"), ("r", "i4")]), ("w", "f8")]),
        "sub": np.zeros(2, [("k", "f4", (2, 2))]),
    }


EXPRESSIONS = """
v.reshape(2,3); v.reshape(-1); v.ravel(); v.flatten(); F.ravel(); F.ravel("F"); F.ravel("K"); F.ravel("A")
F.reshape(-1); F.reshape(-1,order="F"); m.T.reshape(12); m.T.ravel(); m.T.ravel("K"); m[:, ::2].ravel()
m[:, ::2].reshape(-1); v[::2].ravel(); v[::2].reshape(-1); v[::-1].ravel(); v[::-1].ravel("K"); v[::2].reshape(3,1)
np.diagonal(m); m.diagonal(1); np.diag(m); np.diag(v); np.diagflat(v); np.broadcast_to(v,(2,6))
np.broadcast_arrays(v,v[:,None])[0]; np.broadcast_arrays(v,v)[0]; np.broadcast_arrays(v,v[:,None])[1]
np.broadcast_arrays(m)[0]; v.real; v.imag; c.real; c.imag; np.real(v); np.imag(v); np.real(c); np.imag(c); i.imag
b.imag; z.imag; z.real; np.squeeze(one); one.squeeze(0); np.squeeze(v); v.squeeze(); m.swapaxes(0,1)
np.swapaxes(m,0,0); np.moveaxis(x,0,2); np.rollaxis(x,2); np.rollaxis(x,0); np.expand_dims(v,0); np.atleast_1d(z)
np.atleast_1d(v); np.atleast_2d(v); np.atleast_3d(v); np.atleast_3d(m); np.atleast_2d(m); np.split(v,2)[1]
np.array_split(v,4)[3]; np.hsplit(m,2)[0]; np.vsplit(m,3)[1]; np.dsplit(x,2)[1]; np.flip(m); np.flip(m,0)
np.fliplr(m); np.flipud(m); np.rot90(m); np.rot90(m,2); np.rot90(m,0); np.rot90(m,3)
np.lib.stride_tricks.sliding_window_view(v,3); np.lib.stride_tricks.sliding_window_view(v,3,writeable=True)
np.lib.stride_tricks.sliding_window_view(m,(2,2)); np.lib.stride_tricks.as_strided(v,(3,),(16,))
np.lib.stride_tricks.as_strided(v,(3,),(16,),writeable=False); v.view(); v.view("i8"); v.view("i4"); m.view("c16")
m.view("i1"); v.view(np.ndarray); v.getfield("f4",4); v.T; m.T; m.mT; x.mT; np.einsum("ij->ji",m)
np.einsum("ii->i",m[:,:3]); np.einsum("ij",m); np.einsum("i...->...i",x); np.asarray(v); np.array(v,copy=False)
np.array(v,copy=None); np.asanyarray(m); np.asarray(m,order="F"); np.asarray(m,order="C"); np.ascontiguousarray(m)
np.ascontiguousarray(m.T); np.ascontiguousarray(z); np.asfortranarray(m); np.asfortranarray(F)
np.require(m,requirements="F"); np.require(m); np.array(m); np.array(m.T); np.array(m,order="F"); np.copy(m.T)
m.T.copy(); m.T.copy("K"); m[:,::2].copy("K"); m.astype("f8",copy=False); m.astype("f4"); m.T.astype("f4")
np.astype(m,"f8",copy=False); np.positive(m); +m; v[2:4]; v[2]; v[2,...]; v[...]; v[()]; z[()]; z[...]; m[1]; m[:,1]
m[None]; m[1:,None,::2]; m[0,0,...]; m[-1:0:-1]; m[5:]; m[[0,1]]; m[[0,1],:2]; m[m>3]; v[np.array([0,1])]; v[0:0]
np.transpose(x,(1,0,2)); x.transpose(2,1,0); x.transpose(); np.permute_dims(x); np.matrix_transpose(x)
np.linalg.matrix_transpose(x); np.linalg.diagonal(x); np.unstack(m)[1]; np.ravel(m); np.ravel(m.T); np.ravel(m,"F")
np.resize(v,(3,)); np.resize(v,(2,6)); np.trim_zeros(v); np.tile(v,1); np.tile(v,2); np.repeat(v,1); np.roll(v,0)
np.roll(m,1,0); np.concatenate([v]); np.stack([v]); np.triu(m); np.nan_to_num(v); np.nan_to_num(v,copy=False)
np.real_if_close(c); np.real_if_close(v); np.squeeze(m); np.conj(c); np.conj(v); v.conj(); c.conj(); v.conjugate()
np.round(v); i.round(); np.round(i); np.clip(v,0,1); np.sort(m); np.sort(m.T); np.partition(m,1); np.cumsum(m.T,0)
np.take(m,[0,1],1); m.T.take([0],0); np.compress([1,0],m,0); np.where(m>1,m,0); np.full_like(m.T,1); np.zeros_like(F)
np.ones_like(m.T,order="C"); np.meshgrid(v,v)[0]; np.meshgrid(v,v,copy=False)[0]
np.meshgrid(v,v,copy=False,sparse=True)[1]; np.ix_(i,i)[0]; np.insert(v,1,2); np.delete(v,1); np.delete(m,1,0)
np.append(v,1); np.block([[m],[m]]); np.column_stack([v,v]); np.vstack([v]); np.hstack([v]); np.dstack([v])
np.unwrap(v); np.diff(v); np.gradient(v); np.pad(v,0); np.interp(v,v,v); np.select([v>1],[v])
np.choose(b.astype(int),[v,v]); np.matmul(m,m.T); np.dot(m,m.T); np.outer(v,v); np.kron(v,v); np.inner(m,m)
np.tensordot(m,m.T,1); np.cross(v[:3],v[3:]); np.einsum("ij,jk",m,m.T); np.linalg.inv(x[0,:,:3]+np.eye(3)[:3])
np.sum(x,0); np.sum(x,1); np.max(x.T,0); np.mean(m,0); m.sum(0,keepdims=True); np.median(m,0); np.add.outer(v,v)
np.add.reduce(m); np.add.accumulate(m); np.fft.fft(v); np.fft.fftshift(v); np.arange(5); np.linspace(0,1,3); np.eye(3)
np.identity(3); np.zeros((2,3)); np.ones((2,3),order="F"); np.indices((2,3))[0]; np.tri(3); np.vander(v)
np.array([1,2]); np.array(v.tolist()); np.mgrid[0:3,0:2][1]; np.r_[v]; np.c_[v]; np.nonzero(m)[0]; np.argwhere(m)
np.flatnonzero(m); np.unique(v); np.argsort(m); np.searchsorted(v,v); np.histogram(v)[0]; np.bincount(i)
np.digitize(v,v); np.isnan(m.T); np.modf(m.T)[1]; np.frexp(v)[0]; np.divmod(m.T,2)[0]; np.unravel_index(i,(3,4))[0]
np.polyval(v,m); np.convolve(v,v); s["a"]; s["b"]; s[["a","b"]]; s["c"]; s[0]; s[0:1]; s[1]["a"]; s["a"][1:]; n2["p"]
n2["p"]["q"]; sub["k"]; sub["k"][0]; o[0:2]; o[0]; t[0:1]; t[0]; t.T; d[0:1]; d[0]; d.view("i8"); d.reshape(2,1)
t.reshape(2,1); o.reshape(3,1); o.ravel(); t.ravel(); o[::-1]; d[::-1]; t.astype("U3"); np.squeeze(t.reshape(1,2))
np.flip(t); np.sort(t); np.broadcast_to(t,(2,2)); t.view("U1"); t.copy(); t[None]; np.diagonal(t.reshape(1,2)); o.real
o.imag; np.real(o); d.astype("M8[s]"); np.transpose(t.reshape(1,2)); np.split(t,2)[0]; np.concatenate([t,t])
np.where(t=="ab",t,t); s.reshape(2,1); s.ravel(); s.T; s.copy(); s[::-1]["b"]; s.getfield("i4",0); t.flat[0]
s.flat[0:1]; np.atleast_2d(t); np.expand_dims(t,0); t.swapaxes(0,0); e.reshape(3,0); e.T; e.ravel(); e[:,1]
e.view("i8"); e.copy(); v.flat[1:3]; v.flat[2]; v.flat[[1,2]]; m.flat[1::2]; v.sum(); v.max(); v.mean(); z+z; z*2; -z
np.add(z,z); np.sqrt(z); np.abs(z); z.copy(); z.astype(int); z.sum(); np.asarray(z); z.T; z.reshape(1); z.reshape(())
z.ravel(); z.view(); z.view("i8"); z.squeeze(); np.squeeze(z); np.broadcast_to(z,(2,)); np.transpose(z); z.round()
np.round(z); z.clip(0,1); np.where(z>1,z,z); z.take(0); np.take(v,2); v.take(2); v.item(2); np.sum(v,keepdims=True)
v.std(); np.median(v); np.percentile(v,50); np.dot(v,v); v@v; np.vdot(v,v); np.trace(m); np.linalg.norm(v)
np.linalg.det(m[:,:3]); np.argmax(v); v.argmin(); v.any(); v.all(); np.ptp(v); np.count_nonzero(v); np.average(v)
np.prod(i); np.cumsum(z); np.copy(z); np.array(z); np.array(v[2]); np.asarray(v[2]); np.isnan(v[2]); v[2]+1; v[2]*v
v[2].copy(); v[2].T; v[2].reshape(1); v[2].astype(int); v[2].real; c[2].imag; v[2].imag; c[2].conj(); v[2].view("i8")
v[2].squeeze(); v[2].ravel(); v[2].flatten(); v[2].sum(); v[2].round(); v[2][()]; v[2][...]; v[2][None]; z[None]
v[2].item(); v[2].tolist(); np.ones(())[()]; np.float64(3)+v[2]; np.interp(2.5,v,v); np.searchsorted(v,2.)
np.fmod(z,3); divmod(z,2)[0]; np.modf(z)[0]; np.matmul(v,v); np.inner(v,v); np.einsum("i,i",v,v); np.einsum("i->",v)
np.nansum(v); np.nanmax(v); np.nanmean(v); np.nanmedian(v); np.quantile(v,.5); np.real(z); np.real(v[2])
np.imag(v[2]); np.angle(z); np.trapezoid(v); np.polyval(v,2.); np.i0(z); np.sinc(z); np.nan_to_num(z)
np.nan_to_num(v[2]); np.isclose(z,z); np.isposinf(z); np.fix(z); np.unwrap(v)[0]; np.heaviside(z,z); np.clip(z,0,1)
np.select([z>1],[z]); np.piecewise(z,[z>1],[1]); np.digitize(2.,v); np.corrcoef(v); np.cov(v); np.diff(v)[0]
np.ediff1d(v)[0]
"""


def told(result, variables, xp):
    """Describe a result's memory, and how it is related to the variables."""
    if not isinstance(result, np.ndarray) and getattr(result, "_scalar", True):
        return "a scalar"
    base = program_runner.base_of(result)
    return {
        "strides": program_runner.steps(result), "flags": program_runner.flags(result),
        "base": next((name for name, array in variables.items() if array is base), base is not None),
        "is": [name for name, array in variables.items() if array is result],
        "shares": [name for name, array in variables.items() if xp.shares_memory(result, array)],
        "may share": [name for name, array in variables.items() if xp.may_share_memory(result, array)],
    }


@pytest.mark.parametrize("line", EXPRESSIONS.strip().split("\n"))
def test_memory(line):
    for expression in line.split("; "):
        eager = operands()
        lazy = {name: la.array(x, order="K") for name, x in operands().items()}
        expected = told(eval(expression, {**eager, "np": np}), eager, np)
        got = told(eval(expression, {**lazy, "np": la}), lazy, la)
        assert got == expected, expression


def test_sharing_is_told_without_evaluating(evaluations):
    x = la.arange(12.0) + 1
    even, odd, low = x[::2], x[1::2], x[:4]
    assert not la.shares_memory(even, odd)
    assert la.may_share_memory(even, odd)
    assert la.shares_memory(even, low)
    assert la.shares_memory(x.reshape(3, 4).T, low)
    assert not la.shares_memory(x, x + 1)
    assert not la.shares_memory(x.copy(), x)
    assert evaluations == []
    assert not la.shares_memory(x[0], x)


def test_sharing_with_ndarrays_is_told_of_the_memory_itself():
    n = np.arange(6.0)
    assert la.shares_memory(la.asarray(n), n)
    assert la.shares_memory(la.asarray(n)[2:], n[:3])
    assert not la.shares_memory(la.asarray(n)[3:], n[:3])
    assert not la.shares_memory(la.array(n), n)
    assert not la.shares_memory(la.asarray(n) + 1, n)


# Views that NumPy's functions return immediately.

@pytest.mark.parametrize("take", [
    lambda xp, x: xp.trim_zeros(x), lambda xp, x: xp.real_if_close(x), lambda xp, x: xp.ix_(x)[0],
    lambda xp, x: xp.atleast_2d(x)[0], lambda xp, x: xp.lib.stride_tricks.as_strided(x, (2,), (16,)),
])
def test_a_view_made_by_numpy_reaches_the_array(take):
    for xp in (np, la):
        x = xp.array([0.0, 1.0, 2.0, 3.0, 0.0])
        view = take(xp, x)
        view += 10
        x *= 2
        if xp is np:
            expected = x, view
    assert la.array_equal(x, expected[0])
    assert la.array_equal(view, expected[1])


def test_what_is_made_anew_keeps_its_strides():
    rows, columns = la.nonzero(la.array([[0, 1], [1, 1]]))
    assert rows.strides == np.nonzero(np.array([[0, 1], [1, 1]]))[0].strides
    assert not la.shares_memory(rows, columns)


def test_broadcast_arrays_warn_before_they_are_written_to():
    for xp in (np, la):
        a, b = xp.broadcast_arrays(xp.arange(3.0), xp.zeros((2, 1)))
        with pytest.warns(FutureWarning, match="writeable array from broadcast_array"):
            assert a.flags.writeable
        with pytest.warns(DeprecationWarning, match="overlapping memory"):
            a[0, 1] = 7
        a[0, 0] = 5  # once is enough
        assert a.tolist() == [[5, 7, 2], [5, 7, 2]]
        with pytest.warns(DeprecationWarning, match="overlapping memory"):
            b += 1
        assert xp.broadcast_arrays(a, a)[0] is a


# Records.

def test_fields_are_views():
    for xp in (np, la):
        s = xp.array(RECORD)
        number, both, text = s["b"], s[["a", "c"]], s["c"]
        number += 1
        s["a"][1] *= 10
        both["a"][0] = -1
        text[0] = "new"
        s[1] = (8, 9.5, "end")
        xp.add.at(s["a"], [0, 0], 5)
        s["b"].sort()
        s[s["a"] > 8] = s[1]
        if xp is np:
            expected = s, number, both, text
    for want, got in zip(expected, (s, number, both, text), strict=True):
        assert got.tolist() == want.tolist()


@pytest.mark.parametrize("write", [
    "r.flat[0] = r.flat[0]", "r.flat[0] = r.flat[1]", "r.flat[0] = r[1]", "r.flat[:2] = r.flat[1]", "r.flat[0] = 9",
    "r.flat[:2] = r.flat[1:]", "r[0] = r.flat[1]", "r.flat[0] = r.flat[1:2]", "r.flat[[0, 1]] = (7,)",
])
def test_what_lies_between_fields_stays(write):
    records = [np.array([(1, "abc", 2.0), (2, "d", 3.0)], [("b", "i4"), ("d", "U3"), ("c", "f8")]) for _ in range(2)]
    exec(write, {"r": records[0][["b"]]})
    lazy = la.array(records[1])
    exec(write, {"r": lazy[["b"]]})
    assert lazy.tolist() == records[0].tolist()


def test_fields_of_subarrays_and_records_within_records():
    for xp in (np, la):
        s = xp.zeros(2, [("p", [("q", "i4"), ("r", "f8")]), ("k", "f4", (2, 2))])
        s["p"]["q"] += 3
        s["k"][:, 0] = 1.5
        s["p"][0] = (1, 2.5)
        assert s["k"].shape == (2, 2, 2)
    assert s["k"].tolist() == [[[1.5, 1.5], [0, 0]]] * 2
    assert s["p"]["q"].tolist() == [1, 3]


def test_records_with_objects_are_written_to_safely():
    s = la.array(np.zeros(3, [("a", "i4"), ("o", "O")]))
    for k in range(50):
        s["a"] += 1
        s["o"][k % 3] = [k]
        s[0] = (k, object())
        s["o"] = s["o"][::-1]
        la.add.at(s["a"], [0], 1)
        s["a"].sort()
        s.numpy()
    assert s["o"].tolist()[1] == [49]


def test_an_array_of_records_alone_is_written_to_in_place():
    s = la.zeros(1000, [("a", "i4"), ("b", "f8")])
    s["a"] = 1
    place = s.__array__().ctypes.data
    for k in range(10):
        s["a"][k] = k
        s[k + 20] = (5, 6)
    assert s.__array__().ctypes.data == place
    kept = s.numpy()
    s["a"] = 7
    assert kept["a"][1] == 1
    assert s["a"].tolist() == [7] * 1000


# Unaligned elements.

@pytest.mark.parametrize("fields", [
    [("x", "i1"), ("y", "f8")], [("x", "i1"), ("y", "f4"), ("z", "c16")], [("z", "c16"), ("y", "f4")],
    [("x", "i1"), ("g", "g"), ("h", "f2")],
])
def test_unaligned_fields(fields):
    s = np.zeros(1003, fields)
    for name in s.dtype.names:
        s[name] = np.arange(1003) % 7
    lazy = la.array(s)
    for name in s.dtype.names:
        x, lx = s[name], lazy[name]
        assert lx.flags.aligned == x.flags.aligned
        for function in (np.add, np.subtract, np.multiply):
            np.testing.assert_array_equal(function(lx, 1), function(x, 1))
        assert np.array_equal(lx.sum(), x.sum())
        np.testing.assert_array_equal(la.where(lx > 3, lx, 0), np.where(x > 3, x, 0))
        for values in (x, lx):
            values += 1
            values[::3] *= 2
            values[values == 2] = 5
            values[[0, 1]] = 3
        np.testing.assert_array_equal(lx, x)
    assert (lazy.numpy() == s).all()


def test_copies_of_unaligned_fields_lie_as_numpys():
    records = np.zeros(3, [("x", "i1"), ("y", "f8")])
    x, lazy = records["y"], la.array(records)["y"]
    assert not lazy.flags.aligned
    for make in ("np.broadcast_to(x, (2, 3))", "x[None, ::-1]", "np.broadcast_to(x, (2, 3)).T"):
        for copy in ("{}.astype('i4')", "{}.copy('K')", "{}.copy('A')", "{}.astype('f4', order='F')", "np.copy({})",
                     "{} + 1"):
            expected = eval(copy.format(make), {"np": np, "x": x})
            assert eval(copy.format(make), {"np": la.numpy, "x": lazy}).strides == expected.strides, (make, copy)


def test_unaligned_views_of_bytes():
    data = np.arange(8 * 40 + 1).astype("u1")
    x, lx = data.copy()[1:].view("f8"), la.array(data)[1:].view("f8")
    assert not lx.flags.aligned
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(lx + lx, x + x)
        x *= 2
        lx *= 2
        x[3] = lx[3] = 4
    np.testing.assert_array_equal(lx, x)


@pytest.mark.parametrize("dtype", ["M8[s]", "S8", "V8", "m8[ns]"])
def test_views_as_other_dtypes_share_memory(dtype):
    for xp in (np, la):
        x = xp.arange(4)
        view = x.view(dtype)
        x[1] = 100
        view[2:] = view[:2].copy()
        if xp is np:
            expected = x, view
    assert x.tolist() == expected[0].tolist()
    assert view.tolist() == expected[1].tolist()


def test_a_new_shape_keeps_the_order_in_memory():
    for xp in (np, la):
        x = xp.asfortranarray(xp.arange(6.0).reshape(2, 3)) + 1
        x.shape = (2, 1, 3)
        assert (x.strides[0], x.strides[2]) == (8, 16)
        assert x.tolist() == [[[1, 2, 3]], [[4, 5, 6]]]


@pytest.mark.parametrize("size", [0, 1, 2, 7])
@pytest.mark.parametrize("dtype", [
    np.dtype([("a", "i8"), ("b", "f8"), ("c", "S3")]), np.dtype([("a", "i8"), ("b", "f8"), ("c", "S3")], align=True),
    np.dtype([("c", ("f8", (5,)), (2,))]), np.dtype([("a", [("b", "i1"), ("c", "i4")], (2,))], align=True),
    np.dtype({"names": ["a", "b"], "formats": ["f4", "i1"], "offsets": [0, 4], "itemsize": 12}), np.dtype("V5"),
    np.dtype([("a", "O"), ("b", "i1")]), np.dtype([("a", "V3")]), np.dtype([("a", "M8[s]")]), np.dtype([("a", ">i2")]),
])
def test_numpy_takes_records(dtype, size):
    x = np.zeros(size, dtype)
    for shape in [(size,), (size, 1)] + [()] * (size == 1):
        y = x.reshape(shape)
        assert np.asarray(la.array(y)).dtype == dtype
        assert np.array_equal(np.array(la.array(y)), y)


@pytest.mark.parametrize("view", [
    lambda x: np.broadcast_to(x[1], (3,)), lambda x: np.broadcast_arrays(x[1], x)[0], lambda x: x[1][None],
    lambda x: x[1][None, ...].T], ids=["broadcast_to", "broadcast_arrays", "axis", "transposed"])
@pytest.mark.parametrize("taken", [np.asarray, lambda y: y.numpy(), lambda y: y.numpy()[:1], memoryview],
                         ids=["asarray", "numpy", "part", "memoryview"])
def test_what_is_taken_of_a_view_of_an_element_keeps_its_memory(view, taken):
    x = la.asarray(np.arange(1.0, 4.0))
    held = [taken(view(x)) for _ in range(20)]
    others = [x[0] * k for k in range(50)]
    del others
    for array in held:
        assert np.asarray(array).tolist() in ([2.0], [2.0] * 3)


@pytest.mark.parametrize("dtype", [">c8", ">c16"])
def test_parts_of_complex_numbers_in_the_other_byte_order(dtype):
    x = (np.arange(3) + 1j * np.arange(2, 5)).astype(dtype)
    y = la.asarray(x.copy())
    for part in ("real", "imag"):
        assert getattr(y, part).dtype == getattr(x, part).dtype
        np.testing.assert_array_equal(getattr(y, part), getattr(x, part))
        np.testing.assert_array_equal(getattr(y[1:] * 1, part), getattr(x[1:] * 1, part))
        assert getattr(y[1], part) == getattr(x[1], part)
    x.imag[1] = y.imag[1] = 7
    np.testing.assert_array_equal(y, x)


class Number:
    """An integer-like object in a slice."""

    def __init__(self, number):
        self._number = number

    def __index__(self):
        return self._number


@pytest.mark.parametrize("n", range(6))
def test_slices(n):
    a = np.arange(float(n))
    x = la.numpy.array(a)
    ends = [None, *range(-7, 8), 2**40, -(2**40), 2**70, -(2**70), np.int64(2), Number(1)]
    steps = [None, 1, 2, 3, -1, -2, -3, 2**40, -(2**40), 2**70, np.int64(-2), Number(-1)]
    for start, stop, step in itertools.product(ends, ends, steps):
        key = slice(start, stop, step)
        for got, want in ((x[key], a[key]), (x[None, key], a[None, key])):
            assert (got.tolist(), got.shape, got.strides) == (want.tolist(), want.shape, want.strides), key


@pytest.mark.parametrize("key", [slice(None, None, 0), slice(None, None, Number(0)), slice(1.0), slice("a", None)])
def test_wrong_slices(key):
    for wrong in (key, (None, key)):
        with pytest.raises((TypeError, ValueError)) as want:
            np.arange(3.0)[wrong]
        with pytest.raises(want.type) as got:
            la.numpy.arange(3.0)[wrong]
        assert str(got.value) == str(want.value)
