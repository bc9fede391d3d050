"""NVIDIA's libraries for tests: the installed ones on a CUDA device, else mocks."""

import ctypes
from contextlib import contextmanager

import pytest

from lazyarr._core import api
from lazyarr.gpu.libraries import loading
from support import cuda_mock
from support.cuda_device import DEVICE, DRIVER, ENVIRONMENT


@contextmanager
def installed(library):
    """Make a library available to a test; skip the test if that is impossible."""
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
    """Return a fixture that makes a library available to all tests of a module.

    Debug builds skip these tests: the calls are prepared in Python and run by the mock's C++, so that they depend
    neither on the build nor on the version of NumPy. How library calls and kernels interleave is tested in all builds.
    """

    @pytest.fixture(autouse=True, scope="module")
    def needed():
        if api.DEBUG:
            pytest.skip("debug builds call the same")
        with installed(library):
            yield

    return needed


def mock():
    """Return the driver mock that lazyarr uses; skip the test on a device."""
    if not ENVIRONMENT:
        pytest.skip("needs the mock")
    library = ctypes.CDLL(ENVIRONMENT["LAZYARR_CUDA"])
    library.mock_fail.argtypes = ctypes.c_char_p, ctypes.c_int, ctypes.c_int
    return library


def made_by(library, call):
    """Run a call and return its result; check that this library ran it, none if it is None, any if it is ``...``."""
    DRIVER.library_calls.clear()
    DRIVER.host_steps.clear()
    result = call()
    found = result.numpy()
    assert result.device == DEVICE
    assert not DRIVER.host_steps
    if library is not ...:
        assert {title for _, title in DRIVER.library_calls} == (set() if library is None else {library.title})
    return found
