# Written by `python tests/generate_stubs.py` with NumPy 2.4.6: do not edit.
# mypy: disable-error-code="overload-overlap, overload-cannot-match, misc, override"
# ruff: noqa
from numpy.rec import array as array
from numpy.rec import find_duplicate as find_duplicate
from numpy.rec import format_parser as format_parser
from numpy.rec import fromarrays as fromarrays
from numpy.rec import fromfile as fromfile
from numpy.rec import fromrecords as fromrecords
from numpy.rec import fromstring as fromstring
from numpy.rec import recarray as recarray
from numpy.rec import record as record
