"""What arrays can do, and what of the namespace is written by hand.

Imported when the first array is made or the first name is asked for, whichever comes first.
"""
from lazyarr.numpy.flat import flatiter
from lazyarr.numpy.indexers import c_, mgrid, ogrid, r_, vectorize
from lazyarr.numpy.methods import install as install_methods
from lazyarr.numpy.nditer import nditer
from lazyarr.numpy.protocols import install as install_protocols
from lazyarr.numpy.ufuncs import UFunc, frompyfunc

install_methods()
install_protocols()

BY_HAND = {"c_": c_, "flatiter": flatiter, "frompyfunc": frompyfunc, "mgrid": mgrid, "nditer": nditer, "ogrid": ogrid,
           "r_": r_, "ufunc": UFunc, "vectorize": vectorize}
