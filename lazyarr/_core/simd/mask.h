/* Inner loops under a mask that NumPy does not export: select, pack the chosen elements, and put them back.
 *
 * They have the signature of a ufunc's inner loop, so that a tile program calls them like any other. With AVX-512 they
 * take contiguous elements of 4, 8 and 16 bytes (select: of 1 and 2 as well) by sixteen mask values at a time; the
 * loops below go on from there. No branch depends on a single value of the mask. */
#pragma once

#include <string.h>
#include <numpy/ndarraytypes.h>

#include "copy.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>

#define LZ_MASK_TARGET __attribute__((target("avx512f,avx512bw,avx512vl,bmi2,popcnt")))
#define LZ_MASK_INLINE LZ_MASK_TARGET static inline __attribute__((always_inline))

static inline int lz_wide_masks(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

LZ_MASK_TARGET static inline npy_intp lz_wide_count(const char *mask, npy_intp n, npy_intp *counted)
{
    npy_intp i = 0, count = 0;
    for (; i + 64 <= n; i += 64) {
        const __m512i values = _mm512_loadu_si512(mask + i);
        count += __builtin_popcountll(_mm512_test_epi8_mask(values, values));
    }
    *counted = count;
    return i;
}

/* Return the number of true values among n. */
static inline npy_intp lz_count_contiguous(const char *mask, npy_intp n)
{
    const __m128i zero = _mm_setzero_si128(), one = _mm_set1_epi8(1);
    __m128i sums = zero;
    npy_intp i = 0, count = 0;
    if (n >= 64 && lz_wide_masks()) i = lz_wide_count(mask, n, &count);
    for (; i + 16 <= n; i += 16) {
        const __m128i clear = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(mask + i)), zero);
        sums = _mm_add_epi64(sums, _mm_sad_epu8(_mm_andnot_si128(clear, one), zero));
    }
    count += (npy_intp)(_mm_cvtsi128_si64(sums) + _mm_cvtsi128_si64(_mm_unpackhi_epi64(sums, sums)));
    for (; i < n; i++) count += mask[i] != 0;
    return count;
}

/* Sixteen mask values as bits; and the bits of a part of them, one for each lane of a vector of 32- or 64-bit lanes. */
LZ_MASK_INLINE unsigned lz_bits(const char *mask)
{
    const __m128i values = _mm_loadu_si128((const __m128i *)mask);
    return _mm_test_epi8_mask(values, values);
}
#define LZ_LANES_4(bits) (__mmask16)(bits)
#define LZ_LANES_8(bits) (__mmask8)(bits)
#define LZ_LANES_16(bits) (__mmask8)(_pdep_u32(bits, 0x55) * 3) /* an element is two lanes */

#define LZ_ALL_4(p) _mm512_set1_epi32(*(const int *)(p))
#define LZ_ALL_8(p) _mm512_set1_epi64(*(const long long *)(p))
#define LZ_ALL_16(p) _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(p)))

#define LZ_EACH_PART(SIZE)                                                                     \
    for (; i + 16 <= n; i += 16, m += 16)                                                      \
        for (unsigned bits = lz_bits(m), j = 0; j < 16; j += 64 / SIZE, bits >>= 64 / SIZE)
#define LZ_PART(SIZE) (bits & ((1u << 64 / SIZE) - 1))
#define LZ_AT(p, SIZE) ((p) + (i + j) * SIZE)

/* x and y advance by SIZE, or by 0 for a single value. */
#define LZ_WIDE_MASK_LOOPS(SIZE, WIDTH)                                                                          \
    LZ_MASK_TARGET static npy_intp lz_wide_select_##SIZE(const char *m, const char *x, npy_intp sx,              \
                                                         const char *y, npy_intp sy, char *out, npy_intp n)      \
    {                                                                                                            \
        const __m512i x0 = LZ_ALL_##SIZE(x), y0 = LZ_ALL_##SIZE(y);                                              \
        npy_intp i = 0;                                                                                          \
        LZ_EACH_PART(SIZE)                                                                                       \
        _mm512_storeu_si512(LZ_AT(out, SIZE),                                                                    \
                            _mm512_mask_blend_epi##WIDTH(LZ_LANES_##SIZE(LZ_PART(SIZE)),                         \
                                                         sy ? _mm512_loadu_si512(LZ_AT(y, SIZE)) : y0,           \
                                                         sx ? _mm512_loadu_si512(LZ_AT(x, SIZE)) : x0));         \
        return i;                                                                                                \
    }                                                                                                            \
    LZ_MASK_TARGET static npy_intp lz_wide_compress_##SIZE(const char *x, const char *m, char *out, npy_intp n,  \
                                                           npy_intp found, npy_intp *taken)                      \
    {                                                                                                            \
        char last[32 * SIZE]; /* stores whole vectors, for which out has no room at the end */               \
        char *to = out;                                                                                          \
        npy_intp i = 0, k = 0, start = 0;                                                                        \
        for (; i + 16 <= n && k < found; i += 16, m += 16) {                                                     \
            unsigned bits = lz_bits(m);                                                                          \
            if (k + 16 > found && to == out) {                                                                   \
                to = last;                                                                                       \
                start = k;                                                                                       \
            }                                                                                                    \
            for (unsigned j = 0; j < 16; j += 64 / SIZE, bits >>= 64 / SIZE) {                                   \
                const unsigned part = LZ_PART(SIZE);                                                             \
                const __m512i values = _mm512_loadu_si512(LZ_AT(x, SIZE));                                       \
                _mm512_storeu_si512(to + (k - start) * SIZE,                                                     \
                                    _mm512_maskz_compress_epi##WIDTH(LZ_LANES_##SIZE(part), values));            \
                k += _mm_popcnt_u32(part);                                                                       \
            }                                                                                                    \
        }                                                                                                        \
        if (to != out) memcpy(out + start * SIZE, last, (k - start) * SIZE);                                     \
        *taken = k;                                                                                              \
        return i;                                                                                                \
    }                                                                                                            \
    LZ_MASK_TARGET static npy_intp lz_wide_expand_##SIZE(const char *packed, const char *m, const char *old,     \
                                                         char *out, npy_intp n, npy_intp *taken)                 \
    {                                                                                                            \
        npy_intp i = 0, k = 0;                                                                                   \
        LZ_EACH_PART(SIZE)                                                                                       \
        {                                                                                                        \
            const unsigned part = LZ_PART(SIZE);                                                                 \
            _mm512_storeu_si512(LZ_AT(out, SIZE),                                                                \
                                _mm512_mask_expand_epi##WIDTH(_mm512_loadu_si512(LZ_AT(old, SIZE)),              \
                                                              LZ_LANES_##SIZE(part),                             \
                                                              _mm512_loadu_si512(packed + k * SIZE)));           \
            k += _mm_popcnt_u32(part);                                                                           \
        }                                                                                                        \
        *taken = k;                                                                                              \
        return i;                                                                                                \
    }

LZ_WIDE_MASK_LOOPS(4, 32)
LZ_WIDE_MASK_LOOPS(8, 64)
LZ_WIDE_MASK_LOOPS(16, 64)
#define LZ_BY_SIXTEEN(FITS, CALL) if ((FITS) && lz_wide_masks()) i = lz_wide_##CALL;
#else
static inline npy_intp lz_count_contiguous(const char *mask, npy_intp n)
{
    npy_intp count = 0;
    for (npy_intp i = 0; i < n; i++) count += mask[i] != 0;
    return count;
}
#define LZ_BY_SIXTEEN(FITS, CALL)
#endif

static inline npy_intp lz_count_true(const char *mask, npy_intp step, npy_intp n)
{
    npy_intp count = 0;
    if (step == 1) return lz_count_contiguous(mask, n);
    for (npy_intp i = 0; i < n; i++) count += mask[i * step] != 0;
    return count;
}

/* np.where: args condition (bool), x, y, out. */
#define LZ_SELECT(T)                                                                                \
    {                                                                                               \
        if (contiguous) {                                                                           \
            const T *xs = (const T *)x, *ys = (const T *)y;                                         \
            T *os = (T *)out;                                                                       \
            for (; i < n; i++) { T a = xs[i], b = ys[i]; os[i] = m[i] ? a : b; }                    \
        } else {                                                                                    \
            for (; i < n; i++) {                                                                    \
                T a = *(const T *)(x + i * sx), b = *(const T *)(y + i * sy);                       \
                *(T *)(out + i * so) = m[i * sm] ? a : b;                                           \
            }                                                                                       \
        }                                                                                           \
        return;                                                                                     \
    }

static void lz_select_loop(char **args, npy_intp const *count, npy_intp const *strides, void *data)
{
    const char *m = args[0], *x = args[1], *y = args[2];
    char *out = args[3];
    const npy_intp size = (npy_intp)(size_t)data, n = count[0];
    const npy_intp sm = strides[0], sx = strides[1], sy = strides[2], so = strides[3];
    const int dense = sm == 1 && (sx == size || sx == 0) && (sy == size || sy == 0) && so == size;
    const int contiguous = dense && sx == size && sy == size;
    npy_intp i = 0;
    switch (size) {
    case 1: LZ_SELECT(npy_uint8)
    case 2: LZ_SELECT(npy_uint16)
    case 4: LZ_BY_SIXTEEN(dense, select_4(m, x, sx, y, sy, out, n)) LZ_SELECT(npy_uint32)
    case 8: LZ_BY_SIXTEEN(dense, select_8(m, x, sx, y, sy, out, n)) LZ_SELECT(npy_uint64)
    case 16: LZ_BY_SIXTEEN(dense, select_16(m, x, sx, y, sy, out, n)) LZ_SELECT(lz_b16)
    default: LZ_SELECT(lz_b32)
    }
}

/* Whether eight mask values are all false, or all true. */
static inline int lz_none_of_eight(const char *mask)
{
    npy_uint64 values;
    memcpy(&values, mask, 8);
    return values == 0;
}
static inline int lz_all_of_eight(const char *mask)
{
    npy_uint64 values;
    memcpy(&values, mask, 8);
    return !((values - 0x0101010101010101u) & ~values & 0x8080808080808080u); /* no byte is zero */
}

/* Pack x[mask] at the front of out, which has room; return their number. Masks often have long runs, which are skipped
 * or copied by eight. */
#define LZ_COMPRESS(T)                                                            \
    {                                                                             \
        while (k < found) {                                                       \
            const int eight = contiguous && i + 8 <= n;                           \
            const npy_intp end = eight ? i + 8 : n;                               \
            if (eight && lz_none_of_eight(m + i)) {                               \
                i = end;                                                          \
            } else if (eight && lz_all_of_eight(m + i)) {                         \
                memcpy(out + k * size, x + i * size, 8 * sizeof(T));              \
                i = end, k += 8;                                                  \
            } else                                                                \
                for (; i < end && k < found; i++) {                               \
                    *(T *)(out + k * so) = *(const T *)(x + i * sx);              \
                    k += m[i * sm] != 0;                                          \
                }                                                                 \
        }                                                                         \
        return found;                                                             \
    }

static inline npy_intp lz_compress(const char *x, npy_intp sx, const char *m, npy_intp sm, char *out, npy_intp so,
                                   npy_intp n, npy_intp size)
{
    const npy_intp found = lz_count_true(m, sm, n);
    const int contiguous = sx == size && sm == 1 && so == size;
    npy_intp i = 0, k = 0;
    if (found == n) lz_copy1(out, so, x, sx, n, size);
    if (found == n || found == 0) return found;
    switch (size) {
    case 1: LZ_COMPRESS(npy_uint8)
    case 2: LZ_COMPRESS(npy_uint16)
    case 4: LZ_BY_SIXTEEN(contiguous, compress_4(x, m, out, n, found, &k)) LZ_COMPRESS(npy_uint32)
    case 8: LZ_BY_SIXTEEN(contiguous, compress_8(x, m, out, n, found, &k)) LZ_COMPRESS(npy_uint64)
    case 16: LZ_BY_SIXTEEN(contiguous, compress_16(x, m, out, n, found, &k)) LZ_COMPRESS(lz_b16)
    default: LZ_COMPRESS(lz_b32)
    }
}

/* args x, mask, out */
static void lz_compress_loop(char **args, npy_intp const *n, npy_intp const *strides, void *data)
{
    lz_compress(args[0], strides[0], args[1], strides[1], args[2], strides[2], n[0], (npy_intp)(size_t)data);
}

/* Scatter packed values, with room for n, to where a mask is true, old values elsewhere: args packed, mask, old, out.
 * */
#define LZ_EXPAND(T)                                                                               \
    {                                                                                              \
        for (; contiguous && i + 8 <= n; i += 8) {                                                 \
            if (lz_none_of_eight(m + i)) {                                                         \
                if (out != old) memcpy(out + i * size, old + i * size, 8 * sizeof(T));             \
            } else if (lz_all_of_eight(m + i)) {                                                   \
                memcpy(out + i * size, packed + k * size, 8 * sizeof(T));                          \
                k += 8;                                                                            \
            } else                                                                                 \
                for (npy_intp j = i; j < i + 8; j++) {                                             \
                    T a = ((const T *)packed)[k], b = ((const T *)old)[j];                         \
                    npy_intp chosen = m[j] != 0;                                                   \
                    ((T *)out)[j] = chosen ? a : b;                                                \
                    k += chosen;                                                                   \
                }                                                                                  \
        }                                                                                          \
        for (; i < n; i++) {                                                                       \
            T a = *(const T *)(packed + k * sp), b = *(const T *)(old + i * sb);                   \
            npy_intp chosen = m[i * sm] != 0;                                                      \
            *(T *)(out + i * so) = chosen ? a : b;                                                 \
            k += chosen;                                                                           \
        }                                                                                          \
        return;                                                                                    \
    }

static void lz_expand_loop(char **args, npy_intp const *count, npy_intp const *strides, void *data)
{
    const char *packed = args[0], *m = args[1], *old = args[2];
    char *out = args[3];
    const npy_intp size = (npy_intp)(size_t)data, n = count[0];
    const npy_intp sp = strides[0], sm = strides[1], sb = strides[2], so = strides[3], found = lz_count_true(m, sm, n);
    const int contiguous = sp == size && sm == 1 && sb == size && so == size;
    npy_intp i = 0, k = 0;
    if (found == n) {
        lz_copy1(out, so, packed, sp, n, size);
        return;
    }
    if (found == 0) {
        if (out != old) lz_copy1(out, so, old, sb, n, size);
        return;
    }
    switch (size) {
    case 1: LZ_EXPAND(npy_uint8)
    case 2: LZ_EXPAND(npy_uint16)
    case 4: LZ_BY_SIXTEEN(contiguous, expand_4(packed, m, old, out, n, &k)) LZ_EXPAND(npy_uint32)
    case 8: LZ_BY_SIXTEEN(contiguous, expand_8(packed, m, old, out, n, &k)) LZ_EXPAND(npy_uint64)
    case 16: LZ_BY_SIXTEEN(contiguous, expand_16(packed, m, old, out, n, &k)) LZ_EXPAND(lz_b16)
    default: LZ_EXPAND(lz_b32)
    }
}
