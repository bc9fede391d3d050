"""Layers take and return arrays, and their parameters are typed."""

from typing import Any

import lazyarr as la
from support.typed_arrays import ANY, assert_type


def test_calls() -> None:
    x = la.ones((2, 3), "float32")
    assert_type(la.nn.Linear(3, 4, bias=False)(x), ANY)
    assert_type(la.nn.LayerNorm(3, eps=1e-5)(x), ANY)
    assert_type(la.nn.RMSNorm(3)(x), ANY)
    assert_type(la.nn.Dropout(0.5)(x), ANY)
    assert_type(la.nn.Sequential(la.nn.Linear(3, 4), la.tanh)(x), ANY)
    assert_type(la.nn.Embedding(3, 4)([0, 2]), ANY)
    assert_type(la.nn.MultiHeadAttention(4, 2)(la.ones((1, 3, 4), "float32")), ANY)
    y, state = la.nn.LSTM(3, 4)(la.ones((2, 5, 3), "float32"))
    assert_type(y, ANY)
    assert_type(state, list[Any])
    image = la.ones((1, 4, 4, 2), "float32")
    assert_type(la.nn.Conv2d(2, 8, 3, padding="same")(image), ANY)
    assert_type(la.nn.ConvTranspose2d(2, 8, 2, stride=2)(image), ANY)
    assert_type(la.nn.MaxPool2d(2)(image), ANY)
    assert_type(la.nn.AvgPool2d((2, 2), stride=1)(image), ANY)
    assert_type(la.nn.Upsample(2, "linear")(image), ANY)
    assert_type(la.nn.Flatten()(image), ANY)


def test_functions() -> None:
    x = la.ones((2, 3), "float32")
    assert_type(la.nn.relu(x), ANY)
    assert_type(la.nn.gelu(x, approximate=True), ANY)
    assert_type(la.nn.softmax(x, axis=0), ANY)
    assert_type(la.nn.linear(x, la.ones((3, 4), "float32")), ANY)
    assert_type(la.nn.layer_norm(x, eps=1e-6), ANY)
    assert_type(la.nn.one_hot([0, 2], 3), ANY)
    assert_type(la.nn.cross_entropy(x, [0, 2], label_smoothing=0.1), ANY)
    assert_type(la.nn.mse_loss(x, x, reduction="none"), ANY)
    image = la.ones((1, 4, 4, 2), "float32")
    assert_type(la.nn.conv2d(image, la.ones((3, 3, 2, 8), "float32"), padding="same"), ANY)
    assert_type(la.nn.max_pool2d(image, 2), ANY)
    assert_type(la.nn.upsample(image, 2.0), ANY)
    assert_type(la.nn.scaled_dot_product_attention(x, x, x, causal=True), ANY)


def test_parameters() -> None:
    assert_type(la.nn.Linear(3, 4).parameters(), dict[str, Any])
