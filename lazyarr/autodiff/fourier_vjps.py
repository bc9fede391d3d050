"""Derivatives of Fourier transforms. The matrix of a transform is symmetric, so the transposes are transforms, too.

Where a transform truncates or pads its argument, its transpose pads or truncates. In transforms between real and
complex numbers, every frequency but the first and, for even lengths, the last counts twice.
"""
import functools

import numpy as np

from lazyarr._core.transforms import vjp


def _fitted(x, n, axis):
    """Truncate or zero-pad x to n elements along an axis."""
    if x.shape[axis] >= n:
        return x[(slice(None),) * axis + (slice(n),)]
    return np.pad(x, [(0, n - x.shape[d]) if d == axis else (0, 0) for d in range(x.ndim)])


def _weights(n):
    """Return how often each frequency of n real points counts."""
    weights = np.full(n // 2 + 1, 2.0)
    weights[0] = 1
    if n % 2 == 0:
        weights[-1] = 1
    return weights


def _transposed(kind, last, others, g, out, operands, wanted, norm, n=None, axis=None, s=None, axes=None):
    """Rule for a transform along one or more axes, whose result is of some `kind` along the last one.

    The transpose is `last` along that axis, and `others` along the other axes.
    """
    x, = operands
    axes = (axis,) if axes is None else axes
    *before, axis = axes
    if kind == "real":
        shape = [1] * g.ndim
        shape[axis] = -1
        g = last(g, axis=axis, norm=norm) * _weights(out.shape[axis]).astype(g.dtype).reshape(shape)
    else:
        points = n if s is None else s[-1]
        g = last(g, x.shape[axis] if points is None else points, axis=axis, norm=norm)
    for other in before:
        g = others(g, axis=other, norm=norm)
    for d in axes:
        g = _fitted(g, x.shape[d], d)
    return g,


_fft = np.fft
# For each transform: the kind of its result along the last axis, the transpose along it, and along the others.
_TRANSPOSES = {"fft": ("full", _fft.fft, _fft.fft), "ifft": ("full", _fft.ifft, _fft.ifft),
               "rfft": ("half", _fft.fft, _fft.fft), "irfft": ("real", _fft.ihfft, _fft.ifft),
               "hfft": ("real", _fft.rfft, None), "ihfft": ("half", _fft.ifft, None)}
for _name, (_kind, _last, _others) in _TRANSPOSES.items():
    for _ending in ("", "2", "n"):  # there is no hfft2, so its rule is never used
        vjp.add_call_rule(f"fft.{_name}{_ending}", functools.partial(_transposed, _kind, _last, _others))
