"""Status flags of the current thread in NumPy's bits, and their collection from several threads."""
from numpy cimport npy_intp

cdef enum:
    UNDERFLOW = 4

cdef extern from "simd/fp_status.h":
    void lz_fp_clear() noexcept nogil
    int lz_fp_take() noexcept nogil

cdef extern from "simd/atomic.h":
    void lz_fetch_or(int* word, int bits) noexcept nogil
    npy_intp lz_fetch_add(npy_intp* counter, npy_intp amount) noexcept nogil
