/* Strided copies, which NumPy does not export as ufunc loops. */
#pragma once

#include <string.h>
#include <numpy/ndarraytypes.h>

typedef struct { unsigned long long w[2]; } lz_b16;
typedef struct { unsigned long long w[4]; } lz_b32;

/* Prefetch n bytes, which need not exist. */
static void lz_prefetch(const char *p, npy_intp n)
{
#if defined(__GNUC__) || defined(__clang__)
    for (npy_intp i = 0; i < n; i += 64) {
        __builtin_prefetch(p + i);
        __asm__ volatile(""); /* GCC removes calls of functions that only prefetch */
    }
#endif
}

/* Copy n bytes from scratch to memory that will not be read soon, without reading its lines first or keeping them in
 * the caches. Call `lz_stream_end` before another thread may read it. */
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <emmintrin.h>

static void lz_stream(char *dst, const char *src, npy_intp n)
{
    npy_intp i = 0;
    if (((size_t)dst & 63) == 0)
        for (; i + 64 <= n; i += 64)
            for (int k = 0; k < 64; k += 16)
                _mm_stream_si128((__m128i *)(dst + i + k), _mm_loadu_si128((const __m128i *)(src + i + k)));
    memcpy(dst + i, src + i, (size_t)(n - i));
}
static inline void lz_stream_end(void) { _mm_sfence(); }
#else
static void lz_stream(char *dst, const char *src, npy_intp n) { memcpy(dst, src, (size_t)n); }
static inline void lz_stream_end(void) {}
#endif

/* Incrementing pointers takes half the time of multiplying indices by strides; unrolled by four, a loop's speed does
 * not depend on its alignment. */
#define LZ_STRIDED_COPY(T)                                                                        \
    {                                                                                             \
        if (ss == 0) {                                                                            \
            T v;                                                                                  \
            memcpy(&v, src, sizeof(T));                                                           \
            if (ds == (npy_intp)sizeof(T)) {                                                      \
                T *d = (T *)dst;                                                                  \
                for (npy_intp i = 0; i < n; i++) d[i] = v;                                        \
            } else {                                                                              \
                for (; n > 0; n--, dst += ds) *(T *)dst = v;                                      \
            }                                                                                     \
        } else {                                                                                  \
            for (; n >= 4; n -= 4, dst += 4 * ds, src += 4 * ss) {                                \
                const T a = *(const T *)src, b = *(const T *)(src + ss);                          \
                const T c = *(const T *)(src + 2 * ss), d = *(const T *)(src + 3 * ss);           \
                *(T *)dst = a;                                                                    \
                *(T *)(dst + ds) = b;                                                             \
                *(T *)(dst + 2 * ds) = c;                                                         \
                *(T *)(dst + 3 * ds) = d;                                                         \
            }                                                                                     \
            for (; n > 0; n--, dst += ds, src += ss) *(T *)dst = *(const T *)src;                 \
        }                                                                                         \
        return;                                                                                   \
    }

/* Copy n elements; source and destination are disjoint or identical. */
static inline void lz_copy1(char *dst, npy_intp ds, const char *src, npy_intp ss, npy_intp n, npy_intp size)
{
    if (ds == size && ss == size) {
        if (dst != src) memcpy(dst, src, (size_t)(n * size));
        return;
    }
    switch (size) {
    case 1: LZ_STRIDED_COPY(npy_uint8)
    case 2: LZ_STRIDED_COPY(npy_uint16)
    case 4: LZ_STRIDED_COPY(npy_uint32)
    case 8: LZ_STRIDED_COPY(npy_uint64)
    case 16: LZ_STRIDED_COPY(lz_b16)
    case 32: LZ_STRIDED_COPY(lz_b32)
    default:
        for (npy_intp i = 0; i < n; i++) memcpy(dst + i * ds, src + i * ss, (size_t)size);
    }
}

/* Copy rows of `width` contiguous bytes, as one element per row. */
static inline void lz_copy_rows(char *dst, npy_intp ds, const char *src, npy_intp ss, npy_intp rows, npy_intp width)
{
    const npy_intp alignment = width < 8 ? width : 8;
    if (((npy_intp)(size_t)dst | ds | (npy_intp)(size_t)src | ss) & (alignment - 1))
        for (npy_intp r = 0; r < rows; r++) memcpy(dst + r * ds, src + r * ss, (size_t)width);
    else
        lz_copy1(dst, ds, src, ss, rows, width);
}

/* Copy `rows` rows of n elements; pitch is the distance of rows, stride that of elements. */
static inline void lz_copy_block(char *dst, npy_intp dpitch, npy_intp ds, const char *src, npy_intp spitch, npy_intp ss,
                                 npy_intp rows, npy_intp n, npy_intp size)
{
    if (ds == size && ss == size)
        lz_copy_rows(dst, dpitch, src, spitch, rows, n * size);
    else
        for (npy_intp r = 0; r < rows; r++) lz_copy1(dst + r * dpitch, ds, src + r * spitch, ss, n, size);
}

#define LZ_REPEAT(T)                                                             \
    {                                                                            \
        const T *s = (const T *)src;                                             \
        T *d = (T *)dst;                                                         \
        if (times == 2)                                                          \
            for (npy_intp i = 0; i < n; i++) d[2 * i] = d[2 * i + 1] = s[i];     \
        else if (times == 3)                                                     \
            for (npy_intp i = 0; i < n; i++, d += 3) d[0] = d[1] = d[2] = s[i];  \
        else                                                                     \
            for (npy_intp i = 0; i < n; i++)                                     \
                for (npy_intp k = 0; k < times; k++) *d++ = s[i];                \
        return;                                                                  \
    }

/* Repeat each of n contiguous elements `times` times. */
static inline void lz_repeat(char *dst, const char *src, npy_intp n, npy_intp times, npy_intp size)
{
    if (times == 1) {
        memcpy(dst, src, (size_t)(n * size));
        return;
    }
    switch (size) {
    case 1: LZ_REPEAT(npy_uint8)
    case 2: LZ_REPEAT(npy_uint16)
    case 4: LZ_REPEAT(npy_uint32)
    case 8: LZ_REPEAT(npy_uint64)
    case 16: LZ_REPEAT(lz_b16)
    default:
        for (npy_intp i = 0; i < n; i++)
            for (npy_intp k = 0; k < times; k++, dst += size) memcpy(dst, src + i * size, (size_t)size);
    }
}

/* Copy n elements, from index `first` on, of a row whose elements are repeated `times` times. */
static inline void lz_repeat_row(char *dst, const char *src, npy_intp ss, npy_intp first, npy_intp n, npy_intp times,
                                 npy_intp size)
{
    npy_intp rest = times - first % times, part;
    src += first / times * ss;
    if (rest < times || rest > n) { /* the rest of the first */
        part = rest < n ? rest : n;
        lz_copy1(dst, size, src, 0, part, size);
        dst += part * size;
        src += ss;
        n -= part;
    }
    part = n / times;
    if (ss == size || times == 1)
        times == 1 ? lz_copy1(dst, size, src, ss, part, size) : lz_repeat(dst, src, part, times, size);
    else
        for (npy_intp i = 0; i < part; i++) lz_copy1(dst + i * times * size, size, src + i * ss, 0, times, size);
    if (n > part * times) lz_copy1(dst + part * times * size, size, src + part * ss, 0, n - part * times, size);
}

/* data: the element size. */
static void lz_copy_loop(char **args, npy_intp const *n, npy_intp const *strides, void *data)
{
    lz_copy1(args[1], strides[1], args[0], strides[0], n[0], (npy_intp)(size_t)data);
}
