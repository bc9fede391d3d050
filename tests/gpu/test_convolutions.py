"""Convolutions, pooling and their gradients on a device."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import lazyarr as la
from lazyarr import nn
from support import conv_problems
from support.examples import examples
from support.opencl_device import DEVICE, DRIVER, host_steps, there, values

RNG = np.random.default_rng(4)


def compare(function, *operands):
    """Compare a result on the device with the host's, relative to the summands."""
    with np.errstate(all="ignore"):
        got, expected = function(*map(there, operands)), function(*map(la.asarray, operands))
        assert got.device == DEVICE
        assert (got.shape, got.dtype) == (expected.shape, expected.dtype)
        got, expected = np.asarray(got), np.asarray(expected)
    assert host_steps() == []
    if got.dtype.kind not in "fc":
        np.testing.assert_array_equal(got, expected)
        return
    eps = np.finfo(got.dtype).eps
    size = np.abs(expected).max(initial=1)
    assert np.abs(got - expected).max(initial=0) <= 100 * eps * size


@examples(60)
@given(conv_problems.problems(), st.sampled_from("fdDilh"))
def test_convolutions_and_gradients(problem, dtype):
    rng = np.random.default_rng(problem.seed)
    x, w, y = (values(rng, shape, dtype) for shape in (problem.x, problem.w, problem.y))
    given, rank = {**problem.given, "groups": problem.groups}, problem.ndim
    conv = getattr(nn, f"conv{rank}d")
    by_input, by_weight = (getattr(nn.grad, f"conv{rank}d_{name}") for name in ("input", "weight"))
    compare(lambda x, w: conv(x, w, **given), x, w)
    compare(lambda w, y: by_input(x.shape, w, y, **given), w, y)
    compare(lambda x, y: by_weight(x, w.shape, y, **given), x, y)


def test_transposed_convolutions():
    for stride in (1, 2, 3):
        compare(lambda x, w, stride=stride: nn.conv_transpose2d(x, w, stride=stride, padding="valid"),
                values(RNG, (2, 5, 6, 4), "f"), values(RNG, (2, 3, 7, 4), "f"))


def test_convolutions_of_views():
    x, w = values(RNG, (3, 8, 20, 20), "f"), values(RNG, (8, 8, 3, 3), "f")
    compare(lambda x, w: nn.conv2d(x.transpose(0, 2, 3, 1)[:, ::-1, ::2], w.transpose(2, 3, 1, 0)[::-1], padding=1),
            x, w)


@pytest.mark.parametrize("dtype", "?bHilQefdFD")
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_pooling_has_the_hosts_bits(rank, dtype):
    x = values(RNG, (2, *(9, 7, 6)[:rank], 5), dtype)
    for options in ({}, {"stride": 1, "padding": 1}, {"stride": 2, "ceil_mode": True}):
        if dtype not in "FD":
            same_bits(lambda x, options=options: getattr(nn, f"max_pool{rank}d")(x, 3, **options), x)
        same_bits(lambda x, options=options: getattr(nn, f"avg_pool{rank}d")(x, 3, **options), x)
    same_bits(lambda x: getattr(nn, f"adaptive_avg_pool{rank}d")(x, 4), x)
    if dtype not in "?":
        same_bits(lambda x: nn.upsample(x, 2.5, "linear"), x)


def same_bits(function, *operands):
    got, expected = function(*map(there, operands)), function(*map(la.asarray, operands))
    assert got.device == DEVICE
    np.testing.assert_array_equal(got.numpy(), expected.numpy(), strict=True)
    assert host_steps() == []


def test_maxima_of_nan():
    x = values(RNG, (2, 8, 8, 3), "f")
    x[RNG.random(x.shape) < 0.2] = np.nan
    same_bits(lambda x: nn.max_pool2d(x, 2), x)
    same_bits(lambda x: nn.max_pool2d(x, 3, stride=1, padding=1, dilation=2), x)


@pytest.mark.parametrize("dtype", "efd")
def test_gradients_of_pooling_have_the_hosts_bits(dtype):
    x = values(RNG, (2, 9, 8, 5), dtype)
    for options in ({}, {"stride": 1, "padding": 1}):
        for pool in (nn.max_pool2d, nn.avg_pool2d):
            shape = pool(x, 3, **options).shape
            g = values(RNG, shape, dtype)
            if pool is nn.max_pool2d:
                same_bits(lambda x, g, options=options: nn.grad.max_pool2d(x, g, 3, **options), x, g)
            else:
                same_bits(lambda g, options=options: nn.grad.avg_pool2d((2, 9, 8, 5), g, 3, **options), g)


def network():
    """Return a LeNet for images of 8 x 8 pixels."""
    rng = np.random.default_rng(7)
    return nn.Sequential(nn.Conv2d(1, 6, 3, padding="same", rng=rng), nn.relu, nn.MaxPool2d(2),
                         nn.Conv2d(6, 16, 3, padding="same", rng=rng), nn.relu, nn.AvgPool2d(2),
                         nn.Flatten(), nn.Linear(64, 10, rng=rng))  # fmt: skip


def losses(device, images, labels):
    """Return the losses of some training steps on a device."""
    with la.device(device):
        model = network()
        step = nn.training_step(model, nn.cross_entropy, nn.Momentum(0.1))
        return [float(step(la.asarray(images), la.asarray(labels))["loss"]) for _ in range(5)]


def test_a_network_is_trained_on_the_device():
    images, labels = values(RNG, (32, 8, 8, 1), "f"), RNG.integers(0, 10, 32)
    on_host = losses("cpu", images, labels)
    host_steps()
    on_device = losses(DEVICE, images, labels)
    names = host_steps()
    assert not [name for name in names if "conv" in name or "pool" in name or "matmul" in name]
    np.testing.assert_allclose(on_device, on_host, rtol=1e-4)
    assert on_host[-1] < on_host[0]


def test_tables_of_windows_are_copied_once(monkeypatch):
    x = there(values(RNG, (2, 8, 8, 3), "f"))
    la.evaluate(x, nn.max_pool2d(x, 2))

    def written(*args):
        raise AssertionError("a copy to the device")

    monkeypatch.setattr(type(DRIVER), "write", written)
    nn.max_pool2d(x, 2).numpy()
