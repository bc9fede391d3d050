"""Fourier transforms on an OpenCL device, against NumPy's."""

import warnings

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
import scipy.fft
from hypothesis import given
from hypothesis import strategies as st

from lazyarr.gpu.calls.transforms import RADICES, Form, padded_length, pass_text, radices_of
from lazyarr.gpu.drivers import nvrtc
from lazyarr.gpu.generator.dialects import CUDA
from lazyarr.gpu.generator.helpers import needed
from support.examples import examples
from support.opencl_device import DEVICE, DRIVER, there

RNG = np.random.default_rng(13)
SOME = examples(25)
LENGTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 17, 22, 26, 34, 61]


@pytest.fixture(autouse=True)
def no_steps_left():
    DRIVER.host_steps.clear()
    yield
    DRIVER.host_steps.clear()


def numbers(shape, char):
    made = RNG.standard_normal(shape) + (1j * RNG.standard_normal(shape) if char in "FD" else 0)
    return (9 * made if char in "?bBhHiIlL" else made).astype(char)


def error(got, exact):
    return np.linalg.norm((got - exact).ravel()) / np.linalg.norm(exact.ravel())


def compare(name, a, x, *args, **keywords):
    """Compare a transform with NumPy's, and check that nothing ran on the host."""
    function = getattr(np.fft, name)
    got, wanted = function(x, *args, **keywords), function(a, *args, **keywords)
    assert got.device == DEVICE
    assert got.dtype == wanted.dtype
    assert got.shape == wanted.shape
    eps = np.finfo(wanted.dtype).eps
    scale = np.abs(wanted).max(initial=0) + np.abs(a).max(initial=0)
    np.testing.assert_allclose(got.numpy(), wanted, rtol=0, atol=16 * eps * scale)
    assert not DRIVER.host_steps


@SOME
@given(st.sampled_from(["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]), st.sampled_from("?bHiLfdFD"), st.data())
def test_transforms_along_an_axis(name, char, data):
    if name in ("rfft", "ihfft") and char in "FD":
        char = char.lower()
    shape = data.draw(st.lists(st.sampled_from([*LENGTHS[1:8], 19]), min_size=1, max_size=3))
    a, axis = numbers(shape, char), data.draw(st.integers(-len(shape), len(shape) - 1))
    points, norm = data.draw(st.sampled_from([None, *LENGTHS])), data.draw(st.sampled_from([None, "ortho", "forward"]))
    view = data.draw(st.sampled_from([lambda x: x, lambda x: x.T, lambda x: x[::-1], lambda x: x[..., ::-1]]))
    compare(name, view(a), view(there(a)), points, axis, norm)


@SOME
@given(st.sampled_from(["fft", "ifft", "rfft", "irfft"]), st.sampled_from(["2", "n"]), st.sampled_from("lfdFD"),
       hnp.array_shapes(min_dims=2, max_dims=3, min_side=2, max_side=8), st.data())
def test_transforms_along_several_axes(name, axes, char, shape, data):
    if name == "rfft" and char in "FD":
        char = char.lower()
    a = numbers(shape, char)
    where = data.draw(st.permutations(range(len(shape))))[: data.draw(st.integers(1, len(shape)))]
    s = data.draw(st.none() | st.lists(st.sampled_from([*LENGTHS[1:8], 17]), min_size=len(where), max_size=len(where)))
    compare(name + axes, a, there(a), s, where, data.draw(st.sampled_from([None, "ortho", "forward"])))
    compare(name + axes, a.T, there(a).T)


@pytest.mark.parametrize("char", "fdFD")
@pytest.mark.parametrize("n", [8, 64, 81, 125, 1000, 1024, 3 * 5 * 7 * 11 * 13, 1 << 15, 1009, 2 * 10007])
def test_errors_are_of_the_size_of_the_hosts(n, char):
    """SciPy's errors, as NumPy computes transforms of float32 in float64."""
    compare_errors(n, char, 2)


@pytest.mark.parametrize("char", "fdFD")
@pytest.mark.parametrize("n", [17, 19, 23, 34, 37, 97])
def test_errors_of_lengths_that_the_host_transforms_by_large_factors(n, char):
    """The host needs no longer transforms for these, and has smaller errors."""
    compare_errors(n, char, 4)


def compare_errors(n, char, bound):
    a = numbers((max(1, 4000 // n), n), char)
    exact = np.fft.fft(a.astype(np.clongdouble))
    hosts, got = scipy.fft.fft(a), np.fft.fft(there(a)).numpy()
    assert error(got, exact) <= bound * error(hosts, exact)
    back = np.fft.ifft(hosts.astype(np.clongdouble))
    assert error(np.fft.ifft(there(hosts)).numpy(), back) <= bound * error(scipy.fft.ifft(hosts), back)
    assert not DRIVER.host_steps


@pytest.mark.parametrize("n", [17, 34, 1009, 10007])
def test_padded_lengths_have_small_factors(n):
    padded = padded_length(n)
    assert 2 * n - 1 <= padded < 2.3 * n
    assert set(radices_of(padded)) <= {2, 3, 4, 5, 8}
    assert radices_of(n) is None


def test_half_precision_is_left_to_the_host():
    a = numbers(34, "e")
    np.testing.assert_array_equal(np.fft.rfft(there(a)).numpy(), np.fft.rfft(a))
    assert dict(DRIVER.host_steps) == {("fft.rfft", "fft.rfft e->F has no form on the device"): 1}


@pytest.mark.parametrize("n", [16, 17])
@pytest.mark.parametrize("number", [np.nan, np.inf, 1e308])
def test_what_is_not_finite_is_numpys(number, n):
    a = numbers(n, "d")
    a[3:5] = number
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        got = np.fft.fft(there(a)).numpy()
    with warnings.catch_warnings(record=True) as wanted:
        warnings.simplefilter("always")
        expected = np.fft.fft(a)
    np.testing.assert_array_equal(got, expected)
    assert [str(w.message) for w in seen] == [str(w.message) for w in wanted]
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(np.fft.fft(there(a)).numpy(), expected)


def test_a_transform_out_of_nothing_is_numpys_error():
    with pytest.raises(ValueError, match="Invalid number of FFT data points"):
        np.fft.fft(there(np.ones(4)), 0)


@pytest.mark.skipif(nvrtc.library() is None, reason="needs nvidia-cuda-nvrtc")
@pytest.mark.parametrize("form", [
    *[Form("f64", "D", False, "D", radix, False, False, 1) for radix in RADICES],
    Form("f32", "?", False, "F", 8, False, True, 2), Form("f64", "D", True, "D", 1, True, False, 2),
    Form("f32", "F", True, "f", 5, True, True, 2)],
    ids=lambda form: f"{form.source}{form.radix}")
def test_texts_compile_as_cuda(form):
    text = pass_text(form)
    helpers = needed(text.text)
    assert b".entry" in nvrtc.compile_ptx("\n".join([CUDA.spellings(helpers + text.text), helpers, text.text]),
                                          "compute_80")
