"""The three sums of a convolution and its gradients, by the kernels of `conv`, `winograd` and `conv_packing`.

The arrays are x [batch, n0, ..., channels], w [t0, ..., channels / groups, columns] and y [batch, m0, ..., columns].
Each sum is linear in two of them (no number is conjugated):

    forward     y[i] = sum over t  x[stride * i - before + dilation * t] @ w[t]
    input       x[h] = sum over t, i with stride * i - before + dilation * t = h  of  y[i] @ w[t]^T
    weight      w[t] = sum over i  x[stride * i - before + dilation * t]^T @ y[i]

The kernels take three spatial axes, and dtypes that have tiles; others are computed by NumPy's products.
"""
import contextlib
import functools
import itertools
import math
import operator

import numpy as np

from lazyarr._core.kernels import conv
from lazyarr._core.kernels.conv_packing import cheapest, join, joined_results, joined_weights

_TILED = frozenset(map(np.dtype, ("float32", "float64", "complex64", "complex128", "int32", "int64")))
_BY_CHANNEL = frozenset([dtype for dtype in _TILED if dtype.kind != "c"])
_ALL = slice(None)


def cost(dtype, shape, a, b, sums, windows, groups):
    """Return the estimated time of a sum on one thread in ns, tap by tap; other algorithms are faster."""
    positions, (*taps, channels, columns) = (b, shape) if sums == "weight" else (shape, b)
    *positions, _ = positions
    terms = math.prod(positions) * math.prod(taps)
    columns //= groups
    if sums == "input":  # each element is under one of `stride` taps
        terms /= math.prod(windows.stride)
        channels, columns = columns, channels
    if groups > 1 and channels == columns == 1:
        return conv.cost(dtype, terms, 1, groups, True)
    return groups * conv.cost(dtype, terms, channels, columns, False)


def can_join(dtype, a, b, sums, windows, groups):
    """Return whether neighbours along the last spatial axis can be packed, for arrays with the shapes a and b."""
    if sums == "weight" or groups > 1 or dtype not in _TILED or 0 in a + b:
        return False
    windows, (*_, channels, columns) = _of_three_axes(windows), b
    along = windows.positions
    if sums == "input":
        along, channels, columns = windows.extent, columns, channels
    found = cheapest((a[0], *along, columns), (*windows.taps, channels, columns), dtype.itemsize,
                     _extents_to_join(sums, windows))
    return found is not None and found.together > 1


@functools.lru_cache(1024)
def _of_three_axes(windows):
    missing = 3 - len(windows.extent)
    fillers = 1, 1, 1, 0, 1, 1
    return windows._make([(filler,) * missing + along for filler, along in zip(fillers, windows, strict=True)])


def fill(out, a, b, sums, windows, groups):
    """Fill `out` with one of the sums of a and b; return the status flags.

    Parameters
    ----------
    out, a, b : numpy.ndarray
        One is weights, the others have a batch; a is x or y, b is the other or w.
    sums : {"forward", "input", "weight"}
    windows : Windows
    groups : int
    """
    makes_weights, total, windows = sums == "weight", _SUMS[sums], _of_three_axes(windows)
    out, a, b = _with_axes(out, not makes_weights), _with_axes(a, True), _with_axes(b, makes_weights)
    depthwise = groups > 1 and (out if makes_weights else b).shape[3:] == (1, groups) and out.dtype in _BY_CHANNEL
    a, b = _readable(a, out.dtype, False), _readable(b, out.dtype, not makes_weights and not depthwise)
    if not out.size:
        return 0
    if depthwise and makes_weights:
        return total(out[..., 0, :], a, b, windows)
    if depthwise:
        return total(out, a, b[..., 0, :], windows)
    if groups == 1:
        return total(out, a, b, windows)
    return _any([total(*[_part(array, group, groups) for array in (out, a, b)], windows)
                 for group in range(groups)])


def _any(flags):
    """Return all status flags raised anywhere."""
    return functools.reduce(operator.or_, flags, 0)


def _with_axes(array, batched):
    """Extend to three spatial axes."""
    return array[(*[_ALL] * batched, *[None] * (5 - array.ndim))]


def _readable(array, dtype, weights):
    """Return an aligned array for kernels; all but weights contiguous along the last axis."""
    array, last = array.view(dtype), array.ndim - 1  # C has two names for the same integer type
    if array.flags.aligned and (weights or array.strides[last] == array.itemsize or array.shape[last] <= 1):
        return array
    return np.array(array, order="C")


def _part(array, group, groups):
    size = array.shape[array.ndim - 1] // groups
    return array[..., group * size:(group + 1) * size]


# ---- sums ----------------------------------------------------------------------------------------------


def _forward(out, x, w, windows):
    stride, dilation, first = windows.stride, windows.dilation, tuple([-n for n in windows.before])
    joined = _join(out, w, _extents_to_join("forward", windows))
    if joined is None:
        return _correlate(out, x, w, stride, first, dilation, out)

    def phases(axis, begin):
        return [(_ALL, _ALL, first[axis] + begin * stride[axis], dilation[axis])]

    return _sum_joined(out, x, w, stride, phases, joined)


def _for_input(out, y, w, windows):
    """Compute the input gradient: elements one stride apart share taps, and form a correlation with y."""
    w = w if w.ndim == 4 else w.swapaxes(3, 4)
    axes = list(zip(windows.extent, windows.taps, windows.stride, windows.before, windows.dilation, strict=True))

    def phases(axis, begin):
        extent, taps, stride, before, dilation = axes[axis]
        return list(phases_along(extent - begin, taps, stride, before + begin, dilation))

    found = [phases(axis, 0) for axis in range(3)]
    if any(len(found[axis]) < min(windows.stride[axis], windows.extent[axis]) for axis in range(3)):
        out[...] = 0  # some elements are under no tap
    joined = _join(out, w, _extents_to_join("input", windows))
    if joined is None:
        return _any(_sum_phase(out, y, w, (1, 1, 1), some, out) for some in itertools.product(*found))
    return _sum_joined(out, y, w, (1, 1, 1), phases, joined)


def _sum_joined(out, x, w, stride, phases, joined):
    """Compute one correlation per phase along each axis, with neighbours along the last axis packed.

    phases(axis, begin) are those of an axis from position `begin` on: elements of the result, their taps, first pixel,
    dilation.
    """
    outer, inner = list(itertools.product(phases(0, 0), phases(1, 0))), phases(2, 0)
    left = out[:, :, :, joined.whole:]
    flags = _any(_sum_phase(left, x, w, stride, (*some, along)) for some in outer for along in phases(2, joined.whole))
    results, weights = joined_results(out, joined), joined_weights(w, joined)
    for some in outer:
        elements, over, first, apart = zip(*some, strict=True)
        lines = out[(_ALL, *elements)]
        doubtful = _no_lines(lines)
        flags |= _correlate(results[(_ALL, *elements)], x, weights[over], (*stride[:2], joined.step),
                            (*first, joined.first), (*apart, 1), out, doubtful)
        for part, start in conv.marked(doubtful, stride, (*first, 0)):
            again = [(_ALL, taps, begin, step) for taps, begin, step in zip(over, start, apart, strict=False)]
            flags |= _any(_sum_phase(lines[part], x[part[:1]], w, stride, (*again, along)) for along in inner)
    return flags


def _sum_phase(out, x, w, stride, phases, complete=None):
    """Compute the correlation of one phase along each axis; hand over `complete` if the last axis has only one."""
    elements, over, first, apart = zip(*phases, strict=True)
    results = out[(_ALL, *elements)]
    return _correlate(results, x, w[over], stride, first, apart,
                      complete if results.shape[3] == out.shape[3] else None)


def _no_lines(out):
    """Return a mark per line of results that may not be finite; None for integers."""
    return np.zeros(out.shape[:3], bool) if out.dtype.kind in "fc" else None


def _extents_to_join(sums, windows):
    """Return the `extents` argument of `join`."""
    stride, before, dilation = windows.stride[2], windows.before[2], windows.dilation[2]
    return (stride, 1, -before, dilation) if sums == "forward" else (1, stride, before, -dilation)


def _join(out, w, extents):
    """Return how to pack neighbours along the last axis; None if that is not possible."""
    return join(out, w, extents) if w.ndim == 5 and w.size and out.dtype in _TILED else None


def phases_along(extent, taps, stride, before, dilation):
    """Return the correlations along an axis: elements, their taps from last to first, first pixel, dilation.

    Element h is under tap t of window (h + before - dilation * t) / stride, if that is an integer. Elements under no
    tap are left out.
    """
    common = math.gcd(stride, dilation)
    step = stride // common
    inverse = pow(dilation // common, -1, step)
    for phase in range(min(stride, extent)):
        place, rest = divmod(phase + before, common)
        tap = place * inverse % step
        if rest or tap >= taps:
            continue
        last = tap + (taps - 1 - tap) // step * step
        yield (slice(phase, None, stride), slice(last, None, -step), (phase + before - last * dilation) // stride,
               dilation // common)


def _for_weights(out, x, y, windows):
    first = tuple([-n for n in windows.before])
    if y.size == 0:
        out[...] = 0
        return 0
    if out.dtype in _TILED:
        return conv.weight_gradient(out, x, y, windows.stride, first, windows.dilation)
    with _capture_flags() as flags:
        for tap, under in _under_taps(x, out, y, windows.stride, first, windows.dilation):
            out[tap] = np.tensordot(under, y, ([0, 1, 2, 3], [0, 1, 2, 3]))
    return _any(flags)


def _correlate(out, x, w, stride, first, dilation, complete=None, doubtful=None):
    """Fill `out` with sums of products over windows of x; return the status flags. See `conv.correlate`."""
    if w.size == 0:
        out[...] = 0
        return 0
    if out.size == 0:
        return 0
    if out.dtype in _TILED:
        return conv.correlate(out, x, w, stride, first, dilation, complete, doubtful)
    out[...] = 0
    with _capture_flags() as flags:
        for tap, under in _under_taps(x, w, out, stride, first, dilation):
            out += under @ w[tap]
    return _any(flags)


# ---- by NumPy's products, for dtypes without tiles ------------------------------------------------------


def _under_taps(x, w, y, stride, first, dilation):
    """Yield for each tap its index, and the elements under it at the positions of y, including zeros around x."""
    reach = [(n - 1) * s + (t - 1) * d + 1
             for n, s, t, d in zip(y.shape[1:4], stride, w.shape[:3], dilation, strict=True)]
    around = np.zeros((len(x), *reach, x.shape[4]), x.dtype)
    met = [(slice(max(-f, 0), max(n - f, 0)), slice(max(f, 0), max(f + r, 0)))
           for f, n, r in zip(first, x.shape[1:4], reach, strict=True)]
    inside, seen = zip(*met, strict=True)
    around[(_ALL, *inside)] = x[(_ALL, *seen)]
    for tap in np.ndindex(w.shape[:3]):
        yield tap, around[(_ALL, *[slice(t * d, t * d + (n - 1) * s + 1, s)
                                   for t, d, n, s in zip(tap, dilation, y.shape[1:4], stride, strict=True)])]


@contextlib.contextmanager
def _capture_flags():
    """Collect status flags instead of warning."""
    flags = []
    with np.errstate(all="call", call=lambda _, bits: flags.append(bits)):
        yield flags


_SUMS = {"forward": _forward, "input": _for_input, "weight": _for_weights}
