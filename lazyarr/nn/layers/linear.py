"""Linear layers."""
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from lazyarr.nn import initialisers
from lazyarr.nn.annotations import Initialiser, Operand, Rng
from lazyarr.nn.layers.base import Layer
from lazyarr.ops.arguments import integer, operand
from lazyarr.ops.deferred_dispatch import named
from lazyarr.ops.operands import LazyArray


@named("nn.linear")
def linear(x: Operand, weight: Operand, bias: Operand | None = None) -> LazyArray:
    """Compute ``x @ weight + bias`` along the last axis of x, as one matrix product.

    Parameters
    ----------
    x : array_like
        (..., inputs)
    weight : array_like
        (inputs, outputs)
    bias : array_like, optional
        (outputs,)

    Returns
    -------
    LazyArray
        (..., outputs)

    Raises
    ------
    ValueError
        For shapes that do not fit.
    TypeError
        For what is no array of numbers.

    Examples
    --------
    >>> la.nn.linear(la.ones((2, 3)), la.ones((3, 1)), la.array([0.5]))
    array([[3.5],
           [3.5]])
    """
    if type(x) is not LazyArray:
        x = operand(x, "linear: x")
    if type(weight) is not LazyArray:
        weight = operand(weight, "linear: weight")
    shape, sizes = x.shape, weight.shape
    if len(sizes) != 2 or not shape or shape[-1] != sizes[0]:
        raise ValueError(f"linear: x of shape {shape} and weight of shape {sizes} do not fit: x must have shape "
                         f"(..., {sizes[0] if len(sizes) == 2 else 'inputs'}), weight (inputs, outputs)")
    # one product of matrices, also in the derivative
    y = (x if len(shape) <= 2 else x.reshape(-1, shape[-1])) @ weight
    if bias is not None:
        if type(bias) is not LazyArray:
            bias = operand(bias, "linear: bias")
        if bias.shape != sizes[1:]:
            raise ValueError(f"linear: bias of shape {bias.shape} does not fit weight of shape {sizes}")
        y = y + bias
    return y if len(shape) <= 2 else y.reshape(*shape[:-1], sizes[1])


class Linear(Layer):
    """A matrix product along the last axis, plus a bias.

    Parameters
    ----------
    inputs, outputs : int
        The lengths of the last axis of arguments and results.
    bias : bool or callable, optional
        Whether there is a bias, or its initialiser; zeros by default.
    weight : callable, optional
        The initialiser of the weights, see `lazyarr.nn.initialisers`.
    rng : numpy.random.Generator or seed, optional
    dtype : dtype_like, optional
        Of the parameters.

    Attributes
    ----------
    weight : LazyArray
        (inputs, outputs)
    bias : LazyArray or None
        (outputs,)

    Raises
    ------
    ValueError
        For sizes that are not positive. When called: for an array whose last axis is not of length `inputs`.
    TypeError
        For sizes that are not integers, or parameters that would not be floats or complex numbers.

    Examples
    --------
    >>> la.nn.Linear(3, 2)(la.ones((4, 3), "float32")).shape
    (4, 2)
    """

    def __init__(self, inputs: int, outputs: int, bias: bool = True, *,
                 weight: Callable[..., Any] = initialisers.glorot_uniform, rng: Any = None,
                 dtype: "np.typing.DTypeLike" = np.float32) -> None:
        inputs, outputs = integer(inputs, "inputs"), integer(outputs, "outputs")
        rng = np.random.default_rng(rng)
        self.weight: LazyArray = initialisers.parameter(weight, (inputs, outputs), rng, dtype, "weight")
        self.bias: LazyArray | None = bias_of(bias, outputs, rng, dtype)

    def __call__(self, x: Operand) -> LazyArray:
        return linear(x, self.weight, self.bias)


def bias_of(bias: bool | Initialiser, size: int, rng: Rng, dtype: npt.DTypeLike) -> LazyArray | None:
    """Return the bias for a layer's argument, which is True, False or an initialiser."""
    if bias is False:
        return None
    return initialisers.parameter(initialisers.zeros if bias is True else bias, (size,), rng, dtype, "bias")
