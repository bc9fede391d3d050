/* sin and cos of float64 in 256-bit vectors, for processors without longer ones: the steps of sincos.h, where the
 * comments are. Where only a vector's signs matter, as for `cosine`, its other bits are arbitrary. */
#pragma once

#include "four.h"

typedef struct {
    __m256d a, da, flip, cosine;
} lz_sincos_four_reduced;

LZ_FOUR_INLINE lz_sincos_four_reduced lz_sincos_four_reduce(__m256d x, int function)
{
    lz_sincos_four_reduced v = {x, _mm256_setzero_pd(), _mm256_setzero_pd(), _mm256_setzero_pd()};
    const __m256d beyond = _mm256_cmp_pd(x, LZ_FOUR(LZ_MIDDLE), _CMP_GE_OQ);
    const __m256d middle = _mm256_andnot_pd(beyond, _mm256_cmp_pd(x, LZ_FOUR(LZ_SMALL), _CMP_GE_OQ));
    if (_mm256_movemask_pd(beyond)) {
        const __m256d shift = LZ_FOUR(function == LZ_SIN ? 0x1.8p+52 : 0x1.8p+52 + 1);
        const __m256d turn = _mm256_fmadd_pd(x, LZ_FOUR(0x1.45f306dc9c883p-1), shift);
        const __m256d n = _mm256_and_pd(beyond, _mm256_sub_pd(turn, shift));
        __m256d rest = _mm256_fnmadd_pd(n, LZ_FOUR(0x1.921fb58p+0), x);
        rest = _mm256_fnmadd_pd(n, LZ_FOUR(-0x1.dde973cp-27), rest);
        const __m256d third = LZ_FOUR(-0x1.cb3b398p-55), fourth = LZ_FOUR(-0x1.d747f23e32ed7p-83);
        const __m256d b = _mm256_fnmadd_pd(n, third, rest);
        const __m256d lost = _mm256_fnmadd_pd(n, third, _mm256_sub_pd(rest, b));
        v.a = _mm256_fnmadd_pd(n, fourth, b);
        v.da = _mm256_add_pd(lost, _mm256_fnmadd_pd(n, fourth, _mm256_sub_pd(b, v.a)));
        v.flip = _mm256_and_pd(beyond, LZ_FOUR_OF_BITS(_mm256_slli_epi64(LZ_BITS_OF_FOUR(turn), 62)));
        v.cosine = _mm256_and_pd(beyond, LZ_FOUR_OF_BITS(_mm256_slli_epi64(LZ_BITS_OF_FOUR(turn), 63)));
    }
    const __m256d half_pi_rest = LZ_FOUR(0x1.1a62633145c07p-54), less = _mm256_sub_pd(LZ_FOUR(0x1.921fb54442d18p+0), x);
    if (function == LZ_SIN) {
        v.a = _mm256_blendv_pd(v.a, less, middle);
        v.da = _mm256_blendv_pd(v.da, half_pi_rest, middle);
        v.cosine = _mm256_or_pd(v.cosine, middle);
    } else {
        const __m256d sum = _mm256_add_pd(less, half_pi_rest);
        v.a = _mm256_blendv_pd(v.a, sum, middle);
        v.da = _mm256_blendv_pd(v.da, _mm256_add_pd(_mm256_sub_pd(less, sum), half_pi_rest), middle);
        v.cosine = _mm256_or_pd(v.cosine, _mm256_andnot_pd(_mm256_or_pd(beyond, middle), LZ_FOUR(-0.0)));
    }
    return v;
}

/* sin or cos of x, where 0 <= x < 1.05e8, its sign changed where that of `flip` is set. */
LZ_FOUR_INLINE __m256d lz_sincos_four_positive(__m256d x, __m256d flip, int function)
{
    const lz_sincos_four_reduced v = lz_sincos_four_reduce(x, function);
    const __m256d sign = LZ_FOUR(-0.0), cosine = v.cosine, a = lz_four_sizes(v.a);
    const __m256d flips = _mm256_xor_pd(_mm256_xor_pd(flip, v.flip), _mm256_andnot_pd(cosine, v.a));
    const __m256d da = _mm256_xor_pd(v.da, _mm256_and_pd(v.a, sign));

    const __m256d big = _mm256_blendv_pd(LZ_FOUR(0x1.8p+45), LZ_FOUR(0x1.8p+45 + 1), cosine), k = _mm256_add_pd(a, big);
    const double *place[4];
    __m256d row[4];
    lz_four_rows(lz_sincos_rows, 4, _mm256_and_si256(LZ_BITS_OF_FOUR(k), LZ_FOUR_INTEGERS(255)), place);
    lz_four_transpose(place, row);
    __m256d r = _mm256_sub_pd(a, _mm256_sub_pd(k, big));
    r = _mm256_blendv_pd(r, _mm256_add_pd(r, da), cosine);
    const __m256d rr = _mm256_mul_pd(r, r);
    __m256d p = _mm256_fmadd_pd(rr, LZ_FOUR(0x1.11110e829872fp-7), LZ_FOUR(-0x1.5555555555515p-3));
    __m256d q = _mm256_fmadd_pd(rr, LZ_FOUR(0x1.6c16bedd9e239p-10), LZ_FOUR(-0x1.5555555555535p-5));
    q = _mm256_mul_pd(rr, _mm256_fmadd_pd(rr, q, LZ_FOUR(0.5)));
    p = _mm256_fmadd_pd(_mm256_mul_pd(r, rr), p, _mm256_blendv_pd(da, r, cosine));
    p = _mm256_blendv_pd(_mm256_add_pd(r, p), p, cosine);
    q = _mm256_blendv_pd(_mm256_fmadd_pd(r, da, q), q, cosine);

    __m256d sum = _mm256_fmadd_pd(row[3], p, row[1]);
    sum = _mm256_fnmadd_pd(q, row[0], sum);
    sum = _mm256_fmadd_pd(p, row[2], sum);
    sum = _mm256_add_pd(row[0], sum);

    const __m256d series = _mm256_andnot_pd(cosine, _mm256_cmp_pd(a, LZ_FOUR(0.126), _CMP_LT_OQ));
    if (_mm256_movemask_pd(series)) {
        const __m256d aa = _mm256_mul_pd(a, a);
        __m256d s = _mm256_fmadd_pd(aa, LZ_FOUR(-0x1.addffc2fcdf59p-26), LZ_FOUR(0x1.71de27b9a7ed9p-19));
        s = _mm256_fmadd_pd(aa, s, LZ_FOUR(-0x1.a01a019db08b8p-13));
        s = _mm256_fmadd_pd(aa, s, LZ_FOUR(0x1.1111111110ecep-7));
        s = _mm256_fmadd_pd(aa, s, LZ_FOUR(-0x1.5555555555555p-3));
        s = _mm256_fmsub_pd(s, a, _mm256_mul_pd(da, LZ_FOUR(0.5)));
        sum = _mm256_blendv_pd(sum, _mm256_add_pd(a, _mm256_fmadd_pd(aa, s, da)), series);
    }
    return _mm256_xor_pd(sum, _mm256_and_pd(flips, sign));
}

/* Vectors without infinities, nan, very large numbers and, for sin, subnormal ones. */
LZ_FOUR_INLINE int lz_sin_four(const double *x, const double *y, double *z)
{
    const __m256d v = _mm256_loadu_pd(x), size = lz_four_sizes(v);
    const __m256d is_zero = _mm256_cmp_pd(size, _mm256_setzero_pd(), _CMP_EQ_OQ);
    const __m256d is_normal = _mm256_cmp_pd(size, LZ_FOUR(0x1p-1022), _CMP_GE_OQ);
    if (!lz_four_within(size, 0, 0x419921fb00000000u)) return 0;
    if (_mm256_movemask_pd(_mm256_or_pd(is_zero, is_normal)) != 0xf) return 0;
    const __m256d not_tiny = _mm256_cmp_pd(size, LZ_FOUR(LZ_TINY_SIN), _CMP_GE_OQ);
    const __m256d result = lz_sincos_four_positive(_mm256_and_pd(size, not_tiny), v, LZ_SIN);
    _mm256_storeu_pd(z, _mm256_blendv_pd(v, result, not_tiny));
    return 1;
}

LZ_FOUR_INLINE int lz_cos_four(const double *x, const double *y, double *z)
{
    const __m256d size = lz_four_sizes(_mm256_loadu_pd(x));
    if (!lz_four_within(size, 0, 0x419921fb00000000u)) return 0;
    const __m256d not_tiny = _mm256_cmp_pd(size, LZ_FOUR(LZ_TINY_COS), _CMP_GE_OQ);
    const __m256d result = lz_sincos_four_positive(_mm256_and_pd(size, not_tiny), _mm256_setzero_pd(), LZ_COS);
    _mm256_storeu_pd(z, _mm256_blendv_pd(LZ_FOUR(1.0), result, not_tiny));
    return 1;
}
LZ_FOUR_LOOP(lz_sin, 1)
LZ_FOUR_LOOP(lz_cos, 1)
