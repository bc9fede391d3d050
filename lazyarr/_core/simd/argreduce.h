/* Indices of the first extrema of lines across rows (argmin, argmax), row by row:
 *
 *     x      [ 3 1 7 ]   value  3 1 7   place  0 0 0
 *            [ 5 1 2 ]          5 1 7          1 0 0
 *
 * As in NumPy, an element counts if it is better than the best one so far, and the first NaN is better than all. */
#pragma once

#include <numpy/ndarraytypes.h>
#include <numpy/npy_math.h>

#include "wide.h"

/* Continue with `width` lines by n rows of contiguous elements, `step` bytes apart, the first of which is row `first`;
 * start anew with the first row unless `place` and `value` hold an earlier extremum. */
typedef void (*lz_search_rows)(npy_intp *place, void *value, const char *x, npy_intp step, npy_intp width, npy_intp n,
                               npy_intp first, int fresh);

#define LZ_PLAIN(A, B) ((A) > (B))
#define LZ_NEVER(A) 0
#define LZ_UNEQUAL(A) ((A) != (A))

/* Reinterpret float16 as integers of the same order; zeros of both signs are equal. */
#define LZ_HALF_ORDER(A) ((A) & 0x8000 ? -((A) & 0x7fff) : (A))
#define LZ_HALF_NAN(A) (((A) & 0x7fff) > 0x7c00)
#define LZ_HALF(A, B) ((LZ_HALF_ORDER(A) > LZ_HALF_ORDER(B)) & !LZ_HALF_NAN(A) & !LZ_HALF_NAN(B))

#define LZ_TRUTH(A, B) (((A) != 0) > ((B) != 0))

#define LZ_PARTS_NAN(A) ((A).re != (A).re || (A).im != (A).im)
#define LZ_PARTS(A, B) (((A).re > (B).re || ((A).re == (B).re && (A).im > (B).im)) & !LZ_PARTS_NAN(A) & !LZ_PARTS_NAN(B))
typedef struct { float re, im; } lz_search_F;
typedef struct { double re, im; } lz_search_D;
typedef struct { npy_longdouble re, im; } lz_search_G;

#define LZ_SEARCH_BODY(T, BETTER, IS_NAN)                                                         \
    T *best = (T *)value;                                                                         \
    for (npy_intp i = 0; i < n; i++, x += step) {                                                 \
        const T *row = (const T *)x;                                                              \
        if (i == 0 && fresh) {                                                                    \
            for (npy_intp j = 0; j < width; j++) best[j] = row[j], place[j] = first;              \
            continue;                                                                             \
        }                                                                                         \
        for (npy_intp j = 0; j < width; j++) {                                                    \
            const int better = BETTER | (IS_NAN(row[j]) & !(IS_NAN(best[j])));                    \
            best[j] = better ? row[j] : best[j];                                                  \
            place[j] = better ? first + i : place[j];                                             \
        }                                                                                         \
    }

#define LZ_SEARCH_ONE(NAME, TARGET, T, BETTER, IS_NAN)                                                              \
    TARGET static void NAME(npy_intp *place, void *value, const char *x, npy_intp step, npy_intp width, npy_intp n, \
                            npy_intp first, int fresh)                                                              \
    {                                                                                                               \
        LZ_SEARCH_BODY(T, BETTER, IS_NAN)                                                                           \
    }

#define LZ_SEARCH(KIND, SIZE, C, T, GREATER, IS_NAN)                    \
    LZ_SEARCH_ONE(lz_argmin_##C, , T, GREATER(best[j], row[j]), IS_NAN) \
    LZ_SEARCH_ONE(lz_argmax_##C, , T, GREATER(row[j], best[j]), IS_NAN)

#define LZ_SEARCH_WIDE(KIND, SIZE, C, T, GREATER, IS_NAN)                                  \
    LZ_SEARCH(KIND, SIZE, C, T, GREATER, IS_NAN)                                           \
    LZ_SEARCH_ONE(lz_wide_argmin_##C, LZ_WIDE_TARGET, T, GREATER(best[j], row[j]), IS_NAN) \
    LZ_SEARCH_ONE(lz_wide_argmax_##C, LZ_WIDE_TARGET, T, GREATER(row[j], best[j]), IS_NAN)
#define LZ_SEARCH_ROW(KIND, SIZE, C, T, GREATER, IS_NAN)                              \
    case KIND << 8 | SIZE: return largest ? wide ? lz_wide_argmax_##C : lz_argmax_##C \
                                          : wide ? lz_wide_argmin_##C : lz_argmin_##C;

/* Kind and size, as in NumPy, name, type, and its order. */
#define LZ_EACH_SEARCH(X)                                                                         \
    X('b', 1, bool, npy_uint8, LZ_TRUTH, LZ_NEVER) X('i', 1, i1, npy_int8, LZ_PLAIN, LZ_NEVER)    \
    X('u', 1, u1, npy_uint8, LZ_PLAIN, LZ_NEVER) X('i', 2, i2, npy_int16, LZ_PLAIN, LZ_NEVER)     \
    X('u', 2, u2, npy_uint16, LZ_PLAIN, LZ_NEVER) X('i', 4, i4, npy_int32, LZ_PLAIN, LZ_NEVER)    \
    X('u', 4, u4, npy_uint32, LZ_PLAIN, LZ_NEVER) X('i', 8, i8, npy_int64, LZ_PLAIN, LZ_NEVER)    \
    X('u', 8, u8, npy_uint64, LZ_PLAIN, LZ_NEVER) X('f', 2, f2, npy_uint16, LZ_HALF, LZ_HALF_NAN) \
    X('f', 4, f4, float, LZ_PLAIN, LZ_UNEQUAL) X('f', 8, f8, double, LZ_PLAIN, LZ_UNEQUAL)
LZ_EACH_SEARCH(LZ_SEARCH_WIDE)
LZ_SEARCH(, , g, npy_longdouble, LZ_PLAIN, LZ_UNEQUAL)
LZ_SEARCH(, , F, lz_search_F, LZ_PARTS, LZ_PARTS_NAN)
LZ_SEARCH(, , D, lz_search_D, LZ_PARTS, LZ_PARTS_NAN)
LZ_SEARCH(, , G, lz_search_G, LZ_PARTS, LZ_PARTS_NAN)

/* The search for a dtype kind and itemsize, as in NumPy; it exists for all native dtypes. */
static lz_search_rows lz_find_search_rows(int largest, char kind, npy_intp size)
{
    const int wide = lz_has_wide();
    switch (kind << 8 | (int)size) {
        LZ_EACH_SEARCH(LZ_SEARCH_ROW)
        case 'c' << 8 | 8: return largest ? lz_argmax_F : lz_argmin_F;
        case 'c' << 8 | 16: return largest ? lz_argmax_D : lz_argmin_D;
    }
    return kind == 'f' ? largest ? lz_argmax_g : lz_argmin_g : largest ? lz_argmax_G : lz_argmin_G;
}
