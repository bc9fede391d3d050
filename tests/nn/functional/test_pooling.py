"""Pooling and upsampling against their definitions, position by position, and gradients as transposes."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core.host import allocator
from lazyarr._core.kernels import pooling
from lazyarr.ops import pooling_tables
from support import reference_kernels, sample_values
from support.lazy_helpers import assert_same, pending

REAL = [name for name in sample_values.DTYPES if name not in sample_values.COMPLEX]
FLOATS = ["float16", "float32", "float64", "longdouble", "complex64", "complex128", "clongdouble"]


# ---- the problems ----------------------------------------------------------------------------------------


def random_places(rng, ndim, dilated):
    """Yield extents, windows, strides, paddings, dilations and ceil_mode, such that a window fits."""
    while True:
        spatial, window, stride = rng.integers(1, 8, ndim), rng.integers(1, 5, ndim), rng.integers(1, 4, ndim)
        padding = rng.integers(0, window // 2 + 1)
        dilation = rng.integers(1, 4, ndim) if dilated else np.ones(ndim, int)
        if (dilation * (window - 1) < spatial + 2 * padding).all():
            place = [tuple(map(int, v)) for v in (window, stride, padding, dilation)]
            return tuple(map(int, spatial)), (*place, bool(rng.integers(2)))


def keywords(stride, padding, dilation, ceil_mode):
    return dict(stride=stride, padding=padding, dilation=dilation, ceil_mode=ceil_mode)


def matrix(function, spatial):
    """Return the matrix of a linear function on the pixels of a single channel: [pixel, *positions]."""
    basis = np.eye(math.prod(spatial)).reshape(-1, *spatial, 1)
    return function(basis).numpy()[..., 0]


def assert_transposed(function, gradient, spatial, rng, exact=False):
    """Compare the gradient with the transpose; exactly for whole numbers, if windows divide without remainder."""
    m = matrix(function, spatial)
    g = rng.integers(-4, 5, (2, *m.shape[1:], 3)).astype(float)
    expected = np.einsum("pk,bkc->bpc", m.reshape(len(m), -1), g.reshape(2, -1, 3)).reshape(2, *spatial, 3)
    result = gradient((2, *spatial, 3), g)
    assert result.shape == expected.shape
    np.testing.assert_allclose(result.numpy(), expected, rtol=0, atol=0 if exact else 1e-13)


# ---- maxima ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_max_pool(ndim, dtype):
    rng = np.random.default_rng(ndim)
    for seed in range(12):
        spatial, place = random_places(rng, ndim, True)
        x = sample_values.make(dtype, (2, *spatial, int(rng.choice([1, 3, 20]))), seed)
        with np.errstate(invalid="ignore"):
            expected = reference_kernels.max_pool(x, *place)
        result = getattr(la.nn, f"max_pool{ndim}d")(pending(x), place[0], **keywords(*place[1:])).numpy()
        assert result.dtype == expected.dtype
        np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float32", "float64", "longdouble"])
@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_gradient_of_max_pool(ndim, dtype):
    rng = np.random.default_rng(10 + ndim)
    for seed in range(8):
        spatial, place = random_places(rng, ndim, True)
        x = sample_values.make(dtype, (2, *spatial, int(rng.choice([1, 3]))), seed)
        shape = reference_kernels.max_pool(x, *place).shape
        g = rng.integers(-4, 5, shape).astype("float64" if x.dtype.kind in "biu" else dtype)
        result = getattr(la.nn.grad, f"max_pool{ndim}d")(x, pending(g), place[0], **keywords(*place[1:]))
        assert_same(result, reference_kernels.max_pool_gradient(x, g, *place))


def test_gradient_goes_to_the_first_maximum():
    x = np.array([1, 5, 5, 2, 5], float).reshape(1, 5, 1)
    g = np.ones((1, 3, 1))
    assert la.nn.grad.max_pool1d(x, g, 3, stride=1).numpy().ravel().tolist() == [0, 2, 1, 0, 0]
    x[0, 2:4] = np.nan
    assert la.nn.grad.max_pool1d(x, g, 3, stride=1).numpy().ravel().tolist() == [0, 0, 3, 0, 0]


@pytest.mark.parametrize("dtype", ["float32", "float64", "longdouble"])
@pytest.mark.parametrize("channels", [1, 2, 4, 9, 16, 70])
@pytest.mark.parametrize("window", [127, 128, 129, 300])
def test_gradient_of_windows_of_many_taps(window, channels, dtype):
    """The last tap of each may be the maximum; its number takes eight bits or more."""
    x = np.arange(301 * channels, dtype=dtype).reshape(1, 301, channels)
    x[:, ::7] *= -1
    place = (window,), (1,), (0,), (1,), False
    g = sample_values.make(dtype, reference_kernels.max_pool(x, *place).shape, 0)
    result = la.nn.grad.max_pool1d(x, pending(g), window, stride=1)
    assert_same(result, reference_kernels.max_pool_gradient(x, g, *place))


def test_second_derivative_of_a_dilated_window():
    """The distance of taps exceeds the range of tap numbers."""
    x = la.array(np.random.default_rng(0).standard_normal((1, 400, 2)))

    def loss(x):
        return (la.nn.max_pool1d(x, 3, stride=1, dilation=150) ** 3).sum()

    places = np.arange(100)[:, None] + 150 * np.argmax([x.numpy()[0, 150 * k:150 * k + 100] for k in range(3)], 0)
    expected = np.zeros((400, 2))
    for column in range(2):
        np.add.at(expected[:, column], places[:, column], 6 * x.numpy()[0, places[:, column], column])
    got = la.hvp(loss, (x,), (la.ones_like(x),))
    np.testing.assert_allclose(np.asarray(got).reshape(400, 2), expected, rtol=1e-12)


def test_places_are_found_in_the_arrays_own_dtype():
    x = np.array([2**53, 2**53 + 1]).reshape(1, 2, 1)
    assert la.nn.grad.max_pool1d(x, np.ones((1, 1, 1), "float32"), 2).numpy().ravel().tolist() == [0, 1]


def test_windows_of_nothing_but_padding():
    x = np.ones((1, 1, 2), "float32")
    assert la.nn.max_pool1d(x, 2, padding=1, dilation=2).numpy().tolist() == [[[-np.inf] * 2]]
    assert la.nn.grad.max_pool1d(x, x, 2, padding=1, dilation=2).numpy().tolist() == [[[0, 0]]]


# ---- means -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint32", "int64", *FLOATS])
@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_avg_pool(ndim, dtype):
    rng = np.random.default_rng(20 + ndim)
    for seed in range(0, 36, 3):  # small whole eighths, whose sums are exact
        spatial, (window, stride, padding, _, ceil_mode) = random_places(rng, ndim, False)
        x = sample_values.make(dtype, (2, *spatial, int(rng.choice([1, 3, 20]))), seed)
        include_pad = bool(seed % 2)
        expected = reference_kernels.avg_pool(x, window, stride, padding, ceil_mode, include_pad)
        result = getattr(la.nn, f"avg_pool{ndim}d")(pending(x), window, stride=stride, padding=padding,
                                                    ceil_mode=ceil_mode, count_include_pad=include_pad)
        assert result.dtype == expected.dtype
        np.testing.assert_allclose(result.numpy(), expected, rtol=np.finfo(expected.dtype).eps, atol=0)


@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_gradient_of_avg_pool(ndim):
    rng = np.random.default_rng(30 + ndim)
    function, gradient = getattr(la.nn, f"avg_pool{ndim}d"), getattr(la.nn.grad, f"avg_pool{ndim}d")
    for _ in range(10):
        spatial, (window, stride, padding, _, ceil_mode) = random_places(rng, ndim, False)
        for include_pad in (False, True):
            options = dict(stride=stride, padding=padding, ceil_mode=ceil_mode, count_include_pad=include_pad)
            exact = include_pad and not ceil_mode and 3 not in window
            assert_transposed(lambda x: function(x, window, **options),  # noqa: B023  called at once
                              lambda shape, g: gradient(shape, g, window, **options),  # noqa: B023
                              spatial, rng, exact)


@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_adaptive_avg_pool(ndim):
    rng = np.random.default_rng(40 + ndim)
    function, gradient = getattr(la.nn, f"adaptive_avg_pool{ndim}d"), getattr(la.nn.grad, f"adaptive_avg_pool{ndim}d")
    for seed in range(10):
        spatial, counts = (tuple(map(int, rng.integers(1, 9, ndim))) for _ in range(2))
        x = sample_values.make("float64", (2, *spatial, 3), 3 * seed)
        np.testing.assert_allclose(function(pending(x), counts), reference_kernels.adaptive_avg_pool(x, counts),
                                   rtol=1e-14, atol=1e-15)
        assert_transposed(lambda x: function(x, counts), gradient, spatial, rng)  # noqa: B023  called at once


@pytest.mark.parametrize("dtype", ["bool", "int16", *FLOATS])
def test_dtypes_of_adaptive_avg_pool(dtype):
    x = sample_values.make(dtype, (2, 5, 6, 3), 0)
    for size in (1, (2, 1), (2, 3)):
        result = la.nn.adaptive_avg_pool2d(x, size)
        assert result.dtype == x.mean(0).dtype
        expected = np.mean(x[:, 0:3 if size != 1 else 5, 0:2 if size == (2, 3) else 6], (1, 2))
        np.testing.assert_allclose(result[:, 0, 0].numpy(), expected, rtol=4 * np.finfo(expected.dtype).eps)


@pytest.mark.parametrize("dtype", ["int32", *FLOATS])
def test_dtypes_of_gradients(dtype):
    g = sample_values.make(dtype, (1, 3, 4), 0)
    expected = np.repeat(g, 2, axis=1) / np.ones((), np.mean(g).dtype) / 2
    for result in (la.nn.grad.avg_pool1d((1, 6, 4), g, 2), la.nn.grad.adaptive_avg_pool1d((1, 6, 4), g)):
        assert_same(result, expected)
    pairs = g.astype(expected.dtype)
    twice = la.nn.grad.upsample((1, 1, 4), g, 3)
    np.testing.assert_allclose(twice.numpy(), pairs.sum(1, keepdims=True), rtol=4 * np.finfo(pairs.dtype).eps)
    assert twice.dtype == expected.dtype


def test_long_doubles_are_divided_as_such():
    third = np.longdouble(1) / 3
    g = np.ones((1, 1, 1), "longdouble")
    assert (la.nn.grad.avg_pool1d((1, 3, 1), g, 3).numpy() == third).all()
    assert (la.nn.grad.adaptive_avg_pool1d((1, 3, 1), g).numpy() == third).all()


def test_last_windows_as_pytorch_has_them():
    x = la.arange(1.0, 8.0).reshape(1, 7, 1)
    options = dict(stride=3, padding=1, ceil_mode=True)
    assert la.nn.max_pool1d(x, 3, **options).ravel().numpy().tolist() == [2, 5, 7]
    assert la.nn.avg_pool1d(x, 3, **options).ravel().numpy().tolist() == [1, 4, 13 / 3]
    assert la.nn.avg_pool1d(x, 2, stride=3, padding=1, ceil_mode=True).ravel().numpy().tolist() == [0.5, 3.5, 6.5]
    assert la.nn.avg_pool1d(x, 4, stride=4, padding=2, ceil_mode=True).ravel().numpy().tolist() == [0.75, 4.5, 7 / 3]
    assert la.nn.avg_pool1d(x, 4, stride=4, padding=2, ceil_mode=True, count_include_pad=False) \
        .ravel().numpy().tolist() == [1.5, 4.5, 7]


def test_large_windows_are_summed_accurately():
    x = np.full((1, 1001, 1000, 1), 0.1, "float32")
    for result in (la.nn.avg_pool2d(x, (1000, 1000)), la.nn.adaptive_avg_pool2d(x, (1, 1)),
                   la.nn.avg_pool1d(x.reshape(1, -1, 1), 1001000)):
        np.testing.assert_allclose(result.numpy(), np.float32(0.1), rtol=1e-5)


# ---- upsampling ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_upsample(ndim):
    rng = np.random.default_rng(50 + ndim)
    for seed in range(10):
        spatial = tuple(map(int, rng.integers(1, 6, ndim)))
        scales = tuple(rng.choice([1, 2, 3, 1.5, 2.5], ndim).tolist())
        x = sample_values.make("float64", (2, *spatial, 3), 3 * seed)
        assert_same(la.nn.upsample(pending(x), scales), reference_kernels.upsample_nearest(x, scales))
        assert_transposed(lambda x: la.nn.upsample(x, scales),  # noqa: B023  called at once
                          lambda shape, g: la.nn.grad.upsample(shape, g, scales), spatial, rng, exact=True)  # noqa: B023
        for corners in (False, True):
            result = la.nn.upsample(pending(x), scales, "linear", align_corners=corners)
            np.testing.assert_allclose(result.numpy(), reference_kernels.upsample_linear(x, scales, corners),
                                       rtol=1e-13, atol=1e-14)
            options = dict(mode="linear", align_corners=corners)
            assert_transposed(lambda x: la.nn.upsample(x, scales, **options),  # noqa: B023  called at once
                              lambda shape, g: la.nn.grad.upsample(shape, g, scales, **options),  # noqa: B023
                              spatial, rng)


@pytest.mark.parametrize("align_corners", [False, True])
def test_small_weights_between_pixels_are_as_exact_as_large_ones(align_corners):
    for n, scale in itertools.product((2, 5, 90), (2, 3, 7, 1.5, 2.75)):
        count = int(n * scale)
        axis = pooling_tables.linear(n, count, scale, align_corners, False)
        for i in range(count):
            between = max(Fraction(2 * i + 1, 2) / Fraction(scale) - Fraction(1, 2), 0)
            place = min(Fraction(i * (n - 1), count - 1) if align_corners else between, n - 1)
            weights = axis.weight[axis.offset[i]:][:axis.taps[i]]
            assert axis.first[i] == place // 1
            for weight, exact in zip(weights, (1 - place % 1, place % 1), strict=False):
                assert abs(Fraction(weight) - exact) <= exact * Fraction(1, 2**52)


def test_downsampling():
    x = np.arange(8.0).reshape(1, 8, 1)
    assert la.nn.upsample(x, 0.5).numpy().ravel().tolist() == [0, 2, 4, 6]
    assert la.nn.upsample(x, 0.5, "linear").numpy().ravel().tolist() == [0.5, 2.5, 4.5, 6.5]
    assert la.nn.grad.upsample((1, 3, 1), np.ones((1, 1, 1)), 0.5).numpy().ravel().tolist() == [1, 0, 0]


@pytest.mark.parametrize("dtype", sample_values.DTYPES)
def test_dtypes_of_upsample(dtype):
    x = sample_values.make(dtype, (1, 3, 2, 4), 0)
    assert_same(la.nn.upsample(pending(x), 2), x.repeat(2, 1).repeat(2, 2))
    assert_same(la.nn.upsample(pending(x), 1.5), x[:, [0, 0, 1, 2]][:, :, [0, 0, 1]])
    result = la.nn.upsample(pending(x), 2, "linear")
    assert result.dtype == x.mean(0).dtype
    np.testing.assert_array_equal(result[:, 0, 0].numpy(), x[:, 0, 0].astype(result.dtype))


# ---- implementation --------------------------------------------------------------------------------------


@pytest.fixture
def width():
    """Return pool.set_width, whose setting is restored afterwards."""
    before = pooling.set_width(3)
    yield pooling.set_width
    pooling.set_width(before)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "uint64", "float32", "float64", "complex64"])
def test_every_width_of_vectors(dtype, width):
    for channels in (1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 32, 48, 63, 64, 65, 100, 130, 200):
        x = sample_values.make(dtype, (1, 3, 4, channels), 3 * channels)
        place = (2, 3), (1, 2), (1, 1), (1, 1), True
        results = []
        for bits in range(4):
            width(bits)
            one = []
            if np.dtype(dtype).kind != "c":
                assert_same(la.nn.max_pool2d(x, place[0], **keywords(*place[1:])),
                            reference_kernels.max_pool(x, *place))
            one.append(la.nn.avg_pool2d(x, (2, 2), padding=1).numpy())
            assert_same(one[0], reference_kernels.avg_pool(x, (2, 2), (2, 2), (1, 1), False, True))
            one.append(la.nn.grad.avg_pool2d(x.shape, one[0], 2, padding=1).numpy())
            one.append(la.nn.upsample(x, (1, 2), "linear").numpy())
            results.append(one)
        for one in results[1:]:
            for a, b in zip(one, results[0], strict=True):
                np.testing.assert_array_equal(a, b)


def test_any_number_of_threads():
    rng = np.random.default_rng(60)
    x = rng.standard_normal((2, 40, 41, 67)).astype("float32")
    long = rng.standard_normal((1, 30000, 33))

    def results():
        made = [la.nn.max_pool2d(x, 3, stride=1), la.nn.avg_pool2d(x, 3, stride=1, padding=1),
                la.nn.upsample(x, 2, "linear"), la.nn.avg_pool1d(long, 7, stride=1), la.nn.max_pool1d(long, 7)]
        made += [la.nn.grad.max_pool2d(x, made[0], 3, stride=1),
                 la.nn.grad.avg_pool2d(x.shape, made[1], 3, stride=1, padding=1),
                 la.nn.grad.upsample(x.shape, made[2], 2, "linear"),
                 la.nn.grad.avg_pool1d(long.shape, made[3], 7, stride=1), la.nn.grad.max_pool1d(long, made[4], 7)]
        return [y.numpy() for y in made]

    with la.config(num_threads=1):
        expected = results()
    np.testing.assert_array_equal(expected[0], np.lib.stride_tricks.sliding_window_view(x, (3, 3), (1, 2)).max((4, 5)))
    for threads in (2, 3):
        with la.config(num_threads=threads):
            for a, b in zip(results(), expected, strict=True):
                np.testing.assert_array_equal(a, b)


def layouts(x):
    """Yield the same values in all kinds of memory layouts."""
    wide = np.zeros(tuple(2 * n for n in x.shape), x.dtype)
    strided = wide[tuple(slice(None, None, 2) for _ in x.shape)]
    strided[...] = x
    backwards = np.ascontiguousarray(x[:, ::-1, :, ::-1])[:, ::-1, :, ::-1]
    misaligned = np.empty(x.nbytes + 1, "int8")[1:].view(x.dtype).reshape(x.shape)
    misaligned[...] = x
    frozen = x.copy()
    frozen.flags.writeable = False
    gaps = np.zeros((*x.shape[:-1], x.shape[-1] + 3), x.dtype)[..., 1:-2]
    gaps[...] = x
    return [np.asfortranarray(x), strided, backwards, misaligned, frozen, gaps, x.astype(x.dtype.newbyteorder())]


@pytest.mark.parametrize("dtype", ["int16", "float32", "float64", "complex128"])
@pytest.mark.parametrize("channels", [1, 20])
def test_any_layout(dtype, channels):
    x = sample_values.make(dtype, (2, 5, 6, channels), 3)

    def results(x):
        y = [la.nn.avg_pool2d(x, 2), la.nn.upsample(x, 2, "linear"), la.nn.adaptive_avg_pool2d(x, (2, 3)),
             la.nn.upsample(x, 2), la.nn.grad.avg_pool2d((2, 11, 13, channels), x, 2),
             la.nn.grad.upsample((2, 5, 2, channels), x, (1, 3))]
        if np.dtype(dtype).kind != "c":
            g = np.ones((2, 4, 5, channels))
            y += [la.nn.max_pool2d(x, 2), la.nn.grad.max_pool2d(x, g, 2, stride=1),
                  la.nn.grad.max_pool2d(np.zeros((2, 10, 12, channels)), x, 2)]
        return y

    for seen in layouts(x):
        for result, expected in zip(results(seen), results(x), strict=True):
            assert_same(result, expected.numpy())
        for result, expected in zip(results(la.asarray(seen)), results(x), strict=True):
            assert_same(result, expected.numpy())


def test_broadcast_arrays_and_views():
    x = np.arange(20.0).reshape(1, 4, 5, 1)
    seen = np.broadcast_to(x, (3, 4, 5, 18))
    assert_same(la.nn.max_pool2d(seen, 2), reference_kernels.max_pool(seen, (2, 2), (2, 2), (0, 0), (1, 1), False))
    view = pending(np.arange(200.0).reshape(1, 10, 10, 2))[:, 1::2, ::-1]
    assert_same(la.nn.avg_pool2d(view, 2),
                reference_kernels.avg_pool(view.numpy(), (2, 2), (2, 2), (0, 0), False, True))


def test_it_waits():
    x = pending(sample_values.make("float32", (2, 6, 6, 4), 0))
    with la.no_evaluation():
        y = la.nn.max_pool2d(x, 2)
        z = la.nn.upsample(la.nn.avg_pool2d(y + 1, 2, padding=1), 1.5, "linear")
        dx = la.nn.grad.max_pool2d(x, la.nn.grad.avg_pool2d(y.shape, z[:, :2, :2], 2, padding=1), 2)
    assert z.shape == (2, 3, 3, 4)
    assert dx.shape == x.shape
    largest = reference_kernels.max_pool(x.numpy(), (2, 2), (2, 2), (0, 0), (1, 1), False)
    expected = reference_kernels.avg_pool(largest + 1, (2, 2), (2, 2), (1, 1), False, True)
    np.testing.assert_allclose(z.numpy(), reference_kernels.upsample_linear(expected, (1.5, 1.5), False), rtol=1e-5)


def test_nothing_but_the_result_is_allocated():
    x = la.asarray(np.ones((4, 64, 64, 32), "float32"))
    for function in (la.nn.max_pool2d, la.nn.avg_pool2d):
        function(x, 2).numpy()
        allocator.reset_peak()
        before = allocator.stats()["live_bytes"]
        result = function(x, 3, stride=2, padding=1).numpy()
        assert allocator.stats()["peak_bytes"] - before < 1.25 * result.nbytes + 65536


def test_no_batch_or_no_channels():
    for shape in ((0, 4, 4, 3), (2, 4, 4, 0)):
        x = np.ones(shape, "float32")
        small = (shape[0], 2, 2, shape[3])
        for result in (la.nn.max_pool2d(x, 2), la.nn.avg_pool2d(x, 2), la.nn.adaptive_avg_pool2d(x, 2)):
            assert_same(result, np.ones(small, "float32"))
        assert la.nn.adaptive_avg_pool2d(x, 1).numpy().shape == (shape[0], 1, 1, shape[3])
        for mode in ("nearest", "linear"):
            assert la.nn.upsample(x, 2, mode).numpy().shape == (shape[0], 8, 8, shape[3])
            assert la.nn.grad.upsample(small, x, 2, mode).numpy().shape == small
        g = np.ones(small, "float32")
        for result in (la.nn.grad.max_pool2d(x, g, 2), la.nn.grad.avg_pool2d(shape, g, 2),
                       la.nn.grad.adaptive_avg_pool2d(shape, g)):
            assert_same(result, x)


# ---- invalid input ---------------------------------------------------------------------------------------

X = np.ones((1, 4, 4, 2))
G = np.ones((1, 2, 2, 2))


@pytest.mark.parametrize("names, arguments", [
    ("window", (X, 0)), ("window", (X, -1)), ("window", (X, (2, 0))), ("window", (X, (2, 2, 2))), ("window", (X, 5)),
    ("window", (X, 2**40)), ("stride", (X, 2, dict(stride=0))), ("stride", (X, 2, dict(stride=(1, -1)))),
    ("padding", (X, 2, dict(padding=2))), ("padding", (X, 3, dict(padding=(1, 2)))),
    ("padding", (X, 2, dict(padding=-1))), ("x must have 4 axes", (X[0], 2)), ("x must have 4 axes", (X[None], 2)),
    ("x must not have an empty spatial axis", (X[:, :0], 2)),
])
@pytest.mark.parametrize("function", ["max_pool2d", "avg_pool2d"])
def test_wrong_values(function, names, arguments):
    x, window, *options = arguments
    options = options[0] if options else {}
    with pytest.raises(ValueError, match=names):
        getattr(la.nn, function)(x, window, **options)
    first = x if function == "max_pool2d" else x.shape
    with pytest.raises(ValueError, match=names.replace("x must", "must")):
        getattr(la.nn.grad, function)(first, G, window, **options)


@pytest.mark.parametrize("names, call", [
    ("window", lambda: la.nn.max_pool2d(X, 2.5)),
    ("window", lambda: la.nn.avg_pool2d(X, (2, None))),
    ("stride", lambda: la.nn.max_pool2d(X, 2, stride="a")),
    ("padding", lambda: la.nn.avg_pool2d(X, 2, padding=0.5)),
    ("dilation", lambda: la.nn.max_pool2d(X, 2, dilation=1.0)),
    ("^x must be real", lambda: la.nn.max_pool2d(X + 0j, 2)),
    ("^x must be real", lambda: la.nn.grad.max_pool2d(X + 0j, G, 2)),
    ("^g must be real", lambda: la.nn.grad.max_pool2d(X, G + 0j, 2)),
    ("^x must be an array of numbers", lambda: la.nn.avg_pool2d(X.astype(object), 2)),
    ("^x must be an array of numbers", lambda: la.nn.max_pool2d(X.astype("M8[s]"), 2)),
    ("^x must be an array of numbers", lambda: la.nn.upsample(X.astype("U1"), 2)),
    ("^x must be an array, not MaskedArray", lambda: la.nn.max_pool2d(np.ma.masked_array(X), 2)),
    ("^g must be an array of numbers", lambda: la.nn.grad.avg_pool2d(X.shape, G.astype(object), 2)),
    ("output_size", lambda: la.nn.adaptive_avg_pool2d(X, 1.5)),
    ("input_shape", lambda: la.nn.grad.avg_pool2d((1, 4, 4.0, 2), G, 2)),
    ("scale", lambda: la.nn.upsample(X, "2")),
    ("scale", lambda: la.nn.upsample(X, (2, 1j))),
])
def test_wrong_types(names, call):
    with pytest.raises(TypeError, match=names):
        call()


@pytest.mark.parametrize("names, call", [
    ("dilation", lambda: la.nn.max_pool2d(X, 2, dilation=0)),
    ("dilated by", lambda: la.nn.max_pool2d(X, 3, dilation=2)),
    ("larger than the padded input", lambda: la.nn.avg_pool1d(X[0], 5)),
    ("window", lambda: la.nn.max_pool3d(np.ones((1, 2, 2, 2, 1)), 2000, padding=1000)),
    ("output_size", lambda: la.nn.adaptive_avg_pool2d(X, 0)),
    ("output_size", lambda: la.nn.adaptive_avg_pool2d(X, (1, 2, 3))),
    ("x must have 3 to 5 axes", lambda: la.nn.upsample(X[0, 0], 2)),
    ("empty spatial axis", lambda: la.nn.upsample(X[:, :, :0], 2)),
    ("scale", lambda: la.nn.upsample(X, 0)),
    ("scale", lambda: la.nn.upsample(X, (2, -1.0))),
    ("scale", lambda: la.nn.upsample(X, float("nan"))),
    ("scale", lambda: la.nn.upsample(X, float("inf"))),
    ("scale", lambda: la.nn.upsample(X, 0.2)),
    ("scale", lambda: la.nn.upsample(X, (1, 2, 3))),
    ("mode", lambda: la.nn.upsample(X, 2, "cubic")),
    ("align_corners", lambda: la.nn.upsample(X, 2, align_corners=True)),
    ("g must have the shape", lambda: la.nn.grad.max_pool2d(X, X, 2)),
    ("g must have the shape", lambda: la.nn.grad.avg_pool2d(X.shape, G[..., :1], 2)),
    ("g must have the shape", lambda: la.nn.grad.adaptive_avg_pool2d((2, 4, 4, 2), G)),
    ("g must have the shape", lambda: la.nn.grad.upsample(X.shape, X, 2)),
    ("g must have 4 axes", lambda: la.nn.grad.adaptive_avg_pool2d(X.shape, G[0])),
    ("input_shape", lambda: la.nn.grad.avg_pool2d((1, -4, 4, 2), G, 2)),
    ("input_shape", lambda: la.nn.grad.avg_pool2d((1, 4, 2), G, 2)),
    ("^input_shape must not have an empty spatial axis", lambda: la.nn.grad.upsample((1, 0, 4, 2), G, 2)),
])
def test_what_does_not_fit(names, call):
    with pytest.raises(ValueError, match=names):
        call()
