"""Containers: layers made of layers and functions."""
from collections.abc import Callable
from typing import Any

from lazyarr._core.api import LazyArray
from lazyarr.nn.layers.base import Layer


class Sequential(Layer):
    """Layers and functions of one array, applied one after the other.

    Parameters
    ----------
    *layers : callable
        Stored in the list `layers`.

    Raises
    ------
    TypeError
        For what cannot be called.

    Examples
    --------
    >>> model = la.nn.Sequential(la.nn.Linear(3, 8), la.nn.relu, la.nn.Linear(8, 2))
    >>> model(la.ones((5, 3), "float32")).shape
    (5, 2)
    >>> model
    Sequential()  50 parameters
        layers.0: Linear(weight (3, 8), bias (8,))  32 parameters
        layers.2: Linear(weight (8, 2), bias (2,))  18 parameters
    """

    def __init__(self, *layers: Callable[..., Any]) -> None:
        self.layers: list[Callable[..., Any]] = [_callable(layer, "Sequential") for layer in layers]

    def __call__(self, x: LazyArray) -> LazyArray:
        for layer in self.layers:
            x = layer(x)
        return x


class Residual(Layer):
    """A residual block, ``x + layer(x)``; He, Zhang, Ren and Sun, 2015.

    Parameters
    ----------
    layer : callable
    shortcut : callable, optional
        Applied to x before the addition, if the layer changes its shape.

    Raises
    ------
    TypeError
        For what cannot be called.
    ValueError
        When called: for a layer that changes the shape, if there is no shortcut that does the same.

    Examples
    --------
    >>> la.nn.Residual(la.nn.relu)(la.array([-1.0, 2.0]))
    array([-1.,  4.])
    """

    def __init__(self, layer: Callable[..., Any], shortcut: Callable[..., Any] | None = None) -> None:
        self.layer: Callable[..., Any] = _callable(layer, "Residual")
        self.shortcut: Callable[..., Any] | None = shortcut if shortcut is None else _callable(shortcut, "Residual")

    def __call__(self, x: LazyArray) -> LazyArray:
        y: LazyArray = self.layer(x)
        around: LazyArray = x if self.shortcut is None else self.shortcut(x)
        if y.shape != around.shape:
            raise ValueError(f"Residual: the layer makes {y.shape} of {x.shape}, which cannot be added to "
                             f"{around.shape}: a shortcut must do the same")
        return y + around


def _callable(layer: Callable[..., Any], name: str) -> Callable[..., Any]:
    if not callable(layer):
        raise TypeError(f"{name}: layers must be callable, got {type(layer).__name__}")
    return layer
