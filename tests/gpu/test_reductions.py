"""Reductions of every ufunc and dtype, on OpenCL and on the CUDA mock: each kernel compiles, and is right."""

import numpy as np
import pytest

from lazyarr.ops.ufunc_rows import UFUNCS


def is_binary(name, ufunc):
    """Return whether NumPy has a binary ufunc of this name."""
    is_ufunc = isinstance(ufunc, np.ufunc) and hasattr(np, name)
    return is_ufunc and (ufunc.nin, ufunc.nout, ufunc.signature) == (2, 1, None)


BINARY = sorted(name for name, row in UFUNCS.items() if is_binary(name, row.function))


@pytest.fixture(params=["opencl", "cuda"], scope="module")
def device(request):
    """The device under test."""
    return pytest.importorskip(f"support.{request.param}_device")


def close(got, wanted, terms):
    """Compare results in which each term may have been rounded differently."""
    got = np.asarray(got)
    assert got.dtype == wanted.dtype
    if got.dtype.kind in "fc":
        np.testing.assert_allclose(got, wanted, terms * np.finfo(wanted.dtype).eps)
    else:
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("name", BINARY)
def test_reductions(device, name):
    ufunc = getattr(np, name)
    for char in "?blLefdFD":
        x = np.random.default_rng(1).integers(1, 5, (2, 60 if char == "e" else 4200)).astype(char)
        with np.errstate(all="ignore"):
            try:
                wanted = ufunc.reduce(x, axis=1)
            except (TypeError, ValueError):     # there is no loop, or integers have no negative powers
                continue
            except AttributeError:      # once `out` was an array of objects, NumPy takes their loop where there is none
                continue
            close(ufunc.reduce(device.there(x), axis=1), wanted, x.shape[1])


@pytest.mark.parametrize("name", ["logaddexp", "logaddexp2", "hypot"])
@pytest.mark.parametrize("char", "efd")
def test_what_begins_with_an_identity_goes_on_from_it(device, name, char):
    ufunc = getattr(np, name)
    x = np.array([[-np.inf, -np.inf, -np.inf], [-np.inf, 1, 2], [np.inf, 1, -np.inf], [np.nan, 1, 2]], char)
    y = device.there(x)
    with np.errstate(all="ignore"):
        close(ufunc.reduce(y, axis=1), ufunc.reduce(x, axis=1), 3)
    assert not device.DRIVER.host_steps
