"""Functions that warn about empty slices, on a device: a check of the counts, and the host's results."""
import warnings

import numpy as np
import pytest

import lazyarr.numpy as lnp
from support.opencl_device import DEVICE, DRIVER, host_steps, there

RNG = np.random.default_rng(8)
A = np.where(RNG.random((6, 7)) < 0.3, np.nan, RNG.standard_normal((6, 7)))
A[:, 0] = RNG.standard_normal(6)
A[2] = np.arange(7)
EMPTY = A.copy()
EMPTY[3] = np.nan
NAMES = ["nanmax", "nanmin", "nanmean", "nanvar", "nanstd", "nanargmax", "nanargmin"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", "fdD")
def test_nothing_to_warn_of_takes_no_step_on_the_host(name, dtype):
    a = A.astype(dtype)
    host_steps()
    for options in ({"axis": 1}, {"axis": 1, "keepdims": True}, {}, {"axis": (0, 1)} if "arg" not in name else {}):
        if dtype == "D" and name.startswith(("nanarg", "nanm")) and name != "nanmean":
            continue    # extrema of complex numbers
        got, wanted = getattr(lnp, name)(there(a), **options), getattr(np, name)(a, **options)
        assert got.device == DEVICE
        np.testing.assert_allclose(got.numpy(), wanted, 1e-6 if dtype == "f" else 1e-13)
        assert got.dtype == wanted.dtype
    assert not DRIVER.host_steps


@pytest.mark.parametrize("name", NAMES)
def test_warnings_and_errors_are_numpys(name):
    def outcome(namespace, a):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            try:
                made = np.asarray(getattr(namespace, name)(a, axis=1))
            except ValueError as error:
                made = str(error)
        return made, [str(warning.message) for warning in seen]

    got, wanted = outcome(lnp, there(EMPTY)), outcome(np, EMPTY)
    assert got[1] == wanted[1]
    if isinstance(wanted[0], str):
        assert got[0] == wanted[0]
    else:
        np.testing.assert_allclose(got[0], wanted[0], 1e-13)


def test_means_where_a_mask_holds():
    mask = there(~np.isnan(A))
    host_steps()
    for name in ("mean", "var", "std"):
        got = getattr(np, name)(there(A), 1, where=mask)
        np.testing.assert_allclose(got.numpy(), getattr(np, name)(A, 1, where=~np.isnan(A)), 1e-13)
    assert not DRIVER.host_steps
