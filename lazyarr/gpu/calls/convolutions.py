"""Convolutions and their gradients as contractions, without copying windows.

The sums are those of `_core/kernels/conv_sums.pyx`. Rows are window positions, columns those of the weights, and terms
are taps and channels. For the gradient of the weights, rows are taps and channels, and terms are window positions. The
gradient of the input is again a convolution, for each phase of the stride.
"""

import itertools
from collections.abc import Sequence
from operator import mul
from typing import Any

from lazyarr._core import api as core
from lazyarr._core.runtime.device_call import Call, Operand
from lazyarr.gpu.calls.contractions import Axis, Contraction, Window
from lazyarr.ops.convolution import Convolution


def is_convolution(call: Call) -> bool:
    """Return whether a call is one of the sums."""
    return isinstance(call.function, Convolution)


def convolution(sums: str, windows: Any, groups: int, a: Operand, b: Operand, c: Operand) -> list[Contraction]:
    """Return the contractions that compute one of the sums, in order.

    Parameters
    ----------
    sums : {"forward", "input", "weight"}
    windows : lazyarr.ops.windows.Windows
    groups : int
    a, b, c : Operand
        The operands and the result.
    """
    steps = list(zip(windows.stride, windows.dilation, strict=True))
    first = [-before for before in windows.before]
    if sums == "forward":
        return [_correlation(a, b, c, groups, steps, first, is_transposed=False)]
    if sums == "weight":
        return [_weights(a, b, c, groups, steps, first)]
    axes = list(zip(windows.extent, windows.taps, windows.stride, windows.before, windows.dilation, strict=True))
    found = [list(core.kernels.conv_sums.phases_along(*axis)) for axis in axes]
    made = [_phase(a, b, c, groups, along) for along in itertools.product(*found)]
    if any(len(some) < min(windows.stride[axis], windows.extent[axis]) for axis, some in enumerate(found)):
        made.insert(0, _zeros(a, b, c))  # some elements are under no tap
    return made


def _correlation(x: Operand, w: Operand, y: Operand, groups: int, steps: Sequence[tuple[int, int]],
                 first: Sequence[int], is_transposed: bool) -> Contraction:  # fmt: skip
    """Return the correlation of x with w; `is_transposed` sums over the columns of w instead.

    Along an axis, window i has tap t at stride * i + first + dilation * t, of steps (stride, dilation).
    """
    count, channels, columns = len(steps), x.shape[-1] // groups, y.shape[-1] // groups
    by_channel, by_column = w.strides[:-3:-1] if is_transposed else w.strides[-2:]
    per_group = (channels if is_transposed else columns) * w.strides[-1]
    batch = [Axis(groups, channels * x.strides[-1], per_group, columns * y.strides[-1])]
    rows = [Axis(y.shape[0], a=x.strides[0], c=y.strides[0], steps=(0,) * count)]
    terms = []
    for axis, (stride, dilation) in enumerate(steps):
        along = x.strides[1 + axis]
        rows.append(Axis(y.shape[1 + axis], a=stride * along, c=y.strides[1 + axis], steps=_only(axis, stride, count)))
        terms.append(Axis(w.shape[axis], a=dilation * along, b=w.strides[axis], steps=_only(axis, dilation, count)))
    terms.append(Axis(channels, a=x.strides[-1], b=by_channel, steps=(0,) * count))
    return Contraction((_from(x, first), w, y), batch, rows, [Axis(columns, b=by_column, c=y.strides[-1])], terms,
                       list(map(Window, first, x.shape[1:])))  # fmt: skip


def _weights(x: Operand, y: Operand, w: Operand, groups: int, steps: Sequence[tuple[int, int]],
             first: Sequence[int]) -> Contraction:  # fmt: skip
    """Return the gradient of the weights."""
    count, channels, columns = len(steps), x.shape[-1] // groups, y.shape[-1] // groups
    batch = [Axis(groups, channels * x.strides[-1], columns * y.strides[-1], columns * w.strides[-1])]
    terms = [Axis(y.shape[0], a=x.strides[0], b=y.strides[0], steps=(0,) * count)]
    rows = []
    for axis, (stride, dilation) in enumerate(steps):
        along = x.strides[1 + axis]
        rows.append(Axis(w.shape[axis], a=dilation * along, c=w.strides[axis], steps=_only(axis, dilation, count)))
        terms.append(Axis(y.shape[1 + axis], a=stride * along, b=y.strides[1 + axis], steps=_only(axis, stride, count)))
    rows.append(Axis(channels, a=x.strides[-1], c=w.strides[-2], steps=(0,) * count))
    return Contraction((_from(x, first), y, w), batch, rows, [Axis(columns, b=y.strides[-1], c=w.strides[-1])], terms,
                       list(map(Window, first, x.shape[1:])))  # fmt: skip


def _phase(y: Operand, w: Operand, x: Operand, groups: int,
           along: Sequence[tuple[slice, slice, int, int]]) -> Contraction:  # fmt: skip
    """Return the correlation for the elements of the input that lie under the same taps."""
    elements, taps, first, apart = zip(*along, strict=True)
    return _correlation(y, _sliced(w, taps, 0), _sliced(x, elements, 1), groups, [(1, step) for step in apart], first,
                        is_transposed=True)  # fmt: skip


def _zeros(a: Operand, b: Operand, c: Operand) -> Contraction:
    """Return empty sums."""
    axes = [Axis(extent, c=stride) for extent, stride in zip(c.shape, c.strides, strict=True)]
    return Contraction((a, b, c), (), axes[:-1], axes[-1:], [Axis(0)])


def _sliced(x: Operand, slices: Sequence[slice], axis: int) -> Operand:
    """Return a view of x, sliced along axes from `axis` on."""
    shape, strides, offset = list(x.shape), list(x.strides), x.offset
    for place, part in enumerate(slices, axis):
        taken = range(x.shape[place])[part]
        offset += taken.start * x.strides[place]
        shape[place], strides[place] = len(taken), taken.step * x.strides[place]
    return x._replace(shape=tuple(shape), strides=tuple(strides), offset=offset)


def _from(x: Operand, first: Sequence[int]) -> Operand:
    """Return x with another first element along its spatial axes, possibly out of bounds."""
    return x._replace(offset=x.offset + sum(map(mul, first, x.strides[1:-1])))


def _only(axis: int, step: int, count: int) -> tuple[int, ...]:
    """Return the window steps of an axis that moves one window."""
    return tuple([step if axis == other else 0 for other in range(count)])
