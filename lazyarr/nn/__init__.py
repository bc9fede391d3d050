"""Neural networks on lazy arrays, channels last: functions, layers, optimisers and training."""
from typing import TYPE_CHECKING

from lazyarr._core.host import tracebacks as _tracebacks
from lazyarr.nn import grad, initialisers, schedules
from lazyarr.nn.functional.activations import (
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
from lazyarr.nn.functional.conv import (
    col2im,
    conv1d,
    conv2d,
    conv3d,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
    im2col,
)
from lazyarr.nn.functional.losses import (
    binary_cross_entropy,
    cross_entropy,
    kl_divergence,
    l1_loss,
    mse_loss,
    smooth_l1_loss,
)
from lazyarr.nn.functional.norm import batch_norm, group_norm, layer_norm, rms_norm
from lazyarr.nn.functional.one_hot import one_hot
from lazyarr.nn.functional.pooling import (
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
from lazyarr.nn.layers.attention import MultiHeadAttention, scaled_dot_product_attention
from lazyarr.nn.layers.base import Layer, value_and_grad
from lazyarr.nn.layers.containers import Residual, Sequential
from lazyarr.nn.layers.conv import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from lazyarr.nn.layers.dropout import Dropout
from lazyarr.nn.layers.embedding import Embedding
from lazyarr.nn.layers.linear import Linear, linear
from lazyarr.nn.layers.norm import BatchNorm, GroupNorm, LayerNorm, RMSNorm
from lazyarr.nn.layers.pooling import (
    AvgPool1d,
    AvgPool2d,
    AvgPool3d,
    Flatten,
    MaxPool1d,
    MaxPool2d,
    MaxPool3d,
    Upsample,
)
from lazyarr.nn.layers.rnn import GRU, LSTM, RNN
from lazyarr.nn.optim.base import Optimiser
from lazyarr.nn.optim.clip import clip_by_global_norm, clip_by_norm, clip_by_value, global_norm
from lazyarr.nn.optim.optimizers import LAMB, SGD, Adagrad, Adam, AdamW, Momentum, Nesterov, RMSprop
from lazyarr.nn.train.data import Loader
from lazyarr.nn.train.fit import EarlyStopping, fit
from lazyarr.nn.train.step import accuracy, training_step, validate
from lazyarr.serialization import load, load_metadata, save

__all__ = ["GRU", "LAMB", "LSTM", "RNN", "SGD", "Adagrad", "Adam", "AdamW", "AvgPool1d", "AvgPool2d", "AvgPool3d",
           "BatchNorm", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d",
           "Dropout", "EarlyStopping", "Embedding", "Flatten", "GroupNorm", "Layer", "LayerNorm", "Linear", "Loader",
           "MaxPool1d", "MaxPool2d", "MaxPool3d", "Momentum", "MultiHeadAttention", "Nesterov", "Optimiser", "RMSNorm",
           "RMSprop", "Residual", "Sequential", "Upsample", "accuracy", "adaptive_avg_pool1d", "adaptive_avg_pool2d",
           "adaptive_avg_pool3d", "avg_pool1d", "avg_pool2d", "avg_pool3d", "batch_norm", "binary_cross_entropy",
           "clip_by_global_norm", "clip_by_norm", "clip_by_value", "col2im", "conv1d", "conv2d", "conv3d",
           "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "cross_entropy", "elu", "fit", "gelu",
           "global_norm", "grad", "group_norm", "im2col", "initialisers", "kl_divergence", "l1_loss", "layer_norm",
           "leaky_relu", "linear", "load", "load_metadata", "log_sigmoid", "log_softmax", "max_pool1d", "max_pool2d",
           "max_pool3d", "mse_loss", "one_hot", "relu", "rms_norm", "save", "scaled_dot_product_attention", "schedules",
           "sigmoid", "silu", "smooth_l1_loss", "softmax", "softplus", "tanh", "training_step", "upsample", "validate",
           "value_and_grad"]

if not TYPE_CHECKING:  # to a type checker, a module with this function has every name

    def __getattr__(name):
        try:
            from lazyarr.renamed import check_attribute

            check_attribute(__name__, name)
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        except BaseException as error:
            _tracebacks.hide_frames(error)
            raise
