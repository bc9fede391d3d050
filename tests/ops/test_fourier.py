"""Large Fourier transforms, computed by SciPy: NumPy's shapes and dtypes, and its values up to rounding."""

import itertools

import numpy as np
import pytest
import scipy.fft

import lazyarr as la
from lazyarr.ops import fourier
from support.lazy_helpers import pending

SIDE = 256  # a square of this side is large
ALONG = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
OVER = [name + end for name in ("fft", "ifft", "rfft", "irfft") for end in ("2", "n")]
OPTIONS = {
    **{name: [{}, {"axis": 0, "norm": "ortho"}, {"n": 100}, {"n": 301, "norm": "forward"}] for name in ALONG},
    **{name: [{}, {"axes": (1, 0), "norm": "ortho"}, {"s": (100, -1), "axes": (0, 1)}, {"axes": (0,)}]
       for name in OVER},
}
DTYPES = ["float64", "float32", "complex128", "complex64", "uint8", "float16", "longdouble"]


def data(dtype):
    x = np.random.default_rng(0).integers(0, 200, (SIDE, SIDE))
    return (x + 1j * x.T if np.dtype(dtype).kind == "c" else x).astype(dtype)


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_large_transforms(name, dtype):
    x = data(dtype)
    if np.dtype(dtype).kind == "c" and name.startswith(("rfft", "ihfft")):
        return  # takes real numbers alone
    for options, operand in itertools.product(OPTIONS[name], (x, x.T)):
        want = getattr(np.fft, name)(operand, **options)
        with la.no_evaluation():
            got = getattr(la.fft, name)(la.asarray(operand), **options)
        assert (got.shape, got.dtype, got.strides) == (want.shape, want.dtype, want.strides)
        error = np.abs(got.numpy() - want).max() / np.abs(want).max()
        assert error < 4 * np.finfo(want.dtype).eps, options


no_bits_there = pytest.mark.host_only("transforms on a device promise no bits")


@no_bits_there
@pytest.mark.parametrize("axes", [[1], [1, 0], np.array([0, 1]), (True, -2)], ids=str)
def test_axes_may_be_any_sequence(axes):
    x = np.random.default_rng(1).random((6, 5))
    np.testing.assert_array_equal(la.fft.fftn(pending(x), axes=axes), np.fft.fftn(x, axes=axes))


@no_bits_there
def test_small_transforms_are_numpys_to_the_bit():
    x = np.random.default_rng(1).random((60, 60))
    np.testing.assert_array_equal(la.fft.fft2(pending(x)), np.fft.fft2(x))


@pytest.mark.parametrize("special", [np.inf, np.nan, 1e308])
def test_what_is_not_finite_is_numpys(special):
    x = data("float64")
    x[3] = special
    with np.errstate(all="ignore"):
        want = np.fft.fft2(x)
        np.testing.assert_array_equal(la.fft.fft2(pending(x)), want)


def test_warnings_are_numpys():
    x = data("float64")
    x[3, 3] = np.inf
    with pytest.warns(RuntimeWarning) as want:
        np.fft.fft(x)
    with pytest.warns(RuntimeWarning) as got:
        la.fft.fft(la.asarray(x)).numpy()
    assert [str(warning.message) for warning in got] == [str(warning.message) for warning in want]


@pytest.mark.host_only("it counts calls of SciPy")
def test_all_threads_are_used(monkeypatch):
    asked = []

    def fft(*args, workers, **options):
        asked.append(workers)
        return original(*args, **options)

    original = scipy.fft.fft
    monkeypatch.setattr(scipy.fft, "fft", fft)
    x = pending(np.ones((2, fourier.LARGE // 2)))
    for num_threads in (fourier.TEAM, 1):
        with la.config(num_threads=num_threads):
            la.fft.fft(x).numpy()
            la.fft.fft(x * 1j).numpy()  # one thread of SciPy's is no faster here
            la.fft.fft(x.ravel() * 1j).numpy()  # one line, which threads cannot share
            la.fft.fft(x[1:]).numpy()
    assert asked == [fourier.TEAM, fourier.TEAM, 1]


@pytest.mark.parametrize("name", ["rfft", "irfft", "hfft", "ihfft", "fft"])
def test_both_libraries_give_the_same_bits_where_the_number_of_threads_decides(name):
    x = data("complex128" if name == "fft" else "float64")
    results = []
    for num_threads in (fourier.TEAM, 1):
        with la.config(num_threads=num_threads):
            results.append(getattr(la.fft, name)(pending(x)).numpy())
    np.testing.assert_array_equal(*results)


def test_scipy_is_imported_by_the_first_large_transform(run_python):
    assert run_python("""
        import sys
        import lazyarr as la
        x = la.fft.fft(la.ones(1 << 16))
        la.fft.fft(la.ones(1 << 10)).numpy()
        print("scipy" in sys.modules)
        x.numpy()
        print("scipy" in sys.modules)
    """).split() == ["False", "True"]
