"""Loss functions: the distance of predictions from targets, as one number or one for each prediction.

Predictions are floats, and the loss has their dtype; for half precision it is computed in single precision.
`reduction` is "mean" or "sum" over all losses, or "none" to return each.
"""
import functools
import math
from typing import SupportsIndex

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.api import LazyArray
from lazyarr.nn.annotations import Operand, Reduction
from lazyarr.nn.docstrings import documented
from lazyarr.nn.functional.activations import floating, narrow, shifted, wide
from lazyarr.ops.arguments import integer, operand
from lazyarr.ops.deferred_dispatch import named
from lazyarr.ops.operands import cast, known_outside

_abs, _exp, _log, _log1p = map(core.UfuncCaller, (np.absolute, np.exp, np.log, np.log1p))

_RAISES = """
Raises
------
ValueError
    For shapes that differ, or an unknown reduction.
TypeError
    For numbers that are not real.
"""


@named("nn.mse_loss")
@documented(_RAISES)
def mse_loss(predictions: Operand, targets: Operand, *, reduction: Reduction = "mean") -> LazyArray:
    """Compute the mean squared error.

    Parameters
    ----------
    predictions, targets : array_like
        Of equal shapes.
    reduction : {"mean", "sum", "none"}, optional

    Examples
    --------
    >>> la.nn.mse_loss(la.array([1.0, 2.0]), la.array([1.0, 4.0]))
    np.float64(2.0)
    """
    x, apart = _difference("mse_loss", predictions, targets)
    return _reduced("mse_loss", apart * apart, reduction, x)


@named("nn.l1_loss")
def l1_loss(predictions: Operand, targets: Operand, *, reduction: Reduction = "mean") -> LazyArray:
    """Compute the mean absolute error; parameters and errors are those of `mse_loss`.

    Examples
    --------
    >>> la.nn.l1_loss(la.array([1.0, 2.0]), la.array([1.0, 4.0]))
    np.float64(1.0)
    """
    x, apart = _difference("l1_loss", predictions, targets)
    return _reduced("l1_loss", _abs(apart), reduction, x)


@named("nn.smooth_l1_loss")
def smooth_l1_loss(predictions: Operand, targets: Operand, *, beta: float = 1.0,
                   reduction: Reduction = "mean") -> LazyArray:
    """Compute ``d**2 / (2 * beta)`` for absolute differences d below `beta`, and ``d - beta / 2`` for others.

    Girshick, Fast R-CNN, 2015. Parameters and errors are those of `mse_loss`; a `beta` that is not positive raises
    ValueError.

    Examples
    --------
    >>> la.nn.smooth_l1_loss(la.array([1.0, 2.0]), la.array([1.5, 4.0]), reduction="none")
    array([0.125, 1.5  ])
    """
    if not beta > 0:
        raise ValueError(f"smooth_l1_loss: beta must be positive, got {beta}")
    x, apart = _difference("smooth_l1_loss", predictions, targets)
    size = _abs(apart)
    near = size < beta
    squared = core.select(near, apart, 0)  # what is far could overflow
    losses = core.select(near, squared * squared * (0.5 / beta), size - 0.5 * beta)
    return _reduced("smooth_l1_loss", losses, reduction, x)


@named("nn.binary_cross_entropy")
@documented(_RAISES)
def binary_cross_entropy(logits: Operand, targets: Operand, *, reduction: Reduction = "mean") -> LazyArray:
    """Compute the cross entropy of binary targets, or of probabilities, given logits.

    Parameters
    ----------
    logits : array_like
        The log-odds that a target is 1; their sigmoid is the probability.
    targets : array_like
        Numbers from 0 to 1, of the logits' shape; their values are not checked.
    reduction : {"mean", "sum", "none"}, optional

    Examples
    --------
    >>> la.nn.binary_cross_entropy(la.array([0.0, 1000.0]), la.array([1.0, 0.0]), reduction="none")
    array([6.93147181e-01, 1.00000000e+03])
    """
    name = "binary_cross_entropy"
    x, y = floating(logits, f"{name}: logits"), _targets(name, targets)
    if x.shape != y.shape:
        raise ValueError(f"{name}: logits of shape {x.shape} and targets of shape {y.shape} do not fit")
    given, x = x, wide(x)
    # log(1 + exp(x)) - x * y, by the exponential that cannot overflow.
    negative = x < 0
    losses = core.select(negative, 0, x) - x * cast(y, x.dtype) + _log1p(_exp(core.select(negative, x, -x)))
    return _reduced(name, losses, reduction, given)


@named("nn.cross_entropy")
def cross_entropy(logits: Operand, targets: Operand, *, weight: Operand | None = None, label_smoothing: float = 0.0,
                  ignore_index: SupportsIndex | None = None, reduction: Reduction = "mean") -> LazyArray:
    """Compute the cross entropy of classes, or of class probabilities, given logits.

    Parameters
    ----------
    logits : array_like
        (..., classes), unnormalised log-probabilities; their softmax is the probability of each class.
    targets : array_like
        (...) of integers, the classes; or (..., classes) of floats, probabilities of classes.
    weight : array_like, optional
        (classes,), the weight of each class. With classes as targets, the mean is weighted by them; with probabilities,
        the weights multiply these, and the mean is over all predictions.
    label_smoothing : float, optional
        The fraction of each target that is distributed evenly over all classes; Szegedy et al., 2015.
    ignore_index : int, optional
        A target that stands for no class, such as padding: its loss is 0, and the mean is over the other targets.
    reduction : {"mean", "sum", "none"}, optional

    Returns
    -------
    LazyArray
        One number, or of shape (...) without reduction.

    Raises
    ------
    ValueError
        For shapes that do not fit, a label_smoothing outside [0, 1], an unknown reduction, or an ignore_index with
        probabilities.
    IndexError
        For classes out of range, if the targets are evaluated. In pending targets they are not detected.
    TypeError
        For numbers that are not real, or an ignore_index that is not an integer.

    Examples
    --------
    >>> logits = la.array([[0.0, 0.0], [1000.0, 0.0]])
    >>> la.nn.cross_entropy(logits, la.array([0, 1]), reduction="none")
    array([6.93147181e-01, 1.00000000e+03])
    >>> la.grad(la.nn.cross_entropy)(logits, la.array([0, 1]))
    array([[-0.25,  0.25],
           [ 0.5 , -0.5 ]])
    """
    x, y = floating(logits, "cross_entropy: logits"), _targets("cross_entropy", targets)
    shape, given, x = x.shape, x, wide(x)
    if not shape or not shape[-1]:
        raise ValueError(f"cross_entropy: logits must have an axis of classes, their shape is {shape}")
    if not 0 <= label_smoothing <= 1:
        raise ValueError(f"cross_entropy: label_smoothing must be between 0 and 1, got {label_smoothing}")
    weight = None if weight is None else _weights(weight, x)
    if ignore_index is not None:
        ignore_index = integer(ignore_index, "cross_entropy: ignore_index", least=-math.inf)
    if y.dtype.kind == "f":
        if y.shape != shape:
            raise ValueError(f"cross_entropy: logits of shape {shape} and probabilities of shape {y.shape} do not fit")
        if ignore_index is not None:
            raise ValueError("cross_entropy: ignore_index is one of classes, targets are probabilities")
        losses = _of_probabilities(x, cast(y, x.dtype), weight, label_smoothing)
        return _reduced("cross_entropy", losses, reduction, given)
    if y.shape != shape[:-1]:
        raise ValueError(f"cross_entropy: logits of shape {shape} and classes of shape {y.shape} do not fit: they must "
                         f"have shape {shape[:-1]}")
    if _has_other_classes(y, shape[-1], ignore_index):
        raise IndexError(f"cross_entropy: targets must be classes from 0 to {shape[-1] - 1}"
                         + (f" or {ignore_index}" if ignore_index is not None else ""))
    return narrow(_of_classes(x, y, weight, label_smoothing, ignore_index, reduction), given)


def _has_other_classes(y, count, ignored):
    """Return whether evaluated targets contain a class out of range that is not the ignored one."""
    if ignored is not None:
        if core.is_pending(y):
            return False
        known = y.numpy()
        y = core.from_numpy(known[known != ignored])
    return known_outside(y, 0, count)


def _of_classes(x, y, weight, smoothing, ignored, reduction):
    count = x.shape[-1]
    x = shifted(x, -1)
    hot = y[..., None] == _classes(count)
    largest = _log(_exp(x).sum(-1))
    counted = None      # by how much each prediction counts, if they differ
    if weight is None:
        losses = core.select(hot, x, 0).sum(-1)
        if smoothing:
            losses = losses * (1 - smoothing) + x.sum(-1) * (smoothing / count)
        losses = largest - losses
    else:
        counted = core.select(hot, weight, 0).sum(-1)
        losses = (largest * counted - core.select(hot, x * weight, 0).sum(-1)) * (1 - smoothing)
        if smoothing:
            losses = losses + (largest * weight.sum() - (x * weight).sum(-1)) * (smoothing / count)
    if ignored is not None:
        kept = y != ignored
        losses = core.select(kept, losses, 0)
        counted = core.select(kept, x.dtype.type(1) if counted is None else counted, 0)
    if reduction == "mean" and counted is not None:
        return losses.sum() / counted.sum()
    return _reduced("cross_entropy", losses, reduction, x)


@functools.lru_cache(16)
def _classes(count):
    numbers = np.arange(count)
    numbers.flags.writeable = False
    return numbers


def _of_probabilities(x, p, weight, smoothing):
    if smoothing:
        p = p * (1 - smoothing) + smoothing / x.shape[-1]
    if weight is not None:
        p = p * weight
    x = shifted(x, -1)
    return _log(_exp(x).sum(-1)) * p.sum(-1) - (x * p).sum(-1)


@named("nn.kl_divergence")
def kl_divergence(log_predictions: Operand, targets: Operand, *, log_targets: bool = False,
                  reduction: Reduction = "mean") -> LazyArray:
    """Compute the Kullback-Leibler divergence of predictions: ``p * (log p - log q)``, summed over the last axis.

    Kullback and Leibler, 1951.

    Parameters
    ----------
    log_predictions : array_like
        (..., classes), logarithms of the predicted probabilities; see `log_softmax`.
    targets : array_like
        Probabilities, of the same shape; zeros contribute nothing.
    log_targets : bool, optional
        Whether the targets are logarithms of probabilities.
    reduction : {"mean", "sum", "none"}, optional
        Over all but the last axis.

    Raises
    ------
    ValueError
        For shapes that differ or have no axes, or an unknown reduction.
    TypeError
        For numbers that are not real.

    Examples
    --------
    >>> la.nn.kl_divergence(la.log(la.array([[0.5, 0.5]])), la.array([[1.0, 0.0]]))
    np.float64(0.6931471805599453)
    """
    name = "kl_divergence"
    q, p = floating(log_predictions, f"{name}: log_predictions"), _targets(name, targets)
    if q.shape != p.shape or not q.shape:
        raise ValueError(f"{name}: log_predictions of shape {q.shape} and targets of shape {p.shape} do not fit")
    given, q = q, wide(q)
    p = cast(p, q.dtype)
    if log_targets:
        losses = _exp(p) * (p - q)
    else:
        none = p == 0
        losses = core.select(none, 0, p * (_log(core.select(none, 1, p)) - q))
    return _reduced(name, losses.sum(-1), reduction, given)


def _targets(name, targets):
    y = operand(targets, f"{name}: targets")
    if y.dtype.kind not in "biuf":
        raise TypeError(f"{name}: targets must be of real numbers, got {y.dtype}")
    return y


def _weights(weight, x):
    weight = cast(floating(weight, "cross_entropy: weight"), x.dtype)
    if weight.shape != x.shape[-1:]:
        raise ValueError(f"cross_entropy: weight must have shape {x.shape[-1:]}, one for each class, not "
                         f"{weight.shape}")
    return weight


def _difference(name, predictions, targets):
    """Return the predictions, and their differences from the targets."""
    x, y = floating(predictions, f"{name}: predictions"), _targets(name, targets)
    if x.shape != y.shape:
        raise ValueError(f"{name}: predictions of shape {x.shape} and targets of shape {y.shape} do not fit")
    near = wide(x)
    return x, near - cast(y, near.dtype)


def _reduced(name, losses, reduction, predictions):
    if reduction == "mean":
        losses = losses.sum() / losses.size
    elif reduction == "sum":
        losses = losses.sum()
    elif reduction != "none":
        raise ValueError(f"{name}: reduction must be 'mean', 'sum' or 'none', got {reduction!r}")
    return narrow(losses, predictions)
