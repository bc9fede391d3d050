"""Kernels with impossible sizes, unexpected numbers of axes and unexpected objects: an error, or the result."""

import math

import numpy as np
import pytest

import lazyarr as la
from support.lazy_helpers import assert_same

HUGE, MOST = 1 << 40, 1 << 62


def ones(shape, dtype="float32"):
    """Return an array of any shape that takes no memory."""
    return np.broadcast_to(np.ones((), dtype), shape)


def lazy(*shape, dtype="float32"):
    return la.asarray(ones(shape, dtype))


nn, grad = la.nn, la.nn.grad
TOO_LARGE = {
    "matmul": lambda: lazy(HUGE, 4) @ lazy(4, HUGE),
    "matmul, bytes overflow": lambda: lazy(1 << 31, 1) @ lazy(1, 1 << 31),
    "matmul of stacks": lambda: lazy(2, 1 << 31, 2) @ lazy(2, 2, 1 << 31),
    "matmul without terms": lambda: lazy(HUGE, 0) @ lazy(0, HUGE),
    "dot": lambda: la.dot(lazy(HUGE, 4), lazy(4, HUGE)),
    "outer": lambda: la.multiply.outer(lazy(HUGE), lazy(HUGE)),
    "add": lambda: lazy(HUGE, 1) + lazy(1, HUGE),
    "add, bytes overflow": lambda: lazy(1 << 31, 1) + lazy(1, 1 << 31),
    "sum": lambda: (lazy(1 << 31, 1, 2) + lazy(1, 1 << 31, 2)).sum(2),
    "copy": lambda: la.copy(lazy(HUGE)),
    "repeat": lambda: la.repeat(lazy(3), MOST),
    "repeat of each": lambda: la.repeat(lazy(6), [MOST] * 4 + [5, 5]),
    "repeat of nothing": lambda: la.repeat(lazy(0, 3), MOST, 1),
    "repeat along axes": lambda: la.repeat(lazy(1, 3), (MOST, MOST), axis=(0, 1)),
    "tile": lambda: la.tile(lazy(3), MOST),
    "tile, many axes": lambda: la.tile(lazy(3), (2,) * 64),
    "conv": lambda: nn.conv1d(ones((1, HUGE, 4)), ones((3, 4, 4))),
    "conv, one window": lambda: nn.conv1d(ones((1, HUGE, 4)), ones((3, 4, 4)), stride=HUGE),
    "conv, channels": lambda: nn.conv1d(ones((1, 5, HUGE)), ones((3, HUGE, 4))),
    "conv, columns": lambda: nn.conv1d(ones((1, 5, 4)), ones((3, 4, HUGE))),
    "conv, padding": lambda: nn.conv1d(ones((1, 5, 1)), ones((3, 1, 4)), padding=HUGE),
    "conv, dilation": lambda: nn.conv1d(ones((1, 5, 1)), ones((2, 1, 4)), padding=HUGE, dilation=HUGE),
    "conv, taps": lambda: nn.conv1d(ones((1, 5, 1)), ones((HUGE, 1, 4)), padding="same"),
    "conv_transpose": lambda: nn.conv_transpose1d(ones((1, HUGE, 4)), ones((3, 4, 4))),
    "conv_transpose, stride": lambda: nn.conv_transpose1d(ones((1, 2, 4)), ones((3, 4, 4)), stride=HUGE),
    "conv_input": lambda: grad.conv1d_input((1, HUGE, 4), ones((3, 4, 4)), ones((1, HUGE - 2, 4))),
    "conv_input, overflow": lambda: grad.conv1d_input((1, 1 << 65, 1), ones((3, 1, 1)), ones((1, 1, 1))),
    "conv_weight": lambda: grad.conv1d_weight(ones((1, HUGE, 4)), (HUGE - 2, 4, 4), ones((1, 3, 4))),
    "im2col": lambda: nn.im2col(ones((1, HUGE, 4)), (3,)),
    "im2col, padding": lambda: nn.im2col(ones((1, 5, 4)), (2,), padding=HUGE, stride=HUGE),
    "col2im": lambda: nn.col2im(ones((1, HUGE - 2, 12)), (1, HUGE, 4), (3,)),
    "max_pool": lambda: nn.max_pool1d(ones((1, HUGE, 4)), 2),
    "max_pool, no batch": lambda: nn.max_pool1d(ones((0, HUGE, 4)), 2),
    "avg_pool": lambda: nn.avg_pool1d(ones((1, HUGE, 4)), 2),
    "avg_pool gradient": lambda: grad.avg_pool1d((1, HUGE, 1), ones((1, HUGE // 2, 1)), 2),
    "upsample": lambda: nn.upsample(ones((1, HUGE, 1)), 1 << 30),
    "upsample, linear": lambda: nn.upsample(ones((1, HUGE, 1)), 1 << 30, "linear"),
}


@pytest.mark.parametrize("name", TOO_LARGE)
def test_what_no_memory_holds(name):
    with pytest.raises((MemoryError, ValueError)):
        TOO_LARGE[name]().numpy()


@pytest.mark.parametrize("call", [
    lambda: nn.conv1d(ones((0, HUGE, 4)), ones((3, 4, 4))),
    lambda: nn.im2col(ones((1, HUGE, 0)), (3,)),
    lambda: nn.col2im(ones((0, HUGE - 2, 12)), (0, HUGE, 4), (3,)),
    lambda: lazy(0, HUGE) @ lazy(HUGE, 0),
    lambda: lazy(HUGE, 0).sum(0),
])
def test_nothing_of_a_huge_extent(call):
    assert call().numpy().size == 0


def test_time_does_not_grow_with_the_stride():
    for made in (nn.conv_transpose1d(ones((1, 2, 4)), ones((3, 4, 4)), stride=1 << 16),
                 grad.conv1d_input((1, 1 << 16, 4), ones((3, 4, 4)), ones((1, 1, 4)), stride=1 << 60)):
        made = made.numpy()
        assert (made[:, :3] == 4).all()
        assert math.isclose(made.sum(), 48 * (1 if made.shape[1] == 1 << 16 else 2))
    rng = np.random.default_rng(0)
    x, w = rng.integers(0, 9, (1, 40, 3)), rng.integers(0, 9, (2, 3, 2))
    y = nn.conv1d(x, w, stride=13, padding=4, dilation=5)
    g = rng.integers(0, 9, y.shape)
    assert (y * g).sum() == (grad.conv1d_input(x.shape, w, g, stride=13, padding=4, dilation=5) * x).sum()


@pytest.mark.parametrize("ndim", [33, 40, 64])
def test_many_axes(ndim):
    lead = (1,) * (ndim - 4)
    rng = np.random.default_rng(ndim)
    a, b = rng.integers(0, 9, (*lead, 2, 1, 3, 4)), rng.integers(0, 9, (*lead, 1, 2, 4, 3))
    x, y = la.asarray(a), la.asarray(b)
    assert_same(x @ y, a @ b)
    assert_same(x + y.swapaxes(-1, -2), a + b.swapaxes(-1, -2))
    assert_same(la.sum(x, axis=tuple(range(0, ndim, 2))), a.sum(tuple(range(0, ndim, 2))))
    assert_same(la.max(x, axis=(0, -1)), a.max((0, -1)))
    assert_same(la.tile(x, 2), np.tile(a, 2))
    assert_same(la.repeat(x, (2, 3), axis=(0, ndim - 1)), a.repeat(2, 0).repeat(3, -1))
    assert_same(la.copy(x.T), a.T.copy())


def test_too_many_axes():
    x = la.asarray(np.ones((1,) * 64))
    for call in (lambda: x[None], lambda: la.expand_dims(x, 0), lambda: la.tile(x, (1,) * 65),
                 lambda: la.stack([x, x]), lambda: x[np.zeros((2, 1), int)]):
        with pytest.raises((ValueError, IndexError)):
            call()
    assert (x[..., 0].shape, x[0, None].shape, x[..., 0, None].shape) == ((1,) * 63, (1,) * 64, (1,) * 64)


class Marked(np.ndarray):
    pass


WRONG_ARRAYS = [np.ones((1, 6, 2)).astype(object), np.full((1, 6, 2), "a"), np.zeros((1, 6, 2), "M8[s]"),
                np.zeros((1, 6, 2), "m8[s]"), np.zeros((1, 6, 2), [("a", "f4")]), np.ma.array(np.ones((1, 6, 2))),
                np.ones((1, 6, 2)).view(Marked), None, object(), {}, "abc"]
OF_AN_ARRAY = {
    "conv1d x": lambda x: nn.conv1d(x, np.ones((3, 2, 2))),
    "conv1d w": lambda w: nn.conv1d(np.ones((1, 6, 6)), w),
    "conv_transpose1d x": lambda x: nn.conv_transpose1d(x, np.ones((3, 2, 2))),
    "conv1d_input g": lambda g: grad.conv1d_input((1, 8, 2), np.ones((3, 2, 2)), g),
    "conv1d_weight g": lambda g: grad.conv1d_weight(np.ones((1, 8, 2)), (3, 2, 2), g),
    "im2col x": lambda x: nn.im2col(x, (2,)),
    "col2im cols": lambda cols: nn.col2im(cols, (1, 7, 1), (2,)),
    "max_pool1d x": lambda x: nn.max_pool1d(x, 2),
    "max_pool1d g": lambda g: grad.max_pool1d(np.ones((1, 12, 2)), g, 2),
    "avg_pool1d x": lambda x: nn.avg_pool1d(x, 2),
    "avg_pool1d g": lambda g: grad.avg_pool1d((1, 12, 2), g, 2),
    "adaptive_avg_pool1d x": lambda x: nn.adaptive_avg_pool1d(x, 2),
    "adaptive_avg_pool1d g": lambda g: grad.adaptive_avg_pool1d((1, 12, 2), g),
    "upsample x": lambda x: nn.upsample(x, 2),
    "upsample g": lambda g: grad.upsample((1, 3, 2), g, 2),
}


@pytest.mark.parametrize("name", OF_AN_ARRAY)
def test_arrays_that_are_not_numeric(name):
    argument = name.split()[1]
    assert OF_AN_ARRAY[name](np.ones((1, 6, 2))).numpy().size
    for x in WRONG_ARRAYS:
        with la.no_evaluation(), pytest.raises(TypeError, match=f"^{argument} must be an array"):
            OF_AN_ARRAY[name](x)


X = np.ones((1, 6, 7, 2))
SETTINGS = {
    "window": [lambda v: nn.max_pool2d(X, v), lambda v: nn.avg_pool2d(X, v), lambda v: nn.im2col(X, (v, v))],
    "stride": [lambda v: nn.max_pool2d(X, 2, stride=v), lambda v: nn.conv2d(X, np.ones((2, 2, 2, 2)), stride=v)],
    "dilation": [lambda v: nn.max_pool2d(X, 2, dilation=v), lambda v: nn.conv2d(X, np.ones((2, 2, 2, 2)), dilation=v)],
    "output_size": [lambda v: nn.adaptive_avg_pool2d(X, v)],
    "scale": [lambda v: nn.upsample(X, v), lambda v: nn.upsample(X, v, "linear")],
}
WRONG_SETTINGS = [(0, ValueError), (-1, ValueError), ("2", TypeError), ("same", TypeError), (1j, TypeError),
                  ((2, 2, 2), (ValueError, TypeError)), ((), (ValueError, TypeError)), ({}, (ValueError, TypeError))]


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize(("value", "error"), WRONG_SETTINGS)
def test_settings_name_themselves(name, value, error):
    for call in SETTINGS[name]:
        assert call(1).numpy().size
        with la.no_evaluation(), pytest.raises(error, match=f"^{name} must"):
            call(value)


def test_numbers_are_given_in_any_sequence():
    w = np.ones((2, 3, 2, 2))
    for two in ((1, 2), [1, 2], np.array([1, 2]), la.array([1, 2]), (True, np.int8(2)), range(1, 3)):
        assert_same(nn.max_pool2d(X, two), nn.max_pool2d(X, (1, 2)).numpy())
        assert_same(nn.conv2d(X, w, stride=two), nn.conv2d(X, w, stride=(1, 2)).numpy())
        assert_same(nn.upsample(X, two), nn.upsample(X, (1, 2)).numpy())


@pytest.mark.parametrize("repeats", [(-1, 2), (1.5, 2), ("a", 2), (None, 2), ([1, 2, 3], 2), ([[1, 2]], 2),
                                     ([1, -2], 2), (2,)])
def test_repeats_along_axes_name_themselves(repeats):
    with pytest.raises(ValueError, match=r"^repeat: .*repeats"):
        la.repeat(la.ones((2, 3)), repeats, axis=(0, 1))
