"""Calls on up to 2**18 elements that run eagerly, as there is nothing to fuse: NumPy's bits and floating-point errors.
"""

import numpy as np
import pytest

import lazyarr.numpy as xp


def same(got, want):
    got = np.asarray(got)
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    assert got.flags.c_contiguous == want.flags.c_contiguous
    assert got.flags.f_contiguous == want.flags.f_contiguous
    assert got.tobytes() == want.tobytes()


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16", "i1", "u4", "i8", "?"])
@pytest.mark.parametrize("rows, columns", [(300, 316), (2000, 32), (2000, 31), (3, 80_000)])
def test_outer(dtype, rows, columns):
    draw = np.random.default_rng(1)
    a, b = ((draw.random(n) * 100).astype(dtype) for n in (2 * rows, columns))
    same(xp.outer(xp.array(a)[::-2], xp.array(b)), np.outer(a[::-2], b))
    same(xp.outer(xp.array(a)[::2], xp.array(b)[::-1]), np.outer(a[::2], b[::-1]))


def test_outer_reports_what_overflows():
    a = np.full(400, 1e200)
    with pytest.warns(RuntimeWarning, match="overflow encountered in multiply"):
        xp.outer(xp.array(a), xp.array(a))
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        xp.outer(xp.array(a), xp.array(a))


@pytest.mark.parametrize("n", [16_385, 100_000, 131_071])
@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
def test_transform_of_a_line(n, norm):
    draw = np.random.default_rng(n)
    x, z = draw.random(n), draw.random(n) + 1j * draw.random(n)
    for name, line in (("rfft", x), ("irfft", z), ("fft", z), ("ifft", z)):
        want = getattr(np.fft, name)(line, norm=norm)
        same(getattr(xp.fft, name)(xp.array(line), norm=norm), want)
        same(getattr(xp.fft, name)(xp.array(line)[::-1], n - 5, norm=norm),
             getattr(np.fft, name)(line[::-1], n - 5, norm=norm))


@pytest.mark.parametrize("subscripts, shapes", [
    ("ij,j->i", [(3, 4), (4,)]), ("ij,ij", [(3, 4), (3, 4)]), ("aB,Bc,cd->ad", [(2, 3), (3, 4), (4, 5)]),
    ("ii", [(3, 3)]), ("i,j->ij", [(0,), (3,)]), ("ij->ji", [(1, 3)]), ("ij->ji", [(2, 3)])])
def test_small_einsum(subscripts, shapes):
    draw = np.random.default_rng(1)
    operands = [draw.random(shape) for shape in shapes]
    same(xp.einsum(subscripts, *map(xp.array, operands)), np.einsum(subscripts, *operands))
