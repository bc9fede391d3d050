"""Invalid arguments: the call raises before computing anything, and names the argument."""

import numpy as np
import pytest

import lazyarr as la

X, W = np.ones((2, 6, 7, 4)), np.ones((3, 2, 4, 6))
Y = np.ones((2, 4, 6, 6))


def conv(x=X, w=W, **keywords):
    return la.nn.conv2d(x, w, **keywords)


def transposed(x=Y, w=W, **keywords):
    return la.nn.conv_transpose2d(x, w, **keywords)


def for_input(shape=X.shape, w=W, g=Y, **keywords):
    return la.nn.grad.conv2d_input(shape, w, g, **keywords)


def for_weight(x=X, shape=W.shape, g=Y, **keywords):
    return la.nn.grad.conv2d_weight(x, shape, g, **keywords)


def patches(x=X, window=(3, 2), **keywords):
    return la.nn.im2col(x, window, **keywords)


def summed(cols=None, shape=X.shape, window=(3, 2), **keywords):
    return la.nn.col2im(np.ones((2, 4, 6, 24)) if cols is None else cols, shape, window, **keywords)


EVERY = (conv, transposed, for_input, for_weight, patches, summed)


def refused(call, error, message, *args, **keywords):
    with la.no_evaluation(), pytest.raises(error, match=message):
        call(*args, **keywords)


@pytest.mark.parametrize("call", EVERY)
def test_right_arguments_are_taken(call):
    assert call().numpy().size


@pytest.mark.parametrize("call", EVERY)
@pytest.mark.parametrize(("name", "value", "error", "message"), [
    ("stride", 0, ValueError, "^stride must be positive, got 0$"),
    ("stride", -1, ValueError, "^stride must be positive, got -1$"),
    ("stride", (1, 0), ValueError, "^stride must be positive"),
    ("stride", (1, 1, 1), ValueError, "^stride must be one number or one for each of 2 spatial axes"),
    ("stride", (), ValueError, "^stride must be one number"),
    ("stride", 1.0, TypeError, r"^stride must consist of integers, got 1\.0$"),
    ("stride", "2", TypeError, "^stride must consist of integers, got '2'$"),
    ("stride", None, TypeError, "^stride"),
    ("dilation", 0, ValueError, "^dilation must be positive"),
    ("dilation", (2, -2), ValueError, "^dilation must be positive"),
    ("dilation", (1,), ValueError, "^dilation must be one number"),
    ("dilation", 1.5, TypeError, "^dilation"),
    ("padding", -1, ValueError, "^padding must not be negative, got -1$"),
    ("padding", ((0, 0), (0, -1)), ValueError, "^padding must not be negative"),
    ("padding", ((0, 0, 0), 1), ValueError, r"^padding must have a pair \(before, after\)"),
    ("padding", (1, 1, 1), ValueError, "^padding must be one number or one for each"),
    ("padding", "full", ValueError, '^padding must be "same", "valid"'),
    ("padding", 0.5, TypeError, "^padding"),
    ("padding", None, TypeError, "^padding"),
    ("padding", 1 << 62, ValueError, "^padding"),
])
def test_settings(call, name, value, error, message):
    refused(call, error, message, **{name: value})


@pytest.mark.parametrize("call", [conv, transposed, for_input, for_weight])
@pytest.mark.parametrize(("groups", "error", "message"), [
    (0, ValueError, "^groups must be positive"),
    (-2, ValueError, "^groups must be positive"),
    ((1, 1), TypeError, "^groups must consist of integers"),
    (1.0, TypeError, "^groups"),
    (4, ValueError, "^(groups: 4 groups do not divide the 6 columns|.* has 4 channels, .* in each of 4 groups$)"),
    (5, ValueError, "^groups: 5 groups do not divide the (4 channels|6 columns)"),
])
def test_groups(call, groups, error, message):
    refused(call, error, message, groups=groups)


def test_columns_that_groups_do_not_divide():
    refused(conv, ValueError, "^groups: 4 groups do not divide the 6 columns of w$", w=W[:, :, :1], groups=4)
    refused(for_weight, ValueError, "^groups: 4 .* columns of weight_shape", shape=(3, 2, 1, 6), groups=4)


@pytest.mark.parametrize(("call", "name", "value", "error", "message"), [
    (conv, "x", X[0], ValueError, "^x must have 4 axes, not 3$"),
    (conv, "x", X[None], ValueError, "^x must have 4 axes"),
    (conv, "x", 1.0, ValueError, "^x must have 4 axes"),
    (conv, "w", W[0], ValueError, "^w must have 4 axes"),
    (conv, "x", X[..., :3], ValueError, "^x has 3 channels, its last axis, but w of shape .* takes 4$"),
    (conv, "w", W[:, :, 1:], ValueError, "^x has 4 channels, .* takes 3$"),
    (conv, "x", X[:, :2], ValueError, "^w: a window that reaches over 3 elements is larger than axis 1 of the input"),
    (conv, "x", X[:, :, :1], ValueError, "^w: .* axis 2 of the input, padded to 1$"),
    (conv, "x", X[:, :0], ValueError, "^w: .* axis 1"),
    (conv, "w", W[:0], ValueError, "^w must have at least one tap"),
    (conv, "x", X.astype(object), TypeError, "^x must be an array of numbers, not of dtype object$"),
    (conv, "w", W.astype("U3"), TypeError, "^w must be an array of numbers"),
    (conv, "x", np.ma.array(X), TypeError, "^x must be an array, not MaskedArray$"),
    (conv, "dilation", 3, ValueError, "^w: a window that reaches over 7"),
    (transposed, "x", Y[0], ValueError, "^x must have 4 axes"),
    (transposed, "x", Y[..., :4], ValueError, "^x has 4 channels, its last axis, but w of shape .* takes 6$"),
    (transposed, "w", W[:, :0], ValueError, "^w must have at least one tap"),
    (transposed, "padding", 4, ValueError, "^padding leaves nothing of axis 1"),
    (transposed, "output_padding", 1, ValueError, "^output_padding must be smaller than stride or dilation, got 1"),
    (transposed, "output_padding", -1, ValueError, "^output_padding must not be negative"),
    (transposed, "output_padding", (0,), ValueError, "^output_padding must be one number"),
    (transposed, "stride", 1 << 62, ValueError, "^stride: array is too big"),
    (for_input, "shape", X.shape[1:], ValueError, "^input_shape must have 4 axes, not 3$"),
    (for_input, "shape", 5, TypeError, "^input_shape must be a tuple"),
    (for_input, "shape", (2, 6, -7, 4), ValueError, "^input_shape must not be negative"),
    (for_input, "shape", (2, 6, 7, 5), ValueError, "^input_shape has 5 channels, its last axis, but w of .* takes 4$"),
    (for_input, "shape", (2, 6, 8, 4), ValueError, "^g must have the shape"),
    (for_input, "shape", (2, 6, 1, 4), ValueError, "^w: a window"),
    (for_input, "shape", (3, 6, 7, 4), ValueError, "^g must have the shape"),
    (for_input, "g", Y[0], ValueError, "^g must have 4 axes"),
    (for_input, "g", Y[..., :5], ValueError, r"^g must have the shape \(2, 4, 6, 6\) of the convolution"),
    (for_weight, "shape", W.shape[1:], ValueError, "^weight_shape must have 4 axes, not 3$"),
    (for_weight, "shape", None, TypeError, "^weight_shape must be a tuple"),
    (for_weight, "shape", (3, 2, 5, 6), ValueError, "^x has 4 channels, .* weight_shape .* takes 5$"),
    (for_weight, "shape", (0, 2, 4, 6), ValueError, "^weight_shape must have at least one tap"),
    (for_weight, "shape", (7, 2, 4, 6), ValueError, "^weight_shape: a window"),
    (for_weight, "shape", (2, 2, 4, 6), ValueError, "^g must have the shape"),
    (for_weight, "g", Y[:1], ValueError, "^g must have the shape"),
    (for_weight, "x", X[..., :3], ValueError, "^x has 3 channels, .* weight_shape .* takes 4$"),
    (patches, "window", 3, TypeError, "^window must be a tuple"),
    (patches, "window", (3, 0), ValueError, "^window must be positive"),
    (patches, "window", (), ValueError, "^window must have one to three axes"),
    (patches, "window", (1, 1, 1, 1), ValueError, "^window must have one to three axes"),
    (patches, "window", (3,), ValueError, "^x must have 3 axes"),
    (patches, "window", (3, 2.0), TypeError, "^window must consist of integers"),
    (patches, "window", (7, 1), ValueError, "^window: a window that reaches over 7"),
    (patches, "x", X.astype(object), TypeError, "^x must be an array of numbers"),
    (summed, "cols", np.ones((2, 4, 6, 23)), ValueError, r"^cols must have the shape \(2, 4, 6, 24\)"),
    (summed, "cols", np.ones((2, 4, 6)), ValueError, "^cols must have 4 axes"),
    (summed, "shape", (2, 6, 7), ValueError, "^input_shape must have 4 axes, not 3$"),
    (summed, "shape", (2, 6, 1, 4), ValueError, "^window: a window"),
])
def test_arrays_and_shapes(call, name, value, error, message):
    refused(call, error, message, **{name: value})


@pytest.mark.parametrize("ndim", [1, 2, 3])
@pytest.mark.parametrize("more", [-1, 1])
def test_other_numbers_of_axes(ndim, more):
    x, w = np.ones((3,) * (ndim + 2)), np.ones((3,) * (ndim + 2))
    wrong = np.ones((3,) * (ndim + 2 + more))
    for function in (getattr(la.nn, f"conv{ndim}d"), getattr(la.nn, f"conv_transpose{ndim}d")):
        refused(function, ValueError, f"^x must have {ndim + 2} axes", wrong, w)
        refused(function, ValueError, f"^w must have {ndim + 2} axes", x, wrong)
    gradient = getattr(la.nn.grad, f"conv{ndim}d_input")
    refused(gradient, ValueError, f"^w must have {ndim + 2} axes", x.shape, wrong, x)
    refused(gradient, ValueError, f"^g must have {ndim + 2} axes", x.shape, w, wrong)
    gradient = getattr(la.nn.grad, f"conv{ndim}d_weight")
    refused(gradient, ValueError, f"^x must have {ndim + 2} axes", wrong, w.shape, x)
    refused(gradient, ValueError, f"^g must have {ndim + 2} axes", x, w.shape, wrong)


def test_settings_are_given_by_name():
    for call in (la.nn.conv2d, la.nn.conv_transpose2d):
        refused(call, TypeError, "positional", X, W, 1)
