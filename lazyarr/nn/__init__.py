"""Functions and layers of neural networks on lazy arrays, channels last."""
from lazyarr.nn import grad, initialisers, schedules
from lazyarr.nn.activations import (
    elu,
    gelu,
    leaky_relu,
    log_sigmoid,
    log_softmax,
    relu,
    sigmoid,
    silu,
    softmax,
    softplus,
    tanh,
)
from lazyarr.nn.attention import MultiHeadAttention, scaled_dot_product_attention
from lazyarr.nn.clipping import clip_by_global_norm, clip_by_norm, clip_by_value, global_norm
from lazyarr.nn.containers import Residual, Sequential
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
from lazyarr.nn.convolutional import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from lazyarr.nn.dropout import Dropout
from lazyarr.nn.embedding import Embedding
from lazyarr.nn.encoding import one_hot
from lazyarr.nn.fitting import EarlyStopping, fit
from lazyarr.nn.layer import Layer, value_and_grad
from lazyarr.nn.linear import Linear, linear
from lazyarr.nn.loader import Loader
from lazyarr.nn.losses import binary_cross_entropy, cross_entropy, kl_divergence, l1_loss, mse_loss, smooth_l1_loss
from lazyarr.nn.normalisation import batch_norm, group_norm, layer_norm, rms_norm
from lazyarr.nn.normalising import BatchNorm, GroupNorm, LayerNorm, RMSNorm
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
from lazyarr.nn.recurrent import GRU, LSTM, RNN
from lazyarr.nn.resampling import AvgPool1d, AvgPool2d, AvgPool3d, Flatten, MaxPool1d, MaxPool2d, MaxPool3d, Upsample
from lazyarr.nn.step import accuracy, training_step, validate
from lazyarr.nn.storage import load, load_metadata, save

__all__ = [
    "GRU",
    "LAMB",
    "LSTM",
    "RNN",
    "SGD",
    "Adagrad",
    "Adam",
    "AdamW",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "BatchNorm",
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "Dropout",
    "EarlyStopping",
    "Embedding",
    "Flatten",
    "GroupNorm",
    "Layer",
    "LayerNorm",
    "Linear",
    "Loader",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "Momentum",
    "MultiHeadAttention",
    "Nesterov",
    "Optimiser",
    "RMSNorm",
    "RMSprop",
    "Residual",
    "Sequential",
    "Upsample",
    "accuracy",
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm",
    "binary_cross_entropy",
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
    "cross_entropy",
    "elu",
    "fit",
    "gelu",
    "global_norm",
    "grad",
    "group_norm",
    "im2col",
    "initialisers",
    "kl_divergence",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "linear",
    "load",
    "load_metadata",
    "log_sigmoid",
    "log_softmax",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "mse_loss",
    "one_hot",
    "relu",
    "rms_norm",
    "save",
    "scaled_dot_product_attention",
    "schedules",
    "sigmoid",
    "silu",
    "smooth_l1_loss",
    "softmax",
    "softplus",
    "tanh",
    "training_step",
    "upsample",
    "validate",
    "value_and_grad",
]
