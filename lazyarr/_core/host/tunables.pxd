"""The registry of tunables."""
from numpy cimport npy_intp

cdef int tunable(str name, double* place, str unit, double low, double high, str doc) except -1
cdef int tunable_bytes(str name, npy_intp* place, double low, double high, str doc) except -1
