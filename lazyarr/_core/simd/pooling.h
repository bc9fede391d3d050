/* Windows over arrays whose last axis is channels: maxima, means, weighted sums, and gradients of maxima.
 *
 * Each function here works on one line of positions. Where windows reach over the edge, their taps are clipped: the
 * lines of taps that all windows of a line share are listed in `row`, those along the line in `first` and `taps`.
 *
 *     row[0] ->  x x[x x x]x x        taps[p] = 3 from first[p] on, `tap` bytes apart
 *     row[1] ->  x x[x x x]x x
 */
#pragma once

#include <math.h>
#include <numpy/ndarraytypes.h>

#include "wide.h"

typedef struct {
    npy_intp begin, end;        /* positions */
    npy_intp channels;
    npy_intp rows, pixel, tap;  /* strides in bytes of pixels and taps */
    const char **row;
    const npy_intp *first, *taps; /* by position */
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
    const char *place;
    char *out;                  /* position 0; contiguous */
    char *place_out;
    int narrow;                 /* places have 8 bits, otherwise 32 */
} lz_windows;

typedef void (*lz_line)(const lz_windows *w);

enum { LZ_MAX, LZ_MEAN, LZ_MIX, LZ_PLACES, LZ_GIVE_BACK, LZ_LINES };

typedef struct {
    npy_intp lanes; /* least number of channels */
    lz_line line[LZ_LINES]; /* NULL: unsupported with this type and width */
} lz_pool;

#if !defined(LZ_NO_VECTORS)
/* x != x is how NaN is found, and never so for integers */
#pragma GCC diagnostic ignored "-Wtautological-compare"
#define LZ_ASK(x) __builtin_prefetch((x) + 1024) /* the hardware prefetcher stops at page ends */
#else
#define LZ_ASK(x)
#endif

#define BITS 1
#define TARGET
#include "pooling_types.h"
#if !defined(LZ_NO_VECTORS)
#define BITS 128
#define TARGET
#include "pooling_types.h"
#endif
#if defined(LZ_X86)
#define BITS 256
#define TARGET __attribute__((target("avx2")))
#include "pooling_types.h"
#define BITS 512
#define TARGET __attribute__((target("avx512f,avx512dq")))
#include "pooling_types.h"
#endif

/* Vector width of this processor: 1, 2 and 3 for 128, 256 and 512 bits; 0 for none. */
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

/* The function for a type with the widest vectors, up to this width, that the channels fill. */
static lz_line lz_find_line(int line, int type, int width, npy_intp channels)
{
    static const lz_pool *const table[LZ_TYPES][4] = {
        LZ_ALL_WIDTHS(f), LZ_ALL_WIDTHS(d), {&lz_g_1_pool, NULL, NULL, NULL},
        LZ_WIDTHS(i1), LZ_WIDTHS(u1), LZ_WIDTHS(i2), LZ_WIDTHS(u2), LZ_WIDTHS(i4), LZ_WIDTHS(u4), LZ_WIDTHS(i8),
        LZ_WIDTHS(u8),
    };
    for (; width > 0; width--) {
        const lz_pool *pool = table[type][width];
        if (pool && pool->line[line] && pool->lanes <= channels) return pool->line[line];
    }
    return table[type][0]->line[line];
}
