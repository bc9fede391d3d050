"""Strides of results, per operation, for operands with axes in any memory order."""

import copy
import itertools

import numpy as np
import pytest

import lazyarr as la

pytestmark = pytest.mark.filterwarnings("ignore:'where' used without 'out'")

I1 = np.array([0, 1, 1])
I2 = np.array([[0, 1], [1, 0]])


def operands():
    """Return arrays by name: permuted, reversed, with gaps, broadcast."""
    base = np.arange(24.0).reshape(2, 3, 4)
    arrays = {f"axes {axes}": base.transpose(axes) for axes in itertools.permutations(range(3))}
    return arrays | {
        "a matrix": np.arange(30.0).reshape(6, 5),
        "a matrix in F order": np.arange(30.0).reshape(6, 5).T,
        "reversed": base[::-1, :, ::-1].transpose(2, 0, 1),
        "with gaps": base[:, ::2].transpose(2, 1, 0),
        "a leading broadcast": np.broadcast_to(np.arange(12.0).reshape(3, 4), (2, 3, 4)),
        "a broadcast in between": np.broadcast_to(np.arange(8.0).reshape(2, 1, 4), (2, 3, 4)),
        "a broadcast of F order": np.broadcast_to(np.arange(12.0).reshape(4, 3).T, (2, 3, 4)),
        "length one": base[:1].transpose(2, 0, 1),
        "four axes": np.arange(120.0).reshape(2, 3, 4, 5).transpose(2, 0, 3, 1),
    }


OPERANDS = operands()

COPIES = {
    "astype": lambda x: x.astype("float32"),
    "astype in F order": lambda x: x.astype("float32", order="F"),
    "astype to the same": lambda x: x.astype("float64"),
    "copy K": lambda x: x.copy(order="K"),
    "copy A": lambda x: x.copy(order="A"),
    "copy F": lambda x: x.copy(order="F"),
    "array": lambda x: np.array(x),
    "np.copy": lambda x: np.copy(x),
    "cast, then add": lambda x: x.astype("int32") + 1.5,
    "zeros_like": lambda x: np.zeros_like(x),
    "ones_like of another dtype": lambda x: np.ones_like(x, dtype="float32"),
    "full_like in C order": lambda x: np.full_like(x, 3, order="C"),
    "full_like of another shape": lambda x: np.full_like(x, 3, shape=x.shape[::-1]),
    "reshape": lambda x: x.reshape(-1, 2),
    "reshape F": lambda x: x.reshape(2, -1, order="F"),
    "reshape A": lambda x: x.reshape(2, -1, order="A"),
    "ravel K": lambda x: x.ravel("K"),
    "flatten F": lambda x: x.flatten("F"),
    "flatten K": lambda x: x.flatten("K"),
    "squeeze": lambda x: x.squeeze(),
    "expand_dims": lambda x: np.expand_dims(x, 1),
    "moveaxis": lambda x: np.moveaxis(x, 0, -1),
    "ascontiguousarray": lambda x: np.ascontiguousarray(x),
    "asfortranarray": lambda x: np.asfortranarray(x),
}
ELEMENTWISE = {
    "add": lambda x: x + 1,
    "add with dtype": lambda x: np.add(x, 1, dtype="float32"),
    "add C": lambda x: np.add(x, 1, order="C"),
    "add F": lambda x: np.add(x, 1, order="F"),
    "add A": lambda x: np.add(x, 1, order="A"),
    "add under a mask": lambda x: np.add(x, 1, where=x >= 0),
    "divmod": lambda x: np.divmod(x, 2.0)[1],
    "frexp": lambda x: np.frexp(x)[0],
    "real": lambda x: (x + 1j).real,
    "integer power": lambda x: x.astype("int64") ** 2,
    "outer": lambda x: np.add.outer(x, x[0]),
    "clip": lambda x: np.clip(x, x, 3),
    "round": lambda x: np.round(x, 1),
    "round to integers": lambda x: np.round(x),
    "round integers": lambda x: np.round(x.astype("int32")),
    "isclose": lambda x: np.isclose(x, x),
    "nan_to_num": lambda x: np.nan_to_num(x),
    "where": lambda x: np.where(x > 0, x, x[..., :1] * 0),
    "where by a column": lambda x: np.where(x[..., :1] > 0, x, 0.0),
    "where of C and another": lambda x: np.where(x > 0, x, np.arange(float(x.size)).reshape(x.shape)),
    "where of two dtypes": lambda x: np.where(x > 0, x, x.astype("float32")),
    "where with a condition to convert": lambda x: np.where(x, x, 1),
    "choose": lambda x: np.choose((x > 3).astype(int), [x, x + 1]),
    "digitize": lambda x: np.digitize(x, [1, 2, 3]),
    "searchsorted": lambda x: np.searchsorted([1.0, 2.0], x),
    "isin": lambda x: np.isin(x, [1, 2]),
    "interp": lambda x: np.interp(x, [0, 1.0], [1, 2.0]),
}
ALONG_AN_AXIS = {
    "cumsum 0": lambda x: x.cumsum(0),
    "cumsum 1": lambda x: x.cumsum(1),
    "cumsum -1": lambda x: x.cumsum(-1),
    "cumprod in float32": lambda x: x.cumprod(1, dtype="float32"),
    "maximum.accumulate": lambda x: np.maximum.accumulate(x, axis=1),
    "accumulate of a cast": lambda x: np.add.accumulate(x.astype("int8"), axis=1),
    "cumulative_sum": lambda x: np.cumulative_sum(x, axis=1),
    "nancumsum": lambda x: np.nancumsum(x, axis=1),
    "reduceat": lambda x: np.add.reduceat(x, [0, 1], axis=0),
    "sort 0": lambda x: np.sort(x, 0),
    "sort -1": lambda x: np.sort(x),
    "argsort 0": lambda x: np.argsort(x, 0),
    "argsort -1": lambda x: np.argsort(x),
    "partition": lambda x: np.partition(x, 0, axis=1),
    "argpartition": lambda x: np.argpartition(x, 0, axis=1),
    "sort_complex": lambda x: np.sort_complex(x),
    "diff": lambda x: np.diff(x, axis=0),
    "gradient": lambda x: np.gradient(x, axis=0),
    "unwrap": lambda x: np.unwrap(x, axis=0),
    "fft 0": lambda x: np.fft.fft(x, axis=0),
    "fft -1": lambda x: np.fft.fft(x),
    "rfft 1": lambda x: np.fft.rfft(x, axis=1),
    "irfft to 5": lambda x: np.fft.irfft(x, 5, axis=0),
    "fft2": lambda x: np.fft.fft2(x),
    "ifftn": lambda x: np.fft.ifftn(x),
    "fftshift": lambda x: np.fft.fftshift(x, axes=1),
    "take_along_axis": lambda x: np.take_along_axis(x, np.zeros(x.shape, int), 1),
}
INDEXING = {
    "take 0": lambda x: np.take(x, [0, 1], axis=0),
    "take 1": lambda x: np.take(x, [0, 0], axis=1),
    "take in the flattened": lambda x: np.take(x, I2),
    "take by transposed indices": lambda x: np.take(x, I2.T, axis=0),
    "[i]": lambda x: x[I1],
    "[[0]]": lambda x: x[[0]],
    "[i2]": lambda x: x[I2],
    "[i2.T]": lambda x: x[I2.T],
    "[:, i]": lambda x: x[:, [0, 0]],
    "[:, i2]": lambda x: x[:, I2 * 0],
    "[..., i]": lambda x: x[..., I1 * 0],
    "[..., i2.T]": lambda x: x[..., I2.T * 0],
    "[i, i]": lambda x: x[[0, 1], [0, 0]],
    "[i, ..., i]": lambda x: x[[0, 1], ..., [0, 0]],
    "[i2, ..., 0]": lambda x: x[I2, ..., 0],
    "[0, ..., i]": lambda x: x[0, ..., I1 * 0],
    "[0, i]": lambda x: x[0, [0, 0]],
    "[i[:, None], i]": lambda x: x[np.array([0, 1])[:, None], np.array([0, 0, 0])],
    "[1:, i]": lambda x: x[1:, [0, 0]],
    "[::-1, i]": lambda x: x[::-1, [0, 0]],
    "[i, None]": lambda x: x[I1, None],
    "[None, i]": lambda x: x[None, I1],
    "[:, None, i]": lambda x: x[:, None, [0, 0]],
    "[..., i, None]": lambda x: x[..., I1 * 0, None],
    "[i, ::-1]": lambda x: x[I1, ::-1],
    "[broadcast]": lambda x: x[np.broadcast_to([0, 1], (3, 2))],
    "[ix_]": lambda x: x[np.ix_([0, 1], [0])],
    "[mask]": lambda x: x[x > 3],
    "[mask of rows]": lambda x: x[np.arange(x.shape[0]) % 2 == 0],
    "[:, mask]": lambda x: x[:, np.arange(x.shape[1]) % 2 == 0],
    "[mask of two axes]": lambda x: x[np.ones(x.shape[:2], bool)],
    "[..., mask]": lambda x: x[..., np.arange(x.shape[-1]) % 2 == 0],
    "compress": lambda x: x.compress([1, 0], axis=0),
}
JOINING = {
    "concatenate 0": lambda x: np.concatenate([x, x]),
    "concatenate 1": lambda x: np.concatenate([x, x], 1),
    "concatenate with C": lambda x: np.concatenate([x, x.copy()], 1),
    "concatenate with another dtype": lambda x: np.concatenate([x, x.astype("float32")], 1),
    "stack 0": lambda x: np.stack([x, x]),
    "stack 1": lambda x: np.stack([x, x], 1),
    "stack -1": lambda x: np.stack([x, x], -1),
    "vstack": lambda x: np.vstack([x, x]),
    "hstack": lambda x: np.hstack([x, x]),
    "dstack": lambda x: np.dstack([x, x]),
    "block": lambda x: np.block([[x], [x]]),
    "append": lambda x: np.append(x, x, axis=0),
    "insert": lambda x: np.insert(x, 0, 1, axis=1),
    "repeat": lambda x: np.repeat(x, 2, axis=1),
    "repeat by counts": lambda x: np.repeat(x, np.arange(x.shape[1]), axis=1),
    "tile": lambda x: np.tile(x, 2),
    "pad": lambda x: np.pad(x, 1),
    "roll": lambda x: np.roll(x, 1, axis=1),
    "roll the flattened": lambda x: np.roll(x, 1),
    "rot90": lambda x: np.rot90(x) * 1,
    "tril": lambda x: np.tril(x),
}
PRODUCTS = {
    "matmul": lambda x: x @ np.ones((x.shape[-1], 3)),
    "matmul from the right": lambda x: np.ones((3, x.shape[-2])) @ x,
    "matmul with F": lambda x: x @ np.ones((3, x.shape[-1])).T,
    "matmul with itself": lambda x: x @ x.swapaxes(-1, -2),
    "matmul in F order": lambda x: np.matmul(x, np.ones((x.shape[-1], 3)), order="F"),
    "matmul with a vector": lambda x: x @ np.ones(x.shape[-1]),
    "vecdot": lambda x: np.vecdot(x, x),
    "dot": lambda x: np.dot(x, np.ones((x.shape[-1], 3))),
    "dot of three axes": lambda x: np.dot(x, np.ones((2, x.shape[-1], 3))),
    "inner": lambda x: np.inner(x, x),
    "tensordot": lambda x: np.tensordot(x, x, axes=([0], [0])),
    "kron": lambda x: np.kron(x, x),
    "einsum, a view": lambda x: np.einsum("ij...->ji...", x),
    "einsum, products": lambda x: np.einsum("ij...,ij...->ji...", x, x),
    "einsum, a sum": lambda x: np.einsum("i...j->...i", x),
    "einsum, matrices": lambda x: np.einsum("...ij,...kj->...ik", x, x),
    "einsum, implicit": lambda x: np.einsum("i...,i...", x, x),
    "einsum, optimized": lambda x: np.einsum("...ij,...kj,...lj->...ikl", x, x, x, optimize=True),
    "det": lambda x: np.linalg.det(x @ x.swapaxes(-1, -2)),
    "norm": lambda x: np.linalg.norm(x, axis=1),
}


def positive(x):
    n = x.shape[-2]
    return x @ x.swapaxes(-1, -2) + n * np.eye(n)


def reordered(x):
    """Return the same batch, with its axes in another memory order."""
    return np.moveaxis(np.moveaxis(x, -2, 0).copy(), 0, -2)


FACTORIZATIONS = {
    "inv": lambda x: np.linalg.inv(positive(x)),
    "inv, reordered": lambda x: np.linalg.inv(reordered(positive(x))),
    "solve": lambda x: np.linalg.solve(positive(x), x),
    "solve, one stack": lambda x: np.linalg.solve(positive(x), x[..., :1]),
    "solve, a vector": lambda x: np.linalg.solve(positive(x), np.ones(x.shape[-2])),
    "cholesky": lambda x: np.linalg.cholesky(positive(x)),
    "qr, Q": lambda x: np.linalg.qr(x).Q,
    "qr, R": lambda x: np.linalg.qr(x).R,
    "qr, complete": lambda x: np.linalg.qr(x, "complete").Q,
    "qr, raw": lambda x: np.linalg.qr(x, "raw")[0],
    "qr, tau": lambda x: np.linalg.qr(x, "raw")[1],
    "svd, U": lambda x: np.linalg.svd(x).U,
    "svd, S": lambda x: np.linalg.svd(x).S,
    "svd, Vh": lambda x: np.linalg.svd(x, full_matrices=False).Vh,
    "svd, Hermitian": lambda x: np.linalg.svd(positive(x), hermitian=True).Vh,
    "svdvals": np.linalg.svdvals,
    "eigh": lambda x: np.linalg.eigh(positive(x)).eigenvectors,
    "eigvalsh": lambda x: np.linalg.eigvalsh(positive(x)),
    "eig": lambda x: np.linalg.eig(positive(x) + 1j).eigenvectors,
    "slogdet": lambda x: np.linalg.slogdet(positive(x)).logabsdet,
    "lstsq": lambda x: np.linalg.lstsq(x[(0,) * (x.ndim - 2)], x[(0,) * (x.ndim - 2)])[0],
    "pinv": np.linalg.pinv,
    "matrix_power": lambda x: np.linalg.matrix_power(positive(x), 3),
    "matrix_power, negative": lambda x: np.linalg.matrix_power(positive(x), -2),
    "cond": np.linalg.cond,
    "matrix_rank": np.linalg.matrix_rank,
    "spectral norm": lambda x: np.linalg.norm(x, 2, axis=(-1, -2)),
}
REDUCTIONS = {
    "sum 0": lambda x: x.sum(0),
    "sum 1": lambda x: x.sum(1),
    "sum -1": lambda x: x.sum(-1),
    "sum 0, kept": lambda x: x.sum(0, keepdims=True),
    "sum 1, kept": lambda x: x.sum(1, keepdims=True),
    "sum in float32": lambda x: x.sum(1, dtype="float32"),
    "sum of a cast": lambda x: x.astype("int8").sum(1),
    "sum under a mask": lambda x: x.sum(1, where=x > 1),
    "sum with a start": lambda x: x.sum(1, initial=3),
    "mean": lambda x: x.mean(0),
    "mean of integers": lambda x: x.astype("int8").mean(1),
    "var": lambda x: x.var(1),
    "var of two axes": lambda x: x.var((0, -1)),
    "std, kept": lambda x: x.std(1, keepdims=True),
    "max": lambda x: x.max(-1),
    "argmax": lambda x: x.argmax(1),
    "argmax, kept": lambda x: np.argmax(x, 1, keepdims=True),
    "any": lambda x: (x > 3).any(1),
    "count_nonzero": lambda x: np.count_nonzero(x, axis=1),
    "ptp": lambda x: np.ptp(x, axis=1),
    "median": lambda x: np.median(x, axis=1),
    "quantile": lambda x: np.quantile(x, [0.2, 0.5], axis=1),
    "quantile under weights": lambda x: np.quantile(x, [0.2, 0.5], axis=1, weights=abs(x) + 1, method="inverted_cdf"),
    "nansum": lambda x: np.nansum(x, axis=1),
    "nanmean": lambda x: np.nanmean(x, axis=1),
    "nanmax": lambda x: np.nanmax(x, 1),
    "average": lambda x: np.average(x, axis=1),
    "trapezoid": lambda x: np.trapezoid(x, axis=0),
}
FAMILIES = [COPIES, ELEMENTWISE, ALONG_AN_AXIS, INDEXING, JOINING, PRODUCTS, FACTORIZATIONS, REDUCTIONS]
ROWS = {name: function for family in FAMILIES for name, function in family.items()}


def significant(y):
    return [y.strides[axis] for axis in range(y.ndim) if y.shape[axis] > 1] if y.size else []


def ravel_is_a_view(y):
    first = (0,) * y.ndim
    changed = not y[first]
    y.ravel()[0] = changed
    return bool(y[first]) == changed


@pytest.mark.parametrize("name", ROWS)
def test_strides_are_numpys(name):
    for description, x in OPERANDS.items():
        try:
            y = ROWS[name](x)
        except (ValueError, IndexError):  # too few elements for this operation
            continue
        lazy_y = ROWS[name](la.asarray(x))
        assert significant(lazy_y) == significant(y), description
        if y.dtype.kind in "fc":  # products are rounded in another order
            np.testing.assert_allclose(lazy_y, y, 1e-12, 1e-12, err_msg=description)
        else:
            np.testing.assert_array_equal(np.asarray(lazy_y), y, description)
        assert significant(lazy_y) == significant(y), description
        if y.size and isinstance(lazy_y, la.LazyArray) and lazy_y.flags.writeable:
            assert ravel_is_a_view(lazy_y) == np.shares_memory(y, y.ravel()), description


def test_einsum_without_a_sum_is_a_view():
    x, lazy_x = np.arange(9.0).reshape(3, 3), la.array(np.arange(9.0).reshape(3, 3))
    for subscripts in ("ii->i", "ij->ji", "ij"):
        np.einsum(subscripts, x)[0] = 7
        np.einsum(subscripts, lazy_x)[0] = 7
        np.testing.assert_array_equal(lazy_x, x)
    np.einsum("ii", x), np.einsum("ii", lazy_x)
    with pytest.raises(ValueError, match="read-only"):
        np.einsum("ij->ji", np.broadcast_to(lazy_x, (3, 3)))[0] = 1


@pytest.mark.parametrize("n", [3, 200])
def test_copies_keep_the_order(n):
    for copied in (copy.copy, copy.deepcopy):
        for view in ("a", "a.T", "a[::2]", "a[:, ::-1]"):
            found, expected = (copied(eval(view, {"a": xp.asfortranarray(xp.ones((n, n)))})) for xp in (la, np))
            assert found.strides == expected.strides, (copied, view)
