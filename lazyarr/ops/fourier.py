"""Fourier transforms: opaque nodes, since their shapes follow from the arguments.

Large transforms in single and double precision are SciPy's: the same algorithm, vectorised over several lines and
multi-threaded, with different rounding. Non-finite input is left to NumPy, which warns where SciPy does not. The first
evaluation with SciPy imports it.
"""
import functools
import operator

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from lazyarr._core.host import threads
from lazyarr._core.host.tunables import tunable_in
from lazyarr.ops.forms import infer_form
from lazyarr.ops.numpy_fallback import at_once, call
from lazyarr.ops.operands import lazy, native, on_accelerator
from lazyarr.ops.table import OPAQUE, row

# Elements from which SciPy is called: below, importing it does not pay off, and bits are NumPy's.
LARGE = 1 << 16
tunable_in(globals(), "LARGE", "path.scipy_fft", "elements", 1, 1 << 60,
           "Elements from which on Fourier transforms are SciPy's.")
# Threads from which on SciPy computes transforms that are no faster on one thread, with NumPy's bits.
TEAM = 4
tunable_in(globals(), "TEAM", "fft.team", "threads", 2, 1024,
           "Threads from which on Fourier transforms are SciPy's where these alone make them faster.")
PRECISIONS = frozenset(map(np.dtype, ("float32", "float64", "complex64", "complex128")))

# The length of the transformed axis (the last of several), given its old or the requested length.
_REAL, _HALF, _FULL = "real", "half", "full"
_KINDS = {"fft": _FULL, "ifft": _FULL, "rfft": _HALF, "irfft": _REAL, "hfft": _REAL, "ihfft": _HALF}


# The norms of the other direction.
_OPPOSITE = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


def _length(kind, extent, n):
    if n is None:
        n = 2 * (extent - 1) if kind is _REAL else extent
    return n // 2 + 1 if kind is _HALF else n


def _large_as_numpys(x, dtype):
    """Return whether a transform is large enough for SciPy, with NumPy's dtype there."""
    if x.size < LARGE or dtype not in PRECISIONS:
        return False
    return x.dtype in PRECISIONS or (x.dtype.kind in "biu" and dtype.char in "dD")


def _transform(function, kind, x, form, along, lengths, **options):
    """Return the node of a transform along axes with given lengths; at once if x is empty."""
    shape = list(x.shape)
    for axis, n in zip(along, lengths, strict=True):
        shape[axis] = _length(kind if axis == along[-1] else _FULL, shape[axis], n)
    if min(shape) < 1:
        return at_once(function, x, **options)
    # Where SciPy's lines are bitwise NumPy's, only its threads make it faster.
    needs_threads = form.dtype.char in "dD" and (kind is not _FULL or (x.dtype.kind == "c" and "axis" in options))
    numpys = functools.partial(function, **options)

    def scipys(v):
        workers = threads.get_num_threads()
        if needs_threads and (workers < TEAM or v.ndim == 1):
            return numpys(v)
        return by_scipy(function, v, workers, **options)

    scipys.keywords, scipys.backend = options, "numpy or scipy"
    transform = scipys if _large_as_numpys(x, form.dtype) else numpys
    transform.batch = functools.partial(_on_batch, function, options)
    return call(transform, [x], tuple(shape), form.dtype, name=f"fft.{function.__name__}", axes=form.axes)


def by_scipy(function, v, workers, **options):
    """Return SciPy's transform of this name, on `workers` threads; for NaN and infinities NumPy's, which may warn."""
    import scipy.fft

    result = getattr(scipy.fft, function.__name__)(v, **options, workers=workers)
    with np.errstate(all="ignore"):
        finite = np.isfinite(result.sum())  # inf and nan propagate to the sum
    return result if finite else function(v, **options)


def _on_batch(function, options, call, operands, batched, size):
    """Return the transform of a batch: its non-negative axes move by one."""
    place = "axis" if "axis" in options else "axes"
    axes = options[place]
    return function(*operands, **{**options, place: axes + 1 if place == "axis" else tuple([n + 1 for n in axes])})


def _small(n):
    """Return a cheap length that is valid if and only if n is."""
    return None if n is None else min(operator.index(n), 3)


def _lazily(x, out):
    return out is None and x.size and native(x.dtype) and 0 < x.ndim <= 8


def _add_transform(function, kind):
    def transform(a, n=None, axis=-1, norm=None, out=None):
        """Discrete Fourier transform along an axis, by NumPy or SciPy when evaluated."""
        x = lazy(a)
        if not _lazily(x, out):
            return at_once(function, x, n, axis, norm, out)
        few = _small(n)
        form = infer_form((function, few, axis, norm), lambda v: function(v, few, axis, norm), [x])
        n, axis = None if n is None else operator.index(n), operator.index(axis) % x.ndim
        if on_accelerator(x) and function in (np.fft.hfft, np.fft.ihfft):   # these have kernels for real transforms
            return _hermitian(function, x, n, axis, _OPPOSITE[norm])
        return _transform(function, kind, x, form, [axis], [n], n=n, axis=axis, norm=norm)

    row(function, kind=OPAQUE)(transform)


def _hermitian(function, x, n, axis, norm):
    """Return np.fft.hfft or ihfft as a real transform in the other direction, and its `norm`."""
    if function is np.fft.ihfft:
        return np.fft.rfft(x, n, axis, norm).conj()
    return np.fft.irfft(x.conj(), n, axis, norm)


def _add_n_transform(function, kind, default_axes):
    def transform(a, s=None, axes=default_axes, norm=None, out=None):
        """Discrete Fourier transform over several axes, by NumPy or SciPy when evaluated."""
        x = lazy(a)
        s = s if s is None else tuple(s)
        axes = axes if axes is None else tuple(map(operator.index, axes))
        if not _lazily(x, out) or (s is not None and (axes is None or None in s)):  # both are deprecated
            return at_once(function, x, s, axes, norm, out)
        few = None if s is None else tuple(map(_small, s))
        form = infer_form((function, few, axes, norm), lambda v: function(v, few, axes, norm), [x])
        axes = normalize_axis_tuple(range(x.ndim) if axes is None else axes, x.ndim, allow_duplicate=True)
        if not axes or len(set(axes)) != len(axes):
            return at_once(function, x, s, axes, norm)
        if s is not None:
            s = tuple([x.shape[axis] if n == -1 else operator.index(n) for axis, n in zip(axes, s, strict=True)])
        return _transform(function, kind, x, form, axes, s or [None] * len(axes), s=s, axes=axes, norm=norm)

    row(function, kind=OPAQUE)(transform)


for _name, _kind in _KINDS.items():
    _add_transform(getattr(np.fft, _name), _kind)
for _name in ("fft", "ifft", "rfft", "irfft"):
    _add_n_transform(getattr(np.fft, _name + "2"), _KINDS[_name], (-2, -1))
    _add_n_transform(getattr(np.fft, _name + "n"), _KINDS[_name], None)
