"""Methods and protocols of arrays, and the names of the namespace that are written by hand.

Imported when the first array is made or the first name is asked for, whichever comes first.
"""
import numpy as np

import lazyarr.numpy.methods
import lazyarr.numpy.protocols
import lazyarr.ops.call_costs  # noqa: F401 - these register what they have with the core
from lazyarr.numpy.flat import flatiter
from lazyarr.numpy.indexers import c_, mgrid, ogrid, r_, vectorize
from lazyarr.numpy.namespace import fill as fill_from
from lazyarr.numpy.nditer import nditer
from lazyarr.numpy.ufuncs import UFunc, frompyfunc

_BY_HAND = {"c_": c_, "flatiter": flatiter, "frompyfunc": frompyfunc, "mgrid": mgrid, "nditer": nditer, "ogrid": ogrid,
            "r_": r_, "ufunc": UFunc, "vectorize": vectorize}


def fill(namespace):
    """Fill the namespace: hand-written names, and all others of NumPy."""
    namespace.update(_BY_HAND)
    fill_from(namespace, np)
    namespace.pop("__getattr__", None)
