# Written by `python tests/generate_stubs.py` with NumPy 2.4.6: do not edit.
# mypy: disable-error-code="overload-overlap, overload-cannot-match, misc, override"
# ruff: noqa
from numpy.ctypeslib import as_array as as_array
from numpy.ctypeslib import as_ctypes as as_ctypes
from numpy.ctypeslib import as_ctypes_type as as_ctypes_type
from numpy.ctypeslib import c_intp as c_intp
from numpy.ctypeslib import load_library as load_library
from numpy.ctypeslib import ndpointer as ndpointer
