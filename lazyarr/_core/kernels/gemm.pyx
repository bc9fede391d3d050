"""Register-tiled matrix products: this processor's tiles, packing, block sizes.

A product is cut into blocks of one operand that stay in the second-level cache, packed so that a tile reads them in
order (`pack`), and bands of rows of the other, read in place. `multiply` runs the tiles of one band and one block;
simd/gemm_tile.h is a tile. Complex products are real ones: packing makes two rows of each.
"""
cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.host.tunables cimport tunable_bytes

cdef extern from "simd/gemm.h":
    int lz_gemm_width() noexcept
    const Gemm* lz_find_gemm(int type, int width) noexcept

cdef extern from *:
    """
    #if defined(__linux__)
    #include <unistd.h>
    static npy_intp lz_cache_bytes(void) { return (npy_intp)sysconf(_SC_LEVEL2_CACHE_SIZE); }
    #else
    static npy_intp lz_cache_bytes(void) { return 0; }
    #endif
    """
    npy_intp lz_cache_bytes() noexcept

cdef int _width = lz_gemm_width()
cdef npy_intp _cache = max(lz_cache_bytes(), <npy_intp>262144)
cdef npy_intp _block = _cache // 2
tunable_bytes("gemm.block_bytes", &_block, 1 << 14, 1 << 22,
              "What a packed block of a product or a convolution takes, and of a convolution the rows beside it.")


def set_width(int width):
    """Use vectors of 128, 256 or 512 bits (0, 1, 2), at most what the processor has; return the old width."""
    global _width
    before, _width = _width, max(0, min(width, lz_gemm_width()))
    return before


cdef npy_intp cache_bytes() noexcept:
    """Return the size of a core's second-level cache, with a safe default."""
    return _cache


cdef npy_intp block_bytes() noexcept:
    """Return the most bytes of a packed block whose size does not change the order of sums."""
    return _block


cdef npy_intp rows_handed(const Gemm* gemm, npy_intp row) noexcept:
    """Return the rows handed to an epilogue at a time, of `row` bytes each; whole tiles.

    They stay in the second-level cache. Fewer would suffice for that, but after each interruption the hardware takes a
    while to prefetch the other operand again.
    """
    return count_parts(_cache // 4, row * gemm.rows) * gemm.rows


cdef bint is_complex(int typenum) noexcept:
    return typenum == cnp.NPY_CFLOAT or typenum == cnp.NPY_CDOUBLE


cdef const Gemm* gemm_of(int typenum) noexcept:
    """Return the tiles for a dtype; NULL if there are none."""
    if typenum == cnp.NPY_FLOAT or typenum == cnp.NPY_CFLOAT:
        return lz_find_gemm(0, _width)
    if typenum == cnp.NPY_DOUBLE or typenum == cnp.NPY_CDOUBLE:
        return lz_find_gemm(1, _width)
    if typenum == cnp.NPY_INT32 or typenum == cnp.NPY_UINT32:  # the same bits, as integers wrap
        return lz_find_gemm(2, _width)
    if typenum == cnp.NPY_INT64 or typenum == cnp.NPY_UINT64:
        return lz_find_gemm(3, _width)
    return NULL


cdef int parts_of_rows(int threads, npy_intp rows, npy_intp columns, double both, double a_column,
                       double a_row) noexcept:
    """Return the number of row parts that minimises the slowest thread's work; other threads divide the columns.

    The costs of a part: `both` for each of its rows in each of its columns, `a_column` per column and `a_row` per row.
    """
    cdef int parts, best = threads
    cdef double n, m, cost, least = -1
    for parts in range(threads, 0, -1):
        if threads % parts:
            continue
        n, m = count_parts(rows, parts), count_parts(columns, threads // parts)
        cost = both * n * m + a_column * m + a_row * n
        if least < 0 or cost < least:
            least, best = cost, parts
    return best


cdef void pack(const Gemm* gemm, npy_intp reals, char* target, npy_intp apart, const char* source, npy_intp terms,
               npy_intp step, npy_intp columns, npy_intp across) noexcept nogil:
    """Pack terms x columns (a complex number counts as one) into panels `apart` bytes apart."""
    gemm.pack[reals - 1](target, apart, gemm.panel, source, terms, step, columns, across)


cdef void multiply(const Gemm* gemm, npy_intp rows, npy_intp columns, const Terms* terms, const char* a, npy_intp step,
                   bint rows_adjoin, Panels* b, char* c, npy_intp ldc, bint add) noexcept nogil:
    """Compute rows x columns of c, or an addition to it, in tiles of equal heights. Strides are in elements."""
    cdef npy_intp tiles = count_parts(rows, gemm.rows), i, j, first, height, width
    for i in range(tiles):
        first = rows * i // tiles
        height = rows * (i + 1) // tiles - first
        j = 0
        while j < columns:
            width = 2 * gemm.panel if 2 * height <= gemm.rows and columns - j > gemm.panel else gemm.panel
            width = min(width, columns - j)
            gemm.tile(<int>height, width, terms, a + first * (1 if rows_adjoin else step) * gemm.size, step,
                      rows_adjoin, b.data + j // gemm.panel * b.apart * gemm.size, b.ldb, b.apart,
                      c + (first * ldc + j) * gemm.size, ldc, add)
            j += width
