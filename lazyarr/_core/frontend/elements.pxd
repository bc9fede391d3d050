"""Element access by index and under masks, for arrays that fit in a cache."""
from numpy cimport npy_intp

cdef extern from "simd/elements.h":
    npy_intp lz_take(char* out, char* data, npy_intp stride, npy_intp n, char* where, npy_intp where_step,
                     npy_intp count, npy_intp width) noexcept
    npy_intp lz_find_outside(char* where, npy_intp step, npy_intp count, npy_intp n) noexcept
    void lz_put(char* data, npy_intp stride, npy_intp n, char* where, npy_intp where_step, npy_intp count,
                char* values, npy_intp step, npy_intp width) noexcept
    void lz_interleave(char* out, char* a, char* b, npy_intp n) noexcept
    npy_intp lz_count_contiguous(char* mask, npy_intp n) noexcept
    void lz_pack(char* out, char* data, char* mask, npy_intp n, npy_intp width, npy_intp found) noexcept
    void lz_put_masked(char* data, char* mask, npy_intp n, char* values, npy_intp step, npy_intp width) noexcept
