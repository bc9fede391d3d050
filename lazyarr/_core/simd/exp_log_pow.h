/* exp, log and power of float64 in 256-bit vectors, with the bits of the libm that NumPy calls.
 *
 * Where a processor has no AVX-512, NumPy calls libm for each element. glibc's functions (2.28 and later,
 * sysdeps/ieee754/dbl-64/e_exp.c, e_log.c, e_pow.c, from Arm's Optimized Routines) look up the nearest of 128 values
 * and add a short polynomial of the remainder. Here four elements go the same way. Every operation is rounded where
 * libm rounds it: `fmadd` stands where the compiler of glibc's variant for processors with FMA fused a product and a
 * sum, and nothing else may be fused.
 *
 * Another libm, or another compiler's build of this one, may round elsewhere: four_loops.h compares them. */
#pragma once

#include "exp_log_pow_tables.h"
#include "four.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
/* e^(x + rest): 2^(k/128) from the table, times a polynomial of x - k log(2)/128 + rest. |x| is less than 512. */
LZ_FOUR_INLINE __m256d lz_exp_of_four(__m256d x, __m256d rest)
{
    /* Below 2^-54 the result is 1, and products would underflow. */
    const __m256d not_tiny = _mm256_cmp_pd(lz_four_sizes(x), LZ_FOUR(0x1p-54), _CMP_GE_OQ);
    x = _mm256_and_pd(x, not_tiny);
    rest = _mm256_and_pd(rest, not_tiny);
    const __m256d shift = LZ_FOUR(0x1.8p+52); /* a sum with it has k in its low bits */
    const __m256d shifted = _mm256_fmadd_pd(x, LZ_FOUR(0x1.71547652b82fep+7), shift);
    const __m256d k = _mm256_sub_pd(shifted, shift);
    __m256d y = _mm256_fmadd_pd(k, LZ_FOUR(-0x1.62e42fefa0000p-8), x);
    y = _mm256_add_pd(_mm256_fmadd_pd(k, LZ_FOUR(-0x1.cf79abc9e3b3ap-47), y), rest);

    const double *row[4];
    const __m256i rows = LZ_BITS_OF_FOUR(shifted);
    const __m256i exponent = _mm256_slli_epi64(rows, 45);
    __m256d error, scale;
    lz_four_rows(lz_exp_rows, 2, _mm256_and_si256(rows, LZ_FOUR_INTEGERS(127)), row);
    lz_four_pairs(row, &error, &scale);
    scale = LZ_FOUR_OF_BITS(_mm256_add_epi64(LZ_BITS_OF_FOUR(scale), exponent));

    const __m256d yy = _mm256_mul_pd(y, y);
    const __m256d low = _mm256_fmadd_pd(y, LZ_FOUR(0x1.555555555543cp-3), LZ_FOUR(0x1.ffffffffffdbdp-2));
    const __m256d high = _mm256_fmadd_pd(y, LZ_FOUR(0x1.1111167a4d017p-7), LZ_FOUR(0x1.55555cf172b91p-5));
    __m256d p = _mm256_fmadd_pd(low, yy, _mm256_add_pd(y, error));
    p = _mm256_fmadd_pd(_mm256_mul_pd(yy, yy), high, p);
    return _mm256_fmadd_pd(scale, p, scale);
}

/* Split positive normal numbers: x = 2^k m. The bits of m lie in [start, start + 2^52), in one of 128 parts of it. */
LZ_FOUR_INLINE void lz_split_four(__m256d x, npy_uint64 start, __m256d *k, __m256d *m, __m256i *rows)
{
    const __m256i bits = LZ_BITS_OF_FOUR(x), place = _mm256_sub_epi64(bits, LZ_FOUR_INTEGERS(start));
    const __m256i exponent = _mm256_and_si256(place, LZ_FOUR_INTEGERS(0xfff0000000000000u));
    const __m256i indices = _mm256_setr_epi32(1, 3, 5, 7, 1, 3, 5, 7); /* the upper half of each element */
    const __m256i upper = _mm256_permutevar8x32_epi32(_mm256_srai_epi32(place, 20), indices);
    *k = _mm256_cvtepi32_pd(_mm256_castsi256_si128(upper));
    *m = LZ_FOUR_OF_BITS(_mm256_sub_epi64(bits, exponent));
    *rows = _mm256_and_si256(_mm256_srli_epi64(place, 45), LZ_FOUR_INTEGERS(127));
}

/* log(x), for x in [0x1.ep-1, 0x1.109p+0): a polynomial of x - 1, whose first terms are added in two parts. */
LZ_FOUR_INLINE __m256d lz_log_near_one(__m256d x)
{
    const __m256d y = _mm256_sub_pd(x, LZ_FOUR(1.0)), yy = _mm256_mul_pd(y, y), yyy = _mm256_mul_pd(y, yy);
    __m256d p = _mm256_fmadd_pd(y, LZ_FOUR(-0x1.999eb43b068ffp-4), LZ_FOUR(0x1.c7184282ad6cap-4));
    p = _mm256_fmadd_pd(yy, LZ_FOUR(0x1.78182f7afd085p-4), p);
    p = _mm256_fmadd_pd(yyy, LZ_FOUR(-0x1.5521375d145cdp-4), p);
    __m256d q = _mm256_fmadd_pd(y, LZ_FOUR(0x1.24924a344de3p-3), LZ_FOUR(-0x1.55555556745a7p-3));
    q = _mm256_fmadd_pd(yy, LZ_FOUR(-0x1.fffffa4423d65p-4), q);
    p = _mm256_fmadd_pd(p, yyy, q);
    q = _mm256_fmadd_pd(y, LZ_FOUR(-0x1.ffffffffffdcbp-3), LZ_FOUR(0x1.5555555555577p-2));
    q = _mm256_fmadd_pd(yy, LZ_FOUR(0x1.999999995dd0cp-3), q);
    p = _mm256_fmadd_pd(p, yyy, q);

    const __m256d large = LZ_FOUR(0x1p+27), half = LZ_FOUR(-0.5);
    const __m256d high = _mm256_fnmadd_pd(large, y, _mm256_fmadd_pd(y, large, y)), low = _mm256_sub_pd(y, high);
    const __m256d square = _mm256_mul_pd(high, high), sum = _mm256_fmadd_pd(square, half, y);
    __m256d rest = _mm256_fmadd_pd(square, half, _mm256_sub_pd(y, sum));
    rest = _mm256_fmadd_pd(_mm256_mul_pd(half, low), _mm256_add_pd(y, high), rest);
    return _mm256_add_pd(sum, _mm256_fmadd_pd(p, yyy, rest));
}

/* log(x) = k log(2) + log(c) + log(1 + y), with c from the table and y = m/c - 1. */
LZ_FOUR_INLINE __m256d lz_log_of_four(__m256d x)
{
    const double *row[4];
    __m256d k, m, inverse, log_c;
    __m256i rows;
    lz_split_four(x, 0x3fe6000000000000u, &k, &m, &rows);
    lz_four_rows(lz_log_rows, 2, rows, row);
    lz_four_pairs(row, &inverse, &log_c);
    const __m256d y = _mm256_fmadd_pd(m, inverse, LZ_FOUR(-1.0)), yy = _mm256_mul_pd(y, y);
    const __m256d first = _mm256_fmadd_pd(k, LZ_FOUR(0x1.62e42fefa38p-1), log_c), sum = _mm256_add_pd(first, y);
    __m256d p = _mm256_fmadd_pd(y, LZ_FOUR(-0x1.55575e506c89fp-3), LZ_FOUR(0x1.999b324f10111p-3));
    p = _mm256_fmadd_pd(p, yy, _mm256_fmadd_pd(y, LZ_FOUR(-0x1.fffffffeb459p-3), LZ_FOUR(0x1.555555551305bp-2)));
    __m256d rest = _mm256_add_pd(_mm256_sub_pd(first, sum), y);
    rest = _mm256_fmadd_pd(k, LZ_FOUR(0x1.ef35793c7673p-45), rest);
    rest = _mm256_fmadd_pd(yy, LZ_FOUR(-0x1.0000000000001p-1), rest);
    __m256d result = _mm256_add_pd(_mm256_fmadd_pd(_mm256_mul_pd(y, yy), p, rest), sum);

    const __m256d from = _mm256_cmp_pd(x, LZ_FOUR(0x1.ep-1), _CMP_GE_OQ);
    const __m256d near = _mm256_and_pd(from, _mm256_cmp_pd(x, LZ_FOUR(0x1.109p+0), _CMP_LT_OQ));
    if (_mm256_movemask_pd(near))
        result = _mm256_blendv_pd(result, lz_log_near_one(_mm256_blendv_pd(LZ_FOUR(1.0), x, near)), near);
    return result;
}

/* x^y = e^(y log(x)); the logarithm is a sum of two doubles. 0 where the result is none of the ordinary. */
LZ_FOUR_INLINE int lz_power_of_four(__m256d x, __m256d y, __m256d *result)
{
    const double *row[4];
    __m256d k, m, inverse, log_c;
    __m256i rows;
    lz_split_four(x, 0x3fe6955500000000u, &k, &m, &rows);
    lz_four_rows(lz_power_rows, 3, rows, row);
    lz_four_pairs(row, &inverse, &log_c);
    const __m256d error = _mm256_setr_pd(row[0][2], row[1][2], row[2][2], row[3][2]);
    const __m256d r = _mm256_fmadd_pd(m, inverse, LZ_FOUR(-1.0));
    const __m256d first = _mm256_fmadd_pd(k, LZ_FOUR(0x1.62e42fefa38p-1), log_c), second = _mm256_add_pd(first, r);
    const __m256d lost = _mm256_add_pd(_mm256_fmadd_pd(k, LZ_FOUR(0x1.ef35793c7673p-45), error),
                                       _mm256_add_pd(_mm256_sub_pd(first, second), r));
    const __m256d part = _mm256_mul_pd(LZ_FOUR(-0.5), r), square = _mm256_mul_pd(r, part);
    const __m256d cube = _mm256_mul_pd(r, square), sum = _mm256_add_pd(second, square);
    __m256d p = _mm256_fmadd_pd(r, LZ_FOUR(0x1.0002b8b263fc3p+0), LZ_FOUR(-0x1.2495b9b4845e9p+0));
    p = _mm256_fmadd_pd(p, square, _mm256_fmadd_pd(r, LZ_FOUR(-0x1.555555529a47ap-1), LZ_FOUR(0x1.999999959554ep-1)));
    p = _mm256_fmadd_pd(square, p, _mm256_fmadd_pd(r, LZ_FOUR(0x1.0000000000006p-1), LZ_FOUR(-0x1.555555555556p-1)));
    __m256d rest = _mm256_add_pd(lost, _mm256_fmsub_pd(part, r, square));
    rest = _mm256_add_pd(rest, _mm256_add_pd(_mm256_sub_pd(second, sum), square));
    rest = _mm256_fmadd_pd(cube, p, rest);
    const __m256d high = _mm256_add_pd(sum, rest), low = _mm256_add_pd(_mm256_sub_pd(sum, high), rest);

    const __m256d product = _mm256_mul_pd(y, high);
    if (!lz_four_within(lz_four_sizes(product), 0, 0x4080000000000000u)) return 0; /* 512 */
    *result = lz_exp_of_four(product, _mm256_fmadd_pd(y, low, _mm256_fmsub_pd(high, y, product)));
    return 1;
}

LZ_FOUR_INLINE int lz_exp_four(const double *x, const double *y, double *z)
{
    const __m256d v = _mm256_loadu_pd(x);
    if (!lz_four_within(lz_four_sizes(v), 0, 0x4080000000000000u)) return 0; /* 512 */
    _mm256_storeu_pd(z, lz_exp_of_four(v, _mm256_setzero_pd()));
    return 1;
}

LZ_FOUR_INLINE int lz_log_four(const double *x, const double *y, double *z)
{
    const __m256d v = _mm256_loadu_pd(x);
    if (!lz_four_within(v, 0x0010000000000000u, 0x7fe0000000000000u)) return 0; /* positive and normal */
    _mm256_storeu_pd(z, lz_log_of_four(v));
    return 1;
}

LZ_FOUR_INLINE int lz_power_four(const double *x, const double *y, double *z)
{
    const __m256d base = _mm256_loadu_pd(x), exponent = _mm256_loadu_pd(y);
    __m256d result;
    if (!lz_four_within(base, 0x0010000000000000u, 0x7fe0000000000000u)) return 0;
    /* 2^-65 to 2^63 */
    if (!lz_four_within(lz_four_sizes(exponent), 0x3be0000000000000u, 0x0800000000000000u)) return 0;
    if (!lz_power_of_four(base, exponent, &result)) return 0;
    _mm256_storeu_pd(z, result);
    return 1;
}

LZ_FOUR_LOOP(lz_exp, 1)
LZ_FOUR_LOOP(lz_log, 1)
LZ_FOUR_LOOP(lz_power, 2)
#endif
