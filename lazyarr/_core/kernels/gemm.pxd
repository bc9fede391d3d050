# cython: cdivision=True
# (extents are positive where they divide)
"""Register-tiled matrix products, and their memory."""
from numpy cimport npy_intp

cdef extern from "simd/gemm.h":
    ctypedef struct Terms "lz_terms":
        npy_intp runs
        npy_intp length
        const npy_intp* start
    ctypedef struct Gemm "lz_gemm":
        npy_intp size
        npy_intp rows
        npy_intp panel
        void (*tile)(int rows, npy_intp columns, const Terms* terms, const void* a, npy_intp step, int rows_adjoin,
                     const void* b, npy_intp ldb, npy_intp panel, void* c, npy_intp ldc,
                     int add) noexcept nogil
        void (*pack[2])(char* dst, npy_intp apart, npy_intp panel, const char* src, npy_intp terms, npy_intp step,
                        npy_intp columns, npy_intp across) noexcept nogil
        void (*each_channel)(npy_intp positions, npy_intp channels, npy_intp taps, const npy_intp* start,
                             const npy_intp* start_w, const void* x, npy_intp step, const void* w, void* y,
                             npy_intp ldy) noexcept nogil
        void (*each_weight)(npy_intp positions, npy_intp channels, npy_intp taps, const npy_intp* start,
                            const npy_intp* start_w, const void* x, npy_intp step, void* w, const void* y,
                            npy_intp ldy) noexcept nogil
        void (*add_rows)(npy_intp rows, npy_intp columns, const void* a, const void* b, npy_intp ldb,
                         void* y) noexcept nogil
        void (*sum_rows)(npy_intp rows, npy_intp terms, const void* a, npy_intp lda, const void* v,
                         void* y) noexcept nogil

cdef enum:
    ALIASED = 4096          # elements this many bytes apart share a set of the first-level cache
    AWAY = 64               # bytes of padding against such distances

cdef inline npy_intp count_parts(npy_intp whole, npy_intp part) noexcept nogil:
    """Return the number of parts, rounded up."""
    return (whole + part - 1) // part

cdef inline npy_intp divide_evenly(npy_intp whole, npy_intp most) noexcept nogil:
    """Return the size of equal parts of at most `most`."""
    return count_parts(whole, count_parts(whole, max(most, <npy_intp>1)))

cdef struct Panels:         # one operand: packed, or in place
    const char* data
    npy_intp ldb            # elements between terms
    npy_intp apart          # elements between panels

cdef const Gemm* gemm_of(int typenum) noexcept
cdef int parts_of_rows(int threads, npy_intp rows, npy_intp columns, double both, double a_column,
                       double a_row) noexcept
cdef bint is_complex(int typenum) noexcept
cdef npy_intp cache_bytes() noexcept
cdef npy_intp block_bytes() noexcept
cdef npy_intp rows_handed(const Gemm* gemm, npy_intp row) noexcept
cdef void pack(const Gemm* gemm, npy_intp reals, char* target, npy_intp apart, const char* source, npy_intp terms,
               npy_intp step, npy_intp columns, npy_intp across) noexcept nogil
cdef void multiply(const Gemm* gemm, npy_intp rows, npy_intp columns, const Terms* terms, const char* a, npy_intp step,
                   bint rows_adjoin, Panels* b, char* c, npy_intp ldc, bint add) noexcept nogil
