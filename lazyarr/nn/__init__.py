"""Functions and layers of neural networks on lazy arrays, channels last."""
from lazyarr.nn import grad, initialisers, schedules
from lazyarr.nn.clipping import clip_by_global_norm, clip_by_norm, clip_by_value, global_norm
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
from lazyarr.nn.encoding import one_hot
from lazyarr.nn.fitting import EarlyStopping, fit
from lazyarr.nn.layer import Layer, value_and_grad
from lazyarr.nn.linear import Linear, linear
from lazyarr.nn.loader import Loader
from lazyarr.nn.optimiser import Optimiser
from lazyarr.nn.optimisers import LAMB, SGD, Adagrad, Adam, AdamW, Momentum, Nesterov, RMSprop
from lazyarr.nn.pooling import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    max_pool1d,
    max_pool2d,
    max_pool3d,
    upsample,
)
from lazyarr.nn.step import accuracy, training_step, validate
from lazyarr.nn.storage import load, load_metadata, save

__all__ = [
    "LAMB",
    "SGD",
    "Adagrad",
    "Adam",
    "AdamW",
    "EarlyStopping",
    "Layer",
    "Linear",
    "Loader",
    "Momentum",
    "Nesterov",
    "Optimiser",
    "RMSprop",
    "accuracy",
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "clip_by_global_norm",
    "clip_by_norm",
    "clip_by_value",
    "col2im",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "fit",
    "global_norm",
    "grad",
    "im2col",
    "initialisers",
    "linear",
    "load",
    "load_metadata",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "one_hot",
    "save",
    "schedules",
    "training_step",
    "upsample",
    "validate",
    "value_and_grad",
]
