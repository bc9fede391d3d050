/* Matrix products out of registers: tiles for float32, float64, int32 and int64, and packing what they read.
 *
 * After Goto and van de Geijn, "Anatomy of high-performance matrix multiplication" (ACM TOMS 34, 2008): one operand is
 * packed into panels that stay in cache, and a tile of the result stays in registers over all terms of a block. */
#pragma once

#include <string.h>
#include <numpy/ndarraytypes.h>

#include "wide.h"

/* The terms of a sum: `runs` runs of `length` neighbours, each from start[run] elements after the row's first. */
typedef struct {
    npy_intp runs, length;
    const npy_intp *start;
} lz_terms;

typedef void lz_packing(char *dst, npy_intp apart, npy_intp panel, const char *src, npy_intp terms, npy_intp step,
                        npy_intp columns, npy_intp across);
static lz_packing lz_pack_4, lz_pack_8, lz_pack_complex_4, lz_pack_complex_8;

typedef struct {
    npy_intp size;        /* itemsize */
    npy_intp rows, panel; /* most rows of a tile two vectors wide; elements of two vectors */
    /* rows x columns of c, up to one panel of columns, or with at most half of the rows two; added to it if `add`. b's
     * rows lie ldb apart, its panels `panel`, and are whole vectors. Distances count elements. */
    void (*tile)(int rows, npy_intp columns, const lz_terms *terms, const void *a, npy_intp step, int rows_adjoin,
                 const void *b, npy_intp ldb, npy_intp panel, void *c, npy_intp ldc, int add);
    lz_packing *pack[2];  /* of b: of single elements, and of complex numbers */
    /* y[p][c] = sum over t of x[p][start[t] + c] * w[start_w[t] + c]: positions lie `step` and ldy elements apart */
    void (*each_channel)(npy_intp positions, npy_intp channels, npy_intp taps, const npy_intp *start,
                         const npy_intp *start_w, const void *x, npy_intp step, const void *w, void *y, npy_intp ldy);
    /* w[start_w[t] + c] += sum over p of x[p][start[t] + c] * y[p][c] */
    void (*each_weight)(npy_intp positions, npy_intp channels, npy_intp taps, const npy_intp *start,
                        const npy_intp *start_w, const void *x, npy_intp step, void *w, const void *y, npy_intp ldy);
    /* y[c] = sum over t of a[t] * b[t][c], or of b[t][c] if a is NULL; b's rows lie ldb elements apart */
    void (*add_rows)(npy_intp rows, npy_intp columns, const void *a, const void *b, npy_intp ldb, void *y);
    /* y[i] = sum over t of a[i][t] * v[t]; a's rows lie lda elements apart */
    void (*sum_rows)(npy_intp rows, npy_intp terms, const void *a, npy_intp lda, const void *v, void *y);
} lz_gemm;

#if !defined(LZ_NO_VECTORS)
#define LZ_OPAQUE(x) __asm__("" : "+r"(x))
#define LZ_PREFETCH(x) __builtin_prefetch(x)
#else
#define LZ_OPAQUE(x) (void)0
#define LZ_PREFETCH(x) (void)0
#endif

#define BITS 128
#define TARGET
#define ROWS 6
#include "gemm_types.h"

#if defined(LZ_X86)
#include <immintrin.h>
#define BITS 256
#define TARGET __attribute__((target("avx2,fma")))
#define ROWS 6
#include "gemm_types.h"
#define BITS 512
#define TARGET __attribute__((target("avx512f,avx512dq")))
#define ROWS 14
#include "gemm_types.h"
#endif

/* Vector width of this processor: 0, 1 and 2 for 128, 256 and 512 bits. */
static int lz_gemm_width(void)
{
#if defined(LZ_X86)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) return 2;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return 1;
#endif
    return 0;
}

/* The tiles for float32, float64, int32 or int64 (0 to 3). */
static const lz_gemm *lz_find_gemm(int type, int width)
{
    static const lz_gemm *const table[][4] = {
        {&lz_f_128_gemm, &lz_d_128_gemm, &lz_i_128_gemm, &lz_l_128_gemm},
#if defined(LZ_X86)
        {&lz_f_256_gemm, &lz_d_256_gemm, &lz_i_256_gemm, &lz_l_256_gemm},
        {&lz_f_512_gemm, &lz_d_512_gemm, &lz_i_512_gemm, &lz_l_512_gemm},
#endif
    };
    return table[width][type];
}

/* Transpose 16 x 16 elements. */
#if defined(LZ_X86)
static void lz_pack_4_turned(npy_int32 *dst, npy_intp panel, const char *src, npy_intp across)
{
    for (int r = 0; r < 16; r += 4)
        for (int c = 0; c < 16; c += 4) {
            __m128 v[4];
            for (int i = 0; i < 4; i++) v[i] = _mm_loadu_ps((const float *)(src + (c + i) * across) + r);
            _MM_TRANSPOSE4_PS(v[0], v[1], v[2], v[3]);
            for (int i = 0; i < 4; i++) _mm_storeu_ps((float *)dst + (r + i) * panel + c, v[i]);
        }
}
static void lz_pack_8_turned(npy_int64 *dst, npy_intp panel, const char *src, npy_intp across)
{
    for (int r = 0; r < 16; r += 2)
        for (int c = 0; c < 16; c += 2) {
            const __m128d a = _mm_loadu_pd((const double *)(src + c * across) + r);
            const __m128d b = _mm_loadu_pd((const double *)(src + (c + 1) * across) + r);
            _mm_storeu_pd((double *)dst + r * panel + c, _mm_unpacklo_pd(a, b));
            _mm_storeu_pd((double *)dst + (r + 1) * panel + c, _mm_unpackhi_pd(a, b));
        }
}
#else
#define LZ_TURNED(NAME, T)                                                                      \
    static void NAME(T *dst, npy_intp panel, const char *src, npy_intp across)                  \
    {                                                                                           \
        for (int c = 0; c < 16; c++)                                                            \
            for (int r = 0; r < 16; r++) dst[r * panel + c] = ((const T *)(src + c * across))[r]; \
    }
LZ_TURNED(lz_pack_4_turned, npy_int32)
LZ_TURNED(lz_pack_8_turned, npy_int64)
#endif

/* Pack terms x columns of a matrix, which lie `step` and `across` bytes apart, into panels, `apart` bytes from one to the
 * next. The last is filled up with copies of its last column, which raise no flags of their own. */
#define LZ_PACK(NAME, T)                                                                                              \
    static void NAME(char *dst, npy_intp apart, npy_intp panel, const char *src, npy_intp terms, npy_intp step,       \
                     npy_intp columns, npy_intp across)                                                               \
    {                                                                                                                 \
        for (npy_intp j = 0; j < columns; j += panel, dst += apart, src += panel * across) {                          \
            const npy_intp width = columns - j < panel ? columns - j : panel;                                         \
            T *row = (T *)dst;                                                                                        \
            if (across == sizeof(T) && width == panel)                                                                \
                for (npy_intp t = 0; t < terms; t++, row += panel)                                                    \
                    for (npy_intp k = 0; k < panel; k += 4) memcpy(row + k, src + t * step + k * across, 4 * sizeof(T)); \
            else if (across == sizeof(T))                                                                             \
                for (npy_intp t = 0; t < terms; t++, row += panel) memcpy(row, src + t * step, width * sizeof(T));    \
            else                                                                                                      \
                for (npy_intp t = 0; t < terms; t += 16) /* the output stays in the first-level cache */               \
                    for (npy_intp k = 0; k < width; k += 16) {                                                        \
                        const npy_intp rows = terms - t < 16 ? terms - t : 16, n = width - k < 16 ? width - k : 16;   \
                        if (step == sizeof(T) && rows == 16 && n == 16)                                               \
                            NAME##_turned(row + t * panel + k, panel, src + t * step + k * across, across);           \
                        else                                                                                          \
                            for (npy_intp c = k; c < k + n; c++)                                                      \
                                for (npy_intp r = t; r < t + rows; r++)                                               \
                                    row[r * panel + c] = *(const T *)(src + r * step + c * across);                   \
                    }                                                                                                 \
            for (npy_intp t = 0; width < panel && t < terms; t++)                                                     \
                for (npy_intp k = width; k < panel; k++) ((T *)dst)[t * panel + k] = ((T *)dst)[t * panel + width - 1]; \
        }                                                                                                             \
    }
LZ_PACK(lz_pack_4, npy_int32)
LZ_PACK(lz_pack_8, npy_int64)

/* The same for complex numbers as pairs of reals, a row (re, im) and a row (-im, re) each: the real product with rows
 * of (re, im) then is the complex one. `panel` counts reals, `columns` complex numbers. */
#define LZ_PACK_COMPLEX(NAME, T)                                                                                      \
    static void NAME(char *dst, npy_intp apart, npy_intp panel, const char *src, npy_intp terms, npy_intp step,       \
                     npy_intp columns, npy_intp across)                                                               \
    {                                                                                                                 \
        for (npy_intp j = 0; j < 2 * columns; j += panel, dst += apart, src += panel / 2 * across) {                  \
            const npy_intp width = 2 * columns - j < panel ? 2 * columns - j : panel;                                 \
            T *row = (T *)dst;                                                                                        \
            for (npy_intp t = 0; t < terms; t++, row += 2 * panel)                                                    \
                for (npy_intp k = 0; k < width / 2; k++) {                                                            \
                    const T *z = (const T *)(src + t * step + k * across);                                            \
                    row[2 * k] = row[panel + 2 * k + 1] = z[0];                                                       \
                    row[2 * k + 1] = z[1];                                                                            \
                    row[panel + 2 * k] = -z[1];                                                                       \
                }                                                                                                     \
            for (npy_intp t = 0; width < panel && t < 2 * terms; t++)                                                 \
                for (npy_intp k = width; k < panel; k++) ((T *)dst)[t * panel + k] = ((T *)dst)[t * panel + k - 2];   \
        }                                                                                                             \
    }
LZ_PACK_COMPLEX(lz_pack_complex_4, float)
LZ_PACK_COMPLEX(lz_pack_complex_8, double)
