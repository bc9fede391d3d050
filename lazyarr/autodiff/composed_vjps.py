"""Derivatives of calls that are compositions of differentiable operations, by pulling back through these."""
import functools
import math
from collections.abc import Callable

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.transforms import vjp
from lazyarr.ops.devices import of_array
from lazyarr.ops.numpy_fallback import RECORDED
from lazyarr.ops.operands import lazy


def by_composition(function):
    """Return the rule of a call that `function` computes by differentiable operations."""
    def rule(g, out, operands, wanted, **options):
        inputs = list(map(vjp.alias, operands))
        made = function(*inputs, **options)
        several = isinstance(made, tuple)
        results = [made[which] for which in g] if several else [made]
        return vjp.pull_back(results, list(g.values()) if several else [g], inputs, True)

    return rule


def _interpolated(x, xp, fp, left=None, right=None, period=None):
    if period is not None:
        period = abs(period)
        x, xp = x % period, xp % period
        order = np.argsort(xp)
        xp, fp = xp[order], fp[order]
        xp = np.concatenate((xp[-1:] - period, xp, xp[:1] + period))
        fp = np.concatenate((fp[-1:], fp, fp[:1]))
        left = right = None
    outside = np.where(x < xp[0], fp[0] if left is None else left, fp[-1] if right is None else right)
    if xp.size == 1:
        return np.where(x == xp[0], fp[0], outside)
    i = np.clip(np.searchsorted(xp, x, "right"), 1, xp.size - 1)
    low, step = np.take(xp, i - 1), np.take(xp, i) - np.take(xp, i - 1)
    start, rise = np.take(fp, i - 1), np.take(fp, i) - np.take(fp, i - 1)
    inside = start + rise * ((x - low) / np.where(step == 0, 1, step))
    return np.where((x < xp[0]) | (x > xp[-1]), outside, inside)


def _first_bessel(x):
    """Return the modified Bessel function of order 1."""
    import scipy.special

    def of_doubles(x):
        return scipy.special.i1(x.astype(float)).astype(x.dtype)  # SciPy has few dtypes

    return core.opaque("scipy.special.i1", of_doubles, [x], x.shape, x.dtype)


def _slope_of_first_bessel(g, out, operands, wanted):
    x, = operands
    return g * (np.i0(x) - np.where(x == 0, 0.5, out / np.where(x == 0, 1, x))),


def _monic(roots):
    """Return the coefficients of the monic polynomial with these roots."""
    made = np.ones(1, np.result_type(roots.dtype, float))
    for i in range(roots.size):
        made = np.convolve(made, np.stack([np.ones((), made.dtype), -roots[i]]))
    return made


def _antiderivative(p, m=1, k=None):
    given = np.zeros(1) if k is None else np.atleast_1d(k)
    for constant in given[:m] if given.size > 1 else np.broadcast_to(given, (m,)):
        p = np.concatenate((p / np.arange(p.size, 0, -1), np.full(1, constant)))
    return p


def _fit(x, y, w=None, *, deg, rcond):
    powers = np.vander(x, int(deg) + 1)
    if w is not None:
        powers, y = powers * w[:, None], y * (w[:, None] if y.ndim == 2 else w)
    return np.linalg.pinv(powers) @ y


def _on_linspace(make):
    """Interpolate from start to stop at the fractions of np.linspace."""
    def line(start, stop, *, num=50, endpoint=True, dtype=None, axis=0, **options):
        fractions = np.linspace(0.0, 1.0, num, endpoint)
        ndim = max(start.ndim, stop.ndim)
        return np.moveaxis(make(start, stop, fractions.reshape(-1, *[1] * ndim), **options), 0, axis)

    return line


def _even(start, stop, t):
    return start * (1 - t) + stop * t


def _of_base(start, stop, t, base=10.0):
    return np.exp(_even(start, stop, t) * math.log(base))


def _geometric(start, stop, t):
    return start * (stop / start) ** t


for _name, _function in {"interp": _interpolated, "poly": _monic, "polyint": _antiderivative,
                         "polyfit": _fit, "linspace": _on_linspace(_even), "logspace": _on_linspace(_of_base),
                         "geomspace": _on_linspace(_geometric), "sort_complex": lambda x: np.sort(x + 0j)}.items():
    vjp.add_call_rule(_name, by_composition(_function))
vjp.add_call_rule("to_device", lambda g, out, operands, wanted: (core.to_device(g, of_array(operands[0])),))
vjp.add_call_rule("i0", lambda g, out, operands, wanted: (
    g * (_first_bessel(np.abs(operands[0])) * np.sign(operands[0])),))
vjp.add_call_rule("scipy.special.i1", _slope_of_first_bessel)


# ---- order statistics ----------------------------------------------------------------------------------


def _quantile(x, *others, q, axis, keepdims, method="linear", scale=1, nan=False):
    """Interpolate quantiles between sorted elements, without NaNs if `nan`."""
    if len(others) > (q is None):
        raise vjp.NotDifferentiable("weighted quantiles have no derivative")
    axes = tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    kept = tuple([axis for axis in range(x.ndim) if axis not in {a % x.ndim for a in axes}])
    lines = x.transpose(*kept, *[a % x.ndim for a in axes]).reshape(*[x.shape[a] for a in kept], -1)
    ordered = np.sort(lines)
    levels = (others[0] if q is None else np.asarray(q, float)) / scale
    count = np.sum(~np.isnan(ordered), -1) if nan else np.full(ordered.shape[:-1], ordered.shape[-1])
    places = _places(method, levels.reshape(-1, *[1] * count.ndim), count)
    below = np.clip(np.floor(places), 0, np.maximum(count - 1, 0)).astype(int)
    above = np.clip(np.ceil(places), 0, np.maximum(count - 1, 0)).astype(int)
    share = np.clip(places, 0, np.maximum(count - 1, 0)) - below
    low, high = [np.take_along_axis(np.broadcast_to(ordered, (*i.shape, ordered.shape[-1])), i[..., None], -1)[..., 0]
                 for i in (below, above)]
    made = np.where(above == below, low, low + (high - low) * share.astype(x.dtype))
    if not nan:  # a NaN makes the quantile NaN, and its derivative, too
        made = np.where(np.isnan(ordered[..., -1]), np.nan * made, made)
    if keepdims:
        made = made.reshape(len(made), *[1 if d not in kept else x.shape[d] for d in range(x.ndim)])
    return made.reshape(*levels.shape, *made.shape[1:])


# Positions of a quantile among n sorted elements, from 0, as numpy.quantile documents its methods.
_ALPHA_BETA = {"linear": (1, 1), "weibull": (0, 0), "hazen": (0.5, 0.5), "median_unbiased": (1 / 3, 1 / 3),
               "normal_unbiased": (3 / 8, 3 / 8), "interpolated_inverted_cdf": (0, 1)}
_ROUNDED: dict[str, Callable] = {"lower": np.floor, "higher": np.ceil, "nearest": np.rint,
            "midpoint": lambda place: (np.floor(place) + np.ceil(place)) / 2}


def _places(method, q, n):
    if method in _ROUNDED:
        return _ROUNDED[method]((n - 1) * q)
    if method not in _ALPHA_BETA:
        raise vjp.NotDifferentiable(f"quantiles by the method {method!r} have no derivative")
    alpha, beta = _ALPHA_BETA[method]
    return n * q + (alpha + q * (1 - alpha - beta)) - 1


for _name in ("median", "quantile", "percentile"):
    for _nan in (False, True):
        vjp.add_call_rule(f"{'nan' * _nan}{_name}", by_composition(functools.partial(
            _quantile, scale=100 if _name == "percentile" else 1, nan=_nan)))


# ---- replacements, during differentiation, of functions that run at once --------------------------------


def _bincount(x, /, weights=None, minlength=0):
    x = lazy(x)
    counts = np.bincount(x.numpy(), None, minlength)
    if weights is None:
        return core.from_numpy(counts)
    made = core.full(counts.shape, 0, np.dtype(float))
    np.add.at(made, x, lazy(weights).astype(float))
    return made


def _coefficients(a):
    """Strip leading zeros from coefficients, as `np.poly1d` does, but keep the last one."""
    a = np.atleast_1d(lazy(a))
    kept = np.trim_zeros(a, "f")
    return kept if kept.size else a[-1:] if a.size else core.full((1,), 0, a.dtype)


RECORDED |= {np.bincount: _bincount,
             np.polymul: lambda a1, a2: np.convolve(_coefficients(a1), _coefficients(a2))}
