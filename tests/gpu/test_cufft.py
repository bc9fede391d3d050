"""Fourier transforms by cuFFT."""

import gc
import warnings

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import lazyarr as la
from lazyarr.gpu.libraries import cufft
from lazyarr.gpu.libraries.cufft import LIBRARY
from support.cuda_device import DRIVER, there
from support.cuda_libraries import made_by, mock, needing
from support.examples import examples
from support.opencl_device import values

RNG = np.random.default_rng(5)
library = needing(LIBRARY)


def check(call, a, library=LIBRARY):
    """Compare a transform with NumPy's."""
    got, wanted = made_by(library, lambda: call(there(a))), call(a)
    assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
    eps = np.finfo(wanted.dtype).eps
    np.testing.assert_allclose(got, wanted, rtol=100 * eps, atol=100 * eps * abs(wanted).max())


@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "fft2", "ifft2", "rfft2", "fftn", "ifftn", "rfftn"])
@pytest.mark.parametrize("dtype", "ldfFD?")
def test_transforms(name, dtype, norm):
    if name.startswith("rfft") and dtype in "FD":
        pytest.skip("of real numbers alone")
    a = values(RNG, (3, 4, 6), dtype)
    a = a % 100 if dtype == "l" else a
    check(lambda x: getattr(np.fft, name)(x, norm=norm), a)


@examples(60)
@given(st.sampled_from(["fft", "ifft", "rfft", "irfft"]), st.lists(st.integers(1, 7), min_size=1, max_size=4),
       st.integers(0, 3), st.sampled_from([None, 1, 2, 5, 8]), st.sampled_from("fdFD"), st.booleans())
def test_axes_and_lengths(name, shape, axis, n, dtype, is_reversed):
    axis %= len(shape)
    if name == "irfft" and shape[axis] == 1:
        shape[axis] = 2
    if name == "rfft":
        dtype = dtype.lower()
    a = values(RNG, shape, dtype)
    view = (lambda x: x.T[::-1]) if is_reversed else (lambda x: x)
    check(lambda x: getattr(np.fft, name)(view(x), n, len(shape) - 1 - axis if is_reversed else axis), a,
          library=... if a.size == 1 else LIBRARY)


@examples(40)
@given(st.sampled_from(["fftn", "ifftn", "rfftn"]), st.permutations(range(4)), st.integers(1, 3), st.booleans())
def test_several_axes_in_any_order(name, axes, count, has_lengths):
    a, axes = RNG.random((2, 3, 4, 5)), axes[:count]
    s = [3, 6, 2][:count] if has_lengths else None
    check(lambda x: getattr(np.fft, name)(x, s, axes), a)


def test_an_operand_that_suits_is_not_copied(monkeypatch):
    copies = []
    monkeypatch.setattr(cufft.arranged, "copy", lambda *arguments, **more: copies.append(arguments))
    check(np.fft.fft, values(RNG, (3, 8), "D"))
    check(lambda x: np.fft.rfft(x[1:]), RNG.random((3, 8)))
    check(lambda x: np.fft.fftn(x[2]), values(RNG, (3, 4, 4), "F"))
    assert copies == []
    with np.errstate(all="ignore"):
        np.fft.rfft(there(RNG.random((3, 7)))[1]).numpy()   # begins at no multiple of a complex number
    assert len(copies) == 1


def test_inverse_of_half_a_spectrum_leaves_it_as_it_is():
    a = values(RNG, (4, 5), "D")    # its first coefficients have imaginary parts, which do not count
    x = there(a)
    for n in (None, 7, 8, 9):
        np.testing.assert_allclose(made_by(LIBRARY, lambda n=n: np.fft.irfft(x, n)), np.fft.irfft(a, n), atol=1e-14)
    np.testing.assert_array_equal(x.numpy(), a)


@pytest.mark.parametrize("call", [
    lambda x: np.fft.fftn(x), lambda x: np.fft.irfftn(x[0]),
    lambda x: np.fft.fft(x.real.astype("e"), norm="forward")])
def test_other_transforms_run_on_the_host(call):
    a = values(RNG, (2, 3, 4, 5), "D")
    DRIVER.library_calls.clear()
    np.testing.assert_allclose(call(there(a)).numpy(), call(a), atol=1e-12)
    assert not DRIVER.library_calls


def warned(call):
    """Make a call; return its result and its warnings."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        result = call()
    return result, {str(warning.message).partition(" encountered in ")[0] for warning in seen}


@pytest.mark.parametrize("name", ["fft", "rfft", "ifft"])
@pytest.mark.parametrize("value", [np.inf, np.nan, 1e308, 1.0])
@pytest.mark.parametrize("axis", [0, 1])
def test_invalid_values_and_overflow_are_reported(name, value, axis):
    a = RNG.random((4, 6)) * value
    a[1, 2] = value

    def call(x):
        return getattr(np.fft, name)(x, axis=axis, norm="forward" if name == "ifft" else None)

    got, found = warned(lambda: made_by(LIBRARY, lambda: call(there(a))))
    wanted, expected = warned(lambda: call(a))
    if value == 1e308:      # whether infinities meet, whose difference is invalid, depends on the algorithm
        found, expected = found - {"invalid value"}, expected - {"invalid value"}
    assert found == expected
    if value != 1e308:
        np.testing.assert_array_equal(np.isfinite(got), np.isfinite(wanted))
    with np.errstate(all="ignore"):
        assert warned(lambda: call(there(a)).numpy())[1] == set()


def test_what_is_cut_off_does_not_count():
    a = np.ones(9)
    a[7] = np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_allclose(made_by(LIBRARY, lambda: np.fft.fft(there(a), 5)), np.fft.fft(a, 5), atol=1e-15)


# ---- plans ---------------------------------------------------------------------------------------------


def test_plans_are_made_once_for_a_shape_and_a_bounded_number_is_kept():
    counted = mock()
    cufft.plans.cache_clear()
    made = counted.mock_count(b"cufftMakePlanMany64")
    for _ in range(3):
        check(np.fft.fft, values(RNG, (3, 11), "D"))
    assert counted.mock_count(b"cufftMakePlanMany64") == made + 1
    check(np.fft.fft, values(RNG, (4, 11), "D"))
    check(np.fft.fft, values(RNG, (3, 11), "F"))
    assert counted.mock_count(b"cufftMakePlanMany64") == made + 3
    destroyed = counted.mock_count(b"cufftDestroy")
    for n in range(1, 70):
        with np.errstate(all="ignore"):
            np.fft.fft(there(np.ones(n, "D"))).numpy()
    gc.collect()
    check(np.fft.fft, values(RNG, (5, 5), "D"))
    assert counted.mock_count(b"cufftDestroy") - destroyed > 3


def test_a_plan_that_cannot_be_made_is_destroyed():
    counted = mock()
    cufft.plans.cache_clear()
    check(np.fft.fft, np.ones((2, 96), "D"))    # destroys those of other tests
    destroyed, y = counted.mock_count(b"cufftDestroy"), np.fft.fft(there(np.ones(97, "D")))
    counted.mock_fail(b"cufftMakePlanMany64", 0, 8)
    with pytest.raises(RuntimeError, match=r"cuda:0 .* has failed: CUFFT_INVALID_SIZE, in cufftMakePlanMany64"):
        y.numpy()
    assert counted.mock_count(b"cufftDestroy") == destroyed + 1
    np.testing.assert_allclose(y.numpy(), np.fft.fft(np.ones(97)), atol=1e-12)


def test_without_room_for_a_plan_the_host_computes():
    counted, a = mock(), RNG.random(95)
    for _ in range(2):
        counted.mock_fail(b"cufftMakePlanMany64", 0, 2)
        check(np.fft.rfft, a[_:])   # there was room after free memory was given back


def test_transforms_follow_what_was_launched_and_precede_what_is():
    a = RNG.random((20, 16))
    x, wanted = there(a), a
    with np.errstate(all="ignore"):
        for k in range(20):
            x = np.fft.irfft(np.fft.rfft(x * 0.5 + there(a) * k), 16)
            wanted = wanted * 0.5 + a * k
        la.evaluate(x)
    np.testing.assert_allclose(x.numpy(), wanted, rtol=1e-10)
