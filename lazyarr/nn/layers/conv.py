"""Convolution layers."""
# ruff: noqa: D101 - what a family documents alike is written once
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from lazyarr._core.api import LazyArray
from lazyarr.nn import initialisers
from lazyarr.nn.annotations import Initialiser, Operand, Padding, Rng, Sizes
from lazyarr.nn.layers.linear import bias_of
from lazyarr.nn.layers.spatial import SpatialLayer
from lazyarr.ops import convolution
from lazyarr.ops.arguments import integer, per_axis


class _Conv(SpatialLayer):
    """The base class of convolutions, with weights of shape (*window, inputs / groups, outputs)."""

    transposes: bool = False

    def __init__(self, inputs: SupportsIndex, outputs: SupportsIndex, window: Sizes, bias: bool, weight: Initialiser,
                 groups: SupportsIndex, rng: Rng, dtype: npt.DTypeLike, options: tuple[Any, ...]) -> None:
        inputs, outputs = integer(inputs, "inputs"), integer(outputs, "outputs")
        groups = integer(groups, "groups")
        if inputs % groups or outputs % groups:
            raise ValueError(f"groups: {groups} groups do not divide {inputs} inputs and {outputs} outputs")
        rng = np.random.default_rng(rng)
        taps = per_axis(window, self.axes, "window")
        channels = (outputs // groups, inputs) if self.transposes else (inputs // groups, outputs)
        self.weight: LazyArray = initialisers.parameter(weight, (*taps, *channels), rng, dtype, "weight")
        self.bias: LazyArray | None = bias_of(bias, outputs, rng, dtype)
        self._options = (*options, groups)

    def __call__(self, x: Operand) -> LazyArray:
        sums = convolution.transpose if self.transposes else convolution.convolve
        y = sums(self.axes, x, self.weight, *self._options)
        return y if self.bias is None else y + self.bias


class _Straight(_Conv):
    documentation = """A convolution over {axes}, and a bias; see `conv{rank}d`.

    Parameters
    ----------
    inputs, outputs : int
        Numbers of channels.
    window : {size}
        Taps along each axis.
    stride, padding, dilation, groups : optional
        Those of `conv{rank}d`; a depthwise convolution has as many groups as inputs.
    bias, weight, rng, dtype : optional
        As for `Linear`.

    Attributes
    ----------
    weight : LazyArray
        ({taps}, inputs / groups, outputs)
    bias : LazyArray or None
        (outputs,)

    Raises
    ------
    ValueError
        For sizes that are not positive, or groups that do not divide the channels. When called: as `conv{rank}d`.
    TypeError
        For sizes that are not integers.

    Examples
    --------
    >>> la.nn.Conv{rank}d(2, 8, 3, padding=1, stride=2)(la.ones((5, {8s}, 2), "float32")).shape
    (5, {4s}, 8)
    """

    def __init__(self, inputs: SupportsIndex, outputs: SupportsIndex, window: Sizes, *, stride: Sizes = 1,
                 padding: Padding = 0, dilation: Sizes = 1, groups: SupportsIndex = 1, bias: bool = True,
                 weight: Initialiser = initialisers.he_uniform, rng: Rng = None,
                 dtype: npt.DTypeLike = np.float32) -> None:
        super().__init__(inputs, outputs, window, bias, weight, groups, rng, dtype, (stride, padding, dilation))


class Conv1d(_Straight, axes=1): ...


class Conv2d(_Straight, axes=2): ...


class Conv3d(_Straight, axes=3): ...


class _Transposed(_Conv):
    documentation = """A transposed convolution over {axes}, and a bias; see `conv_transpose{rank}d`.

    Parameters
    ----------
    inputs, outputs, window, bias, weight, rng, dtype
        As for `Conv{rank}d`.
    stride, padding, output_padding, dilation, groups : optional
        Those of `conv_transpose{rank}d`.

    Attributes
    ----------
    weight : LazyArray
        ({taps}, outputs / groups, inputs)
    bias : LazyArray or None
        (outputs,)

    Raises
    ------
    ValueError
        For sizes that are not positive, or groups that do not divide the channels. When called: as
        `conv_transpose{rank}d`.
    TypeError
        For sizes that are not integers.

    Examples
    --------
    >>> la.nn.ConvTranspose{rank}d(8, 2, 2, stride=2)(la.ones((5, {4s}, 8), "float32")).shape
    (5, {8s}, 2)
    """

    transposes = True

    def __init__(self, inputs: SupportsIndex, outputs: SupportsIndex, window: Sizes, *, stride: Sizes = 1,
                 padding: Padding = 0, output_padding: Sizes = 0, dilation: Sizes = 1, groups: SupportsIndex = 1,
                 bias: bool = True, weight: Initialiser = initialisers.he_uniform, rng: Rng = None,
                 dtype: npt.DTypeLike = np.float32) -> None:
        super().__init__(inputs, outputs, window, bias, weight, groups, rng, dtype,
                         (stride, padding, output_padding, dilation))


class ConvTranspose1d(_Transposed, axes=1): ...


class ConvTranspose2d(_Transposed, axes=2): ...


class ConvTranspose3d(_Transposed, axes=3): ...
