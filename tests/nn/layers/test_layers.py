"""Layers against plain NumPy, their dtypes, and derivatives of arrays and parameters against differences."""

import numpy as np
import pytest

import lazyarr as la
from lazyarr import nn
from lazyarr.autodiff.trees import leaves, rebuilt
from support.finite_differences import numerical


def convolved(x, w, stride, dilation, groups):
    """Convolve by definition, tap by tap; x is padded."""
    ndim = x.ndim - 2
    taps, channels, columns = w.shape[:ndim], w.shape[-2], w.shape[-1] // groups
    extents = [(n - (t - 1) * dilation - 1) // stride + 1 for n, t in zip(x.shape[1:-1], taps, strict=True)]
    y = np.zeros((len(x), *extents, w.shape[-1]), x.dtype)
    for tap in np.ndindex(taps):
        under = x[(slice(None), *[slice(t * dilation, t * dilation + (n - 1) * stride + 1, stride)
                                  for t, n in zip(tap, extents, strict=True)])]
        for g in range(groups):
            y[..., g * columns:(g + 1) * columns] += (
                under[..., g * channels:(g + 1) * channels] @ w[tap][:, g * columns:(g + 1) * columns])
    return y


def spread_out(x, w, stride):
    """Compute a transposed convolution: each element of x adds its taps to the result."""
    ndim = x.ndim - 2
    taps = w.shape[:ndim]
    y = np.zeros((len(x), *[(n - 1) * stride + t for n, t in zip(x.shape[1:-1], taps, strict=True)], w.shape[-2]))
    for tap in np.ndindex(taps):
        part = tuple([slice(t, t + (n - 1) * stride + 1, stride) for t, n in zip(tap, x.shape[1:-1], strict=True)])
        y[(slice(None), *part)] += x @ w[tap].T
    return y


def padded(x, width):
    return np.pad(x, [(0, 0), *[(width, width)] * (x.ndim - 2), (0, 0)])


def standardised(x, axes, eps):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps)


def grouped(x, groups, eps):
    cut = x.reshape(len(x), -1, groups, x.shape[-1] // groups)
    return standardised(cut, (1, 3), eps).reshape(x.shape)


def in_use(layer):
    """Return a layer whose moments are not the initial ones."""
    layer.update_buffers({"mean": la.array([0.5, -1.0, 2.0], layer.mean.dtype),
                          "variance": la.array([2.0, 0.5, 1.0], layer.mean.dtype)})
    return layer.eval()


# For each layer: its factory, the shape of its argument, and its definition for parameters p and argument x.
CASES = {
    "Linear": (lambda d: nn.Linear(3, 4, dtype=d), (2, 5, 3), lambda p, x: x @ p["weight"] + p["bias"]),
    "Linear without bias": (lambda d: nn.Linear(3, 4, bias=False, dtype=d), (5, 3), lambda p, x: x @ p["weight"]),
    "Conv1d": (lambda d: nn.Conv1d(2, 3, 3, stride=2, padding=1, dtype=d), (2, 8, 2),
               lambda p, x: convolved(padded(x, 1), p["weight"], 2, 1, 1) + p["bias"]),
    "Conv2d in groups": (lambda d: nn.Conv2d(4, 6, (3, 2), dilation=2, groups=2, dtype=d), (2, 7, 6, 4),
                         lambda p, x: convolved(x, p["weight"], 1, 2, 2) + p["bias"]),
    "Conv2d depthwise": (lambda d: nn.Conv2d(3, 3, 3, padding="same", groups=3, bias=False, dtype=d), (2, 5, 4, 3),
                         lambda p, x: convolved(padded(x, 1), p["weight"], 1, 1, 3)),
    "Conv3d": (lambda d: nn.Conv3d(2, 3, 2, dtype=d), (1, 3, 4, 3, 2),
               lambda p, x: convolved(x, p["weight"], 1, 1, 1) + p["bias"]),
    "ConvTranspose1d": (lambda d: nn.ConvTranspose1d(2, 3, 4, stride=2, dtype=d), (2, 5, 2),
                        lambda p, x: spread_out(x, p["weight"], 2) + p["bias"]),
    "ConvTranspose2d": (lambda d: nn.ConvTranspose2d(2, 3, (2, 3), stride=2, padding=1, dtype=d), (2, 4, 3, 2),
                        lambda p, x: spread_out(x, p["weight"], 2)[:, 1:-1, 1:-1] + p["bias"]),
    "ConvTranspose3d": (lambda d: nn.ConvTranspose3d(2, 1, 2, bias=False, dtype=d), (1, 2, 3, 2, 2),
                        lambda p, x: spread_out(x, p["weight"], 1)),
    "BatchNorm": (lambda d: nn.BatchNorm(3, dtype=d), (4, 5, 3),
                  lambda p, x: standardised(x, (0, 1), 1e-5) * p["weight"] + p["bias"]),
    "BatchNorm without weight": (lambda d: nn.BatchNorm(3, affine=False, eps=0.1, dtype=d), (6, 3),
                                 lambda p, x: standardised(x, 0, 0.1)),
    "BatchNorm in use": (lambda d: in_use(nn.BatchNorm(3, dtype=d)), (2, 2, 2, 3), lambda p, x: (
        (x - [0.5, -1, 2]) / np.sqrt(np.array([2, 0.5, 1]) + 1e-5) * p["weight"] + p["bias"])),
    "LayerNorm": (lambda d: nn.LayerNorm(4, dtype=d), (3, 4),
                  lambda p, x: standardised(x, -1, 1e-5) * p["weight"] + p["bias"]),
    "LayerNorm over two axes": (lambda d: nn.LayerNorm((3, 4), dtype=d), (2, 3, 4),
                                lambda p, x: standardised(x, (1, 2), 1e-5) * p["weight"] + p["bias"]),
    "GroupNorm": (lambda d: nn.GroupNorm(2, 6, dtype=d), (2, 3, 2, 6),
                  lambda p, x: grouped(x, 2, 1e-5) * p["weight"] + p["bias"]),
    "RMSNorm": (lambda d: nn.RMSNorm(4, dtype=d), (2, 3, 4),
                lambda p, x: x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6) * p["weight"]),
    "Dropout in use": (lambda d: nn.Dropout().eval(), (2, 3), lambda p, x: x),
    "MaxPool1d": (lambda d: nn.MaxPool1d(2), (2, 6, 3), lambda p, x: x.reshape(2, 3, 2, 3).max(2)),
    "MaxPool2d": (lambda d: nn.MaxPool2d(2), (1, 4, 6, 2), lambda p, x: x.reshape(1, 2, 2, 3, 2, 2).max((2, 4))),
    "MaxPool3d": (lambda d: nn.MaxPool3d(2), (1, 2, 4, 2, 2),
                  lambda p, x: x.reshape(1, 1, 2, 2, 2, 1, 2, 2).max((2, 4, 6))),
    "AvgPool1d": (lambda d: nn.AvgPool1d(2), (2, 6, 3), lambda p, x: x.reshape(2, 3, 2, 3).mean(2)),
    "AvgPool2d": (lambda d: nn.AvgPool2d(2), (1, 4, 6, 2), lambda p, x: x.reshape(1, 2, 2, 3, 2, 2).mean((2, 4))),
    "AvgPool3d": (lambda d: nn.AvgPool3d(2), (1, 2, 4, 2, 2),
                  lambda p, x: x.reshape(1, 1, 2, 2, 2, 1, 2, 2).mean((2, 4, 6))),
    "Upsample": (lambda d: nn.Upsample(2), (1, 2, 3, 2), lambda p, x: x.repeat(2, 1).repeat(2, 2)),
    "Flatten": (lambda d: nn.Flatten(), (2, 3, 4), lambda p, x: x.reshape(2, 12)),
    "Sequential": (lambda d: nn.Sequential(nn.Linear(3, 4, dtype=d), np.tanh, nn.Linear(4, 2, dtype=d)), (5, 3),
                   lambda p, x: (np.tanh(x @ p["layers"][0]["weight"] + p["layers"][0]["bias"])
                                 @ p["layers"][2]["weight"] + p["layers"][2]["bias"])),
    "Residual": (lambda d: nn.Residual(nn.Linear(3, 3, dtype=d)), (5, 3),
                 lambda p, x: x @ p["layer"]["weight"] + p["layer"]["bias"] + x),
    "Residual with a shortcut": (lambda d: nn.Residual(nn.Linear(3, 2, dtype=d), nn.Linear(3, 2, dtype=d)), (5, 3),
                                 lambda p, x: (x @ p["layer"]["weight"] + p["layer"]["bias"]
                                               + x @ p["shortcut"]["weight"] + p["shortcut"]["bias"])),
}


def made(name, dtype):
    """Return the layer, random values of its parameters as ndarrays, and an argument."""
    layer = CASES[name][0](dtype)
    rng = np.random.default_rng(1)
    tree = layer.parameters()
    values = [rng.uniform(-1, 1, p.shape).astype(dtype) for p in leaves(tree)]
    layer.update(rebuilt(tree, iter(values)))
    return layer, values, rng.uniform(-1, 1, CASES[name][1]).astype(dtype)


@pytest.mark.parametrize("name", CASES)
def test_values_and_derivatives(name):
    layer, values, x = made(name, "float64")
    tree = layer.parameters()
    definition = CASES[name][2]
    rng = np.random.default_rng(2)
    expected = definition(rebuilt(tree, iter(values)), x)
    np.testing.assert_allclose(layer(la.asarray(x)), expected, rtol=1e-10, atol=1e-12)
    weights = rng.standard_normal(expected.shape)
    found = la.grad(lambda p, x: (layer.apply(p, x) * weights).sum(), (0, 1))(tree, la.asarray(x))
    arrays = [*values, x]
    directions = [rng.standard_normal(array.shape) for array in arrays]
    along = sum((np.asarray(g) * d).sum() for g, d in zip(leaves(list(found)), directions, strict=True))
    slope = numerical(lambda *a: (definition(rebuilt(tree, iter(a[:-1])), a[-1]) * weights).sum(), arrays, directions)
    np.testing.assert_allclose(along, slope, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", CASES)
def test_single_precision_stays(name):
    layer, values, x = made(name, "float32")
    y = layer(la.asarray(x))
    assert y.dtype == np.float32
    expected = CASES[name][2](rebuilt(layer.parameters(), map(np.float64, values)), x.astype(float))
    np.testing.assert_allclose(y, expected, rtol=1e-3, atol=1e-4)
    (_, found), to_x = (nn.value_and_grad(layer, lambda x: (layer(x)**2).sum())(la.asarray(x)),
                        la.grad(lambda x: (layer(x)**2).sum())(la.asarray(x)))
    assert all(g.dtype == np.float32 for g in [*leaves(found), to_x])


@pytest.mark.parametrize("name", CASES)
def test_nothing_is_evaluated(name):
    layer, _, x = made(name, "float32")
    x = la.asarray(x) + 1
    with la.no_evaluation():
        nn.value_and_grad(layer, lambda x: layer(x).sum())(x)


def test_layers_have_single_precision_unless_asked():
    for layer in (nn.Linear(2, 2), nn.Conv1d(2, 2, 1), nn.ConvTranspose3d(2, 2, 1), nn.BatchNorm(2), nn.LayerNorm(2),
                  nn.GroupNorm(1, 2), nn.RMSNorm(2), nn.Embedding(2, 2)):
        assert {p.dtype for p in leaves([layer.parameters(), layer.buffers()])} == {np.dtype("float32")}


@pytest.mark.parametrize("make", [lambda dtype: nn.LayerNorm(64, dtype=dtype),
                                  lambda dtype: nn.RMSNorm(64, dtype=dtype),
                                  lambda dtype: nn.GroupNorm(4, 64, dtype=dtype),
                                  lambda dtype: nn.BatchNorm(64, dtype=dtype)])
def test_half_precision_is_normalised_in_single(make):
    x = la.asarray((np.random.default_rng(0).standard_normal((5, 64)) * 5000).astype("float16"))
    layer, exact = make("float16"), make("float64")
    y, wanted = layer(x), exact(x.astype("float64"))
    assert y.dtype == np.float16
    np.testing.assert_allclose(y, wanted, rtol=1e-3, atol=1e-3)
    g = la.grad(lambda x: (layer(x) * layer(x)[::-1]).sum().astype("float32"))(x)
    assert g.dtype == np.float16
    assert np.isfinite(g).all()


def test_running_moments_of_half_precision():
    layer = nn.BatchNorm(1, dtype="float16")
    layer(la.array([[-300.0], [300.0]], "float16"))
    assert layer.buffers() == {"mean": 0, "variance": np.float16(18000.9)}
