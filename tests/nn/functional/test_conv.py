"""Convolutions and their gradients against sums tap by tap: all forms of arguments, dtypes, layouts, vector widths."""

import numpy as np
import pytest
import scipy.signal
from hypothesis import given
from hypothesis import strategies as st

import lazyarr as la
from support import conv_problems, reference_kernels, sample_values
from support.lazy_helpers import assert_same, pending

KINDS = ("conv", "input", "weight", "transpose")
DTYPES = st.sampled_from((*conv_problems.NATIVE, *conv_problems.NATIVE, *sample_values.DTYPES))


def public(kind, ndim):
    """Return the function of la.nn for this number of axes."""
    if kind in ("conv", "transpose"):
        return getattr(la.nn, f"{kind}{ndim}d" if kind == "conv" else f"conv_transpose{ndim}d")
    return getattr(la.nn.grad, f"conv{ndim}d_{kind}")


def compare(problem, kind, dtypes):
    """Compare one function on one problem."""
    shapes = {"conv": (problem.x, problem.w), "weight": (problem.x, problem.y)}.get(kind, (problem.w, problem.y))
    a, b = [problem.array(shape, dtype, i) for i, (shape, dtype) in enumerate(zip(shapes, dtypes, strict=True))]
    settings, groups = problem.settings, problem.groups
    function = public(kind, problem.ndim)
    keywords = {**problem.given, "groups": groups}
    with conv_problems.vectors(problem.width):
        if kind == "conv":
            conv_problems.check(function(la.asarray(a), b, **keywords),
                                lambda x, w: reference_kernels.conv(x, w, *settings, groups), a, b)
        elif kind == "weight":
            conv_problems.check(function(a, problem.w, la.asarray(b), **keywords),
                                lambda x, g: reference_kernels.conv_weight(x, problem.w, g, *settings, groups), a, b)
        elif kind == "input":
            conv_problems.check(function(problem.x, la.asarray(a), b, **keywords),
                                lambda w, g: reference_kernels.conv_input(problem.x, w, g, *settings, groups), a, b)
        else:
            stride, pads, dilation = settings
            keywords["padding"] = pads  # "same" pads for the extents of the other side
            shape = problem.x[0], *[max((n - 1) * s + (t - 1) * d + 1 - sum(pad), 0) for n, t, s, pad, d in
                                    zip(b.shape[1:-1], a.shape, stride, pads, dilation, strict=False)], problem.x[-1]
            if 0 not in shape[1:-1]:
                conv_problems.check(function(b, a, **keywords),
                                    lambda w, g: reference_kernels.conv_input(shape, w, g, *settings, groups), a, b)


@pytest.mark.parametrize("kind", KINDS)
@given(conv_problems.problems(), DTYPES)
def test_one_dtype(kind, problem, dtype):
    compare(problem, kind, (dtype, dtype))


@given(conv_problems.problems(), st.sampled_from(KINDS), DTYPES, DTYPES)
def test_mixed_dtypes(problem, kind, a, b):
    compare(problem, kind, (a, b))


@given(conv_problems.problems())
def test_gradients_are_transposes(problem):
    rng = np.random.default_rng(problem.seed)
    x, w, g = [rng.integers(-9, 10, shape) for shape in (problem.x, problem.w, problem.y)]
    keywords = {**problem.given, "groups": problem.groups}
    y = public("conv", problem.ndim)(x, w, **keywords)
    dx = public("input", problem.ndim)(x.shape, w, g, **keywords)
    dw = public("weight", problem.ndim)(x, w.shape, g, **keywords)
    assert (y * g).sum() == (x * dx).sum() == (w * dw).sum()


@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_against_scipy(ndim):
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((2, *(9, 8, 7)[:ndim], 5)), rng.standard_normal((*(2, 3, 4)[:ndim], 5, 3))
    expected = [[scipy.signal.correlate(image, w[..., k], "valid")[..., 0] for k in range(3)] for image in x]
    got = public("conv", ndim)(x, w)
    assert conv_problems.near(got, np.moveaxis(expected, 1, -1))


@pytest.mark.parametrize("padding", [0, 1, ((2, 0), (0, 1)), "same", "valid"])
@pytest.mark.parametrize("output_padding", [0, 1, (2, 0)])
def test_transposed_extents(padding, output_padding):
    x, w = data("int64", (2, 4, 5, 6)), data("int64", (3, 2, 4, 6))
    stride = 3, 2
    pads = {0: [(0, 0)] * 2, 1: [(1, 1)] * 2, "valid": [(0, 0)] * 2, "same": [(0, 0)] * 2}.get(padding, padding)
    more = (output_padding,) * 2 if isinstance(output_padding, int) else output_padding
    shape = [(n - 1) * s + t - sum(pad) + extra
             for n, s, t, pad, extra in zip((4, 5), stride, (3, 2), pads, more, strict=True)]
    got = la.nn.conv_transpose2d(x, w, stride=stride, padding=padding, output_padding=output_padding)
    assert_same(got, reference_kernels.conv_input((2, *shape, 4), w, x, stride, pads, (1, 1)))


@pytest.mark.parametrize(("taps", "stride"), [(1, 3), (2, 3), (3, 2), (4, 2), (5, 2), (5, 1)])
def test_same_multiplies_extents_when_transposed(taps, stride):
    x, w = data("int64", (1, 5, 2)), data("int64", (taps, 3, 2))
    got = la.nn.conv_transpose1d(x, w, stride=stride, padding="same")
    assert got.shape == (1, 5 * stride, 3)
    assert_same(got, la.nn.grad.conv1d_input(got.shape, w, x, stride=stride, padding="same").numpy())


def data(dtype, shape, seed=0):
    return conv_problems.data(dtype, shape, seed)


@pytest.mark.parametrize("dtype", conv_problems.NATIVE)
def test_the_number_of_threads_does_not_show(dtype):
    x, w, g = data(dtype, (2, 30, 34, 24)), data(dtype, (3, 3, 24, 40)), data(dtype, (2, 28, 32, 40))
    results = []
    for threads in (1, 2, 3):
        with la.config(num_threads=threads):
            made = [la.nn.conv2d(x, w), la.nn.conv_transpose2d(g, w, stride=2), la.nn.grad.conv2d_input(x.shape, w, g),
                    la.nn.grad.conv2d_weight(x, w.shape, g)]
            results.append([y.numpy() for y in made])
    for others in results[1:]:
        for expected, got in zip(results[0], others, strict=True):
            assert got.tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_threads_share_rows_of_complex_weights(dtype):
    x, g = data(dtype, (1, 6004, 13)), data(dtype, (1, 6000, 3))
    with la.config(num_threads=3):  # 5 * 13 numbers in three parts: halves of numbers
        conv_problems.check(la.nn.grad.conv1d_weight(x, (5, 13, 3), g),
                            lambda x, g: reference_kernels.conv_weight(x, (5, 13, 3), g, (1,), [(0, 0)], (1,)), x, g)


@pytest.mark.parametrize("dtype", ["float32", "complex128", "int64"])
@pytest.mark.parametrize("width", [0, 1, 2])
def test_more_channels_than_a_block_holds(dtype, width):
    x, w = data(dtype, (1, 5, 6, 1100)), data(dtype, (2, 2, 1100, 70))
    g = data(dtype, (1, 4, 5, 70))
    settings = (1, 1), [(0, 0)] * 2, (1, 1)
    with conv_problems.vectors(width):
        conv_problems.check(la.nn.conv2d(x, w), lambda x, w: reference_kernels.conv(x, w, *settings), x, w)
        conv_problems.check(la.nn.grad.conv2d_input(x.shape, w, g),
                            lambda w, g: reference_kernels.conv_input(x.shape, w, g, *settings), w, g)
        conv_problems.check(la.nn.grad.conv2d_weight(x, w.shape, g),
                            lambda x, g: reference_kernels.conv_weight(x, w.shape, g, *settings), x, g)


def test_depthwise():
    x, w = data("int32", (2, 7, 8, 19)), data("int32", (3, 3, 1, 38))
    assert_same(la.nn.conv2d(x, w, groups=19), reference_kernels.conv(x, w, (1, 1), [(0, 0)] * 2, (1, 1), 19))


@pytest.mark.parametrize("width", range(3))
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "uint8", "float16", "complex64"])
@pytest.mark.parametrize(("channels", "settings"), [
    (5, ((1, 1), [(1, 1), (1, 1)], (1, 1))), (70, ((2, 1), [(0, 1), (2, 0)], (1, 2))),
    (131, ((3, 2), [(1, 1), (0, 0)], (2, 1))),
])
def test_each_channel_by_itself(channels, settings, dtype, width):
    shape, taps = (2, 9, 20, channels), (3, 2, 1, channels)
    x, w = (np.random.default_rng(0).integers(0, 4, form).astype(dtype) for form in (shape, taps))
    keywords = dict(zip(("stride", "padding", "dilation"), settings, strict=True), groups=channels)
    expected = reference_kernels.conv(x, w, *settings, channels)
    g = np.random.default_rng(1).integers(0, 4, expected.shape).astype(dtype)
    for threads in (1, 3):
        with conv_problems.vectors(width), la.config(num_threads=threads):
            assert_same(la.nn.conv2d(x, w, **keywords), expected)
            assert_same(la.nn.grad.conv2d_input(shape, w, g, **keywords),
                        reference_kernels.conv_input(shape, w, g, *settings, channels))
            assert_same(la.nn.grad.conv2d_weight(x, taps, g, **keywords),
                        reference_kernels.conv_weight(x, taps, g, *settings, channels))


def test_threads_do_not_show_in_sums_of_each_channel():
    rng = np.random.default_rng(0)
    x, g = rng.standard_normal((1, 3000, 40)), rng.standard_normal((1, 3000, 40))
    results = set()
    for threads in (1, 2, 3, 5):
        with la.config(num_threads=threads):
            made = la.nn.grad.conv1d_weight(la.asarray(x), (3, 1, 40), g, padding=1, groups=40)
            results.add(made.numpy().tobytes())
    assert len(results) == 1


def test_half_precision_rounds_once():
    x, w = data("float16", (2, 9, 9, 17)), data("float16", (3, 3, 17, 5))
    for made, wide in [(la.nn.conv2d(x, w), la.nn.conv2d(x.astype("f4"), w.astype("f4"))),
                       (la.nn.grad.conv2d_weight(x, (1, 1, 17, 17), x),
                        la.nn.grad.conv2d_weight(x.astype("f4"), (1, 1, 17, 17), x.astype("f4")))]:
        assert_same(made, wide.numpy().astype("f2"))


def test_overflow_of_half_precision_is_reported_for_the_convolution():
    y = la.nn.conv1d(np.full((1, 2, 1), 300, "f2"), np.full((1, 1, 1), 300, "f2"))
    with pytest.warns(RuntimeWarning, match="overflow encountered in conv1d"):
        y.numpy()


def test_both_names_of_an_integer():
    x, w = data("int64", (1, 5, 2)), data("int64", (3, 2, 2))
    expected = reference_kernels.conv(x, w, (1,), [(0, 0)], (1,))
    for a in (np.longlong, np.int_):
        for b in (np.longlong, np.int_):
            assert_same(la.nn.conv1d(x.astype(a), w.astype(b)), expected)


def test_no_number_is_conjugated():
    x, w = np.array([[[1j]]]), np.array([[[1j]]])
    for y in (la.nn.conv1d(x, w), la.nn.conv_transpose1d(x, w), la.nn.grad.conv1d_input((1, 1, 1), w, x),
              la.nn.grad.conv1d_weight(x, (1, 1, 1), x)):
        assert_same(y, np.array([[[-1 + 0j]]]))


@pytest.mark.parametrize(("x", "w", "keywords", "shape"), [
    ((0, 5, 2), (3, 2, 4), {}, (0, 3, 4)),
    ((2, 5, 0), (3, 0, 4), {}, (2, 3, 4)),
    ((2, 5, 2), (3, 2, 0), {}, (2, 3, 0)),
    ((2, 0, 2), (3, 2, 4), {"padding": 2}, (2, 2, 4)),
    ((2, 0, 2), (3, 2, 4), {"padding": "same"}, (2, 0, 4)),
    ((2, 0, 2), (3, 2, 4), {"padding": "same", "stride": 5}, (2, 0, 4)),
    ((2, 5, 0), (3, 0, 0), {"groups": 3}, (2, 3, 0)),
])
@pytest.mark.parametrize("dtype", ["float32", "longdouble", "bool"])
def test_nothing_to_sum(x, w, keywords, shape, dtype):
    y = la.nn.conv1d(np.ones(x, dtype), np.ones(w, dtype), **keywords)
    assert_same(y, np.zeros(shape, dtype))
    g = np.ones(shape, dtype)
    assert_same(la.nn.grad.conv1d_input(x, np.ones(w, dtype), g, **keywords), np.zeros(x, dtype))
    assert_same(la.nn.grad.conv1d_weight(np.ones(x, dtype), w, g, **keywords), np.zeros(w, dtype))


@pytest.mark.parametrize("extent", [0, 1, 3])
def test_transpose_of_nothing(extent):
    x = np.ones((2, extent, 0 if extent else 4))
    y = la.nn.conv_transpose1d(x, np.ones((3, 5, x.shape[-1])), stride=2)
    assert_same(y, reference_kernels.conv_input(y.shape, np.ones((3, 5, x.shape[-1])), x, (2,), [(0, 0)], (1,)))
    assert y.shape == (2, max(2 * extent + 1, 0), 5)


def test_settings_of_any_size():
    x, w = data("int64", (1, 6, 2)), data("int64", (2, 2, 3))
    assert_same(la.nn.conv1d(x, w, stride=1 << 70), la.nn.conv1d(x, w).numpy()[:, :1])
    assert_same(la.nn.conv1d(x, w[:1], dilation=1 << 70), la.nn.conv1d(x, w[:1]).numpy())
    g = data("int64", (1, 1, 3))
    assert_same(la.nn.grad.conv1d_input(x.shape, w, g, stride=1 << 70),
                reference_kernels.conv_input(x.shape, w, g, (9,), [(0, 0)], (1,)))
    assert_same(la.nn.grad.conv1d_weight(x, w.shape, g, stride=1 << 70),
                reference_kernels.conv_weight(x, w.shape, g, (9,), [(0, 0)], (1,)))


def test_numpys_integers_and_lists_are_settings():
    x, w = data("int64", (1, 6, 7, 2)), data("int64", (2, 2, 2, 3))
    expected = reference_kernels.conv(x, w, (2, 1), [(1, 0), (2, 2)], (1, 1))
    assert_same(la.nn.conv2d(x, w, stride=np.array([2, 1]), padding=[(np.int8(1), 0), 2], groups=np.int64(1)), expected)
    assert_same(la.nn.conv2d(x.tolist(), w.tolist(), stride=la.array([2, 1]), padding=la.array([[1, 0], [2, 2]])),
                expected)


def test_it_waits_and_fuses():
    x, w = data("float64", (2, 6, 7, 3)), data("float64", (3, 3, 3, 4))
    with la.no_evaluation():
        lazy = pending(x)
        y = la.maximum(la.nn.conv2d(lazy * 2 + 1, w, padding=1) + la.arange(4.0), 0)
        dx = la.nn.grad.conv2d_input(x.shape, w, y - 1, padding=1) * 2
        dw = la.nn.grad.conv2d_weight(lazy, w.shape, y - 1, padding=1)[::2, 1] * 2
        up = la.nn.conv_transpose2d(y, w, stride=2)[:, 1:-1]
    settings = (1, 1), [(1, 1)] * 2, (1, 1)
    expected = np.maximum(reference_kernels.conv(x * 2 + 1, w, *settings) + np.arange(4.0), 0)
    assert conv_problems.near(y, expected)
    assert conv_problems.near(dx, reference_kernels.conv_input(x.shape, w, expected - 1, *settings) * 2)
    assert conv_problems.near(dw, reference_kernels.conv_weight(x, w.shape, expected - 1, *settings)[::2, 1] * 2)
    whole = reference_kernels.conv_input((2, 13, 15, 3), w, expected, (2, 2), [(0, 0)] * 2, (1, 1))
    assert conv_problems.near(up, whole[:, 1:-1])


@pytest.mark.parametrize("make", [la.array, pending, np.array])
def test_later_writes_do_not_show(make):
    x, w, g = data("int64", (1, 5, 6, 2)), data("int64", (2, 2, 2, 3)), data("int64", (1, 4, 5, 3))
    a, b, c = make(x), make(w), make(g)
    y, dx, dw = la.nn.conv2d(a, b), la.nn.grad.conv2d_input(x.shape, b, c), la.nn.grad.conv2d_weight(a, w.shape, c)
    a[0] = 7
    b += 1
    c[..., 1:] *= 2
    settings = (1, 1), [(0, 0)] * 2, (1, 1)
    assert_same(y, reference_kernels.conv(x, w, *settings))
    assert_same(dx, reference_kernels.conv_input(x.shape, w, g, *settings))
    assert_same(dw, reference_kernels.conv_weight(x, w.shape, g, *settings))


def test_results_can_be_written_to():
    x, w = data("int64", (1, 5, 2)), data("int64", (2, 2, 3))
    y = la.nn.conv1d(x, w)
    y[:, 1:] += 5
    expected = reference_kernels.conv(x, w, (1,), [(0, 0)], (1,))
    expected[:, 1:] += 5
    assert_same(y, expected)


def test_read_only_inputs_stay_as_they_are():
    x, w = data("float32", (1, 5, 6, 2)), data("float32", (2, 2, 2, 3))
    before = x.tobytes(), w.tobytes()
    x.flags.writeable = w.flags.writeable = False
    la.nn.conv2d(x, w).numpy()
    assert (x.tobytes(), w.tobytes()) == before
