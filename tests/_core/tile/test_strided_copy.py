"""Copies between layouts, for any order of axes on either side."""

import itertools

import numpy as np
import pytest

import lazyarr as la

DTYPES = ["i1", "f2", "f4", "f8", "c16", "G"]


def elements(shape, dtype):
    return np.arange(np.prod(shape)).reshape(shape).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_copies_of_permuted_axes(dtype):
    for shape in [(3, 5), (64, 64), (65, 130), (1, 70), (300, 3), (3, 300), (4, 5, 6), (33, 2, 70), (3, 4, 5, 6),
                  (2, 70, 3, 9), (0, 4), (5, 400, 2)]:
        x = elements(shape, dtype)
        for axes in itertools.permutations(range(len(shape))):
            for y in (x.transpose(axes), x[::-1].transpose(axes), x.transpose(axes)[..., ::2]):
                got = la.asarray(y).copy().numpy()
                assert got.flags.c_contiguous
                assert got.tobytes() == y.copy().tobytes()


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_large_copies_on_any_number_of_threads(threads):
    before = la.config.num_threads
    la.config.num_threads = threads
    try:
        for shape, axes in [((1500, 1700), (1, 0)), ((130, 140, 150), (2, 0, 1)), ((130, 140, 150), (1, 0, 2)),
                            ((1000000, 3), (1, 0)), ((3, 1000000), (1, 0))]:
            x = elements(shape, "f4")
            np.testing.assert_array_equal(la.ascontiguousarray(la.asarray(x).transpose(axes)).numpy(),
                                          x.transpose(axes))
    finally:
        la.config.num_threads = before


def test_copies_into_windows():
    x = elements((70, 90), "f8")
    target, lazy = np.zeros((100, 200)), la.zeros((100, 200))
    for key, value in [(np.s_[5:95, 10:80], x.T), (np.s_[::2, ::3], x.T[:50, :67]), (np.s_[:70, 199:19:-2], x),
                       (np.s_[:, :100], target[:, 100:].T[:100, :100].copy()), (np.s_[3:7], 5.0)]:
        target[key] = value
        lazy[key] = la.asarray(value) if isinstance(value, np.ndarray) else value
        np.testing.assert_array_equal(lazy.numpy(), target)
    square = la.array(x[:70, :70])
    square[...] = square.T
    np.testing.assert_array_equal(square.numpy(), x[:70, :70].T)
