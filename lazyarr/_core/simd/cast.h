/* Casts between native types, with the meaning of C's conversions as NumPy has them.
 *
 * A table of conversions times a table of types; `lz_cast_loop(from, to)` returns the loop. Signature and
 * behaviour are those of a ufunc's inner loop, floating-point status included ("overflow encountered in cast").
 * Half precision uses npymath, as in NumPy. Casts that keep every value are compiled for AVX-512, too. */
#pragma once

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

/* Name and C type of each integer, and of each real type but half; the latter twice, since an X-macro cannot be used
 * inside itself. */
#define LZ_WHOLE(X)                                                                                  \
    X(byte, npy_byte) X(ubyte, npy_ubyte) X(short, npy_short) X(ushort, npy_ushort) X(int, npy_int)  \
    X(uint, npy_uint) X(long, npy_long) X(ulong, npy_ulong) X(longlong, npy_longlong)                \
    X(ulonglong, npy_ulonglong)
#define LZ_REALS(X) LZ_WHOLE(X) X(float, npy_float) X(double, npy_double) X(longdouble, npy_longdouble)
#define LZ_TO_REALS(Y, N, T, READ)                                                                   \
    Y(N, T, byte, READ) Y(N, T, ubyte, READ) Y(N, T, short, READ) Y(N, T, ushort, READ)              \
    Y(N, T, int, READ) Y(N, T, uint, READ) Y(N, T, long, READ) Y(N, T, ulong, READ)                  \
    Y(N, T, longlong, READ) Y(N, T, ulonglong, READ) Y(N, T, float, READ) Y(N, T, double, READ)      \
    Y(N, T, longdouble, READ)

#define LZ_TO_REAL(N, T, M, READ) LZ_LOOP(lz_##N##_to_##M, T, npy_##M, y = (npy_##M)READ)
#define LZ_TO_COMPLEX(N, T, READ, M, U) LZ_LOOP(lz_##N##_to_c##M, T, U, y.r = (npy_##M)READ; y.i = 0)
#define LZ_FROM_READ(N, T, READ)                                                                     \
    LZ_LOOP(lz_##N##_to_bool, T, npy_bool, y = (READ != 0))                                          \
    LZ_TO_REALS(LZ_TO_REAL, N, T, READ)                                                              \
    LZ_TO_COMPLEX(N, T, READ, float, lz_cf)                                                          \
    LZ_TO_COMPLEX(N, T, READ, double, lz_cd)                                                         \
    LZ_TO_COMPLEX(N, T, READ, longdouble, lz_cg)
#define LZ_FROM(N, T) LZ_FROM_READ(N, T, x)
LZ_REALS(LZ_FROM)
LZ_FROM_READ(bool, npy_bool, (x != 0)) /* a bool byte may have any value */

/* to half: double has a rounding of its own, all other types are converted to float first */
#define LZ_TO_HALF(N, T) LZ_LOOP(lz_##N##_to_half, T, npy_half, y = npy_float_to_half((npy_float)x))
LZ_WHOLE(LZ_TO_HALF) LZ_TO_HALF(float, npy_float) LZ_TO_HALF(longdouble, npy_longdouble)
LZ_LOOP(lz_bool_to_half, npy_bool, npy_half, y = npy_float_to_half(x != 0))
LZ_LOOP(lz_double_to_half, npy_double, npy_half, y = npy_double_to_half(x))

/* from half: through float */
#define LZ_HALF_TO(N, T) LZ_LOOP(lz_half_to_##N, npy_half, T, y = (T)npy_half_to_float(x))
LZ_WHOLE(LZ_HALF_TO) LZ_HALF_TO(float, npy_float) LZ_HALF_TO(longdouble, npy_longdouble)
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

/* The casts with results that do not depend on the processor's out-of-range behaviour, for AVX-512. */
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

static lz_loop lz_cast_loop(int from, int to)
{
    return lz_wide_cast(lz_casts[from == NPY_HALF ? 17 : from][to == NPY_HALF ? 17 : to]);
}
