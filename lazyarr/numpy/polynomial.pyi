# Written by `python tests/generate_stubs.py` with NumPy 2.4.6: do not edit.
# mypy: disable-error-code="overload-overlap, overload-cannot-match, misc, override"
# ruff: noqa
from numpy.polynomial import Chebyshev as Chebyshev
from numpy.polynomial import Hermite as Hermite
from numpy.polynomial import HermiteE as HermiteE
from numpy.polynomial import Laguerre as Laguerre
from numpy.polynomial import Legendre as Legendre
from numpy.polynomial import Polynomial as Polynomial
from numpy.polynomial import chebyshev as chebyshev
from numpy.polynomial import hermite as hermite
from numpy.polynomial import hermite_e as hermite_e
from numpy.polynomial import laguerre as laguerre
from numpy.polynomial import legendre as legendre
from numpy.polynomial import polynomial as polynomial
from numpy.polynomial import polyutils as polyutils
from numpy.polynomial import set_default_printstyle as set_default_printstyle
