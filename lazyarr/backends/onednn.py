"""oneDNN's backends: float32 matrix products and convolutions.

Primitives depend on shapes, layouts and the number of threads, and are slow to create, so recently used ones are
cached. Infinities and NaN may spread otherwise than in plain sums, as padding zeros are no terms there.
"""
from __future__ import annotations

import functools
from math import isfinite
from typing import Any

import numpy as np

from lazyarr._core.host import threads
from lazyarr.backends import libdnnl
from lazyarr.backends.table import Backend, Operand, add, needs

NAME = "onednn"
_KEPT = 256  # primitives of each kind
_OVERFLOW, _INVALID = 2, 8  # NumPy's floating-point flags

Ints = tuple[int, ...]


def _is_of_floats(*operands: Operand) -> bool:
    return libdnnl.path() is not None and all(
        x.dtype == np.float32 and x.size > 0 and 0 < x.ndim <= libdnnl.MOST_AXES and max(x.shape) < libdnnl.MOST
        for x in operands)


def _flags(made: np.ndarray, *operands: np.ndarray) -> int:
    """Return the floating-point flags that a result implies; those raised in oneDNN's threads are lost."""
    with np.errstate(all="ignore"):
        if isfinite(made.sum()) or np.isfinite(made).all():
            return 0
        if all(np.isfinite(x).all() for x in operands):
            return _OVERFLOW | (_INVALID if np.isnan(made).any() else 0)
        return _INVALID if np.isnan(made).any() and not any(np.isnan(x).any() for x in operands) else 0


def _dense(x: np.ndarray) -> np.ndarray:
    """Return the array, or a copy if it is not C-contiguous."""
    return np.require(x, requirements=("C", "A"))


def _to_fill(out: np.ndarray) -> np.ndarray:
    """Return C-contiguous memory for a result: its own if possible."""
    return out if out.flags.carray else np.empty(out.shape, np.float32)


# ---- products ------------------------------------------------------------------------------------------


def _is_product(a: Operand, b: Operand, **attributes: Any) -> bool:
    return not attributes and _is_of_floats(a, b) and max(a.ndim, b.ndim) > 1


def _multiply(a: np.ndarray, b: np.ndarray, out: np.ndarray | None) -> Any:
    """Compute the product; operands in a layout that is slow in oneDNN are copied.

    With `out`, flags are returned; NumPy repeats a product that raised some, and reports them.
    """
    whole = a, b
    shape = (*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), *a.shape[-2:-1], *b.shape[1:][-1:])
    a, b = np.atleast_2d(a), b if b.ndim > 1 else b[:, None]
    if b.ndim == 2 and a.ndim > 2:  # one product of matrices
        a = _dense(a).reshape(-1, a.shape[-1])
    axes = max(a.ndim, b.ndim)
    a, b = [_strided(x[(None,) * (axes - x.ndim)]) for x in (a, b)]
    stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    made = np.empty(shape, np.float32) if out is None else _to_fill(out)
    count = threads.get_free_threads()
    with libdnnl.team(count):
        _product((*stack, a.shape[-2], b.shape[-1]), a.shape, _strides(a), b.shape, _strides(b), count).run(a, b, made)
    flags = _flags(made, a, b)
    if out is None:
        return np.matmul(*whole) if flags else made
    if made is not out:
        out[...] = made
    return flags


@functools.lru_cache(_KEPT)
def _product(shape: Ints, a: Ints, a_strides: Ints, b: Ints, b_strides: Ints, count: int) -> libdnnl.Primitive:
    """Return the primitive of a product with a C-contiguous result."""
    return libdnnl.Primitive(
        libdnnl.described("matmul", libdnnl.engine(), libdnnl.layout(a, a_strides), libdnnl.layout(b, b_strides), None,
                          libdnnl.layout(shape, _in_order(shape))),
        libdnnl.SOURCE, libdnnl.WEIGHTS, libdnnl.RESULT)


def _strided(x: np.ndarray) -> np.ndarray:
    """Return the array if one axis of its matrices is contiguous and no elements overlap, else a copy in C order."""
    least, inner = 1, False
    for step, n, axis in sorted((step, n, axis) for axis, (step, n) in enumerate(zip(x.strides, x.shape, strict=True))):
        if n > 1:
            if step < 4 * least or step % 4:
                return np.array(x, order="C")
            inner |= step == 4 and axis >= x.ndim - 2
            least = step // 4 * n
    return x if x.flags.aligned and (inner or least == 1) else np.array(x, order="C")


def _strides(x: np.ndarray) -> Ints:
    """Return strides in elements, with axes of length 1 as the outermost: NumPy's strides are arbitrary there."""
    far = max([step // 4 * n for step, n in zip(x.strides, x.shape, strict=True) if n > 1], default=1)
    return tuple([step // 4 if n > 1 else far for step, n in zip(x.strides, x.shape, strict=True)])


def _in_order(shape: Ints, order: Ints | None = None) -> Ints:
    """Return the strides of a dense array with its axes in this order, from the outermost to the innermost."""
    strides, step = [0] * len(shape), 1
    for axis in reversed(range(len(shape)) if order is None else order):
        strides[axis] = step
        step *= shape[axis]
    return tuple(strides)


# ---- convolutions --------------------------------------------------------------------------------------


def _is_convolution(a: Operand, b: Operand, sums: str, windows: Any, groups: int) -> bool:
    along = [(*numbers, _after(*numbers)) for numbers in zip(*windows, strict=True)]
    return (_is_of_floats(a, b) and min(*windows.extent, *windows.positions) > 0
            and all(numbers[-1] >= 0 and max(numbers) < libdnnl.MOST for numbers in along))


def _after(extent: int, taps: int, stride: int, before: int, dilation: int, positions: int) -> int:
    """Return the padding after an axis; -1 if there would be more windows, which oneDNN refuses."""
    reach = (taps - 1) * dilation + 1
    after = max((positions - 1) * stride + reach - before - extent, 0)
    return after if (before + extent + after - reach) // stride + 1 == positions else -1


def _convolve(a: np.ndarray, b: np.ndarray, sums: str, windows: Any, groups: int, out: np.ndarray) -> int:
    """Compute one of the three sums of a and b (`_core/kernels/conv_sums.pyx`)."""
    made, a, b = _to_fill(out), _dense(a), _dense(b)
    count = threads.get_free_threads()
    x, w, y = {"forward": (a, b, made), "input": (made, b, a), "weight": (a, made, b)}[sums]
    with libdnnl.team(count):
        _convolution(sums, x.shape, w.shape, y.shape, windows, groups, count).run(x, w, y)
    if made is not out:
        out[...] = made
    return _flags(made, a, b)


class _Convolution:
    """The primitive of a sum. It chooses the layout of weights, which are converted before or after it.

    It is created for the current team of `count` threads.
    """

    def __init__(self, sums: str, x: Ints, w: Ints, y: Ints, windows: Any, groups: int, count: int) -> None:
        self._makes_weights = sums == "weight"
        pixels, positions = _with_channels_second(x), _with_channels_second(y)
        shape, strides = _by_group(w, groups)
        weights, engine = libdnnl.layout(shape), libdnnl.engine()
        settings = [libdnnl.in_c(numbers) for numbers in (
            windows.stride, tuple([n - 1 for n in windows.dilation]), windows.before,
            tuple([_after(*along) for along in zip(*windows, strict=True)]))]
        forward = libdnnl.described("convolution_forward", engine, libdnnl.FORWARD, libdnnl.DIRECT, pixels, weights,
                                    None, positions, *settings)
        roles, description = (libdnnl.SOURCE, libdnnl.WEIGHTS, libdnnl.RESULT), forward
        if sums == "input":
            roles = libdnnl.SOURCE_GRADIENT, libdnnl.WEIGHTS, libdnnl.RESULT_GRADIENT
            description = libdnnl.described("convolution_backward_data", engine, libdnnl.DIRECT, pixels, weights,
                                            positions, *settings, forward)
        elif sums == "weight":
            roles = libdnnl.SOURCE, libdnnl.WEIGHTS_GRADIENT, libdnnl.RESULT_GRADIENT
            description = libdnnl.described("convolution_backward_weights", engine, libdnnl.DIRECT, pixels, weights,
                                            None, positions, *settings, forward)
        self._sum = libdnnl.Primitive(description, *roles)
        ours, its = libdnnl.layout(shape, strides), self._sum.layout(roles[1])
        self._convert = libdnnl.converter(*((its, ours) if self._makes_weights else (ours, its)))
        self._nbytes = self._sum.nbytes(roles[1])

    def run(self, x: np.ndarray, w: np.ndarray, y: np.ndarray) -> None:
        """Run it on the arrays, one of which it fills."""
        if self._convert is None:
            self._sum.run(x, w, y)
            return
        converted = np.empty(self._nbytes, np.uint8)
        if self._makes_weights:
            self._sum.run(x, converted, y)
            self._convert.run(converted, w)
        else:
            self._convert.run(w, converted)
            self._sum.run(x, converted, y)


_convolution = functools.lru_cache(_KEPT)(_Convolution)


def _with_channels_second(shape: Ints) -> libdnnl.Made:
    """Return the layout of an array [batch, n0, ..., channels] in oneDNN's order of axes."""
    batch, *extents, channels = shape
    axes = len(shape)
    return libdnnl.layout((batch, channels, *extents), _in_order((batch, channels, *extents), (0, *range(2, axes), 1)))


def _by_group(shape: Ints, groups: int) -> tuple[Ints, Ints]:
    """Return shape and strides of weights [t0, ..., channels / groups, columns] in oneDNN's order of axes."""
    *taps, channels, columns = shape
    *steps, step, _ = _in_order(shape)
    made, strides = (columns // groups, channels, *taps), (1, step, *steps)
    return ((groups, *made), (columns // groups, *strides)) if groups > 1 else (made, strides)


needs(NAME, libdnnl.check_installed)
for _name in ("matmul", "dot"):
    add(Backend(_name, NAME, _multiply, _is_product, out=True))
for _ndim in (1, 2, 3):
    for _name in (f"conv{_ndim}d", f"conv{_ndim}d_input", f"conv{_ndim}d_weight", f"conv_transpose{_ndim}d"):
        add(Backend(_name, NAME, _convolve, _is_convolution, out=True))
