"""NVIDIA's libraries for tests: those that are installed where there is a CUDA device, else mocks of them."""

import ctypes
from contextlib import contextmanager

import pytest

from lazyarr._core import api
from lazyarr.gpu.libraries import loading
from support import cuda_mock
from support.cuda_device import DEVICE, DRIVER, ENVIRONMENT


@contextmanager
def installed(library):
    """Have a library be there for a test; skip that if it cannot be."""
    with pytest.MonkeyPatch.context() as patched:
        if ENVIRONMENT:
            patched.setattr(loading, "candidates",
                            lambda linux, *rest: [cuda_mock.library(linux.removesuffix(".so.{}"))])
        loading.Library.functions.cache_clear()
        if library.functions(DRIVER._version) is None:
            pytest.skip(f"{library.title} is not installed")
        yield
    loading.Library.functions.cache_clear()


def needing(library):
    """Return a fixture that has a library be there for all tests of a module.

    Debug builds skip them: Python prepares the calls and the mock's C++ makes them, so that neither the build nor the
    version of NumPy is in what they check. How libraries take turns with kernels is tested in all builds.
    """

    @pytest.fixture(autouse=True, scope="module")
    def needed():
        if api.DEBUG:
            pytest.skip("debug builds call the same")
        with installed(library):
            yield

    return needed


def mock():
    """The mock of the driver that lazyarr uses; skips the test on a device."""
    if not ENVIRONMENT:
        pytest.skip("needs the mock")
    library = ctypes.CDLL(ENVIRONMENT["LAZYARR_CUDA"])
    library.mock_fail.argtypes = ctypes.c_char_p, ctypes.c_int, ctypes.c_int
    return library


def made_by(library, call):
    """Make a call; check that a library has made it, none if that is None, either for ``...``; return the result."""
    DRIVER.library_calls.clear()
    DRIVER.host_steps.clear()
    result = call()
    found = result.numpy()
    assert result.device == DEVICE
    assert not DRIVER.host_steps
    if library is not ...:
        assert {title for _, title in DRIVER.library_calls} == (set() if library is None else {library.title})
    return found
