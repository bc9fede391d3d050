/* Loops of float64 in 256-bit vectors, four elements at a time, that stand in for calls of libm: what they share.
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
