/* Folds of runs, of many short rows, and of rows into one row, of float32 and float64: sum in 512-bit vectors, maximum
 * and minimum also in 256-bit ones.
 *
 * Ufunc loops fold one row per call, or add one row to another. Here as many rows as a vector has lanes are folded together:
 *
 *     v0 v1 v2 ... v15     a vector of partial results each row; then neighbouring lanes of neighbouring vectors are
 *     \/    \/   \/        combined until one vector holds the results of all rows, in order
 *
 * and rows go into one another eight at a time. Like a ufunc's loop for folding, maximum and minimum pass NaN on. */
#pragma once

#include <string.h>
#include <numpy/ndarraytypes.h>

#include "arith.h"

typedef struct {
    /* `streams`: x comes from memory */
    /* out[0] = fold of x[0..n), contiguous; n > 0 */
    void (*run)(const char *x, npy_intp n, int streams, char *out);
    /* out[r] = fold of x[r][0..length), rows contiguous and one after the other; length > 0 */
    void (*rows)(const char *x, npy_intp rows, npy_intp length, int streams, char *out);
    /* out[j] = fold of x[0..rows)[j], and of out[j] unless `fresh`; rows lie `stride` bytes apart, rows > 0;
     * `out` may be the first of them */
    void (*columns)(const char *x, npy_intp stride, npy_intp rows, npy_intp width, int streams, char *out,
                    int fresh);
} lz_fold;

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>

/* What stands in vectors X of T: one value everywhere, all or the first n elements at a place (zeros behind these), the
 * first n lanes of one vector beside the others of another; every second lane of two vectors, and the order in which a
 * fold of the two leaves the results. */
#define LZ_IN_512 __attribute__((target("avx512f")))
#define LZ_IN_256 __attribute__((target("avx2")))
#define LZ_FOLD_INLINE(BITS) LZ_IN_##BITS static inline __attribute__((always_inline))

#define LZ_LANES_512(X, T, V, S, MASK, EVEN, ODD)                                                                     \
    LZ_FOLD_INLINE(512) MASK lz_mask_##X(npy_intp n) { return (MASK)((1u << n) - 1); }                                \
    LZ_FOLD_INLINE(512) V lz_all_##X(T x) { return _mm512_set1_##S(x); }                                              \
    LZ_FOLD_INLINE(512) V lz_load_##X(const void *x) { return _mm512_loadu_##S(x); }                                  \
    LZ_FOLD_INLINE(512) V lz_load_some_##X(const void *x, npy_intp n)                                                 \
    {                                                                                                                 \
        return _mm512_maskz_loadu_##S(lz_mask_##X(n), x);                                                             \
    }                                                                                                                 \
    LZ_FOLD_INLINE(512) void lz_store_some_##X(void *x, npy_intp n, V v)                                              \
    {                                                                                                                 \
        _mm512_mask_storeu_##S(x, lz_mask_##X(n), v);                                                                 \
    }                                                                                                                 \
    LZ_FOLD_INLINE(512) V lz_beside_##X(npy_intp n, V a, V b) { return _mm512_mask_mov_##S(b, lz_mask_##X(n), a); }   \
    LZ_FOLD_INLINE(512) V lz_even_##X(V a, V b) { return _mm512_permutex2var_##S(a, EVEN, b); }                       \
    LZ_FOLD_INLINE(512) V lz_odd_##X(V a, V b) { return _mm512_permutex2var_##S(a, ODD, b); }                         \
    LZ_FOLD_INLINE(512) V lz_order_##X(V a) { return a; }
LZ_LANES_512(f16, float, __m512, ps, __mmask16, _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0),
             _mm512_set_epi32(31, 29, 27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1))
LZ_LANES_512(d8, double, __m512d, pd, __mmask8, _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0),
             _mm512_set_epi64(15, 13, 11, 9, 7, 5, 3, 1))

#define LZ_LANES_256(X, T, V, S, LANES, INT, EVEN, ODD, ORDER)                                                        \
    LZ_FOLD_INLINE(256) __m256i lz_mask_##X(npy_intp n)                                                               \
    {                                                                                                                 \
        static const INT some[16] = {-1, -1, -1, -1, -1, -1, -1, -1};                                                 \
        return _mm256_loadu_si256((const __m256i *)(some + 8 - n));                                                   \
    }                                                                                                                 \
    LZ_FOLD_INLINE(256) V lz_all_##X(T x) { return _mm256_set1_##S(x); }                                              \
    LZ_FOLD_INLINE(256) V lz_load_##X(const void *x) { return _mm256_loadu_##S((const T *)x); }                       \
    LZ_FOLD_INLINE(256) V lz_load_some_##X(const void *x, npy_intp n)                                                 \
    {                                                                                                                 \
        return n == LANES ? lz_load_##X(x) : _mm256_maskload_##S((const T *)x, lz_mask_##X(n));                       \
    }                                                                                                                 \
    LZ_FOLD_INLINE(256) void lz_store_some_##X(void *x, npy_intp n, V v)                                              \
    {                                                                                                                 \
        if (n == LANES) _mm256_storeu_##S((T *)x, v);                                                                 \
        else _mm256_maskstore_##S((T *)x, lz_mask_##X(n), v);                                                         \
    }                                                                                                                 \
    LZ_FOLD_INLINE(256) V lz_beside_##X(npy_intp n, V a, V b)                                                         \
    {                                                                                                                 \
        return _mm256_blendv_##S(b, a, _mm256_castsi256_##S(lz_mask_##X(n)));                                         \
    }                                                                                                                 \
    LZ_FOLD_INLINE(256) V lz_even_##X(V a, V b) { return EVEN; }                                                      \
    LZ_FOLD_INLINE(256) V lz_odd_##X(V a, V b) { return ODD; }                                                        \
    LZ_FOLD_INLINE(256) V lz_order_##X(V a) { return ORDER; }
LZ_LANES_256(f8, float, __m256, ps, 8, int, _mm256_shuffle_ps(a, b, 0x88), _mm256_shuffle_ps(a, b, 0xdd),
             _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(a), 0xd8)))
LZ_LANES_256(d4, double, __m256d, pd, 4, long long, _mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b),
             _mm256_permute4x64_pd(a, 0xd8))

/* a where it is NaN or better than b, else b; so of two zeros the later one, as in NumPy's elementwise loops. The
 * 512-bit instruction takes b where either is NaN, and would raise a flag for that. */
#define LZ_PICK_512(NAME, V, S, BETTER)                                                              \
    LZ_FOLD_INLINE(512) V NAME(V a, V b)                                                             \
    {                                                                                                \
        return _mm512_mask_mov_##S(_mm512_##BETTER##_round_##S(a, b, _MM_FROUND_NO_EXC),             \
                                   _mm512_cmp_##S##_mask(a, a, _CMP_UNORD_Q), a);                    \
    }
LZ_PICK_512(lz_maximum_f16, __m512, ps, max)
LZ_PICK_512(lz_maximum_d8, __m512d, pd, max)
LZ_PICK_512(lz_minimum_f16, __m512, ps, min)
LZ_PICK_512(lz_minimum_d8, __m512d, pd, min)
#define LZ_PICK_256(NAME, V, S, BETTER)                                                              \
    LZ_FOLD_INLINE(256) V NAME(V a, V b)                                                             \
    {                                                                                                \
        const V taken = _mm256_or_##S(_mm256_cmp_##S(a, b, BETTER), _mm256_cmp_##S(a, a, _CMP_UNORD_Q)); \
        return _mm256_blendv_##S(b, a, taken);                                                       \
    }
LZ_PICK_256(lz_maximum_f8, __m256, ps, _CMP_GT_OQ)
LZ_PICK_256(lz_maximum_d4, __m256d, pd, _CMP_GT_OQ)
LZ_PICK_256(lz_minimum_f8, __m256, ps, _CMP_LT_OQ)
LZ_PICK_256(lz_minimum_d4, __m256d, pd, _CMP_LT_OQ)

/* bytes of narrow rows that are read together */
#define LZ_COLUMNS 4096

/* longest row for which rows are folded concurrently: prefetchers lose track of more and longer ones */
#define LZ_INTERLEAVED 512
#define LZ_UNROLL _Pragma("GCC unroll 16")

/* Prefetch all lines of a stretch of memory at once: interleaved with other instructions, they arrive later. A longer
 * stretch would evict data being read. */
#define LZ_AT_ONCE 16384
static inline __attribute__((always_inline)) void lz_ask_for_all(const char *x, npy_intp bytes)
{
    for (npy_intp k = 0; k < bytes; k += 64) __builtin_prefetch(x + k);
}

/* NEUTRAL: value of a lane without elements; FIRST: fold of a single element */
#define LZ_FOLD(BITS, NAME, T, V, X, LANES, OP, NEUTRAL, FIRST)                                                       \
    LZ_FOLD_INLINE(BITS) V NAME##_row(const T *x, npy_intp length, npy_intp ahead)                                    \
    {                                                                                                                 \
        V sum = length >= LANES ? lz_load_##X(x) : lz_all_##X(NEUTRAL);                                               \
        npy_intp i = length >= LANES ? LANES : 0;                                                                     \
        LZ_ASK(x, ahead);                                                                                             \
        for (; i + LANES <= length; i += LANES) {                                                                     \
            LZ_ASK(x + i, ahead);                                                                                     \
            sum = OP(sum, lz_load_##X(x + i));                                                                        \
        }                                                                                                             \
        if (i < length) {                                                                                             \
            sum = lz_beside_##X(length - i, OP(sum, lz_load_some_##X(x + i, length - i)), sum);                       \
        }                                                                                                             \
        return sum;                                                                                                   \
    }                                                                                                                 \
    LZ_FOLD_INLINE(BITS) V NAME##_neighbours(V a, V b)                                                                \
    {                                                                                                                 \
        return lz_order_##X(OP(lz_even_##X(a, b), lz_odd_##X(a, b)));                                                 \
    }                                                                                                                 \
    /* LANES short rows concurrently: their vectors are independent */                                   \
    LZ_FOLD_INLINE(BITS) void NAME##_abreast(const T *x, npy_intp length, V *part)                                    \
    {                                                                                                                 \
        const npy_intp rest = length % LANES;                                                                         \
        npy_intp j = 0;                                                                                               \
        if (length >= LANES) {                                                                                        \
            LZ_UNROLL for (int i = 0; i < LANES; i++) part[i] = lz_load_##X(x + i * length);                          \
            for (j = LANES; j + LANES <= length; j += LANES)                                                          \
                LZ_UNROLL for (int i = 0; i < LANES; i++)                                                             \
                    part[i] = OP(part[i], lz_load_##X(x + i * length + j));                                           \
        } else                                                                                                        \
            LZ_UNROLL for (int i = 0; i < LANES; i++) part[i] = lz_all_##X(NEUTRAL);                                  \
        if (rest)                                                                                                     \
            LZ_UNROLL for (int i = 0; i < LANES; i++) {                                                               \
                const V last = lz_load_some_##X(x + i * length + j, rest);                                            \
                part[i] = lz_beside_##X(rest, OP(part[i], last), part[i]);                                            \
            }                                                                                                         \
    }                                                                                                                 \
    LZ_FOLD_INLINE(BITS) void NAME##_rows_of(const char *px, npy_intp rows, npy_intp length, int streams, char *out)  \
    {                                                                                                                 \
        const T *x = (const T *)px;                                                                                   \
        const npy_intp group = LANES * length * (npy_intp)sizeof(T);                                                  \
        const int all_at_once = streams && group <= LZ_AT_ONCE;                                                       \
        const npy_intp ahead = streams && !all_at_once ? LZ_AHEAD : 0;                                                \
        for (npy_intp r = 0; r < rows; r += LANES) {                                                                  \
            const npy_intp n = rows - r < LANES ? rows - r : LANES;                                                   \
            V part[LANES];                                                                                            \
            if (all_at_once)                                                                                          \
                lz_ask_for_all((const char *)(x + r * length) + (group > LZ_AHEAD ? group : LZ_AHEAD), group);        \
            if (n == LANES && LANES * length <= LZ_INTERLEAVED) NAME##_abreast(x + r * length, length, part);             \
            else                                                                                                      \
                for (npy_intp i = 0; i < LANES; i++)                                                                  \
                    part[i] = NAME##_row(x + (r + (i < n ? i : 0)) * length, length, ahead);                          \
            for (int left = LANES / 2; left; left /= 2)                                                               \
                for (int i = 0; i < left; i++) part[i] = NAME##_neighbours(part[2 * i], part[2 * i + 1]);             \
            lz_store_some_##X((T *)out + r, n, FIRST(part[0]));                                                       \
        }                                                                                                             \
    }                                                                                                                 \
    LZ_IN_##BITS static void NAME##_rows(const char *x, npy_intp rows, npy_intp length, int streams, char *out)       \
    {                                                                                                                 \
        if (streams) NAME##_rows_of(x, rows, length, 1, out);                                                         \
        else NAME##_rows_of(x, rows, length, 0, out);                                                                 \
    }                                                                                                                 \
    /* the fold of four or eight rows, pairwise, for independent operations */                                \
    LZ_FOLD_INLINE(BITS) V NAME##_down(const char *x, npy_intp stride, int rows, npy_intp ahead, npy_intp some)       \
    {                                                                                                                 \
        V part[8];                                                                                                    \
        for (int r = 0; r < rows; r++) {                                                                              \
            LZ_ASK(x + r * stride, ahead);                                                                            \
            part[r] = lz_load_some_##X(x + r * stride, some);                                                         \
        }                                                                                                             \
        for (int left = rows / 2; left; left /= 2)                                                                    \
            for (int r = 0; r < left; r++) part[r] = OP(part[2 * r], part[2 * r + 1]);                                \
        return part[0];                                                                                               \
    }                                                                                                                 \
    /* out[0..some) = fold of the rows' columns x */                                                                  \
    LZ_FOLD_INLINE(BITS) void NAME##_column(const char *x, npy_intp stride, npy_intp rows, npy_intp ahead,            \
                                            npy_intp some, char *out, int fresh)                                      \
    {                                                                                                                 \
        npy_intp r = 0;                                                                                               \
        V sum;                                                                                                        \
        if (!fresh) sum = lz_load_some_##X(out, some);                                                                \
        else if (rows >= 8) sum = FIRST(NAME##_down(x, stride, 8, ahead, some)), r = 8;                               \
        else sum = FIRST(lz_load_some_##X(x, some)), r = 1;                                                           \
        for (; r + 8 <= rows; r += 8) sum = OP(sum, NAME##_down(x + r * stride, stride, 8, ahead, some));             \
        for (; r + 4 <= rows; r += 4) sum = OP(sum, NAME##_down(x + r * stride, stride, 4, ahead, some));             \
        for (; r < rows; r++) sum = OP(sum, lz_load_some_##X(x + r * stride, some));                                  \
        lz_store_some_##X(out, some, sum);                                                                            \
    }                                                                                                                 \
    LZ_FOLD_INLINE(BITS) void NAME##_columns_of(const char *x, npy_intp stride, npy_intp rows, npy_intp width,        \
                                                int streams, char *out, int fresh)                                    \
    {                                                                                                                 \
        const npy_intp whole = width / LANES * (npy_intp)sizeof(V), rest = width % LANES;                             \
        /* rows that are read together: they stay in the cache while they are folded column by column */          \
        const npy_intp group = stride > 0 && stride < LZ_COLUMNS / 8 ? LZ_COLUMNS / stride & ~(npy_intp)7 : 8;        \
        const int narrow = stride > 0 && stride <= LZ_AHEAD && group * stride <= LZ_AT_ONCE;                          \
        const npy_intp ahead = streams && !narrow ? LZ_AHEAD : 0;                                                     \
        for (; rows > 0; rows -= group, x += group * stride, fresh = 0) {                                             \
            if (streams && narrow) lz_ask_for_all(x + group * stride, group * stride);                                \
            const npy_intp n = rows < group ? rows : group;                                                           \
            for (npy_intp j = 0; j < whole; j += sizeof(V))                                                           \
                NAME##_column(x + j, stride, n, ahead, LANES, out + j, fresh);                                        \
            if (rest) NAME##_column(x + whole, stride, n, ahead, rest, out + whole, fresh);                           \
        }                                                                                                             \
    }                                                                                                                 \
    LZ_IN_##BITS static void NAME##_columns(const char *x, npy_intp stride, npy_intp rows, npy_intp width,            \
                                            int streams, char *out, int fresh)                                      \
    {                                                                                                                 \
        if (streams) NAME##_columns_of(x, stride, rows, width, 1, out, fresh);                                        \
        else NAME##_columns_of(x, stride, rows, width, 0, out, fresh);                                                \
    }

/* Maximum and minimum of a run. */
#define LZ_FOLD_RUN(BITS, NAME, T, V, X, LANES, OP, NEUTRAL)                                                          \
    LZ_IN_##BITS static void NAME##_run(const char *px, npy_intp n, int streams, char *out)                           \
    {                                                                                                                 \
        const T *x = (const T *)px;                                                                                   \
        const npy_intp ahead = streams ? LZ_AHEAD : 0;                                                                \
        V part[4];                                                                                                    \
        npy_intp i = 0;                                                                                               \
        for (int k = 0; k < 4; k++) part[k] = lz_all_##X(NEUTRAL);                                                    \
        for (; i + 4 * LANES <= n; i += 4 * LANES)                                                                    \
            for (int k = 0; k < 4; k++) {                                                                             \
                LZ_ASK_FAR(x + i + k * LANES, streams);                                                               \
                part[k] = OP(part[k], lz_load_##X(x + i + k * LANES));                                                \
            }                                                                                                         \
        if (i < n) part[0] = OP(part[0], NAME##_row(x + i, n - i, ahead));                                            \
        part[0] = OP(OP(part[0], part[1]), OP(part[2], part[3]));                                                     \
        for (int lanes = LANES; lanes > 1; lanes /= 2) part[0] = NAME##_neighbours(part[0], part[0]);                 \
        lz_store_some_##X(out, 1, part[0]);                                                                           \
    }

/* The sum of a run is that of the wide addition. */
#define LZ_SUM_RUN(X, T, SUM)                                                                                         \
    static void lz_fold_add_##X##_run(const char *x, npy_intp n, int streams, char *out)                              \
    {                                                                                                                 \
        *(T *)out = 0 + SUM((const T *)x, n, streams);                                                                \
    }
LZ_SUM_RUN(f16, float, lz_sum_f16)
LZ_SUM_RUN(d8, double, lz_sum_d8)

/* Sums start with 0, so that the sum of -0.0 alone is 0. */
#define LZ_FROM_ZERO_ps(x) _mm512_add_ps(x, _mm512_setzero_ps())
#define LZ_FROM_ZERO_pd(x) _mm512_add_pd(x, _mm512_setzero_pd())
LZ_FOLD(512, lz_fold_add_f16, float, __m512, f16, 16, _mm512_add_ps, -0.0, LZ_FROM_ZERO_ps)
LZ_FOLD(512, lz_fold_add_d8, double, __m512d, d8, 8, _mm512_add_pd, -0.0, LZ_FROM_ZERO_pd)

#define LZ_EXTREMUM(BITS, NAME, T, V, X, LANES, NEUTRAL)                                                              \
    LZ_FOLD(BITS, lz_fold_##NAME##_##X, T, V, X, LANES, lz_##NAME##_##X, NEUTRAL, )                                   \
    LZ_FOLD_RUN(BITS, lz_fold_##NAME##_##X, T, V, X, LANES, lz_##NAME##_##X, NEUTRAL)
#define LZ_EXTREMA(NAME, NEUTRAL)                                                                                     \
    LZ_EXTREMUM(512, NAME, float, __m512, f16, 16, NEUTRAL)                                                           \
    LZ_EXTREMUM(512, NAME, double, __m512d, d8, 8, NEUTRAL)                                                           \
    LZ_EXTREMUM(256, NAME, float, __m256, f8, 8, NEUTRAL)                                                             \
    LZ_EXTREMUM(256, NAME, double, __m256d, d4, 4, NEUTRAL)
LZ_EXTREMA(maximum, -__builtin_inf())
LZ_EXTREMA(minimum, __builtin_inf())

/* The folds for an operation of float (0) or double (1); NULL if there are none on this processor. */
static const lz_fold *lz_find_fold(const char *name, int is_double)
{
#define LZ_ONE_FOLD(NAME, X) {lz_fold_##NAME##_##X##_run, lz_fold_##NAME##_##X##_rows, lz_fold_##NAME##_##X##_columns}
    static const struct { const char *name, *needs; lz_fold folds[2]; } table[] = {
        {"add", "avx512f", {LZ_ONE_FOLD(add, f16), LZ_ONE_FOLD(add, d8)}},
        {"maximum", "avx512f", {LZ_ONE_FOLD(maximum, f16), LZ_ONE_FOLD(maximum, d8)}},
        {"minimum", "avx512f", {LZ_ONE_FOLD(minimum, f16), LZ_ONE_FOLD(minimum, d8)}},
        {"maximum", "avx2", {LZ_ONE_FOLD(maximum, f8), LZ_ONE_FOLD(maximum, d4)}},
        {"minimum", "avx2", {LZ_ONE_FOLD(minimum, f8), LZ_ONE_FOLD(minimum, d4)}}};
    __builtin_cpu_init();
    const int wide = __builtin_cpu_supports("avx512f") != 0, narrow = __builtin_cpu_supports("avx2") != 0;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (!strcmp(table[i].name, name) && (strcmp(table[i].needs, "avx2") ? wide : narrow))
            return &table[i].folds[is_double];
    return NULL;
}
#else
static const lz_fold *lz_find_fold(const char *name, int is_double) { return NULL; }
#endif
