"""A virtual device, values to copy there, and a count of transfers."""
import numpy as np

import lazyarr as la

DEVICE = "cpu:1"
SIZE = 100_000


def ramp(n=SIZE):
    """Return an evaluated array on the host."""
    x = la.array(np.arange(float(n)))
    la.evaluate(x)
    return x


def copies(call, device=DEVICE):
    """Count the transfers to and from a device during a call."""
    number = la.devices().index(device)
    before = la.devices()[number].memory_stats()["copies"]
    call()
    return la.devices()[number].memory_stats()["copies"] - before
