"""Activations against their definitions, derivatives against differences, and both for huge arguments."""

import numpy as np
import pytest
import scipy.special

import lazyarr as la
from lazyarr import nn
from lazyarr._core import api as core
from support.finite_differences import check

HUGE = np.array([-1e6, -1000.0, -750.0, -100.0, -30.0, -1.5, -1e-8, 0.0, 1e-8, 1.5, 30.0, 100.0, 750.0, 1000.0, 1e6])


def normal_cdf(x):
    return scipy.special.ndtr(x)


def normal_density(x):
    return np.exp(-x * x / 2) / np.sqrt(2 * np.pi)


def gelu_tanh(x):
    return x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def gelu_tanh_slope(x):
    t = np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))
    return (1 + t) / 2 + x / 2 * (1 - t * t) * np.sqrt(2 / np.pi) * (1 + 3 * 0.044715 * x**2)


expit = scipy.special.expit
# The function, definition and derivative of each activation.
CASES = {
    "relu": (nn.relu, lambda x: np.maximum(x, 0), lambda x: np.where(x > 0, 1.0, 0.0)),
    "leaky_relu": (lambda x: nn.leaky_relu(x, 0.2), lambda x: np.where(x > 0, x, 0.2 * x),
                   lambda x: np.where(x > 0, 1.0, 0.2)),
    "elu": (lambda x: nn.elu(x, 1.5), lambda x: np.where(x > 0, x, 1.5 * np.expm1(np.minimum(x, 0))),
            lambda x: np.where(x > 0, 1.0, 1.5 * np.exp(np.minimum(x, 0)))),
    "sigmoid": (nn.sigmoid, expit, lambda x: expit(x) * expit(-x)),
    "log_sigmoid": (nn.log_sigmoid, scipy.special.log_expit, lambda x: expit(-x)),
    "softplus": (nn.softplus, lambda x: np.logaddexp(x, 0), expit),
    "silu": (nn.silu, lambda x: x * expit(x), lambda x: expit(x) * (1 + x * expit(-x))),
    "tanh": (nn.tanh, np.tanh, lambda x: 1 - np.tanh(x)**2),
    "gelu": (nn.gelu, lambda x: x * normal_cdf(x), lambda x: normal_cdf(x) + x * normal_density(x)),
    "gelu tanh": (lambda x: nn.gelu(x, approximate=True), gelu_tanh, gelu_tanh_slope),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_values_and_slopes_of_arguments_of_any_size(name, dtype):
    f, definition, slope = CASES[name]
    tolerance = dict(rtol=4e-6, atol=1e-37) if dtype == "float32" else dict(rtol=1e-13, atol=1e-300)
    x = HUGE.astype(dtype)
    y, found = f(la.asarray(x)), la.grad(lambda x: f(x).sum())(la.asarray(x))
    assert y.dtype == found.dtype == dtype
    expected = definition(x.astype(float))
    np.testing.assert_allclose(y, expected, **tolerance)
    np.testing.assert_allclose(found, slope(x.astype(float)), rtol=tolerance["rtol"],
                               atol=1e-7 if dtype == "float32" else 1e-15)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_the_largest_arguments_have_slopes(name, dtype):
    f, *_ = CASES[name]
    most = float(np.finfo(dtype).max) / 2
    x = la.array([-most, -most**0.5, -300.0, 300.0, most**0.5, most], dtype)
    with np.errstate(over="ignore"):
        slopes = la.grad(lambda x: f(x).sum())(x).numpy()
    low = {"leaky_relu": 0.2, "log_sigmoid": 1}.get(name, 0)
    np.testing.assert_allclose(slopes[:3], [low] * 3, rtol=1e-3, atol=1e-30)
    high = {"sigmoid": 0, "tanh": 0, "log_sigmoid": 0}.get(name, 1)
    np.testing.assert_allclose(slopes[3:], [high] * 3, rtol=1e-3, atol=1e-30)


@pytest.mark.parametrize("name", CASES)
def test_against_differences(name):
    f, definition, _ = CASES[name]
    x = np.random.default_rng(0).uniform(-3, 3, (3, 4))
    check(f, [x], definition, exact=False)


@pytest.mark.parametrize("name", CASES)
def test_nan_stays_and_infinities_have_their_limits(name):
    f, definition, _ = CASES[name]
    with np.errstate(all="ignore"):
        y = f(la.array([np.nan, np.inf, -np.inf])).numpy()
        expected = definition(np.array([np.nan, np.inf, -np.inf]))
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("name", [*CASES, "softmax", "log_softmax"])
def test_integers_count_as_float64_and_others_are_refused(name):
    f = CASES[name][0] if name in CASES else getattr(nn, name)
    np.testing.assert_allclose(f([[1, 2], [-3, 4]]), f(la.array([[1.0, 2.0], [-3.0, 4.0]])))
    assert f([[1, 2], [-3, 4]]).dtype == float
    with pytest.raises(TypeError, match=f"{name.split()[0]}: x must be of real numbers, got complex128"):
        f(la.ones(3, complex))
    with pytest.raises(TypeError, match=f"{name.split()[0]}: x must be an array"):
        f(np.ma.ones(3))


@pytest.mark.parametrize("axis", [-1, 0, (0, 1)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size", [1.0, 1e4])
def test_softmax(axis, dtype, size):
    def both(f, definition):
        y = f(la.asarray(x), axis=axis)
        assert y.dtype == dtype
        np.testing.assert_allclose(y, definition(x.astype(float), axis), rtol=tolerance, atol=tolerance)
        check(lambda x: f(x, axis=axis), [x.astype(float) / size], lambda x: definition(x, axis), exact=False)

    x = (np.random.default_rng(0).standard_normal((3, 4)) * size).astype(dtype)
    tolerance = 1e-5 if dtype == "float32" else 1e-12
    both(nn.softmax, scipy.special.softmax)
    both(nn.log_softmax, scipy.special.log_softmax)
    g = np.random.default_rng(1).standard_normal((3, 4)).astype(dtype)
    p = scipy.special.softmax(x.astype(float), axis)
    found = la.grad(lambda x: (nn.softmax(x, axis) * g).sum())(la.asarray(x))
    np.testing.assert_allclose(found, p * (g - (g * p).sum(axis, keepdims=True)), rtol=tolerance, atol=tolerance)
    found = la.grad(lambda x: (nn.log_softmax(x, axis) * g).sum())(la.asarray(x))
    np.testing.assert_allclose(found, g - g.sum(axis, keepdims=True) * p, rtol=tolerance, atol=tolerance)
    assert found.dtype == dtype


def test_softmax_of_what_is_masked_by_infinities():
    x = la.array([[1.0, -np.inf, 1.0]])
    np.testing.assert_array_equal(nn.softmax(x), [[0.5, 0, 0.5]])
    g = la.grad(lambda x: (nn.softmax(x) * la.array([1.0, 5.0, 0.0])).sum())(x)
    np.testing.assert_allclose(g, [[0.25, 0, -0.25]])


@pytest.mark.parametrize("shape", [(2, 3), (2, 0), (0, 2)])
@pytest.mark.parametrize("f", [nn.softmax, nn.log_softmax])
def test_softmax_over_an_axis_that_is_not_there(f, shape):
    with pytest.raises(np.exceptions.AxisError):
        f(la.ones(shape), axis=2)


@pytest.mark.parametrize("f", [nn.softmax, nn.log_softmax])
def test_softmax_of_nothing(f):
    x = la.ones((2, 0, 3), "float32")
    for axis in (0, 1, (1, 2)):
        with np.errstate(all="raise"):
            y, g = la.value_and_grad(lambda x, axis=axis: f(x, axis=axis).sum())(x)
        assert (y, g.shape, g.dtype) == (0, x.shape, x.dtype)


def test_nothing_is_evaluated():
    x = la.ones((3, 4)) * 2
    with la.no_evaluation():
        for f, *_ in CASES.values():
            la.grad(lambda x, f=f: f(x).sum())(x)
        la.grad(lambda x: nn.log_softmax(x).sum() + nn.softmax(x).sum())(x)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "g"])
def test_the_dtype_is_that_of_the_argument(name, dtype):
    function, _, _ = CASES[name]
    x = la.asarray(np.array([-1.5, 0.25, 2.0], dtype))
    made, slopes = function(x), la.grad(lambda x: function(x).sum())(x)
    assert made.dtype == slopes.dtype == dtype
    tolerance = 1e-2 if dtype == "f2" else 1e-6
    np.testing.assert_allclose(made.astype(float), function(x.astype(float)), rtol=tolerance)
    np.testing.assert_allclose(slopes.astype(float), la.grad(lambda x: function(x).sum())(x.astype(float)),
                               rtol=tolerance, atol=tolerance)


def test_choices_take_numbers_of_python_as_the_other_operand():
    condition, x = la.array([True, False]), la.array([1.5, 2.5], "float32")
    assert core.select(condition, 0, x).tolist() == [0, 2.5]
    assert core.select(condition, x, 0.5).tolist() == [1.5, 0.5]
    assert core.select(condition, x, 0.5).dtype == core.select(condition, 0, x).dtype == np.float32
    objects = la.array([1, 2], object)
    for operands in ((objects, x), (x, objects), (objects, 0), (0, objects)):
        with pytest.raises(TypeError, match="native dtypes"):
            core.select(condition, *operands)


@pytest.mark.parametrize("dtype", [">f2", ">f4", ">f8"])
@pytest.mark.parametrize("name", [*CASES, "softmax", "log_softmax"])
def test_the_other_byte_order(name, dtype):
    f = CASES[name][0] if name in CASES else getattr(nn, name)
    x = np.array([-1.5, 0.25, 2.0], dtype)
    made, wanted = f(la.asarray(x)), f(la.asarray(x.astype(x.dtype.newbyteorder("="))))
    assert made.dtype == wanted.dtype == x.dtype.newbyteorder("=")
    np.testing.assert_array_equal(made, wanted)


def test_softmax_of_half_precision_is_computed_in_single():
    x = la.zeros(100_000, "f2")
    np.testing.assert_allclose(nn.log_softmax(x), -np.log(100_000), rtol=1e-3)
    np.testing.assert_allclose(nn.softmax(x), 1e-5, rtol=1e-2)
