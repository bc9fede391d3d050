"""Gradients of convolutions.

A convolution is linear in its input and in its weights. Each of these functions is the transpose of one of the maps.
Of complex numbers none is conjugated: who wants the adjoint conjugates arguments and result.
"""
from lazyarr.ops import convolution as _convolution

__all__ = ["conv1d_input", "conv1d_weight", "conv2d_input", "conv2d_weight", "conv3d_input", "conv3d_weight"]


def conv1d_input(input_shape, w, g, *, stride=1, padding=0, dilation=1, groups=1):
    """The gradient of `conv1d` for its input.

    Parameters
    ----------
    input_shape : tuple of int
        [batch, W, C].
    w : array_like
        [S, C / groups, K].
    g : array_like
        [batch, W', K], the gradient for the result of the convolution.
    stride, padding, dilation, groups
        Those of the convolution; see `lazyarr.nn.conv1d`.

    Returns
    -------
    LazyArray
        Of shape `input_shape`.

    Raises
    ------
    ValueError
        Where the convolution raises it, and for a `g` that has not the shape of its result.
    TypeError
        For arguments that are no integers, and arrays that are not numeric.

    Examples
    --------
    >>> import lazyarr as la
    >>> g = la.array([[[1.0], [2.0]]])
    >>> la.nn.grad.conv1d_input((1, 3, 1), la.array([[[1.0]], [[10.0]]]), g)[0, :, 0]
    array([ 1., 12., 20.])
    """
    return _convolution.input_gradient(1, input_shape, w, g, stride, padding, dilation, groups)


def conv1d_weight(x, weight_shape, g, *, stride=1, padding=0, dilation=1, groups=1):
    """The gradient of `conv1d` for its weights.

    Parameters
    ----------
    x : array_like
        [batch, W, C].
    weight_shape : tuple of int
        [S, C / groups, K].
    g : array_like
        [batch, W', K], the gradient for the result of the convolution.
    stride, padding, dilation, groups
        Those of the convolution; see `lazyarr.nn.conv1d`.

    Returns
    -------
    LazyArray
        Of shape `weight_shape`.

    Raises
    ------
    ValueError
        Where the convolution raises it, and for a `g` that has not the shape of its result.
    TypeError
        For arguments that are no integers, and arrays that are not numeric.

    Examples
    --------
    >>> import lazyarr as la
    >>> x, g = la.array([[[1.0], [2.0], [4.0]]]), la.array([[[1.0], [10.0]]])
    >>> la.nn.grad.conv1d_weight(x, (2, 1, 1), g)[:, 0, 0]
    array([21., 42.])
    """
    return _convolution.weight_gradient(1, x, weight_shape, g, stride, padding, dilation, groups)


def conv2d_input(input_shape, w, g, *, stride=1, padding=0, dilation=1, groups=1):
    """The gradient of `conv2d` for its input.

    Parameters
    ----------
    input_shape : tuple of int
        [batch, H, W, C].
    w : array_like
        [R, S, C / groups, K].
    g : array_like
        [batch, H', W', K], the gradient for the result of the convolution.
    stride, padding, dilation, groups
        Those of the convolution; see `lazyarr.nn.conv2d`.

    Returns
    -------
    LazyArray
        Of shape `input_shape`.

    Raises
    ------
    ValueError
        Where the convolution raises it, and for a `g` that has not the shape of its result.
    TypeError
        For arguments that are no integers, and arrays that are not numeric.

    Examples
    --------
    >>> import lazyarr as la
    >>> g = la.ones((1, 2, 2, 1))
    >>> la.nn.grad.conv2d_input((1, 3, 3, 1), la.ones((2, 2, 1, 1)), g)[0, :, :, 0]
    array([[1., 2., 1.],
           [2., 4., 2.],
           [1., 2., 1.]])
    """
    return _convolution.input_gradient(2, input_shape, w, g, stride, padding, dilation, groups)


def conv2d_weight(x, weight_shape, g, *, stride=1, padding=0, dilation=1, groups=1):
    """The gradient of `conv2d` for its weights.

    Parameters
    ----------
    x : array_like
        [batch, H, W, C].
    weight_shape : tuple of int
        [R, S, C / groups, K].
    g : array_like
        [batch, H', W', K], the gradient for the result of the convolution.
    stride, padding, dilation, groups
        Those of the convolution; see `lazyarr.nn.conv2d`.

    Returns
    -------
    LazyArray
        Of shape `weight_shape`.

    Raises
    ------
    ValueError
        Where the convolution raises it, and for a `g` that has not the shape of its result.
    TypeError
        For arguments that are no integers, and arrays that are not numeric.

    Examples
    --------
    >>> import lazyarr as la
    >>> x = la.arange(9.0).reshape(1, 3, 3, 1)
    >>> la.nn.grad.conv2d_weight(x, (2, 2, 1, 1), la.ones((1, 2, 2, 1)))[:, :, 0, 0]
    array([[ 8., 12.],
           [20., 24.]])
    """
    return _convolution.weight_gradient(2, x, weight_shape, g, stride, padding, dilation, groups)


def conv3d_input(input_shape, w, g, *, stride=1, padding=0, dilation=1, groups=1):
    """The gradient of `conv3d` for its input.

    Parameters
    ----------
    input_shape : tuple of int
        [batch, D, H, W, C].
    w : array_like
        [T, R, S, C / groups, K].
    g : array_like
        [batch, D', H', W', K], the gradient for the result of the convolution.
    stride, padding, dilation, groups
        Those of the convolution; see `lazyarr.nn.conv3d`.

    Returns
    -------
    LazyArray
        Of shape `input_shape`.

    Raises
    ------
    ValueError
        Where the convolution raises it, and for a `g` that has not the shape of its result.
    TypeError
        For arguments that are no integers, and arrays that are not numeric.

    Examples
    --------
    >>> import lazyarr as la
    >>> g = la.ones((1, 1, 1, 2, 1))
    >>> la.nn.grad.conv3d_input((1, 1, 1, 3, 1), la.ones((1, 1, 2, 1, 1)), g)
    array([[[[[1.],
              [2.],
              [1.]]]]])
    """
    return _convolution.input_gradient(3, input_shape, w, g, stride, padding, dilation, groups)


def conv3d_weight(x, weight_shape, g, *, stride=1, padding=0, dilation=1, groups=1):
    """The gradient of `conv3d` for its weights.

    Parameters
    ----------
    x : array_like
        [batch, D, H, W, C].
    weight_shape : tuple of int
        [T, R, S, C / groups, K].
    g : array_like
        [batch, D', H', W', K], the gradient for the result of the convolution.
    stride, padding, dilation, groups
        Those of the convolution; see `lazyarr.nn.conv3d`.

    Returns
    -------
    LazyArray
        Of shape `weight_shape`.

    Raises
    ------
    ValueError
        Where the convolution raises it, and for a `g` that has not the shape of its result.
    TypeError
        For arguments that are no integers, and arrays that are not numeric.

    Examples
    --------
    >>> import lazyarr as la
    >>> x, g = la.ones((1, 2, 2, 2, 3)), la.ones((1, 2, 2, 2, 4))
    >>> la.nn.grad.conv3d_weight(x, (3, 3, 3, 3, 4), g, padding=1).shape
    (3, 3, 3, 3, 4)
    """
    return _convolution.weight_gradient(3, x, weight_shape, g, stride, padding, dilation, groups)
