"""Functions of neural networks on lazy arrays, channels last."""
from lazyarr.nn import grad
from lazyarr.nn.convolution import (
    col2im,
    conv1d,
    conv2d,
    conv3d,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
    im2col,
)

__all__ = [
    "col2im",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "grad",
    "im2col",
]
