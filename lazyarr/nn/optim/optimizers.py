"""Optimisers."""
import math

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr.nn.annotations import Schedule
from lazyarr.nn.docstrings import documented
from lazyarr.nn.optim.base import Optimiser, at_least_zero, norm_of

_sqrt = core.UfuncCaller(np.sqrt)

_RATE = """
rate : float or callable
    The learning rate, or a function from the number of previous steps to the rate: see `nn.schedules`.
"""
_WEIGHT_DECAY = """
weight_decay : float, optional
    The factor of a parameter that is added to its gradient.
"""
_EPSILON_AND_DECAY = f"""
epsilon : float, optional
    A constant that is added to the root.
{_WEIGHT_DECAY.strip()}
"""


@documented(rate=_RATE, weight_decay=_WEIGHT_DECAY)
class SGD(Optimiser):
    """Gradient descent: steps along the negative gradient.

    Parameters
    ----------
    {rate}
    {weight_decay}

    Examples
    --------
    >>> w = la.array([1.0, 2.0])
    >>> la.nn.SGD(0.5).update([w], [la.array([2.0, 4.0])])
    >>> w
    array([0., 0.])
    """

    def _change(self, p, g, numbers):
        rate, = numbers
        p -= rate * self._decayed(p, g)


@documented(rate=_RATE, weight_decay=_WEIGHT_DECAY)
class Momentum(Optimiser):
    """Gradient descent with momentum: steps along a velocity that accumulates gradients.

    Polyak, "Some methods of speeding up the convergence of iteration methods", 1964; in the form of
    ``torch.optim.SGD(momentum=...)``: the velocity is ``momentum * velocity + gradient``.

    Parameters
    ----------
    {rate}
    momentum : float, optional
        The decay factor of the velocity in each step.
    {weight_decay}

    Examples
    --------
    >>> w, optimiser = la.array([1.0]), la.nn.Momentum(0.5, momentum=0.5)
    >>> for _ in range(2):
    ...     optimiser.update([w], [la.array([1.0])])
    >>> w, optimiser.state()
    (array([-0.25]), {'steps': 2, 'velocity': [array([1.5])]})
    """

    slots = ("velocity",)

    @api_boundary
    def __init__(self, rate: float | Schedule, momentum: float = 0.9, *, weight_decay: float = 0.0) -> None:
        super().__init__(rate, weight_decay=weight_decay)
        self.momentum = at_least_zero(self, "momentum", momentum, 1)

    def _change(self, p, g, numbers, velocity):
        rate, = numbers
        velocity *= self.momentum
        velocity += self._decayed(p, g)
        p -= rate * velocity


class Nesterov(Momentum):
    """Nesterov's accelerated gradient: momentum with a look-ahead.

    Nesterov, "A method for solving the convex programming problem with convergence rate O(1/k^2)", 1983; in the form of
    Sutskever et al., 2013, and ``torch.optim.SGD(nesterov=True)``. Parameters are those of `Momentum`.

    Examples
    --------
    >>> w = la.array([1.0])
    >>> la.nn.Nesterov(0.5, momentum=0.5).update([w], [la.array([1.0])])
    >>> w
    array([0.25])
    """

    def _change(self, p, g, numbers, velocity):
        rate, = numbers
        g = self._decayed(p, g)
        velocity *= self.momentum
        velocity += g
        p -= rate * (g + self.momentum * velocity)


@documented(rate=_RATE, epsilon_and_decay=_EPSILON_AND_DECAY)
class Adagrad(Optimiser):
    """Adagrad: gradients divided by the root of the sum of their squares so far.

    Duchi, Hazan and Singer, "Adaptive subgradient methods for online learning and stochastic optimization", 2011.

    Parameters
    ----------
    {rate}
    {epsilon_and_decay}

    Examples
    --------
    >>> w = la.array([1.0, 2.0])
    >>> la.nn.Adagrad(0.5).update([w], [la.array([10.0, 0.1])])
    >>> w
    array([0.5, 1.5])
    """

    slots = ("square",)

    @api_boundary
    def __init__(self, rate: float | Schedule = 0.01, epsilon: float = 1e-10, *, weight_decay: float = 0.0) -> None:
        super().__init__(rate, weight_decay=weight_decay)
        self.epsilon = at_least_zero(self, "epsilon", epsilon)

    def _change(self, p, g, numbers, square):
        rate, = numbers
        g = self._decayed(p, g)
        square += g * g
        p -= rate * (g / (_sqrt(square) + self.epsilon))


@documented(rate=_RATE, epsilon_and_decay=_EPSILON_AND_DECAY)
class RMSprop(Optimiser):
    """RMSprop: gradients divided by the root of a running mean of their squares.

    Tieleman and Hinton, "Lecture 6.5: RMSprop", 2012.

    Parameters
    ----------
    {rate}
    smoothing : float, optional
        The decay factor of the running mean in each step.
    {epsilon_and_decay}

    Examples
    --------
    >>> w = la.array([1.0, 2.0])
    >>> la.nn.RMSprop(0.5, smoothing=0.75).update([w], [la.array([10.0, 1.0])])
    >>> w.round(6)
    array([0., 1.])
    """

    slots = ("square",)

    @api_boundary
    def __init__(self, rate: float | Schedule = 0.01, smoothing: float = 0.99, epsilon: float = 1e-8, *,
                 weight_decay: float = 0.0) -> None:
        super().__init__(rate, weight_decay=weight_decay)
        self.smoothing = at_least_zero(self, "smoothing", smoothing, 1)
        self.epsilon = at_least_zero(self, "epsilon", epsilon)

    def _change(self, p, g, numbers, square):
        rate, = numbers
        g = self._decayed(p, g)
        square *= self.smoothing
        square += (1 - self.smoothing) * g * g
        p -= rate * (g / (_sqrt(square) + self.epsilon))


@documented(rate=_RATE, epsilon_and_decay=_EPSILON_AND_DECAY)
class Adam(Optimiser):
    """Adam: running means of gradients, divided by the roots of running means of their squares.

    Kingma and Ba, "Adam: a method for stochastic optimization", 2015.

    Parameters
    ----------
    {rate}
    betas : pair of float, optional
        The decay factors of the two running means in each step.
    {epsilon_and_decay}

    Examples
    --------
    >>> w = la.array([1.0, 2.0])
    >>> la.nn.Adam(0.5).update([w], [la.array([10.0, 0.1])])
    >>> w.round(6)
    array([0.5, 1.5])
    """

    slots = ("mean", "square")

    @api_boundary
    def __init__(self, rate: float | Schedule = 1e-3, betas: tuple[float, float] = (0.9, 0.999),
                 epsilon: float = 1e-8, *, weight_decay: float = 0.0) -> None:
        super().__init__(rate, weight_decay=weight_decay)
        if not isinstance(betas, tuple | list) or len(betas) != 2:
            raise TypeError(f"{type(self).__name__}: betas must be a pair of numbers, got {betas!r}")
        first, second = betas
        self.betas = at_least_zero(self, "betas[0]", first, 1), at_least_zero(self, "betas[1]", second, 1)
        self.epsilon = at_least_zero(self, "epsilon", epsilon)

    def _moments(self, g, mean, square):
        first, second = self.betas
        mean *= first
        mean += (1 - first) * g
        square *= second
        square += (1 - second) * g * g

    def _numbers(self, rate):
        # running means, which began with zeros, are too small
        return rate / (1 - self.betas[0] ** self.steps), math.sqrt(1 - self.betas[1] ** self.steps)

    def _change(self, p, g, numbers, mean, square):
        rate, root = numbers
        self._moments(self._decayed(p, g), mean, square)
        p -= rate * (mean / (_sqrt(square) / root + self.epsilon))


class AdamW(Adam):
    """Adam with decoupled weight decay: each step shrinks parameters by the factor ``1 - rate * weight_decay``.

    Loshchilov and Hutter, "Decoupled weight decay regularization", 2019. Parameters are those of `Adam`.

    Examples
    --------
    >>> w = la.array([1.0])
    >>> la.nn.AdamW(0.5, weight_decay=0.5).update([w], [la.array([0.0])])
    >>> w
    array([0.75])
    """

    @api_boundary
    def __init__(self, rate: float | Schedule = 1e-3, betas: tuple[float, float] = (0.9, 0.999),
                 epsilon: float = 1e-8, *, weight_decay: float = 0.01) -> None:
        super().__init__(rate, betas, epsilon, weight_decay=weight_decay)

    def _decayed(self, p, g):
        return g

    def _numbers(self, rate):
        return *super()._numbers(rate), 1 - rate * self.weight_decay

    def _change(self, p, g, numbers, mean, square):
        *numbers, left = numbers
        p *= left
        super()._change(p, g, numbers, mean, square)


class LAMB(Adam):
    """LAMB: AdamW with each array's step scaled to the learning rate times the array's norm.

    You et al., "Large batch optimization for deep learning: training BERT in 76 minutes", 2020. Parameters are those
    of `Adam`. If the norm of the array or of the step is zero, the step is not scaled.

    Examples
    --------
    >>> w = la.array([3.0, 4.0])
    >>> la.nn.LAMB(0.5, weight_decay=0.0).update([w], [la.array([0.0, 1.0])])
    >>> w.round(4)
    array([3. , 1.5])
    """

    @api_boundary
    def __init__(self, rate: float | Schedule = 1e-3, betas: tuple[float, float] = (0.9, 0.999),
                 epsilon: float = 1e-6, *, weight_decay: float = 0.01) -> None:
        super().__init__(rate, betas, epsilon, weight_decay=weight_decay)

    def _numbers(self, rate):
        return rate, 1 - self.betas[0] ** self.steps, math.sqrt(1 - self.betas[1] ** self.steps)

    def _change(self, p, g, numbers, mean, square):
        rate, of_mean, root = numbers
        self._moments(g, mean, square)
        step = (mean / of_mean) / (_sqrt(square) / root + self.epsilon)
        if self.weight_decay:
            step = step + self.weight_decay * p
        own, steps = norm_of(p), norm_of(step)
        scaled = (own > 0) & (steps > 0)
        trust = np.where(scaled, own, 1) / np.where(scaled, steps, 1)
        p -= rate * (trust.astype(p.dtype) * step)
