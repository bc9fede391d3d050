/* Casts between native types, with the meaning of C's conversions as NumPy has them.
 *
 * A table of kinds of conversion times a table of types; `lz_cast_loop(from, to)` finds the loop. Signature and
 * behaviour are those of a ufunc's inner loop, floating-point status included ("overflow encountered in cast").
 * Half precision uses npymath, as in NumPy. Casts that keep every value are compiled for AVX-512, too. */
#ifndef LAZYARR_CAST_H
#define LAZYARR_CAST_H

#include <numpy/halffloat.h>
#include <numpy/ndarraytypes.h>

#include "wide.h"

typedef void (*lz_loop)(char **, npy_intp const *, npy_intp const *, void *);

typedef struct { npy_float r, i; } lz_cf;
typedef struct { npy_double r, i; } lz_cd;
typedef struct { npy_longdouble r, i; } lz_cg;

#define LZ_LOOP(NAME, FROM, TO, STATEMENT) LZ_LOOP_FOR(, NAME, FROM, TO, STATEMENT)
#define LZ_LOOP_FOR(TARGET, NAME, FROM, TO, STATEMENT)                                               \
    TARGET static void NAME(char **args, npy_intp const *count, npy_intp const *strides, void *data) \
    {                                                                                                \
        const char *s = args[0];                                                                     \
        char *d = args[1];                                                                           \
        npy_intp n = count[0], ss = strides[0], ds = strides[1];                                     \
        (void)data;                                                                                  \
        if (ss == (npy_intp)sizeof(FROM) && ds == (npy_intp)sizeof(TO)) {                            \
            const FROM *sp = (const FROM *)s;                                                        \
            TO *dp = (TO *)d;                                                                        \
            for (npy_intp i = 0; i < n; i++) { FROM x = sp[i]; TO y; STATEMENT; dp[i] = y; }         \
        } else {                                                                                     \
            for (npy_intp i = 0; i < n; i++, s += ss, d += ds) {                                     \
                FROM x = *(const FROM *)s; TO y; STATEMENT; *(TO *)d = y;                            \
            }                                                                                        \
        }                                                                                            \
    }

/* name and C type of every real type but half and bool */
#define LZ_REALS(X)                                                                                  \
    X(byte, npy_byte) X(ubyte, npy_ubyte) X(short, npy_short) X(ushort, npy_ushort) X(int, npy_int)  \
    X(uint, npy_uint) X(long, npy_long) X(ulong, npy_ulong) X(longlong, npy_longlong)                \
    X(ulonglong, npy_ulonglong) X(float, npy_float) X(double, npy_double) X(longdouble, npy_longdouble)

#define LZ_FROM_READ(N, T, X)                                                                        \
    LZ_LOOP(lz_##N##_to_bool, T, npy_bool, y = (X != 0))                                             \
    LZ_LOOP(lz_##N##_to_byte, T, npy_byte, y = (npy_byte)X)                                          \
    LZ_LOOP(lz_##N##_to_ubyte, T, npy_ubyte, y = (npy_ubyte)X)                                       \
    LZ_LOOP(lz_##N##_to_short, T, npy_short, y = (npy_short)X)                                       \
    LZ_LOOP(lz_##N##_to_ushort, T, npy_ushort, y = (npy_ushort)X)                                    \
    LZ_LOOP(lz_##N##_to_int, T, npy_int, y = (npy_int)X)                                             \
    LZ_LOOP(lz_##N##_to_uint, T, npy_uint, y = (npy_uint)X)                                          \
    LZ_LOOP(lz_##N##_to_long, T, npy_long, y = (npy_long)X)                                          \
    LZ_LOOP(lz_##N##_to_ulong, T, npy_ulong, y = (npy_ulong)X)                                       \
    LZ_LOOP(lz_##N##_to_longlong, T, npy_longlong, y = (npy_longlong)X)                              \
    LZ_LOOP(lz_##N##_to_ulonglong, T, npy_ulonglong, y = (npy_ulonglong)X)                           \
    LZ_LOOP(lz_##N##_to_float, T, npy_float, y = (npy_float)X)                                       \
    LZ_LOOP(lz_##N##_to_double, T, npy_double, y = (npy_double)X)                                    \
    LZ_LOOP(lz_##N##_to_longdouble, T, npy_longdouble, y = (npy_longdouble)X)                        \
    LZ_LOOP(lz_##N##_to_cfloat, T, lz_cf, y.r = (npy_float)X; y.i = 0)                               \
    LZ_LOOP(lz_##N##_to_cdouble, T, lz_cd, y.r = (npy_double)X; y.i = 0)                             \
    LZ_LOOP(lz_##N##_to_clongdouble, T, lz_cg, y.r = (npy_longdouble)X; y.i = 0)
#define LZ_FROM(N, T) LZ_FROM_READ(N, T, x)
LZ_REALS(LZ_FROM)
LZ_FROM_READ(bool, npy_bool, (x != 0)) /* a byte seen as a truth value may be any number */

/* to half: double has a rounding of its own, all other types are converted to float first */
#define LZ_TO_HALF(N, T) LZ_LOOP(lz_##N##_to_half, T, npy_half, y = npy_float_to_half((npy_float)x))
LZ_TO_HALF(byte, npy_byte) LZ_TO_HALF(ubyte, npy_ubyte) LZ_TO_HALF(short, npy_short)
LZ_TO_HALF(ushort, npy_ushort) LZ_TO_HALF(int, npy_int) LZ_TO_HALF(uint, npy_uint) LZ_TO_HALF(long, npy_long)
LZ_TO_HALF(ulong, npy_ulong) LZ_TO_HALF(longlong, npy_longlong) LZ_TO_HALF(ulonglong, npy_ulonglong)
LZ_TO_HALF(float, npy_float)
LZ_LOOP(lz_bool_to_half, npy_bool, npy_half, y = npy_float_to_half(x != 0))
LZ_LOOP(lz_double_to_half, npy_double, npy_half, y = npy_double_to_half(x))
LZ_LOOP(lz_longdouble_to_half, npy_longdouble, npy_half, y = npy_float_to_half((npy_float)x))

/* from half: through float */
#define LZ_HALF_TO(N, T) LZ_LOOP(lz_half_to_##N, npy_half, T, y = (T)npy_half_to_float(x))
LZ_HALF_TO(byte, npy_byte) LZ_HALF_TO(ubyte, npy_ubyte) LZ_HALF_TO(short, npy_short)
LZ_HALF_TO(ushort, npy_ushort) LZ_HALF_TO(int, npy_int) LZ_HALF_TO(uint, npy_uint) LZ_HALF_TO(long, npy_long)
LZ_HALF_TO(ulong, npy_ulong) LZ_HALF_TO(longlong, npy_longlong) LZ_HALF_TO(ulonglong, npy_ulonglong)
LZ_HALF_TO(float, npy_float) LZ_HALF_TO(longdouble, npy_longdouble)
LZ_LOOP(lz_half_to_double, npy_half, npy_double, y = npy_half_to_double(x))
LZ_LOOP(lz_half_to_bool, npy_half, npy_bool, y = !npy_half_iszero(x))
LZ_LOOP(lz_half_to_cfloat, npy_half, lz_cf, y.r = npy_half_to_float(x); y.i = 0)
LZ_LOOP(lz_half_to_cdouble, npy_half, lz_cd, y.r = npy_half_to_double(x); y.i = 0)
LZ_LOOP(lz_half_to_clongdouble, npy_half, lz_cg, y.r = npy_half_to_float(x); y.i = 0)

/* From complex. The real part is what a loop for real numbers reads, given the stride of complex ones; a loop over both
   parts might convert imaginary parts too, vector by vector, and set flags for them. */
#define LZ_FROM_COMPLEX(N, T)                                                                        \
    LZ_LOOP(lz_##N##_to_bool, T, npy_bool, y = (x.r != 0 || x.i != 0))                               \
    LZ_LOOP(lz_##N##_to_cfloat, T, lz_cf, y.r = (npy_float)x.r; y.i = (npy_float)x.i)                \
    LZ_LOOP(lz_##N##_to_cdouble, T, lz_cd, y.r = (npy_double)x.r; y.i = (npy_double)x.i)             \
    LZ_LOOP(lz_##N##_to_clongdouble, T, lz_cg, y.r = (npy_longdouble)x.r; y.i = (npy_longdouble)x.i)
LZ_FROM_COMPLEX(cfloat, lz_cf)
LZ_FROM_COMPLEX(cdouble, lz_cd)
LZ_FROM_COMPLEX(clongdouble, lz_cg)

/* the casts from N, whose real part is an R */
#define LZ_ROW_OF(N, R)                                                                              \
    {lz_##N##_to_bool, lz_##R##_to_byte, lz_##R##_to_ubyte, lz_##R##_to_short, lz_##R##_to_ushort,   \
     lz_##R##_to_int, lz_##R##_to_uint, lz_##R##_to_long, lz_##R##_to_ulong, lz_##R##_to_longlong,   \
     lz_##R##_to_ulonglong, lz_##R##_to_float, lz_##R##_to_double, lz_##R##_to_longdouble,           \
     lz_##N##_to_cfloat, lz_##N##_to_cdouble, lz_##N##_to_clongdouble, lz_##R##_to_half}
#define LZ_ROW(N) LZ_ROW_OF(N, N)
LZ_LOOP(lz_half_to_half, npy_half, npy_half, y = x)

/* Rows and columns by type number (0 to 16), half (23) last. */
static const lz_loop lz_casts[18][18] = {
    LZ_ROW(bool), LZ_ROW(byte), LZ_ROW(ubyte), LZ_ROW(short), LZ_ROW(ushort), LZ_ROW(int), LZ_ROW(uint), LZ_ROW(long),
    LZ_ROW(ulong), LZ_ROW(longlong), LZ_ROW(ulonglong), LZ_ROW(float), LZ_ROW(double), LZ_ROW(longdouble),
    LZ_ROW_OF(cfloat, float), LZ_ROW_OF(cdouble, double), LZ_ROW_OF(clongdouble, longdouble), LZ_ROW(half)};

/* The casts whose results do not depend on how a processor treats values out of range, for AVX-512. */
#ifdef LZ_WIDE_TARGET
#define LZ_WIDE_CASTS(X)                                                                             \
    X(double, float, x) X(float, double, x) X(int, float, x) X(int, double, x) X(int, long, x)       \
    X(long, float, x) X(long, double, x) X(long, int, x) X(byte, float, x) X(short, float, x)        \
    X(ubyte, int, x) X(ubyte, long, x) X(ubyte, float, x) X(ubyte, double, x) X(ushort, float, x)    \
    X(bool, int, (x != 0)) X(bool, long, (x != 0)) X(bool, float, (x != 0)) X(bool, double, (x != 0))
#define LZ_WIDE_LOOP(N, M, X) LZ_LOOP_FOR(LZ_WIDE_TARGET, lz_wide_##N##_to_##M, npy_##N, npy_##M, y = (npy_##M)X)
#define LZ_WIDE_ROW(N, M, X) if (loop == lz_##N##_to_##M) return lz_wide_##N##_to_##M;
LZ_WIDE_CASTS(LZ_WIDE_LOOP)

static lz_loop lz_wide_cast(lz_loop loop)
{
    if (lz_has_wide()) {
        LZ_WIDE_CASTS(LZ_WIDE_ROW)
    }
    return loop;
}
#else
static lz_loop lz_wide_cast(lz_loop loop) { return loop; }
#endif

static lz_loop lz_cast_loop(int from, int to)
{
    return lz_wide_cast(lz_casts[from == NPY_HALF ? 17 : from][to == NPY_HALF ? 17 : to]);
}

#endif
