/* What loops over float64 in 256-bit vectors, four elements at a time, share.
 *
 * Vectors with an element out of the ordinary (nan, infinity, overflow, underflow) go to NumPy's loop, as do the last
 * one to three elements. A loop is used only if a check finds that it gives NumPy's bits and status flags. */
#pragma once

#include <string.h>
#include <numpy/ndarraytypes.h>

#include "arith.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>

#define LZ_FOUR_TARGET __attribute__((target("avx2,fma")))
#define LZ_FOUR_INLINE LZ_FOUR_TARGET static inline __attribute__((always_inline))

#define LZ_FOUR(c) _mm256_set1_pd(c)
#define LZ_FOUR_INTEGERS(c) _mm256_set1_epi64x((long long)(c))
#define LZ_BITS_OF_FOUR(v) _mm256_castpd_si256(v)
#define LZ_FOUR_OF_BITS(v) _mm256_castsi256_pd(v)

LZ_FOUR_INLINE __m256d lz_four_sizes(__m256d x) { return _mm256_andnot_pd(LZ_FOUR(-0.0), x); }

/* Whether all bits of four numbers, taken as integers, lie in [least, least + range). Comparisons of floats would raise
 * flags for nan. */
LZ_FOUR_INLINE int lz_four_within(__m256d x, npy_uint64 least, npy_uint64 range)
{
    const npy_uint64 lowest = 0x8000000000000000u; /* signed comparisons are all that AVX2 has */
    const __m256i distance = _mm256_sub_epi64(LZ_BITS_OF_FOUR(x), LZ_FOUR_INTEGERS(least + lowest));
    return _mm256_movemask_pd(LZ_FOUR_OF_BITS(_mm256_cmpgt_epi64(LZ_FOUR_INTEGERS(range + lowest), distance))) == 0xf;
}

/* Transpose the first four columns of four rows. */
LZ_FOUR_INLINE void lz_four_transpose(const double *const row[4], __m256d column[4])
{
    const __m256d row0 = _mm256_loadu_pd(row[0]), row1 = _mm256_loadu_pd(row[1]);
    const __m256d row2 = _mm256_loadu_pd(row[2]), row3 = _mm256_loadu_pd(row[3]);
    const __m256d low01 = _mm256_unpacklo_pd(row0, row1), low23 = _mm256_unpacklo_pd(row2, row3);
    const __m256d high01 = _mm256_unpackhi_pd(row0, row1), high23 = _mm256_unpackhi_pd(row2, row3);
    column[0] = _mm256_permute2f128_pd(low01, low23, 0x20);
    column[1] = _mm256_permute2f128_pd(high01, high23, 0x20);
    column[2] = _mm256_permute2f128_pd(low01, low23, 0x31);
    column[3] = _mm256_permute2f128_pd(high01, high23, 0x31);
}

/* Find the rows of a table, of `width` columns, that four integers name. Loads and shuffles follow in place of gathers,
 * which are slow on many processors. */
LZ_FOUR_INLINE void lz_four_rows(const void *table, int width, __m256i rows, const double *row[4])
{
    const __m128i low = _mm256_castsi256_si128(rows), high = _mm256_extracti128_si256(rows, 1);
    row[0] = (const double *)table + width * _mm_cvtsi128_si64(low);
    row[1] = (const double *)table + width * _mm_extract_epi64(low, 1);
    row[2] = (const double *)table + width * _mm_cvtsi128_si64(high);
    row[3] = (const double *)table + width * _mm_extract_epi64(high, 1);
}

/* The first two columns of four rows. */
LZ_FOUR_INLINE void lz_four_pairs(const double *const row[4], __m256d *first, __m256d *second)
{
    const __m256d even = _mm256_set_m128d(_mm_loadu_pd(row[2]), _mm_loadu_pd(row[0]));
    const __m256d odd = _mm256_set_m128d(_mm_loadu_pd(row[3]), _mm_loadu_pd(row[1]));
    *first = _mm256_unpacklo_pd(even, odd);
    *second = _mm256_unpackhi_pd(even, odd);
}

static inline int lz_four_supported(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

/* Call NumPy's loop for the elements from `first` up to `end`. */
static inline void lz_four_rest(char **args, npy_intp first, npy_intp end, npy_intp const *strides,
                                const lz_arith *numpy, int nargs)
{
    const npy_intp length = end - first;
    char *rest[3];
    if (!length) return;
    for (int j = 0; j < nargs; j++) rest[j] = args[j] + first * strides[j];
    numpy->own(rest, &length, strides, numpy->data);
}

/* Run `four` on contiguous operands, of which one of two may be a scalar. It returns 0 for vectors that it leaves to
 * NumPy's loop. */
typedef int (*lz_four_function)(const double *, const double *, double *);

LZ_FOUR_INLINE void lz_four_run(char **args, npy_intp n, npy_intp const *strides, const lz_arith *numpy, int nin,
                                lz_four_function four)
{
    const npy_intp size = sizeof(double);
    const double *in[2] = {(const double *)args[0], (const double *)args[1]};
    double *z = (double *)args[nin], scalar[4];
    npy_intp steps[2] = {1, 1}, done = 0;
    int is_direct = strides[nin] == size && _MM_GET_ROUNDING_MODE() == _MM_ROUND_NEAREST;
    for (int j = 0; j < nin; j++) {
        is_direct &= strides[j] == size || (strides[j] == 0 && strides[nin - 1 - j] == size);
        if (strides[j] == 0) {
            for (int i = 0; i < 4; i++) scalar[i] = *in[j];
            in[j] = scalar;
            steps[j] = 0;
        }
    }
    /* NumPy's loop squares for a scalar exponent of 2 */
    if (is_direct && !(nin == 2 && strides[1] == 0 && scalar[0] == 2.0))
        for (npy_intp i = 0; i + 4 <= n; i += 4)
            if (four(in[0] + steps[0] * i, in[1] + steps[1] * i, z + i)) {
                lz_four_rest(args, done, i, strides, numpy, nin + 1);
                done = i + 4;
            }
    lz_four_rest(args, done, n, strides, numpy, nin + 1);
}

/* Make the loop NAME_by_four of the function NAME_four. */
#define LZ_FOUR_LOOP(NAME, NIN)                                                                                  \
    LZ_FOUR_TARGET static void NAME##_by_four(char **args, npy_intp const *count, npy_intp const *strides, void *data)\
    {                                                                                                            \
        lz_four_run(args, count[0], strides, data, NIN, NAME##_four);                                            \
    }
#endif
