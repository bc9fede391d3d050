"""What tests of devices share."""

import pytest

import lazyarr as la
from lazyarr._core import api


@pytest.fixture(autouse=True)
def no_earlier_host_steps():
    """What earlier tests left to the host does not count."""
    for number in range(len(la.devices())):
        if (driver := api.device_table.driver_of(number)) is not None:
            driver.host_steps.clear()
