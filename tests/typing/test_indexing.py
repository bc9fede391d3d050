"""Keys, views, and functions that rearrange: the dtype is preserved."""

import numpy as np

import lazyarr as la
from support.typed_arrays import ANY, F32, F64, INT, assert_type, d, i, m, x


def test_keys() -> None:
    assert_type(x[0], F32)
    assert_type(x[0, 1:, None, ...], F32)
    assert_type(x[m], F32)
    assert_type(x[i[0] % 2], F32)
    assert_type(x[[0, 1]], F32)
    assert_type(x[np.array([0, 1])], F32)
    for row in x:
        assert_type(row, F32)


def test_methods() -> None:
    assert_type(x.T, F32)
    assert_type(x.reshape(3, 2).ravel(), F32)
    assert_type(x.transpose(1, 0).copy(), F32)
    assert_type(x.astype(np.float64), F64)
    assert_type(x.astype(float), F64)
    assert_type(x.astype("f8"), ANY)
    assert_type(x.take([0, 1], axis=0), F32)
    assert_type(x.nonzero(), tuple[ANY, ...])


def test_functions() -> None:
    assert_type(la.where(m, x, 0.0), F32)
    assert_type(la.where(m, x, d), F64)
    assert_type(la.where(m), tuple[INT, ...])
    assert_type(la.concatenate([x, x]), F32)
    assert_type(la.stack([x, x], axis=1), F32)
    assert_type(la.split(x, 2), list[F32])
    assert_type(la.sort(x, axis=0), F32)
    assert_type(la.argsort(x), INT)
    assert_type(la.unique(x), F32)
    assert_type(la.transpose(x), F32)
    assert_type(la.expand_dims(x, 0), F32)
    assert_type(la.broadcast_to(x[0], (2, 3)), F32)
    assert_type(la.roll(x, 1), F32)
    assert_type(la.pad(x, 1), F32)
    assert_type(la.tile(x, 2), F32)
    assert_type(la.meshgrid(x[0], x[1]), tuple[F32, ...])
    assert_type(la.shape(x), tuple[int, ...])
