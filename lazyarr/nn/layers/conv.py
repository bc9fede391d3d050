"""Convolutions as layers."""
import numpy as np

from lazyarr.nn import initialisers
from lazyarr.nn.layers.base import Layer
from lazyarr.nn.layers.linear import bias_of
from lazyarr.ops import convolution
from lazyarr.ops.arguments import integer, per_axis


class _Conv(Layer):
    """What convolutions have in common: weights of shape (*window, inputs / groups, outputs)."""

    axes = 0
    transposes = False

    def __init__(self, inputs, outputs, window, bias, weight, groups, rng, dtype, options):
        inputs, outputs = integer(inputs, "inputs"), integer(outputs, "outputs")
        groups = integer(groups, "groups")
        if inputs % groups or outputs % groups:
            raise ValueError(f"groups: {groups} groups do not divide {inputs} inputs and {outputs} outputs")
        rng = np.random.default_rng(rng)
        taps = per_axis(window, self.axes, "window")
        channels = (outputs // groups, inputs) if self.transposes else (inputs // groups, outputs)
        self.weight = initialisers.parameter(weight, (*taps, *channels), rng, dtype, "weight")
        self.bias = bias_of(bias, outputs, rng, dtype)
        self._options = (*options, groups)

    def __call__(self, x):
        sums = convolution.transpose if self.transposes else convolution.convolve
        y = sums(self.axes, x, self.weight, *self._options)
        return y if self.bias is None else y + self.bias


class _Straight(_Conv):

    def __init__(self, inputs, outputs, window, *, stride=1, padding=0, dilation=1, groups=1, bias=True,
                 weight=initialisers.he_uniform, rng=None, dtype=np.float32):
        super().__init__(inputs, outputs, window, bias, weight, groups, rng, dtype, (stride, padding, dilation))


class _Transposed(_Conv):
    transposes = True

    def __init__(self, inputs, outputs, window, *, stride=1, padding=0, output_padding=0, dilation=1, groups=1,
                 bias=True, weight=initialisers.he_uniform, rng=None, dtype=np.float32):
        super().__init__(inputs, outputs, window, bias, weight, groups, rng, dtype,
                         (stride, padding, output_padding, dilation))


class Conv1d(_Straight):
    """A convolution over one spatial axis, and a bias; see `conv1d`.

    Parameters
    ----------
    inputs, outputs : int
        Numbers of channels.
    window : int
        Taps.
    stride, padding, dilation, groups : optional
        Those of `conv1d`; a depthwise convolution has as many groups as inputs.
    bias, weight, rng, dtype : optional
        As for `Linear`.

    Attributes
    ----------
    weight : LazyArray
        ``(*window, inputs / groups, outputs)``
    bias : LazyArray or None
        (outputs,)

    Raises
    ------
    ValueError
        For sizes that are not positive, or groups that do not divide the channels. Called: what `conv1d` raises.
    TypeError
        For sizes that are no integers.

    Examples
    --------
    >>> la.nn.Conv1d(2, 8, 3, padding="same")(la.ones((5, 10, 2), "float32")).shape
    (5, 10, 8)
    """

    axes = 1


class Conv2d(_Straight):
    """A convolution over two spatial axes, and a bias; see `conv2d`.

    Parameters, attributes and errors are those of `Conv1d`, `window` being one number for both axes or a pair.

    Examples
    --------
    >>> la.nn.Conv2d(3, 8, 3, padding=1, stride=2)(la.ones((5, 10, 10, 3), "float32")).shape
    (5, 5, 5, 8)
    """

    axes = 2


class Conv3d(_Straight):
    """A convolution over three spatial axes, and a bias; see `conv3d`.

    Parameters, attributes and errors are those of `Conv1d`, `window` being one number for all axes or three.

    Examples
    --------
    >>> la.nn.Conv3d(3, 4, (1, 3, 3))(la.ones((5, 2, 6, 6, 3), "float32")).shape
    (5, 2, 4, 4, 4)
    """

    axes = 3


class ConvTranspose1d(_Transposed):
    """A transposed convolution over one spatial axis, and a bias; see `conv_transpose1d`.

    Parameters
    ----------
    inputs, outputs, window, bias, weight, rng, dtype
        As for `Conv1d`.
    stride, padding, output_padding, dilation, groups : optional
        Those of `conv_transpose1d`.

    Attributes
    ----------
    weight : LazyArray
        ``(*window, outputs / groups, inputs)``
    bias : LazyArray or None
        (outputs,)

    Raises
    ------
    ValueError
        For sizes that are not positive, or groups that do not divide the channels. Called: what `conv_transpose1d`
        raises.
    TypeError
        For sizes that are no integers.

    Examples
    --------
    >>> la.nn.ConvTranspose1d(8, 2, 2, stride=2)(la.ones((5, 10, 8), "float32")).shape
    (5, 20, 2)
    """

    axes = 1


class ConvTranspose2d(_Transposed):
    """A transposed convolution over two spatial axes, and a bias; see `conv_transpose2d`.

    Parameters, attributes and errors are those of `ConvTranspose1d`, `window` being one number for both axes or a pair.

    Examples
    --------
    >>> la.nn.ConvTranspose2d(8, 2, 2, stride=2)(la.ones((5, 4, 4, 8), "float32")).shape
    (5, 8, 8, 2)
    """

    axes = 2


class ConvTranspose3d(_Transposed):
    """A transposed convolution over three spatial axes, and a bias; see `conv_transpose3d`.

    Parameters, attributes and errors are those of `ConvTranspose1d`, `window` being one number for all axes or three.

    Examples
    --------
    >>> la.nn.ConvTranspose3d(8, 2, 2, stride=2)(la.ones((5, 2, 3, 3, 8), "float32")).shape
    (5, 4, 6, 6, 2)
    """

    axes = 3
