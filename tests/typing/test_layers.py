"""Layers take and give arrays, and their parameters have types."""

from typing import TYPE_CHECKING, Any

import lazyarr as la

if TYPE_CHECKING:
    from typing import assert_type
else:
    from support.static_checks import assert_type

ARRAY = la.LazyArray[Any]


def test_calls() -> None:
    x = la.ones((2, 3), "float32")
    assert_type(la.nn.Linear(3, 4, bias=False)(x), ARRAY)
    assert_type(la.nn.LayerNorm(3, eps=1e-5)(x), ARRAY)
    assert_type(la.nn.RMSNorm(3)(x), ARRAY)
    assert_type(la.nn.Dropout(0.5)(x), ARRAY)
    assert_type(la.nn.Sequential(la.nn.Linear(3, 4), la.tanh)(x), ARRAY)
    assert_type(la.nn.Embedding(3, 4)([0, 2]), ARRAY)
    assert_type(la.nn.MultiHeadAttention(4, 2)(la.ones((1, 3, 4), "float32")), ARRAY)
    y, state = la.nn.LSTM(3, 4)(la.ones((2, 5, 3), "float32"))
    assert_type(y, ARRAY)
    assert_type(state, list[Any])
    image = la.ones((1, 4, 4, 2), "float32")
    assert_type(la.nn.Conv2d(2, 8, 3, padding="same")(image), ARRAY)
    assert_type(la.nn.ConvTranspose2d(2, 8, 2, stride=2)(image), ARRAY)
    assert_type(la.nn.MaxPool2d(2)(image), ARRAY)
    assert_type(la.nn.AvgPool2d((2, 2), stride=1)(image), ARRAY)
    assert_type(la.nn.Upsample(2, "linear")(image), ARRAY)
    assert_type(la.nn.Flatten()(image), ARRAY)


def test_functions() -> None:
    x = la.ones((2, 3), "float32")
    assert_type(la.nn.relu(x), ARRAY)
    assert_type(la.nn.gelu(x, approximate=True), ARRAY)
    assert_type(la.nn.softmax(x, axis=0), ARRAY)
    assert_type(la.nn.linear(x, la.ones((3, 4), "float32")), ARRAY)
    assert_type(la.nn.layer_norm(x, eps=1e-6), ARRAY)
    assert_type(la.nn.one_hot([0, 2], 3), ARRAY)
    assert_type(la.nn.cross_entropy(x, [0, 2], label_smoothing=0.1), ARRAY)
    assert_type(la.nn.mse_loss(x, x, reduction="none"), ARRAY)
    image = la.ones((1, 4, 4, 2), "float32")
    assert_type(la.nn.conv2d(image, la.ones((3, 3, 2, 8), "float32"), padding="same"), ARRAY)
    assert_type(la.nn.max_pool2d(image, 2), ARRAY)
    assert_type(la.nn.upsample(image, 2.0), ARRAY)
    assert_type(la.nn.scaled_dot_product_attention(x, x, x, causal=True), ARRAY)


def test_parameters() -> None:
    assert_type(la.nn.Linear(3, 4).parameters(), dict[str, Any])
