"""Random convolutions: shapes, settings in every form that users may pass, dtypes and layouts."""

import contextlib
from typing import NamedTuple

import hypothesis.strategies as st
import numpy as np

from lazyarr._core.kernels import gemm
from support import sample_values

LAYOUTS = ("C", "F", "reversed", "strided", "broadcast", "misaligned", "swapped", "rows apart", "read-only")
NATIVE = ("float32", "float64", "complex64", "complex128")


class Problem(NamedTuple):
    """A convolution without data."""

    x: tuple
    w: tuple
    given: dict      # keywords as a user passes them
    settings: tuple  # stride, pads, dilation as the reference expects them
    groups: int
    y: tuple         # shape of the result
    layouts: tuple
    width: int       # of vectors, in bits
    seed: int

    @property
    def ndim(self):
        """Number of spatial axes."""
        return len(self.x) - 2

    def array(self, shape, dtype, number=0):
        """Return data in one of the problem's layouts."""
        return laid_out(data(dtype, shape, self.seed + number), self.layouts[number])


def data(dtype, shape, seed):
    """Return integers from the whole range of the dtype, or normally distributed numbers."""
    rng, dtype = np.random.default_rng(seed), np.dtype(dtype)
    if dtype.kind == "b":
        return rng.random(shape) < 0.2
    if dtype.kind in "iu":
        return rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, shape, dtype, endpoint=True)
    made = rng.standard_normal(shape).astype(dtype)
    return made + 1j * rng.standard_normal(shape).astype(made.real.dtype) if dtype.kind == "c" else made


def laid_out(x, layout):
    """Return an array with this layout and, unless it is broadcast, the values of x."""
    if layout == "F":
        return np.asfortranarray(x)
    if layout == "reversed":
        return np.ascontiguousarray(np.flip(x, (-1, -2)[:x.ndim]))[(..., *[slice(None, None, -1)] * min(x.ndim, 2))]
    if layout == "broadcast":
        return np.broadcast_to(x[..., :1, :] if x.ndim > 1 else x[:1], x.shape)
    if layout == "read-only":
        x = x.copy()
        x.flags.writeable = False
        return x
    if layout == "misaligned":
        room = np.zeros(x.nbytes + 1, np.uint8)
        made = room[1:].view(x.dtype).reshape(x.shape)
    elif layout == "strided":
        made = np.zeros([2 * n for n in x.shape], x.dtype)[tuple(slice(0, 2 * n, 2) for n in x.shape)]
    elif layout == "rows apart" and x.ndim:
        made = np.zeros((*x.shape[:-1], x.shape[-1] + 3), x.dtype)[..., 1:-2]
    elif layout == "swapped":
        made = np.zeros(x.shape, x.dtype.newbyteorder())
    else:
        return x
    made[...] = x
    return made


@st.composite
def settings(draw, extents, taps):
    """Draw stride, padding and dilation as passed, and stride, pads and dilation in full; the windows fit."""
    ndim = len(extents)
    sizes = st.integers(1, 4) | st.tuples(*[st.integers(1, 4)] * ndim) | st.just(1)
    stride, dilation = draw(sizes), draw(sizes)
    strides, dilations = [(n,) * ndim if isinstance(n, int) else n for n in (stride, dilation)]
    reaches = [(t - 1) * d + 1 for t, d in zip(taps, dilations, strict=True)]
    lacks = [max(r - n, 0) for r, n in zip(reaches, extents, strict=True)]
    kind = draw(st.sampled_from(("same", "valid", "one", "each", "pairs")))
    if kind == "same":
        totals = [max((-(-n // s) - 1) * s + r - n, 0) for n, s, r in zip(extents, strides, reaches, strict=True)]
        padding, pads = "same", [(n // 2, n - n // 2) for n in totals]
    elif kind == "valid" and not any(lacks):
        padding, pads = "valid", [(0, 0)] * ndim
    elif kind == "one" or kind == "valid":
        padding = -(-max(lacks) // 2) + draw(st.integers(0, 3))
        pads = [(padding, padding)] * ndim
    elif kind == "each":
        padding = [-(-n // 2) + draw(st.integers(0, 3)) for n in lacks]
        pads = [(n, n) for n in padding]
    else:
        before = [draw(st.integers(0, 5)) for _ in lacks]
        padding = pads = [(b, max(n - b, 0) + draw(st.integers(0, 2))) for n, b in zip(lacks, before, strict=True)]
    return {"stride": stride, "padding": padding, "dilation": dilation}, (strides, pads, dilations)


@st.composite
def problems(draw):
    """Return a Problem of one to three spatial axes, mostly without empty axes."""
    ndim = draw(st.integers(1, 3))
    extents = draw(st.tuples(*[st.integers(1, (20, 10, 6)[ndim - 1])] * ndim))
    taps = draw(st.tuples(*[st.integers(1, (7, 4, 3)[ndim - 1])] * ndim))
    given, full = draw(settings(extents, taps))
    groups = draw(st.sampled_from((1, 1, 1, 2, 3)))
    widths = st.integers(1, 5) | st.sampled_from((0, 8, 16, 17, 33))
    channels, columns = draw(widths), draw(widths)
    batch = draw(st.sampled_from((1, 1, 2, 3, 0)))
    strides, pads, dilations = full
    count = tuple((n + sum(pad) - (t - 1) * d - 1) // s + 1
                  for n, t, s, pad, d in zip(extents, taps, strides, pads, dilations, strict=True))
    return Problem((batch, *extents, channels * groups), (*taps, channels, columns * groups), given, full, groups,
                   (batch, *count, columns * groups), draw(st.tuples(*[st.sampled_from(LAYOUTS)] * 2)),
                   draw(st.integers(0, 2)), draw(st.integers(0, 1000)))


@contextlib.contextmanager
def vectors(width):
    """Run the kernels with vectors of 128, 256 or 512 bits."""
    before = gemm.set_width(width)
    try:
        yield
    finally:
        gemm.set_width(before)


def check(got, operation, *operands):
    """Compare a lazy result with the reference: exactly for bools and integers, else relative to the summands.

    Parameters
    ----------
    got : LazyArray
    operation : callable
        The reference, of ndarrays.
    operands : numpy.ndarray
        If one is broadcast, sums have equal terms, whose rounding errors may all have one sign.
    """
    dtype = np.result_type(*operands)
    wide = np.promote_types(dtype, np.float64) if dtype.kind in "fc" else dtype
    expected = operation(*[x.astype(wide) for x in operands])
    assert got.dtype == dtype
    assert got.shape == expected.shape
    got = np.asarray(got)
    if dtype.kind not in "fc":
        assert np.array_equal(got, expected)
        return
    size = operation(*[np.abs(x.astype(wide)) for x in operands])
    steps = operation(*[np.ones_like(x, float) for x in operands]) if any(0 in x.strides for x in operands) else 0
    bound = np.maximum(4, steps) * np.finfo(dtype).eps * size + np.finfo(dtype).smallest_subnormal
    error = np.abs(got - expected)
    assert (error <= bound).all(), f"{np.nanmax(error / bound)} times the bound"


def near(got, expected):
    """Return whether both agree up to the rounding of a few sums."""
    return sample_values.near_values(np.asarray(got), np.asarray(expected)).all()
