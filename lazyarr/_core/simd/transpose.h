/* Transposing a block: out[j * opitch + i * size] = x[i * xpitch + j * size]; pitches and sizes in bytes.
 *
 * Squares of 16 bytes a side are kept in registers. A square's rows of the result lie side by side with those of the
 * squares before it, so that lines are filled one after the other. */
#pragma once

#include "copy.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <emmintrin.h>

#define LZ_LOAD(p) _mm_loadu_si128((const __m128i *)(p))
#define LZ_STORE(p, v) _mm_storeu_si128((__m128i *)(p), v)
#if defined(__clang__)
#define LZ_UNROLLED _Pragma("unroll")
#else
#define LZ_UNROLLED _Pragma("GCC unroll 16")
#endif

/* log2(SIDE) rounds of interleaving row k with row k + SIDE / 2 leave a square of SIDE elements a side transposed. */
#define LZ_SQUARE(SIDE, LOW, HIGH)                                                                    \
    static inline void lz_square##SIDE(char *out, npy_intp opitch, const char *x, npy_intp xpitch)    \
    {                                                                                                 \
        __m128i a[SIDE], b[SIDE];                                                                     \
        LZ_UNROLLED for (int i = 0; i < SIDE; i++) a[i] = LZ_LOAD(x + i * xpitch);                    \
        LZ_UNROLLED for (int round = 1; round < SIDE; round *= 2)                                     \
        {                                                                                             \
            LZ_UNROLLED for (int i = 0; i < SIDE / 2; i++)                                            \
            {                                                                                         \
                b[2 * i] = LOW(a[i], a[i + SIDE / 2]);                                                \
                b[2 * i + 1] = HIGH(a[i], a[i + SIDE / 2]);                                           \
            }                                                                                         \
            LZ_UNROLLED for (int i = 0; i < SIDE; i++) a[i] = b[i];                                   \
        }                                                                                             \
        LZ_UNROLLED for (int i = 0; i < SIDE; i++) LZ_STORE(out + i * opitch, a[i]);                  \
    }

LZ_SQUARE(2, _mm_unpacklo_epi64, _mm_unpackhi_epi64)
LZ_SQUARE(4, _mm_unpacklo_epi32, _mm_unpackhi_epi32)
LZ_SQUARE(8, _mm_unpacklo_epi16, _mm_unpackhi_epi16)
LZ_SQUARE(16, _mm_unpacklo_epi8, _mm_unpackhi_epi8)
#else
#define LZ_PLAIN_SQUARE(SIDE, T)                                                                      \
    static inline void lz_square##SIDE(char *out, npy_intp opitch, const char *x, npy_intp xpitch)    \
    {                                                                                                 \
        for (int j = 0; j < SIDE; j++)                                                                \
            for (int i = 0; i < SIDE; i++)                                                            \
                memcpy(out + j * opitch + i * sizeof(T), x + i * xpitch + j * sizeof(T), sizeof(T));  \
    }
LZ_PLAIN_SQUARE(2, npy_uint64)
LZ_PLAIN_SQUARE(4, npy_uint32)
LZ_PLAIN_SQUARE(8, npy_uint16)
LZ_PLAIN_SQUARE(16, npy_uint8)
#endif

#define LZ_TRANSPOSE(SIDE, T)                                                                                        \
    {                                                                                                                \
        const npy_intp whole_rows = rows / SIDE * SIDE, whole = n / SIDE * SIDE;                                     \
        for (npy_intp j = 0; j < whole; j += SIDE)                                                                   \
            for (npy_intp i = 0; i < whole_rows; i += SIDE)                                                          \
                lz_square##SIDE(out + j * opitch + i * sizeof(T), opitch, x + i * xpitch + j * sizeof(T), xpitch);   \
        for (npy_intp j = whole; j < n; j++)                                                                         \
            lz_copy1(out + j * opitch, sizeof(T), x + j * sizeof(T), xpitch, whole_rows, sizeof(T));                 \
        for (npy_intp i = whole_rows; i < rows; i++)                                                                 \
            lz_copy1(out + i * sizeof(T), opitch, x + i * xpitch, sizeof(T), n, sizeof(T));                          \
        return;                                                                                                      \
    }

/* Transpose `rows` rows of n elements; elements of a row are contiguous, as are those of a column in the result. */
static void lz_transpose(char *out, npy_intp opitch, const char *x, npy_intp xpitch, npy_intp rows, npy_intp n,
                         npy_intp size)
{
    switch (size) {
    case 1: LZ_TRANSPOSE(16, npy_uint8)
    case 2: LZ_TRANSPOSE(8, npy_uint16)
    case 4: LZ_TRANSPOSE(4, npy_uint32)
    case 8: LZ_TRANSPOSE(2, npy_uint64)
    default:
        for (npy_intp j = 0; j < n; j++) lz_copy1(out + j * opitch, size, x + j * size, xpitch, rows, size);
    }
}
