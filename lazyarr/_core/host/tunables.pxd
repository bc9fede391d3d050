"""Registry of the tunable numbers."""
from numpy cimport npy_intp

cdef int tunable(str name, double* place) except -1
cdef int tunable_bytes(str name, npy_intp* place) except -1
