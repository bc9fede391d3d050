"""Sorting: lines in any layout, long lines in parts, bit for bit as NumPy sorts them."""

import numpy as np
import pytest
from values import tied

import lazyarr as la
from lazyarr._core import api as core

DTYPES = "?bBhHiIlLefdgFDG"
KINDS = (None, "quicksort", "heapsort", "mergesort", "stable")


def layouts(x):
    yield x
    yield np.asfortranarray(x)
    yield x[..., ::-1]
    yield np.repeat(x, 2, axis=0)[::2]


def assert_same(got, expected):
    got = got.numpy()
    assert got.dtype == expected.dtype
    assert got.shape == expected.shape
    assert got.flags.c_contiguous == expected.flags.c_contiguous
    assert got.tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
def test_sort_and_argsort_along_every_axis(dtype):
    rng = np.random.default_rng(0)
    for shape in [(7,), (5, 300), (300, 5), (70, 3, 33), (2, 1, 65), (0, 3), (3, 0)]:
        for x in layouts(tied(rng, shape, dtype)):
            for axis in (*range(-1, x.ndim), None):
                for kind in KINDS:
                    assert_same(la.sort(la.asarray(x), axis, kind), np.sort(x, axis, kind))
                    assert_same(la.argsort(la.asarray(x), axis, kind), np.argsort(x, axis, kind))


@pytest.mark.parametrize("threads", [2, 3, 7])
@pytest.mark.parametrize("dtype", "iIlLfd")
def test_long_lines_are_merged(dtype, threads):
    rng = np.random.default_rng(threads)
    for distinct in (3, 10**9):
        for plain in (True, False):
            x = tied(rng, (66000, 2), dtype, distinct)
            if plain and x.dtype.kind == "f":
                x = np.where(np.isnan(x) | (x == 0), 0, x).astype(dtype)
            for lines, axis in ((np.ascontiguousarray(x.T), 1), (x, 0)):
                for kind, name in ((0, "quicksort"), (2, "stable")):
                    out = np.empty_like(lines)
                    core.sort_lines(out, lines, axis, kind, threads)
                    assert out.tobytes() == np.sort(lines, axis, name).tobytes()
                order = np.empty(lines.shape, np.intp)
                core.argsort_lines(order, lines, axis, 2, threads)
                np.testing.assert_array_equal(order, np.argsort(lines, axis, "stable"))


def test_many_threads_share_lines():
    x = np.random.default_rng(0).random((37, 11, 19))
    for axis in range(3):
        for threads in (1, 2, 5, 64):
            out, order = np.empty_like(x), np.empty(x.shape, np.intp)
            core.sort_lines(out, x, axis, 0, threads)
            core.argsort_lines(order, x, axis, 0, threads)
            np.testing.assert_array_equal(out, np.sort(x, axis))
            np.testing.assert_array_equal(order, np.argsort(x, axis))


def test_sorting_joins_the_graph():
    x = np.random.default_rng(0).random((30, 40))
    lazy = la.asarray(x)
    with la.no_evaluation():
        y = la.sort(lazy * -1, axis=0)[::2] + 1
    np.testing.assert_array_equal(y.numpy(), np.sort(x * -1, axis=0)[::2] + 1)
    z = la.array(x)
    z[:, ::2].sort(0)
    x[:, ::2].sort(0)
    np.testing.assert_array_equal(z.numpy(), x)


@pytest.mark.parametrize("options", [{"kind": "fast"}, {"kind": 3}, {"kind": "stable", "stable": True}, {"axis": 2},
                                     {"axis": 1.5}, {"order": "f"}])
def test_wrong_arguments(options):
    x = np.ones((2, 3))
    for function in ("sort", "argsort"):
        with pytest.raises(Exception) as expected:  # noqa: PT011  whatever NumPy raises
            getattr(np, function)(x, **options)
        with pytest.raises(type(expected.value)):
            getattr(la, function)(la.asarray(x), **options)
