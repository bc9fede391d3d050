"""Fourier transforms: opaque nodes, since their shapes follow from the arguments."""
import operator

import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.opaque import at_once, call
from lazyarr.ops.operands import lazy, native
from lazyarr.ops.registry import OPAQUE, row

# How long the transformed axis becomes, given the number of points asked for or the axis' own extent.
_LENGTHS = {
    "fft": (lambda n: n, lambda extent: extent),
    "ifft": (lambda n: n, lambda extent: extent),
    "rfft": (lambda n: n // 2 + 1, lambda extent: extent // 2 + 1),
    "irfft": (lambda n: n, lambda extent: 2 * (extent - 1)),
    "hfft": (lambda n: n, lambda extent: 2 * (extent - 1)),
    "ihfft": (lambda n: n // 2 + 1, lambda extent: extent // 2 + 1),
}


def _add_transform(function, asked, own):
    def transform(a, n=None, axis=-1, norm=None, out=None):
        """Discrete Fourier transform along an axis, by NumPy when evaluated."""
        x = lazy(a)
        tiny = np.ones((2,) * x.ndim, x.dtype) if native(x.dtype) and 0 < x.ndim <= 8 else None
        if tiny is None or out is not None or x.size == 0 or (n is not None and operator.index(n) < 1):
            return at_once(function, x, n, axis, norm, out)
        dtype = function(tiny, axis=axis, norm=norm).dtype  # raises for a bad axis or norm
        axis = operator.index(axis) % x.ndim
        extent = own(x.shape[axis]) if n is None else asked(operator.index(n))
        if extent < 1:
            return at_once(function, x, n, axis, norm)
        shape = (*x.shape[:axis], extent, *x.shape[axis + 1:])
        return call(lambda v: function(v, n, axis, norm), [x], shape, dtype, name=f"fft.{function.__name__}",
                    axes=core.memory_order(x, copied=True))

    row(function, kind=OPAQUE)(transform)


def _add_n_transform(function, real, default_axes):
    def transform(a, s=None, axes=default_axes, norm=None, out=None):
        """Discrete Fourier transform over several axes, by NumPy when evaluated."""
        x = lazy(a)
        plain = s is None and out is None and x.size and native(x.dtype) and 0 < x.ndim <= 8
        if not plain or (axes is not None and len(set(axes)) != len(axes)):
            return at_once(function, x, s, axes, norm, out)
        dtype = function(np.ones((2,) * x.ndim, x.dtype), axes=axes, norm=norm).dtype
        shape = list(x.shape)
        if real:
            last = x.ndim - 1 if axes is None else axes[-1]
            shape[last] = shape[last] // 2 + 1 if real == "forward" else 2 * (shape[last] - 1)
        if 0 in shape:
            return at_once(function, x, s, axes, norm, out)
        return call(lambda v: function(v, axes=axes, norm=norm), [x], tuple(shape), dtype,
                    name=f"fft.{function.__name__}", axes=core.memory_order(x, copied=True))

    row(function, kind=OPAQUE)(transform)


for _name, _rules in _LENGTHS.items():
    _add_transform(getattr(np.fft, _name), *_rules)
for _name, _real in (("fft", None), ("ifft", None), ("rfft", "forward"), ("irfft", "back")):
    _add_n_transform(getattr(np.fft, _name + "2"), _real, (-2, -1))
    _add_n_transform(getattr(np.fft, _name + "n"), _real, None)
