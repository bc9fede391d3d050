/* Windows over arrays whose last axis is channels: maxima, means, weighted sums, and gradients of maxima.
 *
 * Each function here works on one line of positions. Where windows reach over the edge, their taps are clipped: the
 * lines of taps that all windows of a line share are listed in `row`, those along the line in `first` and `taps`.
 *
 *     row[0] ->  x x[x x x]x x        taps[p] = 3 from first[p] on, `tap` bytes apart
 *     row[1] ->  x x[x x x]x x
 */
#ifndef LAZYARR_POOL_H
#define LAZYARR_POOL_H

#include <float.h>
#include <math.h>
#include <numpy/ndarraytypes.h>

typedef struct {
    npy_intp begin, end;        /* positions */
    npy_intp channels;
    npy_intp rows, pixel, tap;  /* pixel, tap: bytes from one to the next */
    const char **row;
    const npy_intp *first, *taps; /* of each position */
    /* means: a window's sum is divided by divide * divisor[position] */
    double divide;
    const double *divisor;
    /* weighted sums: a tap counts scale[row] * weight[offset[position] + tap] times */
    const void *scale, *weight;
    const npy_intp *offset;
    /* numbers of taps in their window: row_number[row] + number[position] + tap * number_step */
    npy_intp number_step;
    const npy_intp *number;
    npy_int32 *row_number;
    const char *source;         /* gradients: where the array begins that `row` points into, and the places */
    const npy_int32 *place;
    char *out;                  /* position 0; contiguous */
    npy_int32 *place_out;
} lz_windows;

typedef struct {
    npy_intp lanes; /* there are as many channels, or more */
    void (*max)(const lz_windows *w);
    void (*mean)(const lz_windows *w);
    void (*mix)(const lz_windows *w);
} lz_pool;

#if defined(__GNUC__) || defined(__clang__)
#define LZ_UNROLL _Pragma("GCC unroll 4")
#define LZ_INLINE static inline __attribute__((always_inline))
#else
#define LZ_UNROLL
#define LZ_INLINE static inline
#define LZ_NO_VECTORS
#endif

#define TARGET
#define T float
#define LEAST -INFINITY
#define WEIGHT double
#define NAME(x) lz_f_1_##x
#include "pool_line.h"
#define T double
#define LEAST -INFINITY
#define WEIGHT double
#define NAME(x) lz_d_1_##x
#include "pool_line.h"
#define T npy_longdouble
#define LEAST -INFINITY
#define WEIGHT npy_longdouble
#define NAME(x) lz_g_1_##x
#include "pool_line.h"
#define T npy_int8
#define LEAST NPY_MIN_INT8
#define NAME(x) lz_i1_1_##x
#include "pool_line.h"
#define T npy_uint8
#define LEAST 0
#define NAME(x) lz_u1_1_##x
#include "pool_line.h"
#define T npy_int16
#define LEAST NPY_MIN_INT16
#define NAME(x) lz_i2_1_##x
#include "pool_line.h"
#define T npy_uint16
#define LEAST 0
#define NAME(x) lz_u2_1_##x
#include "pool_line.h"
#define T npy_int32
#define LEAST NPY_MIN_INT32
#define NAME(x) lz_i4_1_##x
#include "pool_line.h"
#define T npy_uint32
#define LEAST 0
#define NAME(x) lz_u4_1_##x
#include "pool_line.h"
#define T npy_int64
#define LEAST NPY_MIN_INT64
#define NAME(x) lz_i8_1_##x
#include "pool_line.h"
#define T npy_uint64
#define LEAST 0
#define NAME(x) lz_u8_1_##x
#include "pool_line.h"
#undef TARGET

#if !defined(LZ_NO_VECTORS)
#define TARGET
#define T float
#define LEAST -INFINITY
#define WEIGHT double
#define BYTES 16
#define I npy_int32
#define NAME(x) lz_f_128_##x
#include "pool_line.h"
#define T double
#define LEAST -INFINITY
#define WEIGHT double
#define BYTES 16
#define I npy_int64
#define NAME(x) lz_d_128_##x
#include "pool_line.h"
#define T npy_int8
#define LEAST NPY_MIN_INT8
#define BYTES 16
#define I npy_int8
#define NAME(x) lz_i1_128_##x
#include "pool_line.h"
#define T npy_uint8
#define LEAST 0
#define BYTES 16
#define I npy_int8
#define NAME(x) lz_u1_128_##x
#include "pool_line.h"
#define T npy_int16
#define LEAST NPY_MIN_INT16
#define BYTES 16
#define I npy_int16
#define NAME(x) lz_i2_128_##x
#include "pool_line.h"
#define T npy_uint16
#define LEAST 0
#define BYTES 16
#define I npy_int16
#define NAME(x) lz_u2_128_##x
#include "pool_line.h"
#define T npy_int32
#define LEAST NPY_MIN_INT32
#define BYTES 16
#define I npy_int32
#define NAME(x) lz_i4_128_##x
#include "pool_line.h"
#define T npy_uint32
#define LEAST 0
#define BYTES 16
#define I npy_int32
#define NAME(x) lz_u4_128_##x
#include "pool_line.h"
#define T npy_int64
#define LEAST NPY_MIN_INT64
#define BYTES 16
#define I npy_int64
#define NAME(x) lz_i8_128_##x
#include "pool_line.h"
#define T npy_uint64
#define LEAST 0
#define BYTES 16
#define I npy_int64
#define NAME(x) lz_u8_128_##x
#include "pool_line.h"
#undef TARGET
#endif

#if defined(__x86_64__) && !defined(LZ_NO_VECTORS)
#define LZ_X86 1
#define TARGET __attribute__((target("avx2")))
#define T float
#define LEAST -INFINITY
#define WEIGHT double
#define BYTES 32
#define I npy_int32
#define NAME(x) lz_f_256_##x
#include "pool_line.h"
#define T double
#define LEAST -INFINITY
#define WEIGHT double
#define BYTES 32
#define I npy_int64
#define NAME(x) lz_d_256_##x
#include "pool_line.h"
#undef TARGET
#define TARGET __attribute__((target("avx512f,avx512dq")))
#define T float
#define LEAST -INFINITY
#define WEIGHT double
#define BYTES 64
#define I npy_int32
#define NAME(x) lz_f_512_##x
#include "pool_line.h"
#define T double
#define LEAST -INFINITY
#define WEIGHT double
#define BYTES 64
#define I npy_int64
#define NAME(x) lz_d_512_##x
#include "pool_line.h"
#undef TARGET
#endif

/* How wide the vectors of this processor are: 1, 2 and 3 for 128, 256 and 512 bits; 0 for none. */
static int lz_pool_width(void)
{
#if defined(LZ_X86)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) return 3;
    if (__builtin_cpu_supports("avx2")) return 2;
#endif
#if defined(LZ_NO_VECTORS)
    return 0;
#else
    return 1;
#endif
}

enum { LZ_FLOAT, LZ_DOUBLE, LZ_LONGDOUBLE, LZ_I1, LZ_U1, LZ_I2, LZ_U2, LZ_I4, LZ_U4, LZ_I8, LZ_U8, LZ_TYPES };

#if defined(LZ_NO_VECTORS)
#define LZ_WIDTHS(N) {&lz_##N##_1_pool, NULL, NULL, NULL}
#define LZ_ALL_WIDTHS LZ_WIDTHS
#else
#define LZ_WIDTHS(N) {&lz_##N##_1_pool, &lz_##N##_128_pool, NULL, NULL}
#if defined(LZ_X86)
#define LZ_ALL_WIDTHS(N) {&lz_##N##_1_pool, &lz_##N##_128_pool, &lz_##N##_256_pool, &lz_##N##_512_pool}
#else
#define LZ_ALL_WIDTHS LZ_WIDTHS
#endif
#endif

/* The widest functions for a type, up to this width, whose vectors so many channels fill. */
static const lz_pool *lz_find_pool(int type, int width, npy_intp channels)
{
    static const lz_pool *const table[LZ_TYPES][4] = {
        LZ_ALL_WIDTHS(f), LZ_ALL_WIDTHS(d), {&lz_g_1_pool, NULL, NULL, NULL},
        LZ_WIDTHS(i1), LZ_WIDTHS(u1), LZ_WIDTHS(i2), LZ_WIDTHS(u2), LZ_WIDTHS(i4), LZ_WIDTHS(u4), LZ_WIDTHS(i8),
        LZ_WIDTHS(u8),
    };
    while (width > 0 && (!table[type][width] || table[type][width]->lanes > channels)) width--;
    return table[type][width];
}

/* The place of the first maximum of each window, as the number of its tap; -1 where a window has no taps. NaN is a
 * maximum. */
#define LZ_FIND_MAX(NAME, T, LEAST)                                                                            \
    static void NAME(const lz_windows *w)                                                                      \
    {                                                                                                          \
        enum { BLOCK = 128 };                                                                                  \
        T most[BLOCK];                                                                                         \
        npy_int32 place[BLOCK];                                                                                \
        for (npy_intp p = w->begin; p < w->end; p++)                                                           \
            for (npy_intp start = 0; start < w->channels; start += BLOCK) {                                    \
                const npy_intp n = w->channels - start < BLOCK ? w->channels - start : BLOCK;                  \
                const npy_intp taps = w->taps[p];                                                              \
                const npy_int32 none = w->rows && taps ? w->row_number[0] + (npy_int32)w->number[p] : -1;      \
                for (npy_intp c = 0; c < n; c++) {                                                             \
                    most[c] = LEAST;                                                                           \
                    place[c] = none;                                                                           \
                }                                                                                              \
                for (npy_intp r = 0; r < w->rows; r++)                                                         \
                    for (npy_intp t = 0; t < taps; t++) {                                                      \
                        const T *x = (const T *)(w->row[r] + w->first[p] * w->pixel + t * w->tap) + start;     \
                        const npy_int32 here = w->row_number[r] + (npy_int32)(w->number[p] + t * w->number_step); \
                        for (npy_intp c = 0; c < n; c++) {                                                     \
                            const int better = (x[c] > most[c]) | ((x[c] != x[c]) & (most[c] == most[c]));     \
                            most[c] = better ? x[c] : most[c];                                                 \
                            place[c] = better ? here : place[c];                                               \
                        }                                                                                      \
                    }                                                                                          \
                for (npy_intp c = 0; c < n; c++) w->place_out[p * w->channels + start + c] = place[c];         \
            }                                                                                                  \
    }
LZ_FIND_MAX(lz_find_max_f, float, -INFINITY)
LZ_FIND_MAX(lz_find_max_d, double, -INFINITY)
LZ_FIND_MAX(lz_find_max_g, npy_longdouble, -INFINITY)
LZ_FIND_MAX(lz_find_max_i1, npy_int8, NPY_MIN_INT8)
LZ_FIND_MAX(lz_find_max_u1, npy_uint8, 0)
LZ_FIND_MAX(lz_find_max_i2, npy_int16, NPY_MIN_INT16)
LZ_FIND_MAX(lz_find_max_u2, npy_uint16, 0)
LZ_FIND_MAX(lz_find_max_i4, npy_int32, NPY_MIN_INT32)
LZ_FIND_MAX(lz_find_max_u4, npy_uint32, 0)
LZ_FIND_MAX(lz_find_max_i8, npy_int64, NPY_MIN_INT64)
LZ_FIND_MAX(lz_find_max_u8, npy_uint64, 0)

/* For each pixel the sum of those taps that found their maximum there. */
#define LZ_GIVE_BACK(NAME, T)                                                                                  \
    static void NAME(const lz_windows *w)                                                                      \
    {                                                                                                          \
        for (npy_intp p = w->begin; p < w->end; p++) {                                                         \
            T *out = (T *)w->out + p * w->channels;                                                            \
            for (npy_intp c = 0; c < w->channels; c++) out[c] = 0;                                             \
            for (npy_intp r = 0; r < w->rows; r++)                                                             \
                for (npy_intp t = 0; t < w->taps[p]; t++) {                                                    \
                    const T *g = (const T *)(w->row[r] + w->first[p] * w->pixel + t * w->tap);                 \
                    const npy_int32 *place = w->place + (g - (const T *)w->source);                            \
                    const npy_int32 here = w->row_number[r] + (npy_int32)(w->number[p] + t * w->number_step);  \
                    for (npy_intp c = 0; c < w->channels; c++) out[c] += place[c] == here ? g[c] : 0;          \
                }                                                                                              \
        }                                                                                                      \
    }
LZ_GIVE_BACK(lz_give_back_f, float)
LZ_GIVE_BACK(lz_give_back_d, double)
LZ_GIVE_BACK(lz_give_back_g, npy_longdouble)

typedef void (*lz_line)(const lz_windows *w);

static lz_line lz_find_max(int type)
{
    static const lz_line table[LZ_TYPES] = {
        lz_find_max_f, lz_find_max_d, lz_find_max_g, lz_find_max_i1, lz_find_max_u1, lz_find_max_i2,
        lz_find_max_u2, lz_find_max_i4, lz_find_max_u4, lz_find_max_i8, lz_find_max_u8,
    };
    return table[type];
}

static lz_line lz_give_back(int type)
{
    static const lz_line table[] = {lz_give_back_f, lz_give_back_d, lz_give_back_g};
    return table[type];
}

#endif
