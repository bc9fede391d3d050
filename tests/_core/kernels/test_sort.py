"""Sorts: lines in any layout, long lines in parts, bit for bit like NumPy."""

import re

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core import api as core
from support.feature_switches import machine
from support.sample_values import tied

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
                    with machine(threads, 2):
                        core.kernels.sort.fill(out, lines, axis, kind, False)
                    assert out.tobytes() == np.sort(lines, axis, name).tobytes()
                order = np.empty(lines.shape, np.intp)
                with machine(threads, 2):
                    core.kernels.sort.fill(order, lines, axis, 2, True)
                np.testing.assert_array_equal(order, np.argsort(lines, axis, "stable"))


def test_many_threads_share_lines():
    x = np.random.default_rng(0).random((37, 11, 19))
    for axis in range(3):
        for threads in (1, 2, 5, 64):
            out, order = np.empty_like(x), np.empty(x.shape, np.intp)
            with machine(threads, 2):
                core.kernels.sort.fill(out, x, axis, 0, False)
                core.kernels.sort.fill(order, x, axis, 0, True)
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


@pytest.mark.parametrize("name", ["partition", "argpartition"])
@pytest.mark.parametrize("dtype", ["?", "i2", "f2", "f4", "f8", "D", "u8"])
def test_partitions_are_numpys(name, dtype):
    rng = np.random.default_rng(0)
    for shape in ((700,), (40, 30), (3, 50, 4), (1, 70), (70, 1), (0, 4), (4, 0)):
        x = rng.integers(0, 20, shape).astype(dtype)
        if x.dtype.kind in "fc" and x.size > 5:
            x.flat[3::5] = np.nan
        for y in (x, x.T, x[::-1], np.repeat(x, 2, -1)[..., ::2]):
            for axis in (*range(-1, y.ndim), None):
                extent = y.size if axis is None else y.shape[axis]
                for kth in (0, extent // 2, -1, [0, extent - 1]) if extent else ():
                    with machine(3, 256):
                        got = getattr(la, name)(la.asarray(y), kth, axis).numpy()
                    expected = getattr(np, name)(y, kth, axis)
                    assert got.tobytes() == expected.tobytes()
                    assert got.dtype == expected.dtype


def test_pieces_of_lines_on_any_number_of_threads():
    x = np.random.default_rng(0).random((7, 5, 6))
    for threads in (1, 2, 3, 9):
        out = np.empty_like(x)
        with machine(threads, 2):
            core.kernels.partition.fill(out, x, 1, np.array([2]), False)
            np.testing.assert_array_equal(out, np.partition(x, 2, 1))
            with pytest.raises(ValueError, match="out of bounds"):
                core.kernels.partition.fill(out, x, 1, np.array([7]), False)


@pytest.mark.parametrize("name", ["partition", "argpartition"])
def test_a_wrong_partition_raises_what_numpy_raises(name):
    for arguments in ((4,), (0, 2), ([0, -5],), (0, 0, "quick"), (0.5,), (None,), ("a",), (0, "a")):
        with pytest.raises(Exception) as expected:  # noqa: PT011  whatever NumPy raises
            getattr(np, name)(np.ones((3, 4)), *arguments)
        with pytest.raises(type(expected.value), match=re.escape(str(expected.value))):
            getattr(la, name)(la.ones((3, 4)), *arguments).numpy()
