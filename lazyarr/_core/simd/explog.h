/* exp and log of float32 in 512-bit vectors, with the bits of NumPy's.
 *
 * NumPy's loops for processors with AVX-512 (numpy/_core/src/umath/loops_exponent_log.dispatch.c.src) are these:
 *
 *     exp(x) = P(y) / Q(y) 2^k,     y = x - k ln 2, Cody and Waite's way in two steps, and polynomials of degrees 5 and 2
 *     log(x) = P(y) / Q(y) + k ln 2,     x = (1 + y) 2^k, sqrt(1/2) < 1 + y <= sqrt(2), and polynomials of degree 5
 *
 * The same operations, rounded alike, stand here without what NumPy's have in each vector for nan, infinities, overflow
 * and the like: where some of 64 elements are such, NumPy's loop is called for all of them. Four vectors at a time keep the
 * divider busy.
 *
 * Another version of NumPy may do otherwise. So `lz_explog_loop` gives a loop out only after it was found to agree with
 * NumPy's in bits and in status flags. Flags that are up before stay so. */
#pragma once

#include <string.h>
#include <numpy/ndarraytypes.h>

#include "arith.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>

#define LZ_EXPLOG_TARGET __attribute__((target("avx512f")))
#define LZ_EXPLOG_INLINE LZ_EXPLOG_TARGET static inline __attribute__((always_inline))

/* Integer comparisons of the bits select the elements for the vector code: float comparisons would raise flags for nan.
 * Elements qualify if their distance is less than `room`. */
enum {
    LZ_EXP_ROOM = 0x42ae0001, /* |x| up to 87, with finite and normal results; and -inf, of which masks are made */
    LZ_LOG_ROOM = 0x7f000000  /* positive normal numbers */
};
LZ_EXPLOG_INLINE __mmask16 lz_exp_is_not_zero(__m512 x)
{
    return _mm512_cmpneq_epi32_mask(_mm512_castps_si512(x), _mm512_set1_epi32((int)0xff800000));
}
LZ_EXPLOG_INLINE __m512i lz_exp_distance(__m512 x)
{
    return _mm512_maskz_and_epi32(lz_exp_is_not_zero(x), _mm512_castps_si512(x), _mm512_set1_epi32(0x7fffffff));
}
LZ_EXPLOG_INLINE __m512i lz_log_distance(__m512 x)
{
    return _mm512_sub_epi32(_mm512_castps_si512(x), _mm512_set1_epi32(0x00800000));
}

/* Horner's scheme, highest power first. */
LZ_EXPLOG_INLINE __m512 lz_explog_polynomial(__m512 y, const float *coefficients, int degree)
{
    __m512 sum = _mm512_set1_ps(coefficients[0]);
    for (int i = 1; i <= degree; i++) sum = _mm512_fmadd_ps(sum, y, _mm512_set1_ps(coefficients[i]));
    return sum;
}

LZ_EXPLOG_INLINE __m512 lz_exp_of_plain(__m512 x)
{
    static const float p[] = {5.082762527590693718096e-04f, 6.757896990527504603057e-03f, 5.114512081637298353406e-02f,
                              2.473615434895520810817e-01f, 7.257664613233124478488e-01f, 9.999999999980870924916e-01f};
    static const float q[] = {2.159509375685829852307e-02f, -2.742335390411667452936e-01f, 1.0f};
    const __m512 shift = _mm512_set1_ps(0x1.8p23f); /* a sum with it is rounded to an integer */
    const __mmask16 not_zero = lz_exp_is_not_zero(x);
    x = _mm512_maskz_mov_ps(not_zero, x);
    __m512 k = _mm512_add_ps(_mm512_mul_ps(x, _mm512_set1_ps(0x1.715476p+0f)), shift);
    k = _mm512_sub_ps(k, shift);
    __m512 y = _mm512_fmadd_ps(k, _mm512_set1_ps(-6.93145752e-1f), x);
    y = _mm512_fmadd_ps(k, _mm512_set1_ps(-1.42860677e-6f), y);
    const __m512 ratio = _mm512_div_ps(lz_explog_polynomial(y, p, 5), lz_explog_polynomial(y, q, 2));
    return _mm512_maskz_scalef_ps(not_zero, ratio, k);
}

LZ_EXPLOG_INLINE __m512 lz_log_of_plain(__m512 x)
{
    static const float p[] = {2.589979117907922693523e-02f, 3.808837741388407920751e-01f, 1.480000633576506585156e+00f,
                              2.112677543073053063722e+00f, 9.999999999999998702752e-01f, 0.0f};
    static const float q[] = {5.875095403124574342950e-03f, 1.546476374983906719538e-01f, 9.864942958519418960339e-01f,
                              2.453006071784736363091e+00f, 2.612677543073109236779e+00f, 1.0f};
    const __m512 one = _mm512_set1_ps(1.0f);
    __m512 k = _mm512_add_ps(_mm512_getexp_ps(x), one);
    __m512 m = _mm512_getmant_ps(x, _MM_MANT_NORM_p5_1, _MM_MANT_SIGN_src);
    const __mmask16 low = _mm512_cmp_ps_mask(m, _mm512_set1_ps(0.707106781186547524400844362104849039f), _CMP_LE_OQ);
    m = _mm512_mask_add_ps(m, low, m, m);
    k = _mm512_mask_sub_ps(k, low, k, one);
    const __m512 y = _mm512_sub_ps(m, one);
    const __m512 ratio = _mm512_div_ps(lz_explog_polynomial(y, p, 5), lz_explog_polynomial(y, q, 5));
    return _mm512_fmadd_ps(k, _mm512_set1_ps(0.693147180559945309417232121458176568f), ratio);
}

#define LZ_EXPLOG_LOOP(NAME, ROOM)                                                                                    \
    /* Whether n elements, at most 64, all qualify for the vector code. */                                                \
    LZ_EXPLOG_INLINE int NAME##_all_plain(const float *x, npy_intp n)                                                 \
    {                                                                                                                 \
        __m512i farthest = _mm512_setzero_si512();                                                                    \
        npy_intp i = 0;                                                                                               \
        for (; i + 16 <= n; i += 16) farthest = _mm512_max_epu32(farthest, NAME##_distance(_mm512_loadu_ps(x + i)));  \
        if (i < n) {                                                                                                  \
            const __mmask16 rest = (__mmask16)((1u << (n - i)) - 1);                                                  \
            farthest = _mm512_max_epu32(farthest, NAME##_distance(_mm512_mask_loadu_ps(_mm512_set1_ps(1.0f), rest, x + i)));\
        }                                                                                                             \
        return _mm512_cmplt_epu32_mask(farthest, _mm512_set1_epi32(ROOM)) == 0xffff;                                  \
    }                                                                                                                 \
    LZ_EXPLOG_TARGET static void NAME##_f(char **args, npy_intp const *count, npy_intp const *strides, void *data)    \
    {                                                                                                                 \
        const npy_intp size = sizeof(float), n = count[0];                                                            \
        const lz_arith *numpy = data;                                                                                 \
        const float *x = (const float *)args[0];                                                                      \
        float *z = (float *)args[1];                                                                                  \
        npy_intp i = 0;                                                                                               \
        if (strides[0] != size || strides[1] != size || _MM_GET_ROUNDING_MODE() != _MM_ROUND_NEAREST) {               \
            numpy->own(args, count, strides, numpy->data);                                                            \
            return;                                                                                                   \
        }                                                                                                             \
        while (i < n) {                                                                                               \
            npy_intp end = i + 64 < n ? i + 64 : n;                                                                   \
            if (NAME##_all_plain(x + i, end - i)) {                                                                   \
                if (end == i + 64) {                                                                                  \
                    const __m512 a = NAME##_of_plain(_mm512_loadu_ps(x + i));                                         \
                    const __m512 b = NAME##_of_plain(_mm512_loadu_ps(x + i + 16));                                    \
                    const __m512 c = NAME##_of_plain(_mm512_loadu_ps(x + i + 32));                                    \
                    const __m512 d = NAME##_of_plain(_mm512_loadu_ps(x + i + 48));                                    \
                    _mm512_storeu_ps(z + i, a);                                                                       \
                    _mm512_storeu_ps(z + i + 16, b);                                                                  \
                    _mm512_storeu_ps(z + i + 32, c);                                                                  \
                    _mm512_storeu_ps(z + i + 48, d);                                                                  \
                    i = end;                                                                                          \
                }                                                                                                     \
                for (; i < end; i += 16) {                                                                            \
                    const __mmask16 lanes = end - i < 16 ? (__mmask16)((1u << (end - i)) - 1) : 0xffff;               \
                    const __m512 v = _mm512_mask_loadu_ps(_mm512_set1_ps(1.0f), lanes, x + i);                        \
                    _mm512_mask_storeu_ps(z + i, lanes, NAME##_of_plain(v));                                          \
                }                                                                                                     \
            } else { /* one call per run */                                                   \
                while (end < n && !NAME##_all_plain(x + end, n - end < 64 ? n - end : 64)) end = end + 64 < n ? end + 64 : n;\
                char *rest[2] = {(char *)(x + i), (char *)(z + i)};                                                   \
                const npy_intp length = end - i;                                                                      \
                numpy->own(rest, &length, strides, numpy->data);                                                      \
            }                                                                                                         \
            i = end;                                                                                                  \
        }                                                                                                             \
    }
LZ_EXPLOG_LOOP(lz_exp, LZ_EXP_ROOM)
LZ_EXPLOG_LOOP(lz_log, LZ_LOG_ROOM)

/* ---- whether they agree with NumPy's loops on this machine ---- */

enum { LZ_EXPLOG_TRIALS = 512, LZ_EXPLOG_AT_ONCE = 80 };

/* On random numbers whose bits lie in a range, of both signs if `is_signed`, and then on one unusual one among them. */
static int lz_explog_agrees(lz_inner ours, const lz_arith *numpy, npy_uint32 least, npy_uint32 range, int is_signed)
{
    /* zero, subnormal, tiny, next to 1; for exp the limits of what is plain, normal, finite, not zero; the largest number,
     * infinity, and nan, quiet and signalling */
    static const npy_uint32 unusual[] = {0, 1, 0x007fffff, 0x00800000, 0x33000000, 0x3f7fffff, 0x3f800000, 0x3f800001,
                                         0x42ae0000, 0x42ae0001, 0x42aeac50, 0x42b17217, 0x42b17218, 0x42cff1b5,
                                         0x42cff1b6, 0x7f7fffff, 0x7f800000, 0x7fc00000, 0x7fc00123, 0x7f800123};
    const int first = LZ_EXPLOG_TRIALS - 2 * (int)(sizeof(unusual) / sizeof(unusual[0]));
    const npy_intp n = LZ_EXPLOG_AT_ONCE, size = sizeof(float);
    npy_uint32 x[LZ_EXPLOG_AT_ONCE], mine[LZ_EXPLOG_AT_ONCE], theirs[LZ_EXPLOG_AT_ONCE], random = 1;
    int agree = 1;
    fenv_t before;
    fegetenv(&before);
    fesetenv(FE_DFL_ENV); /* round to nearest: in other modes our loops call NumPy's */
    for (int t = 0; t < LZ_EXPLOG_TRIALS && agree; t++) {
        for (int i = 0; i < LZ_EXPLOG_AT_ONCE; i++) {
            random = random * 1664525u + 1013904223u; /* Numerical Recipes' */
            x[i] = (least + (random >> 1) % range) | (is_signed ? random & 0x80000000u : 0);
        }
        if (t >= first) x[t % LZ_EXPLOG_AT_ONCE] = unusual[(t - first) / 2] | (npy_uint32)(t & 1) << 31;
        agree = lz_flags_of(numpy->own, numpy->data, x, theirs, n, size, 0) ==
                    lz_flags_of(ours, (void *)numpy, x, mine, n, size, 0) &&
                !memcmp(mine, theirs, sizeof(mine));
    }
    for (int i = 0; i < LZ_EXPLOG_AT_ONCE; i++) x[i] = 0x3f800000; /* 1; flags set before must stay set */
    agree = agree && lz_flags_of(numpy->own, numpy->data, x, theirs, n, size, FE_DIVBYZERO) & FE_DIVBYZERO;
    fesetenv(&before);
    return agree;
}

/* The wide loop for float32 "exp" or "log" if it agrees with NumPy's loop, `numpy`; else NULL. */
static lz_inner lz_explog_loop(const char *name, const lz_arith *numpy)
{
    if (!lz_wide_supported()) return NULL;
    if (!strcmp(name, "exp")) /* 2^-24 to 96 */
        return lz_explog_agrees(lz_exp_f, numpy, 0x33800000u, 0x0f400000u, 1) ? lz_exp_f : NULL;
    if (!strcmp(name, "log"))
        return lz_explog_agrees(lz_log_f, numpy, 0x00800000u, 0x7f000000u, 0) &&
                       lz_explog_agrees(lz_log_f, numpy, 0x3f000000u, 0x01000000u, 0) /* 1/2 to 2 */
                   ? lz_log_f : NULL;
    return NULL;
}

#else
static lz_inner lz_explog_loop(const char *name, const lz_arith *numpy) { return NULL; }
#endif
