/* sin and cos of float64 in long vectors, with the bits of the libm that NumPy calls.
 *
 * NumPy's float64 sin and cos call libm for each element. glibc's (2.28 and later, sysdeps/ieee754/dbl-64/s_sin.c, from
 * IBM's Accurate Mathematical Library) is S. Gal's method of accurate tables: subtract a multiple of pi/2, look up sine
 * and cosine of the nearest k/128, and add what a short polynomial says of the remainder. Here eight elements go the
 * same way. Every operation is rounded where libm rounds it: `_mm512_f*add` and `_mm512_f*sub` stand where the compiler
 * of glibc's variant for processors with FMA fused a product and a sum, and nothing else may be fused.
 *
 * Another libm, or another compiler's build of this one, may round elsewhere. So `lz_sincos_loop` gives the loop out
 * only after sincos_check.h found it to agree with NumPy's in bits and in status flags. */
#pragma once

#include <string.h>
#include <numpy/ndarraytypes.h>

#include "arith.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>

#include "sincos_table.h"

#define LZ_SINCOS_TARGET __attribute__((target("avx512f")))
#define LZ_SINCOS_INLINE LZ_SINCOS_TARGET static inline __attribute__((always_inline))

enum { LZ_SIN, LZ_COS };

/* Limits of |x|. libm compares the upper halves of the bits alone. */
#define LZ_TINY_SIN 0x1p-26             /* below it, sin(x) is x */
#define LZ_TINY_COS 0x1p-27             /* below it, cos(x) is 1 */
#define LZ_SMALL (109.5 / 128)          /* below it, x needs no reduction */
#define LZ_MIDDLE 0x1.368fdp+1          /* 2.4263: below it, pi/2 - |x| takes the place of x */
#define LZ_HUGE 0x1.921fbp+26           /* 1.05e8: from here on, and for inf and nan, NumPy's loop is called */

#define LZ_ALL(c) _mm512_set1_pd(c)
#define LZ_BITS(v) _mm512_castpd_si512(v)
#define LZ_DOUBLES(v) _mm512_castsi512_pd(v)
#define LZ_INTEGERS(c) _mm512_set1_epi64(c)

/* For k/128: sin, rest, cos, rest; and in the rows from 128 on cos, rest, -sin, -rest. With a row (A, A', B, B') the
 * sine or cosine of k/128 + r is A cos(r) + B sin(r). */
static double lz_sincos_rows[256][4] __attribute__((aligned(64)));

static void lz_sincos_prepare(void)
{
    if (lz_sincos_rows[0][2] == 1.0) return; /* other threads may read it */
    for (int k = 0; k < 110; k++)
        for (int j = 0; j < 4; j++) {
            const double value = lz_sincos_values[k][j];
            lz_sincos_rows[k][j] = value;
            lz_sincos_rows[128 + k][j ^ 2] = j < 2 ? -value : value;
        }
}

/* The rows that eight integers, less than 256 in their low 11 bits, name; as four columns. Loads and shuffles, because
 * gathers are slow on many processors. */
LZ_SINCOS_INLINE void lz_sincos_look_up(__m512i rows, __m512d column[4])
{
    const __m128i offsets = _mm512_cvtepi64_epi16(_mm512_slli_epi64(rows, 5));
    const npy_uint64 first = (npy_uint64)_mm_cvtsi128_si64(offsets);
    const npy_uint64 second = (npy_uint64)_mm_cvtsi128_si64(_mm_unpackhi_epi64(offsets, offsets));
    __m512d pair[4];
    for (int i = 0; i < 4; i++) {
        const double *row0 = lz_sincos_rows[0] + (npy_uint16)(first >> 16 * i) / sizeof(double);
        const double *row4 = lz_sincos_rows[0] + (npy_uint16)(second >> 16 * i) / sizeof(double);
        pair[i] = _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_load_pd(row0)), _mm256_load_pd(row4), 1);
    }
    const __m512i left = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
    const __m512i right = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    __m512d low0 = _mm512_unpacklo_pd(pair[0], pair[1]), low1 = _mm512_unpacklo_pd(pair[2], pair[3]);
    __m512d high0 = _mm512_unpackhi_pd(pair[0], pair[1]), high1 = _mm512_unpackhi_pd(pair[2], pair[3]);
    column[0] = _mm512_permutex2var_pd(low0, left, low1);
    column[1] = _mm512_permutex2var_pd(high0, left, high1);
    column[2] = _mm512_permutex2var_pd(low0, right, low1);
    column[3] = _mm512_permutex2var_pd(high0, right, high1);
}

/* x = n pi/2 + a + da, where da is what a lacks. The function of x is then the sine or, in the lanes of `cosine`, the
 * cosine of a + da, with its sign changed where that of `flip` is set. */
typedef struct {
    __m512d a, da, flip;
    __mmask8 cosine;
} lz_sincos_reduced;

LZ_SINCOS_INLINE lz_sincos_reduced lz_sincos_reduce(__m512d x, int function)
{
    lz_sincos_reduced v = {x, _mm512_setzero_pd(), _mm512_setzero_pd(), 0};
    const __mmask8 beyond = _mm512_cmp_pd_mask(x, LZ_ALL(LZ_MIDDLE), _CMP_GE_OQ);
    __mmask8 middle = _mm512_cmp_pd_mask(x, LZ_ALL(LZ_SMALL), _CMP_GE_OQ);

    /* Cody and Waite's reduction, with pi/2 in four parts. n is 0 in the other lanes, and leaves a = x and da = 0. */
    if (beyond) {
        /* The sum leaves n in its low bits. A cosine is the sine a quarter turn on: there it leaves n + 1. */
        const __m512d shift = LZ_ALL(function == LZ_SIN ? 0x1.8p+52 : 0x1.8p+52 + 1);
        __m512d turn = _mm512_fmadd_pd(x, LZ_ALL(0x1.45f306dc9c883p-1), shift);
        __m512d n = _mm512_maskz_sub_pd(beyond, turn, shift);
        __m512d rest = _mm512_fnmadd_pd(n, LZ_ALL(0x1.921fb58p+0), x);
        rest = _mm512_fnmadd_pd(n, LZ_ALL(-0x1.dde973cp-27), rest);
        const __m512d third = LZ_ALL(-0x1.cb3b398p-55), fourth = LZ_ALL(-0x1.d747f23e32ed7p-83);
        __m512d b = _mm512_fnmadd_pd(n, third, rest);
        __m512d lost = _mm512_fnmadd_pd(n, third, _mm512_sub_pd(rest, b));
        v.a = _mm512_fnmadd_pd(n, fourth, b);
        v.da = _mm512_add_pd(lost, _mm512_fnmadd_pd(n, fourth, _mm512_sub_pd(b, v.a)));
        v.flip = LZ_DOUBLES(_mm512_maskz_slli_epi64(beyond, LZ_BITS(turn), 62));
        v.cosine = _mm512_mask_test_epi64_mask(beyond, LZ_BITS(turn), LZ_INTEGERS(1));
        middle &= (__mmask8)~beyond;
    }

    /* Between the limits pi/2 - x takes the place of x, and sine and cosine change places. */
    const __m512d half_pi = LZ_ALL(0x1.921fb54442d18p+0), half_pi_rest = LZ_ALL(0x1.1a62633145c07p-54);
    if (function == LZ_SIN) {
        v.a = _mm512_mask_sub_pd(v.a, middle, half_pi, x);
        v.da = _mm512_mask_mov_pd(v.da, middle, half_pi_rest);
        v.cosine |= middle;
    } else {
        __m512d less = _mm512_sub_pd(half_pi, x);
        v.a = _mm512_mask_add_pd(v.a, middle, less, half_pi_rest);
        v.da = _mm512_mask_add_pd(v.da, middle, _mm512_sub_pd(less, v.a), half_pi_rest);
        v.cosine |= (__mmask8)~(beyond | middle);
    }
    return v;
}

/* sin or cos of x, where 0 <= x < 1.05e8, its sign changed where that of `flip` is set. libm treats signs so that every
 * step is symmetric in them, and a sine of -a is minus that of a to the last bit. */
LZ_SINCOS_INLINE __m512d lz_sincos_positive(__m512d x, __m512d flip, int function)
{
    const lz_sincos_reduced v = lz_sincos_reduce(x, function);
    const __m512i sign = LZ_INTEGERS((long long)0x8000000000000000);
    const __mmask8 cosine = v.cosine, sine = (__mmask8)~cosine;
    const __m512d a = _mm512_abs_pd(v.a);
    __m512i flips = _mm512_xor_epi64(LZ_BITS(flip), LZ_BITS(v.flip));
    flips = _mm512_mask_xor_epi64(flips, sine, flips, LZ_BITS(v.a));
    /* da, with its sign changed where a is negative: 0x78 is A ^ (B & C) */
    const __m512d da = LZ_DOUBLES(_mm512_ternarylogic_epi64(LZ_BITS(v.da), LZ_BITS(v.a), sign, 0x78));

    /* k/128 nearest to a: 1.5 * 2^45 leaves k in the low bits, and one more than that leaves k + 128. */
    const __m512d big = _mm512_mask_mov_pd(LZ_ALL(0x1.8p+45), cosine, LZ_ALL(0x1.8p+45 + 1));
    __m512d k = _mm512_add_pd(a, big), row[4];
    lz_sincos_look_up(LZ_BITS(k), row);
    __m512d r = _mm512_sub_pd(a, _mm512_sub_pd(k, big));

    /* p = sin(r) and q = 1 - cos(r). For a cosine da is added to r, for a sine to what follows r in p. */
    r = _mm512_mask_add_pd(r, cosine, r, da);
    __m512d rr = _mm512_mul_pd(r, r);
    __m512d p = _mm512_fmadd_pd(rr, LZ_ALL(0x1.11110e829872fp-7), LZ_ALL(-0x1.5555555555515p-3));
    __m512d q = _mm512_fmadd_pd(rr, LZ_ALL(0x1.6c16bedd9e239p-10), LZ_ALL(-0x1.5555555555535p-5));
    q = _mm512_mul_pd(rr, _mm512_fmadd_pd(rr, q, LZ_ALL(0.5)));
    p = _mm512_fmadd_pd(_mm512_mul_pd(r, rr), p, _mm512_mask_mov_pd(da, cosine, r));
    p = _mm512_mask_add_pd(p, sine, r, p);
    q = _mm512_mask3_fmadd_pd(r, da, q, sine);

    /* A + ((A' + B' sin(r)) - A (1 - cos(r)) + B sin(r)) */
    __m512d sum = _mm512_fmadd_pd(row[3], p, row[1]);
    sum = _mm512_fnmadd_pd(q, row[0], sum);
    sum = _mm512_fmadd_pd(p, row[2], sum);
    sum = _mm512_add_pd(row[0], sum);

    /* The sine of less than 0.126 is a Taylor series. */
    const __mmask8 series = _mm512_mask_cmp_pd_mask(sine, a, LZ_ALL(0.126), _CMP_LT_OQ);
    __m512d aa = _mm512_mul_pd(a, a);
    __m512d s = _mm512_fmadd_pd(aa, LZ_ALL(-0x1.addffc2fcdf59p-26), LZ_ALL(0x1.71de27b9a7ed9p-19));
    s = _mm512_fmadd_pd(aa, s, LZ_ALL(-0x1.a01a019db08b8p-13));
    s = _mm512_fmadd_pd(aa, s, LZ_ALL(0x1.1111111110ecep-7));
    s = _mm512_fmadd_pd(aa, s, LZ_ALL(-0x1.5555555555555p-3));
    s = _mm512_fmsub_pd(s, a, _mm512_mul_pd(da, LZ_ALL(0.5)));
    sum = _mm512_mask_add_pd(sum, series, a, _mm512_fmadd_pd(aa, s, da));
    return LZ_DOUBLES(_mm512_ternarylogic_epi64(LZ_BITS(sum), flips, sign, 0x78));
}

/* Call NumPy's loop for the lanes of `odd`; keep the other lanes of `result`. */
LZ_SINCOS_TARGET static __m512d lz_sincos_odd(const lz_arith *numpy, __m512d x, __mmask8 odd, __m512d result)
{
    double in[8], out[8];
    char *args[2] = {(char *)in, (char *)out};
    const npy_intp count = __builtin_popcount(odd), strides[2] = {sizeof(double), sizeof(double)};
    _mm512_storeu_pd(in, _mm512_maskz_compress_pd(odd, x));
    numpy->own(args, &count, strides, numpy->data);
    return _mm512_mask_expandloadu_pd(result, odd, out);
}

/* Eight elements of which some, those not in `plain`, are not for the vector code: it takes them for 0, which
 * raises no flag. The result for what is tiny or a quiet nan is known; the others go to NumPy's loop. */
LZ_SINCOS_INLINE __m512d lz_sincos_mixed(const lz_arith *numpy, __m512d x, __mmask8 plain, int function)
{
    const __m512d size = _mm512_abs_pd(x), flip = function == LZ_SIN ? x : _mm512_setzero_pd();
    const __m512i bits = LZ_BITS(size), huge = LZ_BITS(LZ_ALL(LZ_HUGE)), quiet = LZ_INTEGERS(0x7ff8000000000000);
    __mmask8 odd = _mm512_cmplt_epu64_mask(_mm512_sub_epi64(bits, huge), _mm512_sub_epi64(quiet, huge));
    __m512d result = x;
    if (function == LZ_COS)
        result = _mm512_mask_mov_pd(x, _mm512_cmplt_epu64_mask(bits, huge), LZ_ALL(1.0));
    else /* subnormal: less than the least normal number, and not 0 */
        odd |= _mm512_cmplt_epu64_mask(_mm512_sub_epi64(bits, LZ_INTEGERS(1)), LZ_INTEGERS(0x000fffffffffffff));
    if (plain)
        result = _mm512_mask_mov_pd(result, plain,
                                    lz_sincos_positive(_mm512_maskz_mov_pd(plain, size), flip, function));
    return odd ? lz_sincos_odd(numpy, x, odd, result) : result;
}

#define LZ_SINCOS_LOOP(NAME, FUNCTION, TINY)                                                                      \
    LZ_SINCOS_TARGET static __attribute__((noinline)) __m512d NAME##_mixed(const lz_arith *numpy, __m512d x,      \
                                                                           __mmask8 plain)                        \
    {                                                                                                             \
        return lz_sincos_mixed(numpy, x, plain, FUNCTION);                                                        \
    }                                                                                                             \
    LZ_SINCOS_INLINE __m512d NAME##_eight(const lz_arith *numpy, __m512d x)                                       \
    {                                                                                                             \
        const __m512d size = _mm512_abs_pd(x);                                                                    \
        const __m512i tiny = LZ_BITS(LZ_ALL(TINY)), room = _mm512_sub_epi64(LZ_BITS(LZ_ALL(LZ_HUGE)), tiny);      \
        const __mmask8 plain = _mm512_cmplt_epu64_mask(_mm512_sub_epi64(LZ_BITS(size), tiny), room);              \
        if (plain != 0xff) return NAME##_mixed(numpy, x, plain);                                                  \
        return lz_sincos_positive(size, FUNCTION == LZ_SIN ? x : _mm512_setzero_pd(), FUNCTION);                  \
    }                                                                                                             \
    LZ_SINCOS_TARGET static void NAME(char **args, npy_intp const *count, npy_intp const *strides, void *data)   \
    {                                                                                                             \
        const npy_intp size = sizeof(double), n = count[0];                                                       \
        const lz_arith *numpy = data;                                                                             \
        const double *x = (const double *)args[0];                                                                \
        double *z = (double *)args[1];                                                                            \
        npy_intp i = 0;                                                                                           \
        if (strides[0] != size || strides[1] != size || _MM_GET_ROUNDING_MODE() != _MM_ROUND_NEAREST) {           \
            numpy->own(args, count, strides, numpy->data);                                                        \
            return;                                                                                               \
        }                                                                                                         \
        for (; i + 8 <= n; i += 8) _mm512_storeu_pd(z + i, NAME##_eight(numpy, _mm512_loadu_pd(x + i)));          \
        if (i < n) {                                                                                              \
            const __mmask8 rest = (__mmask8)((1u << (n - i)) - 1);                                                \
            _mm512_mask_storeu_pd(z + i, rest, NAME##_eight(numpy, _mm512_maskz_loadu_pd(rest, x + i)));          \
        }                                                                                                         \
    }
LZ_SINCOS_LOOP(lz_sin, LZ_SIN, LZ_TINY_SIN)
LZ_SINCOS_LOOP(lz_cos, LZ_COS, LZ_TINY_COS)

#include "sincos_check.h"
#include "sincos_four.h"

/* The loop of the longest vectors for float64 "sin" or "cos" if it agrees with NumPy's loop, `numpy`; else NULL. */
static lz_inner lz_sincos_loop(const char *name, const lz_arith *numpy)
{
    const int is_wide = lz_wide_supported();
    const lz_inner wide = !strcmp(name, "sin") ? (is_wide ? lz_sin : lz_sin_by_four)
                        : !strcmp(name, "cos") ? (is_wide ? lz_cos : lz_cos_by_four) : NULL;
    if (!wide || !(is_wide || lz_four_supported())) return NULL;
    lz_sincos_prepare();
    return lz_sincos_agree(wide, numpy) ? wide : NULL;
}

#else
static lz_inner lz_sincos_loop(const char *name, const lz_arith *numpy) { return NULL; }
#endif
