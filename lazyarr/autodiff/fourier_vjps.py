"""Derivatives of Fourier transforms. The matrix of a transform is symmetric, so that the transposes are transforms too.

Where a transform cuts its argument or adds zeros, its transpose adds zeros or cuts. Of the transforms that give real
numbers, every frequency but the first and, for even lengths, the last stands for two.
"""
import functools

import numpy as np

from lazyarr._core.transforms import vjp


def _fitted(x, n, axis):
    """x with n elements along an axis: the first ones, or zeros behind them."""
    if x.shape[axis] >= n:
        return x[(slice(None),) * axis + (slice(n),)]
    return np.pad(x, [(0, n - x.shape[d]) if d == axis else (0, 0) for d in range(x.ndim)])


def _lengths(x, out, kind, n, axes):
    """How many points each transform has."""
    lengths = [None] * len(axes) if n is None else list(n)
    found = [x.shape[axis] if given in (None, -1) else given for axis, given in zip(axes, lengths, strict=True)]
    if kind == "real":
        found[-1] = out.shape[axes[-1]]
    return found


def _weights(n):
    """How often each frequency of n real points counts."""
    weights = np.full(n // 2 + 1, 2.0)
    weights[0] = 1
    if n % 2 == 0:
        weights[-1] = 1
    return weights


def _transposed(x, g, out, kind, last, others, lengths, axes, norm):
    """The cotangent of x under a transform of its `kind` along the last of the axes, `others` along the rest."""
    *before, axis = axes
    if kind == "real":
        shape = [1] * g.ndim
        shape[axis] = -1
        g = last(g, axis=axis, norm=norm) * _weights(lengths[-1]).astype(g.dtype).reshape(shape)
    else:
        g = last(g, lengths[-1], axis=axis, norm=norm)
    for other in before:
        g = others(g, axis=other, norm=norm)
    for d in axes:
        g = _fitted(g, x.shape[d], d)
    return g


def _line(kind, last, g, out, operands, wanted, n=None, axis=-1, norm=None):
    x, = operands
    axes = [axis % x.ndim]
    lengths = _lengths(x, out, kind, None if n is None else [n], axes)
    return _transposed(x, g, out, kind, last, None, lengths, axes, norm),


def _several(kind, last, others, default, g, out, operands, wanted, s=None, axes=None, norm=None):
    x, = operands
    axes = [axis % x.ndim for axis in (default if axes is None else axes) or range(x.ndim)]
    return _transposed(x, g, out, kind, last, others, _lengths(x, out, kind, s, axes), axes, norm),


_fft = np.fft
# Of each transform what its result is along the last axis, the transpose along that axis and along the others.
_TRANSPOSES = {"fft": ("full", _fft.fft, _fft.fft), "ifft": ("full", _fft.ifft, _fft.ifft),
               "rfft": ("half", _fft.fft, _fft.fft), "irfft": ("real", _fft.ihfft, _fft.ifft),
               "hfft": ("real", _fft.rfft, None), "ihfft": ("half", _fft.ifft, None)}
for _name, (_kind, _last, _others) in _TRANSPOSES.items():
    vjp.add_call_rule(f"fft.{_name}", functools.partial(_line, _kind, _last))
    if _others is not None:
        vjp.add_call_rule(f"fft.{_name}2", functools.partial(_several, _kind, _last, _others, (-2, -1)))
        vjp.add_call_rule(f"fft.{_name}n", functools.partial(_several, _kind, _last, _others, None))
